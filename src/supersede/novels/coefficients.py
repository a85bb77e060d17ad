"""Agreement beyond chance: Krippendorff's alpha, Cohen's and Fleiss' kappa.

All three are `1 - observed / expected` disagreement. Which labels there are, and how often each is
right, differs from question to question; the option `a` of one is nothing like the `a` of another.
So chance is reckoned inside each question, and the disagreements of all questions are added up
before they are divided: `Disagreement` has the two sums, which also makes intervals over books a
matter of ratios. With one question alone these are the published coefficients.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from itertools import combinations
from math import fsum, nan
from typing import NamedTuple, TypeVar

__all__ = [
    "Disagreement",
    "alpha",
    "cohen",
    "fleiss",
    "jaccard",
    "masi",
    "nominal",
    "total",
]

Value = TypeVar("Value", bound=Hashable)


class Disagreement(NamedTuple):
    """How much raters disagree, and how much they would by chance, each times the units."""

    observed: float
    expected: float

    @property
    def coefficient(self) -> float:
        """1 for none, 0 for as much as chance, below 0 for more; NaN where chance gives none.

        The last is so without units, and where everybody always says the same one thing: there is
        nothing then that could have been told apart.
        """
        return 1 - self.observed / self.expected if self.expected > 0 else nan


def total(parts: Iterable[Disagreement]) -> Disagreement:
    """The sums over questions."""
    found = list(parts)
    return Disagreement(fsum(p.observed for p in found), fsum(p.expected for p in found))


def nominal(one: object, other: object) -> float:
    """0 for the same value, else 1."""
    return float(one != other)


def jaccard(one: AbstractSet[object], other: AbstractSet[object]) -> float:
    """Share of the members of either set that only one has; 0 for two empty sets."""
    either = len(one | other)
    return 1 - len(one & other) / either if either else 0.0


def masi(one: AbstractSet[object], other: AbstractSet[object]) -> float:
    """Jaccard's measure, milder where one set is inside the other (Passonneau 2006).

    The similarity is multiplied by 1 for equal sets, 2/3 where one is inside the other, 1/3 where
    they overlap otherwise and 0 where they do not.
    """
    if one == other:
        return 0.0
    both = one & other
    if not both:
        return 1.0
    kind = 2 / 3 if both in (one, other) else 1 / 3
    return 1 - kind * len(both) / len(one | other)


def alpha(
    units: Iterable[Sequence[Value]], distance: Callable[[Value, Value], float] = nominal
) -> Disagreement:
    """The disagreements of Krippendorff's alpha (2011, "Computing ... Alpha-Reliability").

    Args:
        units: What was said of each unit, by however many raters; who said nothing is left out.
            Units with fewer than two values cannot be compared, and count for nothing.
        distance: How different two values are: 0 for equal ones.
    """
    pairable = [list(unit) for unit in units if len(unit) > 1]
    every = Counter(value for unit in pairable for value in unit)
    if not pairable:
        return Disagreement(0.0, 0.0)
    observed = fsum(_between(Counter(unit), distance) / (len(unit) - 1) for unit in pairable)
    return Disagreement(observed, _between(every, distance) / (every.total() - 1))


def _between(counts: Counter[Value], distance: Callable[[Value, Value], float]) -> float:
    """The distances of all ordered pairs of different values."""
    if distance is nominal:
        return float(counts.total() ** 2 - sum(n * n for n in counts.values()))
    pairs = combinations(counts.items(), 2)
    return 2 * fsum(n * m * distance(one, other) for (one, n), (other, m) in pairs)


def cohen(pairs: Iterable[tuple[Hashable, Hashable]]) -> Disagreement:
    """The disagreements of Cohen's kappa (1960).

    Args:
        pairs: What the two raters said of each unit that both judged.
    """
    both = list(pairs)
    if not both:
        return Disagreement(0.0, 0.0)
    first, second = Counter(one for one, _ in both), Counter(other for _, other in both)
    by_chance = sum(n * second[value] for value, n in first.items()) / len(both)
    return Disagreement(float(sum(one != other for one, other in both)), len(both) - by_chance)


def fleiss(units: Iterable[Sequence[Hashable]]) -> Disagreement:
    """The disagreements of Fleiss' kappa (1971).

    Args:
        units: What was said of each unit, by the same number of raters for each.

    Raises:
        ValueError: The numbers differ, or there is one rater only.
    """
    rated = [Counter(unit) for unit in units]
    if not rated:
        return Disagreement(0.0, 0.0)
    raters = rated[0].total()
    if raters < 2 or any(unit.total() != raters for unit in rated):
        raise ValueError("Fleiss' kappa needs two or more raters, as many for each unit")
    every = sum(rated, Counter[Hashable]())
    values = every.total()
    observed = fsum(_between(unit, nominal) for unit in rated) / (raters * (raters - 1))
    return Disagreement(observed, len(rated) * _between(every, nominal) / values**2)
