import json
from dataclasses import asdict
from pathlib import Path

import pytest
from tests.streams.made import small

from supersede.cli.main import main
from supersede.streams import write_streams
from supersede.streams.ladder import LADDER

STREAMS = [small(f"s{i}") for i in range(6)]


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command line."""
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    code = ended.value.code
    assert isinstance(code, int)
    return code, out, err


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """The streams, and a file of predictions for each fake predictor."""
    found = {name: tmp_path / f"{name}.jsonl" for name in ("streams", *LADDER)}
    write_streams(found["streams"], STREAMS)
    for name, predict in LADDER.items():
        rows = [json.dumps(asdict(row)) for stream in STREAMS for row in predict(stream)]
        found[name].write_text("\n".join(rows), encoding="utf-8")
    return found


def test_the_difference_of_two_runs_is_exact(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["--stream", files["streams"], "--json"]
    code, out, err = run(capsys, "compare", files["unknown"], files["oracle"], *asked)
    data = json.loads(out)
    assert (code, err) == (0, "")
    assert data["accuracy"]["a"] == pytest.approx(1 / 6)
    assert data["accuracy"]["b"] == 1
    assert data["accuracy"]["difference"] == pytest.approx(5 / 6)
    assert data["pm"]["difference"] == pytest.approx(-5 / 6)
    assert data["accuracy"]["p"] == 2 / 2**6
    assert (data["questions"], data["unpaired"], data["streams"]) == (12, 0, 6)


def test_the_table_names_both_runs(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(
        capsys, "compare", files["flip-flop"], files["frozen"], "--stream", files["streams"]
    )
    assert code == 0
    assert out.splitlines()[:3] == [
        f"A: {files['flip-flop']}",
        f"B: {files['frozen']}",
        "12 questions that both answered in 6 streams",
    ]
    assert "  distracted (DS)  0.167  0.000  -0.167" in out


def test_a_run_that_lacks_answers_is_named_and_fails(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    lines = files["frozen"].read_text(encoding="utf-8").splitlines()
    files["frozen"].write_text("\n".join(lines[:-3]), encoding="utf-8")
    asked = ["--stream", files["streams"]]
    code, out, err = run(capsys, "compare", files["oracle"], files["frozen"], *asked)
    assert code == 1
    assert "10 questions that both answered in 5 streams; 2 that only one did are left out" in out
    assert err.startswith(f"error: {files['frozen']}: 0 failed and 3 missing of 72 answers")
    assert run(capsys, "compare", files["oracle"], files["oracle"], *asked)[0] == 0
