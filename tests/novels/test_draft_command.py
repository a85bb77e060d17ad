"""`supersede novel draft`, as typed, with a model of Inspect whose replies are scripted."""

from __future__ import annotations

import io
import json
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from inspect_ai.model import ChatMessage
from tests.cli.test_main import run
from tests.evaluation.conftest import Write, scripted
from tests.novels.made import book

from supersede.cli import waiting
from supersede.cli.main import main
from supersede.cli.novel_draft import JOURNAL
from supersede.novels.project import Project

__all__ = ["scripted"]

TEXTS = (
    "Anna lived in the mill. Tom was a boy.",
    "Anna moved to the inn. Tom was a miller.",
    "Tom went away. Anna sang.",
)
ANNA = (("In the mill", "Anna lived in the mill."), ("At the inn", "Anna moved to the inn."))
TOM = (("A boy", "Tom was a boy."), ("A miller", "Tom was a miller"))
MODEL = ("--model", "scripted/model", "--context-limit", "8000")


class Mind:
    """Names two people and asks about each; the call of a number breaks off."""

    def __init__(self, dies_at: int = -1) -> None:
        self.stages: list[str] = []
        self.dies_at = dies_at

    def __call__(self, messages: list[ChatMessage]) -> str:
        if len(self.stages) == self.dies_at:
            raise ConnectionError("the server is gone")
        stage = (messages[-1].metadata or {})["stage"]
        self.stages.append(stage)
        if stage == "entities":
            return "Anna | Tom"
        who, pairs = ("Anna", ANNA) if "questions about Anna" in messages[-1].text else ("Tom", TOM)
        answers = [{"answer": answer, "source": source} for answer, source in pairs]
        good = {"question": f"What of {who} now?", "answers": answers}
        bad = {"question": f"How does {who} change?", "answers": answers}
        return json.dumps({"questions": [good, bad]})


@pytest.fixture
def folder(tmp_path: Path) -> str:
    with Project(tmp_path / "project", create=True) as project:
        project.add_book(book(texts=TEXTS))
    return str(tmp_path / "project")


SetWrite = Callable[[Write], None]


