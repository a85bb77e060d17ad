"""What fits a window: the longest run of latest chunks, and no prompt is ever too long (O-105)."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given as drawn
from hypothesis import settings as examples
from hypothesis import strategies as st
from tests.memories.made import NAMES, begun, document, hashing

from supersede.corpus.tokens import Estimate
from supersede.errors import UsageError
from supersede.memories import Budget, Prompts, blanked
from supersede.memories.budget import TEMPLATE_TOKENS
from supersede.model.memory import Context
from supersede.model.stream import Stream

COUNT = Estimate().count
PROMPT = max(Prompts().tokens(one, Estimate()) for one in document().questions)


def contexts(name: str, given: Stream, budget: Budget, upto: int = 40) -> list[Context]:
    async def run() -> list[Context]:
        memory = await begun(name, given, hashing(budget=budget), upto=upto)
        return [await memory.context(one) for one in given.questions]

    return asyncio.run(run())


@examples(max_examples=30, deadline=None)
@drawn(
    texts=st.lists(st.text("ab .", min_size=1, max_size=60), min_size=1, max_size=12),
    room=st.integers(1, 120),
)
def test_base_keeps_the_longest_suffix_that_fits(texts: list[str], room: int) -> None:
    given = Stream("s", tuple(f"x{text}y" for text in texts), document().questions, "babi")
    budget = Budget(PROMPT + TEMPLATE_TOKENS + 100 + room, answer=100, margin=0.0)
    got = contexts("base", given, budget, upto=len(texts))[0]
    end = len(texts)
    first = end - len(got.chunks)
    assert got.chunks == tuple(range(first, end))
    assert got.truncated == first
    assert not got.text or COUNT(got.text) + 1 <= room
    if first:
        assert COUNT("\n\n".join(given.chunks[first - 1 :])) + 1 > room


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("limit", [500, 700, 900, 1300])
def test_no_prompt_and_answer_is_longer_than_the_window(name: str, limit: int) -> None:
    given = document()
    for question, got in zip(
        given.questions, contexts(name, given, Budget(limit, 64, margin=0.0)), strict=True
    ):
        prompt = Prompts().prompt(question, got)
        tokens = sum(COUNT(message.content) for message in prompt.messages())
        assert tokens + 64 + TEMPLATE_TOKENS <= limit


@pytest.mark.parametrize("name", NAMES)
def test_what_a_memory_counts_is_what_it_shows_or_a_little_more(name: str) -> None:
    for got in contexts(name, document(), Budget()):
        assert COUNT(got.text) <= got.notes["tokens"] <= COUNT(got.text) + 4


def test_rag_leaves_out_the_lowest_ranks() -> None:
    for got in contexts("rag", document(), Budget(600, 64, margin=0.0)):
        kept = len(got.chunks)
        assert 0 < kept == 30 - got.truncated
        assert set(got.chunks) == set(got.notes["ranking"][:kept])


def test_rag_window_gives_up_what_it_found_before_what_came_last() -> None:
    for got in contexts("rag+window", document(), Budget(800, 64, margin=0.0)):
        assert got.chunks[-15:] == tuple(range(25, 40))
        assert 15 < len(got.chunks) < 30
    for got in contexts("rag+window", document(), Budget(500, 64, margin=0.0)):
        assert got.chunks == tuple(range(40 - len(got.chunks), 40))
        assert 0 < len(got.chunks) < 15


def test_all_questions_of_an_interval_are_cut_alike() -> None:
    long = document(questions=1).questions[0]
    given = document()
    asked = (given.questions[0], long.__class__("long", "Where? " * 40, "tracking", ()))
    both = Stream(given.id, given.chunks, asked, "babi")
    got = contexts("base", both, Budget(600, 64))
    assert got[0] is got[1]
    assert got[0].truncated


def test_cuts_are_counted_at_each_interval() -> None:
    async def run() -> dict[str, float]:
        memory = await begun("base", document(), hashing(budget=Budget(600, 64)), upto=40)
        return dict(memory.counters())

    counted = asyncio.run(run())
    kept = len(contexts("base", document(), Budget(600, 64))[0].chunks)
    assert counted["chunks"] == 40
    assert counted["contexts_cut"] == 40 - kept
    assert counted["chunks_left_out"] == sum(range(1, 41 - kept))


def test_an_estimate_leaves_a_tenth_and_a_tokenizer_nothing() -> None:
    class Words:
        name = "words"

        def count(self, text: str) -> int:
            return len(text.split())

    assert Budget(1000, 100).room(200) == 900 - 100 - 200 - TEMPLATE_TOKENS
    assert Budget(1000, 100, Words()).room(200) == 1000 - 100 - 200 - TEMPLATE_TOKENS
    assert Budget(None, 100).room(200) is None


def test_a_window_too_short_for_the_prompt_alone_is_said_at_once() -> None:
    with pytest.raises(UsageError, match="200 tokens has no room"):
        asyncio.run(begun("base", document(), hashing(budget=Budget(200, 64))))


def test_memories_get_questions_without_answers() -> None:
    for one in blanked(document().questions):
        assert (one.answers, one.evidence, one.sources, one.catch_all) == ((), (), (), None)
