"""Marked-up text, as in web pages and EPUBs, to blocks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import NamedTuple

from supersede.novels.blocks import CONTENTS, Block, Source, clean_line

__all__ = ["markup_source"]

_BLOCK = re.compile(
    r"address|article|aside|blockquote|body|caption|center|dd|details|dialog|div|dl|dt|fieldset|"
    r"figcaption|figure|footer|form|h[1-6]|header|hr|html|li|main|nav|ol|p|pre|section|summary|"
    r"table|tbody|td|tfoot|th|thead|title|tr|ul"
)
_VOID = re.compile(r"area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr")
_CLOSED_BY_NEXT = {
    "p": _BLOCK,
    "li": re.compile("li"),
    "dt": re.compile("dt|dd"),
    "dd": re.compile("dt|dd"),
    "td": re.compile("td|th|tr"),
    "th": re.compile("td|th|tr"),
    "tr": re.compile("tr"),
}
"""Elements that may be left open, and what ends them."""

_SUBSET = re.compile(r"<!doctype\s[^<>\[]*\[", re.I)
"""A document type up to its internal subset, which is no text of the document."""
_IN_SUBSET = re.compile(r"<!--|<\?|[\"']|\]\s*>")
_CLOSES = {"<!--": "-->", "<?": "?>", '"': '"', "'": "'"}

_HIDDEN = frozenset(("script", "style", "noscript", "template", "svg", "math", "head", "iframe"))
_SILENT = re.compile(
    r"page-?num(?:ber)?s?|pageno|pagebreak|doc-pagebreak|noteref|doc-noteref|fn-?anchor|"
    r"footnote-?ref|fnref|linenum|hidden|sr-only"
)
"""Classes and types of marks inside of a paragraph that are no text of it."""
_OUT = (
    (re.compile(r"(?:pg-?)?boilerplate|pg-?header|pg-?footer|pg-machine-header"),
     "credit or licence"),
    (re.compile(r"toc|doc-toc|landmarks|loi|lot|contents"), CONTENTS),
    (re.compile(r"footnotes?|endnotes?|rearnotes?|doc-footnote|doc-endnotes?|doc-endnote|fn"),
     "note"),
    (re.compile(r"fig(?:ure|center|left|right)?|illus(?:tration|trations)?|caption|figcaption"),
     "illustration or remark"),
    (re.compile(r"titlepage|title-?page|halftitle(?:page)?|imprint|colophon|copyright-?page|"
                r"dedication|doc-dedication|doc-colophon|frontispiece|cover|transcribers?-?notes?|"
                r"transnote|tnote|preface|foreword|doc-preface|doc-foreword|uncopyright|index|"
                r"doc-index|glossary|bibliography"),
     "outside of the narrative"),
)  # fmt: skip
"""Classes and types of whole elements that are no narrative, and what they are."""
_SILENCE = "silent"
_LINE = re.compile(r"line|verse|l|v|i\d{1,2}|indent\d{0,2}")
"""Classes of one line of a poem."""
_SPACE = re.compile(r"[ \t\r\n\f]+")
_HEADING = re.compile(r"h([1-6])")
_PG_TITLE = re.compile(
    r"^(?:the )?project gutenberg(?:['\u2019]s)? e-?(?:book|text) of (.+?)(?:, by (.+))?$|"
    r"^(.+?)\s*(?:\||[—\u2013-])\s*project gutenberg$",
    re.I,
)


def markup_source(text: str) -> Source:
    """A web page, or one document of an EPUB, as a source."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    reader.flush()
    title, author = " ".join(reader.title.split()), reader.author
    named = _PG_TITLE.match(title)
    if named:
        title, author = named[1] or named[3], named[2] or author
    return Source(title, author, tuple(reader.found))


class _Open(NamedTuple):
    """An element that has not ended."""

    tag: str
    why: str
    """Why its text is no narrative; empty where it is, `silent` for a mark inside a paragraph."""
    line: bool
    """Whether it is one line of a poem."""
    leads: bool
    """Whether it leads elsewhere in the book."""


