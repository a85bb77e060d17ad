"""Questions alone, as somebody types them into a file: nobody has answered them yet."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from supersede.errors import DataError, UsageError
from supersede.novels.annotations import Option, OptionRole, Question
from supersede.novels.book import Book
from supersede.novels.detached import Detached, detached_data, held_to
from supersede.novels.project import Project

__all__ = ["Asked", "ask", "load_attachable"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class AskedOption(_Part):
    """One option."""

    text: str = Field(min_length=1)
    role: OptionRole = OptionRole.ANSWER
    id: str = ""
    """Made of its place where there is none: o1 and so on."""


class AskedQuestion(_Part):
    """One question with its options."""

    id: str = Field(min_length=1)
    text: str = Field(min_length=1)
    entity: str = ""
    type: str = ""
    options: tuple[AskedOption, ...] = ()

    @model_validator(mode="after")
    def _different(self) -> Self:
        options = self.question().options
        ids, texts = [one.id for one in options], [one.text for one in options]
        for what, given in (("id", ids), ("text", texts)):
            twice = next((one for one in given if given.count(one) > 1), None)
            if twice is not None:
                raise ValueError(f"two options of {self.id} have the {what} {twice!r}")
        if sum(one.role is OptionRole.CATCH_ALL for one in self.options) > 1:
            raise ValueError(f"{self.id} has two catch-alls")
        return self

    def question(self) -> Question:
        """As the project keeps it."""
        options = tuple(
            Option(one.id or f"o{number}", one.text, one.role)
            for number, one in enumerate(self.options, 1)
        )
        return Question(self.id, self.text, options, entity=self.entity, type=self.type)


class Asked(_Part):
    """A file of questions, for any book."""

    format: Literal[1]
    questions: tuple[AskedQuestion, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _different(self) -> Self:
        names = [one.id for one in self.questions]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"two questions have the id {twice!r}")
        return self


def load_attachable(path: Path) -> Detached | Asked:
    """Reads questions with answers or, where the file names neither book nor annotator, alone.

    Raises:
        DataError: It is of neither form.
    """
    data = detached_data(path)
    if not isinstance(data, dict):
        raise DataError(
            "holds no questions",
            where=str(path),
            mend="It has `format: 1` and `questions:`, as docs/novels.md shows.",
        )
    alone = not {"book", "annotator"} & set(data)
    return held_to(Asked, data, path) if alone else held_to(Detached, data, path)


def ask(project: Project, asked: Asked, name: str = "") -> Book:
    """Adds the questions of a file to a book, as one action; gives the book.

    Args:
        project: A project that has the book.
        asked: The questions.
        name: Id of the book; the project's only one where left out.

    Raises:
        UsageError: There is no such book or a choice of several, it is closed, or it has a
            question of such an id.
    """
    books = [card.id for card in project.books()]
    if not name and len(books) != 1:
        raise UsageError(
            f"the project has {len(books)} books, and the file names none",
            where=str(project.folder),
            mend=f"Say which with --book: {', '.join(books)}."
            if books
            else "Prepare one first: supersede novel prepare BOOK",
        )
    card = project.card(name or books[0])
    if card.stage == "closed":
        raise UsageError("the book is closed: nothing changes any more", where=card.id)
    there = {one.id for one in project.questions(card.id)}
    for one in asked.questions:
        if one.id in there:
            raise UsageError(
                f"there is a question {one.id!r}", where=card.id, mend="Give it another id."
            )
    project.add_questions(card.id, [one.question() for one in asked.questions])
    return project.book(card.id)
