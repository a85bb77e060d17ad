import json
from dataclasses import asdict, replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.cli.test_score import TWELVE, run

from supersede.streams import write_streams
from supersede.streams.ladder import LADDER


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Predictions with confidence, and their streams."""
    streams, said = tmp_path / "streams.jsonl", tmp_path / "p.jsonl"
    write_streams(streams, TWELVE)
    rows = []
    for stream in TWELVE:
        truth = {(p.question, p.interval): p.answer for p in LADDER["oracle"](stream)}
        for p in LADDER["flip-flop"](stream):
            right = p.answer == truth[p.question, p.interval]
            rows.append(replace(p, confidence=0.9 if right else 0.2))
    said.write_text("\n".join(json.dumps(asdict(row)) for row in rows), encoding="utf-8")
    return said, streams


def test_the_sweep_is_printed_and_drawn(
    files: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drawing = tmp_path / "sweep.svg"
    said, streams = files
    code, out, err = run(capsys, "hysteresis", said, "--stream", streams, "--plot", drawing)
    assert (code, err) == (0, "")
    assert "threshold" in out
    assert "0.2 *" in out
    root = ElementTree.fromstring(drawing.read_text(encoding="utf-8"))
    assert len([one for one in root.iter() if one.tag.endswith("circle")]) == 1


def test_a_held_run_scores_as_its_point(
    files: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said, streams = files
    out_file = tmp_path / "held.jsonl"
    options = ["--thresholds", "0,0.5", "--hold", "0.5", "-o", out_file, "--json"]
    code, out, _ = run(capsys, "hysteresis", said, "--stream", streams, *options)
    assert code == 0
    wanted = json.loads(out)["points"][1]["accuracy"]
    code, out, _ = run(capsys, "score", out_file, "--stream", streams, "--json")
    assert (code, json.loads(out)["accuracy"]) == (0, wanted)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--thresholds", "0,x"], "not numbers"),
        (["--thresholds", "2"], "threshold 2 is not from 0 to 1"),
        (["--hold", "0.5"], "--hold and -o go together"),
        (["--hold", "-1", "-o", "h.jsonl"], "threshold -1 is not from 0 to 1"),
    ],
)
def test_bad_input_is_one_line(
    files: tuple[Path, Path],
    options: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = run(capsys, "hysteresis", files[0], "--stream", files[1], *options)
    assert code == 2
    assert said in err
    assert len(err.strip().splitlines()) == 1
    assert not (tmp_path / "h.jsonl").exists()
