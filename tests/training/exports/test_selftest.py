"""Wrong answers are wrong, and a grader that errs is found."""

import pytest

from supersede.corpus.instances import instance_key, make_instance
from supersede.errors import CheckFailed
from supersede.model.question import Claim, ClaimKind, Outcome
from supersede.prototypes import prototype_ids
from supersede.questions import grade
from supersede.training.exports.selftest import try_row, wrong_answers

LEADER = Claim(ClaimKind.WINNER, "leader", "leader = Ann", "Ann", candidates=("Ann", "Bob", "none"))
NOBODY = Claim(ClaimKind.WINNER, "leader", "leader = none", "none")
MARGIN = Claim(ClaimKind.MARGIN, "margin", "margin = 0.33", "0.33", (1, 3), 2)
IDS = Claim(ClaimKind.RECORD_IDS, "records", "records = none", "none")


def test_each_wrong_answer_changes_one_claim() -> None:
    assert list(wrong_answers((LEADER, MARGIN, IDS, NOBODY))) == [
        "Answer: leader = Bob; margin = 0.33; records = none; leader = none",
        # 1/3 + 1 at two places.
        "Answer: leader = Ann; margin = 1.33; records = none; leader = none",
        "Answer: leader = Ann; margin = 0.33; records = X0-X0; leader = none",
        "Answer: leader = Ann; margin = 0.33; records = none; leader = 7",
    ]


@pytest.mark.every_world
@pytest.mark.parametrize("prototype", prototype_ids())
def test_wrong_answers_are_graded_wrong_and_no_less(prototype: str) -> None:
    for index in range(3):
        made = make_instance(instance_key(prototype, "very_short", index))
        for reply in wrong_answers(made.answer.checklist):
            graded = grade(made.question, made.answer.checklist, reply)
            assert graded.outcome is Outcome.WRONG, reply
            assert graded.satisfied.count(False) >= 1


def test_a_sound_grader_is_tried_with_all_replies() -> None:
    asked: list[str] = []

    def is_right(reply: str) -> bool:
        asked.append(reply)
        return reply == "Answer: leader = Ann; margin = 0.33"

    assert try_row("a", is_right, "Answer: leader = Ann; margin = 0.33", (LEADER, MARGIN)) == 4
    assert len(asked) == 4
    assert "" in asked


@pytest.mark.parametrize(
    ("right", "said"),
    [
        ((), "calls 'Answer: leader = Ann' not right for the row a"),
        (("Answer: leader = Ann", ""), "calls '' right for the row a"),
        (
            ("Answer: leader = Ann", "Answer: leader = Bob"),
            "calls 'Answer: leader = Bob' right for the row a",
        ),
    ],
)
def test_a_grader_that_errs_is_found(right: tuple[str, ...], said: str) -> None:
    with pytest.raises(CheckFailed, match=said):
        try_row("a", right.__contains__, "Answer: leader = Ann", (LEADER,))
