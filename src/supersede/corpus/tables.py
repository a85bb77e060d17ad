"""Statistics of a corpus as lines for people: measured, then published."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from math import isnan

from supersede.corpus.checks import checks
from supersede.corpus.show import counted
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

_LEGEND = (
    "blocks: parts of the log; events: records with an id, those that void or confirm included;",
    "invalid: share of entries, late ones, replacements and copies that do not count;",
    "backfill: share of the same that were entered late; distance: blocks late on average;",
    "interleaving: share of neighbouring entries about different entities;",
    "noise: lines without a fact for each record; -: nothing to measure",
)
"""What each column means."""


def statistics_table(found: Statistics) -> Iterator[str]:
    """The lines of the tables, which are Figure 3's (E-096), and of the checks.

    Tiers are (b), families (c), macro-groups and themes (a).
    """
    yield _row(list(_COLUMNS))
    for tier, part in found.in_order():
        yield _row(_cells(tier, part))
    ranges = ", ".join(f"{name} {low:.2f} to {high:.2f}" for name, (low, high) in RATES.items())
    yield f"blocks and events: measured / published; published rates: {ranges}"
    yield from _LEGEND
    yield ""
    yield from _length_lines(found)
    yield from _share_lines("family", found.families, FAMILIES)
    yield ""
    yield from _share_lines("macro-group", found.macro_groups, MACRO_GROUPS)
    yield ""
    yield from _ring_lines(found)
    yield ""
    yield from map(str, checks(found))
    yield ""
    counts = {
        "instance": found.instances,
        "prototype": len(found.prototypes),
        "operator": len(found.operators),
    }
    yield ", ".join(counted(number, noun) for noun, number in counts.items())


def _cells(tier: Tier, part: TierStatistics) -> list[str]:
    blocks, per_block = EVENTS[tier]
    return [
        tier.value,
        f"{part.instances:,}",
        f"{_number(part.mean('blocks'), 1)} / {blocks}",
        f"{_number(part.events_per_block, 2)} / {per_block}",
        f"{_number(part.mean('events'), 1)} / {blocks * per_block:.1f}",
        _number(part.rate("invalid"), 3),
        _number(part.rate("backfill"), 3),
        _number(part.mean("distance"), 2),
        _number(part.mean("interleaving"), 2),
        _number(part.mean("noise"), 2),
    ]


def _number(value: float, places: int) -> str:
    """A number, or a dash where it is undefined."""
    return "-" if isnan(value) else f"{value:.{places}f}"


def _row(cells: list[str]) -> str:
    return "".join(
        f"{cell:<{-width}}" if width < 0 else f"{cell:>{width}}"
        for cell, width in zip(cells, _COLUMNS.values(), strict=True)
    )


def _length_lines(found: Statistics) -> Iterator[str]:
    """Tokens by tier, where they are counted."""
    counted_tiers = [(tier, part) for tier, part in found.in_order() if part.tokens.count]
    if not counted_tiers:
        return
    yield f"{'tokens':12}{'counted':>10}{'mean':>10}{'least':>10}{'most':>10}"
    for tier, part in counted_tiers:
        spread = part.tokens
        yield (
            f"{tier.value:12}{spread.count:10,}{spread.mean:10,.0f}{spread.least:10,.0f}"
            f"{spread.most:10,.0f}"
        )
    yield ""


def _ring_lines(found: Statistics) -> Iterator[str]:
    """Prototypes by macro-group and theme."""
    total, of = len(found.prototypes), sum(MACRO_GROUPS.values())
    yield f"{'macro-group, theme':22}{'prototypes':>11}{'share':>8}{'published':>11}"
    for group, published in MACRO_GROUPS.items():
        themes = found.ring.get(group, {})
        number = sum(map(len, themes.values()))
        share = f"{number / total:.1%}" if total else "-"
        yield f"{group:22}{number:11}{share:>8}{published:5} {published / of:.1%}"
        for theme, names in sorted(themes.items(), key=lambda item: (-len(item[1]), item[0])):
            yield f"  {theme:20}{len(names):11}"


def _share_lines(title: str, counts: Counter[str], published: Mapping[str, int]) -> Iterator[str]:
    yield f"{title:22}{'instances':>10}{'share':>8}{'published':>11}"
    for name, row in shares(counts, published).items():
        share = "-" if row["share"] is None else f"{row['share']:.1%}"
        yield f"{name:22}{row['instances']:10,}{share:>8}{row['published_share']:11.1%}"
