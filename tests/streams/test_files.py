"""Our files: one stream a line, whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.streams.test_oaks import BABI, NOVEL

from supersede.errors import DataError, UsageError
from supersede.model.stream import Evidence, Stream, StreamQuestion
from supersede.streams.files import load_stream, load_streams, write_streams
from supersede.streams.oaks import from_oaks
from supersede.streams.serialize import stream_from_json, stream_to_json

SEEN = Evidence(1, "Ann went to the Attic.")
STREAM = Stream(
    "s-1",
    ("Rain é.", "Ann went to the Attic.", "Snow."),
    (
        StreamQuestion(
            "s-1_q0", "Where is Ann?", "tracking",
            (("Unknown",), ("Attic", "the Attic"), ("Attic", "the Attic")), (None, SEEN, SEEN),
        ),
    ),
    "babi",
    (SEEN,),
    {"seed": 1, "share": 0.5, "system": "Read on."},
)  # fmt: skip


def test_streams_come_back_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    streams = (STREAM, *from_oaks([BABI, NOVEL], "x"))
    write_streams(path, streams)
    assert len(path.read_bytes().splitlines()) == 3
    assert load_streams(path) == streams


@pytest.mark.parametrize("form", ["supersede", "oaks"])
def test_what_editors_do_to_a_file_makes_no_odds(form: str, tmp_path: Path) -> None:
    path = tmp_path / "s"
    streams = from_oaks([BABI, NOVEL], "x")
    write_streams(path, streams, form)
    plain = path.read_bytes()
    for edited in (
        b"\xef\xbb\xbf" + plain,
        plain.rstrip(b"\n"),
        plain.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + plain.replace(b"\n", b"\r\n").rstrip(b"\r\n"),
    ):
        path.write_bytes(edited)
        assert load_streams(path) == streams


def test_one_stream_is_found_by_its_id(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    write_streams(path, [STREAM])
    assert load_stream(path) == load_stream(str(path), "s-1") == STREAM
    write_streams(path, [STREAM, *from_oaks([BABI], "x")])
    with pytest.raises(UsageError, match=r"holds 2 streams\. Choose from OAKSB00, s-1"):
        load_stream(path)
    with pytest.raises(UsageError, match=r"no stream 's-2'\. Did you mean 's-1'\?"):
        load_stream(path, "s-2")


def test_a_failing_maker_leaves_no_file(tmp_path: Path) -> None:
    def making() -> Any:
        yield STREAM
        raise UsageError("no more")

    with pytest.raises(UsageError):
        write_streams(tmp_path / "s.jsonl", making())
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_form_or_folder_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown form 'oats'"):
        write_streams(tmp_path / "s.json", [STREAM], "oats")
    with pytest.raises(UsageError, match="the folder does not exist"):
        write_streams(tmp_path / "no" / "s.json", [STREAM])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no stream"),
        ('{"id": "a"', "the file ends in the middle of a line"),
        ("hello\n", ":1: not JSON"),
        ("[1, 2", "not JSON"),
        ("[" * 100_000, "nested too deep"),
        ('["\\ud800"]', "not JSON"),
        ('[{"Where?": 1, "Where?": 2}]', "an object has 2 entries 'Where?'"),
        ("[1]", "document 0"),
        ('{"id": "a"}\n', "'source' is missing"),
    ],
)
def test_a_foreign_or_truncated_file_is_one_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as caught:
        load_streams(path)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("id", 3, "'id' is no text"),
        ("source", "film", "none of babi"),
        ("chunks", [1], "'chunks' is no list of texts"),
        ("chunks", "abc", "'chunks' is no list"),
        ("facts", ["a"], "'facts' is no list of objects"),
        ("facts", [{"text": "a"}], "no piece of evidence"),
        ("meta", [], "'meta' is no object"),
        ("meta", {"a": None}, "neither text nor number"),
    ],
)
def test_a_wrong_field_of_a_stream_is_named(field: str, value: Any, said: str) -> None:
    with pytest.raises(DataError, match=said):
        stream_from_json({**stream_to_json(STREAM), field: value})


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("text", None, "'text' is no text"),
        ("answers", ["Unknown"], "no list of texts"),
        ("evidence", [None, 1, 0], "no place in 'support'"),
        ("catch_all", "last", "no index of an option"),
    ],
)
def test_a_wrong_field_of_a_question_is_named(field: str, value: Any, said: str) -> None:
    data = json.loads(json.dumps(stream_to_json(STREAM)))
    data["questions"][0][field] = value
    with pytest.raises(DataError, match=said):
        stream_from_json(data)
