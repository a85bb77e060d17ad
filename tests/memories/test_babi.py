"""A reader that makes no mistake, over OAKS-BABI: what is wrong then is the memory's own doing.

The scripted model reads every move and answers from what it is shown; questions of tracking ask for
the last move of a person. So accuracy is the share of contexts from which that can be told.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest
from tests.memories.made import begun, hashing
from tests.memories.scripted import Scripted, place_in
from tests.memories.test_contract import ASKING, OURS, read_on

from supersede.corpus.tokens import Estimate
from supersede.memories import MemorySettings, plan_stream
from supersede.memories.budget import prompt_tokens
from supersede.memories.registry import memory_kind
from supersede.model.stream import Stream
from supersede.streams.babi.build import Recipe, babi_streams
from supersede.streams.background import open_library

CHUNKS = 45
"""More than the 30 that most memories show."""
_WHERE = re.compile(r"Where is ([A-Z]\w+)\?")


@cache
def streams() -> tuple[Stream, ...]:
    recipe = Recipe(documents=2, chunks=CHUNKS, chunk_tokens=120, questions=60)
    library = open_library("builtin", Estimate(), longest=recipe.longest, need=recipe.need)
    return tuple(map(_tracking, babi_streams(recipe, library, Estimate())))


def _tracking(given: Stream) -> Stream:
    """A document with its questions about where people are."""
    return replace(
        given, questions=tuple(one for one in given.questions if _WHERE.fullmatch(one.text))
    )


def answers(name: str, given: Stream) -> Iterator[bool]:
    """Whether each answer is right, with the embedder of hashed words."""
    model = Scripted()

    async def run() -> Iterator[bool]:
        memory = await begun(name, given, hashing(generate=model))
        seen = await read_on(memory, model, given)
        return (
            (place_in(context.text, _WHERE.findall(question.text)[0]),) == question.answers[now]
            for now, contexts in enumerate(seen.contexts)
            for question, context in zip(given.questions, contexts, strict=True)
        )

    return asyncio.run(run())


ACCURACY = {
    # All that was told, or a state that each move overwrites: nothing can be missed.
    **dict.fromkeys(("base", "memagent", "memagent-tracking", "memagent-shared"), 1.0),
    **dict.fromkeys(("state-store", "state-store-history"), 1.0),
    # Of the notes that name somebody, links lead to all others, up to 30 chunks' worth.
    **dict.fromkeys(("amem", "amem-30", "amem-paragraph"), 1.0),
    # Only who has not moved for 30 chunks is out of sight.
    "window": 0.975,
    # Thirty of at most 45 chunks: sometimes the last move is among the fifteen left out.
    **dict.fromkeys(("rag", "rag-latest"), 0.98),
    "rag+window": 0.997,
    "hipporag-30": 0.98,
    # A graph has no time: where somebody moved more often than five times, any five are shown.
    "hipporag": 0.74,
    # What is right without a word of the text is what nothing was told of yet.
    "none": 0.057,
}


@pytest.mark.parametrize("name", OURS)
def test_a_perfect_reader_is_as_right_as_its_memory_lets_it(name: str) -> None:
    told = [right for given in streams() for right in answers(name, given)]
    assert len(told) == CHUNKS * sum(len(given.questions) for given in streams()) >= 300
    share = sum(told) / len(told)
    assert share == pytest.approx(ACCURACY[name], abs=0 if ACCURACY[name] == 1 else 0.015)


@pytest.mark.parametrize("name", ASKING)
def test_a_plan_over_a_novel_holds(name: str) -> None:
    """Calls as in the contract, on prose: prompts of fixed calls by 15 %, others by call."""
    given, settings = streams()[0], MemorySettings()
    plan = asyncio.run(plan_stream(given, memory_kind(name).make, settings))
    model, counter = Scripted(), settings.budget.counter

    async def run() -> None:
        memory = await begun(name, given, replace(settings, generate=model))
        await read_on(memory, model, given)

    asyncio.run(run())
    counted, sent = model.counted(), dict.fromkeys(model.counted(), 0)
    for call in model.calls:
        sent[call.stage] += prompt_tokens(call.messages, counter)
    assert set(plan.stages) == set(counted)
    for stage, planned in plan.stages.items():
        if stage == "filter":  # how often other facts are most like a question hangs on the facts
            assert counted[stage] <= planned.calls <= 2 * counted[stage]
        else:
            assert planned.calls == counted[stage]
    fixed = [stage for stage in counted if stage != "filter"]
    planned_tokens = sum(plan.stages[stage].input_tokens for stage in fixed)
    assert planned_tokens == pytest.approx(sum(sent[stage] for stage in fixed), rel=0.15)
    if "filter" in counted:
        by_call = plan.stages["filter"].input_tokens / plan.stages["filter"].calls
        assert by_call == pytest.approx(sent["filter"] / counted["filter"], rel=0.15)
