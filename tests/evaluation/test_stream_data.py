from dataclasses import replace
from pathlib import Path

import pytest
from tests.evaluation.stream_made import marked
from tests.streams.made import choice, small

from supersede.errors import DataError, UsageError
from supersede.evaluation.stream_data import chosen_streams, cut, stream_options
from supersede.evaluation.stream_journal import Answer
from supersede.evaluation.stream_memory import memory_title
from supersede.evaluation.stream_rows import StreamRow, get_rows, put_rows, reply_of
from supersede.evaluation.stream_scorer import trace_from_json, trace_to_json
from supersede.model.stream import Reply, Stream
from supersede.streams import write_streams
from supersede.streams.ladder import LADDER
from supersede.streams.scoring import score_predictions


def test_a_cut_stream_is_the_beginning_of_it() -> None:
    whole = small()
    part = cut(whole, 3, 1)
    assert part.chunks == whole.chunks[:3]
    (question,) = part.questions
    assert question.answers == whole.questions[0].answers[:3]
    assert question.evidence == whole.questions[0].evidence[:3]
    assert cut(whole, None, None) is whole
    assert cut(whole, 99, 99) == whole


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"data": "x", "memmory": "base"}, "Did you mean 'memory'"),
        ({}, "needs the option 'data'"),
        ({"data": "x", "chunks": 0}, "chunks=0"),
        ({"data": "x", "max_error_rate": 2}, "max_error_rate=2"),
    ],
)
def test_a_wrong_option_is_named(given: dict[str, object], what: str) -> None:
    with pytest.raises(UsageError, match=what):
        stream_options(given)


def test_two_streams_of_one_id_or_one_that_asks_nothing_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "streams.jsonl"
    write_streams(path, [small(), small()])
    with pytest.raises(DataError, match="2 streams have the id 's1'"):
        chosen_streams(stream_options({"data": path}))
    write_streams(path, [Stream("empty", ("text",), (), "babi")])
    with pytest.raises(DataError, match="'empty' has nothing to ask"):
        chosen_streams(stream_options({"data": path}))


def test_what_could_not_be_scored_is_refused_before_it_is_asked(tmp_path: Path) -> None:
    path, given = tmp_path / "streams.jsonl", small()
    question = replace(given.questions[0], answers=given.questions[0].answers[:-1])
    write_streams(path, [replace(given, questions=(question,))])
    with pytest.raises(DataError, match=r"streams\.jsonl: s1, .*: answers at \d+ intervals, for"):
        chosen_streams(stream_options({"data": path}))


def test_answers_come_back_from_a_store() -> None:
    given = marked("one", 2, 2)
    rows = [
        StreamRow(t, question.id, Answer(f"## Answer: {t}", None, "stop", 9, t or None, 2, 0.5))
        for t in range(2)
        for question in given.questions
    ]
    rows[3] = StreamRow(1, "q1", Answer(None, "HTTP 500"))
    store: dict[str, object] = {}

    class Kept:
        def get(self, key: str, default: object) -> object:
            return store.get(key, default)

        def set(self, key: str, value: object) -> None:
            store[key] = value

    put_rows(Kept(), given, rows, {})
    assert get_rows(store) == rows
    assert get_rows({}) == []


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        (Answer("## Answer: hall"), Reply.ANSWERED),
        (Answer("It is in the hall"), Reply.UNPARSABLE),
        (Answer("", stop="content_filter"), Reply.REFUSED),
        (Answer("I cannot answer that."), Reply.REFUSED),
        (Answer(None, "HTTP 500"), Reply.ERROR),
    ],
)
def test_an_answer_is_one_of_the_outcomes(answer: Answer, reply: Reply) -> None:
    assert reply_of(small().questions[0], answer).reply is reply


@pytest.mark.parametrize("name", LADDER)
def test_a_trace_comes_back_from_a_log(name: str) -> None:
    streams = (small(), choice(), marked("far", 7, 3))
    said = [row for stream in streams for row in LADDER[name](stream)]
    for trace in score_predictions(streams, said).traces:
        assert trace_from_json(trace_to_json(trace)) == trace


@pytest.mark.parametrize(
    ("options", "title"),
    [
        ({"memory": "base", "embedder": "dense", "retriever": "dense", "shown": 5}, "base"),
        ({"memory": "rag", "embedder": "dense", "shown": 30}, "rag (bm25)"),
        ({"memory": "rag-latest", "retriever": "hashing"}, "rag-latest (hashing)"),
        ({"memory": "hipporag"}, "hipporag (hashing)"),
        ({"memory": "hipporag", "shown": 5, "retriever": "dense"}, "hipporag (hashing)"),
        ({"memory": "hipporag-30", "shown": 5}, "hipporag-30 (hashing, 5 chunks)"),
        ({"memory": "amem", "embedder": "dense:m"}, "amem (dense:m)"),
        ({"memory": "memagent", "embedder": "dense", "shown": 5}, "memagent"),
    ],
)
def test_a_memory_is_called_by_what_changes_it(options: dict[str, object], title: str) -> None:
    assert memory_title(stream_options({"data": "x.jsonl", **options})) == title
