import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.streams.made import choice, small

from supersede.errors import CheckFailed, DataError
from supersede.model.stream import Prediction, Reply
from supersede.streams.ladder import oracle
from supersede.streams.scoring import Scored, check_errors, score_file, score_predictions


def rows_of(*answers: str, question: str = "mo") -> list[dict[str, Any]]:
    """Rows that answer one question at every interval."""
    return [
        {"stream": "s1", "question": question, "interval": t, "answer": a}
        for t, a in enumerate(answers)
    ]


ANN = rows_of("garden", "garden", "garden", "Unknown", "hall", "hall", question="ann")
MO = rows_of("Unknown", "The Hall.", "kitchen", "Kitchen", "hall", "garden")


def scored(tmp_path: Path, rows: Iterable[dict[str, Any]]) -> Scored:
    """The rows, written and scored against the small stream."""
    path = tmp_path / "p.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return score_file([small()], path)


def test_a_trace_holds_what_was_right_and_what_was_said(tmp_path: Path) -> None:
    found = scored(tmp_path, [*MO, *ANN])
    trace = found.traces[0]
    assert (trace.stream, trace.question, trace.type) == ("s1", "mo", "tracking")
    assert trace.phases == (1, 2, 2, 1)
    assert trace.truth == ("unknown", "hall", "hall", "kitchen", "kitchen", "garden")
    assert trace.said == ("unknown", "hall", "kitchen", "kitchen", "hall", "garden")
    assert trace.right == (True, True, False, True, False, True)
    assert trace.accepted == (("unknown",), ("hall",), ("kitchen",), ("garden",))
    assert (found.expected, found.errors, found.missing, found.left_out) == (12, 0, 0, ())
    check_errors(found, 0)


def test_the_order_of_rows_is_of_no_account(tmp_path: Path) -> None:
    rows = [*MO, *ANN]
    assert scored(tmp_path, rows[::-1]).traces == scored(tmp_path, rows).traces


def test_unparsable_and_refused_replies_are_not_right_and_tallied(tmp_path: Path) -> None:
    rows = [dict(row) for row in MO]
    del rows[0]["answer"]
    rows[0]["completion"] = "I cannot tell."
    rows[1] |= {"answer": None}
    rows[2] |= {"reply": "unparsable"}
    rows[3] |= {"answer": "..."}
    found = scored(tmp_path, [*rows, *ANN])
    assert found.traces[0].replies[:4] == (
        Reply.REFUSED,
        Reply.UNPARSABLE,
        Reply.UNPARSABLE,
        Reply.UNPARSABLE,
    )
    assert found.traces[0].said[:4] == (None,) * 4
    assert found.traces[0].right == (False,) * 5 + (True,)
    assert found.replies == {
        Reply.ANSWERED: 8,
        Reply.UNPARSABLE: 3,
        Reply.REFUSED: 1,
        Reply.ERROR: 0,
    }


@pytest.mark.parametrize("broken", [{"error": "timed out"}, {"reply": "error"}])
def test_a_failed_answer_leaves_its_question_out(broken: dict[str, str], tmp_path: Path) -> None:
    found = scored(tmp_path, [MO[0] | broken, *MO[1:], *ANN])
    assert [trace.question for trace in found.traces] == ["ann"]
    assert found.left_out == (("s1", "mo"),)
    assert (found.errors, found.missing, found.error_rate) == (1, 0, 1 / 12)


def test_a_missing_answer_leaves_its_question_out(tmp_path: Path) -> None:
    found = scored(tmp_path, [*MO[1:], *ANN])
    assert [trace.question for trace in found.traces] == ["ann"]
    assert (found.errors, found.missing) == (0, 1)


def test_too_many_lacking_answers_fail_the_check(tmp_path: Path) -> None:
    found = scored(tmp_path, [*MO[1:], *ANN])
    check_errors(found, 1 / 12)
    with pytest.raises(CheckFailed, match=r"0 failed and 1 missing of 12 answers are 8.33%, above"):
        check_errors(found)


def test_completions_are_read_and_answers_taken_as_they_stand(tmp_path: Path) -> None:
    last = {"stream": "s1", "question": "mo", "interval": 5, "completion": "Hm.\n## Answer: garden"}
    assert scored(tmp_path, [*MO[:5], last, *ANN]).traces[0].right[5]
    marked = {"stream": "s1", "question": "mo", "interval": 5, "answer": "## Answer: garden"}
    assert not scored(tmp_path, [*MO[:5], marked, *ANN]).traces[0].right[5]


