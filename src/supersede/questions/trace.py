"""Scopes of queries, and the trace of what an answer rests on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from supersede.questions.reading import Reading


class Between(NamedTuple):
    """Scope: what took place in a range of blocks, both inclusive."""

    first: int
    last: int


class After(NamedTuple):
    """Scope: what took place after a record did; nothing, where that record is away."""

    position: int


Scope: TypeAlias = Between | After | None
"""What a selection is limited to; None: nothing."""

NOWHERE = Between(1, 0)
"""The empty scope."""


@dataclass(slots=True)
class Part:
    """What an answer rests on in one reading: the true one, or one under a changed history."""

    reading: Reading
    pairs: set[tuple[int, int]] = field(default_factory=set)
    """(entry, source) of every row that counts towards the answer, or would if it held."""
    excluded: set[int] = field(default_factory=set)
    """Entries that are, or would be, on an exclusion list of the answer."""
    candidates: dict[str, set[str]] = field(default_factory=dict)
    """Type with minted entities -> those that show in the answer."""


@dataclass(slots=True)
class Trace:
    """What an answer rests on, noted while it is computed."""

    parts: list[Part] = field(default_factory=list)
    reasons: bool = False
    """Whether the answer says why something does not count."""
    probes: list[int] = field(default_factory=list)
    """Records that the question names: without one of them the answer is computed anew."""
    by_block: bool = False
    """Whether it matters in which block something took place."""
    by_order: bool = False
    """Whether it matters in which order things took place."""
