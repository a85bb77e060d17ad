"""Scopes of queries, and the trace of what an answer rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from supersede.questions.index import Row
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


_entry_and_source = itemgetter(0, 1)


@dataclass(slots=True)
class Part:
    """What an answer rests on in one reading: the true one, or one under a changed history."""

    reading: Reading
    noted: list[Sequence[Row]] = field(default_factory=list)
    """Rows that count towards the answer, or would if they held, as they were selected."""
    excluded: set[int] = field(default_factory=set)
    """Entries that are, or would be, on an exclusion list of the answer."""
    candidates: dict[str, set[str]] = field(default_factory=dict)
    """Type with minted entities -> those that show in the answer."""
    _pairs: set[tuple[int, int]] = field(default_factory=set)

    @property
    def pairs(self) -> set[tuple[int, int]]:
        """(entry, source) of all rows noted so far; put together only where evidence is sought."""
        for rows in self.noted:
            self._pairs.update(map(_entry_and_source, rows))
        self.noted.clear()
        return self._pairs


@dataclass(slots=True)
class Trace:
    """What an answer rests on, noted while it is computed."""

    parts: list[Part] = field(default_factory=list)
    reasons: bool = False
    """Whether the answer says why something does not count."""
    probes: list[int] = field(default_factory=list)
    """Records that the question names: without one of them the answer is computed anew."""
    placed: bool = False
    """Whether it was looked at when anything took place: else nobody can be wrong about it."""
    by_block: bool = False
    """Whether it matters in which block something took place."""
    by_order: bool = False
    """Whether it matters in which order things took place."""
