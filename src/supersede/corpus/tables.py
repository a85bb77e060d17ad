"""Statistics of a corpus as lines for people: measured, then published."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from supersede.corpus.stats import (
    FAMILIES,
    MACRO_GROUPS,
    RATES,
    Statistics,
    TierStatistics,
    shares,
)
from supersede.model.instance import Tier
from supersede.worlds.tiers import EVENTS

_COLUMNS: Mapping[str, int] = {
    "tier": -12,
    "instances": 10,
    "blocks": 14,
    "events/block": 15,
    "events": 18,
    "invalid": 9,
    "backfill": 10,
    "distance": 10,
    "interleaving": 14,
    "noise": 7,
}
"""Column -> its width; negative where it is aligned to the left."""


def statistics_table(found: Statistics) -> Iterator[str]:
    """The lines of the tables: tiers, families, macro-groups."""
    yield _row(list(_COLUMNS))
    for tier, part in found.in_order():
        yield _row(_cells(tier, part))
    ranges = ", ".join(f"{name} {low:.2f} to {high:.2f}" for name, (low, high) in RATES.items())
    yield f"blocks and events: measured / published; published rates: {ranges}"
    yield ""
    yield from _share_lines("family", found.families, FAMILIES)
    yield ""
    yield from _share_lines("macro-group", found.macro_groups, MACRO_GROUPS)
    yield ""
    yield (
        f"{found.instances:,} instances, {len(found.prototypes)} prototypes, "
        f"{len(found.operators)} operators"
    )


def _cells(tier: Tier, part: TierStatistics) -> list[str]:
    blocks, per_block = EVENTS[tier]
    return [
        tier.value,
        f"{part.instances:,}",
        f"{part.mean('blocks'):.1f} / {blocks}",
        f"{part.events_per_block:.2f} / {per_block}",
        f"{part.mean('events'):.1f} / {blocks * per_block:.1f}",
        f"{part.rate('invalid'):.3f}",
        f"{part.rate('backfill'):.3f}",
        f"{part.mean('distance'):.2f}",
        f"{part.mean('interleaving'):.2f}",
        f"{part.mean('noise'):.2f}",
    ]


def _row(cells: list[str]) -> str:
    return "".join(
        f"{cell:<{-width}}" if width < 0 else f"{cell:>{width}}"
        for cell, width in zip(cells, _COLUMNS.values(), strict=True)
    )


def _share_lines(title: str, counts: Counter[str], published: Mapping[str, int]) -> Iterator[str]:
    yield f"{title:22}{'instances':>10}{'share':>8}{'published':>11}"
    for name, row in shares(counts, published).items():
        share = "n/a" if row["share"] is None else f"{row['share']:.1%}"
        yield f"{name:22}{row['instances']:10,}{share:>8}{row['published_share']:11.1%}"
