"""A real model on the example of the documentation: its replies are read, its rows survive."""

from __future__ import annotations

import secrets
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from supersede.evaluation.stream_journal import JOURNAL_NAME
from supersede.evaluation.stream_launch import StreamLaunch, inspect_command, run_stream
from supersede.reports import Request, render
from supersede.reports.runs import Source, read_runs
from supersede.streams import load_streams

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "smollm2-babi.jsonl"
CALLS = 2 * 4
PATIENCE = 300.0
"""Seconds until a row must be there, on a machine that does other things too."""


def launch(folder: Path) -> StreamLaunch:
    return StreamLaunch(
        EXAMPLE,
        "smollm2",
        chunks=2,
        questions=4,
        log_dir=folder,
        inspect_options=("--max-tokens", "32", "--display", "none", "-M", "threads=1"),
    )


def rows(folder: Path) -> dict[tuple[int, str], tuple[object, ...]]:
    """Every row of the journal, whole, by interval and question."""
    path = folder / JOURNAL_NAME
    if not path.exists():
        return {}
    with closing(sqlite3.connect(path)) as journal:
        tables = "SELECT COUNT(*) FROM sqlite_master WHERE name = 'call'"
        if journal.execute(tables).fetchone() == (0,):
            return {}  # the file is there before its tables are
        found = journal.execute("SELECT interval, question, * FROM call").fetchall()
    return {(interval, question): tuple(row) for interval, question, *row in found}


def kill_after(number: int, folder: Path, pause: float) -> None:
    """Runs until so many answers are journalled, and kills the process without notice."""
    command = inspect_command(launch(folder))
    end = time.monotonic() + PATIENCE
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=quiet, stderr=quiet) as process:
        try:
            while len(rows(folder)) < number:
                assert process.poll() is None
                assert time.monotonic() < end
                time.sleep(0.05)
            time.sleep(pause)
        finally:
            process.send_signal(signal.SIGKILL)


@pytest.mark.model
def test_a_killed_run_keeps_every_row_and_its_report_says_that_it_was_resumed(
    tmp_path: Path,
) -> None:
    kept: dict[tuple[int, str], tuple[object, ...]] = {}
    for number in (2, 5):
        kill_after(number, tmp_path, secrets.randbelow(1000) / 1000)
        assert kept.items() <= rows(tmp_path).items()
        kept = rows(tmp_path)
    assert 5 <= len(kept) < CALLS
    found = run_stream(launch(tmp_path))
    assert kept.items() <= rows(tmp_path).items()
    assert len(rows(tmp_path)) == CALLS
    assert found.calls["reused"] == len(kept)
    streams = load_streams(EXAMPLE)
    page = render(Request(read_runs([Source(Path(found.log))], streams), streams))
    assert f"{len(kept)} answers kept" in page
    assert found.calls["answered"] > CALLS / 2  # without an example it was 1 of 48
