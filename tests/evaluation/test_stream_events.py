"""What of a document's calls the log records: all of a short one, some of a long one."""

from pathlib import Path

import pytest
from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalSample, read_eval_log
from tests.evaluation.stream_made import Call, call_of, serving
from tests.evaluation.test_stream_faults import BAD, CALLS, CHUNKS, FAULTS, at, run

from supersede.evaluation import stream_solver
from supersede.evaluation.stream_results import StreamRun


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOY_API_KEY", "none")


def sample_of(found: StreamRun) -> EvalSample:
    samples = read_eval_log(found.log, resolve_attachments=True).samples
    assert samples is not None
    assert len(samples) == 1
    return samples[0]


def recorded(found: StreamRun) -> list[tuple[Call, bool]]:
    """The calls with a record, each with whether it failed."""
    events = [event for event in sample_of(found).events if isinstance(event, ModelEvent)]
    assert not any(event.pending for event in events)
    prompts = ["\n".join(message.text for message in event.input) for event in events]
    return [
        (call_of(prompt), event.error is not None)
        for prompt, event in zip(prompts, events, strict=True)
    ]


def test_a_short_document_has_a_record_of_each_call(tmp_path: Path) -> None:
    with serving() as (server, address):
        found = run(tmp_path, address)
        assert sorted(recorded(found)) == sorted((call, False) for call in server.calls)


def test_a_long_document_has_those_of_first_calls_and_of_failures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream_solver, "ALL_RECORDED", CALLS - 1)
    with serving(at(BAD, FAULTS["garbage"])) as (server, address):
        found = run(tmp_path, address, max_retries=0)
        assert len(server.calls) == CALLS
    firsts = [(Call("one", interval, "q0"), False) for interval in range(CHUNKS)]
    assert sorted(recorded(found)) == sorted([*firsts, (BAD, True)])
    usage = sample_of(found).model_usage["openai-api/toy/m"]
    assert usage.output_tokens == 4 * (CALLS - 1)
    assert found.calls["answered"] == CALLS - 1
