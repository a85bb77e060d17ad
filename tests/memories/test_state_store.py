"""The state store: one row for each fact, since when, by which sentence, and one call a chunk."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from tests.memories.made import PEOPLE, PLACES, document, marker

from supersede.corpus.tokens import Estimate
from supersede.errors import ModelError
from supersede.memories import Budget, MemorySettings, Prompts, blanked, make_memory, plan_stream
from supersede.memories.budget import TEMPLATE_TOKENS
from supersede.memories.registry import memory_kind
from supersede.memories.replies import parsed
from supersede.memories.state_prompts import NO_ROWS, Change, Changes, occurs
from supersede.memories.state_store import StateStore
from supersede.memories.state_table import FORMER, StateTable, fact_key
from supersede.model.instance import Message
from supersede.model.memory import Chunk, Context
from supersede.model.protocols import Completion
from supersede.model.stream import Stream, StreamQuestion

COUNT = Estimate().count
EACH = pytest.mark.parametrize("name", ["state-store", "state-store-history"])
_MOVE = re.compile(r"((\w+) went to the (\w+)\.)")
NAMED = ("{} / place", "{}'s place", "place of {}", "The place of {}")
"""Ways in which a model words the same fact."""


def piece(prompt: str) -> str:
    return prompt.partition("# Next piece\n")[2].removesuffix("\n\n# Rows that it changes")


def table(prompt: str) -> list[str]:
    return prompt.removeprefix("# Table\n").partition("\n\n# Next piece")[0].splitlines()


def written(prompt: str) -> str:
    """What a reader of moves writes, wording the key in another way each time."""
    rows = [
        {"key": NAMED[len(place) % 4].format(person), "value": place, "source": sentence}
        for sentence, person, place in _MOVE.findall(piece(prompt))
    ]
    return json.dumps({"rows": rows})


class Scripted:
    """A model that answers by a rule and remembers what it was asked."""

    def __init__(self, rule: Callable[[str], str | Completion] = written) -> None:
        self.rule = rule
        self.prompts: list[str] = []
        self.whole: list[int] = []
        self.most: list[int] = []

    async def __call__(
        self,
        messages: Sequence[Message],
        *,
        stage: str = "",
        max_tokens: int | None = None,
        attempt: int = 0,
    ) -> Completion:
        assert stage == "state"
        system, user = messages
        assert (system.role, user.role) == ("system", "user")
        self.prompts.append(user.content)
        self.whole.append(sum(COUNT(one.content) for one in messages))
        self.most.append(max_tokens or 0)
        reply = self.rule(user.content)
        return reply if isinstance(reply, Completion) else Completion(reply, False, 7, 3)


def always(*rows: dict[str, Any]) -> Callable[[str], str]:
    return lambda _: json.dumps({"rows": list(rows)})


async def read(name: str, model: Scripted, given: Stream, upto: int, **settings: Any) -> StateStore:
    memory = make_memory(name, MemorySettings(generate=model, **settings))
    assert isinstance(memory, StateStore)
    await memory.start(given.id, blanked(given.questions))
    for index in range(upto):
        await memory.observe(Chunk(given.id, index, given.chunks[index]))
    return memory


def seen(*chunks: str | Callable[[str], str | Completion], name: str = "state-store") -> Context:
    """The context after chunks, each `text` read by rule, or a rule for the text before it."""
    return contexts_of(chunks, name)[0]


def contexts_of(
    chunks: Sequence[str | Callable[[str], str | Completion]], name: str = "state-store"
) -> tuple[Context, dict[str, float]]:
    async def run() -> tuple[Context, dict[str, float]]:
        model = Scripted()
        memory = await read(name, model, document(), 0)
        index = 0
        for one in chunks:
            if isinstance(one, str):
                await memory.observe(Chunk("doc", index, one))
                index += 1
            else:
                model.rule = one
        return await memory.context(document().questions[0]), dict(memory.counters())

    return asyncio.run(run())


def rows(context: Context) -> list[str]:
    return [line for line in context.text.splitlines() if line.startswith("- ")]


def place_of(question: StreamQuestion, context: Context) -> str:
    """The answer that a table gives away."""
    person = re.search(r"Where is (\w+)", question.text)
    assert person
    found = [re.search(r": (\w+) \(since", row) for row in rows(context) if person[1] in row]
    assert len(found) < 2
    return found[0][1] if found and found[0] else "Unknown"


@EACH
def test_every_answer_of_a_scripted_reader_is_right(name: str) -> None:
    """The last move of each person stands in its only row, so nothing can be wrong."""
    given = document(40)

    async def run() -> None:
        memory = await read(name, Scripted(), given, 0)
        for index, text in enumerate(given.chunks):
            await memory.observe(Chunk("doc", index, text))
            for question in given.questions:
                context = await memory.context(question)
                assert (place_of(question, context),) == question.answers[index]

    asyncio.run(run())


@EACH
def test_a_chunk_takes_one_call_and_a_question_none(name: str) -> None:
    async def run() -> None:
        model = Scripted()
        memory = await read(name, model, document(), 12)
        for question in document().questions:
            await memory.context(question)
        assert len(model.prompts) == memory.counters()["state_calls"] == 12
        assert memory.counters()["state_input_tokens"] == 84

    asyncio.run(run())


def test_a_row_says_what_holds_since_when_and_by_which_sentence() -> None:
    context = seen("Ruvo went to the hall.", "It rained.", "Ruvo went to the attic. It rained.")
    assert rows(context) == [
        '- Ruvo / place: attic (since chunk 2: "Ruvo went to the attic.")',
    ]
    assert context.chunks == ()
    assert context.notes["rows"] == 1


def test_what_holds_already_keeps_its_since_and_its_source() -> None:
    again = always({"key": "Ruvo / place", "value": "The Hall.", "source": "He was still there."})
    context = seen("Ruvo went to the hall.", again, "He was still there.")
    assert rows(context) == ['- Ruvo / place: hall (since chunk 0: "Ruvo went to the hall.")']


def test_what_is_ended_is_shown_no_more_and_may_come_back() -> None:
    ended = always({"key": "place of Ruvo", "value": None, "source": "Ruvo has left."})
    assert rows(seen("Ruvo went to the hall.", ended, "Ruvo has left.")) == []
    back = seen(
        "Ruvo went to the hall.", ended, "Ruvo has left.", written, "Ruvo went to the hall."
    )
    assert rows(back) == ['- Ruvo / place: hall (since chunk 2: "Ruvo went to the hall.")']


def test_history_shows_what_held_before_in_one_line() -> None:
    chunks: list[Any] = [f"Ruvo went to the {place}." for place in ("hall", "attic", "cellar")]
    assert rows(seen(*chunks, name="state-store-history")) == [
        '- Ruvo / place: cellar (since chunk 2: "Ruvo went to the cellar."); '
        "before: attic (from chunk 1), hall (from chunk 0)"
    ]
    ended = always({"key": "Ruvo / place", "value": None, "source": "Ruvo has left."})
    assert rows(seen(chunks[0], ended, "Ruvo has left.", name="state-store-history")) == [
        '- Ruvo / place: nothing (since chunk 1: "Ruvo has left."); before: hall (from chunk 0)'
    ]


def test_a_row_remembers_a_bounded_history() -> None:
    kept = StateTable()
    for index in range(30):
        kept.set("Ruvo / place", f"room {index}", index, "")
    assert kept["ruvo place"].former == [(f"room {n}", n) for n in range(29 - FORMER, 29)]


@pytest.mark.parametrize(
    "name",
    [
        "Ruvo / place",
        "ruvo_place",
        "Ruvo's place",
        "Ruvo\u2019s Place",
        "the place of Ruvo",
        "RUVO: place",
    ],
)
def test_one_fact_has_one_key(name: str) -> None:
    assert fact_key(name) == "ruvo place"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ruvo / likes Tamsin", "Tamsin / likes Ruvo"),
        ("Ruvo / place", "Belka / place"),
        ("lamp 1 / place", "lamp 2 / place"),
        ("Ruvo / place", "Ruvo / mood"),
    ],
)
def test_two_facts_have_two_keys(one: str, other: str) -> None:
    assert fact_key(one) != fact_key(other)


def test_owners_stand_first_part_by_part() -> None:
    assert fact_key("Bank of England / governor") == fact_key("governor of the Bank of England")
    assert fact_key("age of the king of Spain") == fact_key("Spain's king / age")
    assert fact_key(" -- ") == ""


@pytest.mark.parametrize(
    "source", ["", "Ruvo went to the moon.", "Ruvo", "went to the hal", "uvo went"]
)
def test_a_source_that_the_chunk_does_not_hold_is_not_kept_and_counted(source: str) -> None:
    rule = always({"key": "Ruvo / place", "value": "hall", "source": source})
    context, counters = contexts_of([rule, "Ruvo went to the hall. It rained."])
    assert rows(context) == ["- Ruvo / place: hall (since chunk 0)"]
    assert counters["state_rows_unsourced"] == 1


def test_a_source_may_differ_in_breaks_and_in_the_form_of_quotes() -> None:
    assert occurs(
        'He said "go on".', "Then he\nsaid \u201cgo  on\u201d. It rained.".replace("he\n", "He\n")
    )
    assert occurs("Ruvo's lamp is lit", "Ruvo\u2019s lamp\nis lit, and so is mine.")
    assert not occurs("lamp is", "the damp lamp isn")


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ('{"rows": [{"key": "a", "value": "", "source": "c"}]}', Change(key="a", source="c")),
        ('```json\n{"rows": [{"key": "a", "value": "b"}]}\n```', Change(key="a", value="b")),
        ("{'rows': [{'key': 'a', 'value': 'b',},]}", Change(key="a", value="b")),
        ('Sure! {"rows": [{"key": "a", "value": "b"}]} Done.', Change(key="a", value="b")),
        ('[{"key": "a", "value": "b"}]', Change(key="a", value="b")),
        ('{"key": "a", "value": "b"}', Change(key="a", value="b")),
        ('{"rows": {"a": "b"}}', Change(key="a", value="b")),
        ('{"rows": [["a", "b"]]}', Change(key="a", value="b")),
        ('{"rows": [{"key": "a", "value": 3}]}', Change(key="a", value="3")),
        ('{"rows": [{"key": "a", "value": true}]}', Change(key="a", value="yes")),
        ('{"rows": [{"key": "a", "value": null}]}', Change(key="a", value=None)),
        ('{"rows": [{"key": "a", "value": "None"}]}', Change(key="a", value=None)),
        ('{"rows": [{"key": "a", "value": {"b": 1}}]}', Change(key="a", value="")),
        ('{"rows": [{"key": "a", "value": 1e999}]}', Change(key="a", value="")),
        ('{"rows": [7]}', Change()),
    ],
)  # fmt: skip
def test_a_readable_reply_is_read(reply: str, found: Change) -> None:
    changes = parsed(reply, Changes)
    assert changes is not None
    assert changes.rows == (found,)


@pytest.mark.parametrize("reply", ["", "Nothing changes.", '{"rows": "none"}', "{}", "<think>hm"])
def test_a_reply_without_rows_leaves_the_table_as_it_was_and_is_counted(reply: str) -> None:
    before = rows(seen("Ruvo went to the hall."))
    context, counters = contexts_of(["Ruvo went to the hall.", lambda _: reply, "Ruvo left."])
    assert rows(context) == before
    assert counters["state_malformed"] == 2
    assert counters["state_fallbacks"] == 1
    assert counters["state_calls"] == 3


def test_rows_that_say_nothing_are_dropped_and_counted() -> None:
    rule = always(
        {"key": "--", "value": "x"}, {"key": "Ruvo / place", "value": ["x"]}, {"value": "x"}
    )
    context, counters = contexts_of([rule, "Ruvo left."])
    assert rows(context) == []
    assert counters["state_rows_dropped"] == 3


def test_ending_what_was_never_there_is_counted() -> None:
    context, counters = contexts_of([always({"key": "Ruvo / place", "value": None}), "Ruvo left."])
    assert rows(context) == []
    assert counters["state_rows_unknown"] == 1


def test_half_a_value_at_the_end_of_a_cut_reply_is_not_taken() -> None:
    whole = (
        '{"rows": [{"key": "Belka / place", "value": "hall"}, {"key": "Ruvo / place", "value": "ce'
    )
    context, _ = contexts_of([lambda _: Completion(whole, cut=True), "Both went there."])
    assert rows(context) == ["- Belka / place: hall (since chunk 0)"]


def test_a_cut_reply_whose_last_row_has_its_sentence_is_taken_whole() -> None:
    text = "Ruvo went to the hall."
    reply = json.dumps({"rows": [{"key": "Ruvo / place", "value": "hall", "source": text}]})
    context, counters = contexts_of([lambda _: Completion(reply[:-1], cut=True), text])
    assert len(rows(context)) == 1
    assert counters["state_cut"] == 1


def test_a_reply_ten_times_too_long_fills_no_table() -> None:
    many = [{"key": f"thing {n} / place", "value": "x" * 400} for n in range(300)]
    context, counters = contexts_of([always(*many), "It rained."])
    assert len(rows(context)) == 200
    assert max(map(len, rows(context))) < 400
    assert counters["state_rows_dropped"] == 100
    assert counters["state_rows_shortened"] == 200


def test_the_model_sees_the_rows_that_the_chunk_may_change() -> None:
    async def run() -> None:
        model = Scripted()
        memory = await read("state-store", model, document(), 0)
        model.rule = always(*({"key": f"lamp{n} / place", "value": "hall"} for n in range(150)))
        await memory.observe(Chunk("doc", 0, "There were lamps."))
        model.rule = always({"key": "mood", "value": "good"})
        await memory.observe(Chunk("doc", 1, "All was well."))
        await memory.observe(Chunk("doc", 2, "lamp7 and then lamp93 went out."))
        shown = table(model.prompts[2])
        assert len(shown) == 60
        assert shown[0] == "- lamp7 / place: hall"
        assert "- lamp93 / place: hall" in shown
        assert "- mood: good" in shown
        assert table(model.prompts[0]) == [NO_ROWS]
        assert "since" not in model.prompts[2]

    asyncio.run(run())


def test_what_shares_rare_words_comes_first_and_then_what_changed_last() -> None:
    kept = StateTable()
    for number, name in enumerate(("Ruvo / place", "Belka / place", "lamp / place", "mood")):
        kept.set(name, "x", number, "")
    assert kept.relevant("Where is Belka? What place?", 3) == [
        "belka place", "lamp place", "ruvo place"
    ]  # fmt: skip
    assert kept.relevant("nothing of this", 2) == ["mood", "lamp place"]
    kept.set("Ruvo / place", "y", 9, "")
    assert kept.relevant("nothing of this", 2) == ["ruvo place", "mood"]
    kept.set("Ruvo / place", None, 10, "")
    assert "ruvo place" not in kept.relevant("Ruvo", 9)
    assert kept.relevant("Ruvo", 1, ended=True) == ["ruvo place"]


def test_a_word_of_every_row_finds_the_latest_facts_in_a_restored_table_too() -> None:
    kept = StateTable()
    for number in range(40):
        kept.set(f"lamp {number} / place", "hall", number, "")
    for number in range(35):
        kept.set(f"lamp {number} / place", "attic", 50 + number, "")
    kept.set("lamp 39 / place", None, 99, "")
    other = StateTable()
    other.restore(json.loads(json.dumps(kept.snapshot())))
    for text in ("place", "place of lamp 7", "lamp", "none of it"):
        assert other.relevant(text, 3) == kept.relevant(text, 3)
    assert kept.relevant("place of lamp 7", 3)[0] == "lamp 7 place"
    assert kept.count() == other.count() == len(other.keys()) == 39
    assert other.count(ended=True) == 40


def test_rows_stand_in_the_order_in_which_they_came_up() -> None:
    context = seen(
        "Ruvo went to the hall. Belka went to the attic.", "Quen went to the hall.",
        "Ruvo went to the cellar.",
    )  # fmt: skip
    assert [row.split()[1] for row in rows(context)] == ["Ruvo", "Belka's", "Quen"]


def test_questions_share_a_context_that_shows_all_and_have_their_own_where_it_is_short() -> None:
    async def run() -> None:
        given = document()
        memory = await read("state-store", Scripted(), given, 30)
        contexts = [await memory.context(one) for one in given.questions]
        assert all(one is contexts[0] for one in contexts)
        assert contexts[0].shared
        short = await read("state-store", Scripted(), given, 30, shown=2)
        for question in given.questions:
            context = await short.context(question)
            assert len(rows(context)) == 2
            assert not context.shared
            assert (place_of(question, context),) == question.answers[29]

    asyncio.run(run())


def test_the_best_row_stands_first_where_that_is_wanted() -> None:
    async def run() -> None:
        given = document()
        memory = await read("state-store", Scripted(), given, 30, order="score")
        for question, person in zip(given.questions, PEOPLE, strict=True):
            assert person in rows(await memory.context(question))[0]

    asyncio.run(run())


@EACH
@pytest.mark.parametrize("limit", [700, 900, 1300])
def test_no_prompt_of_its_own_or_with_its_context_is_longer_than_the_window(
    name: str, limit: int
) -> None:
    given = document()
    long = Stream("doc", tuple(f"{text} " * 120 for text in given.chunks), given.questions, "babi")
    numbers = iter(range(1_000))

    def many(_: str) -> str:
        new = [f"Ruvo {next(numbers)} / place" for _ in range(20)]
        return always(*({"key": name, "value": "in the long hall"} for name in new))("")

    async def run() -> None:
        model = Scripted(many)
        memory = await read(name, model, long, 5, budget=Budget(limit, 64, margin=0.0))
        for question in given.questions:
            context = await memory.context(question)
            prompt = Prompts().prompt(question, context)
            assert sum(COUNT(one.content) for one in prompt.messages()) + 64 + 32 <= limit
            assert context.truncated > 0
            assert context.notes["rows"] == len(rows(context)) > 0
            assert COUNT(context.text) <= context.notes["tokens"] <= COUNT(context.text) + 4
        for tokens, most in zip(model.whole, model.most, strict=True):
            assert tokens + most + 32 <= limit
        assert memory.counters()["state_inputs_cut"] == 5

    asyncio.run(run())


@EACH
def test_a_resumed_table_goes_on_alike(name: str) -> None:
    async def run() -> None:
        given = document()
        memory = await read(name, Scripted(), given, 17)
        other = make_memory(name, MemorySettings(generate=Scripted()))
        other.restore(json.loads(json.dumps(memory.snapshot())))
        for index in range(17, 40):
            for one in (memory, other):
                await one.observe(Chunk("doc", index, given.chunks[index]))
            for question in given.questions:
                assert await memory.context(question) == await other.context(question)
        assert memory.snapshot() == other.snapshot()
        assert memory.counters() == other.counters()

    asyncio.run(run())


def test_a_second_document_knows_nothing_of_the_first() -> None:
    async def run() -> None:
        model = Scripted()
        memory = await read("state-store", model, document(), 20)
        await memory.start("second", ())
        assert (await memory.context(document().questions[0])).text == ""
        await memory.observe(Chunk("second", 0, "It rained."))
        assert (await memory.context(document().questions[0])).text.endswith("noted yet.")
        assert table(model.prompts[-1]) == [NO_ROWS]

    asyncio.run(run())


def test_a_call_that_fails_fails_the_run() -> None:
    def broken(_: str) -> str:
        raise ModelError("the server is gone")

    with pytest.raises(ModelError, match="server is gone"):
        seen(broken, "It rained.")


def test_no_prompt_shows_a_chunk_that_has_not_come_and_none_an_old_one_whole() -> None:
    model = Scripted()
    asyncio.run(read("state-store", model, document(), 40))
    for index, prompt in enumerate(model.prompts):
        assert [n for n in range(40) if marker(n) in prompt] == [index]


def test_what_one_must_know_of_the_text_stands_with_the_rules() -> None:
    asked: list[Sequence[Message]] = []

    async def model(messages: Sequence[Message], **_: object) -> Completion:
        asked.append(messages)
        return Completion('{"rows": []}')

    settings = MemorySettings(generate=model, prompts=Prompts("Voids undo."))
    memory = make_memory("state-store", settings)

    async def run() -> None:
        await memory.start("doc", ())
        await memory.observe(Chunk("doc", 0, "It rained."))

    asyncio.run(run())
    assert asked[0][0].content.endswith("\n\nAbout the text\nVoids undo.")


def test_a_rehearsed_reply_can_be_read_and_quotes_the_piece() -> None:
    model = Scripted()
    given = document()
    asyncio.run(read("state-store", model, given, 3))
    reply = StateStore.rehearse("state", [Message("user", model.prompts[2])])
    found = parsed(reply, Changes)
    assert found is not None
    assert [row.source for row in found.rows] == [f"Belka went to the {PLACES[2]}."]
    assert occurs(found.rows[0].source, given.chunks[2])
    long = model.prompts[2].replace(given.chunks[2], "Ruvo went to the hall. " * 400)
    many = parsed(StateStore.rehearse("state", [Message("user", long)]), Changes)
    assert many is not None
    assert len(many.rows) == 16
    assert parsed(StateStore.rehearse("state", [Message("user", "# Table\n")]), Changes) is not None


@EACH
def test_a_plan_has_the_calls_of_a_run_and_about_its_input(name: str) -> None:
    """Both with the estimate; the run's rows are those of the scripted reader."""
    given = document(20)
    plan = asyncio.run(plan_stream(given, memory_kind(name).make, MemorySettings()))
    stage = plan.stages["state"]
    model = Scripted()
    asyncio.run(read(name, model, given, 20))
    assert stage.calls == len(model.prompts) == 20
    sent = sum(model.whole) + 20 * TEMPLATE_TOKENS
    assert stage.input_tokens == pytest.approx(sent, rel=0.15)
    assert stage.output_tokens == 20 * 2_048


def test_a_thousand_chunks_keep_prompts_short() -> None:
    """Five thousand rows in the end; what the model and a question see stays bounded."""

    def rule(prompt: str) -> str:
        name = piece(prompt).split()[0]
        return always(*({"key": f"{name} {n} / place", "value": "hall"} for n in range(5)))("")

    async def run() -> None:
        model = Scripted(rule)
        memory = await read("state-store", model, document(), 0)
        for index in range(1_000):
            await memory.observe(Chunk("doc", index, f"thing{index} came up."))
            await memory.context(document().questions[0])
        assert len(model.prompts) == 1_000
        assert max(len(table(prompt)) for prompt in model.prompts) == 60
        assert len(rows(await memory.context(document().questions[0]))) == 300

    asyncio.run(run())
