"""Pass@k: how often the evidence is among the first k chunks that a retriever ranks (O-041)."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import NamedTuple

from supersede.model.stream import StreamQuestion


class Ranked(NamedTuple):
    """One ranking, and what it should have found."""

    ranking: Sequence[int]
    """Chunks, best first."""
    needed: Collection[int]
    """Chunks that hold the evidence."""


class PassAtK(NamedTuple):
    """A point of the curve."""

    k: int
    share: float
    """Rankings whose first `k` hold all that is needed; NaN where nothing is needed anywhere."""
    rankings: int
    """How many need something; the others do not count."""


def pass_at_k(ranked: Sequence[Ranked], ks: Sequence[int]) -> tuple[PassAtK, ...]:
    """The share of rankings that have all needed chunks among their first k, for each k.

    From 0 to 1, higher is better; it never falls as k grows, and is 1 where k covers all that has
    been revealed. A chunk that a ranking lacks is never found.

    Args:
        ranked: Rankings with what they should find; those that need nothing are left out.
        ks: Numbers of chunks, each at least 1.
    """
    depths = [_depth(one) for one in ranked if one.needed]
    return tuple(
        PassAtK(
            k,
            sum(depth <= k for depth in depths) / len(depths) if depths else math.nan,
            len(depths),
        )
        for k in ks
    )


def _depth(one: Ranked) -> float:
    """How many chunks one must take to have all that is needed."""
    place = {chunk: n for n, chunk in enumerate(one.ranking, start=1)}
    return max(place.get(chunk, math.inf) for chunk in one.needed)


def needed_chunks(question: StreamQuestion, interval: int) -> frozenset[int]:
    """The chunk of the evidence of a question; empty where nothing supports an answer yet."""
    evidence = question.evidence[interval] if question.evidence else None
    return frozenset() if evidence is None else frozenset({evidence.chunk})
