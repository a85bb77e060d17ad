"""Questions and answers about a book that travel without its text.

The text of a book need not be anybody's to hand on, and is long. What was said about it is short:
questions, options, the answer at every chunk, and the passages that tell. Such a file names the
chunks by hash; whoever prepares the same book the same way attaches it. A text that is another one
is refused, and the refusal says where it begins to be.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Literal, Self, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from supersede.errors import DataError, UsageError
from supersede.novels.annotations import (
    Mark,
    MarkKind,
    Option,
    OptionRole,
    Question,
    Review,
    Span,
)
from supersede.novels.book import Book
from supersede.novels.changes import mark_change, question_changes, review_change
from supersede.novels.log import Change
from supersede.novels.project import Project

__all__ = ["Detached", "attach", "book_of", "detached_data", "held_to", "load_detached"]

Form = TypeVar("Form", bound=BaseModel)


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class DetachedBook(_Part):
    """Which book, and how it was prepared."""

    id: str
    title: str
    author: str = ""
    sha256: str
    """Of the source file."""
    tokenizer: str
    chunk_tokens: int
    chunks: tuple[str, ...] = Field(min_length=1)
    """SHA-256 of the text of every chunk, in order."""


class DetachedAnnotator(_Part):
    """Whose answers or reviews they are."""

    id: str
    name: str
    how: str
    """How the book was read and the answers were found."""


class DetachedReview(_Part):
    """That somebody went over one question, its options and answers (O-101)."""

    annotator: str
    """Id of the annotator or of a reviewer of the file."""
    agreed: bool = True
    note: str = ""


class DetachedOption(_Part):
    """One option."""

    id: str
    text: str
    role: OptionRole = OptionRole.ANSWER


class DetachedQuestion(_Part):
    """One question, answered at every chunk."""

    id: str
    text: str
    entity: str = ""
    type: str = ""
    options: tuple[DetachedOption, ...]
    answers: tuple[str, ...] = Field(min_length=1)
    """Ids of options, one for each chunk."""
    evidence: Mapping[int, tuple[str, ...]] = {}
    """By chunk: passages that stand in it word for word; some wherever the answer becomes another
    one that is no catch-all (O-088)."""
    reviews: tuple[DetachedReview, ...] = ()

    @property
    def changes(self) -> int:
        """Its phases, as the published figures count changes."""
        return 1 + sum(a != b for a, b in pairwise(self.answers))

    @model_validator(mode="after")
    def _answered(self) -> Self:
        known = {option.id for option in self.options}
        for chunk, answer in enumerate(self.answers):
            if answer not in known:
                raise ValueError(f"chunk {chunk} of {self.id}: {answer!r} is no option")
        for chunk in self.evidence:
            if not 0 <= chunk < len(self.answers):
                raise ValueError(f"evidence of {self.id} in chunk {chunk}, which there is not")
        catch_alls = {one.id for one in self.options if one.role is OptionRole.CATCH_ALL}
        for chunk, (before, new) in enumerate(pairwise((None, *self.answers))):
            if new not in {before, *catch_alls} and not self.evidence.get(chunk):
                raise ValueError(f"chunk {chunk} of {self.id}: {new!r} is new without evidence")
        return self


class Detached(_Part):
    """A file of questions and answers about one book."""

    format: Literal[1]
    book: DetachedBook
    annotator: DetachedAnnotator
    reviewers: tuple[DetachedAnnotator, ...] = ()
    """Who else went over questions."""
    questions: tuple[DetachedQuestion, ...] = Field(min_length=1)

    @property
    def people(self) -> tuple[DetachedAnnotator, ...]:
        """Everybody whom the file tells of, the annotator first."""
        return (self.annotator, *self.reviewers)

    @model_validator(mode="after")
    def _reviewed(self) -> Self:
        ids = [one.id for one in self.people]
        twice = next((name for name in ids if ids.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"two of annotator and reviewers have the id {twice!r}")
        for question in self.questions:
            by = [review.annotator for review in question.reviews]
            for name in by:
                if name not in ids:
                    raise ValueError(
                        f"a review of {question.id} is by {name!r}, who is neither the annotator"
                        " nor a reviewer"
                    )
                if by.count(name) > 1:
                    raise ValueError(f"{question.id} has two reviews by {name!r}")
        return self

    @model_validator(mode="after")
    def _complete(self) -> Self:
        chunks = len(self.book.chunks)
        for question in self.questions:
            if len(question.answers) != chunks:
                count = len(question.answers)
                raise ValueError(f"{question.id} has {count} answers for {chunks} chunks")
        return self


def load_detached(path: Path) -> Detached:
    """Reads such a file, YAML or JSON.

    Raises:
        DataError: It is not of the form, an answer is no option or missing, or a new one has no
            evidence.
    """
    return held_to(Detached, detached_data(path), path)


def detached_data(path: Path) -> object:
    """What a file holds, YAML or JSON.

    Raises:
        DataError: It is neither.
    """
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise DataError(f"cannot be read: {error}", where=str(path)) from None


def held_to(form: type[Form], data: object, path: Path) -> Form:
    """Data as a form that it must have.

    Raises:
        DataError: It has another one, with the first place where.
    """
    try:
        return form.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        what = first["msg"].removeprefix("Value error, ")
        raise DataError(f"{name}: {what}" if name else what, where=str(path)) from None


def book_of(project: Project, found: DetachedBook, name: str = "") -> Book:
    """The book of a project that a file is about.

    Args:
        project: Where it is looked for.
        found: The book as the file names it.
        name: The project's id of the book; else the one whose chunks are the same.

    Raises:
        UsageError: The project has no such book.
        DataError: Its text is another one, with the place where it begins to be.
    """
    if name:
        book = project.book(name)
        _same(book, found, project.folder)
        return book
    books = [project.book(card.id) for card in project.books()]
    for book in books:
        if tuple(chunk.sha256 for chunk in book.chunks) == found.chunks:
            return book
    for book in books:
        if book.id == found.id or book.sha256 == found.sha256 or book.title == found.title:
            _same(book, found, project.folder)
    raise UsageError(
        f"the project has no book {found.title!r}",
        where=str(project.folder),
        mend=f"Prepare it first: {_command(found, project.folder)}",
    )


def _same(book: Book, found: DetachedBook, folder: Path) -> None:
    """Refuses a text that is another one."""
    here = tuple(chunk.sha256 for chunk in book.chunks)
    if here == found.chunks:
        return
    if (book.tokenizer, book.chunk_tokens) != (found.tokenizer, found.chunk_tokens):
        what = (
            f"cut at {book.chunk_tokens} tokens by {book.tokenizer!r},"
            f" not at {found.chunk_tokens} by {found.tokenizer!r}"
        )
    else:
        apart = [n for n, (a, b) in enumerate(zip_longest(here, found.chunks)) if a != b]
        source = "the same" if book.sha256 == found.sha256 else "another"
        what = (
            f"the text is another one from chunk {apart[0]} on: {len(apart)} of"
            f" {max(len(here), len(found.chunks))} chunks differ, made of {source} file"
        )
    raise DataError(what, where=book.id, mend=f"Made by: {_command(found, folder)}")


def _command(found: DetachedBook, folder: Path) -> str:
    return (
        f"supersede novel prepare FILE -o {folder} --id {found.id}"
        f" --chunk-tokens {found.chunk_tokens} --tokenizer {found.tokenizer}"
    )


def attach(project: Project, detached: Detached, name: str = "") -> Book:
    """Puts the questions, answers and reviews of a file on the book of a project, all or nothing.

    Where the answer becomes another one, it is chosen there with its passages; at every other chunk
    it is confirmed, as the file has an answer for each. Annotator and reviewers are added where
    there is nobody of that id, without a token: nobody signs in as them before one is made. Only
    the annotator is given the book: reviewers need not have answered.

    Args:
        project: A project that has the book.
        detached: The file.
        name: The project's id of the book; else the one whose chunks are the same.

    Returns:
        The book.

    Raises:
        UsageError: The project has no such book, or somebody else of such an id.
        DataError: Its text is another one, or a passage does not stand in its chunk.
        StaleEdit: It has a question of such an id already.
    """
    book = book_of(project, detached.book, name)
    who = detached.annotator.id
    changes: list[Change] = []
    for one in detached.questions:
        changes += question_changes(book.id, _question(one, who))
        changes += [mark_change(book.id, one.id, who, mark) for mark in _marks(one, book).values()]
    with project.store.transaction():
        for person in detached.people:
            _let_in(project, person)
        if who not in project.assigned(book.id):
            project.assign(book.id, who)
        project.act(who, book.id, changes + _reviews(detached, book, who))
        for person in detached.reviewers:
            project.act(person.id, book.id, _reviews(detached, book, person.id))
    return book


def _reviews(detached: Detached, book: Book, who: str) -> list[Change]:
    """What one person's reviews change."""
    return [
        review_change(book.id, Review(who, question.id, one.agreed, one.note))
        for question in detached.questions
        for one in question.reviews
        if one.annotator == who
    ]


