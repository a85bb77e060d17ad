"""Claims closed to hedges: which values a name may take, and what a number is measured in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from supersede.model.question import Claim, ClaimKind, Parameter
from supersede.model.world import Register
from supersede.questions.forms import Line
from supersede.questions.index import Index
from supersede.questions.wording import NONE

_NAMED = frozenset({ClaimKind.RANK, ClaimKind.WINNER})
_UNSET = " or unset"
_MEASURED = frozenset({ClaimKind.VALUE, ClaimKind.MARGIN, ClaimKind.REGISTER})


def claims(
    lines: Sequence[Line], parameters: Mapping[str, Parameter], index: Index
) -> tuple[Claim, ...]:
    """The claims of an answer's lines, with the closed sets and units that the world knows.

    Args:
        lines: The lines.
        parameters: Those of the question; its measures give the units.
        index: The history, whose entities are the candidates.
    """
    measured = _measures(parameters, index)
    found = []
    for line in lines:
        kind, number = line.kind, line.number
        if number is None and not line.candidates and (kind in _NAMED or _UNSET in line.hint):
            line = line._replace(candidates=_candidates(line.hint, parameters, index))
        unit = _unit(line.text, measured) if kind in _MEASURED and number is not None else ""
        found.append(line._replace(unit=unit).claim())
    return tuple(found)


def _candidates(hint: str, parameters: Mapping[str, Parameter], index: Index) -> tuple[str, ...]:
    """The values that a slot with a hint may take, `none` last; none where nobody knows them."""
    world = index.facts.world
    names: Sequence[str]
    if hint.endswith(_UNSET):
        label = hint.removesuffix(_UNSET)
        held = [world.registers[n] for n in map(str, parameters.values()) if n in world.registers]
        names = [x for part in held if part.label == label for x in _values(part, index)]
        return (*names, "unset") if names else ()
    if hint == "kind of record":
        names = [event.label for event in world.events.values()]
    elif hint == "status label":
        names = list(world.statuses)
    elif hint == "value":
        names = _values(world.registers[str(parameters["register"])], index)
    else:
        kinds = [kind for kind, part in world.types.items() if part.label == hint]
        names = [name for kind in kinds for name in index.entities(kind)]
    return (*names, NONE) if names else ()


def _values(register: Register, index: Index) -> Sequence[str]:
    """What a register may hold, where that is a symbol or an entity."""
    return register.symbols if register.type is None else index.entities(register.type)


def _measures(parameters: Mapping[str, Parameter], index: Index) -> list[tuple[str, str]]:
    """(label, unit) of what a question is about."""
    world, found = index.facts.world, []
    for name in map(str, parameters.values()):
        part = world.measures.get(name) or world.derived.get(name) or world.registers.get(name)
        if part is not None:
            found.append((part.label, part.unit))
    return found


def _unit(text: str, measured: Sequence[tuple[str, str]]) -> str:
    """The unit of the longest label in a claim's text; of two as long, of the one said first.

    The order of the parameters must not matter: they come back from JSON in another one.
    """
    if "percent" in text.split():
        return "percent"
    said = [(-len(label), text.index(label), unit) for label, unit in measured if label in text]
    return min(said)[2] if said else ""
