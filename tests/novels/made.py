"""Small books and projects for tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path

from supersede.novels.annotations import Option, OptionRole, Question
from supersede.novels.book import Book, Chunk, digest
from supersede.novels.project import Project

TEXTS = (
    "Anna lived in the mill.",
    "Anna moved to the inn. It rained.",
    "Bert spoke of Anna.",
    "Anna went back to the mill.",
)


def book(name: str = "mill", texts: Sequence[str] = TEXTS) -> Book:
    """A book with a chunk for each text."""
    chunks = [Chunk(n, text, "I", digest(text), len(text.split())) for n, text in enumerate(texts)]
    return Book(name, "The Mill", digest("\n".join(texts)), tuple(chunks))


def question(name: str = "q1") -> Question:
    """Where Anna is."""
    return Question(
        name,
        "Where does Anna live now?",
        (
            Option("a", "In the mill"),
            Option("b", "At the inn"),
            Option("c", "On a boat", OptionRole.DISTRACTOR),
            Option("z", "It cannot be answered yet", OptionRole.CATCH_ALL),
        ),
        entity="Anna",
    )


def ticking() -> Callable[[], float]:
    """A clock that goes on by a second whenever it is read."""
    seconds = count(1)
    return lambda: float(next(seconds))


def project(folder: Path) -> Project:
    """A project: one book, two questions, two annotators assigned, a third who adjudicates."""
    made = Project(folder, create=True, clock=ticking())
    made.add_book(book())
    made.add_questions("mill", [question("q1"), question("q2")])
    for name in ("ann", "bob"):
        made.add_annotator(name, name.title())
        made.assign("mill", name)
    made.add_annotator("cat", "Cat", "adjudicator")
    return made
