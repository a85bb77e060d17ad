"""What one person sees of a project: blindness is kept here.

A page of a web app is `Sight.page`; every function gives only what its person may see. Whoever is
assigned to a book is blind on it while its stage is `blind`, whatever their role: they see shared
options and their own, and their own answers, flags and wordings. An adjudicator who is not assigned
to it sees all of it. Once the stage is `adjudicating`, what annotators said stands still, and all
who have to do with the book see it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from supersede.novels.annotations import (
    Cell,
    Flag,
    FlagReason,
    MarkKind,
    Option,
    Question,
    Reformulation,
    Timeline,
    resolved,
)
from supersede.novels.book import Chunk
from supersede.novels.changes import (
    mark_of,
    option_of,
    question_of,
)
from supersede.novels.project import Annotator, BookCard, Project
from supersede.novels.refusals import Forbidden

__all__ = ["Page", "Progress", "Seen", "Sight", "Wording"]


@dataclass(frozen=True, slots=True)
class Wording:
    """How somebody would have a question read."""

    annotator: str
    text: str
    reformulation: Reformulation
    note: str
    revision: int


@dataclass(frozen=True, slots=True)
class Seen:
    """A question at a chunk, as one person sees it."""

    question: Question
    """With the options that the person may see."""
    revision: int
    """Of the question."""
    option_revisions: Mapping[str, int]
    cell: Cell
    """The person's own answer; for an adjudicator the ruling."""
    cell_revision: int
    """Of what was said at this very chunk; 0 where nothing was."""
    flags: tuple[tuple[Flag, int], ...]
    """The person's own at this chunk, each with its revision."""
    wording: Wording | None
    """The person's own."""
    others: tuple[tuple[str, Cell], ...] = ()
    """What each other annotator of the book answers there, where the person may see it."""