def test_files_of_the_released_code_are_read(tmp_path: Path) -> None:
    rows = [
        {"doc_id": f"novel_{t}_q0", "query": "?", "generated_answer": f"## Answer: {letter}"}
        for t, letter in enumerate("BCAA")
    ]
    path = tmp_path / "released.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    (trace,) = score_file([choice()], path).traces
    assert trace.said == ("unknown", "C", "A", "A")
    assert trace.right == (True,) * 4


def test_blank_lines_and_a_byte_order_mark_are_let_be(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    text = "\n\n".join(json.dumps(row) for row in [*MO, *ANN])
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert len(score_file([small()], path).traces) == 2


MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"stream": "s2"}, "unknown stream 's2'. Choose from s1."),
    ({"question": "moe"}, "unknown question 'moe' in 's1'. Did you mean 'mo'?"),
    ({"interval": 6}, "interval 6 of question 'mo' in 's1' does not exist. Intervals are zero"),
    ({"interval": -1}, "interval -1 of question"),
    ({"interval": True}, "interval=True is not the zero-based index of a chunk"),
    ({"interval": None}, "no 'interval'. It must be the zero-based index of a chunk."),
    ({"interval": 1}, "second prediction for question 'mo' in 's1' at interval 1. Keep one."),
    ({"stream": 7}, "stream=7 is not text"),
    ({"answer": ["hall"]}, "answer=['hall'] is not text"),
    ({"answer": True}, "answer=True is not text"),
    ({"answer": float("nan")}, "answer=nan is not text"),
    ({"reply": ["answered"]}, "reply=['answered'] is not one of answered"),
    ({"confidence": 2}, "confidence=2 is not a number from 0 to 1"),
    ({"confidence": "high"}, "confidence='high' is not a number from 0 to 1"),
    ({"reply": "late"}, "reply='late' is not one of answered, unparsable, refused, error"),
]


@pytest.mark.parametrize(("change", "said"), MISTAKES, ids=[said[:40] for _, said in MISTAKES])
def test_a_wrong_row_is_one_line_with_its_place(
    change: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError) as caught:
        scored(tmp_path, [MO[1], MO[0] | change, *ANN])
    assert str(caught.value).startswith(f"{tmp_path / 'p.jsonl'}:2: {said}")
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not JSON: "),
        ("[1]", "not a JSON object. Write one JSON object a line."),
        ("[" * 100_000, "nested too deep. Write one JSON object a line."),
        ('{"stream": "s1", "question": "mo", "interval": 0}', "no answer in the row. Add 'answer'"),
        ('{"doc_id": "s1_9_mo", "generated_answer": ""}', "unknown doc_id 's1_9_mo'. Ids read lik"),
    ],
)
def test_a_line_that_is_no_row_is_named(line: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(f"{line}\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        score_file([small()], path)
    assert str(caught.value).startswith(f"{path}:1: {said}")


def test_a_file_that_is_one_array_is_told_its_form(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text(json.dumps([MO[0]], indent=1), encoding="utf-8")
    with pytest.raises(DataError, match=r"p\.json:1: not JSON: .*Write one JSON object a line\."):
        score_file([small()], path)


def test_a_doc_id_that_fits_two_questions_is_refused(tmp_path: Path) -> None:
    one, two = small("d"), small("d_1")
    bad = one.questions[0].__class__("3_mo", "?", "tracking", one.questions[0].answers)
    path = tmp_path / "p.jsonl"
    path.write_text('{"doc_id": "d_1_3_mo", "generated_answer": "x"}\n', encoding="utf-8")
    streams = [one.__class__("d", one.chunks, (bad,), "babi"), two]
    with pytest.raises(DataError, match="'d_1_3_mo' fits two"):
        score_file(streams, path)


def test_predictions_from_code_are_checked_as_well() -> None:
    given = small()
    right = oracle(given)
    assert all(all(trace.right) for trace in score_predictions([given], right).traces)
    with pytest.raises(DataError, match="second prediction"):
        score_predictions([given], [*right, right[0]])
    with pytest.raises(DataError, match="unknown stream 'x'"):
        score_predictions([given], [Prediction("x", "mo", 0, Reply.ANSWERED, "hall")])
    with pytest.raises(DataError, match="two streams have the id 's1'"):
        score_predictions([given, given], right)
    twice = replace(given, questions=given.questions + given.questions[:1])
    with pytest.raises(DataError, match=r"s1, .*: 2 questions have this id"):
        score_predictions([twice], right)


def test_no_stream_expects_nothing() -> None:
    found = score_predictions([], [])
    assert (found.expected, found.error_rate, found.traces) == (0, 0.0, ())
