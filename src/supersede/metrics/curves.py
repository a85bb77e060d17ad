"""Where in a stream a model is right: by interval, at its end, at changes; how long errors last."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate, pairwise
from math import nan
from typing import NamedTuple

from supersede.model.stream import Trace

__all__ = ["Point", "boundary_accuracy", "by_interval", "error_persistence", "final_accuracy"]


class Point(NamedTuple):
    """The questions of all documents at one interval."""

    interval: int
    """Zero-based."""
    right: int
    """Right answers."""
    asked: int
    """Questions whose document is that long."""

    @property
    def accuracy(self) -> float:
        """Right answers over questions; range 0 to 1, more is better."""
        return self.right / self.asked


def by_interval(traces: Iterable[Trace]) -> tuple[Point, ...]:
    """Accuracy at every interval: `right answers / questions asked` there (O-039, O-183).

    Never right: 0 throughout; always right: 1. One lucky hit shows at its interval alone. Shorter
    documents end earlier, so that late points rest on fewer questions, which `asked` tells. No
    trace: no point.
    """
    right: list[int] = []
    asked: list[int] = []
    for trace in traces:
        longer = len(trace.right) - len(asked)
        right += [0] * longer
        asked += [0] * longer
        for interval, hit in enumerate(trace.right):
            right[interval] += hit
            asked[interval] += 1
    return tuple(Point(i, *pair) for i, pair in enumerate(zip(right, asked, strict=True)))


def final_accuracy(trace: Trace) -> float:
    """Whether a question is right once all is known: 1 or 0; NaN without an interval (O-185).

    The static score of a long-context benchmark; its mean over questions stands beside accuracy.
    Never right: 0. Always right: 1. One lucky hit, or any past, counts only at the end.
    """
    return float(trace.right[-1]) if trace.right else nan


def boundary_accuracy(trace: Trace) -> float:
    """The share of changes that are followed at once (X-023); the mean over questions is reported.

    `right answers at the first interval of a phase / phases after the first`. Range 0 to 1, more
    is better. Never right: 0. Always right: 1. One lucky hit counts only at a change. No change,
    or empty: NaN, and the question is counted as undefined.
    """
    begins = list(accumulate(trace.phases))[:-1]
    return sum(trace.right[t] for t in begins) / len(begins) if begins else nan


def error_persistence(trace: Trace) -> tuple[int, int]:
    """How often a wrong answer is followed by another one while the truth stands still.

    Numerator and denominator of `wrong, then wrong again / wrong, with a next interval in the
    same phase`, to be pooled over questions. The ratio is 0 to 1; low is better: errors mend
    themselves. Never right: 1. Always right, or only phases of one interval: 0 of 0, undefined.
    One lucky hit: two runs of errors, each persisting but at its end before the hit. Flip back:
    every return to a wrong answer begins a new run. Empty: undefined. Ours.
    """
    again = wrong = 0
    begins = set(accumulate(trace.phases))
    for t, (before, after) in enumerate(pairwise(trace.right), start=1):
        if t not in begins and not before:
            wrong += 1
            again += not after
    return again, wrong
