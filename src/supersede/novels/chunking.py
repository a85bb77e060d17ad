"""Paragraphs into chunks of a size that nothing exceeds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from supersede.corpus.tokens import TokenCounter
from supersede.novels.book import Chunk, digest
from supersede.novels.narrative import Paragraph
from supersede.streams.prose import sentences

__all__ = ["CHUNK_TOKENS", "chunks_of"]

CHUNK_TOKENS = 2_000
"""Of the published data (O-080)."""

_BETWEEN = "\n\n"


def chunks_of(
    paragraphs: Sequence[Paragraph], counter: TokenCounter, tokens: int = CHUNK_TOKENS
) -> tuple[Chunk, ...]:
    """A narrative in chunks (O-080).

    Each takes as many whole paragraphs as it can hold. A paragraph that alone is longer than a
    chunk begins one and is cut after sentences, a sentence that is longer between words. Joined by
    empty lines, and cut paragraphs by a space, the chunks are the narrative again.

    Args:
        paragraphs: The narrative.
        counter: Counts tokens.
        tokens: Most that a chunk has.
    """
    gathered: list[Chunk] = []
    texts: list[str] = []
    chapters: list[str] = []

    def close() -> None:
        if texts:
            text = _BETWEEN.join(texts)
            inside = tuple(dict.fromkeys(filter(None, chapters)))
            size = counter.count(text)
            first = chapters[0]
            gathered.append(Chunk(len(gathered), text, first, digest(text), size, inside))
            texts.clear()
            chapters.clear()

    for piece in _pieces(paragraphs, counter, tokens):
        if piece.cut or counter.count(_BETWEEN.join([*texts, piece.text])) > tokens:
            close()
        texts.append(piece.text)
        chapters.append(piece.chapter)
    close()
    return tuple(gathered)


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    chapter: str
    cut: bool
    """Whether it goes on with the paragraph before it, or begins one that will be cut."""


def _pieces(
    paragraphs: Sequence[Paragraph], counter: TokenCounter, tokens: int
) -> Iterator[_Piece]:
    for text, chapter in paragraphs:
        if counter.count(text) <= tokens:
            yield _Piece(text, chapter, False)
            continue
        for part in _filled(sentences(text), counter, tokens):
            yield _Piece(part, chapter, True)


def _filled(parts: Sequence[str], counter: TokenCounter, tokens: int) -> Iterator[str]:
    """Parts put together while they fit; one that alone does not is cut between words."""
    text = ""
    for part in parts:
        longer = f"{text} {part}" if text else part
        if counter.count(longer) <= tokens:
            text = longer
            continue
        if text:
            yield text
        text = part
        if counter.count(part) > tokens and " " in part:
            *whole, text = _filled(part.split(" "), counter, tokens)
            yield from whole
    if text:
        yield text
