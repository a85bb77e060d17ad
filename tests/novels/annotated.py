"""A small book with everything said about it: sound, so that tests can plant what is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.novels.made import ticking

from supersede.novels.annotations import (
    BookAnnotations,
    Mark,
    MarkKind,
    Option,
    OptionRole,
    Question,
    Review,
    Span,
    Timeline,
    resolved,
)
from supersede.novels.book import Book, Chunk, digest
from supersede.novels.changes import mark_change, review_change, ruling_change
from supersede.novels.project import Project

TEXTS = (
    "Anna lived in the mill. The mill was old.",
    "It rained for days; nobody went out.",
    "Anna moved to the inn. \u201cAt last!\u201d she said. \U0001f30a came the flood.",
    "Bert spoke of Anna, who was at the inn.",
    "Anna went back to the mill.\n\nThe mill was old, and Anna was tired.",
)
CATCH_ALL = "It cannot be answered yet"
QUOTES = {0: "Anna lived in the mill", 2: "Anna moved to the inn", 4: "Anna went back to the mill"}


def question(name: str = "q1", text: str = "Where does Anna live now?") -> Question:
    return Question(
        name,
        text,
        (
            Option("boat", "On a boat", OptionRole.DISTRACTOR),
            Option("inn", "At the inn"),
            Option("mill", "In the mill"),
            Option("none", CATCH_ALL, OptionRole.CATCH_ALL),
            Option("with-bert", "With Bert", OptionRole.DISTRACTOR),
        ),
        entity="Anna",
        type="place",
    )


def span(chunk: int, quote: str, texts: Sequence[str] = TEXTS) -> Span:
    start = texts[chunk].index(quote)
    return Span(chunk, start, start + len(quote), quote, digest(texts[chunk]))


def choice(chunk: int, option: str, *quotes: str, note: str = "") -> Mark:
    return Mark(chunk, MarkKind.CHOICE, option, tuple(span(chunk, q) for q in quotes), note)


def confirmation(chunk: int, option: str, note: str = "") -> Mark:
    return Mark(chunk, MarkKind.CONFIRMATION, option, (), note)


def sound_marks() -> list[Mark]:
    """The mill, the inn, the mill again."""
    return [
        choice(0, "mill", QUOTES[0]),
        confirmation(1, "mill"),
        choice(2, "inn", QUOTES[2]),
        confirmation(3, "inn"),
        choice(4, "mill", QUOTES[4]),
    ]


def line(
    annotator: str, marks: Sequence[Mark], name: str = "q1", chunks: int = len(TEXTS)
) -> Timeline:
    return Timeline(annotator, name, resolved({mark.chunk: mark for mark in marks}, chunks))


def said(
    lines: Mapping[str, Sequence[Mark]] | None = None,
    *,
    asked: Question | None = None,
    rulings: Sequence[Mark] = (),
    book: str = "mill",
) -> BookAnnotations:
    """A book with one question, answered by ann alone, and gone over by two."""
    asked = asked or question()
    lines = {"ann": sound_marks()} if lines is None else lines
    return BookAnnotations(
        book,
        "The Mill",
        TEXTS,
        (asked,),
        tuple(line(who, marks, asked.id) for who, marks in lines.items()),
        (line("", rulings, asked.id),) if rulings else (),
        (),
        (Review("ann", asked.id, True), Review("bob", asked.id, True)),
    )


def book(name: str = "mill") -> Book:
    chunks = [
        Chunk(n, text, "I", digest(text), len(text.split()), ("I",)) for n, text in enumerate(TEXTS)
    ]
    return Book(name, "The Mill", digest("".join(TEXTS)), tuple(chunks), "A. Writer", "mill.txt")


def project(folder: Path, *whole: BookAnnotations) -> Project:
    """A project that holds what was said; everybody in it is an annotator of each book."""
    made = Project(folder, create=True, clock=ticking())
    for one in whole:
        made.add_book(book(one.book))
        made.add_questions(one.book, one.questions)
        lines = [*one.timelines, *one.adjudicated]
        people = {line.annotator for line in lines} | {review.annotator for review in one.reviews}
        for who in sorted(people - {""}):
            if who not in {person.id for person in made.annotators()}:
                made.add_annotator(who, who.title())
            made.assign(one.book, who)
        changes = []
        for timeline in lines:
            for mark in marks_of(timeline):
                changes.append(
                    mark_change(one.book, timeline.question, timeline.annotator, mark)
                    if timeline.annotator
                    else ruling_change(one.book, timeline.question, mark)
                )
        changes += [review_change(one.book, review) for review in one.reviews]
        made.act("", one.book, changes)
        assert made.annotations(one.book) == one
    return made


def marks_of(timeline: Timeline) -> list[Mark]:
    kinds = {True: MarkKind.CHOICE, False: MarkKind.CONFIRMATION}
    return [
        Mark(n, kinds[cell.changed], cell.option or "", cell.evidence, cell.note)
        for n, cell in enumerate(timeline.cells)
        if cell.confirmed
    ]
