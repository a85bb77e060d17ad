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


def commands(place: int = -1) -> dict[str, list[str]]:
    """The commands of an example of the page, by default the last, by their second word."""
    block = (DOCS / "reports.md").read_text(encoding="utf-8").split("```console\n")[place]
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


@pytest.mark.parametrize(
    ("name", "place", "memories", "cut"),
    [
        ("smollm2-report", -3, 4, [0] * 4),
        ("smollm2-memories", -2, 9, [0] * 8 + [16]),  # 16 contexts of amem outgrow the window
    ],
)
def test_the_report_of_a_real_model_is_of_its_streams_and_its_command(
    name: str, place: int, memories: int, cut: list[int]
) -> None:
    page = parsed((DOCS / "examples" / f"{name}.html").read_text(encoding="utf-8"))
    (given,) = load_streams(DOCS / "examples" / "smollm2-babi.jsonl")
    shown = page.one("section", id="settings").all("pre")[0].text()
    assert shown == shlex.join(["supersede", *commands(place)["report"]])
    assert len(given.chunks) >= 6
    assert len(given.questions) >= 8
    calls = len(given.chunks) * len(given.questions)
    runs = list(embedded(page, "data").values())
    whole = (len(given.questions), 1)
    assert [(run["questions"], run["streams"]) for run in runs] == [whole] * memories
    cost, replies = (
        page.one("section", id=name).all("table")[0].rows() for name in ("cost", "replies")
    )
    assert [row[1] for row in replies[1:]] == [str(calls)] * memories
    assert float(cost[1][2].partition("\u00a0")[0]) >= 90  # percent of the prompt tokens of base
    assert [row[5] for row in cost[1:]] == [str(contexts) for contexts in cut]
    text = page.text()
    assert all(question.text in text for question in given.questions)


def test_the_examples_and_their_pictures_are_small() -> None:
    assert (DOCS / "examples" / "ladder-report.html").stat().st_size < 400_000
    assert (DOCS / "examples" / "smollm2-report.html").stat().st_size < 200_000
    assert (DOCS / "examples" / "smollm2-memories.html").stat().st_size < 200_000
    pictures = list((DOCS / "images").glob("report-*.png"))
    assert len(pictures) == 2
    assert all(picture.stat().st_size < 150_000 for picture in pictures)