def _let_in(project: Project, found: DetachedAnnotator) -> None:
    """Adds somebody who cannot sign in; leaves them alone who are there."""
    there = {person.id: person.name for person in project.annotators()}
    if found.id not in there:
        project.add_annotator(found.id, found.name)
        project.shut_out(found.id)
    elif there[found.id] != found.name:
        raise UsageError(
            f"{found.id!r} is {there[found.id]!r} here and {found.name!r} in the file",
            where=str(project.folder),
            mend="Give them another id in the file.",
        )


def _question(one: DetachedQuestion, author: str) -> Question:
    options = tuple(Option(option.id, option.text, option.role) for option in one.options)
    return Question(one.id, one.text, options, entity=one.entity, type=one.type, author=author)


def _marks(one: DetachedQuestion, book: Book) -> dict[int, Mark]:
    """What the annotator said at every chunk."""
    marks: dict[int, Mark] = {}
    before: str | None = None
    for chunk, answer in enumerate(one.answers):
        kind = MarkKind.CONFIRMATION if answer == before else MarkKind.CHOICE
        quotes = one.evidence.get(chunk, ())
        spans = tuple(_span(book, chunk, quote, one.id) for quote in quotes)
        marks[chunk] = Mark(chunk, kind, answer, spans)
        before = answer
    return marks


def _span(book: Book, number: int, quote: str, question: str) -> Span:
    chunk = book.chunks[number]
    start = chunk.text.find(quote)
    if start < 0 or not quote:
        raise DataError(
            f"the chunk does not read {quote[:60]!r}", where=f"{book.id}/{question}/{number}"
        )
    return Span(number, start, start + len(quote), quote, chunk.sha256)
