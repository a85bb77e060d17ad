"""A real chapter with two questions, answered by two people who read it, not quite alike."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.streams.novels import NOVELS

from supersede.corpus.tokens import token_counter
from supersede.novels.annotations import Option, OptionRole, Question
from supersede.novels.book import Book
from supersede.novels.prepare import prepare
from supersede.novels.project import Project

CHAPTER = "III: The Time Traveller Returns"

WHERE = Question(
    "q1",
    "Where is the Time Traveller now?",
    (
        Option("a", "Away from home"),
        Option("b", "In the dining-room"),
        Option("c", "Upstairs, to wash and dress"),
        Option("d", "In the smoking-room"),
        Option("e", "In his laboratory", OptionRole.DISTRACTOR),
        Option("z", "It cannot be answered yet", OptionRole.CATCH_ALL),
    ),
    entity="The Time Traveller",
)
CLOTHES = Question(
    "q2",
    "What is the Time Traveller wearing when last seen?",
    (
        Option("a", "A dusty coat, smeared with green"),
        Option("b", "Tattered socks, no shoes"),
        Option("c", "Ordinary evening clothes"),
        Option("d", "A dressing-gown", OptionRole.DISTRACTOR),
        Option("z", "It cannot be answered yet", OptionRole.CATCH_ALL),
    ),
    entity="The Time Traveller",
)
WORDS = {
    "detained": "unavoidably detained.",
    "came in": "Then he came into the room.",
    "coat": "His coat was dusty and dirty, and smeared with green",
    "stairs": "walked towards the staircase door",
    "socks": "tattered, blood-stained socks",
    "came back": "when the Time Traveller came back",
    "dressed": "dressed in ordinary evening clothes",
    "adjoining": "led the way into the adjoining room",
}


def chapter() -> Book:
    """The chapter as a book of five chunks."""
    book = prepare(NOVELS / "the-time-machine.txt", token_counter("estimate"), tokens=600).book
    chunks = [chunk for chunk in book.chunks if chunk.chapters == (CHAPTER,)]
    numbered = tuple(replace(chunk, index=index) for index, chunk in enumerate(chunks))
    return replace(book, chunks=numbered, chapters=(CHAPTER,))


def chapter_project(folder: Path) -> tuple[str, dict[str, str]]:
    """A project with the chapter; gives its id and the tokens of ann, bob and cat."""
    with Project(folder, create=True) as made:
        book = chapter()
        made.add_book(book)
        made.add_questions(book.id, [WHERE, CLOTHES])
        tokens = {name: made.add_annotator(name, name.title()) for name in ("ann", "bob")}
        for name in tokens:
            made.assign(book.id, name)
        tokens["cat"] = made.add_annotator("cat", "Cat", "adjudicator")
    return book.id, tokens
