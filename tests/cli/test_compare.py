import json
from dataclasses import asdict, replace
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


def test_logs_do_without_the_streams(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found: list[Path] = []
    for name in ("unknown", "oracle"):
        folder = tmp_path / name
        asked = ["eval", "stream", files["streams"], "--model", f"supersede/{name}"]
        assert run(capsys, *asked, "--log-dir", folder)[0] == 0
        found += folder.glob("*.eval")
    code, out, err = run(capsys, "compare", *found, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["accuracy"]["difference"] == pytest.approx(5 / 6)
    code, out, err = run(capsys, "compare", found[0], files["oracle"])
    assert (code, out) == (2, "")
    assert "Name them: --stream FILE" in err
    code, _, err = run(capsys, "compare", tmp_path / "oracle", tmp_path / "unknown", "--json")
    assert code == 0
    (tmp_path / "both").mkdir()
    for log in found:
        log.rename(tmp_path / "both" / log.name)
    code, _, err = run(capsys, "compare", tmp_path / "both", tmp_path / "both")
    assert code == 2
    assert "4 runs in" in err


def test_runs_on_other_streams_are_refused(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    longer = [
        replace(question, answers=(("hall",), *question.answers[1:]))
        for question in STREAMS[0].questions
    ]
    other = tmp_path / "other.jsonl"
    write_streams(other, [replace(STREAMS[0], questions=tuple(longer))])
    logs = []
    for number, streams in enumerate((files["streams"], other)):
        folder = tmp_path / str(number)
        asked = ["eval", "stream", streams, "--model", "supersede/oracle", "--log-dir", folder]
        assert run(capsys, *asked)[0] == 0
        logs.append(folder)
    code, out, err = run(capsys, "compare", *logs)
    assert (code, out) == (2, "")
    assert "differs between the two runs. Compare runs on the same file of streams." in err


def test_nothing_in_common_is_said(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    files["frozen"].write_text("", encoding="utf-8")
    code, out, _ = run(
        capsys, "compare", files["oracle"], files["frozen"], "--stream", files["streams"]
    )
    assert code == 1
    assert out.endswith("12 that only one did are left out\nThere is nothing to compare.\n")


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
