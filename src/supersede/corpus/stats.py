"""What a corpus is like, next to what was published about the original."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import nan, sqrt
from pathlib import Path
from typing import Any

from supersede.corpus.files import is_corpus, read_lines, read_manifest
from supersede.errors import DataError, location
from supersede.model.instance import Tier
from supersede.model.question import Family
from supersede.worlds.tiers import EVENTS

RATES: Mapping[str, tuple[float, float]] = {"invalid": (0.10, 0.14), "backfill": (0.02, 0.05)}
"""Published ranges of rates over a corpus (Table 1, E-054)."""

FAMILIES: Mapping[str, int] = {
    Family.RANKING: 737,
    Family.COMPARISON: 618,
    Family.HOTSPOT: 570,
    Family.PROFILE: 477,
    Family.WINDOW: 404,
    Family.AUDIT: 380,
    Family.COUNTERFACTUAL: 324,
}
"""Published counts of final questions among 3,510 (Figure 3(c), E-057 to E-064)."""

MACRO_GROUPS: Mapping[str, int] = {
    "Professional & tech": 38,
    "Business & finance": 25,
    "Public & education": 23,
    "Games & sports": 17,
    "Everyday & travel": 14,
}
"""Published prototypes of each group among 117 (Figure 3(a), E-082)."""


@dataclass(slots=True)
class Spread:
    """Mean and spread of a quantity, kept as running sums; NaN while there is nothing."""

    count: int = 0
    _sum: float = 0.0
    _squares: float = 0.0
    least: float = nan
    most: float = nan

    def add(self, value: float) -> None:
        """Take one more value in."""
        self.least = value if self.count == 0 else min(self.least, value)
        self.most = value if self.count == 0 else max(self.most, value)
        self.count += 1
        self._sum += value
        self._squares += value * value

    @property
    def mean(self) -> float:
        """The mean."""
        return self._sum / self.count if self.count else nan

    @property
    def deviation(self) -> float:
        """The standard deviation of the sample; NaN below two values."""
        if self.count < 2:
            return nan
        rest = self._squares - self._sum * self._sum / self.count
        return sqrt(max(rest, 0.0) / (self.count - 1))

    def to_json(self) -> dict[str, float | int | None]:
        """All of it as plain JSON data; what is undefined is null."""
        values = {
            "mean": self.mean,
            "deviation": self.deviation,
            "least": self.least,
            "most": self.most,
        }
        return {"count": self.count, **{k: _number(v) for k, v in values.items()}}


def _number(value: float) -> float | None:
    return None if value != value else round(value, 4)


@dataclass(slots=True)
class TierStatistics:
    """One tier of a corpus."""

    realised: dict[str, Spread] = field(default_factory=dict)
    """Name of a measured difficulty -> its spread; backfill distance only where there are any."""
    pooled: dict[str, list[float]] = field(default_factory=dict)
    """Rate -> records that it counts and records that it is a share of."""
    characters: Spread = field(default_factory=Spread)
    """Length of all messages."""
    claims: Spread = field(default_factory=Spread)
    """Claims of the checklist."""
    evidence: Spread = field(default_factory=Spread)
    """Records of evidence."""
    tokens: Spread = field(default_factory=Spread)
    """Tokens of all messages, of the instances for which they are counted."""

    @property
    def instances(self) -> int:
        """How many instances there are."""
        return self.characters.count

    def mean(self, name: str) -> float:
        """The mean over instances of a measured difficulty; NaN where there is none."""
        return self.realised.get(name, Spread()).mean

    def rate(self, name: str) -> float:
        """A rate over all records of the tier, as S3 defines it; NaN where there are none."""
        counted, of = self.pooled.get(name, (0.0, 0.0))
        return counted / of if of else nan

    @property
    def events_per_block(self) -> float:
        """Mean events divided by mean blocks."""
        blocks = self.mean("blocks")
        return self.mean("events") / blocks if blocks else nan

    def add(self, data: Mapping[str, Any]) -> None:
        """Take one more instance in."""
        realised = data["realised"]
        for name, value in realised.items():
            if name != "distance" or value:
                self.realised.setdefault(name, Spread()).add(value)
        for name in RATES:
            pooled = self.pooled.setdefault(name, [0.0, 0.0])
            pooled[0] += round(realised[name] * realised["entries"])
            pooled[1] += realised["entries"]
        self.characters.add(sum(len(message["content"]) for message in data["messages"]))
        self.claims.add(len(data["checklist"]))
        self.evidence.add(len(data["evidence"]))
        if data.get("tokens") is not None:
            self.tokens.add(int(data["tokens"]))

    def to_json(self, tier: Tier) -> dict[str, Any]:
        """The tier as plain JSON data, published figures included."""
        blocks, events_per_block = EVENTS[tier]
        return {
            "instances": self.instances,
            "events_per_block": _number(self.events_per_block),
            **{f"{name}_rate": _number(self.rate(name)) for name in RATES},
            "realised": {name: spread.to_json() for name, spread in self.realised.items()},
            "characters": self.characters.to_json(),
            "claims": self.claims.to_json(),
            "evidence": self.evidence.to_json(),
            "tokens": self.tokens.to_json(),
            "published": {
                "blocks": blocks,
                "events_per_block": events_per_block,
                "events": round(blocks * events_per_block, 1),
                **{f"{name}_rate": list(span) for name, span in RATES.items()},
            },
        }


@dataclass(slots=True)
class Statistics:
    """What one or more corpora are like."""

    tiers: dict[Tier, TierStatistics] = field(default_factory=dict)
    """Easiest first; only those that occur."""
    families: Counter[str] = field(default_factory=Counter)
    operators: Counter[str] = field(default_factory=Counter)
    macro_groups: Counter[str] = field(default_factory=Counter)
    prototypes: Counter[str] = field(default_factory=Counter)
    """Instances of each."""

    @property
    def instances(self) -> int:
        """How many instances there are."""
        return sum(tier.instances for tier in self.tiers.values())

    def add(self, data: Mapping[str, Any]) -> None:
        """Take one more instance in.

        Raises:
            KeyError, TypeError, ValueError: It is no instance.
        """
        self.tiers.setdefault(Tier(data["tier"]), TierStatistics()).add(data)
        self.families[data["family"]] += 1
        self.operators[data["operator"]] += 1
        self.macro_groups[data["macro_group"]] += 1
        self.prototypes[data["prototype"]] += 1

    def in_order(self) -> list[tuple[Tier, TierStatistics]]:
        """The tiers, easiest first."""
        return [(tier, self.tiers[tier]) for tier in Tier if tier in self.tiers]

    def to_json(self) -> dict[str, Any]:
        """All of it as plain JSON data."""
        return {
            "instances": self.instances,
            "prototypes": dict(sorted(self.prototypes.items())),
            "tiers": {tier.value: part.to_json(tier) for tier, part in self.in_order()},
            "families": shares(self.families, FAMILIES),
            "macro_groups": shares(self.macro_groups, MACRO_GROUPS),
            "operators": dict(sorted(self.operators.items())),
        }


def shares(counts: Counter[str], published: Mapping[str, int]) -> dict[str, dict[str, Any]]:
    """Name -> instances and share, next to the published share."""
    total, of = counts.total(), sum(published.values())
    return {
        str(name): {
            "instances": counts[name],
            "share": _number(counts[name] / total if total else nan),
            "published_share": round(count / of, 4),
        }
        for name, count in published.items()
    }


def statistics(
    paths: Sequence[Path], *, on_file: Callable[[Path], None] | None = None
) -> Statistics:
    """What corpora are like.

    Args:
        paths: Folders of corpora, or single JSONL files.
        on_file: Told of every file that is done.

    Raises:
        DataError: A file cannot be read or holds no instances, or a folder has no manifest.
    """
    found = Statistics()
    for path in files_of(paths):
        for number, data in read_lines(path):
            try:
                found.add(data)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise DataError(f"not an instance: {error}", where=location(path, number)) from None
        if on_file is not None:
            on_file(path)
    return found


def files_of(paths: Sequence[Path]) -> list[Path]:
    """The JSONL files of corpora, in order.

    Raises:
        DataError: There is no such folder or file, or no sound manifest.
    """
    found: list[Path] = []
    for path in paths:
        if is_corpus(path):
            found += [path / entry.path for entry in read_manifest(path).shards]
        else:
            found.append(path)
    return found
