"""What careless readers make of the town's history, worked out by hand."""

from __future__ import annotations

import math
import runpy
from collections import Counter
from pathlib import Path

import pytest
from tests.questions.town import HISTORY, TOWN

from supersede.model.question import Parameter, Question
from supersede.questions import Asked, all_operators, audit
from supersede.questions.facts import facts_of
from supersede.questions.index import Index
from supersede.questions.reading import Shortcut, shortcut_reading, true_reading
from supersede.questions.registry import Given
from supersede.questions.shortcuts import ALL, CONSTANT, EITHER, ENOUGH, TOUCHING, Row, readers
from supersede.questions.view import View
from supersede.worlds.replay import replay

LEDGER = replay(TOWN, HISTORY)


def read_by(shortcut: Shortcut, name: str, **given: Parameter) -> list[str]:
    index = Index(facts_of(TOWN), HISTORY.records, HISTORY.blocks)
    reading = shortcut_reading(index, true_reading(index, LEDGER), shortcut)
    lines = all_operators()[name].solve(View(index, reading), Given(given))
    return [line.expected for line in lines]


@pytest.mark.parametrize(
    ("shortcut", "net", "why"),
    [
        (Shortcut.EVERYTHING, ["41"], "5 + 7 + 4 + 9 + 1 + 5 + 2 + 8, the repeat d7 included"),
        (
            Shortcut.NO_REVISIONS,
            ["20"],
            "d1 at 5, d3 4, d6 1, d12 2, d15 8 by the rule; d2 on hold",
        ),
        (Shortcut.LAST_MENTION, ["8"], "d15 is printed last"),
        (Shortcut.NO_RULES, ["16"], "24 without d15"),
        (Shortcut.NO_BACKFILL, ["24"], "a total does not depend on the day"),
    ],
)
def test_net_change_as_read_by(shortcut: Shortcut, net: list[str], why: str) -> None:
    found = read_by(
        shortcut, "counterfactual/counterfactual-remove-actor", entities=("Dee",), measure="stock"
    )
    assert found == net, why


def test_late_entries_are_read_where_they_are_posted() -> None:
    # days 1 to 2 without d12, which is posted on day 3: 3 + 7 + 4
    found = read_by(
        Shortcut.NO_BACKFILL,
        "window/event-type-window-summary",
        event="receive",
        measure="stock",
        first=1,
        last=2,
    )
    assert found == ["3", "14"]
    # d16 is posted on day 4, after d5
    assert read_by(Shortcut.NO_BACKFILL, "profile/current-state", key=()) == ["pier", "2"]
    assert read_by(Shortcut.LAST_MENTION, "profile/current-state", key=()) == ["pier", "1"]


def test_a_reader_who_trusts_everything_lists_nothing_as_invalid() -> None:
    given: dict[str, Parameter] = {"measure": "stock", "first": 1, "last": 5}
    for shortcut in (Shortcut.EVERYTHING, Shortcut.LAST_MENTION):
        assert read_by(shortcut, "audit/invalid-exclusion-with-total", **given)[0] == "none"


def asked(name: str, **given: Parameter) -> Asked:
    question = Question(name, all_operators()[name].family, given, "")
    return Asked("town", "short", TOWN, LEDGER, question, HISTORY.blocks)


def test_audit_counts_right_answers_and_what_can_be_touched() -> None:
    rows = audit(
        [
            asked("profile/current-state", key=()),
            asked("profile/actor-event-type-breakdown", entity="Cat"),
        ]
    )
    row = rows["short", "Profile & summary"]
    assert row == rows["short", "all"]
    assert row.questions == 2
    # the venue is park at last for all but those who overlook that d16 is late
    assert row.right["count everything"] == 1
    assert row.right["last mention"] == 0
    assert row.touched["ignore backfill"] == 1
    assert row.touched_right["ignore backfill"] == 0
    # Cat has d15 by the rule only
    assert row.touched["ignore rule changes"] == 1
    assert row.right["constant"] == 0


def test_readers_can_be_touched_without_being_wrong() -> None:
    # whether the late d12 is of day 1 or 3, the day with most receipts is day 1, 4 or 3 of them
    _, found = readers(asked("hotspot/densest-stretch", event="receive", n=3))
    assert found["ignore backfill"] == (True, True)


def test_shares_without_questions_are_undefined() -> None:
    assert math.isnan(Row().share("constant"))
    assert math.isnan(Row().share_of_touched("ignore backfill"))


def test_the_constant_reader_answers_what_other_histories_made_right() -> None:
    same = asked("profile/actor-event-type-breakdown", entity="Cat")
    other = Asked(same.prototype, same.tier, TOWN, replay(TOWN, HISTORY.cut(2)), same.question, 2)
    row = audit([same] * 5 + [other])["short", ALL]
    assert (row.repeated, row.right[CONSTANT]) == (6, 5)
    row = audit([same] * (ENOUGH - 1))["short", ALL]
    assert row.repeated == 0
    assert math.isnan(row.share(CONSTANT))
    # an answer that no other history gives is not guessed
    row = audit([same] + [other] * 4)["short", ALL]
    assert row.right[CONSTANT] == 4


def test_what_places_or_rules_can_touch_is_counted_together() -> None:
    row = audit(
        [asked("profile/current-state", key=()), asked("audit/struck-records", first=1, last=5)]
    )["short", ALL]
    alone = [row.touched[reader.value] for reader in TOUCHING]
    assert max(alone) <= row.touched[EITHER] <= sum(alone)
    assert row.touched[EITHER] == 2


def test_the_audit_script_names_every_limit_that_is_broken() -> None:
    script = Path(__file__).parents[2] / "benchmarks" / "shortcut_audit.py"
    broken = runpy.run_path(str(script))["broken"]
    touched = Counter({"ignore backfill": 20, "ignore rule changes": 20, EITHER: 30})
    good = Row(100, 100, Counter(), touched)
    assert broken({("medium", "Window & range"): good, ("medium", ALL): good}) == []
    bad = Row(100, 10, Counter({CONSTANT: 4, "last mention": 36}), touched)
    assert broken({("medium", "Window & range"): bad, ("short", "Window & range"): bad}) == [
        "broken: medium, Window & range: last mention answers 36% of 100",
        "broken: medium, Window & range: constant answers 40% of 10",
    ]
    few = Row(100, touched=Counter({"ignore backfill": 10}), touched_right=Counter())
    few.touched_right["ignore backfill"] = 4
    assert broken({("long", ALL): few}) == [
        "broken: long, all: ignore backfill answers 40% of 10",
        "broken: long, all: either can touch 0%",
        "broken: long, all: ignore backfill can touch 10%",
        "broken: long, all: ignore rule changes can touch 0%",
    ]
    assert len(broken({("very_short", ALL): few})) == 1
