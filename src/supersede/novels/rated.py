"""What several annotators said about one question, side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from supersede.novels.annotations import BookAnnotations, Question, Timeline
from supersede.novels.answers import canonical

__all__ = ["Evidence", "Rated", "rated"]

_WORD = re.compile(r"\w+")

Evidence = frozenset[tuple[int, int]]
"""The words of a passage: chunk, and first code point of each."""


@dataclass(frozen=True)
class Rated:
    """One question that two or more people answered, each apart."""

    book: str
    question: Question
    answers: Mapping[str, tuple[str | None, ...]]
    """Option at each chunk, by annotator; None where they gave none, or had not come so far."""
    evidence: Mapping[str, Mapping[int, Evidence]]
    """The words marked at a chunk, by annotator."""

    @property
    def annotators(self) -> tuple[str, ...]:
        """Who answered, by id."""
        return tuple(sorted(self.answers))

    @property
    def pairs(self) -> Iterator[tuple[str, str]]:
        """Every two of them."""
        return combinations(self.annotators, 2)

    @cached_property
    def changes(self) -> Mapping[str, tuple[tuple[int, str], ...]]:
        """Chunk and new answer of each change, by annotator.

        What is said at the first chunk is no change: there is no chunk before it.
        """
        return {
            who: tuple(
                (n, option)
                for n, option in enumerate(said)
                if n and option is not None and option != said[n - 1]
            )
            for who, said in self.answers.items()
        }

    def changed(self, people: Sequence[str]) -> set[int]:
        """The chunks where one of some people changes the answer."""
        return {chunk for who in people for chunk, _ in self.changes[who]}

    def compared(
        self, first: str, second: str
    ) -> tuple[tuple[tuple[int, str], ...], tuple[tuple[int, str], ...]]:
        """Changes of two people at the chunks where both gave an answer.

        Beyond where one of them stopped, the other's changes are nothing that they missed.
        """
        mine, theirs = self.answers[first], self.answers[second]
        return (
            tuple(change for change in self.changes[first] if theirs[change[0]] is not None),
            tuple(change for change in self.changes[second] if mine[change[0]] is not None),
        )

    def values(self, chunk: int) -> list[str]:
        """What was said at a chunk, by whoever said something."""
        said = (self.answers[who][chunk] for who in self.annotators)
        return [option for option in said if option is not None]

    @property
    def chunks(self) -> int:
        """How many the book has."""
        return len(next(iter(self.answers.values())))


def rated(said: BookAnnotations) -> tuple[Rated, ...]:
    """The questions of a book that two or more people answered.

    Dropped questions are left out, and so are rulings: they were made in knowledge of the answers.
    An answer is carried forward by itself; but nobody is taken to have answered beyond the last
    chunk where they said anything about any question of the book.
    """
    reached = {
        who: max(_last(line) for line in said.timelines if line.annotator == who)
        for who in {line.annotator for line in said.timelines}
    }
    words = _Words(said.chunks)
    found = []
    for question in said.questions:
        lines = [canonical(question, line) for line in said.of(question.id)]
        answers = {
            line.annotator: tuple(
                option if chunk <= reached[line.annotator] else None
                for chunk, option in enumerate(line.answers)
            )
            for line in lines
        }
        if len(answers) > 1 and not question.dropped:
            marked = {line.annotator: dict(_marked(line, words)) for line in lines}
            found.append(Rated(said.book, question, answers, marked))
    return tuple(found)


class _Words:
    """Where the words of chunks stand, looked for only where something is marked."""

    def __init__(self, chunks: Sequence[str]) -> None:
        self._chunks = chunks
        self._found: dict[int, list[tuple[int, int]]] = {}

    def of(self, chunk: int) -> list[tuple[int, int]]:
        """First code point of each word of a chunk, and one after its last."""
        if chunk not in self._found:
            text = self._chunks[chunk]
            self._found[chunk] = [match.span() for match in _WORD.finditer(text)]
        return self._found[chunk]


def _last(line: Timeline) -> int:
    """The last chunk where somebody said something; -1 for none."""
    return max((chunk for chunk, cell in enumerate(line.cells) if cell.confirmed), default=-1)


def _marked(line: Timeline, words: _Words) -> Iterator[tuple[int, Evidence]]:
    for chunk, cell in enumerate(line.cells):
        marked = frozenset(
            (chunk, start)
            for span in cell.evidence
            if span.chunk == chunk
            for start, end in words.of(chunk)
            if start < span.end and span.start < end
        )
        if marked:
            yield chunk, marked
