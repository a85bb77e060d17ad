"""What holds of every sampled history: legality, agreement with the oracle, a stable plot."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from tests.oracle import naive_replay
from tests.specs.shop import shop
from tests.truth_table.rows import row
from tests.worlds.laws import broken, guard_holds
from tests.worlds.views import view_of_engine, view_of_oracle

from supersede.model.instance import InstanceKey, Split, Tier
from supersede.model.record import ENTRY_KINDS, History, Key, Kind, Record, Value
from supersede.model.world import World
from supersede.prototypes import load_prototype, prototype_ids
from supersede.specs.load import load_specification, parse_specification
from supersede.specs.schema import Specification
from supersede.specs.world import world_of
from supersede.worlds import sample as sampling
from supersede.worlds.program import compile_specification
from supersede.worlds.replay import replay
from supersede.worlds.sample import Sampler, sample

TIGHT = Path(__file__).with_name("tight.yaml")


def without_crowds(text: str) -> str:
    """The tight world, less what puts several cells or values of a new order under one check."""
    events = text[text.index("  - id: call") : text.index("  - id: close")]
    kept = text.replace(events, "").splitlines()
    return "\n".join(line for line in kept if not line.strip().startswith(CROWDS))


CROWDS = ("calls:", "tallies:", "in_stage:")

with_subclasses = pytest.mark.skipif(
    not str(sampling.__file__).endswith(".py"), reason="the sampler is compiled: no subclass of it"
)


@cache
def specification(name: str) -> Specification:
    if name == "tight alone":
        return parse_specification(without_crowds(TIGHT.read_text()), name).spec
    return load_specification(TIGHT).spec if name == "tight" else load_prototype(name)


def key_of(name: str, tier: Tier, index: int, **dials: float) -> InstanceKey:
    version = specification(name).version
    return InstanceKey(
        name, version, tier, Split.HELDOUT, index, dials=tuple(sorted(dials.items()))
    )


WORLDS = (*prototype_ids(), "tight", "tight alone")
SMALL = [(name, tier) for name in WORLDS for tier in (Tier.VERY_SHORT, Tier.SHORT)]
LARGE = [
    (name, tier)
    for name in WORLDS
    for tier in Tier
    if tier not in (Tier.VERY_SHORT, Tier.SHORT) and ("tight" not in name or tier is Tier.MEDIUM)
]


def prefixes(history: History) -> Iterator[History]:
    """The history after each of its records."""
    for n in range(1, len(history.records) + 1):
        yield History(history.records[n - 1].block, history.records[:n])


def check_against_the_oracle(name: str, history: History, cuts: list[int]) -> None:
    world = world_of(specification(name))
    for cut in cuts:
        engine = view_of_engine(world, replay(world, history, cut=cut))
        assert engine == view_of_oracle(naive_replay(world, history, cut))


@pytest.mark.parametrize(("name", "tier"), SMALL)
def test_engine_and_oracle_agree_at_every_cut(name: str, tier: Tier) -> None:
    for index in range(2):
        history = sample(specification(name), key_of(name, tier, index))
        check_against_the_oracle(name, history, list(range(1, history.blocks + 1)))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "tier"), LARGE)
def test_engine_and_oracle_agree_on_long_histories(name: str, tier: Tier) -> None:
    for index in range(1 if tier is Tier.VERY_LONG else 3):
        history = sample(specification(name), key_of(name, tier, index))
        cuts = [history.blocks // 3, 2 * history.blocks // 3, history.blocks]
        check_against_the_oracle(name, history, cuts)


def check_laws(name: str, history: History) -> None:
    spec = specification(name)
    world = world_of(spec)
    for prefix in prefixes(history):
        state = naive_replay(world, prefix)
        last = prefix.records[-1].id
        assert (last, broken(spec, world, prefix, state)) == (last, [])


@row(
    "R19-invariants-hold-after-every-record",
    "R20-bounds-hold-for-every-cell",
    "R10-and-after-every-retroactive-rule",
)
@pytest.mark.parametrize(("name", "tier"), SMALL)
def test_every_bound_and_invariant_holds_after_every_record(name: str, tier: Tier) -> None:
    for index in range(4 if "tight" in name else 1):
        check_laws(name, sample(specification(name), key_of(name, tier, index)))


@pytest.mark.slow
@pytest.mark.parametrize("name", WORLDS)
def test_every_bound_and_invariant_holds_throughout_medium_histories(name: str) -> None:
    for index in range(5):
        check_laws(name, sample(specification(name), key_of(name, Tier.MEDIUM, index)))


class Watched(Sampler):
    """A sampler that compares the check of touched cells with the check of all (S7)."""

    direct = False
    refused = 0

    def post(self, record: Record) -> bool:
        state = self.ledger.state
        if self.ledger.lifted is None:
            state.touched.clear()
            state.moved.clear()
        self.ledger.post(record)
        quick, full = self.laws.hold(), self.laws.broken()
        assert quick == (full is None), (record.id, record.kind, full)
        self.ledger.pop()
        self.refused += not quick
        return super().post(record)


class Slow(Sampler):
    """A sampler that posts each record, so that no compiled event puts itself in force."""

    direct = False


def holders(sampler: Sampler) -> dict[str, dict[Value, list[Key]]]:
    """Register -> value -> the cells that hold it, of values that some cell holds."""
    held = {name: sampler.ledger.state.holders(name) for name in sampler.program.world.registers}
    return {name: {v: keys for v, keys in cells.items() if keys} for name, cells in held.items()}


@with_subclasses
@pytest.mark.parametrize(("name", "tier"), SMALL)
def test_events_put_in_force_what_posting_them_does(name: str, tier: Tier) -> None:
    for index in range(12 if "tight" in name else 3):
        key = key_of(name, tier, index)
        quick, slow = Sampler(specification(name), key), Slow(specification(name), key)
        assert holders(quick) == holders(slow)
        for _ in zip(quick.blocks(), slow.blocks(), strict=True):
            world = quick.program.world
            assert view_of_engine(world, quick.ledger) == view_of_engine(world, slow.ledger)
            assert holders(quick) == holders(slow)
        assert quick.history() == slow.history()
        assert (quick.alive, quick.lasts, quick.held) == (slow.alive, slow.lasts, slow.held)
        assert quick.readers == slow.readers
        asked_last = Sampler(specification(name), key)
        for _ in asked_last.blocks():
            pass
        assert holders(asked_last) == holders(quick)


@pytest.mark.parametrize(("name", "calls"), [("tight", True), ("tight alone", False)])
def test_only_events_that_mint_many_cells_are_checked_as_if_unknown(name: str, calls: bool) -> None:
    source = compile_specification(specification(name)).source
    assert ("if not commit(" in source, "mint(-1, position, mints)" in source) == (calls, not calls)


@row("S7-touched-cells-are-enough", "R21-the-current-state-is-enough", "R22-by-touched-key")
@with_subclasses
@pytest.mark.parametrize(("name", "tier"), SMALL)
def test_checking_touched_cells_equals_checking_all(name: str, tier: Tier) -> None:
    for index in range(12 if "tight" in name else 3):
        for _ in Watched(specification(name), key_of(name, tier, index)).blocks():
            pass


@pytest.mark.slow
@with_subclasses
@pytest.mark.parametrize("name", WORLDS)
def test_checking_touched_cells_equals_checking_all_at_length(name: str) -> None:
    for index in range(10):
        for _ in Watched(specification(name), key_of(name, Tier.MEDIUM, index)).blocks():
            pass


def plot(name: str, history: History) -> list[tuple[object, ...]]:
    """Events, roles and amounts of what counts, minted names by order of mention."""
    world = world_of(specification(name))
    ledger = replay(world, history)
    minted = {mint.entity: mint.type for record in history.records for mint in record.mints}
    renamed: dict[str, str] = {}
    by_id = {record.id: n for n, record in enumerate(ledger.records)}
    counting = [n for n in range(len(ledger.records)) if ledger.counts[n]]
    place = {n: f"record {at}" for at, n in enumerate(counting)}

    def plain(name: object) -> object:
        if isinstance(name, tuple):
            return tuple(plain(part) for part in name)
        if isinstance(name, str) and name in by_id:
            return place.get(by_id[name], "a record that does not count")
        if isinstance(name, str) and name in minted:
            return renamed.setdefault(name, f"{minted[name]} {len(renamed)}")
        return name

    lines: list[tuple[object, ...]] = []
    for n in counting:
        record = ledger.records[n]
        lines.append(
            (
                record.event,
                tuple((role, plain(value)) for role, value in ledger.roles(n).items()),
                tuple(plain(posting) for posting in ledger.postings(n)),
                tuple(plain(assignment) for assignment in ledger.assignments(n)),
                tuple(plain(membership) for membership in ledger.memberships(n)),
            )
        )
    return lines


MORE = ({"noise": 1.5}, {"repost": 0.9}, {"invalid": 0.3}, {"invalid": 0.02, "noise": 0.0})
"""Dials of distractors, up and down."""


@row("R24-more-distractors-leave-the-plot-unchanged")
@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("dials", MORE, ids=[" ".join(dials) for dials in MORE])
def test_more_distractors_leave_the_plot_unchanged(name: str, dials: dict[str, float]) -> None:
    for tier in (Tier.SHORT, Tier.MEDIUM):
        for index in range(3):
            plain = sample(specification(name), key_of(name, tier, index))
            more = sample(specification(name), key_of(name, tier, index, **dials))
            assert plot(name, more) == plot(name, plain)


@pytest.mark.parametrize("name", WORLDS)
def test_noise_and_reposts_change_no_state(name: str) -> None:
    world = world_of(specification(name))
    for index in range(3):
        history = sample(specification(name), key_of(name, Tier.MEDIUM, index))
        kept = [record for record in history.records if record.kind is not Kind.REPOST]
        bare = History(history.blocks, tuple(kept))
        whole, less = (naive_replay(world, h) for h in (history, bare))
        assert whole.counting == less.counting
        assert (whole.measures, whole.registers, whole.rosters) == (
            less.measures,
            less.registers,
            less.rosters,
        )


def test_a_guard_may_ask_whether_a_record_counts() -> None:
    spec = shop(('"size(shift) > 1"', '"size(shift) > 1 and counts(seen)"')).spec
    history = sample(spec, InstanceKey(spec.id, spec.version, Tier.LONG, Split.TRAIN, 0))
    assert any(record.event == "end_shift" for record in history.records)


def test_a_slot_that_noise_has_twice_draws_two_names() -> None:
    spec = specification("soccer-timeline")
    twice = spec.model_copy(
        update={"noise": ("{club} wave at {club}.", "{keeper} and {keeper} nod.")}
    )
    history = sample(twice, key_of("soccer-timeline", Tier.LONG, 0))
    assert len(history.noise) > 20
    assert all(len(set(line.names)) == 2 for line in history.noise)


@pytest.mark.parametrize("name", WORLDS)
def test_noise_does_not_say_the_same_again_at_short_range(name: str) -> None:
    apart = len(specification(name).noise) // 2
    history = sample(specification(name), key_of(name, Tier.MEDIUM, 0, noise=1.5))
    said = [line.template for line in history.noise]
    assert len(said) > 2 * apart
    for at in range(len(said)):
        assert said[at] not in said[max(0, at - apart) : at]


@row("R14-no-two-records-assign-one-cell-at-one-time")
@pytest.mark.parametrize("name", WORLDS)
def test_no_two_records_assign_one_cell_at_one_time(name: str) -> None:
    for tier in (Tier.SHORT, Tier.MEDIUM):
        history = sample(specification(name), key_of(name, tier, 0))
        at = [
            (record.occurred, record.clock, assignment.register, assignment.key)
            for record in history.records
            if record.kind in ENTRY_KINDS
            for assignment in record.assignments
        ]
        assert len(at) == len(set(at))


@row("R28-one-entity-of-a-type", "R29-cell-key-first")
@pytest.mark.parametrize("name", WORLDS)
def test_every_posting_counts_for_one_entity_of_a_type_at_most(name: str) -> None:
    history = sample(specification(name), key_of(name, Tier.MEDIUM, 1))
    world = world_of(specification(name))
    minted = {mint.entity: mint.type for record in history.records for mint in record.mints}
    for record in history.records:
        for posting in record.postings:
            kinds = [minted.get(e) or world.type_of(e) for e in posting.entities]
            assert None not in kinds
            assert len(kinds) == len(set(kinds))
            per = world.measures[posting.measure].per
            assert tuple(kinds[: len(per)]) == per


EACH = pytest.mark.parametrize("name", WORLDS)


@EACH
@row(
    "R17-guards-hold-when-posted",
    "R18-guards-hold-for-records-born-not-to-count",
    "R15-roles-draw-live-entities",
    "R12-joins-and-leaves-are-legal-when-posted",
    "R13-no-two-effects-on-one-cell",
)
def test_every_entry_is_possible_on_the_state_before_it(name: str) -> None:
    spec = specification(name)
    world = world_of(spec)
    events = {event.id: event for event in spec.events}
    for index in range(3):
        history = sample(spec, key_of(name, Tier.SHORT, index))
        for record in history.records:
            if record.kind not in (Kind.ENTRY, Kind.BACKFILL):
                continue
            before = History(history.blocks, history.records[: record.position])
            state = naive_replay(world, before)
            event = events[record.event or ""]
            if event.when is not None:
                assert guard_holds(spec, world, before, state, record), record.id
            minted = {mint.entity for mint in record.mints}
            named = world.events[event.id].roles
            for role, kind in named.items():
                assert record.roles[role] in {*state.live[kind], *minted}
            members = [(m.roster, m.key, m.member) for m in record.memberships]
            for m in record.memberships:
                start = world.rosters[m.roster].start
                inside = m.member in state.rosters.get((m.roster, m.key), start)
                assert inside != m.joins, record.id
            cells = [(a.register, a.key) for a in record.assignments]
            posted = [
                (p.measure, p.entities[: len(world.measures[p.measure].per)])
                for p in record.postings
            ]
            for effects in (members, cells, posted):
                assert len(effects) == len({*effects}), record.id


@EACH
@row("R16-a-void-keeps-to-what-the-event-allows", "R23-a-leaf-has-no-later-reader-of-its-mint")
def test_voids_keep_to_what_the_event_allows(name: str) -> None:
    spec = specification(name)
    world = world_of(spec)
    events = {event.id: event for event in spec.events}
    for index in range(3):
        history = sample(spec, key_of(name, Tier.MEDIUM, index))
        by_id = {record.id: record for record in history.records}
        for void in history.records:
            if void.kind not in (Kind.VOID, Kind.CORRECT):
                continue
            before = History(history.blocks, history.records[: void.position])
            state = naive_replay(world, before)
            for ref in void.refs:
                target = by_id[ref]
                if target.kind is Kind.AMEND or not acts(world, void):
                    continue
                event = events[target.event or ""]
                writes = target.mints or target.assignments or target.memberships
                policy = event.voidable or ("leaf" if writes else "free")
                assert policy != "never"
                minted = {mint.entity for mint in target.mints}
                later = [
                    r
                    for r in before.records[target.position + 1 :]
                    if r.id in state.counting and (minted | {ref}) & {*r.roles.values()}
                ]
                assert policy != "leaf" or later == [], (void.id, ref)


def acts(world: World, void: Record) -> bool:
    return void.status is None or world.statuses[void.status]


@row("R3-amends-of-voided-records-occur", "R4-control-records-that-do-not-count-occur")
def test_the_best_distractors_are_sampled() -> None:
    amends = idle = 0
    for name in prototype_ids():
        world = world_of(specification(name))
        for index in range(2):
            history = sample(specification(name), key_of(name, Tier.LONG, index))
            voided: set[str] = set()
            for record in history.records:
                if record.kind is Kind.REINSTATE:
                    voided -= set(record.refs)
                if record.kind in (Kind.VOID, Kind.CORRECT) and acts(world, record):
                    voided |= set(record.refs)
                amends += record.kind is Kind.AMEND and bool(voided & set(record.refs))
                idle += record.kind in (Kind.VOID, Kind.AMEND) and not acts(world, record)
    assert amends >= 5
    assert idle >= 5
