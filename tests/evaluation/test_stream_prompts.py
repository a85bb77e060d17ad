"""What a model sees: nothing of the future, and the shared part first."""

from collections.abc import Callable
from pathlib import Path

import pytest
from inspect_ai.model import ChatMessage, ContentText
from tests.evaluation.conftest import Write
from tests.evaluation.stream_made import MARK, Call, call_of, echo, marked
from tests.evaluation.test_stream_ladder import finished, run

Scripted = Callable[[Write], None]

CHUNKS, QUESTIONS = 6, 4
STREAMS = (marked("one", CHUNKS, QUESTIONS), marked("two", CHUNKS, QUESTIONS))


def text_of(messages: list[ChatMessage]) -> str:
    return "\n".join(message.text for message in messages)


@pytest.fixture
def prompts(scripted: Scripted) -> list[list[ChatMessage]]:
    """All prompts of a run, in order."""
    seen: list[list[ChatMessage]] = []

    def write(messages: list[ChatMessage]) -> str:
        seen.append(list(messages))
        return echo(text_of(messages))

    scripted(write)
    return seen


@pytest.mark.parametrize("memory", ["base", "window", "rag", "rag+window"])
@pytest.mark.parametrize("lean", [True, False])
def test_each_question_is_asked_once_an_interval_and_sees_no_later_chunk(
    memory: str, lean: bool, prompts: list[list[ChatMessage]], tmp_path: Path
) -> None:
    options = {"memory": memory, "lean": lean, "context_limit": 100_000}
    finished(run(tmp_path, "scripted/model", STREAMS, **options))
    calls = [call_of(text_of(messages)) for messages in prompts]
    assert len(set(calls)) == len(calls) == 2 * CHUNKS * QUESTIONS
    revealed = [(s.id, t) for s in STREAMS for t in range(CHUNKS) for _ in range(QUESTIONS)]
    for (stream, interval), messages in zip(revealed, prompts, strict=True):
        pieces = MARK.findall(text_of(messages))
        assert {name for name, _ in pieces} == {stream}
        assert max(int(n) for _, n in pieces) == interval


def test_prompts_of_an_interval_share_their_beginning_to_the_byte(
    prompts: list[list[ChatMessage]], tmp_path: Path
) -> None:
    options = {"memory": "base", "context_limit": 100_000}
    finished(run(tmp_path, "scripted/model", STREAMS[:1], **options))
    shared: dict[int, set[str]] = {}
    for system, asked, said, user in prompts:
        assert isinstance(user.content, list)
        context, question = user.content
        assert [one.role for one in (system, asked, said)] == ["system", "user", "assistant"]
        assert isinstance(context, ContentText)
        assert isinstance(question, ContentText)
        text = text_of([system, asked, said]) + context.text
        shared.setdefault(call_of(text_of([system, user])).interval, set()).add(text)
        assert not MARK.search(question.text)
    assert [len(texts) for texts in shared.values()] == [1] * CHUNKS
    (before,) = shared[0]
    for interval in range(1, CHUNKS):
        (now,) = shared[interval]
        assert now.startswith(before)
        before = now


def test_a_window_too_short_drops_the_oldest_and_counts_it(
    prompts: list[list[ChatMessage]], tmp_path: Path
) -> None:
    options = {"memory": "base", "context_limit": 4096 + 1200}
    found = finished(run(tmp_path, "scripted/model", STREAMS[:1], **options))
    last = [int(n) for _, n in MARK.findall(text_of(prompts[-1]))]
    assert last == list(range(last[0], CHUNKS))
    assert last[0] > 0
    assert found.calls["truncated"] > 0
    assert 0 < found.evidence["shown"] <= found.evidence["needed"]


def test_rankings_are_counted_by_where_the_evidence_is(
    prompts: list[list[ChatMessage]], tmp_path: Path
) -> None:
    options = {"memory": "rag", "context_limit": 100_000}
    found = finished(run(tmp_path, "scripted/model", STREAMS[:1], **options))
    assert found.memory == "rag (bm25)"
    assert sum(found.evidence["ranks"].values()) == found.evidence["needed"]
    assert found.evidence["shown"] == found.evidence["needed"]  # 6 chunks, and 30 are shown


def test_a_model_of_unknown_window_is_a_mistake_of_one_line(
    prompts: list[list[ChatMessage]], tmp_path: Path
) -> None:
    from inspect_ai._util.error import PrerequisiteError

    with pytest.raises(PrerequisiteError, match="--context-limit"):
        run(tmp_path, "scripted/model", STREAMS)
    assert prompts == []


def test_a_call_is_read_from_its_marks() -> None:
    text = "<one piece 0> <one piece 1> Where is thing3?"
    assert call_of(text) == Call("one", 1, "q3")


@pytest.mark.parametrize(
    ("memory", "title", "sizes"),
    [
        ("base", "base", [1, 2, 3, 4, 5, 6]),
        ("window", "window (3 chunks)", [1, 2, 3, 3, 3, 3]),
        ("rag", "rag (bm25, 3 chunks)", [1, 2, 3, 3, 3, 3]),
        ("rag+window", "rag+window (bm25, 3 chunks)", [1, 2, 3, 3, 3, 3]),
    ],
)
def test_a_memory_shows_no_more_chunks_than_it_is_told(
    memory: str,
    title: str,
    sizes: list[int],
    prompts: list[list[ChatMessage]],
    tmp_path: Path,
) -> None:
    options = {"memory": memory, "shown": 3, "context_limit": 100_000}
    found = finished(run(tmp_path, "scripted/model", STREAMS[:1], **options))
    assert found.memory == title
    shown = [len(MARK.findall(text_of(messages))) for messages in prompts]
    assert shown == [size for size in sizes for _ in range(QUESTIONS)]
    if memory != "rag":  # whose ranking may leave the latest chunk out
        assert all(f"piece {CHUNKS - 1}>" in text_of(one) for one in prompts[-QUESTIONS:])