@dataclass(frozen=True, slots=True)
class Page:
    """One chunk with all questions: what a turn of the page needs."""

    book: BookCard
    chunk: Chunk
    questions: tuple[Seen, ...]
    """Those that are in and assigned to the person, by id."""
    adjudicates: bool
    """Whether answers are rulings."""
    may_write: bool
    """Whether the stage lets the person answer."""
    may_ask: bool
    """Whether the person may add questions."""
    can_undo: bool
    can_redo: bool


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one person is with a book."""

    chunks: int
    confirmed: Mapping[str, int]
    """For each question, at how many chunks it is answered or confirmed."""
    next_open: tuple[int, str] | None
    """The next chunk, and question, that is neither; None where nothing is open."""

    @property
    def done(self) -> int:
        """Cells that are answered or confirmed."""
        return sum(self.confirmed.values())

    @property
    def total(self) -> int:
        """All cells."""
        return self.chunks * len(self.confirmed)


class Sight:
    """What one person sees of a project.

    Args:
        project: The project.
        annotator: Who looks.

    Raises:
        UsageError: There is nobody of that id.
    """

    def __init__(self, project: Project, annotator: str) -> None:
        self.project = project
        self.person: Annotator = project.annotator(annotator)

    @property
    def me(self) -> str:
        """Id of the person."""
        return self.person.id

    # What may be seen

    def books(self) -> tuple[BookCard, ...]:
        """The books that the person has to do with."""
        return tuple(card for card in self.project.books() if self._concerned(card.id))

    def assigned(self, book: str) -> bool:
        """Whether the person annotates a book."""
        return self.project.store.row("assignment", (book, self.me)) is not None

    def adjudicates(self, book: str) -> bool:
        """Whether the person decides on a book: an adjudicator who does not annotate it."""
        return self.person.role == "adjudicator" and not self.assigned(book)

    def sees_others(self, book: str) -> bool:
        """Whether the person may see what others said about a book."""
        return self.adjudicates(book) or (
            self.project.card(book).stage != "blind" and self._concerned(book)
        )

    def may_ask(self, book: str) -> bool:
        """Whether the person may add questions: who adjudicates a book, or is alone in the project.

        Where nobody else is, nobody's blind work can be told anything by a question.
        """
        stage = self.project.card(book).stage
        if self.adjudicates(book):
            return stage != "closed"
        alone = [person.id for person in self.project.annotators() if person.active] == [self.me]
        return alone and stage == "blind" and self.assigned(book)

    def _concerned(self, book: str) -> bool:
        return self.adjudicates(book) or self.assigned(book)

    def _card(self, book: str) -> BookCard:
        """A book that the person has to do with.

        Raises:
            Forbidden: There is none, which reads the same as that it is not theirs.
        """
        for card in self.project.books():
            if card.id == book and self._concerned(book):
                return card
        raise Forbidden(f"{book!r} is no book of yours")

    def chunk(self, book: str, number: int) -> Chunk:
        """One chunk of a book of theirs."""
        self._card(book)
        return self.project.chunk(book, number)

    def questions(self, book: str, *, dropped: bool = False) -> tuple[Question, ...]:
        """The questions that the person works on, with the options that they see.

        Args:
            book: A book of theirs.
            dropped: Whether to give those that are out too.
        """
        self._card(book)
        return tuple(q for q, _, _ in self._questions(book) if dropped or not q.dropped)

    def _questions(self, book: str) -> list[tuple[Question, int, dict[str, int]]]:
        store = self.project.store
        everything = self.sees_others(book)
        options: dict[str, list[Option]] = {}
        revisions: dict[str, dict[str, int]] = {}
        for key, row in store.rows("option", book=book):
            option = option_of(str(key[2]), row)
            if everything or option.shared or option.author == self.me:
                options.setdefault(str(key[1]), []).append(option)
                revisions.setdefault(str(key[1]), {})[option.id] = row.revision
        mine = store.row("assignment", (book, self.me))
        only = set(mine.value["questions"]) if mine else set()
        return [
            (
                _in_place(question_of(str(key[1]), row, options.get(str(key[1]), []))),
                row.revision,
                revisions.get(str(key[1]), {}),
            )
            for key, row in store.rows("question", book=book)
            if not only or key[1] in only
        ]

    def page(self, book: str, number: int) -> Page:
        """One chunk with all its questions, at one moment.

        Raises:
            Forbidden: It is no book of theirs.
            UsageError: There is no such chunk.
        """
        store = self.project.store
        with store.transaction(write=False):
            card = self._card(book)
            chunk = self.project.chunk(book, number)
            rules = self.adjudicates(book)
            flags: dict[str, list[tuple[Flag, int]]] = {}
            for flag, revision in self._flags(book, self.me):
                if flag.chunk == number:
                    flags.setdefault(flag.question, []).append((flag, revision))
            wordings = {} if rules else self._wordings(book, self.me)
            people = self._heard(book) if self.sees_others(book) else []
            seen = []
            for question, revision, options in self._questions(book):
                if question.dropped:
                    continue
                cell, cell_revision = self._cell(book, question.id, number, self._voice(book))
                up = tuple(flags.get(question.id, ()))
                wording = wordings.get(question.id)
                others = tuple(
                    (who, self._cell(book, question.id, number, who)[0])
                    for who in people
                    if who != self.me
                )
                seen.append(
                    Seen(question, revision, options, cell, cell_revision, up, wording, others)
                )
            can_undo, can_redo = self._turns(book)
            may_write = card.stage == ("adjudicating" if rules else "blind")
            may_ask = self.may_ask(book)
            return Page(card, chunk, tuple(seen), rules, may_write, may_ask, can_undo, can_redo)

    def _heard(self, book: str) -> list[str]:
        """The annotators of a book who have answered any question of it.

        Whoever was let in and never came is nobody to agree with, and no answer to take.
        """
        said = (
            "SELECT 1 FROM question WHERE question.book = ? AND EXISTS (SELECT 1 FROM mark WHERE"
            " mark.book = question.book AND mark.question = question.question"
            " AND mark.annotator = ?) LIMIT 1"
        )
        everybody = sorted(self.project.assigned(book))
        return [who for who in everybody if self.project.store.query(said, (book, who))]

    def _cell(self, book: str, question: str, number: int, who: str) -> tuple[Cell, int]:
        """Somebody's answer at one chunk, the ruling for nobody, and its revision.

        It is read from the last two choices alone, not from all that was said.
        """
        store = self.project.store
        key = (book, question, who) if who else (book, question)
        kind = "mark" if who else "adjudication"
        choices = self._choices(kind, key, number)
        row = store.row(kind, (*key, number))
        mark = mark_of(number, row.value) if row else None
        revision = row.revision if row else 0
        if mark is None:
            return Cell(choices[0][1] if choices else None), revision
        if mark.kind is MarkKind.CONFIRMATION:
            carried = choices[0][1] if choices else None
            held = carried == mark.option
            return Cell(carried, held, False, mark.evidence, mark.note), revision
        before = choices[1][1] if len(choices) > 1 else None
        return Cell(mark.option, True, mark.option != before, mark.evidence, mark.note), revision

    def _voice(self, book: str) -> str:
        """Whose answers the person gives: their own, or nobody's, which are the rulings."""
        return "" if self.adjudicates(book) else self.me

    def _choices(self, kind: str, key: Sequence[str], number: int) -> list[tuple[int, str]]:
        """Chunk and option of the last two choices up to a chunk, the later one first."""
        who = " AND annotator = ?" if kind == "mark" else ""
        found = self.project.store.query(
            f"SELECT chunk, option FROM {kind} WHERE book = ? AND question = ?{who}"
            " AND kind = 'choice' AND chunk <= ? ORDER BY chunk DESC LIMIT 2",
            (*key, number),
        )
        return [(int(chunk), str(option)) for chunk, option in found]

    def _flags(self, book: str, annotator: str) -> list[tuple[Flag, int]]:
        return [
            (
                Flag(
                    str(who), str(question), int(chunk), FlagReason(str(reason)), row.value["note"]
                ),
                row.revision,
            )
            for (_, question, who, chunk, reason), row in self.project.store.rows(
                "flag", book=book, annotator=annotator
            )
        ]

    def _wordings(self, book: str, annotator: str) -> dict[str, Wording]:
        rows = self.project.store.rows("wording", book=book, annotator=annotator)
        return {
            str(key[1]): Wording(
                annotator,
                row.value["text"],
                Reformulation(row.value["reformulation"]),
                row.value["note"],
                row.revision,
            )
            for key, row in rows
        }

    def _turns(self, book: str) -> tuple[bool, bool]:
        ((live, undone),) = self.project.store.query(
            "SELECT COALESCE((SELECT MAX(action) FROM action WHERE by = ? AND book = ?"
            " AND undone = 0), 0), COALESCE((SELECT MAX(action) FROM action WHERE by = ? AND"
            " book = ? AND undone = 1), 0)",
            (self.me, book, self.me, book),
        )
        return live > 0, undone > live

    def timeline(self, book: str, question: str, annotator: str = "") -> Timeline:
        """Answers to a question at every chunk.

        Args:
            book: A book of theirs.
            question: The question.
            annotator: Whose; the person's own where left out.

        Raises:
            Forbidden: They are somebody else's, and the person is blind on the book.
        """
        self._card(book)
        whose = annotator or self.me
        self._may_see(book, whose)
        return self.project.timeline(book, question, whose)

    def _may_see(self, book: str, annotator: str) -> None:
        if annotator != self.me and not self.sees_others(book):
            raise Forbidden(f"what others say about {book} is not shown while annotation is blind")

    def timelines(self, book: str, question: str) -> tuple[Timeline, ...]:
        """Everybody's answers to a question, for adjudication.

        Raises:
            Forbidden: The person is blind on the book.
        """
        self._card(book)
        if not self.sees_others(book):
            raise Forbidden(f"what others say about {book} is not shown while annotation is blind")
        found = self.project.store.query(
            "SELECT DISTINCT annotator FROM mark WHERE book = ? AND question = ?"
            " ORDER BY annotator",
            (book, question),
        )
        return tuple(self.project.timeline(book, question, str(who)) for (who,) in found)

    def rulings(self, book: str, question: str) -> Timeline:
        """What adjudication decided about a question so far.

        Raises:
            Forbidden: The person is blind on the book.
        """
        self._card(book)
        if not self.sees_others(book):
            raise Forbidden(f"rulings on {book} are not shown while annotation is blind")
        marks = self.project.rulings(book, question)
        return Timeline("", question, resolved(marks, self.project.card(book).chunks))

    def flags(self, book: str) -> tuple[tuple[Flag, int], ...]:
        """Flags with their revisions: everybody's where the person may see them, else their own."""
        self._card(book)
        people = self.project.annotators() if self.sees_others(book) else (self.person,)
        return tuple(pair for who in people for pair in self._flags(book, who.id))

    def wordings(self, book: str) -> tuple[tuple[str, Wording], ...]:
        """Wordings by question: everybody's where the person may see them, else their own."""
        self._card(book)
        people = self.project.annotators() if self.sees_others(book) else (self.person,)
        return tuple(pair for who in people for pair in self._wordings(book, who.id).items())

    def progress(self, book: str, annotator: str = "", *, start: int = 0) -> Progress:
        """How far somebody is.

        Args:
            book: A book of theirs.
            annotator: Who; the person where left out.
            start: The chunk from which what is open next is looked for, from the beginning again
                where nothing is after it.

        Raises:
            Forbidden: It is somebody else, and the person is blind on the book.
        """
        card = self._card(book)
        whose = annotator or self.me
        self._may_see(book, whose)
        rules = whose == self.me and self.adjudicates(book)
        held = {
            question: self._held(book, question, "" if rules else whose)
            for question in self._asked(book)
        }
        first = next(
            (
                (chunk, question)
                for chunk in (*range(start, card.chunks), *range(min(start, card.chunks)))
                for question, chunks in held.items()
                if chunk not in chunks
            ),
            None,
        )
        return Progress(card.chunks, {q: len(chunks) for q, chunks in held.items()}, first)

    def _asked(self, book: str) -> list[str]:
        """Ids of the questions that are in and that the person works on."""
        mine = self.project.store.row("assignment", (book, self.me))
        only = set(mine.value["questions"]) if mine else set()
        found = self.project.store.query(
            "SELECT question FROM question WHERE book = ? AND dropped = '' ORDER BY question",
            (book,),
        )
        return [str(name) for (name,) in found if not only or name in only]

    def _held(self, book: str, question: str, who: str) -> set[int]:
        """The chunks where somebody answered a question or confirmed what still holds."""
        kind, voice = ("mark", " AND annotator = ?") if who else ("adjudication", "")
        said = self.project.store.query(
            f"SELECT chunk, kind = 'choice', option FROM {kind}"
            f" WHERE book = ? AND question = ?{voice} ORDER BY chunk",
            (book, question, who) if who else (book, question),
        )
        confirmed: set[int] = set()
        carried = None
        for chunk, is_choice, option in said:
            if is_choice:
                carried = option
            if carried == option:
                confirmed.add(chunk)
        return confirmed


def _in_place(question: Question) -> Question:
    """A question whose options stand where they stay: its own first, then those that people added.

    Options are chosen by the number of their place, which an annotator learns; one that is added
    must not move the others.
    """

    def place(option: Option) -> tuple[bool, list[int | str]]:
        parts = re.split(r"([0-9]+)", option.id)  # so that o10 comes after o9
        numbered: list[int | str] = [int(part) if n % 2 else part for n, part in enumerate(parts)]
        return option.author not in ("", question.author), numbered

    return replace(question, options=tuple(sorted(question.options, key=place)))
