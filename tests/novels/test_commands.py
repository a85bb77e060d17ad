"""`supersede novel`, as typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.test_main import run
from tests.corpus.test_tokens import spaces
from tests.novels.books import STORY
from tests.novels.made import book

from supersede.novels.project import Project


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mill.txt").write_text(STORY, encoding="utf-8")
    return tmp_path


def test_a_book_is_prepared_and_described(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    typed = ("novel", "prepare", "mill.txt", "-o", "project")
    code, out, err = run(capsys, *typed)
    assert (code, err) == (0, "")
    assert out.startswith("the-mill: 1 chunk of ")
    assert "3 chapters; left out: " in out
    code, out, _ = run(capsys, *typed)
    assert (code, out.rstrip()[-16:]) == (0, "is there already")
    code, out, _ = run(capsys, *typed, "--id", "m2", "--chunk-tokens", "50", "--json")
    (described,) = json.loads(out)
    assert (code, described["id"], described["new"]) == (0, "m2", True)
    assert max(chunk["tokens"] for chunk in described["chunks"]) <= 50
    with Project(folder / "project") as project:
        assert [card.id for card in project.books()] == ["m2", "the-mill"]


def test_what_is_left_out_is_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "novel", "prepare", "mill.txt", "-o", "project", "--left-out")
    assert "  note: [1] Some say for ten years.\n" in out
    assert "  before the narrative: PREFACE\n" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nil.txt", "-o", "p"], "nil.txt: is no file. Name a .txt, .html or .epub file."),
        ([".", "-o", "p"], ".: is a folder."),
        (["mill.txt", "mill.txt", "-o", "p"], "two of the books have the id 'the-mill'"),
        (["mill.txt", "mill.txt", "-o", "p", "--id", "x"], "--id names one book"),
        (["mill.txt", "-o", "p", "--id", "The Mill"], "id 'The Mill' of a book has other signs"),
        (["mill.txt", "-o", "p", "--chunk-tokens", "5"], "Invalid value for '--chunk-tokens'"),
        (["mill.txt", "-o", "mill.txt"], "Invalid value for '-o'"),
        (["mill.txt", "-o", "p", "--tokenizer", "no.json"], "--tokenizer no.json: there is no"),
    ],
)
def test_a_mistake_is_one_line_and_leaves_nothing_behind(
    folder: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "novel", "prepare", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {said}")
    assert err.count("\n") == 1
    assert not (folder / "p").exists()


def test_a_tokenizer_of_a_file_measures_the_chunks(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = str(spaces(folder / "words.json"))
    size = ("--chunk-tokens", "50", "--tokenizer", words)
    code, out, err = run(capsys, "novel", "prepare", "mill.txt", "-o", "project", *size)
    assert (code, err) == (0, "")
    assert out.startswith("the-mill: ")
    with Project(folder / "project") as project:
        book = project.book("the-mill")
    assert (book.tokenizer, book.chunk_tokens) == ("words", 50)
    assert [chunk.tokens for chunk in book.chunks] == [len(c.text.split()) for c in book.chunks]
    assert max(chunk.tokens for chunk in book.chunks) <= 50


@pytest.mark.parametrize(
    "typed",
    [
        ("check",),
        ("agreement",),
        ("stats",),
        ("work",),
        ("export", "--format", "stream", "-o", "s.jsonl"),
        ("export", "--format", "sheet", "-o", "sheets"),
    ],
)
def test_a_project_without_books_says_how_to_get_one(
    folder: Path, typed: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    Project(folder / "empty", create=True).store.close()
    code, out, err = run(capsys, "novel", typed[0], "empty", *typed[1:])
    says = "empty: the project has no book. Prepare one: supersede novel prepare FILE -o empty"
    assert (code, out, err) == (2, "", f"error: {says}\n")
    assert not (folder / "s.jsonl").exists()


def test_a_project_without_questions_says_how_to_get_some(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Project(tmp_path / "project", create=True) as made:
        made.add_book(book())
    place = str(tmp_path / "project")
    how = "rite some in `supersede annotate`, or by novel attach or draft"
    code, out, err = run(capsys, "novel", "timeline", place, "mill")
    assert (code, err) == (0, "")
    assert how in out
    to = ("--format", "stream", "-o", str(tmp_path / "o.jsonl"))
    code, _, err = run(capsys, "novel", "export", place, *to)
    assert code == 2
    assert err == f"error: mill: no question is in. W{how}.\n"


def test_a_file_without_an_ending_is_told_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Project(tmp_path / "project", create=True) as made:
        made.add_book(book())
    (tmp_path / "rows").write_text("", encoding="utf-8")
    words = (str(tmp_path / "project"), str(tmp_path / "rows"), "--annotator", "ann")
    code, _, err = run(capsys, "novel", "import", *words)
    assert code == 2
    assert "rows: has no ending that tells what it is: .csv, .xlsx, .jsonl or .json" in err
