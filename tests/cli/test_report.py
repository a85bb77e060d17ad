import json
from dataclasses import asdict
from pathlib import Path

import pytest
from tests.cli.test_main import run
from tests.reports.parsed import embedded, parsed
from tests.streams.made import small

from supersede.streams import write_streams
from supersede.streams.ladder import LADDER

STREAMS = [small("s1"), small("s2")]


@pytest.fixture
def streams(tmp_path: Path) -> Path:
    path = tmp_path / "streams.jsonl"
    write_streams(path, STREAMS)
    return path


def predicted(path: Path, name: str, cut: int = 0) -> Path:
    """The file of what a fake predictor says, without its last rows."""
    rows = [json.dumps(asdict(row)) for stream in STREAMS for row in LADDER[name](stream)]
    path.write_text("\n".join(rows[: len(rows) - cut]) + "\n", encoding="utf-8")
    return path


def test_predictions_become_a_page(
    streams: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    first, second = (predicted(tmp_path / f"{n}.jsonl", n) for n in ("oracle", "frozen"))
    page = tmp_path / "page.html"
    command = ["report", str(first), f"ice={second}", "--stream", str(streams), "-o", str(page)]
    code, out, err = run(capfd, *command)
    assert (code, err) == (0, "")
    assert out == f"{page}: 2 runs, {page.stat().st_size:,} bytes\n"
    found = parsed(page.read_text(encoding="utf-8"))
    # frozen: Unknown and hall of mo, garden of ann: 3 of 6 each
    assert {name: one["accuracy"] for name, one in embedded(found, "data").items()} == {
        "oracle": 1,
        "ice": 1 / 2,
    }
    made_by = found.one("section", id="settings").all("pre")[0].text()
    assert made_by == f"supersede {' '.join(command)}"

    before = page.read_bytes()
    assert run(capfd, *command)[0] == 0
    assert page.read_bytes() == before


def test_a_log_becomes_a_page_without_the_streams(
    streams: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    logs = tmp_path / "logs"
    asked = ["eval", "stream", str(streams), "--model", "supersede/oracle", "--memory", "rag"]
    assert run(capfd, *asked, "--log-dir", str(logs))[0] == 0
    (log,) = logs.glob("*.eval")
    page = tmp_path / "page.html"
    code, _, err = run(capfd, "report", str(log), "-o", str(page), "--prices", "1,2,0.5")
    assert (code, err) == (0, "")
    found = parsed(page.read_text(encoding="utf-8"))
    (name,) = embedded(found, "data")
    assert name == "supersede/oracle, rag (bm25)"
    header, row = found.one("section", id="retrieval").all("table")[0].rows()
    assert "Pass@1" in header
    assert row[-1] == "100.0\u00a0%"
    assert "Dollars" in found.one("section", id="cost").text()


def test_a_folder_with_logs_of_two_tasks_becomes_a_page_of_streams(
    streams: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    logs, page = tmp_path / "logs", tmp_path / "page.html"
    corpus = tmp_path / "corpus"
    made = ["corpus", "build", str(corpus), "--tiers", "very_short", "--per-cell", "1"]
    assert run(capfd, *made, "--prototypes", "soccer-timeline")[0] == 0
    oracle = ["--model", "supersede/oracle", "--log-dir", str(logs)]
    assert run(capfd, "eval", "evolve", str(corpus), *oracle)[0] == 0
    code, _, err = run(capfd, "report", str(logs), "-o", str(page))
    assert code == 2
    assert f"{logs}: no log of the task supersede/stream" in err
    assert run(capfd, "eval", "stream", str(streams), *oracle)[0] == 0
    assert run(capfd, "report", str(logs), "-o", str(page))[:2] == (
        0,
        f"{page}: 1 run, {page.stat().st_size:,} bytes\n",
    )


def test_a_run_that_lacks_answers_is_marked(
    streams: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    said = predicted(tmp_path / "p.jsonl", "oracle", cut=1)
    page = tmp_path / "page.html"
    command = ["report", str(said), "--stream", str(streams), "-o", str(page)]
    assert run(capfd, *command)[0] == 0
    results = parsed(page.read_text(encoding="utf-8")).one("section", id="results")
    assert "failed" in results.all("tbody")[0].text()
    assert run(capfd, *command, "--max-error-rate", "0.1")[0] == 0
    results = parsed(page.read_text(encoding="utf-8")).one("section", id="results")
    assert "failed" not in results.all("tbody")[0].text()


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        (["-o", "nowhere/page.html"], "nowhere: the folder does not exist. Make it first."),
        (["--prices", "1"], "prices '1' are not two or three numbers."),
        (["nowhere.jsonl"], "nowhere.jsonl: there is no such file."),
        (["--stream", "nowhere.jsonl"], "nowhere.jsonl: No such file or directory"),
    ],
)
def test_a_mistake_is_one_line_and_no_page(
    more: list[str],
    complaint: str,
    streams: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    said = predicted(tmp_path / "p.jsonl", "oracle")
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capfd, "report", str(said), "--stream", str(streams), *more)
    assert (code, out) == (2, "")
    assert complaint in err
    assert err.count("\n") == 1
    assert not list(tmp_path.glob("**/*.html"))
