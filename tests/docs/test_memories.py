"""The guide to memories: its commands print what it says, its table is the registry's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.cli.test_main import run
from tests.docs.test_commands import ROOT, typed
from tests.memories.test_contract import CALLS

from supersede.cli.main import COMMANDS
from supersede.memories import memories

GUIDE = ROOT / "docs" / "memories.md"


def test_the_guide_prints_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = list(typed(GUIDE))
    assert len(shown) >= 3
    for words, printed in shown:
        assert words[0] == "supersede"
        code, out, err = run(capfd, *words[1:])
        assert (code, err) == (0, ""), words
        if printed[-1:] == ["..."]:
            assert out.splitlines()[: len(printed) - 1] == printed[:-1], words
        else:
            assert out.splitlines() == printed, words


def rows() -> list[list[str]]:
    text = GUIDE.read_text(encoding="utf-8")
    return [[cell.strip() for cell in line.strip("|").split("|")]
            for line in text.splitlines() if line.startswith("| `")]  # fmt: skip


def test_its_table_has_every_memory_with_its_calls_and_its_options() -> None:
    ours = {kind.name: kind for kind in memories() if kind.package is None}
    assert {row[0].strip("`") for row in rows()} == set(ours)
    for name, _, calls, tuned in rows():
        kind = ours[name.strip("`")]
        assert set(re.findall(r"--(\w+)", tuned)) == kind.uses
        exact, most = CALLS[kind.name]
        assert (calls == "0") == (not exact and not most)
        assert ("at most" in calls) == bool(most)


def test_its_commands_and_links_exist() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    assert set(re.findall(r"(?:`|\$ )supersede ([a-z]+)", text)) <= set(COMMANDS)
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (GUIDE.parent / target).exists()
