"""What people say about a book: questions, answers at every chunk, evidence and flags.

All of it is plain frozen data, read out of a project or made in a test; checks, agreement and
exports need nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

__all__ = [
    "BookAnnotations",
    "Cell",
    "Draft",
    "DraftAnswer",
    "DropReason",
    "Flag",
    "FlagReason",
    "Mark",
    "MarkKind",
    "Option",
    "OptionRole",
    "Question",
    "Reformulation",
    "Review",
    "Span",
    "Timeline",
    "Work",
    "resolved",
]


class Reformulation(StrEnum):
    """How a question was made to have one answer at a time (O-093, O-094)."""

    NONE = ""
    TEMPORAL_ANCHORING = "temporal-anchoring"
    """From an evolution as a whole to the state now."""
    CUMULATIVE_TO_INCREMENTAL = "cumulative-to-incremental"
    """From all that has gathered to the newest of it."""
    OTHER = "other"
    """Another change of wording."""


class OptionRole(StrEnum):
    """What an option is there for (O-095)."""

    ANSWER = "answer"
    DISTRACTOR = "distractor"
    CATCH_ALL = "catch-all"
    """Right where the question cannot be answered yet; a question has at most one."""


class FlagReason(StrEnum):
    """What is wrong with a question, seen at a chunk (O-089)."""

    SEVERAL_VALID = "several-options-valid"
    UNSUPPORTED = "option-unsupported"
    ONE_CHUNK = "answerable-from-one-chunk"


class DropReason(StrEnum):
    """Which filter takes a question out; a person may say it in other words (O-090 to O-092)."""

    STITCHED = "stitched-together"
    """It only puts pieces of several chunks together, and tracks no state."""
    ONE_CHANGE = "one-change"
    """Its state changes once, and no chunk but that one is needed."""
    UNSUPPORTED = "options-unsupported"
    """Its options have no support around them, or stand in one chunk together."""


class MarkKind(StrEnum):
    """What an annotator said at a chunk."""

    CHOICE = "choice"
    """The answer is this option from here on."""
    CONFIRMATION = "confirmation"
    """The answer that was carried here still holds; it lapses where another one is carried here."""


@dataclass(frozen=True, slots=True)
class Span:
    """A marked passage of one chunk."""

    chunk: int
    start: int
    """First code point in the chunk's text, from zero."""
    end: int
    """One after the last code point."""
    quote: str
    """The passage itself, `text[start:end]`."""
    chunk_sha256: str
    """Of the chunk's text when it was marked."""


@dataclass(frozen=True, slots=True)
class Option:
    """One answer that may be chosen."""

    id: str
    """Unique in its question; letters are given at export only."""
    text: str
    role: OptionRole = OptionRole.ANSWER
    author: str = ""
    """The annotator who added it; empty where it came with the question."""
    shared: bool = True
    """Whether everybody sees it; one added in blind work is its author's until it is shared."""
    same_as: str = ""
    """The option that says the same, by which agreement and export read it."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a book."""

    id: str
    """Unique in its book."""
    text: str
    options: tuple[Option, ...] = ()
    original: str = ""
    """The first wording, where it is another one now."""
    reformulation: Reformulation = Reformulation.NONE
    entity: str = ""
    """Whom or what it is about."""
    type: str = ""
    """What kind of state it tracks, in the project's own words."""
    dropped: str = ""
    """Why it is out, a `DropReason` or other words; empty while it is in."""
    author: str = ""
    """Who wrote it: a model, a person, a file."""

    def option(self, name: str) -> Option | None:
        """The option of that id, or None."""
        return next((option for option in self.options if option.id == name), None)

    def canonical(self, name: str) -> str:
        """The id that an option counts as: `same_as`, followed to its end."""
        seen = {name}
        found = self.option(name)
        while found is not None and found.same_as and found.same_as not in seen:
            name = found.same_as
            seen.add(name)
            found = self.option(name)
        return name

    @property
    def catch_all(self) -> Option | None:
        """The option that says that it cannot be answered yet."""
        return next((o for o in self.options if o.role is OptionRole.CATCH_ALL), None)


