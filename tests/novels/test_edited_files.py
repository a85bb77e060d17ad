"""Exports that somebody edited, or that were cut short: what they lost is not taken for silence."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from tests.novels.made import TEXTS, project

from supersede.errors import SupersedeError
from supersede.novels.desk import Desk
from supersede.novels.exporting import export_rows, export_sheets, export_tasks, read_any
from supersede.novels.importing import import_answers
from supersede.novels.project import Project

Rows = list[dict[str, Any]]


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Project]:
    """A project in which ann has answered both questions at every chunk."""
    with project(tmp_path / "project") as made:
        desk = Desk(made, "ann")
        for question in ("q1", "q2"):
            span = made.span("mill", 0, 0, len(TEXTS[0]))
            desk.choose("mill", question, 0, "a", base=0, evidence=(span,))
            for chunk in range(1, len(TEXTS)):
                desk.confirm("mill", question, chunk, "a", base=0)
        yield made


def taken(made: Project, path: Path) -> str:
    """What importing a file as ann's is answered; it must not have written anything."""
    last = made.store.last
    try:
        for one in read_any(path, "ann"):
            import_answers(made, one, "ann")
    except SupersedeError as error:
        assert made.store.last == last
        return str(error)
    return "" if made.store.last == last else "written"


@pytest.fixture
def rows(made: Project, tmp_path: Path) -> Rows:
    path = tmp_path / "rows.jsonl"
    export_rows([made.annotations("mill")], path, "jsonl")
    assert taken(made, path) == ""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def one(rows: Rows, kind: str) -> dict[str, Any]:
    return next(row for row in rows if row["kind"] == kind)


def cell(rows: Rows) -> dict[str, Any]:
    found: dict[str, Any] = one(rows, "timeline")["cells"][0]
    return found


ROWS: dict[str, tuple[Callable[[Rows], object], str]] = {
    "fewer chunks of answers": (lambda r: one(r, "timeline").update(chunks=1), "1 chunks of 4"),
    "none": (lambda r: one(r, "timeline").update(chunks=-1), "-1 chunks of 4"),
    "very many": (lambda r: one(r, "timeline").update(chunks=10**12), "chunks of 4"),
    "a chunk to come": (lambda r: cell(r).update(chunk=99), "a cell of chunk 99"),
    "a chunk before": (lambda r: cell(r).update(chunk=-1), "a cell of chunk -1"),
    "no chunk": (lambda r: cell(r).update(chunk="0"), "a cell of chunk '0'"),
    "a cell twice": (
        lambda r: one(r, "timeline")["cells"].append(cell(r)),
        "two cells of chunk 0",
    ),
    "a number for an option": (lambda r: cell(r).update(option=5), "option=5 is no str"),
    "a number for a note": (lambda r: cell(r).update(note=5), "note=5 is no str"),
    "a word for a truth": (lambda r: cell(r).update(confirmed="yes"), "confirmed='yes' is no bool"),
    "a word for a place": (
        lambda r: cell(r)["evidence"][0].update(start="0"),
        "start='0' is no int",
    ),
    "an option that is none": (
        lambda r: [c.update(option="zz") for c in one(r, "timeline")["cells"]],
        "'zz' is no option",
    ),
    "a chunk less": (lambda r: r.pop(1), "chunk 1 where chunk 0 is due"),
    "the last chunk less": (lambda r: r.pop(4), "answers at 4 chunks of 3"),
    "a chunk twice": (lambda r: r.insert(2, r[1]), "chunk 0 where chunk 1 is due"),
    "the book twice": (lambda r: r.insert(3, r[0]), "a second row of the book"),
    "a question without words": (
        lambda r: one(r, "question")["options"][0].update(text=None),
        "text=None is no str",
    ),
}


@pytest.mark.parametrize(("edit", "said"), ROWS.values(), ids=ROWS.keys())
def test_rows_that_were_edited(
    made: Project, rows: Rows, tmp_path: Path, edit: Callable[[Rows], object], said: str
) -> None:
    edited = deepcopy(rows)
    edit(edited)
    path = tmp_path / "edited.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in edited), encoding="utf-8")
    assert said in taken(made, path)


@pytest.mark.parametrize(
    ("row", "column", "cell", "said"),
    [
        (1, "chunk", "-99", "'-99' is no number of a chunk"),
        (1, "chunk", "x", "'x' is no number of a chunk"),
        (1, "chunk", "9" * 5_000, "is no number of a chunk"),
        (4, "chunk", "99", "there is no row for chunk 3"),
        (1, "chunk", "2", "chunk 2 of q1 has two rows that differ"),
        (1, "confirmed", "maybe", "neither yes nor no"),
        (1, "chunk_sha256", "zz", "chunk 0 has two hashes"),
        (1, "start", "x", "no row of answers"),
        (1, "quote", "Anna", ""),
        (1, "quote", "Bert", "does not read 'Bert'"),
    ],
)
def test_a_table_that_was_edited(
    made: Project, tmp_path: Path, row: int, column: str, cell: str, said: str
) -> None:
    table = the_table(made, tmp_path)
    table[row][table[0].index(column)] = cell
    answer = taken(made, written(tmp_path / "edited.csv", table))
    assert said in answer if said else answer == "written"


