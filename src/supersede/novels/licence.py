"""What distributors put around a book: header, licence, credits."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["END_LINE", "START_LINE", "Unwrapped", "is_credit", "is_licence", "unwrapped"]

START_LINE = re.compile(r"^\*+ ?START OF (?:THIS|THE) PROJECT GUTENBERG.*$", re.MULTILINE | re.I)
"""The line after which a book of Project Gutenberg begins."""

_SMALL_PRINT = re.compile(r"^\*END[ *]+THE SMALL PRINT.*$", re.MULTILINE | re.I)
END_LINE = re.compile(
    r"^[ \t]*(?:\*+ ?END OF (?:THIS|THE) PROJECT GUTENBERG.*|"
    r"\*{3} ?START: FULL LICENSE.*|End of (?:the |this )?Project Gutenberg.*)$",
    re.MULTILINE | re.I,
)
"""The line before which it ends."""

_FIELD = re.compile(r"^(Title|Author)s?:[ \t]*(.+)$", re.MULTILINE)
_CREDIT = re.compile(
    r"(?:this e-?(?:text|book)|e-?text|produced|transcribed|prepared|scanned|digiti[sz]ed|"
    r"html version|further corrections)\b.*\bby\b",
    re.I,
)
_LICENCE = re.compile(r"project gutenberg|gutenberg-tm|distributed proofread", re.I)


class Unwrapped(NamedTuple):
    """A text without what is around it."""

    text: str
    title: str
    author: str


def unwrapped(text: str) -> Unwrapped:
    """A text between the marks of Project Gutenberg, with what its header says of the book.

    A text without such marks is taken whole.
    """
    begin = 0
    for mark in (START_LINE, _SMALL_PRINT):
        found = [match.end() for match in mark.finditer(text)]
        begin = max([begin, *found])
    fields: dict[str, str] = {}
    for name, value in _FIELD.findall(text[:begin]):
        fields.setdefault(name, value.strip())
    end = END_LINE.search(text, begin)
    body = text[begin : end.start() if end else None]
    return Unwrapped(body, fields.get("Title", ""), fields.get("Author", ""))


def is_credit(text: str) -> bool:
    """Whether a paragraph says who made the electronic text."""
    return bool(_CREDIT.match(text.strip("[_ ")))


def is_licence(text: str) -> bool:
    """Whether a paragraph speaks of the distributor."""
    return bool(_LICENCE.search(text))
