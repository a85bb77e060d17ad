"""What `novel export` wrote and `novel import` took, for scripts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.test_main import run
from tests.novels.annotated import QUOTES, project, question, said

from supersede.novels.annotations import Question
from supersede.novels.project import Project
from supersede.novels.spreadsheet import csv_bytes, read_csv


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.chdir(tmp_path)
    with project(Path("p"), said()) as made:
        yield made


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any]:
    code, out, _ = run(capsys, "novel", *words, "--json")
    return code, json.loads(out)


@pytest.mark.parametrize(
    ("form", "output", "files"),
    [
        ("stream", "s.jsonl", [("s.jsonl", 1, "stream")]),
        ("csv", "o.csv", [("o.csv", 5, "row")]),
        ("sheet", "o", [("o/mill/mill.csv", 5, "chunk")]),
        (
            "label-studio",
            "t.json",
            [("t.json", 5, "task"), ("t.json.config.xml", 1, "configuration")],
        ),
    ],
)
def test_the_files_that_were_written_are_listed(
    form: str,
    output: str,
    files: list[tuple[str, int, str]],
    folder: Project,
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, data = told(capsys, "export", "p", "--format", form, "-o", output)
    listed = [{"path": path, "count": count, "holds": holds} for path, count, holds in files]
    assert (code, data) == (0, {"files": listed, "left_out": []})
    assert all(Path(path).is_file() for path, _, _ in files)


def test_questions_that_were_left_out_are_told(
    folder: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.add_questions("mill", [Question("q2", "Who sings now?", question().options)])
    words = ("export", "p", "--format", "stream", "-o", "s.jsonl", "--leave-out")
    code, data = told(capsys, *words)
    assert (code, data["left_out"]) == (0, ["mill, q2: nobody has answered it"])


def test_what_was_taken_and_what_could_not_be_is_told(
    folder: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "novel", "export", "p", "--format", "sheet", "-o", ".", "--annotator", "bob")
    path = Path("mill/mill.csv")
    rows = read_csv(path)
    rows[4][3:5] = ["In a tower", QUOTES[0]]
    rows[6][3:5] = ["At the inn", ""]
    path.write_bytes(csv_bytes(rows))
    code, data = told(capsys, "import", "p", str(path), "--annotator", "bob")
    (problem,) = data["problems"]
    assert (code, data["books"]) == (2, [])
    assert problem["where"] == f"{path}:7: mill, q1, chunk 2"
    assert problem["what"] == "the answer becomes 'At the inn' without evidence"
    assert problem["mend"] == "Copy the sentence of this chunk that tells it."
    rows[6][3:5] = ["", ""]
    path.write_bytes(csv_bytes(rows))
    code, data = told(capsys, "import", "p", str(path), "--annotator", "bob")
    option = {"question": "q1", "text": "In a tower"}
    assert (code, data) == (
        0,
        {
            "books": [{"book": "mill", "answers": 1, "changes": 2, "options": [option]}],
            "problems": [],
        },
    )
