"""The commands that the documentation shows are typed, and print what it says."""

from __future__ import annotations

import doctest
import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import click
import pytest
from tests.cli.test_main import commands, run

from supersede.streams.files import load_streams, write_streams
from supersede.streams.generator import paragraph
from supersede.streams.ladder import LADDER
from supersede.worlds.streams import stream as draws

ROOT = Path(__file__).parents[2]
STREAMS = ROOT / "docs" / "streams.md"
REPORTS = ROOT / "docs" / "reports.md"
BABI = ("--documents", "4", "--chunks", "8", "--chunk-tokens", "300",
        "--questions-per-document", "10")  # fmt: skip


class Typed(NamedTuple):
    """A command of a page, and what the page says that it prints."""

    words: list[str]
    printed: list[str]
    """Lines, all of them; or those before a last `...`."""


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def typed(page: Path) -> Iterator[Typed]:
    for block in blocks(page, "console"):
        for part in block.removeprefix("$ ").split("\n$ "):
            first, *printed = part.splitlines()
            yield Typed(shlex.split(first), printed)


def test_the_guide_to_streams_prints_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = list(typed(STREAMS))
    assert len(shown) >= 10
    for words, printed in shown:
        assert words[0] == "supersede"
        code, out, _ = run(capfd, *words[1:])
        assert code == 0, words
        if printed[-1:] == ["..."]:
            assert out.splitlines()[: len(printed) - 1] == printed[:-1], words
        else:
            assert out.splitlines() == printed, words
    assert Path("again.jsonl").exists()
    rows = [json.loads(row) for row in blocks(STREAMS, "json")[0].splitlines()]
    Path("rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    code, out, err = run(capfd, "score", "rows.jsonl", "--stream", "babi.jsonl", "--json")
    assert code == 1, err
    # The two answers of the example, and its failed call.
    assert json.loads(out)["rows"] == {"answered": 2, "unparsable": 0, "refused": 0, "error": 1}
    session = doctest.DocTestParser().get_doctest(
        blocks(STREAMS, "pycon")[0], {}, "streams.md", "streams.md", 0
    )
    complaints: list[str] = []
    outcome = doctest.DocTestRunner().run(session, out=complaints.append)
    assert outcome.failed == 0, "".join(complaints)


@pytest.fixture
def desk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Path:
    """A folder with the files that examples name."""
    monkeypatch.chdir(tmp_path)
    assert run(capfd, "stream", "babi", "babi.jsonl", *BABI)[0] == 0
    world = ("--prototype", "warehouse-inventory-ops", "--tier", "short")
    assert run(capfd, "stream", "world", "wares.jsonl", *world)[0] == 0
    streams = load_streams("babi.jsonl")
    for name in ("oaks.json", "oaks-n.split_2k.json", "oaks-b.128k_split_2k.json"):
        write_streams(Path(name), streams, "oaks")
    for name, fake in (("base", "frozen"), ("rag", "stale-by-one"), ("predictions", "random")):
        rows = [json.dumps(asdict(row)) for one in streams for row in LADDER[fake](one)]
        Path(f"{name}.jsonl").write_text("\n".join(rows), encoding="utf-8")
    for name, fake in (("base", "frozen"), ("rag", "stale-by-one")):
        asked = ("--model", f"supersede/{fake}", "--log-dir", name)
        assert run(capfd, "eval", "stream", "babi.jsonl", *asked)[0] == 0
        (log,) = Path(name).glob("*.eval")
        Path("logs").mkdir(exist_ok=True)
        log.rename(Path("logs") / f"{name}.eval")
    Path("novels").mkdir()
    draw = draws("novels", "prose")
    prose = "\n\n".join(paragraph(draw) for _ in range(3_000))
    Path("novels/a.txt").write_text(prose, encoding="utf-8")
    return tmp_path


def test_the_first_commands_about_reports_make_a_page(
    desk: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    lines = blocks(REPORTS, "console")[0].splitlines()
    assert len(lines) == 2
    for line in lines:
        (desk / "report.html").unlink(missing_ok=True)
        words = [
            name
            for word in shlex.split(line)[1:]
            for name in (map(str, sorted(Path().glob(word))) if "*" in word else [word])
        ]
        assert run(capfd, *words)[:2] == (
            0,
            f"report.html: 2 runs, {(desk / 'report.html').stat().st_size:,} bytes\n",
        )


def examples_of(command: click.Command) -> list[str]:
    lines = (command.epilog or "").splitlines()
    return [line.strip() for line in lines if line.startswith("  supersede ")]


@pytest.mark.slow
def test_every_example_of_the_help_runs(desk: Path, capfd: pytest.CaptureFixture[str]) -> None:
    mine = ("supersede stream", "supersede score", "supersede compare", "supersede report")
    ran = 0
    for name, command in commands():
        if not name.startswith(mine):
            continue
        for line in examples_of(command):
            asked, _, rest = line.partition(" | ")
            if "gutenberg:" in asked:
                continue  # needs the network; tests/streams/test_background.py has a mirror
            words = shlex.split(asked)[1:]
            code, out, err = run(capfd, *words)
            assert (code, err) == (0, ""), line
            if rest:
                assert rest.startswith("jq .")
                assert rest.removeprefix("jq .") in json.loads(out), line
            if words[:2] == ["stream", "babi"]:
                assert run(capfd, "stream", "babi", "babi.jsonl", *BABI)[0] == 0
            ran += 1
    assert ran >= 15
