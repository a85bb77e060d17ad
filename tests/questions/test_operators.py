"""The registry: enough operators, in all families, each worded three ways."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from string import Formatter

import pytest
from tests.questions.test_golden import GOLDEN, history_of, question_of
from tests.questions.town import HISTORY, TOWN

from supersede.errors import UsageError
from supersede.model.question import Family
from supersede.questions import all_operators, answer, find_operator
from supersede.questions.facts import facts_of
from supersede.questions.index import Index
from supersede.questions.reading import Shortcut, shortcut_reading, true_reading
from supersede.questions.registry import FAMILIES, Given, holes, matching, operator
from supersede.questions.trace import Trace
from supersede.questions.view import View
from supersede.worlds.replay import replay

PUBLISHED = (
    "event-type-actor-leaderboard",
    "component-rank-top-n-metric",
    "actor-target-dual-metric",
    "actor-best-target-dual",
    "actor-full-trajectory",
    "actor-event-type-breakdown",
    "event-type-window-summary",
    "recent-window-actor-leader",
    "invalid-exclusion-with-total",
    "event-type-total-recount",
    "counterfactual-remove-actor",
    "counterfactual-remove-target",
    "actor-target-hotspot",
    "busiest-turn-for-event-type",
)


def test_seven_families_have_eight_operators_or_more_each() -> None:
    sizes = Counter(op.family for op in all_operators().values())
    assert set(sizes) == set(Family)
    assert min(sizes.values()) >= 8
    assert sizes.total() >= 56


def test_published_operators_are_there() -> None:
    names = [name.split("/")[1] for name in all_operators()]
    assert [name for name in PUBLISHED if name not in names] == []


@pytest.mark.parametrize("name", list(all_operators()))
def test_operator_is_named_by_its_family_and_worded_three_ways(name: str) -> None:
    found = all_operators()[name]
    assert FAMILIES[name.split("/")[0]] is found.family
    assert found.summary.endswith(".")
    assert len(set(found.phrasings)) >= 3
    assert len({text.split()[0] + text.split()[1] for text in found.phrasings}) == 3


@pytest.mark.parametrize("row", GOLDEN, ids=[row["operator"] for row in GOLDEN])
def test_who_overlooks_late_records_is_right_where_nobody_asks_when(row: dict[str, object]) -> None:
    question = question_of(row)
    history = history_of(row)
    ledger = replay(TOWN, history)
    index = Index(facts_of(TOWN), ledger.records, history.blocks)
    true, trace = true_reading(index, ledger), Trace()
    late = shortcut_reading(index, true, Shortcut.NO_BACKFILL)
    solve, given = find_operator(question.operator).solve, Given(question.parameters)
    lines = solve(View(index, true, trace), given)
    assert trace.placed or solve(View(index, late), given) == lines


@pytest.mark.parametrize("row", GOLDEN, ids=[row["operator"] for row in GOLDEN])
def test_every_hole_of_a_wording_is_filled(row: dict[str, object]) -> None:
    question = question_of(row)
    found = all_operators()[question.operator]
    filled = holes(TOWN, question.parameters)
    for text in (*found.phrasings, *found.notes):
        wanted = [hole for _, hole, _, _ in Formatter().parse(text) if hole]
        assert [hole for hole in wanted if hole not in filled] == []


@pytest.mark.parametrize("row", GOLDEN, ids=[row["operator"] for row in GOLDEN])
def test_every_parameter_is_told_in_every_wording(row: dict[str, object]) -> None:
    """A question that does not say what it asks about could not be answered from its text."""
    question = question_of(row)
    found = all_operators()[question.operator]
    told = {"last": "window", "first": "window", "last2": "window2", "first2": "window2"}
    for phrasing in found.phrasings:
        text = " ".join((phrasing, *found.notes))
        said = {hole[:1].lower() + hole[1:] for _, hole, _, _ in Formatter().parse(text) if hole}
        for name in question.parameters:
            plural = f"{name.rstrip('2')}s{'2' if name.endswith('2') else ''}"
            forms = {
                told.get(name, name),
                f"in_{told.get(name, name)}",
                plural,
                f"{name}_suffix",
                f"{name}_phrase",
            }
            assert said & forms or (name, question.parameters[name]) == ("n", 1), (phrasing, name)


@pytest.mark.parametrize("row", GOLDEN, ids=[row["operator"] for row in GOLDEN])
def test_a_wording_that_is_to_be_answered_with_yes_or_no_has_a_slot_for_it(
    row: dict[str, object],
) -> None:
    question = question_of(row)
    slots = [claim.candidates for claim in answer(TOWN, HISTORY, question).checklist]
    closed = re.compile(r"(?:Has|Have|Do|Does|Did|Is|Are|Was|Were)\b")
    for text in all_operators()[question.operator].phrasings:
        for sentence in re.findall(r"[^.:?]+[.?:]", text):
            if closed.match(sentence.strip()) and sentence.endswith("?") and " or " not in sentence:
                assert any({"yes", "no"} <= set(names) for names in slots), sentence


def test_slots_depend_on_parameters_and_not_on_the_answer() -> None:
    for row in GOLDEN:
        question = question_of(row)
        slots = [
            [claim.slot for claim in answer(TOWN, HISTORY.cut(block), question).checklist]
            for block in (1, 3, 5)
        ]
        assert slots[0] == slots[1] == slots[2], question.operator


def test_no_two_operators_give_the_same_checklist() -> None:
    """Operators differ in composition: on one history their claims differ as well."""
    seen: dict[tuple[str, ...], str] = {}
    for row in GOLDEN:
        texts = tuple(claim.text for claim in answer(TOWN, HISTORY, question_of(row)).checklist)
        assert texts not in seen, (row["operator"], seen.get(texts))
        seen[texts] = str(row["operator"])


def test_unknown_operator_names_the_nearest() -> None:
    with pytest.raises(UsageError, match="Did you mean 'ranking/place-of-entity'"):
        find_operator("ranking/place-of-entities")
    with pytest.raises(UsageError, match=r"and [0-9]+ more: supersede operators"):
        find_operator("xyz")


def test_patterns_choose_families() -> None:
    assert {op.family for op in matching(["audit/*", "hotspot/*"])} == {
        Family.AUDIT,
        Family.HOTSPOT,
    }
    assert len(matching(["*"])) == len(all_operators())


def test_a_name_is_registered_once() -> None:
    taken = find_operator("ranking/place-of-entity")
    register = operator(taken.name, needs=taken.needs, draw=taken.draw, phrasings=("a", "b", "c"))
    with pytest.raises(ValueError, match="registered twice"):
        register(taken.solve)


def test_the_order_of_operators_does_not_depend_on_who_was_imported_first() -> None:
    code = (
        "import supersede.questions.operators.window_state, supersede.questions.operators.audit\n"
        "from supersede.questions.registry import all_operators\n"
        "print(*all_operators())"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.split() == list(all_operators())
