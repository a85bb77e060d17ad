"""Answers that were given elsewhere: read from any form, held to the rules, written as one action.

A reader of a form (`supersede.novels.sheet`, `rows`, `label_studio`) gives an `AnswerFile` for each
book. What it says becomes marks only if all of it can: a change without evidence, or with evidence
that is not in its chunk, is refused with its place (O-088), and then nothing is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from supersede.errors import UsageError, did_you_mean
from supersede.novels.annotations import (
    Mark,
    MarkKind,
    Option,
    OptionRole,
    Question,
    Span,
    resolved,
)
from supersede.novels.book import Book
from supersede.novels.changes import mark_change, option_change
from supersede.novels.log import Change
from supersede.novels.project import Project
from supersede.novels.quoting import Quotable
from supersede.novels.typed import says_something, tidy
from supersede.streams.oaks import is_catch_all

__all__ = ["AnswerFile", "Imported", "Problem", "Quote", "Said", "import_answers", "prepared"]


@dataclass(frozen=True, slots=True)
class Quote:
    """A passage as a file gives it."""

    text: str
    start: int | None = None
    """Its first code point in the chunk; None where the file does not say."""


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody said about a question at a chunk."""

    question: str
    chunk: int
    answer: str
    """The option's text; a new one where no option reads so."""
    quotes: tuple[Quote, ...] = ()
    note: str = ""
    option: str = ""
    """The option's id, where the file knows it."""
    where: str = ""
    """The place in the file."""


