"""Eight archetypes of behaviour: did the truth change, did the answer, and is it right?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from math import nan

from supersede.model.stream import Trace

__all__ = ["Archetype", "Behaviour", "Bias", "archetype", "behaviour", "label_intervals"]


class Archetype(StrEnum):
    """What a model did at one interval (O-044 to O-051)."""

    ADAPTABILITY = "adaptability"
    """Truth changed, answer changed, right."""
    MALADAPTATION = "maladaptation"
    """Truth changed, answer changed, wrong."""
    PRESCIENCE = "prescience"
    """Truth changed, answer stayed, right: it was premature and has become true."""
    STUBBORNNESS = "stubbornness"
    """Truth changed, answer stayed, wrong."""
    LAG = "lag"
    """Truth stayed, answer changed, right: a late update, or one regained."""
    VOLATILITY = "volatility"
    """Truth stayed, answer changed, wrong."""
    STABILITY = "stability"
    """Truth stayed, answer stayed, right."""
    OBSTINACY = "obstinacy"
    """Truth stayed, answer stayed, wrong."""


class Bias(StrEnum):
    """Which way a model errs (O-182)."""

    OVER_UPDATER = "over-updater"
    UNDER_UPDATER = "under-updater"
    BALANCED = "balanced"
    UNDEFINED = "undefined"


_TABLE = {
    (True, True, True): Archetype.ADAPTABILITY,
    (True, True, False): Archetype.MALADAPTATION,
    (True, False, True): Archetype.PRESCIENCE,
    (True, False, False): Archetype.STUBBORNNESS,
    (False, True, True): Archetype.LAG,
    (False, True, False): Archetype.VOLATILITY,
    (False, False, True): Archetype.STABILITY,
    (False, False, False): Archetype.OBSTINACY,
}
"""Truth changed, answer changed, right -> archetype."""
_BITS = {name: bits for bits, name in _TABLE.items()}


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How often each archetype occurs."""

    counts: Mapping[Archetype, int]
    """Intervals with each archetype, every archetype present."""
    rates: Mapping[Archetype, float]
    """Shares of the intervals at which the truth changed (stayed); NaN where it never did."""
    first: int
    """First intervals, which have no archetype."""

    @property
    def change_intervals(self) -> int:
        """Intervals at which the truth changed."""
        return sum(n for name, n in self.counts.items() if _BITS[name][0])

    @property
    def stay_intervals(self) -> int:
        """Intervals at which the truth stayed."""
        return sum(self.counts.values()) - self.change_intervals

    @property
    def change_rate(self) -> float:
        """How readily the model changes its answer, both scenarios weighing the same (O-054).

        Mean over the two scenarios of the share of intervals at which the answer changed; range
        0 to 1; 0.5 is the border between the two biases, and neither end is good. Always right
        is 0.5: it changes at every change and never else. Never changing: 0. NaN where either
        scenario has no interval.
        """
        return self._half(lambda bits: bits[1])

    @property
    def stay_rate(self) -> float:
        """1 - `change_rate`."""
        return self._half(lambda bits: not bits[1])

    @property
    def correct_transitions(self) -> float:
        """Mean of the four archetypes whose change, or lack of it, follows the truth (C-007).

        Adaptability, maladaptation, stability and obstinacy; range 0 to 0.5, more is better.
        With the mean of the other four it is 0.5. NaN where either scenario is empty.
        """
        return self._half(lambda bits: bits[0] == bits[1]) / 2

    @property
    def correct_answers(self) -> float:
        """Mean of the four archetypes that are right (O-054).

        Range 0 to 0.5, more is better; with the mean of the four wrong ones it is 0.5. It is no
        accuracy: the rare intervals of change weigh as much as all others. NaN where either
        scenario is empty.
        """
        return self._half(lambda bits: bits[2]) / 2

    @property
    def bias(self) -> Bias:
        """Over-updater where the change rate is above the stay rate; under-updater below."""
        change, stay = self.change_rate, self.stay_rate
        if change != change:
            return Bias.UNDEFINED
        if change == stay:
            return Bias.BALANCED
        return Bias.OVER_UPDATER if change > stay else Bias.UNDER_UPDATER

    def _half(self, chosen: Callable[[tuple[bool, bool, bool]], bool]) -> float:
        """Half the sum of the rates of some archetypes."""
        return sum(self.rates[name] for bits, name in _TABLE.items() if chosen(bits)) / 2


def archetype(truth_changed: bool, answer_changed: bool, right: bool) -> Archetype:
    """The archetype of three bits (O-043)."""
    return _TABLE[truth_changed, answer_changed, right]


def label_intervals(trace: Trace) -> tuple[Archetype | None, ...]:
    """The archetype of every interval of a question; None at the first, which has none before it.

    The truth changes where a phase begins. Answers are compared in the form in which they are
    matched (O-053: 3 and three are one); two accepted answers inside one phase are one answer
    too, so that Unknown, then 0, before any evidence is stability. No answer (unparsable or
    refused) is a wrong answer that differs from every other and equals itself.
    """
    begins = set(accumulate(trace.phases, initial=0))
    labels: list[Archetype | None] = [None] if trace.right else []
    for t in range(1, len(trace.right)):
        changed = t in begins
        both_right = trace.right[t] and trace.right[t - 1] and not changed
        moved = trace.said[t] != trace.said[t - 1] and not both_right
        labels.append(archetype(changed, moved, trace.right[t]))
    return tuple(labels)


def behaviour(traces: Iterable[Trace]) -> Behaviour:
    """How often each archetype occurs, pooled over all intervals of all questions (O-052).

    `rate = intervals with the archetype / intervals at which the truth changed (stayed)`, so
    that the four rates of either scenario sum to 1. Range 0 to 1. Adaptability, prescience, lag
    and stability are better high.

    - Always right: adaptability 1 and stability 1.
    - Never right: prescience, lag, adaptability and stability are 0.
    - One lucky hit inside a phase: one lag; what follows it is volatility or obstinacy.
    - No change of the truth: the four rates of that scenario are NaN, counts 0.
    - Empty: all rates NaN, all counts 0.
    """
    found: Counter[Archetype | None] = Counter()
    for trace in traces:
        found.update(label_intervals(trace))
    counts = {name: found[name] for name in Archetype}
    totals = {
        changed: sum(n for name, n in counts.items() if _BITS[name][0] is changed)
        for changed in (True, False)
    }
    rates = {
        name: n / totals[_BITS[name][0]] if totals[_BITS[name][0]] else nan
        for name, n in counts.items()
    }
    return Behaviour(counts, rates, found[None])
