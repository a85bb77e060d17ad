"""Servers that misbehave: the run goes on or stops with one line, and no answer is lost."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from tests.evaluation.stream_made import (
    Call,
    Fault,
    Misbehave,
    completion,
    echo,
    marked,
    serving,
)
from tests.evaluation.test_stream_resume import journalled

import supersede.evaluation.registry  # noqa: F401 - what Inspect would find by entry point
from supersede.errors import ModelError
from supersede.evaluation.stream_launch import StreamLaunch, run_stream
from supersede.evaluation.stream_results import StreamRun, read_stream_run
from supersede.model.stream import Reply
from supersede.streams import write_streams

CHUNKS, QUESTIONS = 4, 5
CALLS = CHUNKS * QUESTIONS
STREAM = marked("one", CHUNKS, QUESTIONS)
BAD = Call("one", 2, "q3")


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOY_API_KEY", "none")


def launch(folder: Path, address: str, *theirs: str, **options: Any) -> StreamLaunch:
    source = folder / "streams.jsonl"
    write_streams(source, [STREAM])
    return StreamLaunch(
        source,
        "openai-api/toy/m",
        context_limit=100_000,
        log_dir=folder / "logs",
        inspect_options=("--model-base-url", address, "--display", "none", *theirs),
        **options,
    )


def run(folder: Path, address: str, max_error_rate: float = 0.01, **config: Any) -> StreamRun:
    """The same in this process, which is quicker."""
    source = folder / "streams.jsonl"
    write_streams(source, [STREAM])
    (log,) = inspect_eval(
        "supersede/stream",
        model="openai-api/toy/m",
        model_base_url=address,
        task_args={
            "data": str(source),
            "context_limit": 100_000,
            "max_error_rate": max_error_rate,
        },
        log_dir=str(folder / "logs"),
        display="none",
        log_level="error",
        log_realtime=False,
        max_connections=4,
        **config,
    )
    return read_stream_run(log)


def at(place: Call, fault: Fault) -> Misbehave:
    """One call always goes wrong."""
    return lambda call, before: fault if call == place else None


WHOLE = completion(echo("x"))

FAULTS = {
    "rate limit": Fault(429, b'{"error": {"message": "slow down"}}'),
    "server error": Fault(500, b'{"error": {"message": "oh no"}}'),
    "garbage": Fault(body=b"<html>It works!</html>"),
    "no JSON object": Fault(body=b"[1, 2]"),
    "no choices": Fault(body=json.dumps({"id": "1", "choices": []}).encode()),
    "nothing": Fault(body=b""),
    "hang": Fault(body=completion("late"), sleep=30.0),
    "breaks off": Fault(body=WHOLE[:40], length=len(WHOLE)),
    "filter": Fault(403, b'{"error": {"message": "not this one"}}'),
}

WORDS = {
    "rate limit": "RateLimitError: Error code: 429 - slow down",
    "server error": "InternalServerError: Error code: 500 - oh no",
    "garbage": "the reply cannot be read: JSONDecodeError",
    "no JSON object": "Unexpected non-ChatCompletion response: [1, 2]",
    "no choices": "the reply cannot be read: ",
    "nothing": "the reply cannot be read: JSONDecodeError",
    "hang": "no reply within 10 s",
    "breaks off": "the connection to http://127.0.0.1",
    "filter": "PermissionDeniedError: Error code: 403 - not this one",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_a_call_that_fails_is_one_error_and_the_run_goes_on(name: str, tmp_path: Path) -> None:
    config = {"max_retries": 0, "attempt_timeout": 10}
    with serving(at(BAD, FAULTS[name])) as (server, address):
        found = run(tmp_path, address, **config)
        assert WORDS[name] in assert_one_error(found, tmp_path)
        server.misbehave = lambda call, before: None
        asked = len(server.calls)
        again = run(tmp_path, address, **config)
        assert server.calls[asked:] == [BAD]
    assert again.error_rate == 0
    assert len(again.traces) == QUESTIONS


def assert_one_error(found: Any, folder: Path) -> str:
    """Returns its words."""
    assert found.calls["errors"] == 1
    assert found.error_rate == 1 / CALLS
    assert found.failed
    assert found.left_out == 1
    assert [trace.question for trace in found.traces] == ["q0", "q1", "q2", "q4"]
    assert journalled(folder).total() == CALLS - 1
    (path,) = found.predictions
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    (bad,) = [row for row in rows if "error" in row]
    assert (bad["question"], bad["interval"]) == (BAD.question, BAD.interval)
    assert "Traceback" not in bad["error"]
    assert found.failures == {bad["error"]: 1}
    return str(bad["error"])


def test_faults_of_every_kind_in_one_run(tmp_path: Path) -> None:
    """What is no answer is one of the five outcomes, each under its own name."""
    faults = {
        Call("one", 0, "q1"): FAULTS["rate limit"],
        Call("one", 0, "q2"): FAULTS["server error"],
        Call("one", 1, "q1"): FAULTS["garbage"],
        Call("one", 1, "q2"): FAULTS["nothing"],
        Call("one", 2, "q0"): Fault(body=completion("")),
        Call("one", 2, "q3"): Fault(body=completion("The thing was first", finish="length")),
        Call("one", 3, "q3"): Fault(body=completion("I cannot answer that.")),
        Call("one", 3, "q4"): FAULTS["hang"],
    }
    config = {"max_retries": 0, "attempt_timeout": 10}
    with serving(lambda call, before: faults.get(call)) as (_, address):
        found = run(tmp_path, address, max_error_rate=0.3, **config)
    assert found.calls["errors"] == 5
    assert (found.error_rate, found.failed) == (5 / CALLS, False)
    assert (found.calls["unparsable"], found.calls["refused"]) == (2, 1)
    assert found.calls["cut"] == 1
    assert found.calls["answered"] == CALLS - 8
    assert found.left_out == 3
    assert [trace.question for trace in found.traces] == ["q0", "q3"]
    assert found.report.replies[Reply.UNPARSABLE] == 2


def test_halves_of_surrogate_pairs_in_replies_end_no_run(tmp_path: Path) -> None:
    half = Fault(body=completion("The thing was \ud83d"))
    with serving(lambda call, before: half) as (_, address):
        found = run(tmp_path, address)
    assert found.error_rate == 0
    assert journalled(tmp_path).total() == CALLS
    (path,) = found.predictions
    assert "The thing was ?" in path.read_text(encoding="utf-8")


def test_a_fault_that_passes_is_tried_again(tmp_path: Path) -> None:
    def once(call: Call, before: int) -> Fault | None:
        return FAULTS["rate limit"] if call == BAD and before == 0 else None

    with serving(once) as (server, address):
        found = run(tmp_path, address)
    assert server.calls.count(BAD) == 2
    assert found.error_rate == 0
    assert len(found.traces) == QUESTIONS


def test_a_reply_that_breaks_off_is_tried_again(tmp_path: Path) -> None:
    def once(call: Call, before: int) -> Fault | None:
        whole = completion(echo("x"))
        broken = Fault(body=whole[:40], length=len(whole))
        return broken if call == BAD and before == 0 else None

    with serving(once) as (server, address):
        found = run(tmp_path, address)
    assert server.calls.count(BAD) == 2
    assert found.error_rate == 0


def test_a_server_that_dies_stops_the_run_with_one_line(tmp_path: Path) -> None:
    with serving(at(BAD, Fault(dies=True))) as (server, address):
        theirs = ("--max-retries", "0", "--max-connections", "1")
        with pytest.raises(ModelError, match="cannot be asked: no connection to") as caught:
            run_stream(launch(tmp_path, address, *theirs))
        kept = journalled(tmp_path)
        assert kept.total() == 2 * QUESTIONS + 3
        assert f"{kept.total()} answers are kept in {tmp_path}" in str(caught.value)
        assert "\n" not in str(caught.value)
        assert len(server.calls) == kept.total() + 1


def test_a_server_that_only_fails_is_left_soon(tmp_path: Path) -> None:
    with serving(lambda call, before: FAULTS["garbage"]) as (server, address):
        found = run(tmp_path, address, max_retries=0)
        assert len(set(server.calls)) < CALLS
    assert found.status == "error"
    assert found.error.startswith("10 calls in a row failed, the last with")


def test_a_wrong_key_stops_the_run_at_once(tmp_path: Path) -> None:
    with serving(lambda call, before: Fault(401, b'{"error": {"message": "no"}}')) as (server, url):
        found = run(tmp_path, url, max_retries=0)
        assert len(server.calls) == 1
    assert found.error.startswith("openai-api/toy/m cannot be asked: AuthenticationError")


def test_a_prompt_that_is_refused_among_answers_is_one_error(tmp_path: Path) -> None:
    with serving(at(BAD, FAULTS["filter"])) as (_, address):
        found = run(tmp_path, address, max_retries=0)
    assert assert_one_error(found, tmp_path) == WORDS["filter"]


def test_the_command_fails_above_the_error_rate_and_prints_all_the_same(tmp_path: Path) -> None:
    with serving(at(BAD, FAULTS["garbage"])) as (_, address):
        given = launch(tmp_path, address, "--max-retries", "0")
        command = [sys.executable, "-c", "from supersede.cli.main import main; main()"]
        command += ["eval", "stream", str(given.data), "--model", given.model]
        command += ["--context-limit", "100000", "--log-dir", str(given.log_dir), "--json"]
        done = subprocess.run(
            [*command, "--", *given.inspect_options], capture_output=True, text=True, check=False
        )
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["failed"] is True
    assert json.loads(done.stdout)["error_rate"] == 1 / CALLS
    assert done.stderr.count("\n") == 1, done.stderr
    assert "1 of 20 calls failed, 5.00% and more than 1.00%" in done.stderr
