"""The guide to checking, agreement and export is run from its first line to its last."""

from __future__ import annotations

import doctest
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.test_main import commands, run
from tests.docs.test_commands import ROOT, blocks, examples_of

from supersede.cli.main import COMMANDS
from supersede.novels.checking import RULES, Level
from supersede.novels.exporting import FORMATS

GUIDE = ROOT / "docs" / "agreement.md"
STORY = ROOT / "docs" / "novels.md"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (text,) = blocks(STORY, "text")
    Path("mill.txt").write_text(text, encoding="utf-8")
    return tmp_path


def steps() -> Iterator[tuple[str, str]]:
    """The kinds and texts of the blocks that are run, in order."""
    text = GUIDE.read_text(encoding="utf-8")
    yield from re.findall(r"```(console|pycon)\n(.*?)```", text, re.DOTALL)


def follow(capfd: pytest.CaptureFixture[str]) -> int:
    """Does everything that the page says, and gives how many steps that were."""
    names: dict[str, object] = {}
    count = 0
    for kind, block in steps():
        if kind == "pycon":
            session = doctest.DocTestParser().get_doctest(block, names, "agreement.md", None, 0)
            complaints: list[str] = []
            runner = doctest.DocTestRunner()
            assert runner.run(session, out=complaints.append, clear_globs=False).failed == 0, (
                "".join(complaints)
            )
            names = session.globs
            count += 1
            continue
        for part in block.removeprefix("$ ").split("\n$ "):
            first, *printed = part.splitlines()
            code, out, _ = run(capfd, *shlex.split(first)[1:])
            assert code == int(" failures, " in part and " 0 failures" not in part), first
            if printed[-1:] == ["..."]:
                assert out.splitlines()[: len(printed) - 1] == printed[:-1], first
            else:
                assert out.splitlines() == printed, first
            count += 1
    return count


def test_the_guide_prints_what_it_says(desk: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert follow(capfd) == 14


MINE = ("check", "agreement", "timeline", "stats", "work", "export", "import")


def test_every_example_of_the_help_runs(desk: Path, capfd: pytest.CaptureFixture[str]) -> None:
    follow(capfd)
    export = ("novel", "export", "project", "--annotator", "ann")
    assert run(capfd, *export, "--format", "label-studio", "-o", "tasks.json")[0] == 0
    assert run(capfd, *export, "--format", "sheet", "-o", "sheets")[0] == 0
    ran = 0
    for name, command in commands():
        verb = name.removeprefix("supersede novel ")
        if verb not in MINE:
            continue
        for line in examples_of(command):
            asked, _, rest = line.partition(" | jq .")
            code, out, err = run(capfd, *shlex.split(asked)[1:])
            if "-o check.html" in asked:
                assert Path("check.html").is_file()
            if verb == "import":  # the guide's book is past blind work
                assert (code, "stands still" in err) == (2, True), line
            else:
                assert (code, err) == (0, ""), line
            if rest:
                assert f'"{rest}"' in out, line
            ran += 1
    assert ran == 4 + 3 + 2 + 2 + 2 + 4 + 3


def test_its_tables_have_every_rule_and_every_format() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)`( \(look\))? \| (.*?) \| .* \|$", text, re.MULTILINE)
    assert [(name, bool(look), says) for name, look, says in rows if name in RULES] == [
        (name, rule.level is Level.LOOK, rule.says) for name, rule in RULES.items()
    ]
    table = text[text.index("| `--format`") :]
    assert set(re.findall(r"`([\w-]+)`", table.split("\n\n")[0])) >= set(FORMATS)


def test_its_commands_and_links_exist() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    assert set(re.findall(r"(?:`|\$ )supersede ([a-z]+)", text)) <= set(COMMANDS)
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (GUIDE.parent / target).exists()
