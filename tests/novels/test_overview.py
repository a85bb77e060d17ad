"""A project as lines and figures."""

from __future__ import annotations

import json
from dataclasses import replace
from math import isnan
from pathlib import Path

import pytest
from tests.cli.test_main import run
from tests.novels.annotated import book, project, question, said, sound_marks

from supersede.novels.annotations import Reformulation, Work
from supersede.novels.as_stream import book_stream
from supersede.novels.overview import statistics, timeline_lines
from supersede.novels.project import Project


def test_a_timeline_shows_options_answers_and_what_tells_them() -> None:
    lines = list(timeline_lines(said(), question()))
    assert lines[0] == "q1  [place]"
    assert lines[1] == "  Where does Anna live now?"
    options = book_stream(said())[0].questions[0].options
    told = {line[7:].partition("  ")[0]: line[4] for line in lines[2:7]}
    mill, inn = told["In the mill"], told["At the inn"]
    assert "ABCDE".index(mill) == options.index("In the mill")  # the letters of the export
    assert lines[7:] == [
        f"      0-1  {mill}. In the mill   <- Anna lived in the mill",
        f"      2-3  {inn}. At the inn   <- Anna moved to the inn",
        f"        4  {mill}. In the mill   <- Anna went back to the mill",
    ]


def test_several_annotators_stand_below_one_another() -> None:
    one = said({"ann": sound_marks(), "robert": sound_marks()[:2]})
    lines = list(timeline_lines(one, question()))
    assert "  annotators differ, and nobody has decided" in lines
    (ann, bob) = lines[-2:]
    assert ann.startswith("  ann     ")
    assert bob == f"  robert  {ann[-5] * 5}"
    begun = list(timeline_lines(said({"ann": sound_marks()[2:]}), question()))
    assert "      0-1  no answer" in begun
    assert "  nobody has answered it" in list(timeline_lines(said({}), question()))


def test_a_reworded_and_dropped_question_says_so() -> None:
    asked = replace(
        question(),
        original="How does it change?",
        reformulation=Reformulation.TEMPORAL_ANCHORING,
        dropped="dull",
    )
    lines = list(timeline_lines(said(asked=asked), asked))
    assert lines[0] == "q1  [place]  dropped: dull"
    assert lines[2] == "  (first: How does it change?; temporal-anchoring)"


def test_figures_count_what_is_in_and_what_counts() -> None:
    one = replace(
        said(),
        questions=(question(), replace(question("q2"), dropped="dull"), question("q3", "Who?")),
        work=(Work("ann", 1.5, 30.0, "USD"), Work("bob", 2.0)),
    )
    found = statistics([book()], [one])
    assert (found.questions, found.dropped, found.answered) == (2, 1, 1)
    assert (found.changes.mean, found.changes.least, found.changes.most) == (3, 3, 3)
    assert found.options.mean == 5
    assert found.chunks.mean == 5
    assert found.evidence == 3
    assert (found.hours, found.pay) == (3.5, {"USD": 30.0})
    assert found.types == {"place": 2}
    empty = statistics([], [])
    assert isnan(empty.changes.mean)
    assert json.loads(json.dumps(empty.to_json(), allow_nan=False))["changes"]["mean"] is None


def test_the_commands_print_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = str(tmp_path / "p")
    with project(tmp_path / "p", said(), replace(said(), book="inn")) as made:
        made.note_work("mill", "ann", 14, 280, "USD")
    code, out, err = run(capsys, "novel", "timeline", place, "mill")
    assert (code, err) == (0, "")
    assert out.startswith("mill: The Mill, 5 chunks\n\nq1  [place]\n")
    code, out, _ = run(capsys, "novel", "timeline", place, "mill", "--question", "q1", "--json")
    (data,) = json.loads(out)
    assert [cell["option"] for cell in data["answers"]] == ["mill", "mill", "inn", "inn", "mill"]
    assert data["annotators"]["ann"] == data["answers"]
    code, out, _ = run(capsys, "novel", "stats", place)
    rows = {line[:28].strip(): line[28:].split() for line in out.splitlines()}
    assert rows["books"] == ["2", "39"]
    assert rows["changes (phases)"][:5] == ["3.0", "from", "3", "to", "3"]
    assert rows["hours"] == ["14.0", "280.00", "USD"]
    code, out, _ = run(capsys, "novel", "stats", place, "--book", "inn", "--json")
    assert json.loads(out)["changes"] == {"mean": 3, "least": 3, "most": 3}
    code, _, err = run(capsys, "novel", "timeline", place, "mill", "--question", "q11")
    assert (code, err) == (2, "error: mill has no question 'q11'. Did you mean 'q1'?\n")


def test_hours_and_pay_are_noted_and_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = str(tmp_path / "p")
    with project(tmp_path / "p", said(), replace(said(), book="inn")):
        pass
    typed = ("novel", "work", place)
    assert run(capsys, *typed, "mill", "ann", "--hours", "2")[0] == 0
    paid = ("--hours", "14.5", "--pay", "290", "--currency", "USD")
    code, out, err = run(capsys, *typed, "mill", "ann", *paid)
    assert (code, err) == (0, "")
    assert out.splitlines()[1].split() == ["mill", "ann", "14.5", "290.00", "USD"]
    run(capsys, *typed, "inn", "bob", "--hours", "1")
    _, out, _ = run(capsys, *typed, "--json")
    assert json.loads(out) == [
        {"book": "inn", "annotator": "bob", "hours": 1.0, "pay": 0.0, "currency": ""},
        {"book": "mill", "annotator": "ann", "hours": 14.5, "pay": 290.0, "currency": "USD"},
    ]
    _, out, _ = run(capsys, "novel", "stats", place, "--json")
    assert (json.loads(out)["hours"], json.loads(out)["pay"]) == (15.5, {"USD": 290.0})


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        (["mill", "ann"], "--hours is missing"),
        (["mill", "--hours", "1"], "--hours is of a book and an annotator"),
        (["mill", "ann", "--hours", "1", "--pay", "3"], "--pay and --currency go together"),
        (["mil", "ann", "--hours", "1"], "there is no book 'mil'"),
        (["mill", "an", "--hours", "1"], "there is no annotator 'an'. Did you mean 'ann'?"),
        (["mill", "ann", "--hours", "nan"], "hours=nan of a work"),
        (["mill", "ann", "--hours", "-1"], "Invalid value for '--hours'"),
    ],
)
def test_a_mistake_about_hours_is_one_line_and_notes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], typed: list[str], says: str
) -> None:
    with project(tmp_path / "p", said()):
        pass
    code, out, err = run(capsys, "novel", "work", str(tmp_path / "p"), *typed)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert says in err
    with Project(tmp_path / "p") as made:
        assert made.work("mill") == ()
