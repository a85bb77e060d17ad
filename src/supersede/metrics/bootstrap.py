"""Intervals for ratios of sums, from documents drawn again and again.

The questions of a document share its text, its names and its events, so that a resample draws
whole documents. With few of them the interval is somewhat too narrow: where a mean has an
interval from `clustered_mean`, that one comes first and this one is the second opinion.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import nan
from operator import itemgetter
from typing import NamedTuple

from supersede.metrics.intervals import LEVEL
from supersede.worlds.streams import stream

__all__ = ["RESAMPLES", "Interval", "Part", "bootstrap_ratios", "ratio"]

RESAMPLES = 10_000
"""How often the documents are drawn again."""


class Part(NamedTuple):
    """What one question, or one document, adds to a ratio."""

    cluster: str
    """The document."""
    numerator: float
    denominator: float


class Interval(NamedTuple):
    """The two ends of an interval; both NaN where it is undefined."""

    low: float
    high: float


def ratio(parts: Iterable[Part]) -> float:
    """Sum of the numerators over the sum of the denominators; NaN where that is 0.

    A mean over questions is the ratio whose denominators are 1.
    """
    top = bottom = 0.0
    for _, numerator, denominator in parts:
        top += numerator
        bottom += denominator
    return top / bottom if bottom else nan


def bootstrap_ratios(
    ratios: Mapping[str, Sequence[Part]],
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    seed: str = "bootstrap",
) -> dict[str, Interval]:
    """Percentile intervals of several ratios, all from the same resamples (Efron 1979).

    Each resample draws as many documents as there are, with repetition, and takes the ratio of
    the sums over the drawn ones. The interval runs from the `(1 - level) / 2` to the
    `(1 + level) / 2` quantile, each the nearest drawn value outwards. Same seed, same interval.

    - All parts 0, or all full: the interval has no width, which is no certainty.
    - Resamples whose denominators sum to 0 are left out.
    - Fewer than two documents with a part: NaN.

    Args:
        ratios: Name -> its parts.
        resamples: How many draws.
        level: Confidence level, between 0 and 1.
        seed: Names the random stream.
    """
    clusters = sorted({part.cluster for parts in ratios.values() for part in parts})
    if len(clusters) < 2:
        return dict.fromkeys(ratios, Interval(nan, nan))
    sums = {name: _sums(parts, clusters) for name, parts in ratios.items()}
    drawn: dict[str, list[float]] = {name: [] for name in ratios}
    draw, count = stream(seed, "documents"), len(clusters)
    for _ in range(resamples):
        chosen = itemgetter(*[int(draw() * count) for _ in clusters])
        for name, (tops, bottoms) in sums.items():
            bottom = sum(chosen(bottoms))
            if bottom:
                drawn[name].append(sum(chosen(tops)) / bottom)
    return {
        name: _middle(sorted(values), level)
        if sum(map(bool, sums[name][1])) > 1
        else Interval(nan, nan)
        for name, values in drawn.items()
    }


def _sums(parts: Sequence[Part], clusters: Sequence[str]) -> tuple[list[float], list[float]]:
    """Numerators and denominators summed for each document."""
    place = {cluster: i for i, cluster in enumerate(clusters)}
    tops, bottoms = [0.0] * len(clusters), [0.0] * len(clusters)
    for cluster, numerator, denominator in parts:
        tops[place[cluster]] += numerator
        bottoms[place[cluster]] += denominator
    return tops, bottoms


def _middle(values: Sequence[float], level: float) -> Interval:
    """The middle part of sorted values."""
    if not values:
        return Interval(nan, nan)
    tail = int(len(values) * (1 - level) / 2)
    return Interval(values[tail], values[-1 - tail])
