"""Which blocks of a book are headings, and of what rank."""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import IntEnum

from supersede.novels.blocks import Block

__all__ = [
    "Rank",
    "front_name",
    "heading_rank",
    "is_back",
    "is_contents",
    "is_list",
    "key_of",
    "titles",
]

_NUMBER = (
    r"(?:\d{1,3}|[ivxlc]{1,8}|the\s+(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|"
    r"tenth|last)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|one|two|"
    r"three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|"
    r"seventeen|eighteen|nineteen|(?:twenty|thirty|forty|fifty|sixty)(?:[ -]\w+)?)"
)
_PART = re.compile(rf"(?:part|book|volume|vol\.|act)\s+{_NUMBER}(?![\w'\u2019])", re.I)
_CHAPTER = re.compile(
    rf"(?:(?:chapter|chap\.|letter|adventure|stave|canto|section|scene|story|tale|episode|"
    rf"problem)\s+{_NUMBER}(?![\w'\u2019])|(?:prologue|epilogue|conclusion|afterword|interlude|postscript)"
    r"[.:]?$)",
    re.I,
)
_ALONE = re.compile(r"(?:[IVXLC]{1,8}|\d{1,3})[.:]?$")
_TITLED = re.compile(r"(?:[IVXLC]{1,8}|\d{1,3})(?:[.:)]\s*|\s*[—\u2013-]+\s*|(?P<space>\s+))\S")
_CONTENTS = re.compile(
    r"(?:the\s+)?(?:table\s+of\s+)?contents(?:\s+of\s+.{1,40})?[.:]?$|chapters[.:]?$|"
    r"list\s+of\s+(?:illustrations|plates|maps|chapters)[.:]?$|illustrations[.:]?$",
    re.I,
)
_FRONT = re.compile(
    r"(?:(?:the\s+)?(?:author|editor|translator|publisher)['\u2019]?s?['\u2019]?\s+)?(?:preface|foreword|"
    r"introduction|introductory|dedication|note|advertisement|acknowledge?ments?|biography|"
    r"bibliography|copyright|imprint)\b[^.!?]{0,60}[.:]?$|to\s+the\s+(?:\w+\s+)?(?:reader|public|"
    r"purchaser)s?[.:]?$",
    re.I,
)
_BACK = re.compile(
    r"(?:(?:transcriber|transcriber['\u2019]s|editor['\u2019]s|author['\u2019]s|translator['\u2019]s)\s+)?"
    r"(?:foot|end)?notes?(?:\s+(?:to|by|on|of)\b.{0,60})?[.:]?$|index[.:]?$|glossary[.:]?$|"
    r"advertisements?[.:]?$|(?:also|other\s+books|books)\s+by\b.{0,60}$|colophon[.:]?$|"
    r"about\s+the\s+author[.:]?$|uncopyright[.:]?$|bibliography[.:]?$|errata[.:]?$",
    re.I,
)
_CLOSED = re.compile(r"[.!?…,;:][\"'”\u2019)\]_]*$")
_NEXT_WORD = re.compile(r"[\s]+[a-z]")
_PAGE = re.compile(r"(?:[\s.·…]*\b\d{1,3}|[\s.·…]{3,}\d*)$")
_LETTERS = re.compile(r"[^\W_]+")

_ENTRY = re.compile(
    r"\s*(?:(?i:chapter|book|part|letter)\s+)?(?:[IVXLC]{1,8}|\d{1,3})"
    r"(?:[.:)]\s*\S|\s+[^a-z\s]|[.:)]?$)"
)

_LISTED = 0.6
"""Least share of the lines of a list that begin with a number; long titles take two."""
_LONGEST = 300
"""Signs of the longest heading, one that sums up its chapter."""
_LONGEST_TITLE = 90
_TITLE_WORDS = 0.5
"""Least share of words with a capital in a title."""
_FAR = 2
"""Empty lines that a heading of plain text has before it, where nothing else tells it."""