class _Reader(HTMLParser):
    """Gathers text between the beginnings and ends of block elements."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[Block] = []
        self.title = ""
        self.author = ""
        self._open: list[_Open] = []
        self._lines: list[str] = [""]
        self._linked = 0  # signs of the block that lead elsewhere in the book

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "meta" and given.get("name", "").lower() in ("dc.creator", "author"):
            self.author = self.author or given.get("content", "").strip()
        while self._open and _ends(self._open[-1].tag, tag):
            self.handle_endtag(self._open[-1].tag)
        line = tag in ("div", "p") and _named({"class": given.get("class", "")}, _LINE)
        if tag == "br" or line:
            self._lines.append("")
        elif _BLOCK.fullmatch(tag):
            self.flush()
        if not _VOID.fullmatch(tag):
            leads = tag == "a" and "#" in given.get("href", "")
            self._open.append(_Open(tag, _why_out(tag, given), line, leads))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if not _VOID.fullmatch(tag):
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in [one.tag for one in self._open]:
            return
        while True:
            if self._open[-1].line:
                self._lines.append("")
            elif _BLOCK.fullmatch(self._open[-1].tag):
                self.flush()
            if self._open.pop().tag == tag:
                return

    def parse_html_declaration(self, i: int) -> int:
        """Where a declaration that begins at a place ends, -1 where it does not.

        The library takes a section of unknown kind for a mistake of its own; browsers pass over it.
        It ends a document type at the first `>`, which in XML may be that of a declaration inside.
        """
        inside = _SUBSET.match(self.rawdata, i)
        if inside and (after := _after_subset(self.rawdata, inside.end())) >= 0:
            return after
        if not self.rawdata.startswith("<![", i):
            return super().parse_html_declaration(i)
        literal = self.rawdata.startswith("<![CDATA[", i)
        close = "]]>" if literal else ">"
        end = self.rawdata.find(close, i)
        if end < 0:
            return -1
        if literal:
            self.handle_data(self.rawdata[i + len("<![CDATA[") : end])
        return end + len(close)

    def handle_data(self, data: str) -> None:
        tags = {one.tag for one in self._open}
        if {"title", "head"} <= tags:
            self.title += data
        if tags & _HIDDEN or self._why() == _SILENCE:
            return
        if "pre" in tags:
            first, *rest = data.split("\n")
            self._lines[-1] += first
            self._lines += rest
        else:
            self._lines[-1] += _SPACE.sub(" ", data)
        if any(one.leads for one in self._open):
            self._linked += len("".join(data.split()))

    def _why(self) -> str:
        return next((one.why for one in reversed(self._open) if one.why), "")

    def flush(self) -> None:
        """Ends the block."""
        lines = tuple(line.strip() for line in map(clean_line, self._lines) if line.strip())
        linked, self._lines, self._linked = self._linked, [""], 0
        if not lines:
            return
        levels = [found for one in self._open if (found := _HEADING.fullmatch(one.tag))]
        level = int(levels[0][1]) if levels else 0
        why = self._why()
        letters = sum(len("".join(line.split())) for line in lines)
        if not why and not level and 2 * linked > letters:
            why = CONTENTS
        self.found.append(Block(lines, 1, level, 0, "" if why == _SILENCE else why))


def _after_subset(text: str, place: int) -> int:
    """Where a document type ends whose internal subset begins at a place; -1 where it never does.

    Comments, instructions and quoted texts in it may hold any sign.
    """
    while found := _IN_SUBSET.search(text, place):
        closing = _CLOSES.get(found[0])
        if closing is None:
            return found.end()
        end = text.find(closing, found.end())
        if end < 0:
            break
        place = end + len(closing)
    return -1


def _ends(open_tag: str, tag: str) -> bool:
    """Whether an element that was left open ends where another one begins."""
    pattern = _CLOSED_BY_NEXT.get(open_tag)
    return pattern is not None and bool(pattern.fullmatch(tag))


def _why_out(tag: str, given: Mapping[str, str]) -> str:
    """Why an element is no narrative; empty where it is."""
    if tag == "nav":
        return CONTENTS
    if tag in ("figure", "figcaption", "caption"):
        return "illustration or remark"
    if _named(given, _SILENT):
        return _SILENCE
    return next((why for pattern, why in _OUT if _named(given, pattern)), "")


def _named(given: Mapping[str, str], pattern: re.Pattern[str]) -> bool:
    """Whether one of an element's classes, types or its id matches a pattern as a whole."""
    words = " ".join(
        given.get(name, "") for name in ("class", "epub:type", "role", "id")
    ).casefold()
    return any(pattern.fullmatch(word) for word in words.split())
