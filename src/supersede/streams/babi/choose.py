"""Which of the possible questions are asked: the published mix, reached by weighted draws.

Each type has its share of the questions and a mean number of phases to come near to. A question
with p phases is drawn with weight r to the power of p, where r is what gives the type that mean.
Only additions, multiplications and divisions of floating-point numbers decide, which are the same
everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from supersede.errors import UsageError
from supersede.model.stream import QuestionType
from supersede.streams.babi.draws import weighted
from supersede.streams.babi.questions import Candidate, Interval
from supersede.worlds.streams import Draw

SHARES: Mapping[QuestionType, int] = {
    QuestionType.TRACKING: 7,
    QuestionType.COUNTING: 28,
    QuestionType.BRIDGE: 30,
    QuestionType.COMPARISON: 35,
}
"""Percent of the questions (O-065 to O-068)."""

MEANS: Mapping[QuestionType, float] = {
    QuestionType.TRACKING: 8.8,
    QuestionType.COUNTING: 4.6,
    QuestionType.BRIDGE: 4.4,
    QuestionType.COMPARISON: 4.3,
}
"""Mean number of phases aimed at: 8.8 for tracking and 4.7 over all (O-069)."""


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
            f"the answers of only {len(possible)} questions change in a document, "
            f"and {number} are asked for",
            mend="Ask fewer, or give the document more chunks or more facts.",
        )
    chosen: list[Asked] = []
    left: list[Asked] = []
    for kind, wanted in quotas(number).items():
        of_kind = [asked for asked in possible if asked.candidate.template.type is kind]
        taken = drawn(draw, of_kind, wanted, MEANS[kind])
        chosen += [of_kind[n] for n in taken]
        left += [asked for n, asked in enumerate(of_kind) if n not in taken]
    missing = number - len(chosen)
    chosen += [left[n] for n in drawn(draw, left, missing, 4.5)]
    order = list(SHARES)
    chosen.sort(key=lambda asked: order.index(asked.candidate.template.type))
    return [_turned(draw, asked) for asked in chosen]


def quotas(number: int) -> dict[QuestionType, int]:
    """How many questions of each type, largest remainders first."""
    exact = {kind: number * share for kind, share in SHARES.items()}
    whole = {kind: hundredths // 100 for kind, hundredths in exact.items()}
    short = number - sum(whole.values())
    for kind in sorted(exact, key=lambda k: -(exact[k] % 100))[:short]:
        whole[kind] += 1
    return whole


def drawn(draw: Draw, items: Sequence[Asked], number: int, mean: float) -> list[int]:
    """Places of the drawn items, at most `number` of them, without repetition."""
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
