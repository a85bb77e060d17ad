"""A deliberately naive replay: the rules written down, folded from scratch, no state kept.

It shares nothing with `supersede.worlds` but the data classes. Every question about a record
is asked of the whole list of records again, so it is slow and easy to compare with the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import product

from supersede.model.record import (
    ENTRY_KINDS,
    Assignment,
    Exclusion,
    History,
    Key,
    Kind,
    Membership,
    Posting,
    Reason,
    Record,
    RoleValue,
    Value,
)
from supersede.model.world import World

LISTED = ENTRY_KINDS | {Kind.REPOST}
"""What may be on an exclusion list (R6)."""

NAMEABLE = (Kind.ENTRY, Kind.BACKFILL)
"""What a control record may name (R1). A correct is never named."""


@dataclass(frozen=True)
class Verdict:
    """Why a record does not count."""

    reason: Reason
    details: tuple[str, ...]
    """What explains it: one id or label, or all records that do where several may be named."""


@dataclass(frozen=True)
class NaiveState:
    """What a history adds up to. Cells at their start value are left out."""

    counting: frozenset[str]
    """Ids of the entries, backfills and corrects that count."""
    in_force: frozenset[str]
    """Ids of the amends, voids, confirms, reinstates and rules that count by their label."""
    reasons: Mapping[str, Verdict]
    """In posted order: the keys are the exclusion list (R6)."""
    amendments: Mapping[str, str]
    """Entry id -> id of the amend in force."""
    measures: Mapping[tuple[str, Key], int]
    registers: Mapping[tuple[str, Key], Value]
    rosters: Mapping[tuple[str, Key], tuple[str, ...]]
    """Members in the order of the joins in force."""
    tallies: Mapping[tuple[str, Value], int]
    """(tally, value) -> cells that hold it; counts of nought left out."""
    derived: Mapping[tuple[str, Key], int]
    live: Mapping[str, tuple[str, ...]]
    folded: tuple[tuple[Record, tuple[Posting, ...]], ...]
    """The counting records in occurred order, with their postings in force."""

    def exclusion_list(self) -> tuple[str, ...]:
        return tuple(self.reasons)

    def net_change(self, first: int, last: int) -> dict[tuple[str, Key], int]:
        """What the records that took place in a window post to each key (S6); noughts left out."""
        cells: dict[tuple[str, Key], int] = {}
        for record, postings in self.folded:
            if first <= record.occurred <= last:
                for posting in postings:
                    cell = (posting.measure, posting.entities)
                    cells[cell] = cells.get(cell, 0) + posting.delta
        return {cell: change for cell, change in cells.items() if change}


@dataclass(frozen=True)
class _Log:
    """The records of one replay, with what the rules say of each of them."""

    world: World
    records: tuple[Record, ...]
    """As known at the cut, in posted order, without what an exclusion takes away."""
    assumed: Mapping[str, bool]
    taken: frozenset[str] = frozenset()
    """Ids of the records that an exclusion takes away."""
    keep: bool = False
    """Whether what stands on a record taken away stays (R26)."""
    overlooked: frozenset[Kind] = frozenset()
    """Kinds that do nothing; a correct only loses its void half."""

    # -- labels and rules: R2, R9, R27, S2

    def label_class(self, status: str | None) -> bool:
        if status is None:
            return True
        return self.assumed.get(status, self.world.statuses[status])

    def label_counts(self, record: Record) -> bool:
        if record.kind is Kind.RULE:
            return self.label_class(record.status)
        applicable = [
            rule.rule
            for rule in self.records
            if rule.rule is not None
            and self.acts(rule)
            and rule.rule.label == record.status
            and (rule.rule.retroactive or rule.position < record.position)
            and (rule.rule.entity is None or rule.rule.entity in self.names(record))
        ]
        return applicable[-1].counts if applicable else self.label_class(record.status)

    # -- control records: R1, R3, R8

    def controls(self, record: Record, *kinds: Kind) -> list[Record]:
        """The counting control records of some kinds that name a record, in posted order."""
        return [
            control
            for control in self.records
            if control.kind in kinds
            and record.id in control.refs
            and control.position > record.position
            and self.acts(control)
        ]

    def acts(self, control: Record) -> bool:
        """R4: a control record acts where its label counts and nothing takes it away."""
        return (
            control.kind not in self.overlooked
            and control.id not in self.taken
            and not self.gone(control)
            and self.label_counts(control)
        )

    def amendment(self, record: Record) -> Record | None:
        if record.kind not in NAMEABLE:
            return None
        standing = [
            amend
            for amend in self.controls(record, Kind.AMEND)
            if not self.controls(amend, Kind.VOID)
        ]
        return standing[-1] if standing else None

    def roles(self, record: Record) -> Mapping[str, RoleValue]:
        return (self.amendment(record) or record).roles

    def names(self, record: Record) -> set[str]:
        """What its own line names, before any amend: in a role or in a change."""
        return self.holds(record).union(
            (mint.entity for mint in record.mints),
            *(posting.entities for posting in record.postings),
            *((*a.key, str(a.value)) for a in record.assignments),
            *((*m.key, m.member) for m in record.memberships),
        )

    def holds(self, record: Record) -> set[str]:
        """The entities (and record ids) that have a role in its own line, before any amend."""
        return {
            name
            for value in record.roles.values()
            for name in ((value,) if isinstance(value, str) else value)
        }

    # -- the five reasons: R7

    def duplicate(self, record: Record) -> Verdict | None:
        if record.kind is not Kind.REPOST:
            return None
        return Verdict(Reason.DUPLICATE, record.refs)

    def voided(self, record: Record) -> Verdict | None:
        if record.kind not in NAMEABLE:
            return None
        said = self.controls(record, Kind.VOID, Kind.CORRECT, Kind.REINSTATE)
        if not said or said[-1].kind is Kind.REINSTATE:
            return None
        return Verdict(Reason.VOIDED, (said[-1].id,))

    def status(self, record: Record) -> Verdict | None:
        confirmed = record.kind in NAMEABLE and self.controls(record, Kind.CONFIRM)
        if self.label_counts(record) or confirmed:
            return None
        return Verdict(Reason.STATUS, (str(record.status),))

    def window(self, record: Record) -> Verdict | None:
        hits = tuple(
            void.id
            for void in self.records
            if void.kind is Kind.VOID
            and void.window is not None
            and void.position > record.position
            and self.acts(void)
            and void.window.event == record.event
            and void.window.entity in self.names(record)
            and void.window.first <= record.occurred <= void.window.last
        )
        return Verdict(Reason.WINDOW, hits) if hits else None

    def orphan(self, record: Record) -> Verdict | None:
        stands_on = tuple(
            base.id
            for base in self.records
            if base.kind in ENTRY_KINDS
            and base.position < record.position
            and (self.unminted(record, base) or self.left_behind(record, base))
        )
        return Verdict(Reason.ORPHAN, stands_on) if stands_on else None

    def unminted(self, record: Record, base: Record) -> bool:
        """R15: it names an entity that `base` mints and no standing record does."""
        return (
            self.names_mint_of(record, base) and not self.stands(base) and not self.reminted(base)
        )

    def left_behind(self, record: Record, base: Record) -> bool:
        """R16, R26: it has `base` in a record role, which does not count and takes it along."""
        return (
            self.has_in_record_role(record, base)
            and not self.stands(base)
            and (self.cascades(base) or self.gone(base))
        )

    def names_mint_of(self, record: Record, base: Record) -> bool:
        minted = {mint.entity for mint in base.mints} - {mint.entity for mint in record.mints}
        return bool(minted) and bool(minted & self.holds(record))

    def reminted(self, base: Record) -> bool:
        """Whether another record that counts mints the same entity (a correct of it)."""
        minted = {mint.entity for mint in base.mints}
        return any(
            minted & {mint.entity for mint in other.mints} and self.stands(other)
            for other in self.records
            if other.kind in ENTRY_KINDS and other.id != base.id
        )

    def has_in_record_role(self, record: Record, base: Record) -> bool:
        event = self.world.events.get(record.event or "")
        return event is not None and any(
            record.roles.get(role) == base.id for role in event.records
        )

    def cascades(self, base: Record) -> bool:
        event = self.world.events.get(base.event or "")
        return event is not None and event.cascade

    def gone(self, record: Record) -> bool:
        """R26: it is taken away with all that stands on it, or stands on what goes."""
        if self.keep:
            return False
        return record.id in self.taken or any(
            base.position < record.position
            and (self.names_mint_of(record, base) or self.has_in_record_role(record, base))
            and self.gone(base)
            for base in self.records
        )

    def verdict(self, record: Record) -> Verdict | None:
        """The first reason that applies (R7); None where the record counts."""
        tests: tuple[Callable[[Record], Verdict | None], ...] = (
            self.duplicate,
            self.voided,
            self.status,
            self.window,
            self.orphan,
        )
        return next((found for test in tests if (found := test(record)) is not None), None)

    def stands(self, record: Record) -> bool:
        """Whether what names it may count: an exclusion that keeps dependants changes nothing."""
        return (self.keep or record.id not in self.taken) and self.verdict(record) is None

    def counts(self, record: Record) -> bool:
        return (
            record.kind in ENTRY_KINDS
            and record.id not in self.taken
            and self.verdict(record) is None
        )


def _taken_away(log: _Log, exclude: Exclusion) -> frozenset[str]:
    """R25: whole records; a control record goes only where its id is given."""

    def matches(record: Record) -> bool:
        if exclude.ids and record.id not in exclude.ids:
            return False
        if not (exclude.entities or exclude.events or exclude.statuses):
            return bool(exclude.ids)
        held = log.roles(record).get(exclude.role or "actor", ())
        holders = (held,) if isinstance(held, str) else held
        return (
            record.kind in LISTED
            and (not exclude.entities or any(name in exclude.entities for name in holders))
            and (not exclude.events or record.event in exclude.events)
            and (not exclude.statuses or record.status in exclude.statuses)
        )

    return frozenset(record.id for record in log.records if matches(record))


def naive_replay(
    world: World,
    history: History,
    cut: int | None = None,
    exclude: Exclusion | None = None,
    assume: Mapping[str, bool] | None = None,
    ignore: frozenset[Kind] = frozenset(),
) -> NaiveState:
    """The state of a history at a cut, from the text of the rules."""
    known = tuple(r for r in history.records if cut is None or r.block <= cut)
    log = _Log(world, known, assume or {}, overlooked=ignore)
    if exclude is not None:
        keep = exclude.dependants == "keep"
        log = replace(log, taken=_taken_away(log, exclude), keep=keep)
    return _fold(log)


def _fold(log: _Log) -> NaiveState:
    world = log.world
    counting = [record for record in log.records if log.counts(record)]
    occurred = sorted(counting, key=lambda record: (record.occurred, record.clock, record.position))
    effects = [(record, log.amendment(record) or record) for record in occurred]
    live = {
        name: (
            *kind.names,
            *(m.entity for r in counting for m in r.mints if m.type == name),
        )
        for name, kind in world.types.items()
    }
    measures = _measures(world, [p for _, effect in effects for p in effect.postings])
    registers = _registers(world, [a for _, effect in effects for a in effect.assignments])
    return NaiveState(
        counting=frozenset(record.id for record in counting),
        in_force=frozenset(
            record.id for record in log.records if record.kind not in LISTED and log.acts(record)
        ),
        reasons={
            record.id: found
            for record in log.records
            if record.kind in LISTED
            and record.id not in log.taken
            and (found := log.verdict(record)) is not None
        },
        amendments={
            record.id: amend.id
            for record in log.records
            if (amend := log.amendment(record)) is not None
        },
        measures=measures,
        registers=registers,
        rosters=_rosters(world, [m for _, effect in effects for m in effect.memberships], live),
        tallies=_tallies(world, registers, live),
        derived=_derived(world, measures, live),
        live=live,
        folded=tuple((record, effect.postings) for record, effect in effects),
    )


def _measures(world: World, postings: list[Posting]) -> dict[tuple[str, Key], int]:
    levels: dict[tuple[str, Key], int] = {}
    for posting in postings:
        measure = world.measures[posting.measure]
        cell = (measure.name, posting.entities[: len(measure.per)])
        levels[cell] = levels.get(cell, measure.start) + posting.delta
    return {cell: level for cell, level in levels.items() if level != world.measures[cell[0]].start}


def start_of(world: World, register: str, key: Key) -> Value:
    """What a register's cell holds before the first record."""
    return world.registers[register].starts.get(key, world.registers[register].start)


