"""Two runs on the same streams: is one better than the other?

Both runs met the same questions, so that the difficulty of a question cancels in its difference,
which makes the comparison far sharper than two intervals side by side (Miller 2024).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import fsum, isnan, nan

from supersede.metrics.decomposition import IntervalClass, split
from supersede.metrics.intervals import LEVEL, Estimate, clustered_mean
from supersede.model.stream import Trace
from supersede.worlds.streams import stream

__all__ = ["MEASURES", "Comparison", "Difference", "compare_traces", "sign_flip"]

MEASURES: Mapping[str, IntervalClass] = {
    "accuracy": IntervalClass.RIGHT,
    "al": IntervalClass.LATE,
    "ds": IntervalClass.DISTRACTED,
    "pm": IntervalClass.MISSED,
}
"""The four shares by the name that scripts know."""

_EXACT = 14
"""Most documents for which all sign flips are tried."""
_FLIPS = 10_000
_SLACK = 1e-12


@dataclass(frozen=True, slots=True)
class Difference:
    """One measure of both runs over the questions that they share."""

    first: float
    second: float
    difference: Estimate
    """Second minus first, clustered by document; -1 to 1."""
    p: float
    """Of the sign-flip test over documents; not corrected for several measures."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs, question by question."""

    measures: Mapping[str, Difference]
    """By the names of `MEASURES`."""
    questions: int
    """Questions that both runs have."""
    unpaired: int
    """Questions that only one of them has, which are left out."""


def compare_traces(
    first: Sequence[Trace], second: Sequence[Trace], level: float = LEVEL
) -> Comparison:
    """The mean differences of accuracy, AL, DS and PM between two runs, with intervals.

    `mean over shared questions of (second - first)`, with `clustered_mean`'s interval: standard
    error clustered by document, t with G - 1. Range -1 to 1; better is positive for accuracy and
    negative for the others. The four differences sum to 0.

    - The same run twice: 0, interval [0, 0], p = 1.
    - Never right against always right: the difference is 1 and its interval the exact one.
    - One document: no interval, and p = 1.
    - No shared question: all NaN.

    Args:
        first: Traces of one run.
        second: Traces of the other, on the same streams.
        level: Confidence level, between 0 and 1.

    Raises:
        ValueError: A shared question has other phases in one run than in the other.
    """
    one, two = _by_question(first), _by_question(second)
    shared = [key for key in one if key in two]
    for key in shared:
        if one[key].phases != two[key].phases:
            raise ValueError(f"question {key[1]!r} of {key[0]!r} differs between the two runs")
    pairs = [(one[key], two[key]) for key in shared]
    return Comparison(
        {name: _difference(pairs, part, level) for name, part in MEASURES.items()},
        len(shared),
        len(one) + len(two) - 2 * len(shared),
    )


def _by_question(traces: Sequence[Trace]) -> dict[tuple[str, str], Trace]:
    return {(trace.stream, trace.question): trace for trace in traces if trace.right}


def _difference(
    pairs: Sequence[tuple[Trace, Trace]], part: IntervalClass, level: float
) -> Difference:
    if not pairs:
        return Difference(nan, nan, Estimate(nan, nan, nan, 0), nan)
    shares = [
        (a.stream, split(a.phases, a.right).share(part), split(b.phases, b.right).share(part))
        for a, b in pairs
    ]
    # From -1..1 to the 0..1 of clustered_mean, and back.
    halves = clustered_mean({"": [(name, (b - a + 1) / 2) for name, a, b in shares]}, level)
    by_document: dict[str, float] = {}
    for name, a, b in shares:
        by_document[name] = by_document.get(name, 0.0) + b - a
    first = fsum(a for _, a, _ in shares) / len(shares)
    second = fsum(b for _, _, b in shares) / len(shares)
    return Difference(
        first,
        second,
        Estimate(second - first, _back(halves.low), _back(halves.high), halves.clusters),
        sign_flip(list(by_document.values())),
    )


def _back(half: float) -> float:
    return half if isnan(half) else 2 * half - 1


def sign_flip(totals: Sequence[float]) -> float:
    """How often chance alone would give so large a difference: two-sided p of a permutation test.

    If the two runs were alike, each document's difference could as well have the other sign.
    `p = share of all sign patterns whose |sum| is at least the |sum| seen`; up to 14 documents
    all `2^G` patterns, beyond that 10,000 drawn ones, the seen one among them. Range: above 0,
    to 1. All differences 0, or one document: 1. With G documents p is never below `2 / 2^G`.
    Empty: NaN.

    Args:
        totals: The summed difference of each document.
    """
    if not totals:
        return nan
    seen = abs(fsum(totals)) - _SLACK
    if len(totals) <= _EXACT:
        patterns = product((1, -1), repeat=len(totals) - 1)  # the mirror image has the same |sum|
        rest = totals[1:]
        sums = [abs(totals[0] + _dot(signs, rest)) for signs in patterns]
        return sum(value >= seen for value in sums) / len(sums)
    draw = stream("paired", "sign flips")
    hits = 1
    for _ in range(_FLIPS - 1):
        hits += abs(sum(d if draw() < 0.5 else -d for d in totals)) >= seen
    return hits / _FLIPS


def _dot(signs: Sequence[int], values: Sequence[float]) -> float:
    return sum(sign * value for sign, value in zip(signs, values, strict=True))
