"""A run that is killed goes on where it was: nothing that is journalled is asked again."""

import sqlite3
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from tests.evaluation.stream_made import Call, EchoServer, marked, serving
from tests.evaluation.test_stream_ladder import finished, run

from supersede.evaluation.stream_journal import JOURNAL_NAME
from supersede.evaluation.stream_launch import StreamLaunch, inspect_command, run_stream
from supersede.evaluation.stream_results import StreamRun
from supersede.model.stream import Stream
from supersede.streams import write_streams

STREAMS = (marked("one", 6, 5), marked("two", 6, 5))
CALLS = 60
WIDTH = 4
MODEL = "openai-api/toy/m"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOY_API_KEY", "none")


def launch(folder: Path, address: str, streams: tuple[Stream, ...] = STREAMS) -> StreamLaunch:
    folder.mkdir(exist_ok=True)
    source = folder / "streams.jsonl"
    write_streams(source, streams)
    theirs = ("--model-base-url", address, "--max-connections", str(WIDTH), "--display", "none")
    return StreamLaunch(
        source, MODEL, context_limit=100_000, log_dir=folder / "logs", inspect_options=theirs
    )


def journalled(folder: Path) -> Counter[Call]:
    path = folder / "logs" / JOURNAL_NAME
    if not path.exists():
        return Counter()
    rows = sqlite3.connect(path)
    try:
        found = rows.execute("SELECT stream, interval, question FROM call WHERE error IS NULL")
        return Counter(Call(*row) for row in found)
    finally:
        rows.close()


def kill_after(calls: int, given: StreamLaunch, server: EchoServer) -> None:
    """Runs until the server saw so many calls, and kills the process without notice."""
    with subprocess.Popen(
        inspect_command(given), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        assert server.wait_for(calls)
        process.kill()


def said(found: StreamRun) -> str:
    (path,) = found.predictions
    return path.read_text()


def resumed(moments: list[int], folder: Path) -> None:
    with serving(seconds=0.005) as (server, address):
        given = launch(folder / "killed", address)
        for moment in moments:
            kill_after(moment, given, server)
            kept, before = journalled(folder / "killed"), len(server.calls)
        found = run_stream(given)
        assert not kept & Counter(server.calls[before:])
        assert len(server.calls) <= CALLS + WIDTH * len(moments)
        assert set(server.calls) == set(journalled(folder / "killed"))
        assert 0 < found.calls["reused"] == kept.total()
    with serving() as (server, address):
        whole = run_stream(launch(folder / "whole", address))
        assert len(server.calls) == CALLS
    assert found.traces == whole.traces
    assert said(found) == said(whole)
    assert found.cached_share is not None
    assert found.cached_share > 0.4


def test_a_killed_run_resumes_as_if_it_had_not_been(tmp_path: Path) -> None:
    resumed([23], tmp_path)


@pytest.mark.slow
def test_five_kills_make_no_difference(tmp_path: Path) -> None:
    resumed([3, 11, 26, 38, 52], tmp_path)


def test_a_finished_run_is_not_asked_again(tmp_path: Path) -> None:
    options = {"context_limit": 100_000}
    first = finished(run(tmp_path, "supersede/random", STREAMS, **options))
    second = finished(run(tmp_path, "supersede/random", STREAMS, **options))
    assert (first.calls["reused"], second.calls["reused"]) == (0, CALLS)
    assert second.traces == first.traces
    assert said(second) == said(first)
    fresh = finished(run(tmp_path, "supersede/random", STREAMS, fresh=True, **options))
    assert fresh.calls["reused"] == 0


def test_only_what_changed_is_asked_again(tmp_path: Path) -> None:
    """A changed chunk changes the prompts from its interval on, and no others."""
    one, two = STREAMS
    finished(run(tmp_path, "supersede/unknown", STREAMS))
    pieces = (*two.chunks[:4], two.chunks[4] + " It snowed.", *two.chunks[5:])
    changed = Stream(two.id, pieces, two.questions, two.source)
    found = finished(run(tmp_path, "supersede/unknown", (one, changed)))
    assert found.calls["reused"] == CALLS - 2 * 5


def test_other_settings_are_another_run(tmp_path: Path) -> None:
    finished(run(tmp_path, "supersede/unknown", STREAMS))
    for options in ({"memory": "window"}, {"memory": "rag"}):
        assert finished(run(tmp_path, "supersede/unknown", STREAMS, **options)).calls["reused"] == 0
    assert finished(run(tmp_path, "supersede/frozen", STREAMS)).calls["reused"] == 0
