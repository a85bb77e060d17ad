"""Paragraphs into chunks of a size that nothing exceeds."""

from __future__ import annotations

import re
import unicodedata
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
_END = re.compile("[.!?\u3002\uff01\uff1f\u061f\u06d4\u0964][\u300d\u300f\uff09\"')]*")
_JOINER = "\u200d"


def chunks_of(
    paragraphs: Sequence[Paragraph], counter: TokenCounter, tokens: int = CHUNK_TOKENS
) -> tuple[Chunk, ...]:
    """A narrative in chunks (O-080).

    Each takes as many whole paragraphs as it can hold. A paragraph that alone is longer than a
    chunk begins one and is cut after sentences, a sentence that is longer between words, and a word
    that is longer, as in scripts without spaces, between signs. Joined by empty lines, and cut
    paragraphs by a space where they had one, the chunks are the narrative again.

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
    """Parts put together while they fit; one that alone does not is cut between words.

    What is left of one that was cut stands alone, unless the parts after it fit there too.
    """
    start, left = 0, ""  # the next part, and what is left of the one before
    while start < len(parts) or left:
        end = _fitting(parts, start, left, counter, tokens)
        text = " ".join([*filter(None, [left]), *parts[start:end]])
        if end > start or left:
            if end == len(parts):
                yield text
                return
            yield text
            start, left = end, ""
            continue
        part = parts[start]
        words = part.split(" ") if " " in part else ()
        *whole, left = _filled(words, counter, tokens) if words else _cut(part, counter, tokens)
        yield from whole
        start += 1


def _fitting(
    parts: Sequence[str], start: int, left: str, counter: TokenCounter, tokens: int
) -> int:
    """One after the last of the parts that fit together, found in few countings."""

    def fits(end: int) -> bool:
        return counter.count(" ".join([*filter(None, [left]), *parts[start:end]])) <= tokens

    step = 1
    while start + step <= len(parts) and fits(start + step):
        step *= 2
    low, high = start + step // 2, min(start + step, len(parts) + 1)
    if step == 1:
        return start
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _cut(word: str, counter: TokenCounter, tokens: int) -> Iterator[str]:
    """A word in pieces that fit, cut where a sentence ends if that is near the middle."""
    if len(word) < 2 or counter.count(word) <= tokens:
        yield word
        return
    middle = len(word) // 2
    ends = [match.end() for match in _END.finditer(word, middle // 2, middle + middle // 2)]
    place = min(ends, key=lambda end: abs(end - middle), default=middle)
    while place < len(word) - 1 and _joins(word[place - 1], word[place]):
        place += 1
    yield from _cut(word[:place], counter, tokens)
    yield from _cut(word[place:], counter, tokens)


def _joins(before: str, sign: str) -> bool:
    """Whether a sign is a part of what one sees before it."""
    return _JOINER in (before, sign) or unicodedata.category(sign).startswith("M")
