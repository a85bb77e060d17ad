"""Where people differ, what was dropped and why (O-084, X-012).

A chunk of a question needs discussion where two annotators answer differently, or one raised a
flag. The share of such chunks is the ambiguity of a question, a type of question or a book. For one
annotator those count where most others answer differently, or nobody has most, or they raised one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from math import isnan, nan
from typing import Any

from supersede.novels.annotations import BookAnnotations, Question
from supersede.novels.answers import canonical
from supersede.novels.rated import Rated, rated

__all__ = ["Ambiguity", "Retention", "ambiguity", "discussion_data", "retention"]

PUBLISHED_RETENTION = 0.55
"""What the paper kept of what was drafted (O-084)."""


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """How much of something needs discussion."""

    kind: str
    """`all`, `book`, `type`, `question` or `annotator`."""
    name: str
    needed: int
    """Chunks of questions where annotators differ, or that somebody flagged."""
    units: int
    """Chunks of questions that two or more people answered."""
    against: int = 0
    """For an annotator: answers that adjudication decided otherwise."""
    ruled: int = 0
    """For an annotator: answers on which there is a ruling."""

    @property
    def share(self) -> float:
        """0 to 1; NaN without a unit."""
        return self.needed / self.units if self.units else nan


@dataclass(frozen=True, slots=True)
class Retention:
    """What was kept of the questions of something."""

    kind: str
    """`all`, `book`, `type` or `author`."""
    name: str
    made: int
    """Questions drafted, or written by somebody."""
    kept: int
    reasons: dict[str, int]
    """Why the others are out, the most frequent first."""

    @property
    def rate(self) -> float:
        """0 to 1; NaN where none was made."""
        return self.kept / self.made if self.made else nan


def ambiguity(said: Sequence[BookAnnotations]) -> tuple[Ambiguity, ...]:
    """The share that needs discussion: in all, by book, type, question and annotator.

    Questions come with the most ambiguous first.
    """
    needed: dict[tuple[str, str], int] = {}
    units: dict[tuple[str, str], int] = {}
    against: Counter[str] = Counter()
    ruled: Counter[str] = Counter()
    for book in said:
        flags: dict[tuple[str, int], set[str]] = {}
        for flag in book.flags:
            flags.setdefault((flag.question, flag.chunk), set()).add(flag.annotator)
        for one in rated(book):
            for groups, open_ in _units(one, flags):
                for group in groups:
                    units[group] = units.get(group, 0) + 1
                    needed[group] = needed.get(group, 0) + open_
            _against(book, one, against, ruled)
    rows = [
        Ambiguity(
            kind,
            name,
            needed[kind, name],
            count,
            against[name] if kind == "annotator" else 0,
            ruled[name] if kind == "annotator" else 0,
        )
        for (kind, name), count in units.items()
    ]
    order = ("all", "book", "type", "question", "annotator")
    return tuple(
        sorted(
            rows,
            key=lambda row: (
                order.index(row.kind),
                -row.share if row.kind == "question" else 0,
                row.name,
            ),
        )
    )


def _units(
    one: Rated, flags: dict[tuple[str, int], set[str]]
) -> Iterator[tuple[list[tuple[str, str]], bool]]:
    """The groups that each chunk of a question counts for, and whether it needs discussion."""
    question = one.question
    groups = [
        ("all", "all"),
        ("book", one.book),
        ("type", question.type or "no type"),
        ("question", f"{one.book}/{question.id}"),
    ]
    for chunk in range(one.chunks):
        given = {who: said[chunk] for who, said in one.answers.items() if said[chunk] is not None}
        if len(given) < 2:
            continue
        flagged = flags.get((question.id, chunk), set())
        yield groups, bool(flagged) or len(set(given.values())) > 1
        most, count = Counter(given.values()).most_common(1)[0]
        agreed = most if 2 * count > len(given) else None
        for who, option in given.items():
            yield [("annotator", who)], option != agreed or who in flagged


def _against(book: BookAnnotations, one: Rated, against: Counter[str], ruled: Counter[str]) -> None:
    for line in book.adjudicated:
        if line.question != one.question.id:
            continue
        truth = canonical(one.question, line).answers
        for who, said in one.answers.items():
            for option, right in zip(said, truth, strict=True):
                if option is not None and right is not None:
                    ruled[who] += 1
                    against[who] += option != right


def retention(said: Sequence[BookAnnotations]) -> tuple[Retention, ...]:
    """What was kept of drafted and written questions: in all, by book, type and author."""
    made: dict[tuple[str, str], int] = {}
    out: dict[tuple[str, str], Counter[str]] = {}
    for book in said:
        for groups, reason in _fates(book):
            for group in groups:
                made[group] = made.get(group, 0) + 1
                reasons = out.setdefault(group, Counter())
                if reason:
                    reasons[reason] += 1
    order = ("all", "book", "type", "author")
    return tuple(
        Retention(
            kind, name, count, count - out[kind, name].total(), dict(out[kind, name].most_common())
        )
        for (kind, name), count in sorted(
            made.items(), key=lambda item: (order.index(item[0][0]), item[0][1])
        )
    )


def _fates(book: BookAnnotations) -> Iterator[tuple[list[tuple[str, str]], str]]:
    """Every question that was ever made, with the groups that it counts for and why it is out."""
    asked = {question.id: question for question in book.questions}
    drafted = set()
    for draft in book.drafts:
        question = asked.get(draft.question)
        drafted.add(draft.question)
        reason = "" if draft.kept else draft.reason or "no reason given"
        if not reason and question is not None:
            reason = question.dropped
        yield _groups(book, question, draft.model), reason
    for question in book.questions:
        if question.id not in drafted:
            yield _groups(book, question, question.author), question.dropped


def _groups(book: BookAnnotations, question: Question | None, author: str) -> list[tuple[str, str]]:
    kind = question.type if question is not None else ""
    return [
        ("all", "all"),
        ("book", book.book),
        ("type", kind or "no type"),
        ("author", author or "nobody named"),
    ]


def discussion_data(
    open_: Sequence[Ambiguity], kept: Sequence[Retention]
) -> dict[str, list[dict[str, Any]]]:
    """Both as plain JSON data."""
    return {
        "ambiguity": [
            {**asdict(row), "share": None if isnan(row.share) else row.share} for row in open_
        ],
        "retention": [
            {**asdict(row), "rate": None if isnan(row.rate) else row.rate} for row in kept
        ],
    }
