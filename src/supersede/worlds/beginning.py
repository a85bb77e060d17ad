"""What a state holds before the first record, worked out once for each world."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from supersede.model.identity import Same
from supersede.model.record import Key, Value
from supersede.model.world import World


@dataclass(frozen=True, slots=True)
class Beginning:
    """The tables of a new state; a state changes copies of them."""

    levels: Mapping[str, int]
    """Measure -> the start of its cells."""
    arities: Mapping[str, int]
    """Measure -> how many entities name a cell."""
    live: Mapping[str, tuple[str, ...]]
    """Entity type -> its named entities, in declared order."""
    order: Mapping[str, int]
    """Named entity -> its place in its type."""
    attributes: Mapping[str, tuple[Value, ...]]
    """Named entity -> its attribute values."""
    registers: Mapping[str, Mapping[Key, Value]]
    """Register -> the cells that start at a value of their own."""
    rosters: Mapping[str, tuple[tuple[Key, ...], tuple[str, ...]]]
    """Roster -> its cells, and the members that each starts with."""


def beginning_of(world: World) -> Beginning:
    """The beginning of a world's histories."""
    return _beginning(Same(world))


@lru_cache(maxsize=256)
def _beginning(same: Same[World]) -> Beginning:
    world = same.value
    kinds = world.types.values()
    live = {kind.name: tuple(kind.names) for kind in kinds}
    return Beginning(
        {name: measure.start for name, measure in world.measures.items()},
        {name: len(measure.per) for name, measure in world.measures.items()},
        live,
        {entity: place for names in live.values() for place, entity in enumerate(names)},
        {entity: tuple(values) for kind in kinds for entity, values in kind.values.items()},
        {name: dict(register.starts) for name, register in world.registers.items()},
        {
            name: (tuple(product(*(live[kind] for kind in roster.per))), tuple(roster.start))
            for name, roster in world.rosters.items()
        },
    )
