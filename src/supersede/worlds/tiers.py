"""Difficulty: five tiers that scale all dials together, and every dial by itself.

Blocks and events per block are the published means (Figure 3(b), E-048 to E-052). The rates lie
in the published ranges (Table 1); their values per tier, and all other dials, are ours (E-054).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from math import isfinite

from supersede.errors import UsageError, did_you_mean
from supersede.model.instance import Tier


@dataclass(frozen=True, slots=True)
class Dials:
    """What a history is asked to be like. Rates are per record of the plot unless said."""

    blocks: float
    """Number of blocks."""
    updates: float
    """Mean records of the plot per block: all that changes what counts."""
    invalid: float
    """Records on the exclusion list / (entries, backfills, corrects, reposts) (S3)."""
    repost: float
    """Share of the distractors that are reposts."""
    backfill: float
    """Backfills / (entries, backfills, corrects, reposts) (S3)."""
    distance: float
    """Most blocks between a backfill and the block in which it took place."""
    void: float
    """Voids, one in six of them followed by a reinstate."""
    correct: float
    amend: float
    held: float
    """Entries born under a pending label; about half are confirmed later."""
    rules: float
    """Mean number of rule changes in the history; their labels appear before and after."""
    ruled: float
    """Entries under a label that a rule of the history names, where it has rules."""
    noise: float
    """Mean noise lines per record; noise carries no id and is not an event (S3)."""
    interleaving: float
    """Chance that a record turns to another entity than the one before: 0 to 1."""
    depth: float
    """Most entities or records that a counterfactual question takes away."""
    intermediate: float
    """Share of blocks followed by an intermediate question."""

    def to_json(self) -> dict[str, float]:
        """Name of each dial -> its value."""
        return {name: getattr(self, name) for name in self.__slots__}


def _preset(**values: float) -> Dials:
    return Dials(**values)


_BASE = _preset(
    blocks=3,
    updates=2.05,
    invalid=0.118,
    repost=0.25,
    backfill=0.05,
    distance=1,
    void=0.03,
    correct=0.012,
    amend=0.05,
    held=0.03,
    rules=1.0,
    ruled=0.14,
    noise=0.15,
    interleaving=0.6,
    depth=1,
    intermediate=0.34,
)

TIERS: Mapping[Tier, Dials] = {
    Tier.VERY_SHORT: _BASE,
    Tier.SHORT: replace(
        _BASE, blocks=6, updates=4.26, invalid=0.115, backfill=0.05, distance=2,
        amend=0.055, rules=1.0, ruled=0.12, noise=0.18, interleaving=0.68,
    ),
    Tier.MEDIUM: replace(
        _BASE, blocks=16, updates=6.5, invalid=0.12, backfill=0.05, distance=4, void=0.032,
        amend=0.06, rules=1.2, ruled=0.1, noise=0.2, interleaving=0.76, depth=2,
    ),
    Tier.LONG: replace(
        _BASE, blocks=25, updates=13.55, invalid=0.124, backfill=0.05, distance=8, void=0.034,
        amend=0.065, rules=1.6, ruled=0.09, noise=0.22, interleaving=0.84, depth=2,
    ),
    Tier.VERY_LONG: replace(
        _BASE, blocks=55, updates=20.9, invalid=0.124, backfill=0.05, distance=16, void=0.036,
        amend=0.07, rules=2.2, ruled=0.08, noise=0.25, interleaving=0.92, depth=3,
    ),
}  # fmt: skip
"""The presets."""

EVENTS: Mapping[Tier, tuple[int, float]] = {
    Tier.VERY_SHORT: (3, 2.4),
    Tier.SHORT: (6, 4.5),
    Tier.MEDIUM: (16, 6.8),
    Tier.LONG: (25, 14.2),
    Tier.VERY_LONG: (55, 22.0),
}
"""Published blocks and mean events per block."""

DIALS = tuple(field.name for field in fields(Dials))
_RATES = {
    "invalid", "repost", "backfill", "void", "correct", "amend", "held", "ruled",
    "interleaving", "intermediate",
}  # fmt: skip

_MOST = {"blocks": 1000, "updates": 100, "noise": 20, "rules": 100}
"""Beyond these a block no longer fits into a day, or a history into a sensible prompt."""


MEANINGS: Mapping[str, str] = {
    "blocks": "number of blocks",
    "updates": "mean records of the plot per block: all that changes what counts",
    "invalid": "share of entries that do not count, late ones, replacements and copies included",
    "repost": "share of the entries made not to count that are copies of others",
    "backfill": "share of entries that are entered late",
    "distance": "most blocks between a late entry and the block to which it belongs",
    "void": "voids per record, one in six of them taken back later",
    "correct": "records replaced by a new entry, per record",
    "amend": "records restated with other values, per record",
    "held": "entries under a pending label, per record; about half are confirmed later",
    "rules": "mean number of rule changes about labels in the history",
    "ruled": "entries under a label that a rule changes, per record",
    "noise": "mean lines without a fact for each record",
    "interleaving": "chance that a record turns to another entity than the one before",
    "depth": "most entities or records that a counterfactual question takes away",
    "intermediate": "share of blocks that are followed by an intermediate question",
}
"""Dial -> what it means, in a line."""

_WHOLE = ("blocks", "distance", "depth")


def allowed(name: str) -> str:
    """The range of a dial, in words."""
    whole = name in _WHOLE
    if name in _RATES:
        return f"0 to {1.0 if name == 'interleaving' else 0.9}"
    low = "1" if whole else "0"
    span = f"{low} to {_MOST[name]}" if name in _MOST else f"{low} or more"
    return f"whole number, {span}" if whole else span


def dials_for(tier: Tier, *overrides: Mapping[str, float]) -> Dials:
    """The dials of a tier with some replaced, later mappings first.

    Raises:
        UsageError: A name is no dial, or a value is out of its range.
    """
    values: dict[str, float] = {}
    for mapping in overrides:
        for name, value in mapping.items():
            _check(name, value)
            values[name] = value
    return replace(TIERS[tier], **values) if values else TIERS[tier]


def _check(name: str, value: float) -> None:
    if name not in DIALS:
        raise UsageError(
            f"unknown dial {name!r}",
            mend=did_you_mean(name, DIALS, see="supersede dials"),
        )
    if not isfinite(value):
        raise UsageError(f"dial {name}={value} is no number", mend="Give a finite number.")
    top = 0.9 if name in _RATES and name != "interleaving" else 1.0
    if (
        value < 0
        or value > _MOST.get(name, value)
        or (name in _RATES and value > top)
        or (name in _WHOLE and (value < 1 or value != int(value)))
    ):
        raise UsageError(f"dial {name}={value} is out of range", mend=f"Allowed: {allowed(name)}.")
