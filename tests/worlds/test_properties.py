"""What holds of every history: of random soups of records, and of every sampled one."""

from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracle import naive_replay
from tests.truth_table.rows import row
from tests.truth_table.toy import WORLD
from tests.worlds.soups import assumptions, exclusions, overlooked, soups
from tests.worlds.views import View, detail_of, view_of_engine, view_of_oracle

from supersede.model.record import Exclusion, History, Kind, Mint, Record
from supersede.worlds.ledger import Ledger
from supersede.worlds.replay import replay


def details(ledger: Ledger) -> dict[str, str]:
    return {
        r.id: detail_of(ledger, r.id)
        for r in map(ledger.records.__getitem__, ledger.exclusion_list())
    }


@given(soups())
@settings(max_examples=120, deadline=None)
def test_the_engine_equals_the_oracle_at_every_cut(history: History) -> None:
    for cut in range(1, history.blocks + 1):
        ledger = replay(WORLD, history, cut=cut)
        state = naive_replay(WORLD, history, cut)
        assert view_of_engine(WORLD, ledger) == view_of_oracle(state)
        for id_, detail in details(ledger).items():
            assert detail in state.reasons[id_].details


@given(st.data())
@settings(max_examples=120, deadline=None)
def test_the_engine_equals_the_oracle_under_counterfactuals(data: st.DataObject) -> None:
    history = data.draw(soups())
    exclude = data.draw(exclusions(history))
    assume = data.draw(assumptions())
    ignore = data.draw(overlooked())
    ledger = replay(WORLD, history, exclude=exclude, assume=assume, ignore=ignore)
    state = naive_replay(WORLD, history, None, exclude, assume, ignore)
    assert view_of_engine(WORLD, ledger) == view_of_oracle(state)


@pytest.mark.parametrize("dependants", ["keep", "cascade"])
def test_an_amend_goes_with_what_it_names(dependants: Literal["keep", "cascade"]) -> None:
    order = (Mint("o1", "order", ("apple",)),)
    bought = {"actor": "Ann", "target": "o1"}
    history = History(
        1,
        (
            Record("r1", 1, 0, 1, 0, None, Kind.ENTRY, "buy", bought, mints=order),
            Record("r2", 1, 1, 1, 0, None, Kind.ENTRY, "buy", {"actor": "Ann"}),
            Record("r3", 1, 2, 1, 0, None, Kind.AMEND, "buy", bought, refs=("r2",)),
        ),
    )
    exclude = Exclusion(ids=("r1",), dependants=dependants)
    ledger = replay(WORLD, history, exclude=exclude)
    state = naive_replay(WORLD, history, None, exclude)
    assert view_of_engine(WORLD, ledger) == view_of_oracle(state)
    assert ledger.controls.in_force(2) == (dependants == "keep")


@pytest.mark.slow
@given(st.data())
@settings(max_examples=4000, deadline=None)
def test_the_engine_equals_the_oracle_on_many_soups(data: st.DataObject) -> None:
    history = data.draw(soups(most=18, changing_roles=True))
    exclude = data.draw(exclusions(history))
    assume = data.draw(assumptions())
    ignore = data.draw(overlooked())
    ledger = replay(WORLD, history, exclude=exclude, assume=assume, ignore=ignore)
    state = naive_replay(WORLD, history, None, exclude, assume, ignore)
    assert view_of_engine(WORLD, ledger) == view_of_oracle(state)


@given(soups(most=10), soups(most=6), st.data())
@settings(max_examples=80, deadline=None)
def test_post_and_pop_leave_the_ledger_as_before(
    history: History, others: History, data: st.DataObject
) -> None:
    ledger = Ledger(WORLD)
    for record in history.records:
        before = snapshot(ledger)
        tried = data.draw(st.sampled_from((record, *others.records)))
        tried = as_next(ledger, tried)
        ledger.post(tried)
        assert ledger.pop() == tried
        assert snapshot(ledger) == before
        ledger.post(record)
    while ledger.records:
        ledger.pop()
    assert snapshot(ledger) == snapshot(Ledger(WORLD))


def snapshot(ledger: Ledger) -> tuple[View, dict[str, str]]:
    return view_of_engine(WORLD, ledger), details(ledger)


def as_next(ledger: Ledger, record: Record) -> Record:
    """A record as it may be posted next: own id and position, own minted entities."""
    return record._replace(
        id="try",
        position=len(ledger.records),
        mints=tuple(m._replace(entity="try " + m.entity) for m in record.mints),
    )


@row("R5-a-repost-anywhere-changes-nothing")
@given(soups(), st.data())
@settings(max_examples=50, deadline=None)
def test_reposts_and_noise_change_nothing(history: History, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(history.records)))
    named = data.draw(st.sampled_from(history.records))
    block = history.records[at - 1].block if at else 1
    repost = named._replace(
        id="copy",
        kind=Kind.REPOST,
        refs=(named.id,),
        block=block,
        occurred=block,
        mints=(),
        rule=None,
        window=None,
        status=data.draw(st.sampled_from((None, *WORLD.statuses))),
    )
    records = [*history.records[:at], repost, *history.records[at:]]
    numbered = tuple(r._replace(position=n) for n, r in enumerate(records))
    plain = replay(WORLD, history)
    copied = replay(WORLD, History(history.blocks, numbered))
    assert copied.counting() == plain.counting()
    assert cells(copied) == cells(plain)
    assert [i for i in details(copied).items() if i[0] != "copy"] == [*details(plain).items()]


def cells(ledger: Ledger) -> tuple[object, ...]:
    view = view_of_engine(WORLD, ledger)
    return view.measures, view.registers, view.rosters, view.tallies, view.derived, view.live


@row("R1-voids-of-voids-change-nothing")
@given(soups())
@settings(max_examples=50, deadline=None)
def test_a_void_of_a_void_does_nothing(history: History) -> None:
    voids = [r.id for r in history.records if r.kind is Kind.VOID]
    last = history.records[-1]
    more = Record("more", last.block, last.position + 1, last.block, 0, None, Kind.VOID)
    longer = History(history.blocks, (*history.records, more._replace(refs=tuple(voids))))
    assert cells(replay(WORLD, longer)) == cells(replay(WORLD, history))
