"""Wordings that ask for a whole evolution, or for all that has gathered, instead of the state now.

A question of a stream has one answer at each chunk. "How does Darcy's opinion of her change?" has
none before the end: anchored in time it reads "What is Darcy's latest opinion of her?" (O-093).
"What are the names that he goes by?" has more and more: the increment is "Which name was given to
him last?" (O-094).
"""

from __future__ import annotations

import re

from supersede.novels.annotations import Reformulation

__all__ = ["reformulation_needed"]

_CHANGE = (
    r"(?:chang|evolv|develop|shift|grow|progress|transform|alter|deepen|matur|deteriorat|unfold"
    r"|differ|vary|varies)\w*"
)
_EVOLUTION = re.compile(
    rf"\bhow\b[^?]*\b{_CHANGE}"
    rf"|\b(?:in what ways?|why|to what extent)\b[^?]*\b{_CHANGE}"
    r"|\b(?:evolution|development|progression|transformation|trajectory|arc)\s+(?:of|in)\b"
    r"|\b(?:over the course|in the course) of\b"
    r"|\b(?:throughout|across) the (?:novel|story|book|narrative|text)\b"
    r"|\bfrom the beginning\b[^?]*\bto the end\b"
    r"|\bby the end of the (?:novel|story|book)\b",
    re.IGNORECASE,
)
_ACCUMULATION = re.compile(
    r"\bwhat (?:are|were)(?: all)? the (?:different|various|several|many|multiple)\b"
    r"|\b(?:which|what) (?:different|various|several)\b"
    r"|\b(?:list|name|enumerate|describe) (?:all|every|each|the (?:different|various))\b"
    r"|\bwhat (?:are|were) all\b"
    r"|\ball (?:of )?the \w+(?: \w+)? (?:that|who|which|by which)\b"
    r"|\bso far\b[^?]*\b(?:all|every)\b",
    re.IGNORECASE,
)


def reformulation_needed(text: str) -> Reformulation:
    """How a question should be worded anew; `NONE` where nothing speaks for it.

    It goes by words, and so finds most and not all.

    Args:
        text: The question.
    """
    if _EVOLUTION.search(text):
        return Reformulation.TEMPORAL_ANCHORING
    if _ACCUMULATION.search(text):
        return Reformulation.CUMULATIVE_TO_INCREMENTAL
    return Reformulation.NONE
