"""Dry runs that go by the journal of an earlier run; and room for models that think."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import ChatMessage
from tests.cli.test_main import run as typed
from tests.evaluation.conftest import Scripted, Write
from tests.evaluation.stream_made import echo, marked
from tests.evaluation.test_stream_ladder import finished, run
from tests.evaluation.test_stream_memory_model import Mind, memory_events, stage_of
from tests.evaluation.test_stream_prompts import text_of

from supersede.errors import DataError, UsageError
from supersede.evaluation.stream_data import StreamOptions
from supersede.evaluation.stream_launch import StreamLaunch, plan_stream_run, run_stream
from supersede.evaluation.stream_memory import thinking_tokens
from supersede.memories import Budget
from supersede.memories.lengths import call_room

CHUNKS, QUESTIONS = 6, 3
STREAM = (marked("one", CHUNKS, QUESTIONS),)
MODEL = "scripted/model"
OPTIONS: dict[str, Any] = {"memory": "memagent", "context_limit": 100_000}
SetWrite = Callable[[Write], None]


def launch(folder: Path, **options: Any) -> StreamLaunch:
    """The dry run of what `run` ran there."""
    launched = StreamLaunch(folder / "streams.jsonl", MODEL, log_dir=folder / "logs")
    return replace(launched, **{**OPTIONS, **options})


def wordy(messages: list[ChatMessage]) -> str:
    """Notes that are the same at each chunk, and longer than a plan assumes."""
    text = text_of(messages)
    return "Nothing was seen. " * 200 if stage_of(messages) else echo(text)


@pytest.fixture(scope="module")
def finished_pilot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run over the first two of six chunks."""
    folder = tmp_path_factory.mktemp("pilot")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Scripted, "write", staticmethod(wordy), raising=False)
        finished(run(folder, MODEL, STREAM, chunks=2, **OPTIONS))
    return folder


@pytest.fixture
def pilot(finished_pilot: Path, tmp_path: Path) -> Path:
    """A copy of that folder."""
    return shutil.copytree(finished_pilot, tmp_path / "pilot")


def test_a_dry_run_goes_by_the_run_of_a_part_at_the_same_place(pilot: Path) -> None:
    found = plan_stream_run(launch(pilot))
    assert found.pilot is not None
    assert found.pilot == (str(pilot / "logs" / "stream-journal.db"), 2 * QUESTIONS, 2)
    # the scripted server counts each prompt and each reply as one token
    assert found.plan.memory.calls == CHUNKS * QUESTIONS
    assert found.plan.memory.likely_tokens == CHUNKS * QUESTIONS
    assert found.plan.memory.output_tokens == CHUNKS * QUESTIONS * 1024
    plain = plan_stream_run(launch(pilot, log_dir=pilot / "elsewhere"))
    assert plain.pilot is None
    assert not (pilot / "elsewhere").exists()
    assert plain.plan.memory.likely_tokens == plain.plan.memory.output_tokens


@pytest.mark.parametrize(
    "options",
    [{"memory": "memagent-tracking"}, {"thinking_tokens": 9}, {"memory": "base"}],
)
def test_a_run_of_another_memory_is_none_to_go_by(pilot: Path, options: dict[str, Any]) -> None:
    assert plan_stream_run(launch(pilot, **options)).pilot is None
    there = launch(pilot, **options, log_dir=pilot / "elsewhere", pilot=pilot / "logs")
    with pytest.raises(UsageError, match="has no reply of scripted/model to the memory"):
        plan_stream_run(there)


def test_another_model_is_none_to_go_by(pilot: Path) -> None:
    role = ("--model-role", "memory=scripted/other")
    assert plan_stream_run(launch(pilot, inspect_options=role)).pilot is None


@pytest.mark.parametrize("place", ["logs", "logs/stream-journal.db"])
def test_an_earlier_run_can_be_named(place: str, pilot: Path) -> None:
    there = launch(pilot, log_dir=pilot / "elsewhere", pilot=pilot / place)
    assert plan_stream_run(there).plan == plan_stream_run(launch(pilot)).plan


def test_what_is_no_earlier_run_is_told(pilot: Path) -> None:
    with pytest.raises(UsageError, match="there is no journal of an earlier run"):
        plan_stream_run(launch(pilot, pilot=pilot / "nowhere"))
    with pytest.raises(DataError, match=r"no journal of replies.*Name the journal of an"):
        plan_stream_run(launch(pilot, pilot=pilot / "streams.jsonl"))
    with pytest.raises(UsageError, match=r"is for dry runs.*Add --dry-run"):
        run_stream(launch(pilot, pilot=pilot / "logs"))


