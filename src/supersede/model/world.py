"""What replay and questions need to know of a world beside its records: names, never wording.

A `World` is what a specification comes down to once its events have happened: the units,
keys and start values of its state, its entities in declared order, its status labels. It can
also be written by hand, for a history that comes from elsewhere (S4).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from supersede.model.record import Key, Value


@dataclass(frozen=True, slots=True)
class EntityType:
    """A type of entity."""

    name: str
    label: str
    """Singular noun for people: `crew`."""
    plural: str
    names: tuple[str, ...] = ()
    """Entities named in the specification, in declared order: the order that breaks ties (R33)."""
    minted: str | None = None
    """Template of minted names, with one `{n}`; None for a type that is only named."""
    attributes: tuple[str, ...] = ()
    values: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    """Attribute values of the named entities: entity name -> one value per attribute."""
    article: bool = False
    """Whether a sentence says `the` before its names: `the hallway`."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A quantity that adds up over postings."""

    name: str
    label: str
    unit: str = ""
    scale: int = 1
    """Minor units per printed unit: 100 for money with two places, else 1."""
    per: tuple[str, ...] = ()
    """Entity types that key its cells: none, one or two (R29)."""
    start: int = 0
    """What every cell holds before the first record."""


@dataclass(frozen=True, slots=True)
class Register:
    """A value that the last counting assignment in occurred order decides (R11)."""

    name: str
    label: str
    on: tuple[str, ...] = ()
    """Entity types that key its cells: none, one or two."""
    symbols: tuple[str, ...] = ()
    """Its possible values, when they are symbols."""
    type: str | None = None
    """The entity type of its values, when they are entities."""
    integer: bool = False
    block: bool = False
    """Its integer values are block numbers."""
    unit: str = ""
    scale: int = 1
    start: Value = None
    starts: Mapping[Key, Value] = field(default_factory=dict)
    """Start values of single cells that differ from `start`."""


@dataclass(frozen=True, slots=True)
class Roster:
    """A list of members, in the occurred order of the joins now in force (R12)."""

    name: str
    label: str
    of: str
    """Entity type of its members."""
    per: tuple[str, ...] = ()
    """No type, or the one type of whose entities each has a list."""
    ordered: bool = False
    """Whether rank in it means something: a queue."""
    start: tuple[str, ...] = ()
    """Members before the first record."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts, for each value of a register, the cells that hold it."""

    name: str
    label: str
    of: str


@dataclass(frozen=True, slots=True)
class Derived:
    """A linear view of measures with the same key: the sum of `terms` (R32)."""

    name: str
    label: str
    unit: str
    scale: int
    per: tuple[str, ...]
    terms: tuple[tuple[str, int], ...]
    """Pairs of measure and integer coefficient."""


@dataclass(frozen=True, slots=True)
class EventType:
    """What questions may know of an event: its label and the types of its roles."""

    name: str
    label: str
    """Noun phrase for one record of it: `goodwill credit`."""
    plural: str
    roles: Mapping[str, str] = field(default_factory=dict)
    """Role -> entity type, for roles that hold one entity."""
    lists: Mapping[str, str] = field(default_factory=dict)
    """Role -> entity type, for roles that hold a list of entities."""
    records: Mapping[str, str] = field(default_factory=dict)
    """Role -> event name, for roles that hold a record id."""
    measures: tuple[str, ...] = ()
    """Measures that it posts to."""
    registers: tuple[str, ...] = ()
    """Registers that it assigns."""
    cascade: bool = False
    """Whether records that stand on one of it go when it goes (R16)."""
    told: bool = False
    """Whether all that its records name has a role in them, one entity each: no change adds one."""


@dataclass(frozen=True, slots=True)
class World:
    """The resolved world of one specification."""

    name: str
    """Prototype id, or a name of one's own."""
    block: str
    """Noun for a block: `Day`."""
    types: Mapping[str, EntityType]
    measures: Mapping[str, Measure]
    events: Mapping[str, EventType]
    statuses: Mapping[str, bool]
    """Status label -> whether a record under it counts while no rule says otherwise (S2)."""
    registers: Mapping[str, Register] = field(default_factory=dict)
    rosters: Mapping[str, Roster] = field(default_factory=dict)
    tallies: Mapping[str, Tally] = field(default_factory=dict)
    derived: Mapping[str, Derived] = field(default_factory=dict)
    timed: bool = True
    """Whether records show a time of day."""
    preposition: str = "in"
    """What stands before a block in a sentence: `on Day 3`, `in Round 3`."""

    def type_of(self, entity: str) -> str | None:
        """The type of an entity that the specification names; None for any other name."""
        for kind in self.types.values():
            if entity in kind.names:
                return kind.name
        return None
