"""The self-test of a format: what a reader of its rows would grade, graded as it should be.

A row that has been written is read back, and the grader that the format's users run on it is given
the reference answer, nothing, and wrong answers. Only the first may be right. Every row is tried:
what makes a grader fail is the one odd name among thousands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

from supersede.errors import CheckFailed
from supersede.model.question import Claim, ClaimKind
from supersede.model.text import fold
from supersede.questions.wording import NONE, fixed

IsRight: TypeAlias = Callable[[str], bool]
"""Whether a grader calls a reply to a row right."""

_OTHER_RECORD = "X0-X0"
"""No record has this id: those of a log begin with the number of a block from 1."""


def wrong_answers(checklist: Sequence[Claim]) -> Iterator[str]:
    """Answers in the asked form, each wrong in one claim alone; one for each claim."""
    for wrong in range(len(checklist)):
        values = [
            _other(claim) if number == wrong else claim.expected
            for number, claim in enumerate(checklist)
        ]
        slots = (f"{c.slot} = {v}" for c, v in zip(checklist, values, strict=True))
        yield f"Answer: {'; '.join(slots)}"


def _other(claim: Claim) -> str:
    """A value that a claim could have, and has not."""
    if claim.number is not None:
        return fixed(Fraction(*claim.number) + 1, claim.places)
    for candidate in claim.candidates:
        if fold(candidate) != fold(claim.expected):
            return candidate
    if fold(claim.expected) != fold(NONE):
        return NONE
    named = claim.kind in (ClaimKind.RECORD_IDS, ClaimKind.LATEST_RECORD)
    return _OTHER_RECORD if named else "7"


def try_row(row: str, is_right: IsRight, answer: str, checklist: Sequence[Claim]) -> int:
    """Try a grader on a row that was written.

    Args:
        row: Id of the row.
        is_right: The grader, given the row as it was read back.
        answer: The reference answer, as it was read back.
        checklist: The claims of a right answer, as they were read back.

    Returns:
        How many replies it graded.

    Raises:
        CheckFailed: It calls the reference answer not right, or another one right.
    """
    wrong = tuple(wrong_answers(checklist))
    for reply, right in ((answer, True), ("", False), *((reply, False) for reply in wrong)):
        if is_right(reply) is not right:
            verdict = "not right" if right else "right"
            raise CheckFailed(
                f"the grader of the format calls {reply!r} {verdict} for the row {row}",
                mend="Nothing was written. Check the corpus with: supersede corpus verify",
            )
    return len(wrong) + 2
