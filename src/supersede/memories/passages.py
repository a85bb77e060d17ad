"""A chunk in passages of about one length, cut between paragraphs or sentences."""

from __future__ import annotations

import re
from collections.abc import Callable

from supersede.streams.prose import sentences

_BREAKS = re.compile(r"(?<=\n)(?=\S)")
_LAST_LETTER = 300


def passages(text: str, tokens: int | None, count: Callable[[str], int]) -> tuple[str, ...]:
    """A text in passages that together are the text but for space between them.

    Args:
        text: The text.
        tokens: What a passage may have; a sentence that is longer stays whole. None for one
            passage.
        count: Counts tokens.

    Returns:
        At least one passage; paragraphs stay together where they fit.
    """
    if tokens is None or count(text) <= tokens:
        return (text,)
    found, current, size = [], "", 0
    for piece in _pieces(text, tokens, count):
        length = count(piece)
        if current.strip() and size + length > tokens:
            found.append(current.strip())
            current, size = "", 0
        current += piece
        size += length
    return (*found, current.strip()) if current.strip() else tuple(found) or (text,)


def _pieces(text: str, tokens: int, count: Callable[[str], int]) -> list[str]:
    """Lines with the space after them, and sentences of lines that are too long."""
    found: list[str] = []
    for line in _BREAKS.split(text):
        if count(line) <= tokens:
            found.append(line)
            continue
        bare = line.rstrip()
        parts = sentences(bare)
        found += (f"{part} " for part in parts[:-1])
        found.append(parts[-1] + line[len(bare) :])
    return found


def first_sentence(text: str) -> str:
    """The first sentence of a text in one line, or the beginning of a long one; may be empty."""
    lines = text.strip().splitlines()
    return sentences(lines[0])[0][:_LAST_LETTER].strip() if lines else ""
