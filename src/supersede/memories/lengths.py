"""Texts cut to a number of tokens, and how much a memory's own call may hold.

Chunks and replies come in any length; a model's window does not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from supersede.corpus.tokens import TokenCounter
from supersede.memories.budget import Budget

GAP = "\n[...]\n"
"""Stands where the middle of a text is left out."""
_REPLY_SHARE = 4
"""A reply gets no more than one in so many tokens of a window that is short."""
_WORD_END = re.compile(r"(?<=\S)(?=\s|\Z)")
_WORD_START = re.compile(r"(?<!\S)(?=\S)")


def call_room(budget: Budget, prompt: int, reply: int) -> tuple[int, int | None]:
    """How a call shares what the window leaves beside the fixed part of its prompt.

    Args:
        budget: The window.
        prompt: Tokens of the fixed part.
        reply: Most tokens of the reply where there is room.

    Returns:
        Most tokens of the reply, and of all that is added to the prompt; the latter is None where
        there is no limit.

    Raises:
        UsageError: Nothing fits beside the fixed part.
    """
    room = replace(budget, answer=budget.thinking).room(prompt)
    if room is None:
        return reply, None
    reply = min(reply, max(1, room // _REPLY_SHARE))
    return reply, room - reply


def beginning(text: str, tokens: int, counter: TokenCounter) -> str:
    """The longest beginning of a text of at most so many tokens, to the end of a word."""
    if counter.count(text) <= tokens:
        return text
    places = [match.start() for match in _WORD_END.finditer(text)]
    return text[: _farthest(places, lambda end: counter.count(text[:end]) <= tokens)]


def ends(text: str, tokens: int, counter: TokenCounter) -> str:
    """A text without its middle, so that at most so many tokens are left."""
    if counter.count(text) <= tokens:
        return text
    each = (tokens - counter.count(GAP)) // 2
    if each < 1:
        return beginning(text, tokens, counter)
    places = [match.start() for match in _WORD_START.finditer(text)][::-1]
    first = _farthest(places, lambda start: counter.count(text[start:]) <= each) or len(text)
    return beginning(text, each, counter) + GAP + text[first:]


def _farthest(places: Sequence[int], fits: Callable[[int], bool]) -> int:
    """The last place that fits, where all before it fit; 0 where none does."""
    low, high = 0, len(places)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(places[middle - 1]) else (low, middle - 1)
    return places[low - 1] if low else 0
