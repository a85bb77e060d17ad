"""Whether the catalogue holds what was published (Table 1, E-010 to E-018; Tables 5 and 6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from supersede.corpus.checks import Check
from supersede.corpus.inventory import OPERATORS, THEMES, Figure, Inventory, Wanted

ABOUT = 0.25
"""How far a total that is to be about the published one may be from it, as a share of it."""


def catalogue_checks(found: Inventory) -> Iterator[Check]:
    """The checks of an inventory: totals, the range over prototypes, themes, families.

    A total is at least the published one, but for what the catalogue has so many of and no more
    (prototypes, clock schemes, operators) and for the two kinds of labels, which are about as many.
    """
    for figure in found.figures:
        yield _total(figure)
        if figure.published_spread is not None:
            yield _range(figure)
    yield from _counts("theme", found.themes, THEMES)
    yield from _counts("family", found.operators, OPERATORS)


def _total(figure: Figure) -> Check:
    total, published = figure.total, figure.published
    met = {
        Wanted.AT_LEAST: total >= published,
        Wanted.ABOUT: abs(total - published) <= ABOUT * published,
        Wanted.EXACTLY: total == published,
    }[figure.wanted]
    within = f" (within {ABOUT:.0%})" if figure.wanted is Wanted.ABOUT else ""
    wanted = f"{figure.wanted.value} {published:,}{within}"
    return Check(figure.name, f"{total:,}", wanted, met)


def _range(figure: Figure) -> Check:
    """Least and most of a prototype; not met where there is no prototype."""
    name = f"{figure.name} of each"
    _, low, high = figure.published_spread or (0, 0, 0)
    wanted = f"{low} to {high}"
    if figure.spread is None:
        return Check(name, "no prototype", wanted, False)
    _, least, most = figure.spread
    return Check(name, f"{least} to {most}", wanted, low <= least and most <= high)


def _counts(kind: str, found: Counter[str], published: Mapping[str, int]) -> Iterator[Check]:
    for name, count in published.items():
        yield Check(f"{kind} {name}", str(found[name]), f"exactly {count}", found[name] == count)
    if others := sorted(map(str, found.keys() - published.keys())):
        yield Check(f"other: {kind}", ", ".join(others), "none", False)
