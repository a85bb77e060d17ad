"""Hysteresis: an answer changes only where the model is confident enough of the new one (X-029).

A filter over stored predictions, question by question. The answer that stands is given again until
a different one comes whose confidence is above the threshold. The first answer always stands, and
so does one that says the same in other words. At threshold 0 everything stays as it was said; at 1
nothing ever changes. A reply without an answer (unparsable, refused, failed) stays what it is: it
neither moves the answer that stands nor is covered up by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from supersede.errors import DataError, UsageError
from supersede.model.stream import Prediction, Reply, Stream
from supersede.streams.matching import canonical

__all__ = ["check_thresholds", "held", "standing"]


def standing(
    said: Sequence[str | None], confidence: Sequence[float], threshold: float
) -> tuple[int, ...]:
    """For each interval the one whose prediction stands there.

    Args:
        said: The answer at each interval in the form in which it is compared; None where there is
            none.
        confidence: The model's confidence in it, 0 to 1; not looked at where there is no answer.
        threshold: 0 to 1.
    """
    found: list[int] = []
    stands: int | None = None
    for t, answer in enumerate(said):
        if answer is None:
            found.append(t)
            continue
        if stands is None or answer == said[stands] or threshold <= 0 or confidence[t] > threshold:
            stands = t
        found.append(stands)
    return tuple(found)


def held(
    streams: Sequence[Stream], predictions: Iterable[Prediction], threshold: float
) -> list[Prediction]:
    """Predictions as they are after the filter, in the order of question and interval.

    Args:
        streams: All that was asked.
        predictions: A run, in any order; with a confidence wherever an answer changes.
        threshold: 0 to 1.

    Raises:
        DataError: An answer that differs from the one before has no confidence, or a prediction is
            for what was not asked.
        UsageError: The threshold is out of its range.
    """
    check_thresholds([threshold])
    questions = {(one.id, q.id): q for one in streams for q in one.questions}
    rows: dict[tuple[str, str], list[Prediction]] = {}
    for one in predictions:
        key = one.stream, one.question
        if key not in questions:
            raise DataError(f"no stream asks question {one.question!r} of {one.stream!r}")
        rows.setdefault(key, []).append(one)
    found: list[Prediction] = []
    for key, given in rows.items():
        given.sort(key=lambda one: one.interval)
        said = [
            canonical(questions[key], one.answer)
            if one.reply is Reply.ANSWERED and one.answer is not None
            else None
            for one in given
        ]
        stands = standing(said, confidences(given, said), threshold)
        found += [
            replace(given[source], interval=one.interval)
            for one, source in zip(given, stands, strict=True)
        ]
    return found


def confidences(given: Sequence[Prediction], said: Sequence[str | None]) -> list[float]:
    """The confidence of each prediction; 0 where none is asked for.

    Raises:
        DataError: An answer that differs from the one before has none.
    """
    found: list[float] = []
    last: str | None = None
    for one, answer in zip(given, said, strict=True):
        if answer is not None:
            if last is not None and answer != last and one.confidence is None:
                raise DataError(
                    f"no confidence in the answer to {one.question!r} of {one.stream!r} at "
                    f"interval {one.interval}, which changes",
                    mend="Each row needs 'confidence', 0 to 1: run with --confidence stated, or "
                    "with --confidence logprobs where the server tells probabilities.",
                )
            last = answer
        found.append(one.confidence or 0.0)
    return found


def check_thresholds(thresholds: Sequence[float]) -> None:
    """Checks that thresholds are from 0 to 1.

    Raises:
        UsageError: One is not.
    """
    for one in thresholds:
        if not 0 <= one <= 1:
            raise UsageError(f"threshold {one:g} is not from 0 to 1")
