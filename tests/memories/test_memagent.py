"""MemAgent: one call for each chunk and question, bounded, isolated, not wiped by empty replies."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from typing import Any, cast

import pytest
from tests.memories.made import PEOPLE, PLACES, choice, document, marker

from supersede.corpus.tokens import Estimate
from supersede.errors import ModelError, UsageError
from supersede.memories import Budget, MemorySettings, Prompts, blanked, make_memory, plan_stream
from supersede.memories.budget import TEMPLATE_TOKENS
from supersede.memories.memagent import MEMORY_TOKENS, SHARED_TOKENS, MemAgent, MemAgentShared
from supersede.memories.memagent_prompts import NO_MEMORY, memory_of
from supersede.memories.registry import memory_kind
from supersede.model.instance import Message
from supersede.model.memory import Chunk, Context, Memory
from supersede.model.protocols import Completion
from supersede.model.stream import Stream, StreamQuestion

COUNT = Estimate().count
EACH = pytest.mark.parametrize("name", ["memagent", "memagent-tracking", "memagent-shared"])
OWN = pytest.mark.parametrize("name", ["memagent", "memagent-tracking"])
_BLOCK = r"<{0}[^>]*>\n(.*)\n</{0}>"
_MOVE = re.compile(r"(\w+) went to the (\w+)\.")


def block(prompt: str, name: str) -> str:
    found = re.search(_BLOCK.format(name), prompt, re.DOTALL)
    assert found
    return found[1]


def written(prompt: str) -> str:
    """What a reader of one idea writes: where those are whom the problem names."""
    places = dict(re.findall(r"^(\w+): (\w+)$", block(prompt, "memory"), re.M))
    problem = block(prompt, "problem")
    for person, place in _MOVE.findall(block(prompt, "section")):
        if person in problem:
            places[person] = place
    return "\n".join(f"{person}: {place}" for person, place in sorted(places.items()))


class Scripted:
    """A model that answers by a rule and remembers what it was asked."""

    def __init__(self, rule: Callable[[str], str | Completion] = written) -> None:
        self.rule = rule
        self.prompts: list[str] = []
        self.most: list[int | None] = []

    async def __call__(
        self,
        messages: Sequence[Message],
        *,
        stage: str = "",
        max_tokens: int | None = None,
        attempt: int = 0,
    ) -> Completion:
        assert stage == "update"
        assert attempt == 0
        (message,) = messages
        assert message.role == "user"
        self.prompts.append(message.content)
        self.most.append(max_tokens)
        await asyncio.sleep(0)  # whoever waits gets a turn
        reply = self.rule(message.content)
        return reply if isinstance(reply, Completion) else Completion(reply, False, 7, 3)


async def read(
    name: str, model: Scripted, given: Stream, upto: int, **settings: Any
) -> tuple[Memory, Stream]:
    memory = make_memory(name, MemorySettings(generate=model, **settings))
    await memory.start(given.id, blanked(given.questions))
    for index in range(upto):
        await memory.observe(Chunk(given.id, index, given.chunks[index]))
    return memory, given


async def told(memory: Memory, given: Stream, first: int = 0) -> list[Context]:
    """All contexts from a chunk on."""
    found = []
    for index in range(first, len(given.chunks)):
        await memory.observe(Chunk(given.id, index, given.chunks[index]))
        found += list(await asyncio.gather(*(memory.context(one) for one in given.questions)))
    return found


def place_of(question: StreamQuestion, context: Context) -> str:
    """The answer that a memory gives away."""
    person = re.search(r"Where is (\w+)", question.text)
    assert person
    found = re.search(rf"^{person[1]}: (\w+)$", context.text, re.M)
    return found[1] if found else "Unknown"


@EACH
def test_every_answer_of_a_scripted_reader_is_right(name: str) -> None:
    """It keeps the last place of each person asked about, so nothing can be wrong."""
    given = document(40)

    async def run() -> None:
        memory, _ = await read(name, Scripted(), given, 0)
        contexts = await told(memory, given)
        asked = [(n, one) for n in range(40) for one in given.questions]
        for (interval, question), context in zip(asked, contexts, strict=True):
            assert (place_of(question, context),) == question.answers[interval]

    asyncio.run(run())


@OWN
def test_asking_everything_at_every_chunk_takes_one_call_for_each(name: str) -> None:
    model = Scripted()
    memory, given = asyncio.run(read(name, model, document(12), 0))
    asyncio.run(told(memory, given))
    assert len(model.prompts) == 12 * 5
    assert memory.counters()["update_calls"] == 60
    assert memory.counters()["update_input_tokens"] == 420
    assert memory.counters()["update_output_tokens"] == 180


def test_the_shared_memory_takes_one_call_for_each_chunk() -> None:
    model = Scripted()
    memory, given = asyncio.run(read("memagent-shared", model, document(12), 0))
    contexts = asyncio.run(told(memory, given))
    assert len(model.prompts) == 12
    assert all(one.shared for one in contexts)
    assert len({one.text for one in contexts[-5:]}) == 1


@EACH
def test_asking_twice_and_at_once_folds_once(name: str) -> None:
    async def run() -> None:
        model = Scripted()
        memory, given = await read(name, model, document(), 9)
        together = await asyncio.gather(*(memory.context(one) for one in given.questions * 3))
        calls, state = len(model.prompts), memory.snapshot()
        assert calls == (9 if name == "memagent-shared" else 9 * 5)
        assert together == [await memory.context(one) for one in given.questions * 3]
        assert len(model.prompts) == calls
        assert memory.snapshot() == state

    asyncio.run(run())


@OWN
def test_folding_late_gives_what_folding_at_once_gives(name: str) -> None:
    async def run() -> None:
        eager, given = await read(name, Scripted(), document(23), 0)
        await told(eager, given)
        late, _ = await read(name, Scripted(), document(23), 23)
        for question in given.questions:
            assert await late.context(question) == await eager.context(question)
        assert late.snapshot() == eager.snapshot()

    asyncio.run(run())


@OWN
def test_a_question_that_comes_late_reads_everything_in_order(name: str) -> None:
    async def run() -> None:
        model = Scripted()
        memory, _ = await read(name, model, document(), 9)
        late = StreamQuestion("late", "Where is Tamsin?", "tracking", ())
        assert place_of(late, await memory.context(late)) == PLACES[6 % 4]
        sections = [block(prompt, "section") for prompt in model.prompts]
        assert sections == list(document().chunks[:9])

    asyncio.run(run())


@OWN
def test_no_question_sees_the_memory_of_another(name: str) -> None:
    async def run() -> None:
        memory, given = await read(name, Scripted(), document(), 30)
        for question, context in zip(
            given.questions, [await memory.context(one) for one in given.questions], strict=True
        ):
            others = [one for one in PEOPLE if one not in question.text]
            assert not [one for one in others if one in context.text]

    asyncio.run(run())


@EACH
def test_an_update_sees_memory_and_chunk_and_no_other_chunk(name: str) -> None:
    async def run() -> None:
        model = Scripted(lambda prompt: f"after {block(prompt, 'section').split()[0]}")
        memory, given = await read(name, model, document(9, questions=1), 0)
        await told(memory, given)
        for index, prompt in enumerate(model.prompts):
            before = f"after {marker(index - 1)}" if index else NO_MEMORY
            assert block(prompt, "memory") == before
            assert block(prompt, "section") == given.chunks[index]
            assert {n for n in range(40) if marker(n) in prompt} <= {index - 1, index}

    asyncio.run(run())


@EACH
def test_the_answer_is_given_from_the_memory_alone(name: str) -> None:
    async def run() -> None:
        memory, given = await read(name, Scripted(), document(), 12)
        context = await memory.context(given.questions[0])
        assert context.chunks == ()
        assert not [n for n in range(40) if marker(n) in context.text]
        assert "rain" not in Prompts().prompt(given.questions[0], context).context

    asyncio.run(run())


@EACH
@pytest.mark.parametrize("reply", ["", "  \n", "<think>hm", "<think>hm</think>", NO_MEMORY])
def test_an_empty_reply_keeps_the_memory_that_was_and_is_counted(name: str, reply: str) -> None:
    async def run() -> None:
        model = Scripted()
        memory, given = await read(name, model, document(questions=1), 6)
        before = await memory.context(given.questions[0])
        model.rule = lambda _: reply
        await memory.observe(Chunk("doc", 6, given.chunks[6]))
        assert await memory.context(given.questions[0]) == before
        assert "Ruvo" in before.text
        assert memory.counters()["update_fallbacks"] == 1
        assert memory.counters()["update_calls"] == 7

    asyncio.run(run())


@EACH
def test_where_no_reply_was_of_use_the_context_says_so(name: str) -> None:
    async def run() -> None:
        memory, given = await read(name, Scripted(lambda _: ""), document(), 2)
        context = await memory.context(given.questions[0])
        assert context.text.endswith(NO_MEMORY)

    asyncio.run(run())


@EACH
def test_a_reply_that_was_cut_is_carried_on_and_marked(name: str) -> None:
    async def run() -> None:
        model = Scripted(lambda _: Completion("Ruvo: hall and then", cut=True))
        memory, given = await read(name, model, document(questions=1), 1)
        context = await memory.context(given.questions[0])
        assert context.text.endswith("Ruvo: hall and then")
        assert context.notes["memory_cut"] is True
        assert memory.counters()["update_cut"] == 1
        model.rule = lambda _: "Ruvo: hall"
        await memory.observe(Chunk("doc", 1, given.chunks[1]))
        assert (await memory.context(given.questions[0])).notes["memory_cut"] is False

    asyncio.run(run())


@EACH
def test_a_memory_is_never_longer_than_it_may_be(name: str) -> None:
    async def run() -> None:
        model = Scripted(lambda _: "word " * 50_000)
        memory, given = await read(name, model, document(questions=2), 2)
        await memory.context(given.questions[0])
        most = 1_024 + 64 if name == "memagent-shared" else 1_024
        assert set(model.most) == {most}
        assert COUNT(block(model.prompts[-1], "memory")) == most
        assert memory.counters()["update_shortened"] == 2

    asyncio.run(run())


def test_a_shared_memory_may_be_longer_the_more_questions_there_are() -> None:
    def most(questions: int) -> int | None:
        model = Scripted()
        asyncio.run(read("memagent-shared", model, document(1, questions=questions), 1))
        return model.most[0]

    assert [most(n) for n in (1, 22, 96, 400)] == [1_056, 1_728, 4_096, SHARED_TOKENS]
    assert MEMORY_TOKENS == 1_024


@pytest.mark.parametrize(
    "reply",
    [
        "Ruvo: hall",
        "<think>Where is he?</think>\nRuvo: hall",
        "I wonder.</think>Ruvo: hall",
        "```\nRuvo: hall\n```",
        "Updated memory:\nRuvo: hall",
        "Updated memory: Ruvo: hall",
        "**Updated Memory:**\n\nRuvo: hall",
        "**Memory**:\nRuvo: hall",
        "## New memory\nRuvo: hall",
        "Here is the updated memory:\n\nRuvo: hall\n",
        "<memory>\nRuvo: hall\n</memory>",
        "Updated memory:\n<memory>\nRuvo: hall\n</memory>\n",
        "Ruvo: hall\n</memory>",
    ],
)
def test_what_a_reply_echoes_is_no_memory(reply: str) -> None:
    assert memory_of(reply) == "Ruvo: hall"


@pytest.mark.parametrize(
    "reply",
    [
        "Memory loss of Ruvo: since the fall",
        "The memory of Ruvo is poor.",
        "* Ruvo: hall\n* Belka: attic",
        "Updated memory of the hall",
    ],
)
def test_a_memory_that_speaks_of_memory_stays(reply: str) -> None:
    assert memory_of(reply) == reply
    assert memory_of(f"Updated memory:\n{reply}") == reply


@EACH
def test_a_call_that_fails_fails_the_run_and_loses_no_chunk(name: str) -> None:
    def broken(_: str) -> str:
        raise ModelError("the server is gone")

    async def run() -> None:
        model = Scripted()
        memory, given = await read(name, model, document(questions=1), 4)
        await memory.context(given.questions[0])
        model.rule = broken
        with pytest.raises(ModelError, match="server is gone"):
            await told(memory, Stream("doc", given.chunks[:5], given.questions, "babi"), 4)

    asyncio.run(run())


def test_after_a_failure_the_fold_goes_on_where_it_stood() -> None:
    def broken(_: str) -> str:
        raise ModelError("the server is gone")

    async def run() -> None:
        model = Scripted()
        memory, given = await read("memagent", model, document(questions=1), 5)
        model.rule = lambda prompt: broken(prompt) if marker(3) in prompt else written(prompt)
        with pytest.raises(ModelError):
            await memory.context(given.questions[0])
        model.rule = written
        context = await memory.context(given.questions[0])
        assert place_of(given.questions[0], context) == PLACES[0]
        sections = [block(prompt, "section") for prompt in model.prompts]
        assert sections == [given.chunks[n] for n in (0, 1, 2, 3, 3, 4)]

    asyncio.run(run())


@EACH
def test_a_resumed_memory_goes_on_alike(name: str) -> None:
    async def run() -> None:
        memory, given = await read(name, Scripted(), document(), 14)
        await memory.context(given.questions[0])  # the others lie behind
        other = make_memory(name, MemorySettings(generate=Scripted()))
        other.restore(json.loads(json.dumps(memory.snapshot())))
        assert await told(other, given, 14) == await told(memory, given, 14)
        assert other.snapshot() == memory.snapshot()
        assert other.counters() == memory.counters()

    asyncio.run(run())


@EACH
def test_a_second_document_knows_nothing_of_the_first(name: str) -> None:
    async def run() -> None:
        model = Scripted()
        memory, _ = await read(name, model, document(), 6)
        second = document(name="second")
        for question in second.questions:
            await memory.context(question)
        await memory.start("second", blanked(second.questions))
        assert (await memory.context(second.questions[0])).text == ""
        model.prompts.clear()
        await memory.observe(Chunk("second", 0, "Quen went to the attic."))
        await memory.context(second.questions[0])
        assert block(model.prompts[0], "memory") == NO_MEMORY
        assert memory.counters()["update_calls"] == 1

    asyncio.run(run())


@EACH
@pytest.mark.parametrize("limit", [500, 700, 900, 1300])
def test_no_prompt_of_its_own_or_with_its_context_is_longer_than_the_window(
    name: str, limit: int
) -> None:
    given = document()
    long = Stream("doc", tuple(f"{text} " * 120 for text in given.chunks), given.questions, "babi")

    async def run() -> None:
        model = Scripted(lambda _: "word " * 5_000)
        memory, _ = await read(name, model, long, 3, budget=Budget(limit, 64, margin=0.0))
        for question in given.questions:
            prompt = Prompts().prompt(question, await memory.context(question))
            shown = sum(COUNT(message.content) for message in prompt.messages())
            assert shown + 64 + 32 <= limit
        for asked, most in zip(model.prompts, model.most, strict=True):
            assert most
            assert COUNT(asked) + most + 32 <= limit
            assert "[...]" in block(asked, "section")
        assert memory.counters()["update_inputs_cut"] == len(model.prompts)

    asyncio.run(run())


def test_questions_that_do_not_fit_the_window_together_are_left_out_and_counted() -> None:
    async def run() -> None:
        model = Scripted()
        memory, _ = await read(
            "memagent-shared", model, document(questions=90), 2, budget=Budget(900, 64)
        )
        assert 5 < block(model.prompts[0], "problem").count("\n- ") < 90
        assert memory.counters()["update_inputs_cut"] == 2

    asyncio.run(run())


def test_a_window_too_short_for_the_problem_is_said_in_a_line() -> None:
    wordy = StreamQuestion("q", "Where? " * 300, "t", ())

    async def run() -> None:
        memory, _ = await read("memagent", Scripted(), document(), 1, budget=Budget(600, 64))
        await memory.context(wordy)

    with pytest.raises(UsageError, match="600 tokens has no room"):
        asyncio.run(run())


def test_only_tracking_speaks_of_change_and_numbers_the_section() -> None:
    prompts = {}
    for name in ("memagent", "memagent-tracking"):
        model = Scripted()
        memory, given = asyncio.run(read(name, model, document(questions=1), 8))
        context = asyncio.run(memory.context(given.questions[0]))
        assert context.notes["style"] == name.removeprefix("memagent-").replace(
            "memagent", "upstream"
        )
        prompts[name] = model.prompts[7]
    assert 'number="7"' in prompts["memagent-tracking"]
    assert "outweigh" in prompts["memagent-tracking"]
    assert "7" not in prompts["memagent"]
    assert "outweigh" not in prompts["memagent"]


@EACH
def test_it_says_how_long_its_context_is(name: str) -> None:
    async def run() -> None:
        memory, given = await read(name, Scripted(), document(), 1)
        context = await memory.context(given.questions[0])
        assert context.notes["tokens"] == COUNT(context.text)

    asyncio.run(run())


def test_options_and_what_one_must_know_of_the_text_are_a_part_of_the_problem() -> None:
    model = Scripted()
    settings = {"prompts": Prompts("Voids undo.")}
    memory, _ = asyncio.run(read("memagent", model, document(), 1, **settings))
    asyncio.run(memory.context(choice()))
    problem = block(model.prompts[0], "problem")
    assert problem.startswith("About the text: Voids undo.\n\nWho has the map?\nOptions:\n")
    assert "\nC. A sailor" in problem


def test_without_questions_a_shared_memory_keeps_track_of_everything() -> None:
    model = Scripted()
    asyncio.run(read("memagent-shared", model, document(questions=0), 1))
    assert block(model.prompts[0], "problem").startswith("Keep track of the people")


@pytest.mark.parametrize("kind", [MemAgent, MemAgentShared])
def test_a_rehearsed_reply_is_a_memory_of_the_section(kind: type[MemAgent]) -> None:
    model = Scripted()
    memory, given = asyncio.run(read(kind.name, model, document(questions=1), 1))
    asyncio.run(memory.context(given.questions[0]))
    reply = kind.rehearse("update", [Message("user", model.prompts[0])])
    assert reply == " ".join(given.chunks[0].split()[:12])
    long = model.prompts[0].replace(given.chunks[0], "word " * 3_000)
    assert len(kind.rehearse("update", [Message("user", long)]).split()) == 400


@EACH
def test_a_plan_has_the_calls_of_a_run_and_about_its_input(name: str) -> None:
    """Both with the estimate; the run's memories are those of the scripted reader."""
    given, settings = document(20), MemorySettings()
    plan = asyncio.run(plan_stream(given, memory_kind(name).make, settings)).stages["update"]
    model = Scripted()
    memory, _ = asyncio.run(read(name, model, given, 0))
    asyncio.run(told(memory, given))
    sent = sum(COUNT(prompt) + TEMPLATE_TOKENS for prompt in model.prompts)
    assert plan.calls == len(model.prompts)
    assert plan.input_tokens == pytest.approx(sent, rel=0.15)
    assert plan.output_tokens == sum(most or 0 for most in model.most)


def test_a_thousand_chunks_take_a_thousand_calls_a_question_and_keep_short_prompts() -> None:
    async def run() -> None:
        model = Scripted()
        given = document(100, questions=1)
        memory = cast(MemAgent, make_memory("memagent", MemorySettings(generate=model)))
        await memory.start("doc", blanked(given.questions))
        for index in range(1_000):
            await memory.observe(Chunk("doc", index, given.chunks[index % 100]))
            await memory.context(given.questions[0])
        assert len(model.prompts) == 1_000
        assert len(model.prompts[-1]) < len(model.prompts[1]) + 50

    asyncio.run(run())
