"""A project as lines and figures: answers over time (O-103), and counts (O-095, O-102)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from math import nan
from statistics import fmean
from string import ascii_uppercase
from textwrap import shorten
from typing import Any

from supersede.novels.annotations import BookAnnotations, OptionRole, Question, Timeline
from supersede.novels.answers import canonical, offered, settled, shuffled
from supersede.novels.book import Book

__all__ = ["PUBLISHED", "Spread", "Statistics", "statistics", "statistics_table", "timeline_lines"]

PUBLISHED = {
    "books": 39,
    "questions": 870,
    "tokens": 150_600,
    "chunks": 77.6,
    "options": 5.5,
    "changes": 4.7,
}
"""The figures of OAKS-Novel; means where there is one for each book or question."""


def timeline_lines(said: BookAnnotations, question: Question, seed: int = 0) -> Iterator[str]:
    """A question, its options and its answers over the chunks, as lines.

    Those that count come first; then everybody's, where several people answered. Letters are those
    of an export with the same seed.

    Args:
        said: The book.
        question: The question.
        seed: Of the order of the options.
    """
    line = settled(said, question)
    others = [canonical(question, one) for one in said.of(question.id)]
    listed = list(shuffled(offered(question, line), seed, said.book, question.id))
    used = {o for one in others for o in one.answers}
    listed += [o for o in question.options if o.id in used and o not in listed]
    letters = {o.id: ascii_uppercase[n % 26] for n, o in enumerate(listed)}
    kind = f"  [{question.type}]" if question.type else ""
    yield f"{question.id}{kind}{f'  dropped: {question.dropped}' if question.dropped else ''}"
    yield f"  {question.text}"
    if question.original:
        yield f"  (first: {question.original}; {question.reformulation or 'reworded'})"
    for option in listed:
        role = "" if option.role is OptionRole.ANSWER else f"  ({option.role})"
        yield f"    {letters[option.id]}. {option.text}{role}"
    if line is not None:
        yield from _phases(question, line, letters)
    elif not others:
        yield "  nobody has answered it"
    else:
        yield "  annotators differ, and nobody has decided"
    if line is None or len(others) > 1:
        width = max((len(one.annotator) for one in others), default=0)
        for one in others:
            marks = "".join(letters.get(o or "", ".") for o in one.answers)
            yield f"  {one.annotator:<{width}}  {marks}"


def _phases(question: Question, line: Timeline, letters: dict[str, str]) -> Iterator[str]:
    start = 0
    for option, run in groupby(line.answers):
        length = len(list(run))
        span = f"{start}" if length == 1 else f"{start}-{start + length - 1}"
        found = question.option(option or "")
        text = f"{letters[found.id]}. {found.text}" if found else "no answer"
        told = line.cells[start].evidence
        quotes = " ... ".join(" ".join(span.quote.split()) for span in told)
        because = f"   <- {shorten(quotes, 90, placeholder=' ...')}" if quotes else ""
        yield f"  {span:>7}  {text}{because}"
        start += length


@dataclass(frozen=True, slots=True)
class Spread:
    """A mean with its ends; NaN and 0 without anything."""

    mean: float
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a project holds; means over books, or over questions that are in and answered."""

    books: int
    questions: int
    """Those that are in."""
    dropped: int
    answered: int
    """Those with answers that count."""
    tokens: Spread
    """Of a book."""
    chunks: Spread
    """Of a book."""
    questions_per_book: Spread
    options: Spread
    """Of a question."""
    changes: Spread
    """Of an answered question: its phases, as the published figures count them."""
    evidence: int
    """Passages marked for answers that count."""
    types: dict[str, int]
    reformulations: dict[str, int]
    annotators: int
    """Who answered anything."""
    hours: float
    pay: dict[str, float]
    """By currency."""

    def to_json(self) -> dict[str, Any]:
        """The figures as plain JSON data; a mean of nothing is null."""
        data = asdict(self)
        for value in data.values():
            if isinstance(value, dict) and value.get("mean") != value.get("mean"):
                value["mean"] = None
        return data


def statistics(books: Sequence[Book], said: Sequence[BookAnnotations]) -> Statistics:
    """The figures of some books and what was said about them, in the same order."""
    asked = [(one, q) for one in said for q in one.questions if not q.dropped]
    lines = [(q, line) for one, q in asked if (line := settled(one, q)) is not None]
    work = [item for one in said for item in one.work]
    pay: dict[str, float] = {}
    for item in work:
        if item.pay:
            name = item.currency or "no currency"
            pay[name] = round(pay.get(name, 0.0) + item.pay, 2)
    return Statistics(
        len(books),
        len(asked),
        sum(bool(q.dropped) for one in said for q in one.questions),
        len(lines),
        _spread([sum(chunk.tokens for chunk in book.chunks) for book in books]),
        _spread([len(book.chunks) for book in books]),
        _spread([sum(not q.dropped for q in one.questions) for one in said]),
        _spread([len(offered(q, settled(one, q))) for one, q in asked]),
        _spread([len(line.change_points) for _, line in lines]),
        sum(len(cell.evidence) for _, line in lines for cell in line.cells),
        _counts(q.type or "no type" for _, q in asked),
        _counts(str(q.reformulation) or "none" for _, q in asked),
        len({line.annotator for one in said for line in one.timelines}),
        round(sum(item.hours for item in work), 2),
        pay,
    )


def _spread(values: Sequence[int]) -> Spread:
    return Spread(
        round(fmean(values), 3) if values else nan, min(values, default=0), max(values, default=0)
    )


def _counts(words: Iterator[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for word in words:
        found[word] = found.get(word, 0) + 1
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def statistics_table(found: Statistics) -> Iterator[str]:
    """The figures as lines to read, beside the published ones of OAKS-Novel."""
    yield _row("", "", "", "OAKS-Novel")
    yield _row("books", f"{found.books:,}", "", "39")
    out = f"{found.dropped:,} dropped, {found.answered:,} with answers that count"
    yield _row("questions", f"{found.questions:,}", out, "870")
    for name, spread, theirs in (
        ("questions per book", found.questions_per_book, "22.3"),
        ("tokens per book", found.tokens, "150,600"),
        ("chunks per book", found.chunks, "77.6, 26 to 286"),
        ("options", found.options, "5.5, 5 to 15"),
        ("changes (phases)", found.changes, "4.7, 2 to 19"),
    ):
        if spread.most:
            ends = f"from {spread.least:,} to {spread.most:,}"
            yield _row(name, f"{spread.mean:,.1f}", ends, theirs)
    yield _row("passages marked", f"{found.evidence:,}", "", "")
    for kind, count in found.types.items():
        yield _row(f"  {kind}", f"{count:,}", "", "")
    for kind, count in found.reformulations.items():
        if kind != "none":
            yield _row(f"  {kind}", f"{count:,}", "", "")
    yield _row("annotators", f"{found.annotators:,}", "", "18")
    if found.hours:
        paid = ", ".join(f"{amount:,.2f} {currency}" for currency, amount in found.pay.items())
        yield _row("hours", f"{found.hours:,.1f}", paid, "")


def _row(name: str, value: str, more: str, theirs: str) -> str:
    return f"{name:<28}{value:>10}  {more:<40}{theirs}".rstrip()
