"""The forms of one specification: how each measure, register, attribute and role is printed.

Writer and reader share it, so that what one prints the other reads. It is built from what a
stripped specification still has: names, labels, units and scales, never effects (R34).
"""

from __future__ import annotations

from typing import NamedTuple

from supersede.errors import SpecError
from supersede.model.record import Value
from supersede.model.world import Register, World
from supersede.rendering.forms import UNSET, Form, Names, Number, Values
from supersede.specs.schema import (
    IntAttribute,
    IntParameter,
    NamedAttribute,
    Specification,
    SymbolParameter,
)


class Attribute(NamedTuple):
    """An attribute of an entity type, as it is printed."""

    name: str
    label: str
    """Printed before the value where a mint's line needs it to be understood, else empty."""
    form: Form
    """Prints the value with its unit."""
    type: str | None
    """The entity type of its values, when they are entities."""


class Vocabulary:
    """The forms of a specification.

    Attributes:
        spec: The specification, whole or stripped of its effects.
        world: Its world.
        types: Entity type -> its names.
        attributes: Entity type -> its attributes in declared order.
        ids: Record ids.
        measures: Measure -> its changes, signed, with unit.
        registers: Register -> its values.
        type_of: Name -> the entity types that have it, of which a sound specification gives
            every name one; None where there is none.
    """

    def __init__(self, spec: Specification, world: World) -> None:
        """The forms of a specification.

        Raises:
            SpecError: A scale that prints no whole number of places, or an attribute that
                mixes numbers and words.
        """
        self.spec = spec
        self.world = world
        self.types = {t.name: Names(t.names, t.minted) for t in world.types.values()}
        self.attributes = {name: _attributes(spec, name, self.types) for name in self.types}
        self.ids = Names((), spec.clock.record)
        self.measures = {
            m.name: Number(m.scale, m.unit, signed=True) for m in world.measures.values()
        }
        self.registers = {
            r.name: RegisterForm(r, world.block, self.types) for r in world.registers.values()
        }
        self.type_of: Values[tuple[str, ...]] = Values(self._types_of)

    def _types_of(self, name: str) -> tuple[str, ...] | None:
        found = tuple(t for t, names in self.types.items() if names.values[name] is not None)
        return found or None

    def default_roles(self, event: str) -> tuple[tuple[str, str], ...]:
        """The roles that a posting of an event counts for unless it names another (R28).

        Returns:
            Pairs of role and entity type in declared order: every role that holds one entity
            and is the only such role of its type.
        """
        roles = self.world.events[event].roles
        kinds = list(roles.values())
        return tuple(pair for pair in roles.items() if kinds.count(pair[1]) == 1)

    def parameter(self, event: int, name: str) -> Form:
        """How a parameter is printed inside a wording.

        Args:
            event: Index of the event in the specification.
            name: The parameter.
        """
        parameter = self.spec.events[event].parameters[name]
        if isinstance(parameter, SymbolParameter):
            return self._symbols(parameter.one_of)
        if isinstance(parameter, IntParameter):
            return Number(parameter.scale or 1, parameter.unit)
        return Number()

    def _symbols(self, one_of: tuple[str, ...] | str) -> Names:
        if not isinstance(one_of, str):
            return Names(one_of)
        register = self.world.registers[one_of]
        return Names(register.symbols) if register.type is None else self.types[register.type]


class RegisterForm:
    """The values of one register: symbols, entities, numbers or blocks, and unset (S5).

    Attributes:
        values: Text -> a pair whose one member is the value; None where the text is none.
    """

    def __init__(self, register: Register, block: str, types: dict[str, Names]) -> None:
        """The form of a register.

        Args:
            register: The register.
            block: Noun for a block, printed before block numbers.
            types: Entity type -> its names.
        """
        self._lead = f"{block} " if register.block else ""
        self._form: Form
        if register.integer or register.block:
            self._form = Number(register.scale, register.unit)
        elif register.type is not None:
            self._form = types[register.type]
        else:
            self._form = Names(register.symbols)
        self.values: Values[tuple[Value]] = Values(self._read)

    def write(self, value: Value) -> str:
        """The value as it is printed."""
        return UNSET if value is None else f"{self._lead}{self._form.write(value)}"

    def _read(self, text: str) -> tuple[Value] | None:
        if text == UNSET:
            return (None,)
        if not text.startswith(self._lead):
            return None
        value = self._form.values[text.removeprefix(self._lead)]
        return None if value is None else (value,)


def _attributes(
    spec: Specification, type_name: str, types: dict[str, Names]
) -> tuple[Attribute, ...]:
    declared = spec.entities[type_name].attributes
    found: list[Attribute] = []
    for name, attribute in declared.items():
        form, kind = _attribute_form(attribute, types, f"{type_name}.{name}")
        label = name.replace("_", " ") if len(declared) > 1 or isinstance(form, Number) else ""
        found.append(Attribute(name, label, form, kind))
    return tuple(found)


def _attribute_form(
    attribute: str | IntAttribute | NamedAttribute | tuple[int | str, ...],
    types: dict[str, Names],
    where: str,
) -> tuple[Form, str | None]:
    if isinstance(attribute, str):
        return types[attribute], attribute
    if isinstance(attribute, IntAttribute):
        return Number(attribute.scale, attribute.unit), None
    form = Number()
    values: tuple[int | str, ...]
    if isinstance(attribute, NamedAttribute):
        form, values = Number(attribute.scale, attribute.unit), attribute.values
    else:
        values = attribute
    if all(isinstance(value, int) for value in values):
        return form, None
    symbols = [str(value) for value in values]
    if len(symbols) != sum(isinstance(value, str) for value in values):
        raise SpecError(f"{where} mixes numbers and words", mend="Use one or the other.")
    for name, names in types.items():
        if set(symbols) <= set(names.names):
            return names, name
    return Names(dict.fromkeys(symbols)), None