@dataclass(frozen=True, slots=True)
class AnswerFile:
    """What a file says about one book."""

    book: str
    said: tuple[Said, ...]
    questions: tuple[str, ...]
    """Those that it is about: where it says nothing about a chunk of theirs, nothing was said."""
    hashes: Mapping[int, str] = field(default_factory=dict)
    """Of the chunks, as far as the file knows them; a beginning of each will do."""
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Texts of the options that a question has in the file."""
    complete: bool = False
    """Whether the form has a row for each chunk, so that one that is missing was lost."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One place of a file that cannot be taken."""

    where: str
    what: str
    mend: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}. {self.mend}"


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import wrote."""

    book: str
    answers: int
    """Places where something is said now."""
    changed: int
    """Things that were written; 0 where all was there already."""
    options: tuple[tuple[str, str], ...]
    """Question and text of each new option."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """The changes that a file comes to, or why it cannot be taken."""

    changes: tuple[Change, ...]
    imported: Imported
    problems: tuple[Problem, ...]


def import_answers(project: Project, found: AnswerFile, annotator: str) -> Imported:
    """Writes the answers of a file as somebody's, as one action.

    What the person said before about the file's questions is replaced.

    Raises:
        UsageError: The book is not open for annotation, is not the person's, or something in the
            file cannot be taken; see `prepared` for everything that is wrong.
    """
    with project.store.transaction():
        ready = prepared(project, found, annotator)
        if ready.problems:
            first = ready.problems[0]
            raise UsageError(first.what, where=first.where, mend=first.mend)
        project.act(annotator, found.book, ready.changes)
    return ready.imported


def prepared(project: Project, found: AnswerFile, annotator: str) -> Prepared:
    """What importing a file would write, with everything that is wrong with it.

    Raises:
        UsageError: There is no such book or person, the book is not open for annotation, or it is
            not theirs.
    """
    card = project.card(found.book)
    project.annotator(annotator)
    if card.stage != "blind":
        raise UsageError(
            f"the book is {card.stage}: what annotators said stands still", where=found.book
        )
    if annotator not in project.assigned(found.book):
        raise UsageError(
            f"{found.book} is no book of {annotator}'s", mend="Assign it first: --assign."
        )
    book = project.book(found.book)
    asked = {question.id: question for question in project.questions(found.book)}
    problems = [*_drift(book, found.hashes), *_lost(book, found)]
    quotable = Quotable(book.chunks)
    changes: list[Change] = []
    new: list[tuple[str, str]] = []
    answers = 0
    by_question: dict[str, list[Said]] = {name: [] for name in found.questions}
    for one in found.said:
        by_question.setdefault(one.question, []).append(one)
    for name, said in by_question.items():
        if name not in asked:
            problems.append(
                Problem(
                    (said[0].where if said else "") or found.book,
                    f"there is no question {name!r}",
                    did_you_mean(name, asked) or "Add it first: supersede novel attach.",
                )
            )
            continue
        case = _Case(project, book, asked[name], annotator, quotable)
        case.take(said, found.options.get(name, ()))
        problems += case.problems
        changes += case.changes()
        new += [(name, option.text) for option in case.new]
        answers += len(case.marks)
    done = Imported(found.book, answers, len(changes), tuple(new))
    return Prepared(tuple(changes), done, tuple(problems))


def _drift(book: Book, hashes: Mapping[int, str]) -> list[Problem]:
    """The chunks whose text is not the one that the file was made of."""
    mend = "Export again: the file was made of another text."
    wrong = []
    for number, sha256 in sorted(hashes.items()):
        if not 0 <= number < len(book.chunks):
            what = f"there is no chunk {number}: the book has {len(book.chunks)}, counted from 0"
            wrong.append(Problem(book.id, what, mend))
        elif not book.chunks[number].sha256.startswith(sha256):
            what = f"the text of chunk {number} is another one than in the file"
            wrong.append(Problem(f"{book.id}, chunk {number}", what, mend))
    return wrong


def _lost(book: Book, found: AnswerFile) -> list[Problem]:
    """The chunks that a file has no row for, though it would: what was said there is not gone."""
    lost = [number for number in range(len(book.chunks)) if number not in found.hashes]
    if not found.complete or not lost:
        return []
    more = f" and {len(lost) - 1:,} more" if len(lost) > 1 else ""
    return [
        Problem(
            book.id,
            f"there is no row for chunk {lost[0]}{more}",
            "Put them back from the export: an empty answer says that nothing was said.",
        )
    ]


class _Case:
    """One question of one person, and what a file says about it."""

    def __init__(
        self,
        project: Project,
        book: Book,
        question: Question,
        annotator: str,
        quotable: Quotable,
    ) -> None:
        self.project, self.book, self.annotator = project, book, annotator
        self.quotable = quotable
        self.question = question
        self.new: list[Option] = []
        self.marks: dict[int, Mark] = {}
        self.problems: list[Problem] = []

    def take(self, said: Sequence[Said], listed: Sequence[str]) -> None:
        """Makes marks of what is said, in order of the chunks; notes what cannot be taken."""
        if self.question.dropped and said:
            self._refuse(said[0], f"the question is out: {self.question.dropped}", "Leave it out.")
            return
        for text in listed:
            if says_something(text):
                self._option(tidy(text))
        carried: str | None = None
        for one in sorted(said, key=lambda one: one.chunk):
            if not 0 <= one.chunk < len(self.book.chunks):
                what = f"there is no chunk {one.chunk}: the book has {len(self.book.chunks)}"
                self._refuse(one, what, "Chunks count from 0.")
                continue
            if one.chunk in self.marks:
                self._refuse(one, f"a second answer at chunk {one.chunk}", "Keep one.")
                continue
            if not says_something(one.answer):
                self._refuse(one, "the answer says nothing", "Write it in words.")
                continue
            option = self._option(tidy(one.answer), one.option)
            spans = self._spans(one)
            changed = option.id != carried
            carried = option.id
            if changed and not one.quotes and option.role is not OptionRole.CATCH_ALL:
                self._refuse(
                    one,
                    f"the answer becomes {option.text!r} without evidence",
                    "Copy the sentence of this chunk that tells it.",
                )
            kind = MarkKind.CHOICE if changed else MarkKind.CONFIRMATION
            self.marks[one.chunk] = Mark(one.chunk, kind, option.id, spans, tidy(one.note))

    def changes(self) -> list[Change]:
        """What has to be written; nothing where the person has said the same before."""
        place = (self.book.id, self.question.id)
        changes = [option_change(*place, option) for option in self.new]
        now = self.project.marks(*place, self.annotator)
        chunks = len(self.book.chunks)
        if resolved(now, chunks) == resolved(self.marks, chunks):
            return changes
        rows = self.project.store.rows(
            "mark", book=place[0], question=place[1], annotator=self.annotator
        )
        bases = {int(key[3]): row.revision for key, row in rows}
        for chunk in sorted(now.keys() | self.marks.keys()):
            mark, base = self.marks.get(chunk), bases.get(chunk, 0)
            if mark is None:
                key = (*place, self.annotator, chunk)
                changes.append(Change("mark", key, None, base))
            elif mark != now.get(chunk):
                changes.append(mark_change(*place, self.annotator, mark, base))
        return changes

    def _option(self, text: str, name: str = "") -> Option:
        """The option that reads so; a new one of the person's where none does."""
        known = self.question.option(name) if name else None
        if known is not None and _folded(known.text) == _folded(text):
            return known
        catch_all = self.question.catch_all
        if is_catch_all(text) and catch_all is not None:
            return catch_all  # it reads otherwise in streams than with us
        mine = [o for o in self.question.options if o.shared or o.author in ("", self.annotator)]
        for option in (*mine, *self.new):
            if _folded(option.text) == _folded(text):
                return option
        taken = {option.id for option in (*self.question.options, *self.new)}
        number = next(n for n in range(1, len(taken) + 2) if f"{self.annotator}.{n}" not in taken)
        option = Option(
            f"{self.annotator}.{number}",
            " ".join(text.split()),
            author=self.annotator,
            shared=False,
        )
        self.new.append(option)
        return option

    def _spans(self, one: Said) -> tuple[Span, ...]:
        chunk = self.book.chunks[one.chunk]
        spans = []
        for quote in one.quotes:
            place = self._place(one.chunk, quote)
            if place is None:
                elsewhere = [span.chunk for span in self.quotable.found(quote.text)]
                other = next((number for number in elsewhere if number != one.chunk), None)
                there = f"; it stands in chunk {other}" if other is not None else ""
                shown = quote.text if len(quote.text) <= 60 else f"{quote.text[:57]}..."
                self._refuse(
                    one,
                    f"chunk {one.chunk} does not read {shown!r}{there}",
                    "Copy the sentence from this very chunk.",
                )
                continue
            start, end = place
            spans.append(Span(one.chunk, start, end, chunk.text[start:end], chunk.sha256))
        return tuple(spans)

    def _place(self, chunk: int, quote: Quote) -> tuple[int, int] | None:
        """Where a passage stands: word for word, or but for what programs do to marks and spaces.

        Without its place in the file it is the first one that reads so.
        """
        text = self.book.chunks[chunk].text
        wanted = quote.text if quote.start is not None else quote.text.strip()
        start = text.find(wanted, quote.start or 0)
        if wanted and start >= 0 and quote.start in (None, start):
            return start, start + len(wanted)
        if quote.start is not None:
            return None
        found = [span for span in self.quotable.found(wanted) if span.chunk == chunk]
        return (found[0].start, found[0].end) if found else None

    def _refuse(self, one: Said, what: str, mend: str) -> None:
        place = f"{self.book.id}, {self.question.id}, chunk {one.chunk}"
        where = f"{one.where}: {place}" if one.where else place
        self.problems.append(Problem(where, what, mend))


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