def test_of_several_settings_of_a_model_the_latest_count(scripted: SetWrite, pilot: Path) -> None:
    scripted(Mind())
    finished(run(pilot, MODEL, STREAM, chunks=3, temperature=0.25, **OPTIONS))
    found = plan_stream_run(launch(pilot)).pilot
    assert found is not None
    assert (found.replies, found.chunks) == (3 * QUESTIONS, 3)


def test_a_run_over_other_data_tells_lengths_and_says_what_it_cannot(
    pilot: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (pilot / "other").mkdir()
    there = pilot / "other" / "streams.jsonl"
    there.write_text((pilot / "streams.jsonl").read_text().replace("piece", "part"))
    command = ("eval", "stream", str(there), "--model", MODEL, "--memory", "memagent",
               "--context-limit", "100000", "--log-dir", str(pilot / "logs"))  # fmt: skip
    code, out, _ = typed(capsys, *command, "--dry-run")
    assert code == 0
    assert "6 replies of " in out
    assert "whose prompts were others, so that their growth is not known" in out


def test_the_terminal_and_json_say_by_what_a_plan_goes(
    pilot: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ("eval", "stream", str(pilot / "streams.jsonl"), "--model", MODEL, "--memory",
               "memagent", "--context-limit", "100000", "--dry-run", "--prices", "1,2",
               "--log-dir", str(pilot / "logs"))  # fmt: skip
    code, out, _ = typed(capsys, *command)
    assert code == 0
    assert "reply tokens, about" in out
    assert "dollars, 60 tokens an answer" in out
    journal = pilot / "logs" / "stream-journal.db"
    assert out.splitlines()[-1] == (
        f"lengths of replies, and how they grow, as measured on 6 replies of {journal}, given over "
        "the first 2 chunks"
    )
    code, out, _ = typed(capsys, *command, "--json")
    assert json.loads(out)["pilot"] == {"journal": str(journal), "replies": 6, "chunks": 2}
    code, out, _ = typed(capsys, *command[:-1], str(pilot / "elsewhere"))
    assert "reply tokens, about" not in out
    assert "dollars, at most, 60 tokens an answer" in out


# Models that think before they answer.


def test_thinking_has_room_beside_what_a_stage_allows(scripted: SetWrite, tmp_path: Path) -> None:
    scripted(Mind())
    log = run(tmp_path, MODEL, STREAM, thinking_tokens=3_000, **OPTIONS)
    assert {event.config.max_tokens for event in memory_events(log)} == {4_024}
    assert finished(log).memory == "memagent (3,000 tokens of thinking)"
    found = plan_stream_run(launch(tmp_path, thinking_tokens=3_000))
    assert found.pilot is not None
    assert found.pilot.replies == found.plan.memory.calls == CHUNKS * QUESTIONS
    assert found.plan.memory.output_tokens == CHUNKS * QUESTIONS * 4_024


def test_a_memory_that_asks_nobody_has_no_thinking_in_its_name(tmp_path: Path) -> None:
    log = run(tmp_path, "supersede/oracle", STREAM, memory="rag", thinking_tokens=3_000)
    assert finished(log).memory == "rag (bm25)"


@pytest.mark.parametrize(
    ("model", "limit", "given", "tokens"),
    [
        ("toy/m", 100_000, None, 0),
        ("toy/m", 100_000, 500, 500),
        ("vllm/Qwen3-30B-A3B-Thinking-2507", 262_144, None, 4_096),
        ("vllm/Qwen3-30B-A3B-Thinking-2507", 262_144, 0, 0),
        ("vllm/Qwen3-30B-A3B-Thinking-2507", 8_000, None, 2_000),
        ("google/gemini-2.5-pro", 1_000_000, None, 8_192),
    ],
)
def test_models_that_are_known_to_think_have_room_for_it(
    model: str, limit: int, given: int | None, tokens: int
) -> None:
    options = StreamOptions(data=Path("x"), thinking_tokens=given)
    assert thinking_tokens(options, model, limit) == tokens


def test_thinking_takes_its_part_of_the_window() -> None:
    plain, thinks = (Budget(10_000, 64, margin=0.0, thinking=n) for n in (0, 3_000))
    reply, room = call_room(plain, 500, 1_000)
    assert room is not None
    assert call_room(thinks, 500, 1_000) == (reply, room - 3_000)
    with pytest.raises(UsageError, match="no room"):
        call_room(replace(thinks, thinking=9_900), 500, 1_000)
