"""Files of predictions made anywhere, read against the streams that they answer.

A predictions file is JSONL, a row for each question and interval::

    {"stream": "s1", "question": "q3", "interval": 12, "answer": "kitchen"}
    {"stream": "s1", "question": "q3", "interval": 13, "completion": "So: ## Answer: hall"}
    {"stream": "s1", "question": "q3", "interval": 14, "error": "timed out after 3 tries"}
    {"doc_id": "s1_15_q3", "generated_answer": "## Answer: hall"}

`answer` is matched as it stands (null: nothing could be read), `completion` is parsed. `reply` may
say `unparsable`, `refused` or `error` in place of an answer, `confidence` is optional and other
keys are let be. The last row is how the released code of OAKS writes: document, chunk, question.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple

from supersede.errors import DataError, did_you_mean, location
from supersede.model.stream import Prediction, Reply, Stream, StreamQuestion
from supersede.streams.matching import ReadReply, read_reply
from supersede.streams.validate import check_askable

__all__ = ["QuestionIndex", "Row", "read_predictions"]

_REPLIES = frozenset(Reply)


class Row(NamedTuple):
    """A prediction and where it was read."""

    where: str | None
    prediction: Prediction


class QuestionIndex:
    """Finds the question that a row is about.

    Args:
        streams: All that was asked.

    Raises:
        DataError: Two streams have one id, or one cannot be scored; see `check_askable`.
    """

    def __init__(self, streams: Sequence[Stream]) -> None:
        self.streams = {stream.id: stream for stream in streams}
        if len(self.streams) < len(streams):
            twice = Counter(stream.id for stream in streams).most_common(1)[0][0]
            raise DataError(f"two streams have the id {twice!r}", mend="Give each its own.")
        check_askable(streams)
        self.questions = {
            (stream.id, question.id): question
            for stream in streams
            for question in stream.questions
        }
        self._released: dict[str, tuple[str, str, int]] | None = None

    def check(self, stream: str, question: str, interval: int, where: str | None) -> None:
        """Checks that the streams ask this question at this interval.

        Raises:
            DataError: They do not; says what comes near.
        """
        found = self.questions.get((stream, question))
        if found is None:
            raise self._unknown(stream, question, where)
        if not 0 <= interval < len(found.answers):
            raise DataError(
                f"interval {interval} of question {question!r} in {stream!r} does not exist",
                where=where,
                mend=f"Intervals are zero-based: 0 to {len(found.answers) - 1}.",
            )

    def _unknown(self, stream: str, question: str, where: str | None) -> DataError:
        if stream not in self.streams:
            mend = did_you_mean(stream, self.streams)
            return DataError(f"unknown stream {stream!r}", where=where, mend=mend)
        mend = did_you_mean(question, [q.id for q in self.streams[stream].questions])
        return DataError(f"unknown question {question!r} in {stream!r}", where=where, mend=mend)

    def released(self, doc_id: str, where: str) -> tuple[str, str, int]:
        """Stream, question and interval of an id of the released form.

        Raises:
            DataError: No question has it.
        """
        if self._released is None:
            self._released = dict(self._released_ids(where))
        try:
            return self._released[doc_id]
        except KeyError:
            example = next(iter(self._released), "document_chunk_question")
            raise DataError(
                f"unknown doc_id {doc_id!r}", where=where, mend=f"Ids read like {example!r}."
            ) from None

    def _released_ids(self, where: str) -> Iterator[tuple[str, tuple[str, str, int]]]:
        seen = set()
        for (stream, question), found in self.questions.items():
            short = question.removeprefix(f"{stream}_")
            for interval in range(len(found.answers)):
                doc_id = f"{stream}_{interval}_{short}"
                if doc_id in seen:
                    mend = "Name stream, question and interval."
                    raise DataError(f"doc_id {doc_id!r} fits two", where=where, mend=mend)
                seen.add(doc_id)
                yield doc_id, (stream, question, interval)


def read_predictions(index: QuestionIndex, path: str | PathLike[str]) -> Iterator[Row]:
    """The predictions of a file, each with its place, blank lines skipped.

    Raises:
        DataError: A row is not of a form that this module describes; with its line.
        OSError: The file cannot be read.
    """
    with Path(path).open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            where = location(fspath(path), number)
            try:
                data = json.loads(line.decode("utf-8-sig"))
            except RecursionError:
                raise DataError(
                    "nested too deep", where=where, mend="Write one JSON object a line."
                ) from None
            except ValueError as error:
                raise DataError(
                    f"not JSON: {error}", where=where, mend="Write one JSON object a line."
                ) from None
            if not isinstance(data, dict):
                raise DataError(
                    "not a JSON object", where=where, mend="Write one JSON object a line."
                )
            yield Row(where, _prediction(index, data, where))


def _prediction(index: QuestionIndex, data: Mapping[str, Any], where: str) -> Prediction:
    """The prediction of a row."""
    if "stream" not in data and ("doc_id" in data or "query_id" in data):
        doc_id = _text(data, "doc_id" if "doc_id" in data else "query_id", where)
        stream, question, interval = index.released(doc_id, where)
    else:
        stream, question = _text(data, "stream", where), _text(data, "question", where)
        interval = _interval(data, where)
        index.check(stream, question, interval, where)
    reply, answer = _said(index.questions[stream, question], data, where)
    confidence = data.get("confidence")
    if confidence is not None:
        number = type(confidence) in (int, float)
        if not number or not 0 <= confidence <= 1:
            raise _bad("confidence", confidence, "a number from 0 to 1", where)
        confidence = float(confidence)
    return Prediction(stream, question, interval, reply, answer, confidence)


def _interval(data: Mapping[str, Any], where: str) -> int:
    value = data.get("interval")
    if not isinstance(value, int) or isinstance(value, bool):
        raise _bad("interval", value, "the zero-based index of a chunk", where)
    return value


def _said(question: StreamQuestion, data: Mapping[str, Any], where: str) -> ReadReply:
    """What a row says, before it is compared."""
    if data.get("error"):
        return ReadReply(Reply.ERROR, None)
    stated = data.get("reply", Reply.ANSWERED.value)
    if not isinstance(stated, str) or stated not in _REPLIES:
        raise _bad("reply", stated, f"one of {', '.join(Reply)}", where)
    if stated != Reply.ANSWERED:
        return ReadReply(Reply(stated), None)
    if "answer" in data:
        answer = data["answer"]
        if answer is None:
            return ReadReply(Reply.UNPARSABLE, None)
        if type(answer) not in (str, int, float) or not _is_finite(answer):
            raise _bad("answer", answer, "text", where)
        return ReadReply(Reply.ANSWERED, str(answer))
    for name in ("completion", "generated_answer"):
        if name in data:
            return read_reply(question, _text(data, name, where))
    raise DataError("no answer in the row", where=where, mend="Add 'answer' or 'completion'.")


def _is_finite(answer: str | float) -> bool:
    """Whether it is no number that JSON cannot say, such as the NaN that some tools write."""
    return not isinstance(answer, float) or isfinite(answer)


def _text(data: Mapping[str, Any], name: str, where: str) -> str:
    value = data.get(name)
    if not isinstance(value, str):
        raise _bad(name, value, "text", where)
    return value


def _bad(name: str, value: object, wanted: str, where: str) -> DataError:
    if value is None:
        return DataError(f"no {name!r}", where=where, mend=f"It must be {wanted}.")
    return DataError(f"{name}={value!r} is not {wanted}", where=where)
