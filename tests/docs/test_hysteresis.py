"""The guide to hysteresis: its example is run, prints what it says and draws what it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.cli.test_main import run
from tests.docs.test_commands import ROOT, blocks, typed

GUIDE = ROOT / "docs" / "hysteresis.md"


def test_the_guide_prints_and_draws_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = list(typed(GUIDE))
    assert len(shown) == 5
    for words, printed in shown:
        if words[1] == "hysteresis" and not Path("said.jsonl").exists():
            (program,) = blocks(GUIDE, "python")
            exec(compile(program, str(GUIDE), "exec"), {})
        code, out, err = run(capfd, *words[1:])
        assert (code, err) == (0, ""), words
        assert printed == ["..."] or out.splitlines() == printed, words
    drawn = Path("sweep.svg").read_text(encoding="utf-8")
    assert drawn == (ROOT / "docs/images/hysteresis.svg").read_text(encoding="utf-8")
    (told,) = re.findall(r"accuracy is highest at ([\d.]+)\]", GUIDE.read_text(encoding="utf-8"))
    assert f" at {told}</text>" in drawn
    assert Path("held.jsonl").exists()
