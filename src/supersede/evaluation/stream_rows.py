"""The answers of a stream run: in the sample's store, and as a file of predictions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from supersede.evaluation.stream_confidence import confidence_of
from supersede.evaluation.stream_journal import Answer
from supersede.model.stream import Prediction, Reply, Stream, StreamQuestion
from supersede.streams.matching import ReadReply, read_reply

__all__ = [
    "REPORT",
    "ROWS",
    "StreamRow",
    "get_report",
    "get_rows",
    "predictions",
    "predictions_path",
    "put_rows",
    "reply_of",
    "write_predictions",
]

ROWS = "supersede:rows"
"""Key of the store under which the answers are."""

REPORT = "supersede:run"
"""Key of the store under which all else about the run is."""


class StreamRow(NamedTuple):
    """The answer to one question at one interval."""

    interval: int
    question: str
    answer: Answer


class Kept(Protocol):
    """A store of Inspect."""

    def get(self, key: str, default: Any) -> Any:
        """A value."""
        ...

    def set(self, key: str, value: Any) -> None:
        """Sets a value."""
        ...


def put_rows(
    store: Kept, given: Stream, rows: Sequence[StreamRow], report: Mapping[str, Any]
) -> None:
    """Puts the answers of a stream into the sample's store.

    They are one text of JSON: Inspect looks several times at every value of a store, and a
    document has a hundred thousand.
    """
    numbers = {question.id: n for n, question in enumerate(given.questions)}
    packed = [_packed(row, numbers[row.question]) for row in rows]
    data = {"questions": list(numbers), "rows": packed}
    store.set(ROWS, json.dumps(data, ensure_ascii=False, separators=(",", ":")))
    store.set(REPORT, dict(report))


def _packed(row: StreamRow, number: int) -> list[Any]:
    a = row.answer
    counts = [a.prompt_tokens, a.cached_tokens, a.output_tokens, a.seconds]
    sure = [] if a.probability is None else [a.created, a.probability]
    return [row.interval, number, a.completion, a.error, a.stop, *counts, *sure]


def get_rows(store: Kept | Mapping[str, Any]) -> list[StreamRow]:
    """The answers in a sample's store; none where the run did not come so far."""
    data = json.loads(store.get(ROWS, '{"questions": [], "rows": []}'))
    ids = data["questions"]
    return [StreamRow(row[0], ids[row[1]], Answer(*row[2:])) for row in data["rows"]]


def get_report(store: Kept | Mapping[str, Any]) -> dict[str, Any]:
    """All else about the run in a sample's store."""
    return dict(store.get(REPORT, {}))


def reply_of(question: StreamQuestion, answer: Answer) -> ReadReply:
    """What an answer says."""
    if answer.completion is None:
        return ReadReply(Reply.ERROR, None)
    found = read_reply(question, answer.completion)
    if found.reply is Reply.UNPARSABLE and answer.stop == "content_filter":
        return ReadReply(Reply.REFUSED, None)
    return found


def predictions(given: Stream, rows: Iterable[StreamRow]) -> Iterable[Prediction]:
    """The answers as metrics take them."""
    questions = {question.id: question for question in given.questions}
    for row in rows:
        reply, answer = reply_of(questions[row.question], row.answer)
        sure = None if answer is None else confidence_of(row.answer)
        yield Prediction(given.id, row.question, row.interval, reply, answer, sure)


def predictions_path(log: Path, epoch: int) -> Path:
    """The file of predictions beside a log; each further epoch has its own."""
    suffix = "" if epoch == 1 else f".epoch{epoch}"
    return log.with_name(f"{log.stem}{suffix}.predictions.jsonl")


def write_predictions(log: Path, epoch: int, given: Stream, rows: Iterable[StreamRow]) -> None:
    """Adds the answers of a stream to the file that `supersede score` reads."""
    questions = {question.id: question for question in given.questions}
    with predictions_path(log, epoch).open("a", encoding="utf-8") as file:
        for row in rows:
            line = _line(given.id, questions[row.question], row)
            file.write(f"{json.dumps(line, ensure_ascii=False)}\n")


def _line(stream: str, question: StreamQuestion, row: StreamRow) -> dict[str, Any]:
    line: dict[str, Any] = {"stream": stream, "question": row.question, "interval": row.interval}
    if row.answer.completion is None:
        return line | {"error": row.answer.error}
    filtered = row.answer.stop == "content_filter"
    if filtered and reply_of(question, row.answer).reply is Reply.REFUSED:
        line["reply"] = Reply.REFUSED.value  # the filter says so, which the text may not
    sure = confidence_of(row.answer)
    if sure is not None:
        line["confidence"] = round(sure, 6)
    return line | {"completion": row.answer.completion}
