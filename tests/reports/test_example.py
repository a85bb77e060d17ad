"""The example of the documentation is what its command makes."""

from __future__ import annotations

import json
import shlex
from dataclasses import asdict
from pathlib import Path

import pytest
from tests.cli.test_main import run
from tests.reports.parsed import embedded, parsed

from supersede.streams import load_streams
from supersede.streams.ladder import LADDER

DOCS = Path(__file__).parents[2] / "docs"


def commands() -> dict[str, list[str]]:
    """The commands of the page's last example by their second word."""
    block = (DOCS / "reports.md").read_text(encoding="utf-8").split("```console\n")[-1]
    lines = [shlex.split(line) for line in block.partition("```")[0].splitlines()]
    return {line[1]: line[1:] for line in lines if line[0] == "supersede"}


def test_the_example_has_the_numbers_that_its_command_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = commands()
    assert run(capfd, *asked["stream"])[0] == 0
    streams = load_streams("ladder.jsonl")
    for name, predictor in LADDER.items():
        rows = [json.dumps(asdict(row)) for given in streams for row in predictor(given)]
        Path(f"{name}.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    assert run(capfd, *asked["report"])[0] == 0
    made, example = (
        parsed(path.read_text(encoding="utf-8"))
        for path in (Path("ladder-report.html"), DOCS / "examples" / "ladder-report.html")
    )
    assert embedded(example, "data") == embedded(made, "data")
    sections = [[s.attributes["id"] for s in page.all("section")] for page in (example, made)]
    assert sections[0] == sections[1]
    shown = example.one("section", id="settings").all("pre")[0].text()
    assert shown == shlex.join(["supersede", *asked["report"]])


def test_the_example_and_its_pictures_are_small() -> None:
    assert (DOCS / "examples" / "ladder-report.html").stat().st_size < 400_000
    pictures = list((DOCS / "images").glob("report-*.png"))
    assert len(pictures) == 2
    assert all(picture.stat().st_size < 150_000 for picture in pictures)
