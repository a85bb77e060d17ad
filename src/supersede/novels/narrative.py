"""From the blocks of a source to its narrative.

Left out are credits, title pages, tables of contents and of illustrations, prefaces and dedications
before the first chapter, notes and illustrations with their marks, ornaments between scenes, and
notes, indexes and advertisements after the end. Headings are kept apart, as chapters. Verse,
letters, inscriptions and whatever else is told stay. What is left out is listed for one to look at.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from supersede.novels.blocks import Block
from supersede.novels.front import begin_of
from supersede.novels.headings import Rank, heading_rank, is_back
from supersede.novels.licence import is_credit, is_licence

__all__ = ["LeftOut", "Narrative", "Paragraph", "narrative_of"]

_MARK = re.compile(
    r"\[\s*(?:illustrations?|frontispiece|plate|picture|map|image|sidenote|transcriber|redactor|"
    r"editor['\u2019]s note|pg|page|p\.)\b.*\]?",
    re.I,
)
_INLINE_MARK = re.compile(r"\s?\[(?:illustrations?|pg|page|p\.)(?:[\s:.][^\]]{0,200})?\]", re.I)
_INLINE_NOTE = re.compile(r"\s?\[footnote\b[^\]]*\]", re.I)
_FOOTNOTE = re.compile(r"\[(?:footnote\s*)(\w{0,3})\b", re.I)
_NUMBERED = re.compile(r"\[(\d{1,3}|[A-Z])\][.:]?\s*\S|\[(\d{1,3}):\s*\S")
_STARRED = re.compile(r"([*†‡]{1,3})\s?\w")
_ORNAMENT = re.compile(r"[\s*·•~#_—\u2013\-=+.⁂☙❧]+")
_THE_END = re.compile(
    r"(?:the\s+end|finis|(?:the\s+)?end\s+of\s+(?:the\s+)?(?:vol|volume|book|part|chapter|first|"
    r"second|third)\b.{0,40})[.!]?",
    re.I,
)
_BARE_NOTE = re.compile(r"notes?[.:]?", re.I)
_LONER = re.compile(r"(?:prologue|epilogue|conclusion|afterword|interlude|postscript)\b", re.I)
_CLOSED = re.compile(r"[.!?:;,—-]$")

_LATE = 0.85
"""Share of a book after which `The End` and `Notes` mean what they say."""
_NOTE_REACH = 12
"""Paragraphs before a note among which the one with its mark is."""


class Paragraph(NamedTuple):
    """A paragraph of the narrative."""

    text: str
    chapter: str
    """Headings above it, the widest first, with ` / ` between them; empty where there are none."""


class LeftOut(NamedTuple):
    """Something of the source that is not in the narrative."""

    why: str
    text: str


@dataclass(frozen=True, slots=True)
class Narrative:
    """A book's narrative."""

    paragraphs: tuple[Paragraph, ...]
    chapters: tuple[str, ...]
    """Those with text, in order."""
    left_out: tuple[LeftOut, ...]
    """In order; headings are in the chapters and not here."""


def narrative_of(blocks: Sequence[Block], title: str, *, gaps: bool) -> Narrative:
    """The narrative of a source.

    Args:
        blocks: All of its blocks, without what distributors put around them.
        title: Of the book; empty where unknown.
        gaps: Whether empty lines tell headings from paragraphs, as in plain text.
    """
    begin = begin_of(blocks, title, gaps=gaps)
    walk = _Walk(len(blocks), begin.known, gaps)
    walk.left = [LeftOut("before the narrative", block.text) for block in blocks[: begin.start]]
    for number in range(begin.start, len(blocks)):
        walk.take(number, blocks[number])
    return walk.narrative()


