import json
from dataclasses import asdict
from pathlib import Path

import pytest
from tests.reports.made import STREAMS, log, made

from supersede.errors import DataError, UsageError
from supersede.reports import Source, named_sources, read_runs
from supersede.streams.ladder import LADDER


@pytest.fixture
def predictions(tmp_path: Path) -> Path:
    path = tmp_path / "run.predictions.jsonl"
    rows = [asdict(row) for stream in STREAMS for row in LADDER["oracle"](stream)]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def test_a_source_may_have_a_name(tmp_path: Path) -> None:
    odd = tmp_path / "a=b.jsonl"
    odd.touch()
    assert named_sources(["a.jsonl", "b=c=d.eval", str(odd)]) == (
        Source(Path("a.jsonl")),
        Source(Path("c=d.eval"), "b"),
        Source(odd),
    )


def test_two_runs_of_one_name_are_refused() -> None:
    with pytest.raises(UsageError, match="two runs have the name 'a'"):
        named_sources(["a=1.jsonl", "a=2.jsonl"])


def test_a_file_of_predictions_becomes_a_run_with_its_name(predictions: Path) -> None:
    first, second = read_runs([Source(predictions), Source(predictions)], STREAMS)
    assert (first.name, second.name) == ("run", "run (2)")
    assert first.report.measures["accuracy"].estimate.value == 1
    assert (first.expected, first.error_rate, first.failed) == (24, 0, False)


def test_predictions_need_the_streams(predictions: Path) -> None:
    with pytest.raises(UsageError, match="Name them: --stream FILE"):
        read_runs([Source(predictions)], None)


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(UsageError, match=r"nowhere\.jsonl: there is no such file"):
        read_runs([Source(Path("nowhere.jsonl"))], STREAMS)


def test_a_folder_stands_for_its_logs(tmp_path: Path) -> None:
    for name in ("b.eval", "a.eval", "c.predictions.jsonl"):
        (tmp_path / name).touch()
    assert [source.path.name for source in named_sources([str(tmp_path)])] == ["a.eval", "b.eval"]
    with pytest.raises(UsageError, match=r"holds no \.eval file"):
        named_sources([str(tmp_path / "..")])


def test_a_broken_log_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.eval"
    path.write_bytes(b"PK\x03\x04 cut")
    with pytest.raises(DataError, match=r"x\.eval: no log of Inspect, or one that was cut short"):
        read_runs([Source(path)], None)


def test_a_run_fails_above_its_error_rate_or_without_its_end() -> None:
    assert made("a", lost=1).error_rate == 1 / 24
    assert made("a", lost=1).failed
    assert not made("a", log=log({})).failed
    assert made("a", log=log({}, status="error")).failed


def test_a_folder_with_one_log_may_have_a_name(tmp_path: Path) -> None:
    (tmp_path / "one.eval").touch()
    (source,) = named_sources([f"rag={tmp_path}"])
    assert (source.path, source.name) == (tmp_path / "one.eval", "rag")
    (tmp_path / "two.eval").touch()
    with pytest.raises(UsageError, match=r"holds 2 \.eval files for the one name 'rag'"):
        named_sources([f"rag={tmp_path}"])
