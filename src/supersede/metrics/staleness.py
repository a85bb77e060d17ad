"""Wrong answers by what they would have been right for: an earlier phase, a later one, or none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import nan

from supersede.model.stream import Trace

__all__ = ["Staleness", "staleness"]

_UNKNOWN = "unknown"
"""Canonical form of Unknown, and of the catch-all option."""


@dataclass(frozen=True, slots=True)
class Staleness:
    """Counts of wrong answers; the first three sum to all that could be read."""

    stale: int
    """Right in an earlier phase of the same question."""
    early: int
    """Right only in a later phase."""
    never: int
    """Right in no phase."""
    unknown: int
    """Those of the stale ones that say Unknown: they cling to ignorance, not to an old fact."""
    unread: int
    """Intervals without a readable answer, which have no class."""
    age: int
    """Sum over stale answers of the intervals since they were last right."""
    previous: int
    """Stale answers that were right in the phase just before."""

    @property
    def wrong(self) -> int:
        """Readable wrong answers."""
        return self.stale + self.early + self.never

    @property
    def stale_share(self) -> float:
        """Stale over readable wrong answers; NaN where nothing is wrong."""
        return self.stale / self.wrong if self.wrong else nan

    @property
    def mean_age(self) -> float:
        """Intervals, at least 1, since stale answers were last right; NaN without one."""
        return self.age / self.stale if self.stale else nan


def staleness(traces: Iterable[Trace]) -> Staleness:
    """How the wrong answers divide among stale, early and never right, pooled over questions.

    `stale share = stale / (stale + early + never)`; range 0 to 1; neither way is better, it says
    what kind of wrong a model is. An answer that was right before and will be again is stale. The
    age of a stale answer at interval t in a later phase is t minus the last interval of the
    latest earlier phase that accepts it.

    - Never right: the classes still tell old values from inventions.
    - Always right, or empty: all counts 0, shares NaN.
    - One lucky hit changes nothing but its own interval.
    - No change of the truth: every wrong answer is never right.
    - Right, then a value of an earlier phase again (flip back): stale.
    - Unknown is an answer: it is stale wherever the first phase was Unknown, and is counted.

    Unparsable and refused replies say nothing and are counted apart. Ours.
    """
    found = [0] * 7
    for trace in traces:
        for i, n in enumerate(_of_one(trace)):
            found[i] += n
    return Staleness(*found)


def _of_one(trace: Trace) -> tuple[int, ...]:
    stale = early = never = unknown = unread = age = previous = 0
    ends = list(accumulate(trace.phases))
    accepted = trace.accepted or [(trace.truth[end - 1],) for end in ends]
    phase = 0
    for t, (said, right) in enumerate(zip(trace.said, trace.right, strict=True)):
        phase += t == ends[phase]
        if right:
            continue
        if said is None:
            unread += 1
            continue
        latest = _latest(accepted[:phase], said)
        if latest is not None:
            stale += 1
            unknown += said == _UNKNOWN
            age += t - (ends[latest] - 1)
            previous += latest == phase - 1
        elif any(said in answers for answers in accepted[phase + 1 :]):
            early += 1
        else:
            never += 1
    return stale, early, never, unknown, unread, age, previous


def _latest(accepted: Sequence[Sequence[str]], said: str) -> int | None:
    """The last of some phases that accepts an answer."""
    for phase in range(len(accepted) - 1, -1, -1):
        if said in accepted[phase]:
            return phase
    return None
