"""Means of clustered data with their intervals.

Instances of one prototype share names, rules and phrasings, so that they succeed and fail
together; instances of one prototype in different tiers do too. Intervals therefore treat the
prototype as the unit that was sampled. They come from the cluster-robust standard error with
quantiles of Student's t, not from a bootstrap: with a dozen prototypes a percentile bootstrap
is too narrow, and the formula needs no seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import atan, cos, isnan, nan, pi, sin, sqrt

__all__ = ["LEVEL", "Estimate", "Observation", "clustered_mean", "student_t"]

LEVEL = 0.95
"""Confidence level of every interval."""

Observation = tuple[str, float]
"""A cluster and a value from 0 to 1 observed in it; NaN where the value is undefined."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its interval."""

    value: float
    """The mean; NaN where there is nothing to average."""
    low: float
    """Lower end of the interval; NaN where it is undefined."""
    high: float
    """Upper end of the interval; NaN where it is undefined."""
    clusters: int
    """Clusters that the interval rests on."""
    undefined: int = 0
    """Observations left out because they are NaN."""


def clustered_mean(strata: Mapping[str, Sequence[Observation]], level: float = LEVEL) -> Estimate:
    """The unweighted mean over strata of the means inside them, clusters crossing strata.

    With one stratum it is the plain mean. Over the five tiers it is the overall value of E-113.
    With stratum means `m_t`, `T` strata, `n_t` observations in each and `G` clusters::

        u_g = sum over t of (1 / T) * sum over i in cluster g of (y_it - m_t) / n_t
        SE^2 = G / (G - 1) * sum of u_g^2
        interval = mean -+ t(level, G - 1) * SE, cut off at 0 and 1

    (Liang and Zeger 1986 with the usual correction for few clusters.) Where all observations
    are 0, or all are 1, no spread is seen and the formula would claim certainty: the interval
    is then the exact binomial one for `G` trials, `[0, 1 - a]` or `[a, 1]` with
    `a = ((1 - level) / 2)^(1 / G)`.

    Value and interval lie in 0 to 1. One cluster: the interval is undefined, NaN. Strata
    without a defined observation are left out of the mean; no observation at all: all NaN.

    Args:
        strata: Stratum -> its observations.
        level: Confidence level, between 0 and 1.
    """
    defined = {
        name: [(cluster, value) for cluster, value in rows if not isnan(value)]
        for name, rows in strata.items()
    }
    undefined = sum(len(rows) for rows in strata.values()) - sum(map(len, defined.values()))
    defined = {name: rows for name, rows in defined.items() if rows}
    if not defined:
        return Estimate(nan, nan, nan, 0, undefined)
    means = {name: sum(v for _, v in rows) / len(rows) for name, rows in defined.items()}
    mean = sum(means.values()) / len(means)
    pull: dict[str, float] = {}
    for name, rows in defined.items():
        for cluster, value in rows:
            share = (value - means[name]) / (len(rows) * len(means))
            pull[cluster] = pull.get(cluster, 0.0) + share
    low, high = _ends(mean, list(pull.values()), level)
    return Estimate(mean, low, high, len(pull), undefined)


def _ends(mean: float, pulls: Sequence[float], level: float) -> tuple[float, float]:
    """The ends of the interval around a mean, from what each cluster adds to it."""
    clusters = len(pulls)
    if clusters < 2:
        return nan, nan
    exact = ((1 - level) / 2) ** (1 / clusters)
    if mean == 0:
        return 0.0, 1 - exact
    if mean == 1:
        return exact, 1.0
    error = sqrt(clusters / (clusters - 1) * sum(pull * pull for pull in pulls))
    reach = student_t(level, clusters - 1) * error
    return max(0.0, mean - reach), min(1.0, mean + reach)


@cache
def student_t(level: float, freedom: int) -> float:
    """The `t` that a t-distributed number stays within, on both sides, with a probability.

    Found by bisection on the closed form for whole degrees of freedom (Abramowitz and Stegun
    26.7.3 and 26.7.4), good to nine digits for levels up to 0.9999.

    Args:
        level: Probability, between 0 and 1.
        freedom: Degrees of freedom, 1 or more.

    Raises:
        ValueError: Either is out of its range.
    """
    if not 0 < level < 1 or freedom < 1:
        raise ValueError(f"level={level} or freedom={freedom} is out of range")
    low, high = 0.0, 1.0
    while _within(high, freedom) < level:
        low, high = high, 2 * high
    for _ in range(100):
        middle = (low + high) / 2
        if _within(middle, freedom) < level:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _within(t: float, freedom: int) -> float:
    """The probability of a t-distributed number between -t and t."""
    angle = atan(t / sqrt(freedom))
    square = cos(angle) ** 2
    odd = freedom % 2
    term, total = (cos(angle) if odd else 1.0), 0.0
    for power in range(1 + odd, freedom, 2):
        total += term
        term *= square * power / (power + 1)
    if odd:
        return 2 / pi * (angle + sin(angle) * total)
    return sin(angle) * total
