"""Project files that other programs changed, emptied or locked: one line, and the mend."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.test_main import run
from tests.novels.made import project

from supersede.errors import DataError
from supersede.novels.annotations import Mark, MarkKind, Work
from supersede.novels.changes import mark_change
from supersede.novels.log import Change
from supersede.novels.project import Project
from supersede.novels.proving import prove, prove_log
from supersede.novels.store import FILE_NAME


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project in which something was said, undone and done again."""
    with project(tmp_path) as made:
        made.act("ann", "mill", [mark_change("mill", "q1", "ann", Mark(0, MarkKind.CHOICE, "a"))])
        made.act("bob", "mill", [mark_change("mill", "q1", "bob", Mark(0, MarkKind.CHOICE, "b"))])
        made.undo("ann", "mill")
        made.redo("ann", "mill")
    return tmp_path


def by_hand(folder: Path, *statements: str) -> None:
    """What somebody does to the file with a program of their own."""
    with closing(sqlite3.connect(folder / FILE_NAME)) as sql, sql:
        for statement in statements:
            sql.execute(statement)


def test_a_file_that_nobody_touched_is_sound(folder: Path) -> None:
    with Project(folder) as made:
        assert prove(made.store) == made.store.last


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE mark SET evidence = '[{'",
        "UPDATE mark SET kind = 'zzz'",
        "UPDATE mark SET option = 'b'",
        "DELETE FROM option WHERE option = 'a'",
        "UPDATE question SET revision = 1",
        "UPDATE mark SET question = 'q2' WHERE annotator = 'bob'",
    ],
)
def test_tables_that_were_changed_are_made_again(
    folder: Path, statement: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with Project(folder) as made:
        before = made.annotations("mill")
    by_hand(folder, statement)
    code, _, err = run(capsys, "novel", "check", str(folder))
    assert code == 2
    assert err.count("\n") == 1
    assert "--rebuild" in err
    run(capsys, "novel", "check", str(folder), "--rebuild")
    with Project(folder) as made:
        prove(made.store)
        assert made.annotations("mill") == before


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE mark SET evidence = '[{'",
        "UPDATE mark SET kind = 'zzz'",
        "DELETE FROM option WHERE option = 'a'",
        "DELETE FROM question",
    ],
)
def test_what_was_said_is_not_shown_where_it_was_changed(folder: Path, statement: str) -> None:
    by_hand(folder, statement)
    with Project(folder) as made, pytest.raises(DataError, match="--rebuild"):
        made.annotations("mill")


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE event SET value = '{}' WHERE kind = 'mark'", "a mark has the fields"),
        ("UPDATE event SET value = '{' WHERE kind = 'mark'", "Expecting property name"),
        ("UPDATE event SET kind = 'zzz' WHERE kind = 'mark'", "'zzz' is no kind of event"),
        ("UPDATE event SET key = '[999]' WHERE kind = 'undo'", "undo of 999"),
        ("UPDATE event SET key = '[]' WHERE kind = 'redo'", "redo of"),
        ("DELETE FROM event WHERE number = 3", "event 3 .*it is missing"),
    ],
)
def test_a_log_that_was_changed_is_said_and_not_guessed_at(
    folder: Path, statement: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    by_hand(folder, "DROP TRIGGER event_UPDATE", "DROP TRIGGER event_DELETE", statement)
    with Project(folder) as made, pytest.raises(DataError, match=said.replace("of 999", "of")):
        prove_log(made.store)
    code, _, err = run(capsys, "novel", "check", str(folder), "--rebuild")
    assert code == 2
    assert "was changed by another program" in err


def test_an_empty_file_is_no_project_until_a_book_is_prepared_into_it(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).touch()
    with pytest.raises(DataError, match="the file is empty"):
        Project(tmp_path)
    with Project(tmp_path, create=True) as made:
        assert made.books() == ()


def test_a_damaged_file_is_one_line_wherever_it_is_read(folder: Path) -> None:
    with Project(folder) as made:
        ((pages,),) = made.store.query("PRAGMA page_count")
    data = bytearray((folder / FILE_NAME).read_bytes())
    for page in range(2, pages):
        data[page * 4096 : page * 4096 + 200] = b"\xff" * 200
    (folder / FILE_NAME).write_bytes(data)
    with pytest.raises(DataError, match="malformed"), Project(folder) as made:
        made.annotations("mill")


def test_a_folder_that_cannot_be_written_in_is_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Project(folder) as made:
        before = made.annotations("mill")
    files = {path.name for path in folder.iterdir()}
    monkeypatch.setattr(os, "access", lambda *_: False)  # permissions do not bind everybody
    with Project(folder) as made:
        assert made.annotations("mill") == before
        with pytest.raises(DataError, match="not saved: attempt to write a readonly database"):
            made.note_work("mill", "ann", 1)
    assert {path.name for path in folder.iterdir()} == files


def test_what_was_left_open_is_not_read_without_its_newest_part(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    with Project(folder) as made:
        made.note_work("mill", "ann", 1)
        for name in (FILE_NAME, f"{FILE_NAME}-wal"):
            (copy / name).write_bytes((folder / name).read_bytes())
    with monkeypatch.context() as patched:
        patched.setattr(os, "access", lambda *_: False)
        with pytest.raises(DataError, match="was not closed"):
            Project(copy)
    with Project(copy) as made:
        assert made.work("mill") == (Work("ann", 1.0, 0.0, ""),)


@pytest.mark.parametrize("hours", [float("nan"), float("inf")])
def test_no_number_is_no_hours(folder: Path, hours: float) -> None:
    with Project(folder) as made, pytest.raises(DataError, match="of a work is no float"):
        made.note_work("mill", "ann", hours)


def test_half_of_a_sign_is_refused_wherever_it_stands(folder: Path) -> None:
    half = "\ud83d"
    with Project(folder) as made:
        for note, evidence in ((half, []), ("", [{"quote": half}]), ("", [{"x": float("nan")}])):
            value = {"kind": "choice", "option": "a", "evidence": evidence, "note": note}
            change = Change("mark", ("mill", "q2", "ann", 0), value)
            with pytest.raises(DataError, match="holds half of a sign"):
                made.act("ann", "mill", [change])
        with pytest.raises(DataError, match="holds half of a sign"):
            made.act("ann", "mill", [Change("finished", ("mill", half), {"note": ""})])
        with pytest.raises(DataError, match="is no int"):
            made.act("ann", "mill", [Change("mark", ("mill", "q2", "ann", 2**60), None)])
