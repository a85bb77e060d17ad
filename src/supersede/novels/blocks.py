"""A source as blocks: paragraphs, headings and what else stands between two empty lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

__all__ = ["CONTENTS", "Block", "Source", "clean_line", "joined", "text_blocks"]

CONTENTS = "table of contents"
"""Why a block is out that the markup shows to be an entry of one."""

_EMPHASIS = re.compile(r"(?<!\w)(_{1,2})(?=[^\s_])([^_]*?[^\s_])\1(?!\w)")
_LONE = re.compile(r"(?<!_)_(?!_)")
"""Half of an emphasis that goes over several paragraphs; several in a row are a blank, "17__"."""
_CONTROL = {**dict.fromkeys([*range(9), *range(14, 32), *range(127, 160)], ""), 11: " ", 133: " "}
"""Signs that steer a terminal or a printer, but for tabs and the ends of lines and pages."""
_GONE = _CONTROL | str.maketrans(
    {"\u00ad": "", "\u200b": "", "\u2060": "", "\ufeff": "", "\u00a0": " "}
)
_GAP = re.compile(r"\n(?:[ \t]*\n)+")
_ENDED = re.compile(r"[.!?:,;…—-][\"'”\u2019)\]_]*$")
_BEGINS = re.compile(r"[\"'“\u2018(\[_—\u2013-]*[A-Z0-9]")

_NARROW = 0.85
"""Verse is narrower than this share of the page."""
_CAPITALS = 0.8
"""Least share of the lines of verse, after its first, that begin with a capital."""
_SHORT = 0.7
"""A line that was ended on purpose is shorter than this share of the longest beside it."""
_ROOM = 8
"""Signs of room that a line has left after the next word, where it was ended on purpose."""


@dataclass(frozen=True, slots=True)
class Block:
    """One piece between two empty lines, or one element of a marked-up text."""

    lines: tuple[str, ...]
    """As they stand; lines of plain text keep their indentation."""
    gap: int = 1
    """Empty lines before it."""
    level: int = 0
    """1 to 6 for what the markup calls a heading; else 0."""
    width: int = 0
    """Of the page, in signs, where lines were broken to fit it; 0 where on purpose only."""
    out: str = ""
    """Why the markup says that it is no narrative; empty where it does not."""

    @property
    def text(self) -> str:
        """All of it in one line."""
        return " ".join(" ".join(self.lines).split())

    @property
    def paragraph(self) -> str:
        """As it is told: one line, or the lines of verse, signatures and the like."""
        lines = [" ".join(clean_line(line).split()) for line in self.lines]
        if not self.width:
            return _plain("\n".join(filter(None, lines)))
        indented = any(line.startswith((" ", "\t")) for line in self.lines)
        verse = len(lines) > 2 or indented
        return _plain(joined(lines, self.width, verse=verse))


class Source(NamedTuple):
    """What a file holds."""

    title: str
    """Empty where the file does not say it."""
    author: str
    blocks: tuple[Block, ...]


def text_blocks(text: str) -> tuple[Block, ...]:
    """The blocks of a plain text."""
    text = text.translate(_CONTROL)
    widths = sorted(len(line.strip()) for line in text.split("\n") if line.strip()) or [0]
    width = max(1, widths[len(widths) * 9 // 10])
    found: list[Block] = []
    gap, start = 9, 0  # nothing stands before the first one
    stripped = text.replace("\f", "\n\n")
    for match in [*_GAP.finditer(stripped), None]:
        piece = stripped[start : match.start()] if match else stripped[start:]
        lines = tuple(line.rstrip() for line in piece.split("\n") if line.strip())
        if lines:
            found.append(Block(lines, gap, width=width))
            gap = 0
        if match:
            gap += match[0].count("\n") - 1
            start = match.end()
    return tuple(found)


def clean_line(line: str) -> str:
    """A line without signs that one does not see."""
    return line.translate(_GONE)


def joined(lines: Sequence[str], width: int, *, verse: bool) -> str:
    """Lines that were broken to fit a page as one, but for those broken on purpose.

    Verse, addresses and signatures are broken on purpose: short lines of which nearly every one
    begins with a capital, or a line that ends well before the others do.

    Args:
        lines: Without indentation.
        width: Of the page, in signs.
        verse: Whether it may be verse: two lines that are not indented tell too little.
    """
    if len(lines) < 2:
        return "".join(lines)
    widest = max(map(len, lines))
    capitals = sum(bool(_BEGINS.match(line)) for line in lines[1:])
    if verse and widest < _NARROW * width and capitals >= _CAPITALS * (len(lines) - 1):
        return "\n".join(lines)
    parts = [lines[0]]
    for before, line in pairwise(lines):
        room = widest - len(before) - 1 - len(line.split(" ", 1)[0])
        short = room >= _ROOM and len(before) < _SHORT * widest
        on_purpose = short and _ENDED.search(before) and _BEGINS.match(line)
        parts.append(("\n" if on_purpose else " ") + line)
    return "".join(parts)


def _plain(text: str) -> str:
    """A text without the signs of emphasis."""
    return _LONE.sub("", _EMPHASIS.sub(r"\2", text))
