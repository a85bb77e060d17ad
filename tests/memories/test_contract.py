"""What every memory must keep that is registered, whether it asks a model or not.

The list is the registry's: a new memory is in at once, and lacks only its row of calls.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import pytest
from tests.memories.made import PEOPLE, begun, document, hashing, marker
from tests.memories.scripted import (
    MENDED,
    RULES,
    SPOILED,
    Call,
    Scripted,
    Spoil,
    prose,
    wrong_types,
)

from supersede.errors import DataError, ModelError, UsageError
from supersede.memories import (
    Budget,
    MemorySettings,
    Prompts,
    blanked,
    make_memory,
    memories,
    plan_stream,
)
from supersede.memories.budget import prompt_tokens
from supersede.memories.model_memory import ModelMemory
from supersede.memories.registry import memory_kind
from supersede.model.memory import Chunk, Context, Memory
from supersede.model.protocols import Completion
from supersede.model.stream import Stream, StreamQuestion

OURS = tuple(kind.name for kind in memories() if kind.package is None)
ASKING = tuple(
    name
    for name in OURS
    if isinstance(made := memory_kind(name).make, type) and issubclass(made, ModelMemory)
)
"""Memories that ask a model."""
CHUNKS, QUESTIONS = 12, 5
KINDS = {
    "bm25": MemorySettings(),
    "small": hashing(window=4, top_k=4, retrieved=2, recent=2, shown=4),
    "short window": hashing(budget=Budget(limit=2_400, answer=64)),
}
EVERY = [pytest.param(name, kind, id=f"{name}-{kind}") for name in OURS for kind in KINDS]
each = pytest.mark.parametrize("name", OURS)
each_asking = pytest.mark.parametrize("name", ASKING)


def long_document(chunks: int, questions: int) -> Stream:
    """The document with prose around its moves."""
    given = document(chunks, questions)
    prose = "Nobody could say why it rained on the old roof. " * 12
    return replace(given, chunks=tuple(f"{text} {prose}" for text in given.chunks))


class Seen(NamedTuple):
    """All that came of reading a document."""

    memory: Memory
    contexts: list[list[Context]]
    """By interval."""
    calls: list[list[Call]]
    """Of the model, by interval."""

    @property
    def counters(self) -> dict[str, float]:
        return dict(self.memory.counters())


async def read_on(
    memory: Memory, model: Scripted, given: Stream, first: int = 0, *, together: bool = True
) -> Seen:
    """Reads a document on from a chunk, asking all questions after each."""
    seen = Seen(memory, [], [])
    for index in range(first, len(given.chunks)):
        before = len(model.calls)
        await memory.observe(Chunk(given.id, index, given.chunks[index]))
        if together:
            found = list(await asyncio.gather(*(memory.context(one) for one in given.questions)))
        else:
            found = [await memory.context(one) for one in given.questions]
        seen.contexts.append(found)
        seen.calls.append(model.calls[before:])
    return seen


def read(
    name: str,
    kind: str = "bm25",
    *,
    model: Scripted | None = None,
    given: Stream | None = None,
    together: bool = True,
) -> Seen:
    """All that comes of reading a document from the start."""
    model, given = model or Scripted(), given or document(CHUNKS, QUESTIONS)

    async def run() -> Seen:
        memory = await begun(name, given, replace(KINDS[kind], generate=model))
        return await read_on(memory, model, given, together=together)

    return asyncio.run(run())


@pytest.mark.parametrize(("name", "kind"), EVERY)
def test_no_prompt_has_a_word_of_a_chunk_that_has_not_come(name: str, kind: str) -> None:
    seen = read(name, kind)
    given = document(CHUNKS, QUESTIONS)
    for now, (contexts, calls) in enumerate(zip(seen.contexts, seen.calls, strict=True)):
        prompts = [Prompts().prompt(one, context) for one, context in
                   zip(given.questions, contexts, strict=True)]  # fmt: skip
        texts = [message.content for prompt in prompts for message in prompt.messages()]
        texts += [call.text for call in calls]
        later = [marker(n) for n in range(now + 1, CHUNKS)]
        assert not [word for text in texts for word in later if word in text]
    asked = [call.text for calls in seen.calls for call in calls if call.stage != "query"]
    assert bool(asked) == (name in ASKING)
    if name in ASKING:  # that they see what has come is no accident
        assert all(any(marker(n) in text for text in asked) for n in range(CHUNKS))


@pytest.mark.parametrize(("name", "kind"), EVERY)
def test_reading_twice_gives_the_same(name: str, kind: str) -> None:
    one, two = read(name, kind), read(name, kind)
    assert one.contexts == two.contexts
    assert one.calls == two.calls
    assert one.memory.snapshot() == two.memory.snapshot()


@each
def test_asking_in_turn_gives_what_asking_at_once_gives(name: str) -> None:
    one, two = read(name, together=True), read(name, together=False)
    assert one.contexts == two.contexts
    assert one.memory.snapshot() == two.memory.snapshot()
    assert one.counters == two.counters
    for at_once, in_turn in zip(one.calls, two.calls, strict=True):
        assert Counter(map(repr, at_once)) == Counter(map(repr, in_turn))


@each
def test_asking_again_changes_nothing_and_asks_no_model(name: str) -> None:
    async def run() -> None:
        model, given = Scripted(), document(CHUNKS, QUESTIONS)
        memory = await begun(name, given, MemorySettings(generate=model), upto=CHUNKS)
        first = [await memory.context(one) for one in given.questions]
        before = memory.snapshot(), dict(memory.counters()), len(model.calls)
        assert [await memory.context(one) for one in given.questions] == first
        assert (memory.snapshot(), dict(memory.counters()), len(model.calls)) == before

    asyncio.run(run())


@pytest.mark.parametrize(("name", "kind"), EVERY)
def test_a_snapshot_in_mid_stream_goes_on_as_if_nothing_had_happened(name: str, kind: str) -> None:
    async def run() -> None:
        model, given = Scripted(), document(CHUNKS, QUESTIONS)
        settings = replace(KINDS[kind], generate=model)
        memory = await begun(name, given, settings)
        half = replace(given, chunks=given.chunks[: CHUNKS // 2])
        await read_on(memory, model, half)
        state = json.loads(json.dumps(memory.snapshot()))
        fresh = Scripted()
        other = make_memory(name, replace(settings, generate=fresh))
        other.restore(state)
        assert other.snapshot() == memory.snapshot()
        assert [await other.context(one) for one in given.questions] == [
            await memory.context(one) for one in given.questions
        ]
        assert fresh.calls == []
        one = await read_on(memory, model, given, CHUNKS // 2)
        two = await read_on(other, fresh, given, CHUNKS // 2)
        assert one.contexts == two.contexts
        assert one.calls == two.calls
        assert one.counters == two.counters
        assert memory.snapshot() == other.snapshot()

    asyncio.run(run())


@each
def test_a_snapshot_of_another_memory_is_refused(name: str) -> None:
    other = next(one for one in OURS if one != name)
    state = read(name).memory.snapshot()
    with pytest.raises(DataError, match=re.escape(f"memory '{name}'")):
        make_memory(other, MemorySettings()).restore(state)


@each
def test_a_second_document_knows_nothing_of_the_first(name: str) -> None:
    async def run() -> None:
        model, given = Scripted(), document(CHUNKS, QUESTIONS)
        memory = await begun(name, given, MemorySettings(generate=model), upto=CHUNKS)
        for question in given.questions:
            await memory.context(question)
        second, calls = document(CHUNKS, QUESTIONS, name="second"), len(model.calls)
        await memory.start("second", second.questions)
        assert (await memory.context(second.questions[0])).text == ""
        await memory.observe(Chunk("second", 0, second.chunks[3]))
        texts = [(await memory.context(one)).text for one in second.questions]
        texts += [call.text for call in model.calls[calls:]]
        assert not [n for n in range(CHUNKS) if n != 3 for text in texts if marker(n) in text]

    asyncio.run(run())


@each
def test_chunks_come_in_order_and_from_one_document(name: str) -> None:
    async def run(chunk: Chunk) -> None:
        memory = await begun(name, document(), MemorySettings(generate=Scripted()), upto=2)
        await memory.observe(chunk)

    for chunk in (Chunk("doc", 1, "x"), Chunk("doc", 3, "x"), Chunk("other", 2, "x")):
        with pytest.raises(ValueError, match="is due"):
            asyncio.run(run(chunk))


@each
def test_what_is_written_depends_on_the_questions_only_where_the_memory_says_so(name: str) -> None:
    """Calls of stages that are asked while reading, with two sets of questions."""
    given = document(CHUNKS, QUESTIONS)
    others = tuple(
        StreamQuestion(f"o{n}", f"What of {marker(n)}?", one.type, one.answers, one.evidence)
        for n, one in enumerate(given.questions)
    )
    written = [
        Counter(
            call.text
            for calls in read(name, given=replace(given, questions=questions)).calls
            for call in calls
            if call.stage not in ("query", "filter")  # they choose what is shown
        )
        for questions in (given.questions, others)
    ]
    made: Any = memory_kind(name).make
    assert (written[0] != written[1]) is made.question_aware_writes


@each
def test_no_memory_is_told_an_answer(name: str) -> None:
    given = replace(document(2, 2), chunks=("Rain fell on the roof.", "It went on."))
    seen = read(name, given=given)
    text = json.dumps(seen.memory.snapshot()) + "".join(
        call.text for calls in seen.calls for call in calls
    )
    assert not [place for place in ("cellar", "attic", "garden") if place in text]


@each
def test_a_question_that_was_not_announced_has_a_context_too(name: str) -> None:
    async def run() -> None:
        model, given = Scripted(), document(CHUNKS, QUESTIONS)
        memory = await begun(name, given, MemorySettings(generate=model), upto=CHUNKS)
        late = StreamQuestion("late", f"Where has {PEOPLE[0]} gone?", "t", ())
        first = await memory.context(late)
        calls = len(model.calls)
        assert await memory.context(late) == first
        assert len(model.calls) == calls
        assert name == "none" or PEOPLE[0] in first.text

    asyncio.run(run())


@pytest.mark.parametrize("name", OURS)
def test_contexts_and_calls_fit_a_short_window(name: str) -> None:
    """Chunks of some 120 tokens beside a window of 2,400, rules and replies included."""
    limit, answer = 2_400, 64
    given = long_document(40, 3)
    seen = read(name, "short window", given=given)
    count = MemorySettings().budget.counter.count
    for contexts in seen.contexts:
        for question, context in zip(given.questions, contexts, strict=True):
            prompt = Prompts().prompt(question, context)
            assert prompt_tokens(prompt.messages(), MemorySettings().budget.counter) <= limit
            assert context.notes.get("tokens", 0) >= count(context.text) * 0.95
    for call in (one for calls in seen.calls for one in calls):
        read_tokens = prompt_tokens(call.messages, MemorySettings().budget.counter)
        assert call.max_tokens is not None
        assert read_tokens + call.max_tokens <= limit, call.stage
    assert answer < limit


# Calls: the cost table of the reference, as exact numbers and as bounds.

C, Q = CHUNKS, QUESTIONS
CALLS: dict[str, tuple[dict[str, int], dict[str, int]]] = {
    # memory -> calls by stage that are exact, and those that are at most so many
    **{name: ({}, {}) for name in ("base", "none", "window", "rag", "rag+window", "rag-latest")},
    **{name: ({"state": C}, {}) for name in ("state-store", "state-store-history")},
    **{name: ({"update": C * Q}, {}) for name in ("memagent", "memagent-tracking")},
    "memagent-shared": ({"update": C}, {}),
    **{name: ({"names": C, "triples": C}, {"filter": C * Q})
       for name in ("hipporag", "hipporag-30")},
    # a chunk of the document here is one paragraph
    **{name: ({"analyse": C, "evolve": C - 1, "query": Q}, {})
       for name in ("amem", "amem-30", "amem-paragraph")},
}  # fmt: skip


def test_every_memory_has_its_row() -> None:
    assert set(CALLS) == set(OURS)


@each
def test_calls_are_those_of_the_cost_table(name: str) -> None:
    exact, most = CALLS[name]
    seen = read(name)
    counted = Counter(call.stage for calls in seen.calls for call in calls)
    assert {stage: counted[stage] for stage in exact} == exact
    assert set(counted) <= {*exact, *most}
    assert all(0 < counted[stage] <= number for stage, number in most.items())
    told = {stage: seen.counters[f"{stage}_calls"] for stage in counted}
    assert told == dict(counted)


# Plans.


@each
def test_a_plan_says_what_a_run_asks(name: str) -> None:
    """Calls of stages that replies do not decide are exact; of others at most twice those made."""
    given, settings = long_document(CHUNKS, QUESTIONS), MemorySettings()
    plan = asyncio.run(plan_stream(given, memory_kind(name).make, settings))
    seen = read(name, given=given)
    made = [call for calls in seen.calls for call in calls]
    exact, most = CALLS[name]
    assert {stage: plan.stages[stage].calls for stage in exact} == exact
    for stage in most:
        assert seen.counters[f"{stage}_calls"] <= plan.stages[stage].calls
        assert plan.stages[stage].calls <= 2 * seen.counters[f"{stage}_calls"]
    sent = sum(prompt_tokens(call.messages, settings.budget.counter) for call in made)
    assert plan.memory.input_tokens == pytest.approx(sent, rel=0.15)
    assert plan.memory.output_tokens >= sum(
        settings.budget.counter.count(RULES[call.stage](call.messages[-1].content)) for call in made
    )
    rules = [Prompts().prompt(one, context) for contexts in seen.contexts for one, context in
             zip(given.questions, contexts, strict=True)]  # fmt: skip
    answered = sum(prompt_tokens(one.messages(), settings.budget.counter) for one in rules)
    assert plan.calls == CHUNKS * QUESTIONS
    assert plan.input_tokens + plan.memory.input_tokens == pytest.approx(answered + sent, rel=0.15)
    if all(context.chunks for contexts in seen.contexts for context in contexts):
        assert plan.input_tokens == pytest.approx(answered, rel=0.15)  # else a model wrote them
    assert plan.memory.calls == sum(stage.calls for stage in plan.stages.values())


# Replies that are not as they should be.


def stage_counts(name: str, counters: dict[str, float]) -> dict[str, float]:
    """What went wrong with the replies of a memory, by stage."""
    made: Any = memory_kind(name).make
    usual = ("calls", "input_tokens", "output_tokens")
    return {
        key: number
        for key, number in counters.items()
        if number
        for stage in made.stages
        if key.startswith(f"{stage.name}_") and key.removeprefix(f"{stage.name}_") not in usual
    }


def free_text(name: str) -> bool:
    """Whether replies of a memory have no form that they could miss."""
    made: Any = memory_kind(name).make
    return {stage.name for stage in made.stages} == {"update"}


@pytest.mark.parametrize("mend", MENDED)
@each_asking
def test_what_can_be_mended_is(name: str, mend: Callable[[str], str]) -> None:
    good, mended = read(name), read(name, model=Scripted(mend))
    assert mended.contexts == good.contexts
    assert stage_counts(name, mended.counters) == stage_counts(name, good.counters)


@pytest.mark.parametrize("spoil", SPOILED)
@each_asking
def test_what_cannot_be_mended_crashes_nothing_and_is_counted(name: str, spoil: Spoil) -> None:
    seen = read(name, "short window", model=Scripted(spoil))
    assert [len(contexts) for contexts in seen.contexts] == [QUESTIONS] * CHUNKS
    if spoil in (wrong_types, prose) and free_text(name):
        return  # whatever is said is its memory
    told, good = stage_counts(name, seen.counters), stage_counts(name, read(name).counters)
    worse = {key for key, number in told.items() if number > good.get(key, 0)}
    stages = {call.stage for calls in seen.calls for call in calls}
    for stage in stages:
        assert any(key.startswith(f"{stage}_") for key in worse), (stage, told)


@pytest.mark.parametrize("spoil", SPOILED)
@each_asking
def test_a_memory_of_nonsense_can_be_resumed(name: str, spoil: Spoil) -> None:
    seen = read(name, model=Scripted(spoil))
    other = make_memory(name, MemorySettings(generate=Scripted(spoil)))
    other.restore(json.loads(json.dumps(seen.memory.snapshot())))
    asked = document(CHUNKS, QUESTIONS).questions

    async def run() -> list[Context]:
        return [await other.context(one) for one in asked]

    assert asyncio.run(run()) == seen.contexts[-1]


@each_asking
def test_a_first_reply_in_prose_is_made_good_by_the_second(name: str) -> None:
    if free_text(name):
        pytest.skip("whatever is said is its memory")
    good = read(name)
    model = Scripted(lambda _: "Gladly.", attempts=1)
    second = read(name, model=model)
    assert second.contexts == good.contexts
    counted = Counter(call.stage for calls in good.calls for call in calls)
    for stage, number in counted.items():
        assert second.counters[f"{stage}_malformed"] == number
        assert second.counters[f"{stage}_calls"] == 2 * number
        assert f"{stage}_fallbacks" not in second.counters
    assert {call.attempt for call in model.calls} == {0, 1}


class Broken(Scripted):
    """Fails at a call."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self._at = at

    async def __call__(self, *given: Any, **options: Any) -> Completion:
        if len(self.calls) >= self._at:
            raise ModelError("the server is gone")
        return await super().__call__(*given, **options)


@pytest.mark.parametrize("at", [0, 1, 7])
@each_asking
def test_a_call_that_fails_fails_the_run(name: str, at: int) -> None:
    with pytest.raises(ModelError, match="the server is gone"):
        read(name, model=Broken(at))


@each_asking
def test_without_a_model_the_first_chunk_or_question_says_so(name: str) -> None:
    async def run() -> None:
        given = document(2, 1)
        memory = make_memory(name, MemorySettings())
        await memory.start(given.id, blanked(given.questions))
        await memory.observe(Chunk(given.id, 0, given.chunks[0]))
        await memory.context(given.questions[0])

    with pytest.raises(UsageError, match="asks a model, and there is none"):
        asyncio.run(run())