def test_what_is_drafted_kept_and_dropped_is_printed(
    scripted: SetWrite, folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    scripted(Mind())
    code, out, err = run(capsys, "novel", "draft", folder, *MODEL)
    assert (code, err) == (0, "")
    first, dropped, *table = out.splitlines()
    assert first == "mill: 4 drafts about Anna, Tom; 2 kept"
    assert dropped == "  dropped: 2 not-anchored-in-time"
    assert [row.split()[:3] for row in table[1:]] == [
        ["entities", "1", "0"],
        ["questions", "2", "0"],
    ]
    with Project(Path(folder)) as project:
        assert {one.text for one in project.questions("mill")} == {
            "What of Anna now?",
            "What of Tom now?",
        }
        assert {one.model for one in project.drafts("mill")} == {"scripted/model"}


def test_json_says_the_same(
    scripted: SetWrite, folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    scripted(Mind())
    code, out, _ = run(capsys, "novel", "draft", folder, "mill", *MODEL, "--json")
    (told,) = json.loads(out)
    assert code == 0
    assert (told["entities"], told["drafted"], told["kept"]) == (["Anna", "Tom"], 4, 2)
    assert told["dropped"] == {"not-anchored-in-time": 2}
    assert told["calls"]["questions"]["calls"] == 2
    assert told["calls"]["questions"]["input_tokens"] > 0


@pytest.mark.parametrize("dies_at", [0, 1, 2])
def test_a_draft_that_broke_off_goes_on_without_asking_again(
    dies_at: int, scripted: SetWrite, folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = Mind(dies_at), Mind()
    scripted(first)
    code, out, err = run(capsys, "novel", "draft", folder, *MODEL)
    assert (code, out) == (2, "")
    assert "the server is gone" in err
    assert err.count("\n") == 1
    with Project(Path(folder)) as project:
        assert project.drafts("mill") == ()
    scripted(second)
    code, out, _ = run(capsys, "novel", "draft", folder, *MODEL, "--json")
    (told,) = json.loads(out)
    assert (code, told["kept"]) == (0, 2)
    assert len(first.stages) == dies_at
    assert len(second.stages) == 3 - dies_at
    assert sum(one["reused"] for one in told["calls"].values()) == dies_at


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_sees_how_far_it_is_and_what_was_kept(
    scripted: SetWrite, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "AFTER_SECONDS", 0)
    monkeypatch.setattr(waiting, "TICK_SECONDS", 0)
    said = []
    for mind in (Mind(dies_at=2), Mind()):
        scripted(mind)
        monkeypatch.setattr(sys, "stderr", stream := Terminal())
        with pytest.raises(SystemExit):
            main(["novel", "draft", folder, *MODEL])
        said.append(stream.getvalue())
    broken, again = said
    assert "\rerror: " not in broken
    assert "\x1b[Kerror: " in broken  # on a line of its own
    for stage, total in (("entities", 1), ("questions", 2)):
        assert re.search(rf"mill, {stage} \[ {{10}}\] 0/{total}, 0:00:\d\d\r", broken)
    assert "kept" not in broken
    assert re.search(r"mill, questions \[[# ]{10}\] [12]/2, 1 kept, 0:00:\d\d", again)
    assert again.endswith("\r\x1b[K")


KILLED = """
import os, signal, sys
from tests.evaluation.conftest import Scripted
from tests.novels.test_draft_command import Mind
from supersede.cli.main import main

mind, last = Mind(), int(sys.argv[1])

def write(messages):
    if len(mind.stages) == last:
        os.kill(os.getpid(), signal.SIGKILL)
    return mind(messages)

Scripted.write = staticmethod(write)
sys.argv = ["supersede", *sys.argv[2:]]
main()
"""
"""The command, whose own process is killed without notice while a call is under way."""


@pytest.mark.parametrize("dies_at", [1, 2])
def test_a_draft_that_was_killed_asks_nothing_again_that_was_written_down(
    dies_at: int, scripted: SetWrite, folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = ["novel", "draft", folder, *MODEL]
    killed = subprocess.run([sys.executable, "-c", KILLED, str(dies_at), *typed], check=False)
    assert killed.returncode == -signal.SIGKILL
    with closing(sqlite3.connect(Path(folder) / JOURNAL)) as journal:
        ((kept,),) = journal.execute("SELECT COUNT(*) FROM memory_call")
    # The two about Anna and Tom are under way together: the first may not be written down yet.
    assert 1 <= kept <= dies_at
    with Project(Path(folder)) as project:
        assert project.drafts("mill") == ()
    mind = Mind()
    scripted(mind)
    code, out, _ = run(capsys, *typed, "--json")
    (told,) = json.loads(out)
    assert (code, told["drafted"], told["kept"]) == (0, 4, 2)
    assert len(mind.stages) == 3 - kept
    assert sum(one["reused"] for one in told["calls"].values()) == kept


@pytest.mark.parametrize("damage", ["garbage", "cut", "folder"])
def test_a_damaged_journal_is_one_line_that_says_what_to_do(
    damage: str, scripted: SetWrite, folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = ("novel", "draft", folder, *MODEL)
    scripted(Mind(dies_at=2))
    run(capsys, *typed)
    journal = Path(folder) / JOURNAL
    data = journal.read_bytes()
    if damage == "folder":
        journal.unlink()
        journal.mkdir()
    else:
        journal.write_bytes(b"garbage " * 900 if damage == "garbage" else data[: len(data) // 2])
    scripted(mind := Mind())
    code, out, err = run(capsys, *typed)
    assert (code, out, mind.stages) == (2, "", [])
    assert err.startswith(f"error: {journal}: ")
    assert err.count("\n") == 1
    assert "log directory" not in err
    if damage == "folder":
        assert "cannot be used: unable to open" in err
        return
    assert "Restore it, or move it away: then all that it kept is asked again." in err
    journal.rename(journal.with_name("away.db"))  # as it says
    code, out, _ = run(capsys, *typed)
    assert (code, len(mind.stages)) == (0, 3)


def test_a_second_time_asks_nothing_and_fresh_asks_all(
    scripted: SetWrite, folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    scripted(Mind())
    run(capsys, "novel", "draft", folder, *MODEL)
    for more, calls in (((), 0), (("--fresh",), 3)):
        mind = Mind()
        scripted(mind)
        code, out, _ = run(capsys, "novel", "draft", folder, *MODEL, *more)
        assert code == 0
        assert out.startswith("mill: 4 drafts about Anna, Tom, 4 of them there already; 2 kept\n")
        assert len(mind.stages) == calls


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--model", "smollm"), "unknown model 'smollm'"),
        (("--model", "supersede/oracle"), "no language model"),
        (("mil", *MODEL), "there is no book 'mil'"),
        (("--model", "scripted/model"), "scripted/model"),
        ((*MODEL, "--entity", "Bert"), "gave nobody who is named in two chunks or more: of 'Bert'"),
        ((*MODEL[:3], "500"), "no room"),
    ],
)
def test_a_mistake_is_one_line(
    more: tuple[str, ...],
    says: str,
    scripted: SetWrite,
    folder: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    scripted(Mind())
    code, out, err = run(capsys, "novel", "draft", folder, *more)
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1


def test_a_project_without_books_says_how_to_get_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Project(tmp_path / "empty", create=True).store.close()
    code, _, err = run(capsys, "novel", "draft", str(tmp_path / "empty"), *MODEL)
    assert code == 2
    assert "supersede novel prepare FILE" in err
