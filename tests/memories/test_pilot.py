"""Plans that go by an earlier run: after a tenth of the chunks, what all of them then take."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import pytest
from tests.memories.made import begun, hashing
from tests.memories.rambling import Rambling
from tests.memories.scripted import Scripted
from tests.memories.test_contract import ASKING

from supersede.corpus.tokens import Estimate
from supersede.memories import MemorySettings, Plan, plan_stream
from supersede.memories.budget import prompt_tokens
from supersede.memories.follow import Growth, Heard, Novelty, growth, resized
from supersede.memories.pilot import Call, Lessons, Pilot, about
from supersede.memories.plan import learn
from supersede.memories.registry import memory_kind
from supersede.model.instance import Message
from supersede.model.memory import Chunk
from supersede.model.protocols import Completion, Generate
from supersede.model.stream import Stream
from supersede.streams.babi.build import Recipe, babi_streams
from supersede.streams.background import open_library

CHUNKS, QUESTIONS = 80, 6
COUNT = Estimate()


@cache
def stream() -> Stream:
    recipe = Recipe(documents=1, chunks=CHUNKS, chunk_tokens=240, questions=QUESTIONS)
    library = open_library("builtin", COUNT, longest=recipe.longest, need=recipe.need)
    (given,) = babi_streams(recipe, library, COUNT)
    return given


class Recorded:
    """A model, and all that it said.

    Args:
        model: The model.
        unit: Tokens as its server counts them, for one as we do.
    """

    def __init__(self, model: Generate, unit: float = 1.0) -> None:
        self._model = model
        self._unit = unit
        self.said: dict[Any, Completion] = {}
        self.calls = 0
        self.tokens = 0

    async def __call__(
        self,
        messages: Sequence[Message],
        *,
        stage: str = "",
        max_tokens: int | None = None,
        attempt: int = 0,
    ) -> Completion:
        reply = await self._model(messages, stage=stage, max_tokens=max_tokens, attempt=attempt)
        read = round(prompt_tokens(messages, COUNT) * self._unit)
        reply = reply._replace(input_tokens=read, output_tokens=COUNT.count(reply.text))
        self.said[tuple(messages), stage, max_tokens, attempt] = reply
        self.calls += 1
        self.tokens += read
        return reply

    def recall(
        self,
        stream: str,
        messages: Sequence[Message],
        stage: str,
        max_tokens: int | None,
        attempt: int,
    ) -> Completion | None:
        """What was said to a call."""
        return self.said.get((tuple(messages), stage, max_tokens, attempt))


class Ran(NamedTuple):
    """What a run took."""

    model: Recorded
    answers: int
    """Tokens of the prompts of all answers, as we count."""

    @property
    def tokens(self) -> int:
        """Of all prompts."""
        return self.model.tokens + self.answers


def ran(name: str, model: Generate, chunks: int, unit: float = 1.0) -> Ran:
    """A run over the first chunks."""
    given, recorded, answers = stream(), Recorded(model, unit), 0

    async def run() -> None:
        nonlocal answers
        settings = hashing(generate=recorded)
        memory = await begun(name, given, settings)
        for index, text in enumerate(given.chunks[:chunks]):
            await memory.observe(Chunk(given.id, index, text))
            for question in given.questions:
                context = await memory.context(question)
                prompt = settings.prompts.prompt(question, context)
                answers += prompt_tokens(prompt.messages(), COUNT)

    asyncio.run(run())
    return Ran(recorded, answers)


def planned(name: str, pilot: Recorded | None, given: Stream | None = None) -> tuple[Plan, Lessons]:
    """A plan of the whole stream, by an earlier run."""
    make, settings, given = memory_kind(name).make, hashing(), given or stream()

    async def plan() -> tuple[Plan, Lessons]:
        if pilot is None:
            return await plan_stream(given, make, settings), Lessons()
        lessons = await learn([(given, settings)], make, pilot.recall, {})
        return await plan_stream(given, make, settings, Pilot(pilot.recall, lessons)), lessons

    return asyncio.run(plan())


BOUND = {
    # How many notes a context shows hangs on which ones are linked with which, and a tenth of the
    # chunks has some ten evolutions to learn from: over five streams and with both readers, plans
    # said 0.90 to 1.16 times the tokens with a note for each chunk, 0.80 to 1.27 with paragraphs.
    "amem": 0.2,
    "amem-paragraph": 0.3,
}


PRESETS = ("amem-30", "hipporag-30", "memagent-tracking", "state-store-history")
NAMES = [pytest.param(name, marks=pytest.mark.slow) if name in PRESETS else name for name in ASKING]


@pytest.mark.parametrize("model", [Scripted, Rambling])
@pytest.mark.parametrize("name", NAMES)
def test_a_tenth_of_the_chunks_tells_what_all_will_take(name: str, model: type[Scripted]) -> None:
    """Prompt tokens of answers and of the memory's own calls together, within 15 %.

    With `Rambling`, replies are of a length that chance has: up to twelve facts more than there
    were to be told.
    """
    pilot, whole = ran(name, model(), CHUNKS // 10), ran(name, model(), CHUNKS)
    plan, lessons = planned(name, pilot.model)
    assert lessons.chunks == CHUNKS // 10
    assert lessons.replies == pilot.model.calls
    told = plan.input_tokens + plan.memory.input_tokens
    assert told / whole.tokens == pytest.approx(1, abs=BOUND.get(name, 0.15))
    if name not in ("hipporag", "hipporag-30"):  # asked again only as other facts come up
        assert plan.memory.calls == whole.model.calls
        assert plan.memory.input_tokens / whole.model.tokens == pytest.approx(1, abs=0.15)


@pytest.mark.parametrize("name", ["state-store", "memagent-shared", "amem", "hipporag"])
def test_of_a_whole_run_nothing_is_guessed(name: str) -> None:
    whole = ran(name, Rambling(), 12)
    twelve = replace(
        stream(),
        chunks=stream().chunks[:12],
        questions=tuple(replace(one, answers=one.answers[:12]) for one in stream().questions),
    )
    plan, lessons = planned(name, whole.model, twelve)
    assert plan.memory.calls == whole.model.calls == lessons.replies
    assert plan.memory.input_tokens == whole.model.tokens
    assert plan.input_tokens == pytest.approx(whole.answers, rel=0.01)
    written = sum(reply.output_tokens for reply in whole.model.said.values())
    assert plan.memory.likely_tokens == written < plan.memory.output_tokens


def test_tokens_are_those_of_the_server_where_it_says_how_many() -> None:
    ours, theirs = (ran("state-store", Scripted(), 8, unit).model for unit in (1.0, 1.5))
    plain, counted = (planned("state-store", model)[0] for model in (ours, theirs))
    assert counted.input_tokens == pytest.approx(1.5 * plain.input_tokens, rel=0.01)
    assert counted.memory.input_tokens == pytest.approx(1.5 * plain.memory.input_tokens, rel=0.01)


def test_without_replies_a_plan_is_what_it_was() -> None:
    assert planned("amem", Recorded(Scripted()))[0] == planned("amem", None)[0]


def test_replies_to_other_prompts_tell_lengths_but_not_their_growth() -> None:
    said = ran("memagent-shared", Rambling(), 8).model.said
    heard = [
        Heard("x", one.text, COUNT.count(one.text), one.output_tokens, None, "")
        for one in said.values()
    ]
    make, settings = memory_kind("memagent-shared").make, hashing()

    async def plan() -> tuple[Plan, Lessons]:
        others = {Call("update", 0): heard}
        lessons = await learn([(stream(), settings)], make, lambda *_: None, others)
        found = await plan_stream(stream(), make, settings, Pilot(lambda *_: None, lessons))
        return found, lessons

    found, lessons = asyncio.run(plan())
    assert (lessons.chunks, lessons.replies) == (0, 8)
    whole = ran("memagent-shared", Rambling(), CHUNKS)
    told = found.input_tokens + found.memory.input_tokens
    assert told / whole.tokens == pytest.approx(1, abs=0.15)


def test_replies_that_could_not_be_used_are_asked_for_again_as_often() -> None:
    def spoiled(kind: type[Scripted]) -> Scripted:
        model = kind()
        seen: list[int] = []

        def every_other(said: str) -> str:
            seen.append(1)
            return said if len(seen) % 2 else "Gladly."

        model._spoil = every_other  # of every two replies the second one
        return model

    pilot = ran("state-store", spoiled(Scripted), 8)
    whole = ran("state-store", spoiled(Scripted), CHUNKS)
    plan, _ = planned("state-store", pilot.model)
    assert whole.model.calls > CHUNKS
    assert plan.memory.calls == pytest.approx(whole.model.calls, rel=0.15)


# How replies grow.


def test_replies_that_grow_are_longer_later_and_others_are_not() -> None:
    grows = growth((now, 20 * (now + 1)) for now in range(8))
    assert grows.power == pytest.approx(1, abs=0.05)
    assert grows.factor(7, 79) == pytest.approx(10, rel=0.15)
    assert grows.factor(3, 5) == 1
    assert growth((now, 400) for now in range(8)) == Growth(0.0, 7)
    full = [20, 200, 390, 400, 401, 399, 400, 400]
    assert growth(enumerate(full)).power == 0
    noise = [300, 100, 420, 250, 380, 90, 310, 200]
    assert growth(enumerate(noise)).power == 0
    assert growth([]) == Growth()
    assert growth([(0, 5)]).factor(0, 9) == 1


def test_a_text_is_made_longer_and_shorter_by_words() -> None:
    text = "Ruvo: hall\nBelka: attic"
    assert resized(text, 1) == text
    assert resized(text, 2) == f"{text}\n{text}"
    assert resized(text, 1.5) == f"{text}\nRuvo: hall"
    assert resized(text, 0.25) == "Ruvo:"
    assert resized(" ", 3) == " "


def found(document: Sequence[tuple[str, Sequence[str]]], chunks: Sequence[tuple[str, int]]) -> int:
    """How many different facts there are in the end, where more chunks come."""
    novelty, made = Novelty([document]), 0
    for text, facts in document:
        novelty.take(text, facts)
    for text, number in chunks:
        new = novelty.due(text, number)
        novelty.take(text, [f"made {made + n}" for n in range(new)])
        made += new
    return len(novelty.known)


def test_facts_run_out_where_the_text_names_nobody_new() -> None:
    people = ("Ruvo", "Belka", "Quen", "Orlin")
    told = "Then Ruvo, with Belka and Quen, saw Orlin."
    heard = [(told, [f"{one} place" for one in people])] * 6
    assert found(heard, [(told, 4)] * 60) == 4


def test_facts_go_on_where_each_was_new() -> None:
    heard = [(f"then Person{n} came", [f"Person{n} place"]) for n in range(6)]
    later = [(f"then Person{n} came", 1) for n in range(6, 60)]
    assert found(heard, later) == pytest.approx(60, abs=1)


def test_facts_become_more_with_the_names_of_the_text() -> None:
    """Four people are told of again and again, and then four others come in."""
    one = "Then Ruvo, with Belka and Quen, saw Orlin."
    two = "Then Marn, with Toll and Vesk, saw Harn."
    heard = [(one, [f"{name} place" for name in ("Ruvo", "Belka", "Quen", "Orlin")])] * 6
    assert found(heard, [(two, 4)] * 60) == 8


def test_without_facts_there_are_none() -> None:
    assert Novelty([]).due("Ruvo went.", 5) == 0


def test_replies_of_about_the_same_place_stand_in() -> None:
    heard = [Heard("s", str(n), 1, 1, n, "") for n in range(40)]
    assert {one.now for one in about(heard, 10)} == set(range(6, 15))
    assert {one.now for one in about(heard, 90)} == set(range(20, 40))
    undated = [one._replace(now=None) for one in heard]
    assert about(undated, 3) == undated
    assert about(heard[:3], 90) == heard[:3]


def test_a_memory_that_does_not_say_how_replies_go_on_has_them_as_they_were() -> None:
    assert MemorySettings().generate is None
    for name in ("hipporag", "amem"):
        made: Any = memory_kind(name).make
        like = Heard("s", "as it was", 3, 3, 0, "")
        for stage in ("names", "query"):
            assert made.follow(stage, [like]).reply(like, [Message("user", "x")], 4) == "as it was"
