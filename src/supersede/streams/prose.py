"""From a book as people have it to clean paragraphs of prose.

Byte-order marks, Windows line ends, Latin-1, the licence of Project Gutenberg, title pages, tables
of contents, headings, verse and notes on illustrations all go; only paragraphs that read as prose
stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_START = re.compile(r"^\*+ ?START OF (?:THIS|THE) PROJECT GUTENBERG.*$", re.MULTILINE | re.I)
_SMALL_PRINT = re.compile(r"^\*END[ *]+THE SMALL PRINT.*$", re.MULTILINE | re.I)
_END = re.compile(
    r"^(?:\*+ ?END OF (?:THIS|THE) PROJECT GUTENBERG.*|End of (?:the |this )?Project Gutenberg.*)$",
    re.MULTILINE | re.I,
)
_HEADING = re.compile(
    r"(?:chapter|letter|book|part|volume|adventure|act|scene|canto|contents|preface|prologue|"
    r"epilogue|introduction|appendix|footnotes?|the end)\b[^.!?]{0,60}[.:—-]*(?:[^.!?]{0,60}\.)?$",
    re.I,
)
_CREDIT = re.compile(
    r"(?:this e-?(?:text|book)|e-?text|produced|transcribed|prepared|scanned|digitized)\b.*\bby\b",
    re.I,
)
_CLOSED = re.compile(r"[.!?…:;,—-][\"'”\u2019)\]]*$")
_NUMERAL = re.compile(r"[\[(]?(?:[ivxlcdm]+|\d+)[\])]?[.:]?$", re.I)
_LEADERS = re.compile(r"(?:\. ){3}|\.{5}|\s\d{1,3}$")
_EMPHASIS = re.compile(r"(?<!\w)_(?=\S)([^_]*?\S)_(?!\w)")
_SENTENCE = re.compile(r"(?<=[.!?…])([\"'”\u2019)\]]*)\s+(?=[\"'“\u2018(\[]*[A-Z0-9])")
_ABBREVIATED = re.compile(
    r"\b(?:Mr|Mrs|Ms|Messrs|Dr|St|Mme|Mlle|Esq|Rev|Capt|Col|Gen|Lt|Sgt|Prof|Hon|Sr|Jr|Co|No|Vol|"
    r"vs|viz|etc|[A-Z])\.$"
)

_FEWEST_WORDS = 4
_SMALL_LETTERS = 0.75
"""Least share of small letters among the letters of a paragraph."""


def decoded(data: bytes) -> str:
    """The text of a file: UTF-8 with or without its mark, else the Western one-byte encoding."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = data.decode("utf-16", errors="replace")
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("cp1252", errors="replace").replace("\ufffd", "")
    return text.replace("\ufeff", "").replace("\r\n", "\n").replace("\r", "\n")


def paragraphs(text: str) -> list[str]:
    """The prose of a book, each paragraph as one line."""
    blocks = [block for block in re.split(r"\n[ \t]*\n", _body(text)) if block.strip()]
    indented = [_is_indented(block.strip("\n").split("\n")) for block in blocks]
    verse_is_indented = 2 * sum(indented) < len(blocks)
    found: list[str] = []
    for block, is_indented in zip(blocks, indented, strict=True):
        paragraph = _EMPHASIS.sub(r"\1", " ".join(block.split())).replace("_", "")
        if not (is_indented and verse_is_indented) and _is_prose(paragraph):
            found.append(paragraph)
    return found


def sentences(paragraph: str) -> tuple[str, ...]:
    """The sentences of a paragraph; joined by a space they are the paragraph again."""
    parts: list[str] = []
    start = 0
    for match in _SENTENCE.finditer(paragraph):
        sentence = paragraph[start : match.end(1)]
        if _ABBREVIATED.search(sentence):
            continue
        parts.append(sentence)
        start = match.end()
    parts.append(paragraph[start:])
    return tuple(parts)


def gaps(parts: Sequence[str]) -> Iterator[int]:
    """The places of a paragraph where a sentence may go in: before each that no quotation holds.

    Place n is before sentence n; the last place is after the last sentence.
    """
    depth, straight = 0, 0
    for place, part in enumerate(parts):
        if place == 0 or (depth <= 0 and straight % 2 == 0):
            yield place
        depth += part.count("“") - part.count("”")
        straight += part.count('"')
    yield len(parts)


def _body(text: str) -> str:
    """A text without the header and the licence of Project Gutenberg."""
    for begin in (_START, _SMALL_PRINT):
        found = list(begin.finditer(text))
        if found:
            text = text[found[-1].end() :]
    end = _END.search(text)
    return text[: end.start()] if end else text


def _is_indented(lines: Sequence[str]) -> bool:
    """Whether every line stands in from the margin, as verse, tables and title pages do."""
    return all(line.startswith(("  ", "\t")) for line in lines if line.strip())


def _is_prose(paragraph: str) -> bool:
    letters = [sign for sign in paragraph if sign.isalpha()]
    small = sum(sign.islower() for sign in letters)
    if len(paragraph.split()) < _FEWEST_WORDS or small < _SMALL_LETTERS * len(letters):
        return False
    refused = (_HEADING.match, _NUMERAL.match, _CREDIT.match, _LEADERS.search)
    if any(refuses(paragraph) for refuses in refused) or paragraph.startswith(("[", "*")):
        return False
    return bool(_CLOSED.search(paragraph)) and "gutenberg" not in paragraph.casefold()
