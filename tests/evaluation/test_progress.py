import io
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from inspect_ai.model import ModelAPI, modelapi
from tests.evaluation.conftest import Evaluate, Scripted

from supersede.evaluation import progress
from supersede.evaluation.effort import Effort, Speed
from supersede.evaluation.fit import REPLY_TOKENS
from supersede.evaluation.progress import Meter
from supersede.model.instance import Message

EFFORT = Effort(prompt_tokens=1000, reply_tokens=100, read=50, written=10)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Steady(Scripted):
    """A model that counts its tokens and knows its speed."""

    write = staticmethod(lambda _: "Answer: x")

    def window(self) -> int:
        return 1000

    def prompt_tokens(self, messages: Sequence[Message]) -> int:
        return 100

    def speed(self, messages: Sequence[Message]) -> Speed:
        return Speed(50, 32)


@modelapi(name="steady")
def steady_provider() -> type[ModelAPI]:
    return Steady


class Clock:
    """Time that stands still until a test moves it."""

    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def wait_for(stream: io.StringIO, text: str) -> None:
    end = time.monotonic() + 10
    while text not in stream.getvalue():
        assert time.monotonic() < end, stream.getvalue()
        time.sleep(0.01)


def test_what_replies_take_at_most_by_hand() -> None:
    assert EFFORT.seconds(3) == 3 * (20 + 10)
    assert EFFORT.text(3) == (
        "3 replies of at most 100 tokens to 3,000 tokens of prompts; it now reads 50 and writes 10 "
        "tokens a second: at most about 90 s"
    )


def test_a_slow_model_does_not_read_as_one_that_writes_nothing() -> None:
    slow = Effort(prompt_tokens=10, reply_tokens=10, read=123.4, written=0.23)
    assert "reads 123 and writes 0.2 tokens" in slow.text(1)


def test_the_clock_of_a_terminal_ticks_while_no_reply_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert progress.TICK_SECONDS <= 1
    monkeypatch.setattr(progress, "TICK_SECONDS", 0.01)
    stream, clock = Terminal(), Clock()
    meter = Meter(stream, clock)
    meter.start()
    meter.add("supersede/smollm2", 1, EFFORT)
    assert "supersede/smollm2: 1 reply of at most 100 tokens" in stream.getvalue()
    clock.seconds = 7
    wait_for(stream, "0/1 replies, 7 s of at most about 30 s")
    clock.seconds = 8
    wait_for(stream, "0/1 replies, 8 s")
    meter.stop()
    assert stream.getvalue().endswith("\r\x1b[K")


def test_a_file_gets_a_whole_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    assert progress.LINE_SECONDS == 30
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.01)
    stream, clock = io.StringIO(), Clock()
    meter = Meter(stream, clock)
    meter.start()
    meter.add("openai/m", 4)
    clock.seconds = 30
    wait_for(stream, "openai/m: 0/4 replies, 30 s\n")
    meter.count()
    wait_for(stream, "openai/m: 1/4 replies, 30 s, about 90 s left\n")
    meter.stop()
    assert "\r" not in stream.getvalue()
    written = stream.getvalue()
    time.sleep(0.05)
    assert stream.getvalue() == written


def test_a_quick_run_writes_nothing_into_a_file() -> None:
    stream = io.StringIO()
    meter = Meter(stream)
    meter.start()
    meter.add("supersede/oracle", 2)
    meter.count()
    meter.count()
    meter.stop()
    assert stream.getvalue() == ""


def test_a_run_says_beforehand_what_it_takes(
    corpus: Path, evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUPERSEDE_PROGRESS", "1")
    monkeypatch.setattr("sys.__stderr__", stream := io.StringIO())
    log = evaluate(corpus, model="steady/model", epochs=2)
    first, second = stream.getvalue().splitlines()
    assert first == "steady/model: it starts; tokens are counted and its speed is measured"
    assert second.startswith(
        f"steady/model: 24 replies of at most {REPLY_TOKENS} tokens to 2,400 tokens of prompts;"
    )
    assert second.endswith("at most about 240 s")
    assert Effort.model_validate((log.eval.metadata or {})[Effort.KEY]).read == 50


def test_a_reply_of_the_local_model_is_short_unless_told_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from inspect_ai.model import GenerateConfig

    from supersede.evaluation import provider

    monkeypatch.setattr(provider, "find_weights", lambda name: None)
    api = provider.LocalAPI("smollm2")
    assert api.max_tokens_for_config(GenerateConfig()) is None
    assert api.max_tokens() == REPLY_TOKENS == 256
