"""What a run would have come to had it changed its answer only when it was confident (X-029)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from supersede.metrics.decomposition import split
from supersede.metrics.intervals import Estimate, clustered_mean
from supersede.metrics.paired import MEASURES
from supersede.model.stream import Prediction, Reply, Stream
from supersede.streams.hysteresis import check_thresholds, confidences, standing
from supersede.streams.matching import answer_key, canonical

__all__ = ["THRESHOLDS", "SweepPoint", "best_point", "sweep", "sweep_data"]

THRESHOLDS = tuple(n / 20 for n in range(21))
"""From every change to none, in steps of 0.05."""


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """A run at one threshold."""

    threshold: float
    questions: int
    """Those with a reply at every interval."""
    measures: Mapping[str, Estimate]
    """`accuracy`, `al`, `ds` and `pm`: means over questions, intervals over documents."""
    changes: float
    """Mean number of times that a question's answer changes; NaN without a question."""
    withheld: int
    """Answers in whose place an earlier one stands."""


@dataclass(frozen=True, slots=True)
class _Said:
    """All that is said to one question."""

    stream: str
    phases: tuple[int, ...]
    said: tuple[str | None, ...]
    confidence: tuple[float, ...]
    accepted: tuple[frozenset[str], ...]


def sweep(
    streams: Sequence[Stream],
    predictions: Iterable[Prediction],
    thresholds: Sequence[float] = THRESHOLDS,
) -> tuple[SweepPoint, ...]:
    """The four shares of a run at each threshold, without asking anything again.

    A question with a failed or missing answer is left out, as when it is scored.

    Args:
        streams: All that was asked.
        predictions: A run, in any order.
        thresholds: 0 to 1; 0 is the run as it was.

    Raises:
        DataError: An answer that changes has no confidence.
        UsageError: A threshold is out of its range.
    """
    check_thresholds(thresholds)
    rows = _rows(streams, predictions)
    return tuple(_point(rows, threshold) for threshold in thresholds)


def _rows(streams: Sequence[Stream], predictions: Iterable[Prediction]) -> list[_Said]:
    given: dict[tuple[str, str], list[Prediction]] = {}
    for one in predictions:
        given.setdefault((one.stream, one.question), []).append(one)
    found = []
    for stream in streams:
        for question in stream.questions:
            run = sorted(given.get((stream.id, question.id), ()), key=lambda p: p.interval)
            whole = [p.interval for p in run] == list(range(len(question.answers)))
            if not whole or any(p.reply is Reply.ERROR for p in run):
                continue
            said = tuple(None if p.answer is None else canonical(question, p.answer) for p in run)
            accepted = answer_key(question).accepted
            found.append(
                _Said(stream.id, question.phases, said, tuple(confidences(run, said)), accepted)
            )
    return found


def _point(rows: Sequence[_Said], threshold: float) -> SweepPoint:
    shares: dict[str, list[tuple[str, float]]] = {name: [] for name in MEASURES}
    changes = withheld = 0
    for row in rows:
        stands = standing(row.said, row.confidence, threshold)
        said = [row.said[source] for source in stands]
        right = [answer in accepted for answer, accepted in zip(said, row.accepted, strict=True)]
        counts = split(row.phases, right)
        for name, part in MEASURES.items():
            shares[name].append((row.stream, counts.share(part)))
        answers = [answer for answer in said if answer is not None]
        changes += sum(before != now for before, now in pairwise(answers))
        withheld += sum(said[t] != row.said[t] for t in range(len(said)))
    return SweepPoint(
        threshold,
        len(rows),
        {name: clustered_mean({"": values}) for name, values in shares.items()},
        changes / len(rows) if rows else float("nan"),
        withheld,
    )


def best_point(points: Sequence[SweepPoint]) -> SweepPoint:
    """The point of highest accuracy; of equals, the one of the lowest threshold.

    Chosen on the data that it is measured on, so its accuracy flatters.

    Raises:
        ValueError: There is no point.
    """
    return max(points, key=lambda point: (point.measures["accuracy"].value, -point.threshold))


def sweep_data(points: Sequence[SweepPoint]) -> list[dict[str, Any]]:
    """The points as plain JSON data: shares are fractions, what is undefined is null."""
    return [
        {
            "threshold": point.threshold,
            "questions": point.questions,
            **{name: _number(one.value) for name, one in point.measures.items()},
            "changes": _number(point.changes),
            "withheld": point.withheld,
        }
        for point in points
    ]


def _number(value: float) -> float | None:
    return None if value != value else value
