"""Fact sentences: four canonical groups of verbs, each with several surface verbs (O-060).

A sentence is `SUBJECT verb OBJECT [to RECIPIENT].`; a move may name its origin. Everything that the
writer of stories can say is parsed here, and the usual wordings of bAbI too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from supersede.errors import DataError


class Group(StrEnum):
    """What a verb does to the state."""

    MOVE = "move"
    ACQUIRE = "acquire"
    DISCARD = "discard"
    TRANSFER = "transfer"


VERBS: dict[Group, tuple[str, ...]] = {
    Group.MOVE: ("went", "travelled", "journeyed", "moved", "walked"),
    Group.ACQUIRE: ("picked up", "got", "grabbed", "took"),
    Group.DISCARD: ("dropped", "left", "put down", "discarded"),
    Group.TRANSFER: ("gave", "handed", "passed"),
}
"""The verbs that stories use."""

_ALSO: dict[Group, tuple[str, ...]] = {
    Group.MOVE: ("traveled", "went back", "ran"),
    Group.TRANSFER: ("handed over",),
}
"""Verbs that are only read."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One parsed sentence."""

    group: Group
    subject: str
    object: str
    """The destination of a move; what is taken, dropped or handed over otherwise."""
    recipient: str | None = None
    """Only of a transfer."""
    origin: str | None = None
    """Where a move starts, if the sentence says so."""


def _verbs(group: Group) -> str:
    known = (*VERBS[group], *_ALSO.get(group, ()))
    return "|".join(sorted(map(re.escape, known), key=len, reverse=True))


_THE = r"(?:the )?"
_PATTERNS: tuple[tuple[Group, re.Pattern[str]], ...] = (
    (
        Group.MOVE,
        re.compile(
            rf"(?P<subject>\S+) (?:{_verbs(Group.MOVE)})(?: from {_THE}(?P<origin>\S+))?"
            rf" to {_THE}(?P<object>\S+)\.$"
        ),
    ),
    (
        Group.TRANSFER,
        re.compile(
            rf"(?P<subject>\S+) (?:{_verbs(Group.TRANSFER)}) {_THE}(?P<object>\S+)"
            rf" to (?P<recipient>\S+)\.$"
        ),
    ),
    (
        Group.ACQUIRE,
        re.compile(
            rf"(?P<subject>\S+) (?:{_verbs(Group.ACQUIRE)}) {_THE}(?P<object>\S+?)(?: there)?\.$"
        ),
    ),
    (
        Group.DISCARD,
        re.compile(
            rf"(?P<subject>\S+) (?:{_verbs(Group.DISCARD)}) {_THE}(?P<object>\S+?)(?: there)?\.$"
        ),
    ),
)


def sentence(fact: Fact, verb: str) -> str:
    """A fact in words, with one of the verbs of its group."""
    if fact.group is Group.MOVE:
        origin = f" from the {fact.origin}" if fact.origin else ""
        return f"{fact.subject} {verb}{origin} to the {fact.object}."
    to = f" to {fact.recipient}" if fact.recipient else ""
    return f"{fact.subject} {verb} the {fact.object}{to}."


def parse(text: str) -> Fact:
    """The fact that a sentence states.

    Raises:
        DataError: Its verb belongs to none of the four groups, or it is built otherwise.
    """
    for group, pattern in _PATTERNS:
        found = pattern.match(text.strip())
        if found:
            parts = found.groupdict()
            return Fact(
                group,
                parts["subject"],
                parts["object"],
                parts.get("recipient"),
                parts.get("origin"),
            )
    known = ", ".join(verb for verbs in VERBS.values() for verb in verbs)
    raise DataError(f"{text!r} states no fact", mend=f"Verbs that are known: {known}.")
