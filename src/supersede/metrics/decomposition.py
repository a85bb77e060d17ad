"""Accuracy, and the three ways of being wrong: late, distracted, never in this phase.

All four are means over questions of per-question fractions, each question weighing the same
however long its document is (O-031). Every wrong interval has exactly one class, so that for each
question, and so for the means, ::

    1 - accuracy = AL + DS + PM                                                        (O-037)

This also holds where several answers are accepted: right is the matcher's verdict, while phases
come from the annotated answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import fsum, nan
from typing import NamedTuple

from supersede.model.stream import Trace

__all__ = [
    "Decomposition",
    "IntervalClass",
    "Split",
    "classify",
    "decompose",
    "first_right",
    "split",
]


class IntervalClass(StrEnum):
    """What one interval of a trace is (O-038)."""

    RIGHT = "right"
    LATE = "late"
    """Wrong, before the first right answer of its phase."""
    DISTRACTED = "distracted"
    """Wrong, after the first right answer of its phase."""
    MISSED = "missed"
    """Wrong, in a phase without a right answer."""


class Split(NamedTuple):
    """How many intervals of one question have each class; they sum to the intervals."""

    right: int
    late: int
    distracted: int
    missed: int

    @property
    def intervals(self) -> int:
        """All intervals."""
        return sum(self)

    def share(self, part: IntervalClass) -> float:
        """The fraction of the intervals that have a class; NaN without an interval."""
        count = self[tuple(IntervalClass).index(part)]
        return count / self.intervals if self.intervals else nan


@dataclass(frozen=True, slots=True)
class Decomposition:
    """Means over questions; all NaN without a question."""

    accuracy: float
    al: float
    """Acquisition latency."""
    ds: float
    """Distraction susceptibility."""
    pm: float
    """Phase miss."""
    questions: int


def first_right(right: Sequence[bool]) -> int:
    """The tau of O-032: one-based place of the first right answer in a phase; 0 for never.

    Smaller is better, but for 0. Always right: 1. One lucky hit: its place. Empty: 0.

    Args:
        right: The verdicts of one phase.
    """
    return next((place for place, hit in enumerate(right, start=1) if hit), 0)


def classify(phases: Sequence[int], right: Sequence[bool]) -> tuple[IntervalClass, ...]:
    """The class of every interval of one question (O-038).

    Args:
        phases: Lengths of the ground-truth phases.
        right: The verdict at each interval.

    Raises:
        ValueError: The phases do not sum to the number of verdicts.
    """
    if sum(phases) != len(right):
        raise ValueError(f"phases of {sum(phases)} intervals for {len(right)} verdicts")
    found: list[IntervalClass] = []
    begin = 0
    for length in phases:
        verdicts = right[begin : begin + length]
        tau = first_right(verdicts)
        for place, hit in enumerate(verdicts, start=1):
            if hit:
                found.append(IntervalClass.RIGHT)
            elif not tau:
                found.append(IntervalClass.MISSED)
            else:
                late = place < tau
                found.append(IntervalClass.LATE if late else IntervalClass.DISTRACTED)
        begin += length
    return tuple(found)


def split(phases: Sequence[int], right: Sequence[bool]) -> Split:
    """How many intervals of one question are right, late, distracted and missed.

    With `tau_k` as `first_right` of phase `T_k`::

        late       = sum over k of (tau_k - 1) where tau_k > 0               (O-033)
        distracted = sum over k of the wrong answers after tau_k > 0         (O-035)
        missed     = sum over k of |T_k| where tau_k = 0                     (O-036)

    Args:
        phases: Lengths of the ground-truth phases.
        right: The verdict at each interval.

    Raises:
        ValueError: The phases do not sum to the number of verdicts.
    """
    classes = classify(phases, right)
    return Split(*(classes.count(part) for part in IntervalClass))


def decompose(traces: Iterable[Trace]) -> Decomposition:
    """Accuracy, AL, DS and PM, as means over questions (O-031, O-033, O-035, O-036).

    `mean over questions of (intervals of a class / intervals)`. Each is 0 to 1; accuracy is
    better high, the others low. Together they are 1.

    - Never right: accuracy 0, PM 1, AL = DS = 0.
    - Always right: accuracy 1, the others 0.
    - One lucky hit in a phase: what is before it is AL, what is after it DS, and none is PM.
    - No change (one phase): the same formulas; nothing is undefined.
    - Right, then wrong, then right in one phase: the gap is DS.
    - Unparsable and refused replies are wrong answers here.
    - No question, or one without intervals: NaN; the latter is left out.

    The released scorer divides lag and distraction by the length of each phase and averages over
    phases; that is another metric, which this package does not compute.

    Args:
        traces: The questions of one run.
    """
    splits = [split(trace.phases, trace.right) for trace in traces if trace.right]
    if not splits:
        return Decomposition(nan, nan, nan, nan, 0)
    accuracy, al, ds, pm = (
        fsum(s.share(part) for s in splits) / len(splits) for part in IntervalClass
    )
    return Decomposition(accuracy, al, ds, pm, len(splits))
