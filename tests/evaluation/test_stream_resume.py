"""A run that is killed goes on where it was: nothing that is journalled is asked again."""

import hashlib
import os
import random
import secrets
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.evaluation.stream_made import MARK, Call, EchoServer, echo, marked, serving
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


def typed(given: StreamLaunch) -> list[str]:
    """The command line of a user."""
    command = [sys.executable, "-c", "from supersede.cli.main import main; main()"]
    command += ["eval", "stream", str(given.data), "--model", given.model]
    command += ["--context-limit", "100000", "--log-dir", str(given.log_dir)]
    return [*command, "--", *given.inspect_options]


def kill_after(
    calls: int, given: StreamLaunch, server: EchoServer, command: list[str], pause: float = 0.0
) -> None:
    """Runs until the server saw so many more calls, and kills the process without notice."""
    before = len(server.calls)
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        assert server.wait_for(before + calls)
        time.sleep(pause)
        process.kill()


def said(found: StreamRun) -> str:
    (path,) = found.predictions
    return path.read_text()


class Kill(NamedTuple):
    """How a run ends before its time."""

    share: float
    """Of the questions that are still open, those that it may ask."""
    command: Callable[[StreamLaunch], list[str]]
    """What is killed: Inspect itself, or the command of a user, whose child is Inspect."""
    pause: float = 0.0
    """Seconds from the last call to the kill, so that it hits any place of the code."""


def resumed(kills: Sequence[Kill], folder: Path) -> None:
    """Kills a run, resumes it, and compares it with one that was left alone."""
    with serving(seconds=0.005) as (server, address):
        given = launch(folder / "killed", address)
        for kill in kills:
            calls = 1 + int(kill.share * (CALLS - journalled(folder / "killed").total() - 1))
            kill_after(calls, given, server, kill.command(given), kill.pause)
            kept, before = journalled(folder / "killed"), len(server.calls)
        found = run_stream(given)
        assert not kept & Counter(server.calls[before:])
        assert len(server.calls) <= CALLS + WIDTH * len(kills)
        assert set(server.calls) == set(journalled(folder / "killed"))
        assert found.calls["reused"] >= kept.total()
    with serving() as (server, address):
        whole = run_stream(launch(folder / "whole", address))
        assert len(server.calls) == CALLS
    assert found.traces == whole.traces
    assert found.report == whole.report
    assert said(found) == said(whole)
    assert found.cached_share is not None
    assert found.cached_share > 0.4


def test_a_killed_run_resumes_as_if_it_had_not_been(tmp_path: Path) -> None:
    resumed([Kill(0.4, inspect_command)], tmp_path)


def test_a_run_does_not_go_on_when_its_command_is_killed(tmp_path: Path) -> None:
    with serving(seconds=0.1) as (server, address):
        kill_after(9, launch(tmp_path, address), server, typed(launch(tmp_path, address)))
        asked = len(server.calls)
        time.sleep(2)
        ended = len(server.calls)
        assert ended <= asked + 4 * WIDTH  # it is noticed within a quarter of a second
        time.sleep(1)
        assert len(server.calls) == ended < CALLS


def test_an_interrupt_says_what_is_kept_and_how_to_go_on(tmp_path: Path) -> None:
    with serving(seconds=0.05) as (server, address):
        given = launch(tmp_path, address)
        with subprocess.Popen(
            typed(given),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        ) as running:
            assert server.wait_for(9)
            for _ in range(2):  # as a terminal does, and an impatient person
                os.killpg(running.pid, signal.SIGINT)
                time.sleep(0.1)
            out, err = running.communicate(timeout=60)
        kept = journalled(tmp_path).total()
    assert (running.returncode, out) == (130, "")
    path = given.log_dir / JOURNAL_NAME
    said_of_it = f"{kept} answers are kept in {path}: the same command again goes on from there."
    assert said_of_it in err.splitlines(), err
    assert err.endswith("error: interrupted\n")
    assert "Traceback" not in err
    assert 0 < kept < CALLS


def noted(prompt: str) -> str:
    """What a model that notes what it has read makes of a prompt."""
    name, piece = MARK.findall(prompt)[-1]
    made = hashlib.sha256(prompt.encode()).hexdigest()
    return f"{made} <{name} piece {piece}>" if "Updated memory" in prompt else echo(prompt)


def test_a_killed_run_keeps_what_its_memory_was_told(tmp_path: Path) -> None:
    with serving(seconds=0.005, answer=noted) as (server, address):
        given = replace(launch(tmp_path / "killed", address), memory="memagent")
        kill_after(CALLS, given, server, inspect_command(given))
        found = run_stream(given)
        asked = Counter(server.prompts)
        assert found.stages["update"]["calls"] == CALLS
        assert found.stages["update"]["reused"] >= CALLS / 4
        assert len(asked) == 2 * CALLS
        assert asked.total() <= 2 * CALLS + WIDTH
    with serving(answer=noted) as (server, address):
        whole = run_stream(replace(launch(tmp_path / "whole", address), memory="memagent"))
        assert Counter(server.prompts) == Counter(asked.keys())
    assert said(found) == said(whole)
    assert found.traces == whole.traces


@pytest.mark.slow
def test_five_kills_at_random_make_no_difference(tmp_path: Path) -> None:
    seed = secrets.randbits(32)
    draw = random.Random(seed)
    kills = [
        Kill(draw.random() / 2, draw.choice((inspect_command, typed)), draw.random() / 50)
        for _ in range(5)
    ]
    try:
        resumed(kills, tmp_path)
    except BaseException as error:
        error.add_note(f"the kills were drawn with {seed=}")
        raise


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
