"""What the catalogue holds, next to the published inventory (Table 1, E-010 to E-018)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from statistics import median
from typing import Any

from supersede.corpus.stats import FAMILIES
from supersede.questions.registry import all_operators
from supersede.specs.schema import Specification

THEMES: Mapping[str, int] = {
    "Office & software": 21,
    "Public affairs": 17,
    "Finance & business": 13,
    "Logistics & mfg.": 12,
    "Education & work": 12,
    "Healthcare": 11,
    "Sports": 11,
    "Games & entmt.": 6,
    "Home & daily life": 7,
    "Travel": 5,
    "Content & social": 1,
    "Food & dining": 1,
}
"""Published prototypes of each theme (Table 5, E-083 to E-094)."""

OPERATORS: Mapping[str, int] = dict(zip(FAMILIES, (33, 28, 26, 22, 18, 17, 15), strict=True))
"""Operators of each family among 159: its share of the published final questions (E-056)."""


class Wanted(Enum):
    """How a total is to compare with the published one."""

    AT_LEAST = "at least"
    ABOUT = "about"
    EXACTLY = "exactly"


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of the inventory: a total over the catalogue, and how it spreads."""

    name: str
    total: int
    published: int
    spread: tuple[float, int, int] | None = None
    """Median, least and most per prototype; None for what is counted over the whole alone."""
    published_spread: tuple[float, int, int] | None = None
    """The published one; None where only the total was."""
    wanted: Wanted = Wanted.AT_LEAST

    def to_json(self) -> dict[str, Any]:
        """It as plain JSON data."""
        data: dict[str, Any] = {"total": self.total, "published": self.published}
        if self.spread is not None:
            data |= dict(zip(("median", "least", "most"), self.spread, strict=True))
        return data


@dataclass(frozen=True, slots=True)
class Inventory:
    """What some specifications hold together."""

    figures: tuple[Figure, ...]
    themes: Counter[str]
    operators: Counter[str]

    def to_json(self) -> dict[str, Any]:
        """All of it as plain JSON data."""
        return {
            "figures": {figure.name: figure.to_json() for figure in self.figures},
            "themes": {
                name: {"prototypes": self.themes[name], "published": count}
                for name, count in THEMES.items()
            },
            "operators": {
                str(name): {"operators": self.operators[name], "published": count}
                for name, count in OPERATORS.items()
            },
        }


_Spread = tuple[float, int, int]
_PER_PROTOTYPE: tuple[tuple[str, Callable[[Specification], int], int, _Spread | None], ...] = (
    ("named entities", lambda s: sum(len(e.names) for e in s.entities.values()), 3410,
     (28, 19, 52)),
    ("event types", lambda s: len(s.events), 928, (8, 5, 15)),
    ("phrasings", lambda s: sum(len(e.phrasings) for e in s.events), 2784, None),
    ("measures and registers", lambda s: len(s.measures) + len(s.registers), 549, (5, 4, 7)),
    ("signed updates", lambda s: sum(len(e.post) for e in s.events), 1852, (15, 5, 30)),
    ("validity rules", lambda s: len(_labels(s)), 1019, None),
    ("distractor templates", lambda s: len(s.noise), 442, None),
)  # fmt: skip
"""Name, count of one prototype, published total, published median, least and most."""


def _counting(spec: Specification) -> tuple[str, ...]:
    return spec.statuses.counts


def _excluded(spec: Specification) -> tuple[str, ...]:
    return tuple(spec.statuses.does_not_count)


def _labels(spec: Specification) -> tuple[str, ...]:
    return (*_counting(spec), *_excluded(spec))


def inventory(specs: Iterable[Specification]) -> Inventory:
    """The inventory of some specifications."""
    specs = tuple(specs)
    figures = [Figure("prototypes", len(specs), 117, wanted=Wanted.EXACTLY)]
    for name, count, published, spread in _PER_PROTOTYPE:
        counts = [count(spec) for spec in specs]
        figures.append(
            Figure(
                name,
                sum(counts),
                published,
                (median(counts), min(counts), max(counts)) if counts else None,
                spread,
            )
        )
    for name, labels, published, wanted in (
        ("distinct status labels", _labels, 756, Wanted.AT_LEAST),
        ("labels that do not count", _excluded, 404, Wanted.ABOUT),
        ("labels that count", _counting, 352, Wanted.ABOUT),
    ):
        distinct = {label for spec in specs for label in labels(spec)}
        figures.append(Figure(name, len(distinct), published, wanted=wanted))
    schemes = {spec.clock.block for spec in specs}
    figures.append(Figure("clock schemes", len(schemes), 20, wanted=Wanted.EXACTLY))
    operators = Counter(operator.family for operator in all_operators().values())
    figures.append(Figure("operators", operators.total(), 159, wanted=Wanted.EXACTLY))
    return Inventory(tuple(figures), Counter(spec.theme for spec in specs), Counter(operators))


def inventory_table(found: Inventory) -> Iterator[str]:
    """The lines of the inventory: measured, then published."""
    yield f"{'in the catalogue':26}{'total':>8}{'published':>11}   per prototype: median, range"
    for figure in found.figures:
        line = f"{figure.name:26}{figure.total:8,}{figure.published:11,}"
        if figure.spread is not None:
            middle, least, most = figure.spread
            line += f"   {middle:g}, {least}-{most}"
        if figure.published_spread is not None:
            middle, least, most = figure.published_spread
            line += f" (published {middle:g}, {least}-{most})"
        yield line
    yield ""
    yield f"{'theme':26}{'prototypes':>10}{'published':>11}"
    for theme, count in THEMES.items():
        yield f"{theme:26}{found.themes[theme]:10}{count:11}"
    yield ""
    yield f"{'family':26}{'operators':>10}{'published':>11}"
    for family, count in OPERATORS.items():
        yield f"{family:26}{found.operators[family]:10}{count:11}"