@dataclass(frozen=True, slots=True)
class Mark:
    """What was said at one chunk; chunks without one carry the answer before them."""

    chunk: int
    kind: MarkKind
    option: str
    """Id of the option chosen, or of the one that was carried here and confirmed."""
    evidence: tuple[Span, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """The answer to a question at one chunk."""

    option: str | None
    """Id of the option; None before the first choice."""
    confirmed: bool = False
    """Whether somebody said so at this chunk; else it is only carried forward."""
    changed: bool = False
    """Whether another option (or none) held at the chunk before."""
    evidence: tuple[Span, ...] = ()
    """What was marked at this chunk."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Timeline:
    """One person's answers to one question, chunk by chunk."""

    annotator: str
    question: str
    cells: tuple[Cell, ...]
    """One for each chunk of the book."""

    @property
    def answers(self) -> tuple[str | None, ...]:
        """The option at each chunk."""
        return tuple(cell.option for cell in self.cells)

    @property
    def change_points(self) -> tuple[int, ...]:
        """The chunks where the answer becomes another one, the first answer included."""
        return tuple(chunk for chunk, cell in enumerate(self.cells) if cell.changed)

    @property
    def complete(self) -> bool:
        """Whether somebody answered or confirmed at every chunk."""
        return all(cell.confirmed for cell in self.cells)


@dataclass(frozen=True, slots=True)
class Flag:
    """A doubt about a question, raised at a chunk."""

    annotator: str
    question: str
    chunk: int
    reason: FlagReason
    note: str = ""


@dataclass(frozen=True, slots=True)
class Review:
    """That somebody went over a question, its options and answers (O-101)."""

    annotator: str
    question: str
    agreed: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class DraftAnswer:
    """One answer that a model gave with a question that it drafted."""

    answer: str
    source: str
    """What the model quoted for it."""
    span: Span | None = None
    """Where that stands; None where it was not found."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A question that a model drafted, kept or not (O-084)."""

    id: str
    """Unique in its book."""
    entity: str
    text: str
    answers: tuple[DraftAnswer, ...]
    kept: bool
    reason: str = ""
    """Why it was dropped; empty where it was kept."""
    question: str = ""
    """Id of the question that was made of it; empty where none was."""
    model: str = ""


@dataclass(frozen=True, slots=True)
class Work:
    """What one annotator did on one book, in all (O-085)."""

    annotator: str
    hours: float
    pay: float = 0.0
    currency: str = ""


@dataclass(frozen=True, slots=True)
class BookAnnotations:
    """All that was said about one book."""

    book: str
    """Id of the book."""
    title: str
    chunks: tuple[str, ...]
    """The texts, in order."""
    questions: tuple[Question, ...]
    """Dropped ones too."""
    timelines: tuple[Timeline, ...]
    """Of every annotator who marked anything, in order of question and annotator; options are
    those chosen, not yet read through `same_as`."""
    adjudicated: tuple[Timeline, ...] = ()
    """What adjudication decided, for the questions where it decided anything."""
    flags: tuple[Flag, ...] = ()
    reviews: tuple[Review, ...] = ()
    drafts: tuple[Draft, ...] = ()
    work: tuple[Work, ...] = ()

    def of(self, question: str) -> tuple[Timeline, ...]:
        """Every annotator's timeline of one question."""
        return tuple(line for line in self.timelines if line.question == question)

    def decided(self, question: str) -> Timeline | None:
        """What counts as the answer: the adjudicated timeline, else that of the only annotator."""
        ruled = [line for line in self.adjudicated if line.question == question]
        lines = ruled or list(self.of(question))
        return lines[0] if len(lines) == 1 else None


def resolved(marks: Mapping[int, Mark], chunks: int) -> tuple[Cell, ...]:
    """The answers at every chunk that some marks stand for.

    A choice holds until the next one. A confirmation counts only where what is carried to it is
    still the option that was confirmed: after a change further up it lapses, and after that change
    is undone it counts again.

    Args:
        marks: By chunk.
        chunks: How many chunks the book has.
    """
    cells: list[Cell] = []
    carried: str | None = None
    for chunk in range(chunks):
        mark = marks.get(chunk)
        if mark is None:
            cells.append(Cell(carried))
        elif mark.kind is MarkKind.CHOICE:
            changed = mark.option != carried
            carried = mark.option
            cells.append(Cell(carried, True, changed, mark.evidence, mark.note))
        else:
            cells.append(Cell(carried, mark.option == carried, False, mark.evidence, mark.note))
    return tuple(cells)