class Rank(IntEnum):
    """How much a heading covers, the widest first."""

    PART = 0
    CHAPTER = 1
    NUMBER = 2
    """A number alone, which is a chapter where there are no others, and else a part of one."""
    TITLE = 3
    """Words alone, under a number or by themselves."""


def key_of(text: str) -> str:
    """What two spellings of a heading have in common: letters and digits, small."""
    return "".join(_LETTERS.findall(text.casefold()))


def titles(line: str) -> tuple[str, ...]:
    """Keys by which a line of the contents may be found again: whole, and without its number."""
    plain = _PAGE.sub("", line.strip())
    words = plain.split(maxsplit=1)
    found = [key_of(plain)]
    if len(words) == 2 and _ALONE.fullmatch(words[0].rstrip(".:)—\u2013-")):
        found.append(key_of(words[1]))
    return tuple(filter(None, found))


def is_contents(text: str) -> bool:
    """Whether a heading opens a table of contents or of illustrations."""
    return bool(_CONTENTS.fullmatch(text.strip("_ ")))


def is_list(block: Block) -> bool:
    """Whether a block is a list of numbered titles, one a line."""
    entries = sum(bool(_ENTRY.match(line)) for line in block.lines)
    if len(block.lines) == 2:
        return entries == 2
    return len(block.lines) > 2 and entries >= _LISTED * len(block.lines)


def front_name(text: str) -> bool:
    """Whether a heading without a number opens what stands before a narrative."""
    return bool(_FRONT.fullmatch(text.strip("_[] ")))


def is_back(text: str) -> bool:
    """Whether a heading opens what follows a narrative: notes, an index, advertisements."""
    return bool(_BACK.fullmatch(text.strip("_[] ")))


def heading_rank(
    block: Block, after: Rank | None, known: Collection[str], *, gaps: bool
) -> Rank | None:
    """The rank of a block as a heading, or None where it is none.

    Args:
        block: Any block.
        after: Rank of the heading right before it; None after anything else.
        known: Keys of the lines of the table of contents.
        gaps: Whether empty lines say anything: in plain text they do.
    """
    text = block.text.strip("_ ")
    if not text or len(text) > _LONGEST or is_list(block):
        return None
    if _opens(_PART, text):
        return Rank.PART
    if _opens(_CHAPTER, text):
        return Rank.CHAPTER
    if _ALONE.fullmatch(text):
        return Rank.NUMBER
    if len(text) > _LONGEST_TITLE and not text.isupper():
        return None
    listed = key_of(text) in known
    apart = block.level > 0 or (gaps and block.gap >= _FAR)
    under = after in (Rank.PART, Rank.CHAPTER, Rank.NUMBER)
    numbered = _TITLED.match(text)
    if numbered and not (under and numbered["space"]) and (listed or (apart and _is_title(text))):
        return Rank.CHAPTER
    if under:
        title = block.level > 0 or listed or text.isupper() or _is_title(text)
        return Rank.TITLE if title else None
    if block.level > 0 or (listed and apart and not _CLOSED.search(text)):
        return Rank.CHAPTER
    return None


def _opens(pattern: re.Pattern[str], text: str) -> bool:
    """Whether a text is a heading of a pattern, and no sentence that begins with the same words."""
    found = pattern.match(text)
    if found is None:
        return False
    rest = text[found.end() :]
    if not rest or text.isupper():
        return True
    if _NEXT_WORD.match(rest):
        return False
    return bool(re.match(r"[.:—\u2013,-]", rest)) or not _CLOSED.search(text)


def _is_title(text: str) -> bool:
    """Whether a text is written as titles are: most words with a capital, and no full stop."""
    if text.isupper():
        return True
    words = [word for word in re.findall(r"[^\W\d_][\w'\u2019-]*", text) if len(word) > 3] or [text]
    capital = sum(word[:1].isupper() for word in words)
    return not _CLOSED.search(text) and capital >= _TITLE_WORDS * len(words)
