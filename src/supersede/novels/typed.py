"""Texts as people and models give them, before they are kept."""

from __future__ import annotations

import re
import unicodedata

from supersede.model.text import whole

__all__ = ["can_be_kept", "is_name", "says_something", "tidy"]

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]+")
_LONGEST_NAME = 100
_SEEN = frozenset("LMNPS")  # letters, marks, numbers, punctuation and symbols


def tidy(text: str) -> str:
    """A text that can be kept and shown anywhere.

    A run of control signs, which would steer a terminal and which no spreadsheet holds, is a space;
    tabs and breaks of lines stay. Half of a surrogate pair is `?`.
    """
    return _CONTROL.sub(" ", text if text.isascii() else whole(text))


def says_something(text: str) -> bool:
    """Whether there is anything in a text that one can see."""
    return any(unicodedata.category(sign)[0] in _SEEN for sign in text)


def can_be_kept(text: str) -> bool:
    """Whether a text is one: without halves of surrogate pairs, which no file can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_name(text: str) -> bool:
    """Whether a text may be an id: 1 to 100 signs that one can see, without blanks around them.

    `.` and `..` are none, since addresses cannot name them.
    """
    return (
        0 < len(text) <= _LONGEST_NAME
        and text.isprintable()
        and text == text.strip()
        and text not in (".", "..")
    )
