"""Which of the possible questions are asked: the published mix, reached by weighted draws.

Each type has its share of the questions, and within it each of the three published subsets (sparse,
moderate, frequent) has its own, with a mean number of phases to come near to. A question with p
phases is drawn with weight r to the power of p, where r is what gives that mean. Only additions,
multiplications and divisions of floating-point numbers decide, which are the same everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

from supersede.errors import UsageError
from supersede.model.stream import QuestionType
from supersede.streams.babi.draws import weighted
from supersede.streams.babi.questions import Candidate, Interval
from supersede.worlds.streams import Draw

K = TypeVar("K")

SHARES: Mapping[QuestionType, int] = {
    QuestionType.TRACKING: 7,
    QuestionType.COUNTING: 28,
    QuestionType.BRIDGE: 30,
    QuestionType.COMPARISON: 35,
}
"""Percent of the questions (O-065 to O-068)."""


class Subset(NamedTuple):
    """How many questions of a type have so many phases."""

    first: int
    last: int
    share: int
    """Percent of the type's questions."""
    mean: float
    """Mean number of phases aimed at."""


_REGULAR = (Subset(2, 3, 43, 2.4), Subset(4, 5, 26, 4.4), Subset(6, 20, 31, 7.0))
SUBSETS: Mapping[QuestionType, tuple[Subset, ...]] = {
    QuestionType.TRACKING: (Subset(2, 20, 100, 8.8),),
    QuestionType.COUNTING: _REGULAR,
    QuestionType.BRIDGE: _REGULAR,
    QuestionType.COMPARISON: _REGULAR,
}
"""With them 40, 25 and 35 % of all are sparse, moderate and frequent, and changes are 4.7 on
average, 8.8 for tracking (O-018, O-069)."""
_MEAN = 4.7


class Asked(NamedTuple):
    """A question with its answers at every interval."""

    candidate: Candidate
    intervals: tuple[Interval, ...]
    phases: int


def choose(draw: Draw, possible: Sequence[Asked], number: int) -> list[Asked]:
    """The questions of a document, in the order of their types.

    Args:
        draw: The stream `questions`.
        possible: All that change over the document's chunks.
        number: How many to ask.

    Raises:
        UsageError: There are not as many.
    """
    if len(possible) < number:
        raise UsageError(
            f"the answers of only {len(possible):,} questions change in a document, "
            f"and {number:,} are asked for",
            mend="Ask fewer, or give the document more chunks or more facts.",
        )
    chosen: list[Asked] = []
    left = list(possible)

    def take(of: Sequence[Asked], wanted: int, mean: float) -> int:
        """Draw some and say how many there were."""
        found = [of[place] for place in drawn(draw, of, wanted, mean)]
        chosen.extend(found)
        gone = set(map(id, found))
        left[:] = [asked for asked in left if id(asked) not in gone]
        return len(found)

    for kind, wanted in quotas(number, SHARES).items():
        missing = wanted
        subsets = {n: subset.share for n, subset in enumerate(SUBSETS[kind])}
        for n, some in quotas(wanted, subsets).items():
            first, last, _, mean = SUBSETS[kind][n]
            fitting = [a for a in _of(kind, left) if first <= a.phases <= last]
            missing -= take(fitting, some, mean)
        take(_of(kind, left), missing, _MEAN)
    take(left, number - len(chosen), _MEAN)
    order = list(SHARES)
    chosen.sort(key=lambda asked: order.index(asked.candidate.template.type))
    return [_turned(draw, asked) for asked in chosen]


def _of(kind: QuestionType, items: Sequence[Asked]) -> list[Asked]:
    return [asked for asked in items if asked.candidate.template.type is kind]


def quotas(number: int, shares: Mapping[K, int]) -> dict[K, int]:
    """How many of a number fall to each share of a hundred, largest remainders first."""
    exact = {key: number * share for key, share in shares.items()}
    whole = {key: hundredths // 100 for key, hundredths in exact.items()}
    short = number - sum(whole.values())
    for key in sorted(exact, key=lambda k: -(exact[k] % 100))[:short]:
        whole[key] += 1
    return whole


def drawn(draw: Draw, items: Sequence[Asked], number: int, mean: float) -> list[int]:
    """Places of the drawn items, at most `number` of them, without repetition."""
    if not items:
        return []
    phases = [asked.phases for asked in items]
    ratio = ratio_for(phases, mean)
    weights = {place: _power(ratio, count) for place, count in enumerate(phases)}
    chosen: list[int] = []
    while weights and len(chosen) < number:
        place = weighted(draw, weights)
        chosen.append(place)
        del weights[place]
    return chosen


def ratio_for(phases: Sequence[int], mean: float) -> float:
    """The ratio r for which weights r ** phases give that mean, as near as it can be had."""
    low, high = 0.25, 4.0
    for _ in range(40):
        middle = (low + high) / 2
        weights = [_power(middle, count) for count in phases]
        reached = sum(w * count for w, count in zip(weights, phases, strict=True))
        if reached < mean * sum(weights):
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _power(base: float, exponent: int) -> float:
    result = 1.0
    for _ in range(exponent):
        result *= base
    return result


def _turned(draw: Draw, asked: Asked) -> Asked:
    """A comparison with its two sides in drawn order, so that neither tells anything."""
    one = asked.candidate
    turn = draw() < 0.5
    if one.template.type is not QuestionType.COMPARISON or not turn:
        return asked
    left, right, *more = one.names
    return asked._replace(candidate=replace(one, names=(right, left, *more)))
