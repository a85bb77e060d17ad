"""Attributes of names: what stands in brackets behind them, by which they can be grouped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from supersede.model.question import ClaimKind
from supersede.questions.facts import Facts
from supersede.questions.forms import Line
from supersede.questions.index import Index
from supersede.questions.wording import NONE


def described(index: Index, kind: str, attribute: str) -> dict[str, str]:
    """Entity of a type -> what one of its attributes says, in the order of names, live or not.

    Entities for which it is a number are left out.
    """
    declared = index.facts.world.types[kind]
    if attribute not in declared.attributes:
        return {}
    n = declared.attributes.index(attribute)
    values = {name: declared.values.get(name, ()) for name in declared.names}
    minter = index.validity.minter
    for name in index.minted.get(kind, ()):
        for mint in index.records[minter[name]].mints:
            if mint.entity == name:
                values[name] = mint.attributes
    found: dict[str, str] = {}
    for name, shown in values.items():
        value = shown[n] if n < len(shown) else None
        if isinstance(value, str):
            found[name] = value
    return found


def grouping(facts: Facts, measure: str) -> list[tuple[str, str]]:
    """(type, attribute) by whose values a measure's changes can be grouped.

    A group must be of several names, and no type by which the measure is broken down anyway.
    """
    kinds = facts.measured_types(measure)
    found: list[tuple[str, str]] = []
    for kind in kinds:
        declared = facts.world.types[kind]
        for n, attribute in enumerate(declared.attributes):
            values = [
                declared.values[name][n] for name in declared.names if name in declared.values
            ]
            several = 2 <= len(set(values)) <= len(values) / 2
            if declared.minted is not None or (
                several and all(isinstance(value, str) for value in values)
            ):
                found.append((kind, attribute))
    return [
        (kind, attribute)
        for kind, attribute in found
        if attribute not in kinds and not _measured(facts, kind, attribute, kinds)
    ]


def _measured(facts: Facts, kind: str, attribute: str, kinds: Sequence[str]) -> bool:
    """Whether the values of a declared attribute are entities of one of some types."""
    declared = facts.world.types[kind]
    n = declared.attributes.index(attribute)
    values = [shown[n] for shown in declared.values.values()]
    return any(facts.type_of.get(value) in kinds for value in values if isinstance(value, str))


def grouped(facts: Facts) -> list[str]:
    """Measures whose changes can be grouped by an attribute of names."""
    return [measure for measure in facts.measured if grouping(facts, measure)]


def closed(lines: Iterable[Line], values: Iterable[str]) -> list[Line]:
    """Lines whose named places hold one of some values or `none`."""
    names = (*dict.fromkeys(values), NONE)
    return [
        line._replace(candidates=names) if line.kind is ClaimKind.RANK else line for line in lines
    ]
