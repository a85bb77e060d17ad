"""Predictions matched with the streams that they answer: a trace for each question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike

from supersede.errors import CheckFailed, DataError
from supersede.model.stream import Prediction, Reply, Stream, StreamQuestion, Trace
from supersede.streams.matching import answer_key, canonical
from supersede.streams.predictions import QuestionIndex, Row, read_predictions

__all__ = ["MAX_ERROR_RATE", "Scored", "check_errors", "score_file", "score_predictions"]

MAX_ERROR_RATE = 0.01
"""Share of failed or missing answers above which a run does not count."""


@dataclass(frozen=True, slots=True)
class Scored:
    """What became of the predictions for some streams."""

    traces: tuple[Trace, ...]
    """The questions with a reply at every interval, in the order of the streams."""
    left_out: tuple[tuple[str, str], ...]
    """Stream and question of those with an error or a missing answer."""
    expected: int
    """Answers that the streams ask for: a row for each question and interval."""
    errors: int
    """Rows that say that the call failed."""
    missing: int
    """Rows that are not there."""
    replies: Mapping[Reply, int]
    """How many rows had each kind of reply, every kind present."""

    @property
    def error_rate(self) -> float:
        """Failed and missing answers over expected ones; 0 where none is expected."""
        return (self.errors + self.missing) / self.expected if self.expected else 0.0


def score_predictions(streams: Sequence[Stream], predictions: Iterable[Prediction]) -> Scored:
    """Traces of the questions that have a reply at every interval; the others are counted.

    Unparsable and refused replies stay in their trace as not right. An error or a missing
    prediction leaves the question out, since nothing is known of it.

    Args:
        streams: All that was asked.
        predictions: In any order.

    Raises:
        DataError: Two predictions for one question and interval, or one for what was not asked.
    """
    index = QuestionIndex(streams)
    return _scored(index, (Row(None, prediction) for prediction in predictions))


def score_file(streams: Sequence[Stream], path: str | PathLike[str]) -> Scored:
    """The same for a file of predictions, in any form that this module describes.

    Raises:
        DataError: As `score_predictions`, or a row is not of that form; with its line.
        OSError: The file cannot be read.
    """
    index = QuestionIndex(streams)
    return _scored(index, read_predictions(index, path))


def check_errors(scored: Scored, most: float = MAX_ERROR_RATE) -> None:
    """Fails a run that lacks too many answers.

    Args:
        scored: The run.
        most: Highest share of failed or missing answers that passes.

    Raises:
        CheckFailed: There are more.
    """
    if scored.error_rate > most:
        raise CheckFailed(
            f"{scored.errors:,} failed and {scored.missing:,} missing of {scored.expected:,} "
            f"answers are {scored.error_rate:.2%}, above {most:.2%}",
            mend=f"{len(scored.left_out):,} questions were left out: run them again.",
        )


def _scored(index: QuestionIndex, rows: Iterable[Row]) -> Scored:
    traces, left_out = [], []
    replies: Counter[Reply] = Counter()
    expected = 0
    for key, slots in _placed(index, rows).items():
        given = [prediction for prediction in slots if prediction is not None]
        expected += len(slots)
        replies.update(prediction.reply for prediction in given)
        failed = any(prediction.reply is Reply.ERROR for prediction in given)
        if failed or len(given) < len(slots):
            left_out.append(key)
        else:
            traces.append(_trace(key[0], index.questions[key], given))
    return Scored(
        tuple(traces),
        tuple(left_out),
        expected,
        replies[Reply.ERROR],
        expected - replies.total(),
        {reply: replies[reply] for reply in Reply},
    )


def _placed(
    index: QuestionIndex, rows: Iterable[Row]
) -> dict[tuple[str, str], list[Prediction | None]]:
    """For each question of each stream its predictions by interval, None where there is none."""
    placed: dict[tuple[str, str], list[Prediction | None]] = {
        key: [None] * len(question.answers) for key, question in index.questions.items()
    }
    for where, prediction in rows:
        stream, question, interval = prediction.stream, prediction.question, prediction.interval
        index.check(stream, question, interval, where)
        slots = placed[stream, question]
        if slots[interval] is not None:
            raise DataError(
                f"second prediction for question {question!r} in {stream!r} at interval {interval}",
                where=where,
                mend="Keep one.",
            )
        slots[interval] = _readable(index.questions[stream, question], prediction)
    return placed


def _readable(question: StreamQuestion, prediction: Prediction) -> Prediction:
    """A prediction whose answer can be compared, or that says that it has none."""
    if prediction.reply is not Reply.ANSWERED:
        return prediction
    if prediction.answer is None or canonical(question, prediction.answer) is None:
        return replace(prediction, reply=Reply.UNPARSABLE, answer=None)
    return prediction


def _trace(stream: str, question: StreamQuestion, given: Sequence[Prediction]) -> Trace:
    """The trace of a question that has a prediction at every interval."""
    key = answer_key(question)
    said = [None if p.answer is None else canonical(question, p.answer) for p in given]
    right = [form in accepted for form, accepted in zip(said, key.accepted, strict=True)]
    begin, by_phase = 0, []
    for length in question.phases:
        by_phase.append(tuple(sorted(frozenset().union(*key.accepted[begin : begin + length]))))
        begin += length
    return Trace(
        stream,
        question.id,
        question.type,
        question.phases,
        key.truth,
        tuple(said),
        tuple(right),
        tuple(p.reply for p in given),
        tuple(by_phase),
    )