def _registers(world: World, assignments: list[Assignment]) -> dict[tuple[str, Key], Value]:
    """R11: the last counting assignment in occurred order, else the start."""
    last = {(a.register, a.key): a.value for a in assignments}
    return {cell: value for cell, value in last.items() if value != start_of(world, *cell)}


def _rosters(
    world: World, memberships: list[Membership], live: Mapping[str, tuple[str, ...]]
) -> dict[tuple[str, Key], tuple[str, ...]]:
    """R12: joins by members and leaves by others are no-ops; a join in force gives the rank."""
    members: dict[tuple[str, Key], list[str]] = {}
    for m in memberships:
        roster = members.setdefault((m.roster, m.key), list(world.rosters[m.roster].start))
        if m.joins and m.member not in roster:
            roster.append(m.member)
        elif not m.joins and m.member in roster:
            roster.remove(m.member)
    return {
        cell: tuple(roster)
        for cell, roster in members.items()
        if tuple(roster) != world.rosters[cell[0]].start
    }


def keys_of(types: tuple[str, ...], live: Mapping[str, tuple[str, ...]]) -> list[Key]:
    """The keys of all cells over live entities."""
    return list(product(*(live[name] for name in types)))


def _tallies(
    world: World,
    registers: Mapping[tuple[str, Key], Value],
    live: Mapping[str, tuple[str, ...]],
) -> dict[tuple[str, Value], int]:
    """Decision 3: how many cells of live entities hold each value."""
    counts: dict[tuple[str, Value], int] = {}
    for tally in world.tallies.values():
        register = world.registers[tally.of]
        for key in keys_of(register.on, live):
            value = registers.get((register.name, key), start_of(world, register.name, key))
            if value is not None:
                counts[tally.name, value] = counts.get((tally.name, value), 0) + 1
    return counts


def _derived(
    world: World,
    measures: Mapping[tuple[str, Key], int],
    live: Mapping[str, tuple[str, ...]],
) -> dict[tuple[str, Key], int]:
    """R32: the sum of its terms, for every live entity."""
    return {
        (view.name, key): sum(
            factor * measures.get((name, key), world.measures[name].start)
            for name, factor in view.terms
        )
        for view in world.derived.values()
        for key in keys_of(view.per, live)
    }