def the_table(made: Project, folder: Path) -> list[list[str]]:
    export_rows([made.annotations("mill")], folder / "table.csv", "csv")
    assert taken(made, folder / "table.csv") == ""
    text = (folder / "table.csv").read_text(encoding="utf-8-sig")
    return list(csv.reader(StringIO(text, newline="")))


def the_sheet(made: Project, folder: Path) -> list[list[str]]:
    (sheet,) = export_sheets(made, ["mill"], folder, "sheet", annotator="ann")
    assert taken(made, sheet) == ""
    return list(csv.reader(StringIO(sheet.read_text(encoding="utf-8-sig"), newline="")))


def written(path: Path, rows: list[list[str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


@pytest.mark.parametrize("form", [the_table, the_sheet])
def test_rows_that_are_lost_take_no_answers_with_them(
    made: Project, tmp_path: Path, form: Callable[[Project, Path], list[list[str]]]
) -> None:
    whole = form(made, tmp_path)
    first = 1 if form is the_table else 4
    for lost in range(first, len(whole)):
        for left in (whole[:lost], [*whole[:lost], *whole[lost + 1 :]]):
            said = taken(made, written(tmp_path / "lost.csv", left))
            if form is the_table and lost == first + len(TEXTS) and left == whole[:lost]:
                assert said == ""  # all about the first question, and nothing about the other
            else:
                assert "no row for chunk" in said or "holds no" in said or "answers at" in said
    assert len(made.marks("mill", "q1", "ann")) == len(TEXTS)


def test_an_empty_cell_says_that_nothing_was_said(made: Project, tmp_path: Path) -> None:
    sheet = the_sheet(made, tmp_path)
    sheet[7][3] = ""
    assert taken(made, written(tmp_path / "edited.csv", sheet)) == "written"
    assert sorted(made.marks("mill", "q1", "ann")) == [0, 1, 2]


@pytest.mark.parametrize(
    ("row", "column", "cell", "said"),
    [
        (0, 3, "", "answers in column 4, and no question above them"),
        (4, 4, "[exact] " + "[" * 5_000, "is no evidence"),
        (4, 4, f"Anna [at {'9' * 5_000}]", "..."),
        (4, 3, "\u200b", "the answer says nothing"),
        (2, 3, "", "It has none"),
    ],
)
def test_a_sheet_that_was_edited(
    made: Project, tmp_path: Path, row: int, column: int, cell: str, said: str
) -> None:
    sheet = the_sheet(made, tmp_path)
    sheet[row][column] = cell
    answer = taken(made, written(tmp_path / "edited.csv", sheet))
    assert said in answer
    assert len(answer) < 400


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda t: t[0]["data"].update(chunk=-9), "-9 is no number of a chunk"),
        (lambda t: t[0]["data"].update(chunk="0"), "'0' is no number of a chunk"),
        (
            lambda t: result(t)[0]["value"].update(choices=["In the mill", "At the inn"]),
            "one choice",
        ),
        (lambda t: result(t)[0]["value"].update(choices=[None]), "not one choice for q1"),
        (lambda t: result(t)[0]["value"].update(choices=[]), "not one choice for q1"),
        (lambda t: t.__setitem__(0, None), "no task of a book"),
        (lambda t: t.clear(), "holds no answers"),
    ],
)
def test_tasks_that_were_edited(
    made: Project, tmp_path: Path, edit: Callable[[Any], object], said: str
) -> None:
    path = tmp_path / "tasks.json"
    export_tasks(made.annotations("mill"), path, annotator="ann")
    assert taken(made, path) == ""
    tasks = json.loads(path.read_text(encoding="utf-8"))
    edit(tasks)
    path.write_text(json.dumps(tasks), encoding="utf-8")
    assert said in taken(made, path)


def result(tasks: Any) -> Any:
    return tasks[0]["annotations"][0]["result"]


@pytest.mark.parametrize("name", ["deep.json", "deep.jsonl"])
def test_what_is_nested_without_end_is_one_line(made: Project, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("[" * 100_000, encoding="utf-8")
    assert "not" in taken(made, tmp_path / name) or "deep" in taken(made, tmp_path / name)


def test_control_signs_are_no_part_of_notes(made: Project, tmp_path: Path, rows: Rows) -> None:
    cell(rows).update(note="a\0b\x1b[31m")
    path = tmp_path / "edited.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    assert taken(made, path) == "written"
    assert made.marks("mill", "q1", "ann")[0].note == "a b [31m"
