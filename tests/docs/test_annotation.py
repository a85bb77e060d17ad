"""The guide to annotating says what the app does."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from importlib import resources
from pathlib import Path

import pytest
from tests.annotation.served import Served
from tests.cli.test_main import run
from tests.docs.test_commands import ROOT, typed
from tests.novels.made import book, question

from supersede.novels.project import Project
from supersede.novels.store import FILE_NAME

GUIDE = ROOT / "docs" / "annotation.md"
TEXT = GUIDE.read_text(encoding="utf-8")
NAMES = {"Enter": "Enter", "Space": " ", "Shift+Space": "Shift+ ", "Backspace": "Backspace",
         "←": "ArrowLeft", "→": "ArrowRight", "↑": "ArrowUp", "↓": "ArrowDown"}  # fmt: skip


def commands() -> dict[str, tuple[str, list[str]]]:
    """Mode and keys of every command of the page."""
    source = (resources.files("supersede.annotation") / "page" / "keys.js").read_text("utf-8")
    rows = re.findall(r'"([\w-]+)": \["(\w+)", "[^"]+", "[^"]+", \[(.*?)\]\],', source)
    assert len(rows) > 30
    return {name: (mode, re.findall(r'"([^"]+)"', keys)) for name, mode, keys in rows}


def test_the_commands_do_what_the_guide_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with Project(Path("project"), create=True) as made:
        made.add_book(book())
        made.add_questions("mill", [question()])
    alone, *adding, wide = typed(GUIDE)
    assert alone.words == ["supersede", "annotate", "project"]
    with Served(Path("project")) as served:
        said = [line.replace(str(served.port), "8765") for line in served.said]
    assert said == alone.printed
    assert len(adding) == 3
    for words, _ in adding:
        code, token, _ = run(capfd, *words[1:])
        assert (code, len(token.strip())) == (0, 32)
    with Served(Path("project"), *wide.words[3:]) as served:
        assert served.said[0] == "Everybody signs in with their token."


def test_every_key_of_the_table_is_one_of_the_app() -> None:
    table = re.findall(r"^\| (.+?) \| .+ \|$", TEXT, re.MULTILINE)[1:]
    known = {key for mode, keys in commands().values() if mode == "page" for key in keys}
    shown = [
        key for cell in table for key in re.findall(r"`(\S)`|(Shift\+\w+|\w{4,}|[←→↑↓])", cell)
    ]
    named = [NAMES.get(long, short) for short, long in shown if short or long in NAMES]
    assert len(named) >= 25
    assert set(named) - {"1", "9"} <= known


def test_no_two_commands_of_a_mode_share_a_key() -> None:
    given = [(mode, key) for mode, keys in commands().values() for key in keys]
    assert len(given) == len(set(given))


def test_a_copy_of_the_project_is_whole_as_the_guide_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    section = TEXT.split("## Backing up")[1].split("\n## ")[0]
    assert f"`{FILE_NAME}`" in section
    assert f"`{FILE_NAME}-wal`" in section

    def questions(folder: str) -> list[str]:
        with Project(Path(folder)) as found:
            return [one.id for one in found.questions("mill")]

    with Project(Path("project"), create=True) as made:
        made.add_book(book())
    with Project(Path("project")) as made:
        made.add_questions("mill", [question()])
        for name, ending in (("alone", ""), ("both", ""), ("both", "-wal")):
            Path(name).mkdir(exist_ok=True)
            shutil.copy(Path("project") / (FILE_NAME + ending), name)
        if shutil.which("sqlite3"):
            (line,) = re.findall(r"```sh\n(sqlite3 .+)\n```", section)
            subprocess.run(shlex.split(line), check=True)
            Path("apart").mkdir()
            Path("project-backup.db").rename(Path("apart") / FILE_NAME)
            assert questions("apart") == ["q1"]
    assert questions("alone") == []  # what the guide warns of
    assert questions("both") == ["q1"]
    with Served(Path("project")) as served:
        assert (Path("project") / f"{FILE_NAME}-wal").exists()
        served.end()
    assert not (Path("project") / f"{FILE_NAME}-wal").exists()


def test_its_pictures_are_there_and_small() -> None:
    pictures = re.findall(r"\"(images/[\w-]+\.png)\"", TEXT)
    assert len(pictures) == 10  # three sizes and two more scenes, light and dark
    assert {f"images/{path.name}" for path in (GUIDE.parent / "images").glob("annotate-*")} == set(
        pictures
    )
    for name in pictures:
        assert (GUIDE.parent / name).stat().st_size < 150_000
