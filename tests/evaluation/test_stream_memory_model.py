"""A memory that asks a model: through Inspect, once for each call, journalled and counted."""

from __future__ import annotations

import asyncio
import itertools
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessage, ModelOutput
from tests.evaluation.conftest import Scripted, Write
from tests.evaluation.stream_made import MARK, echo, marked
from tests.evaluation.test_stream_ladder import finished, run
from tests.evaluation.test_stream_prompts import text_of

from supersede.corpus.tokens import Estimate
from supersede.evaluation import stream_solver
from supersede.evaluation.stream_results import StreamRun, read_stream_run
from supersede.memories.budget import prompt_tokens
from supersede.model.instance import Message

CHUNKS, QUESTIONS = 4, 3
CALLS = CHUNKS * QUESTIONS
STREAM = (marked("one", CHUNKS, QUESTIONS),)
OPTIONS = {"memory": "memagent", "context_limit": 100_000}
SetWrite = Callable[[Write], None]


def stage_of(messages: list[ChatMessage]) -> str | None:
    """What a memory's call is for; None for an answer."""
    return (messages[-1].metadata or {}).get("stage")


class Mind:
    """Writes a new memory at each call, unlike any other, and answers from the prompt."""

    def __init__(self, dies_at: int | None = None) -> None:
        self.updates: list[str] = []
        self.answers: list[str] = []
        self._dies_at = dies_at

    def __call__(self, messages: list[ChatMessage]) -> str:
        text = text_of(messages)
        if stage_of(messages) is None:
            self.answers.append(text)
            return echo(text)
        if len(self.updates) == self._dies_at:
            raise ConnectionError("the server is gone")
        self.updates.append(text)
        return f"note {len(self.updates)} of {id(self)}, {MARK.findall(text)[-1]}"


def events(log: EvalLog) -> list[ModelEvent]:
    assert log.samples is not None
    return [event for event in log.samples[0].events if isinstance(event, ModelEvent)]


def memory_events(log: EvalLog) -> list[ModelEvent]:
    return [event for event in events(log) if stage_of(event.input) is not None]


def test_calls_of_a_memory_are_counted_by_stage_wherever_a_run_is_told(
    scripted: SetWrite, tmp_path: Path
) -> None:
    mind = Mind()
    scripted(mind)
    log = run(tmp_path, "scripted/model", STREAM, **OPTIONS)
    found = finished(log)
    assert len(mind.updates) == len(mind.answers) == CALLS
    counts = dict(found.stages["update"])
    assert counts.pop("seconds") > 0
    told = {"calls": CALLS, "reused": 0, "input_tokens": CALLS, "cached_tokens": 0,
            "output_tokens": CALLS, "cut": 0, "malformed": 0, "fallbacks": 0}  # fmt: skip
    assert counts == told
    assert found.counters["update_calls"] == CALLS
    assert found.memory_model == "scripted/model"
    assert found.question_aware_writes is True
    assert found.wall_seconds is not None
    assert found.call_seconds > found.stages["update"]["seconds"] > 0
    assert log.results is not None
    metrics = {n: m.value for s in log.results.scores for n, m in s.metrics.items()}
    assert metrics["memory calls"] == CALLS


@pytest.mark.parametrize("memory", ["memagent", "state-store", "amem", "hipporag"])
def test_halves_of_surrogate_pairs_are_question_marks_in_what_a_memory_is_told(
    memory: str, scripted: SetWrite, tmp_path: Path
) -> None:
    prompts: list[str] = []

    def write(messages: list[ChatMessage]) -> str:
        prompts.append(text_of(messages))
        return echo(prompts[-1]) if stage_of(messages) is None else "{Ada \ud83d"

    scripted(write)
    found = finished(run(tmp_path, "scripted/model", STREAM, memory=memory, context_limit=100_000))
    assert found.error_rate == 0
    assert not any("\ud83d" in prompt for prompt in prompts)


