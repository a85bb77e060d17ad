"""What a log shows: records with their frozen effects, and the history that they make.

Records are named tuples: frozen, cheap to build by the million, equal by content.
Semantics follow rules R1 to R37 and S1 to S7 of docs/semantics.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal, NamedTuple, TypeAlias

Value: TypeAlias = int | str | None
"""What a register holds: an integer, a symbol or entity name, or None for unset (S5)."""

Key: TypeAlias = tuple[str, ...]
"""The entities that name a cell: none, one or two, in the declared order."""


class Kind(StrEnum):
    """What a record does to the history (S1). Noise carries no id and is no record."""

    ENTRY = "entry"
    """Something happened and is logged in its own block."""
    BACKFILL = "backfill"
    """An entry that took place in an earlier block than the one in which it is posted."""
    CORRECT = "correct"
    """A void of an earlier record and an entry of its own, in one record (E-029)."""
    AMEND = "amend"
    """Restates the effects of an earlier record, which goes on counting at its own place."""
    VOID = "void"
    """Takes one or more earlier records, or one amend, out of the count."""
    CONFIRM = "confirm"
    """Makes a record count whose status label alone kept it from counting."""
    REINSTATE = "reinstate"
    """Takes back the void of an earlier record."""
    REPOST = "repost"
    """Repeats an earlier record as it was first posted; never counts (R5)."""
    RULE = "rule"
    """Changes which status labels count (R9)."""


ENTRY, BACKFILL, CORRECT, AMEND, VOID, CONFIRM, REINSTATE, REPOST, RULE = Kind
"""The kinds, for hot paths: to look a member up on its class costs ten times as much."""

ENTRY_KINDS = frozenset({Kind.ENTRY, Kind.BACKFILL, Kind.CORRECT})
"""The kinds with effects of their own: what questions mean by a record (R6)."""


class Reason(StrEnum):
    """Why a record does not count. The first that applies, in this order, is the one (R7)."""

    DUPLICATE = "duplicate"
    VOIDED = "voided"
    STATUS = "status"
    WINDOW = "window"
    ORPHAN = "orphan"


class Posting(NamedTuple):
    """One signed change of a measure."""

    measure: str
    delta: int
    """Minor units for money; the measure's own unit otherwise."""
    entities: tuple[str, ...] = ()
    """The entities that it counts for: at most one of a type (R28), cell key first."""


class Assignment(NamedTuple):
    """A register's new value for one cell."""

    register: str
    key: Key
    value: Value


class Membership(NamedTuple):
    """A join or a leave."""

    roster: str
    key: Key
    """Empty, or the one entity whose list it is (the holds of a title)."""
    member: str
    joins: bool


class Mint(NamedTuple):
    """An entity that the record brings into the world (R15)."""

    entity: str
    type: str
    attributes: tuple[Value, ...] = ()
    """In the declared order of the type's attributes."""


class RuleChange(NamedTuple):
    """What a rule record decides about one status label (R9)."""

    label: str
    counts: bool
    retroactive: bool
    """False: records entered from here on. True: all records with the label."""
    entity: str | None = None
    """When given, only records that name this entity: in a role or in a change."""


class VoidWindow(NamedTuple):
    """A void by selector: all records of an event about an entity in a range of blocks."""

    event: str
    entity: str
    first: int
    """First occurred block, 1-based."""
    last: int
    """Last occurred block, inclusive."""


RoleValue: TypeAlias = str | tuple[str, ...]
"""An entity name, the id of a record, or a list of entity names in printed order."""


class Record(NamedTuple):
    """One line of the log that carries an id."""

    id: str
    block: int
    """Posted block, 1-based."""
    position: int
    """Zero-based place among all records of the history: posted order."""
    occurred: int
    """Occurred block, 1-based: earlier than `block` for a backfill, else the same."""
    clock: int
    """Minutes since midnight of the occurred block, or the running number in it."""
    status: str | None
    """The printed label; None counts (S2)."""
    kind: Kind
    event: str | None = None
    """Event id; None for void, confirm, reinstate and rule."""
    roles: Mapping[str, RoleValue] = {}
    parameters: Mapping[str, int | str] = {}
    refs: tuple[str, ...] = ()
    """Ids of the records that a control record names."""
    postings: tuple[Posting, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    memberships: tuple[Membership, ...] = ()
    mints: tuple[Mint, ...] = ()
    rule: RuleChange | None = None
    window: VoidWindow | None = None

    @property
    def when(self) -> tuple[int, int, int]:
        """The sort key of occurred order: (occurred block, clock, position)."""
        return (self.occurred, self.clock, self.position)


class Noise(NamedTuple):
    """A line that changes nothing and carries no id."""

    block: int
    """Posted block, 1-based."""
    before: int
    """Position of the record that it precedes; the record count of the history at its end."""
    template: int
    """Zero-based index of the specification's noise template."""
    names: tuple[str, ...] = ()
    """What fills the template's slots, in order."""


class History(NamedTuple):
    """An ordered event history: what a context renders and what replay folds."""

    blocks: int
    """Number of blocks, numbered from 1; a block may be empty."""
    records: tuple[Record, ...]
    """In posted order; `records[i].position == i`."""
    noise: tuple[Noise, ...] = ()

    def cut(self, block: int) -> History:
        """The history as it stood at the end of `block`: what is posted later is gone."""
        return History(
            min(self.blocks, block),
            tuple(record for record in self.records if record.block <= block),
            tuple(line for line in self.noise if line.block <= block),
        )


class Exclusion(NamedTuple):
    """Which records a counterfactual takes away (R25, R26); the criteria given are joined by and.

    Whole records go, never single postings. Revisions that name a record taken away are moot.
    """

    role: str | None = None
    """Role that must hold one of `entities`."""
    entities: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    dependants: Literal["keep", "cascade"] = "keep"
    """Keep: fold the rest. Cascade: what stands on a record taken away goes too (R16)."""
