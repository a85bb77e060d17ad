"""The rules R1 to R37 and S1 to S7, a row of small hand-worked facts each.

Replay rows (`truth_table/replay.yaml`) run through the engine and through the naive oracle,
and both must give the state that the row states for every cut.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest
from tests.oracle import naive_replay, start_of
from tests.truth_table.notation import load_rows, read_blocks, read_exclusion, read_history
from tests.truth_table.toy import WORLD
from tests.worlds.views import View, detail_of, view_of_engine, view_of_oracle

from supersede.model.record import History, Kind
from supersede.worlds.replay import replay

ROWS = load_rows("replay.yaml")


def replays_of(row: dict[str, Any], history: History) -> list[tuple[dict[str, Any], Any]]:
    """The replays that a row states, each with the expected state."""
    found: list[tuple[dict[str, Any], Any]] = []
    for key, expected in row["expect"].items():
        found.extend(({"cut": cut}, expected) for cut in read_blocks(key))
    cuts = sorted(arguments["cut"] for arguments, _ in found)
    assert cuts == list(range(1, history.blocks + 1)), "a row states every cut once"
    for case in row.get("replays", ()):
        arguments = {
            "cut": case.get("cut"),
            "exclude": read_exclusion(case.get("exclude")),
            "assume": case.get("assume"),
            "ignore": frozenset(Kind(kind) for kind in case.get("ignore", ())),
        }
        found.append((arguments, case["expect"]))
    return found


def read_cell(view: View, name: str) -> object:
    """The value of a cell in the notation."""
    words = name.split()
    head, rest = words[0], words[1:]
    key = tuple(rest)
    if found := re.fullmatch(r"(\w+)(?: (.+))? in (\d+)\.\.(\d+)", name):
        first, last = int(found[3]), int(found[4])
        entities = tuple((found[2] or "").split())
        return sum(
            posting.delta
            for record, postings in view.folded
            for posting in postings
            if first <= record.occurred <= last
            and posting.measure == head
            and posting.entities[: len(entities)] == entities
        )
    if rest[:1] == ["by"]:
        return change_by(view, head, rest[1:])
    if head == "live":
        return list(view.live[rest[0]])
    if head in WORLD.tallies:
        return view.tallies.get((head, " ".join(rest)), 0)
    if head in WORLD.derived:
        return view.derived[head, key]
    if head in WORLD.rosters:
        return list(view.rosters.get((head, key), WORLD.rosters[head].start))
    if head in WORLD.registers:
        value = view.registers.get((head, key), start_of(WORLD, head, key))
        return "unset" if value is None else value
    return view.measures.get((head, key), WORLD.measures[head].start)


def change_by(view: View, measure: str, words: list[str]) -> int:
    """The net change that counts for an entity, or for `no` entity of a type (R28)."""
    names = set(WORLD.types[words[1]].names) if words[0] == "no" else set(words)
    return sum(
        posting.delta
        for _, postings in view.folded
        for posting in postings
        if posting.measure == measure and (words[0] == "no") != bool(names & {*posting.entities})
    )


def unstated(view: View, expected: Mapping[str, object]) -> list[str]:
    """Cells off their start value that the expectation leaves out."""
    cells = [*view.measures, *view.registers, *view.rosters]
    names = [" ".join((name, *key)) for name, key in cells]
    minted = [kind.name for kind in WORLD.types.values() if kind.minted and view.live[kind.name]]
    return [name for name in [*names, *(f"live {kind}" for kind in minted)] if name not in expected]


def check(view: View, expected: Mapping[str, Any]) -> None:
    """The whole state against the hand-written expectation."""
    stated = {name: value for name, value in expected.items() if name != "out"}
    assert {name: read_cell(view, name) for name in stated} == stated
    assert unstated(view, expected) == []
    reasons = [(id_, reason.split(" ")[0]) for id_, reason in expected.get("out", {}).items()]
    assert [(id_, str(reason)) for id_, reason in view.reasons] == reasons


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_the_oracle_gives_the_stated_state_at_each_cut(row: dict[str, Any]) -> None:
    history = read_history(WORLD, row["history"])
    for arguments, expected in replays_of(row, history):
        state = naive_replay(WORLD, history, **arguments)
        check(view_of_oracle(state), expected)
        for id_, reason in expected.get("out", {}).items():
            assert reason.split(" ", 1)[1] in state.reasons[id_].details


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_the_engine_gives_the_stated_state_at_each_cut(row: dict[str, Any]) -> None:
    history = read_history(WORLD, row["history"])
    for arguments, expected in replays_of(row, history):
        ledger = replay(WORLD, history, **arguments)
        check(view_of_engine(WORLD, ledger), expected)
        for id_, reason in expected.get("out", {}).items():
            assert detail_of(ledger, id_) == reason.split(" ", 1)[1]


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_the_engine_and_the_oracle_agree_on_everything_else(row: dict[str, Any]) -> None:
    history = read_history(WORLD, row["history"])
    for arguments, _ in replays_of(row, history):
        engine = view_of_engine(WORLD, replay(WORLD, history, **arguments))
        assert engine == view_of_oracle(naive_replay(WORLD, history, **arguments))


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_totals_by_type_and_none_equal_the_grand_total(row: dict[str, Any]) -> None:
    state = view_of_oracle(naive_replay(WORLD, read_history(WORLD, row["history"])))
    for measure in WORLD.measures:
        for kind in WORLD.types.values():
            names = state.live[kind.name]
            total = sum(p.delta for _, ps in state.folded for p in ps if p.measure == measure)
            shares = [change_by(state, measure, [name]) for name in names]
            none = sum(
                p.delta
                for _, ps in state.folded
                for p in ps
                if p.measure == measure and not {*names} & {*p.entities}
            )
            assert sum(shares) + none == total