def test_each_call_has_its_record_with_its_stage_and_its_own_most_tokens(
    scripted: SetWrite, tmp_path: Path
) -> None:
    scripted(Mind())
    log = run(tmp_path, "scripted/model", STREAM, **OPTIONS)
    assert len(events(log)) == 2 * CALLS
    updates = memory_events(log)
    assert len(updates) == CALLS
    assert {event.config.max_tokens for event in updates} == {1024}
    assert {event.config.seed for event in updates} == {None}
    assert [event.input[-1].metadata for event in updates] == [{"stage": "update"}] * CALLS


def test_a_long_document_has_records_of_first_calls_only(
    scripted: SetWrite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream_solver, "ALL_RECORDED", CALLS - 1)
    scripted(Mind())
    log = run(tmp_path, "scripted/model", STREAM, **OPTIONS)
    assert len(memory_events(log)) == CHUNKS
    assert len(events(log)) == 2 * CHUNKS
    assert finished(log).stages["update"]["calls"] == CALLS


def test_tokens_are_counted_where_the_server_does_not_tell(
    scripted: SetWrite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def generate(self: Scripted, input: list[ChatMessage], *_: Any, **__: Any) -> ModelOutput:
        return ModelOutput.from_content("model", type(self).write(input))

    monkeypatch.setattr(Scripted, "generate", generate)
    mind = Mind()
    scripted(mind)
    found = finished(run(tmp_path, "scripted/model", STREAM, **OPTIONS))
    wanted = sum(prompt_tokens([Message("user", text)], Estimate()) for text in mind.updates)
    assert found.stages["update"]["input_tokens"] == wanted
    assert found.stages["update"]["output_tokens"] > CALLS


def notes(text: str) -> set[str]:
    return set(re.findall(r"note \d+ of \d+", text))


@pytest.mark.parametrize("dies_at", [0, 1, 5, CALLS - 1])
def test_a_run_that_broke_off_goes_on_with_the_memory_that_it_had(
    dies_at: int, scripted: SetWrite, tmp_path: Path
) -> None:
    first, second = Mind(dies_at), Mind()
    scripted(first)
    broken = read_stream_run(run(tmp_path, "scripted/model", STREAM, max_retries=0, **OPTIONS))
    assert broken.status == "error"
    assert "a call of the memory failed (update)" in broken.error or "no connection" in broken.error
    assert broken.traces == ()
    scripted(second)
    found = finished(run(tmp_path, "scripted/model", STREAM, **OPTIONS))
    assert len(first.updates) == dies_at
    assert not set(first.updates) & set(second.updates)
    assert len(first.updates) + len(second.updates) == CALLS
    assert found.stages["update"]["reused"] == dies_at
    assert found.stages["update"]["calls"] == CALLS
    written = [f"note {n + 1} of {id(mind)}" for mind in (first, second)
               for n in range(len(mind.updates))]  # fmt: skip
    shown = Counter(itertools.chain.from_iterable(map(notes, first.answers + second.answers)))
    assert shown == Counter(written)  # each memory was answered from, once


def test_another_model_of_the_memory_is_another_run(scripted: SetWrite, tmp_path: Path) -> None:
    scripted(Mind())
    finished(run(tmp_path, "scripted/model", STREAM, **OPTIONS))
    other = Mind()
    scripted(other)
    roles = {"memory": "scripted/other"}
    log = run(tmp_path, "scripted/model", STREAM, model_roles=roles, **OPTIONS)
    found = finished(log)
    assert (len(other.updates), len(other.answers)) == (CALLS, CALLS)
    assert found.memory_model == "scripted/other"
    assert {(event.model, event.role) for event in memory_events(log)} == {
        ("scripted/other", "memory")
    }


def test_settings_of_the_run_hold_for_its_memory_too(scripted: SetWrite, tmp_path: Path) -> None:
    scripted(Mind())
    log = run(tmp_path, "scripted/model", STREAM, temperature=0.25, seed=7, **OPTIONS)
    configs = [event.config for event in memory_events(log)]
    assert {(config.temperature, config.seed) for config in configs} == {(0.25, 7)}


def test_fresh_asks_memories_again_too(scripted: SetWrite, tmp_path: Path) -> None:
    scripted(Mind())
    finished(run(tmp_path, "scripted/model", STREAM, **OPTIONS))
    again = Mind()
    scripted(again)
    found = finished(run(tmp_path, "scripted/model", STREAM, fresh=True, **OPTIONS))
    assert len(again.updates) == CALLS
    assert found.stages["update"]["reused"] == 0


def test_a_finished_run_with_a_memory_asks_nothing(scripted: SetWrite, tmp_path: Path) -> None:
    scripted(Mind())
    first = finished(run(tmp_path, "scripted/model", STREAM, **OPTIONS))
    again = Mind()
    scripted(again)
    second = finished(run(tmp_path, "scripted/model", STREAM, **OPTIONS))
    assert (again.updates, again.answers) == ([], [])
    assert second.traces == first.traces
    assert second.stages["update"]["reused"] == CALLS


def test_what_only_knows_the_answers_is_no_model_for_a_memory(tmp_path: Path) -> None:
    found = read_stream_run(run(tmp_path, "supersede/oracle", STREAM, memory="memagent"))
    assert found.status == "error"
    assert "memory 'memagent' asks a model while it reads" in found.error
    assert "--model-role memory=MODEL" in found.error


def test_answers_may_be_known_where_the_memory_has_a_model(
    scripted: SetWrite, tmp_path: Path
) -> None:
    scripted(Mind())
    roles = {"memory": "scripted/model"}
    log = run(tmp_path, "supersede/oracle", STREAM, memory="memagent", model_roles=roles)
    found: StreamRun = finished(log)
    assert found.report.measures["accuracy"].estimate.value == 1
    assert found.stages["update"]["calls"] == CALLS


def test_what_is_asked_again_is_drawn_anew(scripted: SetWrite, tmp_path: Path) -> None:
    scripted(lambda messages: "Gladly." if stage_of(messages) else echo(text_of(messages)))
    options = {**OPTIONS, "memory": "state-store"}
    log = run(tmp_path, "scripted/model", STREAM, seed=7, **options)
    seeds = [event.config.seed for event in memory_events(log)]
    assert seeds == [7, 8] * CHUNKS
    found = finished(log)
    counts = found.stages["state"]
    assert (counts["calls"], counts["malformed"], counts["fallbacks"]) == (8, 8, 4)
    again = finished(run(tmp_path, "scripted/model", STREAM, seed=7, **options))
    assert again.stages["state"]["reused"] == 8


def test_calls_of_memory_and_answers_wait_for_a_connection(
    scripted: SetWrite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    under_way, most = 0, 0
    real = Scripted.generate

    async def generate(self: Scripted, *given: Any, **options: Any) -> ModelOutput:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.005)
        under_way -= 1
        return await real(self, *given, **options)

    monkeypatch.setattr(Scripted, "generate", generate)
    scripted(Mind())
    stream = (marked("one", 3, 8),)
    finished(run(tmp_path, "scripted/model", stream, max_connections=3, **OPTIONS))
    assert most == 3


def test_only_answers_give_the_probabilities_of_their_words(
    scripted: SetWrite, tmp_path: Path
) -> None:
    scripted(Mind())
    log = run(tmp_path, "scripted/model", STREAM, logprobs=True, **OPTIONS)
    asked = {event.config.logprobs for event in memory_events(log)}
    answered = {event.config.logprobs for event in events(log) if stage_of(event.input) is None}
    assert (asked, answered) == ({False}, {True})
    again = Mind()
    scripted(again)
    finished(run(tmp_path, "scripted/model", STREAM, logprobs=True, **OPTIONS))
    assert (again.updates, again.answers) == ([], [])


def test_nobody_is_told_of_probabilities_that_nobody_asked_for(
    scripted: SetWrite, tmp_path: Path
) -> None:
    scripted(Mind())
    log = run(tmp_path, "scripted/model", STREAM, **OPTIONS)
    assert {event.config.logprobs for event in events(log)} == {None}
