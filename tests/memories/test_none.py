"""The closed-book control: no word of the text, and a prompt that does not speak of one (X-020)."""

from __future__ import annotations

import asyncio
import json

import pytest
from tests.memories.made import begun, choice, document, hashing, marker

from supersede.corpus.tokens import Estimate
from supersede.memories import Prompt, Prompts, make_memory, plan_stream
from supersede.memories.budget import TEMPLATE_TOKENS
from supersede.memories.registry import memory_kind
from supersede.model.memory import Chunk, Context
from supersede.model.stream import Reply, StreamQuestion
from supersede.streams.matching import read_reply

OPEN, CHOICE = document().questions[0], choice()
BOTH = pytest.mark.parametrize("question", [OPEN, CHOICE], ids=["open", "choice"])


def asked(question: StreamQuestion, upto: int = 7) -> Prompt:
    async def run() -> Context:
        return await (await begun("none", document(), upto=upto)).context(question)

    return Prompts("Voids undo.").prompt(question, asyncio.run(run()))


def test_no_word_of_the_text_reaches_a_prompt_at_any_interval() -> None:
    prompts = [asked(OPEN, upto) for upto in (0, 1, 7, 40)]
    assert len(set(prompts)) == 1
    text = " ".join(message.content for message in prompts[0].messages())
    assert not [n for n in range(40) if marker(n) in text]
    assert "cellar" not in text


@BOTH
def test_the_rules_do_not_tell_to_read_or_to_trust_a_text(question: StreamQuestion) -> None:
    system = asked(question).system
    assert "a text that you are not shown" in system
    assert "Only the text counts" not in system
    assert "the text does not tell" not in system
    assert "If you do not know the answer," in system
    assert "## Answer: <" in system
    assert system.endswith("\n\nAbout the text\nVoids undo.")


@BOTH
def test_the_message_is_the_question_alone(question: StreamQuestion) -> None:
    *_, user = asked(question).messages()
    assert user.content == Prompts().question(question).removeprefix("\n\n")
    assert user.content.startswith("# Question\n" + question.text)


@pytest.mark.parametrize(("question", "answer"), [(OPEN, "Mercury"), (CHOICE, "B")])
def test_the_example_shows_no_text_either(question: StreamQuestion, answer: str) -> None:
    shown, said = asked(question).example
    assert shown.content.startswith("# Question\nWhich planet")
    assert ("Options:" in shown.content) is bool(question.options)
    assert read_reply(question, said.content) == (Reply.ANSWERED, answer)


@BOTH
def test_its_tokens_are_those_of_its_messages(question: StreamQuestion) -> None:
    counter = Estimate()
    counted = Prompts("Voids undo.").tokens(question, counter, closed_book=True)
    assert counted == sum(counter.count(one.content) for one in asked(question).messages())


def test_a_plan_counts_the_prompts_that_are_sent() -> None:
    given, settings = document(6, questions=2), hashing()
    plan = asyncio.run(plan_stream(given, memory_kind("none").make, settings))
    count = Estimate().count
    sent = [Prompts().prompt(one, Context("", closed_book=True)) for one in given.questions]
    tokens = sum(sum(count(one.content) for one in prompt.messages()) for prompt in sent)
    assert plan.calls == 12
    assert plan.input_tokens == 6 * (tokens + 2 * TEMPLATE_TOKENS)
    assert plan.cut == ()


def test_it_goes_on_from_a_snapshot_and_takes_chunks_in_order() -> None:
    async def run() -> None:
        memory = await begun("none", document(), upto=3)
        other = make_memory("none", hashing())
        other.restore(json.loads(json.dumps(memory.snapshot())))
        for one in (memory, other):
            await one.observe(Chunk("doc", 3, "x"))
            with pytest.raises(ValueError, match="is due"):
                await one.observe(Chunk("doc", 3, "x"))
        assert memory.snapshot() == other.snapshot()
        assert memory.counters() == other.counters()

    asyncio.run(run())
