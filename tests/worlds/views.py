"""One shape for what the engine and the oracle say of a history, so that they can be compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tests.oracle import LISTED, NaiveState, keys_of, start_of

from supersede.model.record import ENTRY_KINDS, Key, Posting, Reason, Record, Value
from supersede.model.world import World
from supersede.worlds.ledger import Ledger


@dataclass(frozen=True)
class View:
    """A replayed history. Cells at their start value are left out."""

    counting: frozenset[str]
    in_force: frozenset[str]
    reasons: tuple[tuple[str, Reason], ...]
    amendments: Mapping[str, str]
    measures: Mapping[tuple[str, Key], int]
    registers: Mapping[tuple[str, Key], Value]
    rosters: Mapping[tuple[str, Key], tuple[str, ...]]
    tallies: Mapping[tuple[str, Value], int]
    derived: Mapping[tuple[str, Key], int]
    live: Mapping[str, tuple[str, ...]]
    folded: tuple[tuple[Record, tuple[Posting, ...]], ...]


def view_of_oracle(state: NaiveState) -> View:
    return View(
        counting=state.counting,
        in_force=state.in_force,
        reasons=tuple((id_, verdict.reason) for id_, verdict in state.reasons.items()),
        amendments=state.amendments,
        measures=state.measures,
        registers=state.registers,
        rosters=state.rosters,
        tallies=state.tallies,
        derived=state.derived,
        live=state.live,
        folded=state.folded,
    )


def view_of_engine(world: World, ledger: Ledger) -> View:
    records, state = ledger.records, ledger.state
    counting = [i for i, r in enumerate(records) if r.kind in ENTRY_KINDS and ledger.counts[i]]
    live = {name: tuple(state.live[name]) for name in world.types}
    return View(
        counting=frozenset(records[i].id for i in counting),
        in_force=frozenset(
            r.id
            for i, r in enumerate(records)
            if r.kind not in LISTED and ledger.controls.in_force(i)
        ),
        reasons=tuple((records[i].id, _reason(ledger, i)[0]) for i in ledger.exclusion_list()),
        amendments={records[i].id: records[j].id for i, j in ledger.amendment.items()},
        measures={
            (name, key): level
            for name, cells in state.measures.items()
            for key, level in cells.items()
            if level != world.measures[name].start
        },
        registers={
            (name, key): value
            for name, cells in state.registers.items()
            for key, value in cells.items()
            if value != start_of(world, name, key)
        },
        rosters={
            (name, key): tuple(members)
            for name, lists in state.rosters.items()
            for key, members in lists.items()
            if tuple(members) != world.rosters[name].start
        },
        tallies={
            (tally.name, value): count
            for tally in world.tallies.values()
            for value in _values(world, tally.of, live)
            if (count := state.tally(tally.name, value))
        },
        derived={
            (view.name, key): state.derived(view.name, key)
            for view in world.derived.values()
            for key in keys_of(view.per, live)
        },
        live=live,
        folded=tuple(
            (records[i], tuple(ledger.postings(i)))
            for i in sorted(counting, key=lambda i: records[i].when)
        ),
    )


def detail_of(ledger: Ledger, id_: str) -> str:
    """What the engine gives as the explanation of a record that does not count."""
    position = next(i for i, record in enumerate(ledger.records) if record.id == id_)
    return _reason(ledger, position)[1]


def _reason(ledger: Ledger, position: int) -> tuple[Reason, str]:
    found = ledger.reason(position)
    assert found is not None, f"{ledger.records[position].id} is excluded without a reason"
    return found


def _values(world: World, register: str, live: Mapping[str, tuple[str, ...]]) -> list[Value]:
    """Every value that a tally may count: symbols, or the entities of a type."""
    kind = world.registers[register].type
    return [*(live[kind] if kind else world.registers[register].symbols)]
