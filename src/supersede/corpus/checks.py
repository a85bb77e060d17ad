"""Whether a corpus is like the published one: tiers, rates, kinds of records, families."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from math import isnan, sqrt
from typing import NamedTuple

from supersede.corpus.stats import FAMILIES, RATES, Spread, Statistics, TierStatistics
from supersede.model.instance import Tier
from supersede.worlds.tiers import EVENTS

NEAR = 0.05
"""How far the mean events of a tier may be from the published mean, as a share of it."""
POINTS = 0.02
"""How far the share of a family may be from the published one."""
_ENOUGH = sum(FAMILIES.values())
"""Questions from which on shares of families are compared: as many as were published."""
_ERRORS = 2
"""Standard errors that a rate may fall from a tier to the next: draws alone let it."""
_KINDS: Mapping[str, str] = {
    "entry": "entries",
    "backfill": "backfill",
    "correct": "correct",
    "amend": "amend",
    "void": "void",
    "confirm": "confirm",
    "reinstate": "reinstate",
    "repost": "repost",
    "rule": "rules",
    "noise": "noise",
}
"""Kind of record -> the measured difficulty that is above zero where there is one."""


class Check(NamedTuple):
    """One check."""

    name: str
    measured: str
    wanted: str
    met: bool

    def __str__(self) -> str:
        verdict = "met" if self.met else "NOT MET"
        return f"{self.name:32}{self.measured:>28}   {self.wanted:34}{verdict}"


def checks(found: Statistics) -> Iterator[Check]:
    """The checks of a corpus; those of tiers and families that it does not have are left out."""
    yield _kinds(found)
    for tier, part in found.in_order():
        yield _events(tier, part)
    for name in RATES:
        for tier, part in found.in_order():
            yield _rate(name, tier, part)
        if len(found.tiers) > 1:
            yield _rise(name, found)
    if found.instances >= _ENOUGH:
        yield _families(found)


def _kinds(found: Statistics) -> Check:
    missing = [
        kind
        for kind, name in _KINDS.items()
        if not any(part.realised.get(name, Spread()).most > 0 for part in found.tiers.values())
    ]
    said = f"no {', '.join(missing)}" if missing else f"all {len(_KINDS)}"
    return Check("kinds of records", said, "every one, and noise", not missing)


def _events(tier: Tier, part: TierStatistics) -> Check:
    blocks, per_block = EVENTS[tier]
    published, mean = blocks * per_block, part.mean("events")
    return Check(
        f"mean events, {tier}",
        f"{mean:,.1f}",
        f"{published:,.1f} within {NEAR:.0%}",
        abs(mean - published) <= NEAR * published,
    )


def _rate(name: str, tier: Tier, part: TierStatistics) -> Check:
    low, high = RATES[name]
    rate = part.rate(name)
    said = "nothing to measure" if isnan(rate) else f"{rate:.4f}"
    return Check(f"{name} rate, {tier}", said, f"{low:.2f} to {high:.2f}", low <= rate <= high)


def _rise(name: str, found: Statistics) -> Check:
    parts = [part for _, part in found.in_order()]
    rates = [part.rate(name) for part in parts]
    falls = [
        later - earlier < -_ERRORS * sqrt(_variance(name, one) + _variance(name, other))
        for (one, other), (earlier, later) in zip(pairwise(parts), pairwise(rates), strict=True)
    ]
    return Check(
        f"{name} rate by tier",
        " ".join(f"{100 * rate:.1f}" for rate in rates) + " %",
        f"no fall beyond {_ERRORS} standard errors",
        not any(falls),
    )


def _variance(name: str, part: TierStatistics) -> float:
    """Of a rate, as of that many independent draws."""
    rate, of = part.rate(name), part.pooled[name][1]
    return rate * (1 - rate) / of if of else 0.0


def _families(found: Statistics) -> Check:
    total, of = found.instances, sum(FAMILIES.values())
    gaps = {name: found.families[name] / total - count / of for name, count in FAMILIES.items()}
    widest = max(gaps, key=lambda name: abs(gaps[name]))
    return Check(
        "shares of families",
        f"{100 * gaps[widest]:+.1f} points, {widest.split()[0]}",
        f"published, within {100 * POINTS:.0f} points",
        abs(gaps[widest]) <= POINTS,
    )
