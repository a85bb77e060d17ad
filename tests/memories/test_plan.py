"""What a run will take, against what the prompts then are."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from tests.memories.made import NAMES, begun, document, hashing, told

from supersede.corpus.tokens import Estimate
from supersede.memories import (
    Budget,
    MemorySettings,
    Plan,
    Prices,
    Prompts,
    plan_stream,
    plan_streams,
)
from supersede.memories.registry import memory_kind
from supersede.model.stream import Stream


def planned(name: str, given: Stream, settings: MemorySettings) -> Plan:
    return asyncio.run(plan_stream(given, memory_kind(name).make, settings))


@pytest.mark.parametrize("name", NAMES)
def test_calls_are_questions_times_chunks_and_tokens_those_of_the_prompts(name: str) -> None:
    given, tokens = document(20), 0

    async def run() -> None:
        nonlocal tokens
        memory = await begun(name, given, hashing())

        def add(_n: int, _q: object, text: str) -> None:
            nonlocal tokens
            tokens += Estimate().count(text)

        await told(memory, given, add)

    asyncio.run(run())
    plan = planned(name, given, hashing())
    assert plan.calls == 20 * 5
    before = 100 * (rules_tokens(given) + 32)
    assert tokens + before <= plan.input_tokens <= tokens + before + 100 * 5
    assert plan.cut == ()


def rules_tokens(given: Stream) -> int:
    """Tokens before the context."""
    return MemorySettings().prompts.shared_tokens(given.questions[0], Estimate())


def test_of_base_only_what_is_new_must_be_computed() -> None:
    base, rag = (planned(name, document(40), hashing(top_k=6)) for name in ("base", "rag"))
    questions = sum(
        Estimate().count(Prompts().question(one)) + 32 for one in document(40).questions
    )
    around = 40 * questions + rules_tokens(document(40))
    breaks = 40 * 41 // 2  # between chunks, counted anew at each interval
    text = Estimate().count("\n\n".join(document(40).chunks))
    assert base.fresh_tokens <= around + text + breaks
    assert base.cached_share > rag.cached_share
    assert 0 < base.cached_share < 1


def test_a_window_that_has_moved_on_is_computed_whole() -> None:
    given, settings = document(4, questions=2), hashing(window=2)
    count = Estimate().count
    questions = sum(4 * (count(Prompts().question(one)) + 32) for one in given.questions)
    around = questions + rules_tokens(given)
    size = [count(text) for text in given.chunks]
    # interval 0 shows 0; 1 adds a chunk (and a break); 2 and 3 begin with another chunk
    computed = (size[0] + 1) + (size[1] + 2) + sum(size[1:3]) + 2 + sum(size[2:4]) + 2
    assert planned("window", given, settings).fresh_tokens == around + computed


def test_rules_are_computed_again_only_where_they_change() -> None:
    one, two = document(4, questions=2).questions
    three, four = (
        replace(asked, id=f"c{asked.id}", options=("The hall", "The attic")) for asked in (one, two)
    )
    grouped, mixed = (
        planned("base", replace(document(4), questions=rows), hashing()).fresh_tokens
        for rows in ((one, two, three, four), (one, three, two, four))
    )
    assert mixed > grouped + 2 * 3 * rules_tokens(document(4))


def test_every_cut_call_is_listed() -> None:
    given = document()
    plan = planned("base", given, hashing(budget=Budget(600, 64)))
    first = min(call.interval for call in plan.cut)
    assert {call.interval for call in plan.cut} == set(range(first, 40))
    assert len(plan.cut) == (40 - first) * 5
    last = [call.left_out for call in plan.cut if call.question == "q0"]
    assert last == list(range(1, 41 - first))
    assert plan.longest + 64 <= 600 * 0.9


def test_plans_of_documents_add_up() -> None:
    given, settings = document(5), hashing()
    one = planned("window", given, settings)
    both = asyncio.run(
        plan_streams([given, document(5, name="b")], memory_kind("window").make, settings)
    )
    assert (both.calls, both.input_tokens) == (2 * one.calls, 2 * one.input_tokens)
    assert both.longest == one.longest


def test_cost_and_time_follow_from_tokens() -> None:
    plan = Plan(calls=10, input_tokens=1_000_000, fresh_tokens=200_000, longest=1, cut=())
    assert plan.cost(Prices(2.0, 10.0), answer_tokens=1000) == pytest.approx(2.0 + 0.1)
    assert plan.cost(Prices(2.0, 10.0, 0.5), answer_tokens=1000) == pytest.approx(0.8 + 0.1)
    assert plan.seconds(prefill=1000, decode=100, answer_tokens=50) == pytest.approx(200 + 5)
    assert plan.cached_share == pytest.approx(0.8)
