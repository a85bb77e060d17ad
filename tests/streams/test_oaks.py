"""The official form, read and written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from supersede.errors import DataError
from supersede.model.stream import Evidence, Stream, StreamQuestion
from supersede.streams.files import load_streams, write_streams
from supersede.streams.oaks import from_oaks, to_oaks
from supersede.streams.validate import violations

LATER = "The question cannot be answered at this point in the story"

BABI: dict[str, Any] = {
    "meta": {"bid": "OAKSB00", "num_chunks": 3, "num_qas": 2},
    "data": {
        "chunks": {"0": "Rain.", "1": "Ann went to the Attic.", "2": "Ann ran to the Hall. Snow."},
        "facts": {"1": ["Ann went to the Attic."], "2": ["Ann ran to the Hall."]},
        "qas": {
            "Where is Ann?": {
                "question_id": "OAKSB00_q0",
                "chunk_to_answer": {"0": ["Unknown"], "1": ["Attic"], "2": ["Hall", "the Hall"]},
                "question_type": "simple_facts",
            },
            "How many times has Ann moved in all?": {
                "question_id": "OAKSB00_q1",
                "chunk_to_answer": {"0": ["Unknown", "0"], "1": ["1"], "2": ["2"]},
                "question_type": "counting",
            },
        },
    },
}

NOVEL: dict[str, Any] = {
    "meta": {"bid": "P31", "num_chunks": 3, "num_qas": 1, "title": "A Tale", "author": "Some Body"},
    "data": {
        "chunks": {"0": "Rain.", "1": "He sailed. He sank.", "2": "He walked home."},
        "qas": {
            "How does he travel?": {
                "question_id": "P31_q0",
                "chunk_to_answer": {"0": LATER, "1": "by ship", "2": "on foot"},
                "options": ["by ship", "on foot", LATER, "by train", "by air"],
                "option_sources": {
                    "by ship": {"1": ["He sailed.", "He sank."]},
                    "on foot": {"2": ["He walked home."]},
                },
            }
        },
    },
}


def read(*documents: Any) -> tuple[Stream, ...]:
    return from_oaks(list(documents), "here.json")


def test_a_hand_made_file_in_the_published_layout_loads(tmp_path: Path) -> None:
    path = tmp_path / "oaks.json"
    path.write_text(json.dumps([BABI, NOVEL], indent=4), encoding="utf-8-sig")
    babi, novel = load_streams(path)
    assert (babi.id, babi.chunks[0], babi.source) == ("OAKSB00", "Rain.", "oaks")
    assert babi.facts[1] == Evidence(2, "Ann ran to the Hall.")
    where, count = babi.questions
    assert (where.id, where.type, count.type) == ("OAKSB00_q0", "tracking", "counting")
    assert where.answers == (("Unknown",), ("Attic",), ("Hall", "the Hall"))
    assert novel.meta == {"title": "A Tale", "author": "Some Body"}
    (question,) = novel.questions
    assert (question.type, question.catch_all) == ("multiple-choice", 2)
    assert question.answers == ((LATER,), ("by ship",), ("on foot",))
    assert question.evidence == (None, Evidence(1, "He sank."), Evidence(2, "He walked home."))
    assert list(violations([babi, novel])) == []


def test_write_read_write_gives_the_same_bytes(tmp_path: Path) -> None:
    first, second, ours = tmp_path / "a.json", tmp_path / "b.json", tmp_path / "c.jsonl"
    write_streams(first, read(BABI, NOVEL), "oaks")
    assert json.loads(first.read_text(encoding="utf-8")) == [BABI, NOVEL]
    write_streams(ours, load_streams(first))
    write_streams(second, load_streams(ours), "oaks")
    assert first.read_bytes() == second.read_bytes()


def test_what_else_a_stream_has_comes_back_from_meta() -> None:
    evidence = Evidence(0, "Ann went to the Attic.")
    question = StreamQuestion(
        "x-1_q0", "Where?", "Hotspot & peak", (("a",), ("b",)), (evidence, evidence)
    )
    stream = Stream("x-1", ("Ann went to the Attic.", "."), (question,), "world", (), {"seed": 3})
    (back,) = read(json.loads(json.dumps(to_oaks(stream))))
    assert (back.source, back.meta, back.questions[0].type) == ("world", {"seed": 3}, question.type)
    assert to_oaks(back) == to_oaks(stream)


def test_other_things_in_meta_are_kept() -> None:
    document = changed("meta", {**NOVEL["meta"], "source": "a library", "genres": ["sea", "war"]})
    document["meta"]["rating"] = float("inf")
    (stream,) = read(document)
    assert stream.source == "oaks"
    assert to_oaks(stream)["meta"] == {
        **document["meta"],
        "genres": '["sea", "war"]',
        "rating": "Infinity",  # JSON has no such number, so that a file with it could not be read
    }


def test_sources_of_options_follow_from_evidence_where_there_are_none() -> None:
    (novel,) = read(NOVEL)
    (question,) = novel.questions
    plain = StreamQuestion(
        question.id, question.text, question.type, question.answers, question.evidence,
        question.options, question.catch_all,
    )  # fmt: skip
    qa = to_oaks(Stream("x", novel.chunks, (plain,), "oaks"))["data"]["qas"][question.text]
    assert qa["option_sources"] == {
        "by ship": {"1": ["He sank."]},
        "on foot": {"2": ["He walked home."]},
    }


def test_equal_options_have_the_same_sources() -> None:
    twice = StreamQuestion("x_q0", "How?", "t", (("a",), ("a",)), options=("a", "b", "a", "c", "d"))
    qa = to_oaks(Stream("x", ("1", "2"), (twice,), "oaks"))["data"]["qas"]["How?"]
    assert (qa["options"], qa["option_sources"]) == (["a", "b", "a", "c", "d"], {})


def test_numbers_that_start_at_one_are_taken_back_by_one() -> None:
    late = json.loads(json.dumps(NOVEL))
    data, qa = late["data"], late["data"]["qas"]["How does he travel?"]
    data["chunks"] = {str(int(n) + 1): text for n, text in data["chunks"].items()}
    qa["chunk_to_answer"] = {str(int(n) + 1): a for n, a in qa["chunk_to_answer"].items()}
    qa["option_sources"] = {"on foot": {"3": ["He walked home."]}}
    (question,) = read(late)[0].questions
    assert question.evidence == (None, None, Evidence(2, "He walked home."))


def test_two_equal_questions_cannot_be_written() -> None:
    question = StreamQuestion("x_q0", "Where?", "tracking", (("a",),))
    twin = StreamQuestion("x_q1", "Where?", "tracking", (("b",),))
    with pytest.raises(DataError, match=r"stream x: two questions read 'Where\?'"):
        to_oaks(Stream("x", ("a",), (question, twin), "babi"))


def changed(path: str, value: Any) -> dict[str, Any]:
    """The novel with one thing changed, or taken away where the value is None."""
    document: dict[str, Any] = json.loads(json.dumps(NOVEL))
    *above, name = path.split("/")
    inner = document
    for step in above:
        inner = inner[step]
    if value is None:
        del inner[name]
    else:
        inner[name] = value
    return document


QA = "data/qas/How does he travel?"


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("meta", None, "'meta' is missing"),
        ("meta/bid", None, "no text 'bid'"),
        ("meta/num_chunks", 4, "another 'num_chunks' than the 3"),
        ("data", None, "'data' is missing"),
        ("data/chunks", {"0": "a", "2": "b"}, "have a gap"),
        ("data/chunks", {"a": "b"}, "no number of a chunk"),
        ("data/chunks", {"0": 7, "1": "b", "2": "c"}, "no text"),
        ("data/qas", [], "'qas' is missing or no object"),
        (f"{QA}/question_id", None, "no text 'question_id'"),
        (f"{QA}/chunk_to_answer", {"0": "a", "1": "b"}, "lacks chunk 2"),
        (f"{QA}/chunk_to_answer/1", [], "which is no answer"),
        (f"{QA}/chunk_to_answer/1", float("nan"), "which is no answer"),
        (f"{QA}/chunk_to_answer/9", "a", "chunks that there are not"),
        (f"{QA}/question_type", ["counting"], "question_type of 'How does he travel?' is no text"),
        (f"{QA}/options", "abc", "no list of texts"),
        (f"{QA}/option_sources", {"by boat": {"1": []}}, "'by boat', which is no option"),
        (f"{QA}/option_sources", {"by ship": {"1": "He"}}, "no list of texts"),
    ],
)
def test_another_layout_is_one_line_that_names_the_field(path: str, value: Any, said: str) -> None:
    with pytest.raises(DataError, match=r"^here\.json: document 1: ") as caught:
        read(BABI, changed(path, value))
    assert said in str(caught.value)
