"""What is wrong with a drafted question, by machine: the first reason why it is dropped (O-083).

Whether a source supports its answer, and whether the question is a good one, is left to people.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import StrEnum
from typing import NamedTuple

from supersede.novels.annotations import DraftAnswer, Reformulation
from supersede.novels.draft_replies import Drafted
from supersede.novels.framing import reformulation_needed
from supersede.novels.quoting import Quotable

__all__ = ["Checked", "Reason", "checked", "folded"]


class Reason(StrEnum):
    """Why a draft is dropped, in the order in which it is looked for."""

    MALFORMED = "malformed-reply"
    """The reply holds no questions in the form that was asked for, asked twice."""
    NO_QUESTION = "no-question"
    """There are no words of a question."""
    ONE_ANSWER = "one-answer"
    """It has fewer than two different answers: nothing changes."""
    EMPTY = "empty-answer"
    """One of its answers has no words."""
    NOT_FOUND = "source-not-found"
    """A source is missing, or does not stand in the text."""
    IN_SEVERAL = "source-in-several-chunks"
    """A source stands in more than one chunk, so that it does not tell when."""
    ONE_CHUNK = "sources-in-one-chunk"
    """Two different answers have their sources in one chunk."""
    NOT_ANCHORED = "not-anchored-in-time"
    """It asks for a whole evolution instead of the state now (O-093)."""
    NOT_INCREMENTAL = "not-incremental"
    """It asks for all that has gathered instead of the newest (O-094)."""
    TWIN = "asked-already"
    """The book has a question of the same words."""
    TOO_LONG = "too-long"
    """The question, or an answer, is no line but pages."""
    TOO_MANY = "more-than-asked-for"
    """The reply has as many questions that hold as were asked for already."""


LONGEST = 1_000
"""Signs of a question or an answer; people write some dozens."""


class Checked(NamedTuple):
    """A draft, looked at."""

    answers: tuple[DraftAnswer, ...]
    """With the places of the sources that were found."""
    reason: Reason | None
    """Why it is dropped; None where it is kept."""


_FRAMING = {
    Reformulation.TEMPORAL_ANCHORING: Reason.NOT_ANCHORED,
    Reformulation.CUMULATIVE_TO_INCREMENTAL: Reason.NOT_INCREMENTAL,
}


def folded(text: str) -> str:
    """A text by its words alone, so that twins are found."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def checked(one: Drafted, book: Quotable, asked: Collection[str]) -> Checked:
    """Finds the sources of a draft, and the first thing that speaks against it.

    Args:
        one: The draft.
        book: Where its sources are looked for.
        asked: Questions that the book has already, each as `folded`.
    """
    answers: list[DraftAnswer] = []
    several = False
    for answer, source in one.answers:
        spans = book.found(source)
        several = several or len(spans) > 1
        answers.append(DraftAnswer(answer, source, spans[0] if spans else None))
    return Checked(tuple(answers), _reason(one, answers, several, asked))


def _reason(
    one: Drafted, answers: list[DraftAnswer], several: bool, asked: Collection[str]
) -> Reason | None:
    if not folded(one.text):
        return Reason.NO_QUESTION
    if len({folded(answer.answer) for answer in answers} - {""}) < 2:
        return Reason.ONE_ANSWER
    if not all(folded(answer.answer) for answer in answers):
        return Reason.EMPTY
    if any(answer.span is None for answer in answers):
        return Reason.NOT_FOUND
    if several:
        return Reason.IN_SEVERAL
    told: dict[int, set[str]] = {}
    for answer in answers:
        if answer.span is not None:
            told.setdefault(answer.span.chunk, set()).add(folded(answer.answer))
    if any(len(texts) > 1 for texts in told.values()):
        return Reason.ONE_CHUNK
    framing = _FRAMING.get(reformulation_needed(one.text))
    if framing is not None:
        return framing
    if folded(one.text) in asked:
        return Reason.TWIN
    longest = max(len(one.text), *(len(answer.answer) for answer in answers))
    return Reason.TOO_LONG if longest > LONGEST else None
