"""The worked example of a novel prints what its page says, where the book is there."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.cli.test_main import run
from tests.docs.test_commands import ROOT, typed
from tests.streams.novels import NOVELS

from supersede.novels.detached import load_detached
from supersede.streams.files import load_streams

PAGE = ROOT / "docs" / "novel-example.md"
EXAMPLE = ROOT / "docs" / "examples" / "the-time-machine.yaml"
SECOND = ROOT / "docs" / "examples" / "the-time-machine.second-reader.csv"
TOLD = NOVELS / "the-time-machine.txt"


def test_the_page_lists_the_questions_of_the_file() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for one in load_detached(EXAMPLE).questions:
        assert f"| {one.text} | {one.changes} |" in page, one.id


@pytest.mark.skipif(not TOLD.is_file(), reason="no novels beside the checkout")
def test_the_commands_of_the_page_print_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(TOLD, "the-time-machine.txt")
    shutil.copy(EXAMPLE, EXAMPLE.name)
    shutil.copy(SECOND, SECOND.name)
    shown = list(typed(PAGE))
    assert len(shown) >= 12
    for words, printed in shown:
        _, out, err = run(capfd, *words[1:])
        lines = (out + err).splitlines()
        if printed[-1:] == ["..."]:
            assert lines[: len(printed) - 1] == printed[:-1], words
        else:
            assert lines == printed, words
    (stream,) = load_streams(Path("the-time-machine.jsonl"))
    assert (len(stream.chunks), len(stream.questions)) == (22, 10)
    # One chunk late is wrong at each change, and at the first chunk where that tells an answer.
    questions = load_detached(EXAMPLE).questions
    changes = [one.changes - (one.answers[0] == "none") for one in questions]
    assert sum(changes) == 45
    assert f"{1 - sum(changes) / 220:.3f}" == "0.795"
