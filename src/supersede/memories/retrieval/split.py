"""A text in windows that an embedder can read whole."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

_WORD = re.compile(r"\s*\S+")


class Windows(NamedTuple):
    """A text, split."""

    texts: tuple[str, ...]
    cut: int
    """Characters that no window holds, since a single word was too long."""


def split(text: str, limit: int, count: Callable[[str], int]) -> Windows:
    """A text in as few windows as follow from filling each, cut between words.

    Args:
        text: The text.
        limit: Tokens that a window may have, at least 1.
        count: Counts tokens.
    """
    if count(text) <= limit:
        return Windows((text,), 0)
    windows, cut, current, size = [], 0, "", 0
    for word in _WORD.findall(text):
        whole, kept = len(word), _fitted(word, limit, count)
        cut += whole - len(kept)
        tokens = count(kept)
        if current and size + tokens > limit:
            windows.append(current.strip())
            current, size = "", 0
        current += kept
        size += tokens
    return Windows((*windows, current.strip()), cut)


def _fitted(word: str, limit: int, count: Callable[[str], int]) -> str:
    """The longest beginning of a word, found by halving, that has at most `limit` tokens."""
    if count(word) <= limit:
        return word
    fits, fails = 0, len(word)
    while fails - fits > 1:
        middle = (fits + fails) // 2
        if count(word[:middle]) <= limit:
            fits = middle
        else:
            fails = middle
    return word[:fits]
