"""The types of what a specification declares, as its expressions know them."""

from __future__ import annotations

from supersede.specs.refused import ExpressionError, hint
from supersede.specs.schema import Event, IntAttribute, NamedAttribute, Specification

INTEGER = "integer"
BOOLEAN = "truth value"
SYMBOL = "symbol"
ANY = "any"
NOTHING = "None"


def types(per: str | tuple[str, str] | None) -> tuple[str, ...]:
    """The entity types of a key, as a tuple."""
    if per is None:
        return ()
    return (per,) if isinstance(per, str) else per


def register_type(spec: Specification, name: str) -> str:
    """The type of a register's values."""
    register = spec.registers[name]
    if isinstance(register.values, str):
        return register.values
    if register.values is not None:
        return f"symbol of {name}"
    return INTEGER if register.range or register.block else ANY


def attribute_type(spec: Specification, owner: str, name: str) -> str:
    """The type of an attribute's values."""
    declared = spec.entities[owner].attributes[name]
    if isinstance(declared, str):
        return declared
    if isinstance(declared, IntAttribute):
        return INTEGER
    values = declared.values if isinstance(declared, NamedAttribute) else declared
    if all(isinstance(value, int) for value in values):
        return INTEGER
    for kind, entity in spec.entities.items():
        if entity.names and all(value in entity.names for value in values):
            return kind
    return SYMBOL


def event_named(spec: Specification, name: str) -> Event:
    """The event with an id.

    Raises:
        ExpressionError: There is none.
    """
    for event in spec.events:
        if event.id == name:
            return event
    near = hint(name, [event.id for event in spec.events])
    raise ExpressionError(f"unknown event {name!r}{near}")
