"""Every operator on one small history, against answers worked out by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.questions.town import HISTORY, TOWN
from tests.truth_table.notation import read_history

from supersede.model.question import Outcome, Question
from supersede.model.record import History
from supersede.questions import all_operators, answer, grade

HERE = Path(__file__).parent
GOLDEN: list[dict[str, Any]] = [
    row
    for path in sorted(HERE.glob("golden*.yaml"))
    for row in yaml.safe_load(path.read_text(encoding="utf-8"))
]
EDGES: list[dict[str, Any]] = yaml.safe_load((HERE / "edges.yaml").read_text(encoding="utf-8"))


def question_of(row: dict[str, Any]) -> Question:
    given = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in row["given"].items()
    }
    return Question(row["operator"], all_operators()[row["operator"]].family, given, "")


def history_of(row: dict[str, Any]) -> History:
    """The log of the row, else the history of the town."""
    return read_history(TOWN, row["log"]) if "log" in row else HISTORY


def test_every_operator_has_a_golden_case() -> None:
    assert sorted(row["operator"] for row in GOLDEN) == sorted(all_operators())


@pytest.mark.parametrize("row", GOLDEN, ids=[row["operator"] for row in GOLDEN])
def test_answer_is_the_one_worked_out_by_hand(row: dict[str, Any]) -> None:
    given = answer(TOWN, history_of(row), question_of(row))
    assert given.text == f"Answer: {row['answer']}"
    assert list(given.contributing) == row["rests on"]
    assert list(given.excluded) == row.get("excluded", [])
    rest = [name for name in given.evidence if name not in given.contributing + given.excluded]
    assert rest == row.get("also", [])


@pytest.mark.parametrize("row", GOLDEN, ids=[row["operator"] for row in GOLDEN])
def test_stored_answer_grades_right_and_one_changed_slot_does_not(row: dict[str, Any]) -> None:
    question = question_of(row)
    given = answer(TOWN, history_of(row), question)
    assert grade(question, given.checklist, given.text).outcome is Outcome.RIGHT
    for n, claim in enumerate(given.checklist):
        slots = [f"{c.slot} = {c.expected}" for c in given.checklist]
        slots[n] = f"{claim.slot} = {'7777' if claim.number else 'Nobody'}"
        found = grade(question, given.checklist, "Answer: " + "; ".join(slots))
        assert found.outcome is Outcome.WRONG
        assert found.satisfied.index(False) == n
        assert found.label is not None


@pytest.mark.parametrize("row", EDGES, ids=[row["case"] for row in EDGES])
def test_ties_and_empty_cases(row: dict[str, Any]) -> None:
    history = read_history(TOWN, row["log"]) if row["log"] else History(1, ())
    assert answer(TOWN, history, question_of(row)).text == f"Answer: {row['answer']}"


@pytest.mark.parametrize("row", GOLDEN, ids=[row["operator"] for row in GOLDEN])
def test_an_empty_history_has_an_answer_with_the_same_slots(row: dict[str, Any]) -> None:
    question = question_of(row)
    slots = [claim.slot for claim in answer(TOWN, HISTORY, question).checklist]
    empty = answer(TOWN, History(1, ()), question)
    assert [claim.slot for claim in empty.checklist] == slots
    assert empty.evidence == ()
