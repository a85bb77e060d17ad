import json
from dataclasses import asdict
from pathlib import Path

import pytest
from tests.streams.made import choice, small

from supersede.cli.main import main
from supersede.model.stream import Stream
from supersede.streams import write_streams
from supersede.streams.ladder import LADDER


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command line."""
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    code = ended.value.code
    assert isinstance(code, int)
    return code, out, err


@pytest.fixture
def streams(tmp_path: Path) -> Path:
    """A file of twelve equal streams."""
    path = tmp_path / "streams.jsonl"
    write_streams(path, [small(f"s{i}") for i in range(12)])
    return path


def predicted(path: Path, name: str, streams: list[Stream], cut: int = 0) -> Path:
    """The file of what a fake predictor says, without its last rows."""
    rows = [asdict(row) for stream in streams for row in LADDER[name](stream)]
    lines = [json.dumps(row) for row in rows[: len(rows) - cut]]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


TWELVE = [small(f"s{i}") for i in range(12)]


def test_the_oracle_is_always_right(
    streams: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = predicted(tmp_path / "p.jsonl", "oracle", TWELVE)
    code, out, err = run(capsys, "score", said, "--stream", streams)
    assert (code, err) == (0, "")
    assert "24 questions in 12 streams" in out
    assert "144 answers expected: 144 answered" in out
    assert "No readable answer is wrong." in out
    assert "accuracy             1.000" in out
    assert "balanced" in out


def test_the_data_is_exact(
    streams: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = predicted(tmp_path / "p.jsonl", "flip-flop", TWELVE)
    code, out, _ = run(capsys, "score", said, "--stream", streams, "--json")
    data = json.loads(out)
    assert code == 0
    # test_ladder: 3 right, 2 late, 1 missed, and 3 right, 2 distracted, 1 missed of 6 each.
    found = [data[name] for name in ("accuracy", "al", "ds", "pm")]
    assert found == pytest.approx([1 / 2, 1 / 6, 1 / 6, 1 / 6])
    assert data["expected"] == 144
    assert data["error_rate"] == 0
    assert data["bins"] == {"sparse": 3, "moderate": 5}
    assert data["by_subset"]["moderate"]["questions"] == 12


def test_tables_are_printed_as_asked(
    streams: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = predicted(tmp_path / "p.jsonl", "frozen", TWELVE)
    _, plain, _ = run(capsys, "score", said, "--stream", streams)
    assert "sparse (to 3 phases)" in plain
    assert "under-updater" in plain
    # Of 5 intervals with one before them, mo's truth changes at 3 and ann's at 2.
    assert "truth changed           60  50.0%" in plain
    assert "stale ones were right" in plain
    by = ["--by", "type", "--by", "interval"]
    _, broken, _ = run(capsys, "score", said, "--stream", streams, *by, "--bins", "balanced")
    assert "sparse" not in broken
    assert "tracking         24" in broken
    assert "interval  accuracy" in broken


def test_a_missing_answer_is_counted_and_beyond_the_limit_fails(
    streams: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = predicted(tmp_path / "p.jsonl", "oracle", TWELVE, cut=2)
    code, out, err = run(capsys, "score", said, "--stream", streams)
    assert code == 1
    assert "left out: 2 questions with failed or missing answers" in out
    assert "22 questions in 11 streams" in out
    assert err.startswith("error: 0 failed and 2 missing of 144 answers are 1.39%, above 1.00%.")
    assert err.count("\n") == 1
    limit = ["--max-error-rate", "0.05", "--json"]
    code, out, err = run(capsys, "score", said, "--stream", streams, *limit)
    assert (code, err) == (0, "")
    assert json.loads(out)["left_out"] == [
        {"stream": "s11", "question": "mo"},
        {"stream": "s11", "question": "ann"},
    ]


def test_duplicates_and_unknown_ids_are_bad_input(
    streams: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = predicted(tmp_path / "p.jsonl", "oracle", TWELVE)
    text = said.read_text(encoding="utf-8")
    said.write_text(text + text.splitlines()[0] + "\n", encoding="utf-8")
    code, out, err = run(capsys, "score", said, "--stream", streams)
    assert (code, out) == (2, "")
    assert err == (
        f"error: {said}:145: second prediction for question 'mo' in 's0' at interval 0. Keep one.\n"
    )
    said.write_text(text.replace('"s3"', '"s33"'), encoding="utf-8")
    code, out, err = run(capsys, "score", said, "--stream", streams)
    assert (code, out) == (2, "")
    assert f"{said}:37: unknown stream 's33'. Did you mean 's3'?" in err
    code, _, err = run(capsys, "score", tmp_path / "none.jsonl", "--stream", streams)
    assert (code, err) == (2, f"error: {tmp_path / 'none.jsonl'}: No such file or directory\n")


def test_a_log_is_told_where_its_predictions_are(
    streams: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "score", "logs/x.eval", "--stream", streams)
    assert (code, out) == (2, "")
    assert err.startswith("error: logs/x.eval: is a log and no file of predictions. Name the ")


def test_an_empty_file_of_predictions_scores_nothing(
    streams: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = tmp_path / "p.jsonl"
    said.write_text("", encoding="utf-8")
    code, out, err = run(capsys, "score", said, "--stream", streams)
    assert code == 1
    assert "144 answers expected: none given, 144 missing" in out
    assert out.endswith("so that there is nothing to score.\n")
    assert "144 missing" in err
    code, out, _ = run(capsys, "score", said, "--stream", streams, "--json")
    assert code == 1
    assert json.loads(out)["accuracy"] is None


def test_official_files_and_released_predictions_are_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    official, said = tmp_path / "oaks.json", tmp_path / "p.jsonl"
    write_streams(official, [choice()], "oaks")
    rows = [
        {"doc_id": f"novel_{t}_q0", "query": "?", "generated_answer": f"## Answer: {letter}"}
        for t, letter in enumerate("BCCA")
    ]
    said.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    code, out, _ = run(capsys, "score", said, "--stream", official, "--json")
    data = json.loads(out)
    assert code == 0
    assert (data["accuracy"], data["al"]) == (0.75, 0.25)
    assert data["bins"] == {"sparse": 3, "moderate": 4}
    assert data["staleness"]["stale"] == 1
