"""A project: books, the people who work on them, and all that was said.

`Project` is for whoever has the files: it sees everything. What one person may see and do is a
`supersede.novels.desk.Desk`.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from supersede.errors import DataError, UsageError, did_you_mean
from supersede.novels.annotations import (
    BookAnnotations,
    Draft,
    Flag,
    FlagReason,
    Mark,
    Option,
    Question,
    Review,
    Span,
    Timeline,
    Work,
    resolved,
)
from supersede.novels.book import Book, Chunk
from supersede.novels.changes import draft_of, mark_of, option_of, question_changes, question_of
from supersede.novels.log import Change, Event, Row
from supersede.novels.rules import verify
from supersede.novels.store import FILE_NAME, REBUILD, Store

__all__ = ["Annotator", "BookCard", "Project"]


@dataclass(frozen=True, slots=True)
class Annotator:
    """Somebody who works on a project."""

    id: str
    name: str
    role: str
    """`annotator` or `adjudicator`."""
    active: bool
    """Whether they may sign in."""


@dataclass(frozen=True, slots=True)
class BookCard:
    """What one knows of a book without its text."""

    id: str
    title: str
    author: str
    chunks: int
    chapters: tuple[str, ...]
    stage: str
    """One of `supersede.novels.tables.STAGES`."""


class Project:
    """A folder with one file, as a context manager.

    Args:
        folder: The folder.
        create: Whether to make it where there is none.
        clock: Gives the time of an event, in seconds since 1970.

    Raises:
        UsageError: There is no project in it.
        DataError: Its file is none of ours, or of another version.
    """

    def __init__(
        self, folder: Path, *, create: bool = False, clock: Callable[[], float] = time.time
    ) -> None:
        self.folder = folder
        if create:
            folder.mkdir(parents=True, exist_ok=True)
        self.store = Store(folder / FILE_NAME, create=create, clock=clock)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.store.close()

    # Books

    def add_book(self, book: Book) -> None:
        """Puts a book in.

        Raises:
            UsageError: There is one of that id.
        """
        with self.store.transaction():
            if book.id in [card.id for card in self.books()]:
                raise UsageError(
                    f"the project has a book {book.id!r}",
                    where=str(self.folder),
                    mend="Give it another id: what was said is held to the text that is there.",
                )
            head = (book.id, book.title, book.author, book.sha256, book.source, book.tokenizer)
            chapters = _json(book.chapters)
            row = (*head, book.chunk_tokens, chapters, len(book.chunks))
            self.store.add("book", [row])
            rows = [
                (book.id, c.index, c.text, c.chapter, c.sha256, c.tokens, _json(c.chapters))
                for c in book.chunks
            ]
            self.store.add("chunk", rows)

    def books(self) -> tuple[BookCard, ...]:
        """All books, by id."""
        found = self.store.query(
            "SELECT book.book, title, author, chunks, chapters, COALESCE(stage, 'blind') FROM book"
            " LEFT JOIN stage ON stage.book = book.book ORDER BY book.book"
        )
        return tuple(
            BookCard(name, title, author, chunks, tuple(json.loads(chapters)), stage)
            for name, title, author, chunks, chapters, stage in found
        )

    def card(self, book: str) -> BookCard:
        """One book without its text.

        Raises:
            UsageError: There is none of that id.
        """
        cards = {card.id: card for card in self.books()}
        if book not in cards:
            mend = did_you_mean(book, cards)
            raise UsageError(f"there is no book {book!r}", where=str(self.folder), mend=mend)
        return cards[book]

    def book(self, book: str) -> Book:
        """One book with its text.

        Raises:
            UsageError: There is none of that id.
        """
        card = self.card(book)
        ((digest, source, tokenizer, size),) = self.store.query(
            "SELECT sha256, source, tokenizer, chunk_tokens FROM book WHERE book = ?", (book,)
        )
        chunks = tuple(self._chunks(book, "1"))
        head = (card.id, card.title, digest, chunks, card.author, source, tokenizer, size)
        return Book(*head, card.chapters)

    def chunk(self, book: str, number: int) -> Chunk:
        """One chunk.

        Raises:
            UsageError: There is no such book or chunk.
        """
        for found in self._chunks(book, "chunk = ?", number):
            return found
        count = self.card(book).chunks
        raise UsageError(f"there is no chunk {number}: {book} has {count}, counted from 0")

    def _chunks(self, book: str, wanted: str, *parameters: int) -> Iterator[Chunk]:
        found = self.store.query(
            "SELECT chunk, text, chapter, sha256, tokens, chapters FROM chunk"
            f" WHERE book = ? AND {wanted} ORDER BY chunk",
            (book, *parameters),
        )
        for index, text, chapter, sha256, tokens, chapters in found:
            yield Chunk(index, text, chapter, sha256, tokens, tuple(json.loads(chapters)))

    def span(self, book: str, chunk: int, start: int, end: int) -> Span:
        """A passage of a chunk, as evidence.

        Args:
            book: The book.
            chunk: The chunk.
            start: First code point.
            end: One after the last.
        """
        found = self.chunk(book, chunk)
        return Span(chunk, start, end, found.text[start:end], found.sha256)

    # People

    def add_annotator(self, annotator: str, name: str, role: str = "annotator") -> str:
        """Lets somebody in; gives the token that they sign in with, which is kept nowhere.

        Raises:
            StaleEdit: There is somebody of that id.
        """
        return self._let_in(Annotator(annotator, name, role, True), 0)

    def new_token(self, annotator: str) -> str:
        """Another token for somebody; the old one is worth nothing from now on."""
        row = self._person(annotator)
        value = row.value
        return self._let_in(Annotator(annotator, value["name"], value["role"], True), row.revision)

    def shut_out(self, annotator: str) -> None:
        """Ends somebody's access; what they did stays."""
        row = self._person(annotator)
        value = {**row.value, "token_hash": "", "active": False}
        self.act("", "", [Change("annotator", (annotator,), value, row.revision)])

    def _let_in(self, person: Annotator, base: int) -> str:
        token = secrets.token_urlsafe(24)
        value = {
            "name": person.name,
            "role": person.role,
            "token_hash": _hashed(token),
            "active": person.active,
        }
        self.act("", "", [Change("annotator", (person.id,), value, base)])
        return token

    def _person(self, annotator: str) -> Row:
        row = self.store.row("annotator", (annotator,))
        if row is None:
            mend = did_you_mean(annotator, [person.id for person in self.annotators()])
            raise UsageError(f"there is no annotator {annotator!r}", mend=mend)
        return row

    def sign_in(self, token: str) -> Annotator | None:
        """Whose token it is, or None.

        Tokens are 192 random bits and looked up by their hash, so that the time that a wrong one
        takes says nothing.
        """
        found = self.store.rows("annotator", token_hash=_hashed(token))
        people = [_annotator(str(key[0]), row) for key, row in found]
        return people[0] if people and people[0].active else None

    def annotators(self) -> tuple[Annotator, ...]:
        """Everybody, by id."""
        return tuple(_annotator(str(key[0]), row) for key, row in self.store.rows("annotator"))

    def annotator(self, annotator: str) -> Annotator:
        """Somebody.

        Raises:
            UsageError: There is nobody of that id.
        """
        return _annotator(annotator, self._person(annotator))

    def assign(self, book: str, annotator: str, questions: Sequence[str] = ()) -> None:
        """Gives somebody a book to annotate: all its questions, or some.

        Raises:
            DataError: There is no such book, person or question.
        """
        self._set("assignment", (book, annotator), {"questions": list(questions)}, book)

    def assigned(self, book: str) -> dict[str, tuple[str, ...]]:
        """Who annotates a book, and which questions; an empty tuple is all of them."""
        return {
            str(key[1]): tuple(row.value["questions"])
            for key, row in self.store.rows("assignment", book=book)
        }

    def set_stage(self, book: str, stage: str, by: str = "") -> None:
        """Moves a book to another stage, one of `STAGES`."""
        self._set("stage", (book,), {"stage": stage}, book, by)

    def note_work(
        self, book: str, annotator: str, hours: float, pay: float = 0.0, currency: str = ""
    ) -> None:
        """Notes how long somebody worked on a book in all, and what it was paid."""
        value = {"hours": hours, "pay": pay, "currency": currency}
        self._set("work", (book, annotator), value, book)

    def _set(
        self,
        kind: str,
        key: tuple[str | int, ...],
        value: Mapping[str, object],
        book: str,
        by: str = "",
    ) -> None:
        with self.store.transaction():
            now = self.store.row(kind, key)
            self.act(by, book, [Change(kind, key, value, now.revision if now else 0)])

    # Questions and what was said

    def act(self, by: str, book: str, changes: Sequence[Change]) -> tuple[int, ...]:
        """Writes changes down as one action; gives the new revision of each.

        Raises:
            StaleEdit: Something is no longer as it was when it was looked at.
            DataError: A change refers to what there is not, or its evidence is not in the chunk.
            UsageError: Something that is in use would go.
        """
        with self.store.transaction():
            revisions = self.store.act(by, book, changes)
            verify(self.store, [(change.kind, change.key) for change in changes])
        return revisions

    def undo(self, by: str, book: str, allowed: Callable[[Event], None] | None = None) -> int:
        """Undoes somebody's last action on a book; gives how many things changed, 0 for none left.

        Args:
            by: Who.
            book: The book.
            allowed: Called with each event of the action; raises where it may not be undone now.

        Raises:
            UsageError: Somebody has used since what would go.
        """
        return self._turned(self.store.undo, by, book, allowed)

    def redo(self, by: str, book: str, allowed: Callable[[Event], None] | None = None) -> int:
        """Does somebody's last undone action again; gives how many things changed."""
        return self._turned(self.store.redo, by, book, allowed)

    def _turned(
        self,
        turn: Callable[[str, str], tuple[Event, ...]],
        by: str,
        book: str,
        allowed: Callable[[Event], None] | None,
    ) -> int:
        with self.store.transaction():
            events = turn(by, book)
            for event in events:
                if allowed is not None:
                    allowed(event)
            verify(self.store, [(event.kind, event.key) for event in events])
        return len(events)

    def add_questions(self, book: str, questions: Sequence[Question], by: str = "") -> None:
        """Puts questions with their options in, as one action.

        Raises:
            StaleEdit: There is a question of the same id.
            DataError: There is no such book, or a question has two catch-alls.
        """
        self.act(by, book, [c for question in questions for c in question_changes(book, question)])

    def questions(self, book: str) -> tuple[Question, ...]:
        """All questions of a book with all their options, dropped ones too, by id."""
        options: dict[str, list[Option]] = {}
        for key, row in self.store.rows("option", book=book):
            options.setdefault(str(key[1]), []).append(option_of(str(key[2]), row))
        return tuple(
            question_of(str(key[1]), row, options.get(str(key[1]), []))
            for key, row in self.store.rows("question", book=book)
        )

    def marks(self, book: str, question: str, annotator: str) -> dict[int, Mark]:
        """What somebody said about a question, by chunk."""
        found = self.store.rows("mark", book=book, question=question, annotator=annotator)
        return {int(key[3]): mark_of(int(key[3]), row.value) for key, row in found}

    def rulings(self, book: str, question: str) -> dict[int, Mark]:
        """What adjudication said about a question, by chunk."""
        found = self.store.rows("adjudication", book=book, question=question)
        return {int(key[2]): mark_of(int(key[2]), row.value) for key, row in found}

    def timeline(self, book: str, question: str, annotator: str) -> Timeline:
        """Somebody's answers to a question at every chunk."""
        marks = self.marks(book, question, annotator)
        return Timeline(annotator, question, resolved(marks, self.card(book).chunks))

    def annotations(self, book: str) -> BookAnnotations:
        """All that was said about a book, at one moment.

        Raises:
            DataError: Another program has changed it.
        """
        with self.store.transaction(write=False):
            whole = self.book(book)
            count = len(whole.chunks)
            marks: dict[tuple[str, str], dict[int, Mark]] = {}
            for key, row in self.store.rows("mark", book=book):
                place = marks.setdefault((str(key[1]), str(key[2])), {})
                place[int(key[3])] = mark_of(int(key[3]), row.value)
            rulings: dict[str, dict[int, Mark]] = {}
            for key, row in self.store.rows("adjudication", book=book):
                rulings.setdefault(str(key[1]), {})[int(key[2])] = mark_of(int(key[2]), row.value)
            questions = self.questions(book)
            for (name, _), said in marks.items():
                self._known(book, name, questions, said)
            for name, said in rulings.items():
                self._known(book, name, questions, said)
            return BookAnnotations(
                book,
                whole.title,
                tuple(chunk.text for chunk in whole.chunks),
                questions,
                tuple(
                    Timeline(annotator, question, resolved(found, count))
                    for (question, annotator), found in marks.items()
                ),
                tuple(
                    Timeline("", question, resolved(found, count))
                    for question, found in rulings.items()
                ),
                self.flags(book),
                self.reviews(book),
                self.drafts(book),
                self.work(book),
            )

    def _known(
        self, book: str, name: str, questions: Sequence[Question], said: Mapping[int, Mark]
    ) -> None:
        """Refuses answers without their question or option, which only other programs leave."""
        question = next((one for one in questions if one.id == name), None)
        known = {option.id for option in question.options} if question else set()
        for chunk, mark in said.items():
            if mark.option not in known:
                raise DataError(
                    f"the answer {mark.option!r} is no option",
                    where=f"{self.store.path}, {book}/{name}/{chunk}",
                    mend=REBUILD,
                )

    def flags(self, book: str) -> tuple[Flag, ...]:
        """Every flag that is up."""
        return tuple(
            Flag(str(who), str(question), int(chunk), FlagReason(str(reason)), row.value["note"])
            for (_, question, who, chunk, reason), row in self.store.rows("flag", book=book)
        )

    def reviews(self, book: str) -> tuple[Review, ...]:
        """Who went over which question."""
        return tuple(
            Review(str(who), str(question), row.value["agreed"], row.value["note"])
            for (_, question, who), row in self.store.rows("review", book=book)
        )

    def drafts(self, book: str) -> tuple[Draft, ...]:
        """What models drafted, kept or dropped."""
        rows = self.store.rows("draft", book=book)
        return tuple(draft_of(str(key[1]), row) for key, row in rows)

    def work(self, book: str) -> tuple[Work, ...]:
        """Hours and pay, by annotator."""
        rows = self.store.rows("work", book=book)
        return tuple(Work(annotator=str(key[1]), **row.value) for key, row in rows)

    def finished(self, book: str) -> tuple[str, ...]:
        """Who says that they are through with a book."""
        return tuple(str(key[1]) for key, _ in self.store.rows("finished", book=book))


def _annotator(name: str, row: Row) -> Annotator:
    return Annotator(name, row.value["name"], row.value["role"], row.value["active"])


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _json(items: Sequence[str]) -> str:
    return json.dumps(list(items), ensure_ascii=False)
