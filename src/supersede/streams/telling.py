"""A history as it is told chunk by chunk: answers at the ends of chunks, and what changed them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from supersede.model.question import Question
from supersede.model.record import History
from supersede.model.stream import Evidence
from supersede.questions.facts import facts_of
from supersede.questions.forms import Line, form_text
from supersede.questions.index import Index
from supersede.questions.reading import true_reading
from supersede.questions.registry import Given, find_operator
from supersede.questions.view import View
from supersede.specs.schema import Specification
from supersede.streams.serialize import shared
from supersede.worlds.ledger import Ledger
from supersede.worlds.program import compile_specification
from supersede.worlds.replay import replay

UNKNOWN = ("Unknown",)
MOST_SLOTS = 2
"""An answer with more blanks is not asked for: one line could hardly hold it."""


@dataclass(frozen=True, slots=True)
class Told:
    """A question with its accepted answers at the end of each chunk."""

    question: Question
    text: str
    answers: tuple[tuple[str, ...], ...]


class Telling:
    """A history, told in chunks of one or more blocks."""

    def __init__(
        self, spec: Specification, history: History, blocks: Sequence[str], blocks_per_chunk: int
    ) -> None:
        """The telling of a history.

        Args:
            spec: The specification of its world.
            history: What happened.
            blocks: The text of each block, as the writer gives it.
            blocks_per_chunk: How many of them one chunk shows.
        """
        self.spec = spec
        self.history = history
        self.world = compile_specification(spec).world
        firsts = range(0, history.blocks, blocks_per_chunk)
        spans = [(first, min(first + blocks_per_chunk, history.blocks)) for first in firsts]
        self.chunks = tuple("\n\n".join(blocks[first:end]) for first, end in spans)
        self.ends = [end for _, end in spans]
        self._blocks = blocks
        self._facts = facts_of(self.world, spec)
        self._cuts = [self._view(replay(self.world, history, cut=end), end) for end in self.ends]
        self._seen: dict[str, tuple[int, int]] = {}
        for record in history.records:
            for named in (record.id, *(mint.entity for mint in record.mints)):
                self._seen.setdefault(named, (record.block, record.position))

    def told(self, question: Question) -> Told | None:
        """A question with its answers; None where one line could not hold them.

        That is so where they have too many blanks, or where one is a list, whose order would decide
        about a match.
        """
        operator, given = find_operator(question.operator), Given(question.parameters)
        last = len(self.history.records)
        answers: list[tuple[str, ...]] = []
        lines: Sequence[Line] = ()
        for view, end in zip(self._cuts, self.ends, strict=True):
            lines = operator.solve(view, given)
            if len(lines) > MOST_SLOTS or any(", " in line.expected for line in lines):
                return None
            come = self._has_come(question, end, last)
            answers.append(_accepted(lines) if come else UNKNOWN)
        body, _, _ = question.text.rpartition("\n")
        return Told(question, f"{body}\n{_form(lines)}", shared(answers))

    def evidence(self, asked: Sequence[Told]) -> list[tuple[Evidence | None, ...]]:
        """For each question, at every interval, the line whose record changed the answer last.

        Where a block changes the answer by its mere beginning, that line is its heading; before the
        first change there is none.
        """
        nothing = self._view(Ledger(self.world), 1)
        now = [self._answer(told.question, nothing, 0, -1) for told in asked]
        since: list[Evidence | None] = [None for _ in asked]
        found: list[list[Evidence | None]] = [[] for _ in asked]
        for chunk, steps in enumerate(self._steps()):
            changing = [n for n, told in enumerate(asked) if told.answers[chunk] != now[n]]
            for ledger, block, line in steps:
                view = self._view(ledger, block) if changing else nothing
                for n in changing:
                    posted = len(ledger.records) - 1
                    answer = self._answer(asked[n].question, view, block, posted)
                    if answer != now[n]:
                        now[n] = answer
                        since[n] = Evidence(chunk, line)
            for n, pieces in enumerate(found):
                pieces.append(None if now[n] == UNKNOWN else since[n])
        return [tuple(pieces) for pieces in found]

    def _steps(self) -> Iterator[Iterator[tuple[Ledger, int, str]]]:
        """For each chunk its steps, to be taken in this order: ledger, block and line.

        A step is the beginning of a block, or a record that has just been posted.
        """
        ledger = Ledger(self.world)
        records = self.history.records

        def through(first: int, end: int) -> Iterator[tuple[Ledger, int, str]]:
            for block in range(first, end + 1):
                lines = self._blocks[block - 1].split("\n")
                yield ledger, block, lines[0]
                for record in records[len(ledger.records) :]:
                    if record.block > block:
                        break
                    ledger.post(record)
                    starts = (f"{record.id} ", f"{record.id}:")
                    yield ledger, block, next(line for line in lines if line.startswith(starts))

        firsts = [1, *(end + 1 for end in self.ends)]
        return (through(first, end) for first, end in zip(firsts, self.ends, strict=False))

    def _answer(self, question: Question, view: View, block: int, position: int) -> tuple[str, ...]:
        """The answer on a view; Unknown while not all that the question names has come."""
        if not self._has_come(question, block, position):
            return UNKNOWN
        lines = find_operator(question.operator).solve(view, Given(question.parameters))
        return _accepted(lines)

    def _has_come(self, question: Question, block: int, position: int) -> bool:
        for name, value in question.parameters.items():
            if name.rstrip("2") in ("first", "block") and int(str(value)) > block:
                return False
            for named in value if isinstance(value, tuple) else (value,):
                posted = self._seen.get(str(named), (0, -1))
                if posted[0] > block or posted[1] > position:
                    return False
        return True

    def _view(self, ledger: Ledger, block: int) -> View:
        index = Index(self._facts, ledger.records, block)
        return View(index, true_reading(index, ledger))


def _accepted(lines: Sequence[Line]) -> tuple[str, ...]:
    """An answer with and without the names of its blanks; the form that is asked for first."""
    bare = "; ".join(line.expected for line in lines)
    named = "; ".join(f"{line.slot} = {line.expected}" for line in lines)
    return (bare, named) if len(lines) == 1 else (named, bare)


def _form(lines: Sequence[Line]) -> str:
    """How the answer is to be given."""
    if len(lines) == 1:
        return f"Give it in this form: <{lines[0].hint}>"
    return f"Give it in this form: {form_text(lines).removeprefix('Answer: ')}"