class _Walk:
    """Goes through the blocks of a book from where its narrative begins."""

    def __init__(self, count: int, known: frozenset[str], gaps: bool) -> None:
        self.count = count
        self.known = known
        self.gaps = gaps
        self.found: list[Paragraph] = []
        self.left: list[LeftOut] = []
        self.chapters: list[str] = []
        self.path: dict[Rank, str] = {}
        self.after: Rank | None = None
        self.skipping = ""
        self.over = False
        self.numbers: set[str] = set()

    def take(self, number: int, block: Block) -> None:
        """Looks at the next block."""
        text = block.text
        late = number >= _LATE * self.count
        apart = block.level > 0 or (self.gaps and block.gap > 1)
        if self.over:
            self.left.append(LeftOut("after the narrative", text))
        elif apart and is_back(text) and (late or not _BARE_NOTE.fullmatch(text)):
            self.skipping, self.after = "notes and the like", None
            self.left.append(LeftOut(self.skipping, text))
        elif self._is_heading(block):
            self.skipping = ""
        else:
            self.after = None
            why = self.skipping or self._reason(block)
            self.over = late and bool(_THE_END.fullmatch(text.strip("_* ")))
            if self.skipping:
                self._note(text)
            if why:
                self.left.append(LeftOut(why, text))
            else:
                self._tell(block)

    def _is_heading(self, block: Block) -> bool:
        if block.out:
            return False
        rank = heading_rank(block, self.after, self.known, gaps=self.gaps)
        if rank is None:
            return False
        text = block.text.strip("_ ")
        if rank is Rank.TITLE:
            last = max(self.path)
            joint = " " if _CLOSED.search(self.path[last]) else ": "
            self.path[last] += joint + text
        else:
            chapter = self.path.get(Rank.CHAPTER, "")
            if rank is Rank.NUMBER and _LONER.match(chapter):
                del self.path[Rank.CHAPTER]
            self.path = {wider: name for wider, name in self.path.items() if wider < rank}
            self.path[rank] = text
        self.after = rank
        return True

    def _reason(self, block: Block) -> str:
        """Why a block is no narrative; empty where it is."""
        text = block.text
        if block.out:
            return block.out
        if _MARK.fullmatch(text):
            return "illustration or remark"
        if self._note(text):
            return "note"
        if _ORNAMENT.fullmatch(text):
            return "ornament"
        if _THE_END.fullmatch(text.strip("_* ")):
            return "the end"
        if is_credit(text) or is_licence(text):
            return "credit or licence"
        return ""

    def _note(self, text: str) -> bool:
        """Whether a block is a note; its mark is taken out of the paragraph that has it."""
        footnote = _FOOTNOTE.match(text)
        if footnote:
            self.numbers.add(footnote[1])
            return True
        numbered = _NUMBERED.match(text)
        if numbered:
            name = numbered[1] or numbered[2]
            known = any(f"[{name}]" in paragraph.text for paragraph in self.found)
            self.numbers |= {name} if known else set()
            return known
        starred = _STARRED.match(text)
        if starred is None:
            return False
        mark = re.compile(rf"(?<=[^\s*†‡])\s?{re.escape(starred[1])}(?![\w*†‡])")
        for place in range(len(self.found) - 1, len(self.found) - 1 - _NOTE_REACH, -1):
            if place >= 0 and mark.search(self.found[place].text):
                text = mark.sub("", self.found[place].text, count=1)
                self.found[place] = self.found[place]._replace(text=text)
                return True
        return False

    def _tell(self, block: Block) -> None:
        whole = block.paragraph
        self.left += [LeftOut("note", note.strip()) for note in _INLINE_NOTE.findall(whole)]
        text = _INLINE_MARK.sub("", _INLINE_NOTE.sub("", whole)).strip()
        if not text:
            return
        chapter = " / ".join(self.path[rank] for rank in sorted(self.path))
        if chapter and chapter not in self.chapters[-1:]:
            self.chapters.append(chapter)
        self.found.append(Paragraph(text, chapter))

    def narrative(self) -> Narrative:
        """All that was told, without the marks of notes."""
        found = self.found
        if self.numbers:
            names = "|".join(map(re.escape, sorted(filter(None, self.numbers))))
            marks = re.compile(rf"\s?\[(?:{names})\]")
            found = [p._replace(text=marks.sub("", p.text)) for p in found]
        return Narrative(tuple(found), tuple(self.chapters), tuple(self.left))
