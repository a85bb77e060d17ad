"""A document: prose cut into chunks of a given length, with the facts put in between sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from supersede.corpus.tokens import TokenCounter
from supersede.errors import UsageError
from supersede.streams.background import Paragraph
from supersede.streams.prose import gaps
from supersede.worlds.streams import Draw

FULL = 0.97
"""A chunk filled to this share ends at a paragraph rather than inside the next one."""


def spread(draw: Draw, facts: int, chunks: int, most: int) -> list[int]:
    """For each fact its chunk, in rising order: drawn evenly, at most `most` in one.

    Raises:
        UsageError: There are more facts than the chunks can hold.
    """
    if facts > most * chunks:
        raise UsageError(
            f"{facts:,} facts do not fit into {chunks:,} chunks of this size",
            mend=f"Ask for at most {most * chunks:,} facts, or for larger or more chunks.",
        )
    counts = [0] * chunks
    for _ in range(facts):
        chunk = int(draw() * chunks)
        while counts[chunk] >= most:
            chunk = (chunk + 1) % chunks
        counts[chunk] += 1
    return [chunk for chunk, count in enumerate(counts) for _ in range(count)]


class Typesetter:
    """Cuts a flow of paragraphs into chunks, and puts facts into them."""

    def __init__(
        self, prose: Iterable[Paragraph], counter: TokenCounter, size: int, draw: Draw
    ) -> None:
        """A typesetter of one document.

        Args:
            prose: Its paragraphs, more than enough.
            counter: Counts tokens.
            size: Most tokens of a chunk.
            draw: The stream `places`, which decides where in its chunk a fact stands.
        """
        self._prose = iter(prose)
        self._rest: Paragraph | None = None
        self._counter = counter
        self._size = size
        self._draw = draw
        self._break = counter.count("\n\n")

    def chunk(self, facts: Sequence[str]) -> str:
        """The text of the next chunk, with these facts in their order.

        Raises:
            UsageError: The prose has come to its end.
        """
        reserved = sum(self._counter.count(f" {fact}") for fact in facts)
        parts = self._fill(self._size - reserved)
        points = sorted(self._draw() for _ in facts)
        while True:
            text = _joined(parts, _placed(parts, points, facts))
            if self._counter.count(text) <= self._size or sum(map(len, parts)) <= 1:
                return text
            parts[-1].pop()  # a tokenizer may count a whole a little longer than its parts
            if not parts[-1]:
                parts.pop()

    def _fill(self, room: int) -> list[list[str]]:
        """Paragraphs in sentences that together have at most `room` tokens."""
        parts: list[list[str]] = []
        used = 0
        while True:
            paragraph = self._next()
            whole = sum(paragraph.tokens) + self._break
            if used + whole <= room:
                parts.append(list(paragraph.sentences))
                used += whole
                continue
            if used < FULL * room or not parts:
                head, paragraph = _split(paragraph, room - used - self._break)
                if head:
                    parts.append(head)
            self._rest = paragraph
            return parts

    def _next(self) -> Paragraph:
        if self._rest is not None:
            paragraph, self._rest = self._rest, None
            return paragraph
        found = next(self._prose, None)
        if found is None:
            raise UsageError(
                "the background has come to its end inside a document",
                mend="Add books, or ask for fewer or smaller chunks.",
            )
        return found


def _split(paragraph: Paragraph, room: int) -> tuple[list[str], Paragraph]:
    """The sentences that still go into a chunk, and the paragraph of the others."""
    taken = 0
    while taken < len(paragraph.tokens) and room >= paragraph.tokens[taken]:
        room -= paragraph.tokens[taken]
        taken += 1
    rest = Paragraph(paragraph.sentences[taken:], paragraph.tokens[taken:])
    return list(paragraph.sentences[:taken]), rest


def _placed(
    parts: Sequence[Sequence[str]], points: Sequence[float], facts: Sequence[str]
) -> list[tuple[tuple[int, int], str]]:
    """Each fact with its place: paragraph, and sentence that it stands before."""
    places = [(row, gap) for row, part in enumerate(parts) for gap in gaps(part)]
    return [
        (places[int(point * len(places))], fact) for point, fact in zip(points, facts, strict=True)
    ]


def _joined(parts: Sequence[Sequence[str]], facts: Sequence[tuple[tuple[int, int], str]]) -> str:
    """The text of a chunk: each fact before the sentence of its place."""

    def line(row: int, sentences: Sequence[str]) -> Iterator[str]:
        for gap in range(len(sentences) + 1):
            yield from (fact for place, fact in facts if place == (row, gap))
            yield from sentences[gap : gap + 1]

    return "\n\n".join(" ".join(line(row, sentences)) for row, sentences in enumerate(parts))
