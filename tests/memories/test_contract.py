"""What every memory must keep: no future, the same twice, resumable anywhere, ordered reading."""

from __future__ import annotations

import asyncio
import json

import pytest
from tests.memories.made import NAMES, begun, document, hashing, marker, told

from supersede.errors import DataError, UsageError
from supersede.memories import Budget, MemorySettings, make_memory, memory_names
from supersede.model.memory import Chunk, Context
from supersede.model.stream import StreamQuestion

SMALL = {"window": 6, "top_k": 6, "retrieved": 3, "recent": 3}
SETTINGS = {
    "bm25": MemorySettings(**SMALL),  # type: ignore[arg-type] # numbers all
    "hashing": hashing(**SMALL),
    "short window": hashing(budget=Budget(limit=600)),
}
EVERY = [pytest.param(name, kind, id=f"{name}-{kind}") for name in NAMES for kind in SETTINGS]


def transcript(name: str, kind: str) -> list[tuple[int, str, str]]:
    given = document()
    rows: list[tuple[int, str, str]] = []

    async def run() -> None:
        memory = await begun(name, given, SETTINGS[kind])
        await told(memory, given, lambda n, question, text: rows.append((n, question.id, text)))

    asyncio.run(run())
    return rows


@pytest.mark.parametrize(("name", "kind"), EVERY)
def test_no_prompt_shows_a_chunk_that_has_not_come(name: str, kind: str) -> None:
    rows = transcript(name, kind)
    assert len(rows) == 40 * 5
    for now, _, text in rows:
        assert not [n for n in range(now + 1, 40) if marker(n) in text]


@pytest.mark.parametrize(("name", "kind"), EVERY)
def test_the_chunks_named_are_the_ones_shown_each_once(name: str, kind: str) -> None:
    async def run() -> None:
        given = document()
        memory = await begun(name, given, SETTINGS[kind], upto=23)
        for question in given.questions:
            context = await memory.context(question)
            shown = [n for n in range(40) if marker(n) in context.text]
            assert sorted(context.chunks) == shown
            assert [context.text.index(marker(n)) for n in context.chunks] == sorted(
                context.text.index(marker(n)) for n in shown
            )
            assert all(context.text.count(marker(n)) == 1 for n in shown)

    asyncio.run(run())


@pytest.mark.parametrize(("name", "kind"), EVERY)
def test_two_runs_give_the_same_bytes(name: str, kind: str) -> None:
    assert transcript(name, kind) == transcript(name, kind)


@pytest.mark.parametrize("name", NAMES)
def test_asking_changes_nothing(name: str) -> None:
    async def run() -> None:
        given = document()
        memory = await begun(name, given, SETTINGS["hashing"], upto=20)
        before = memory.snapshot(), memory.counters()
        first = [await memory.context(one) for one in given.questions]
        again = [await memory.context(one) for one in given.questions]
        assert first == again
        assert (memory.snapshot(), memory.counters()) == before

    asyncio.run(run())


@pytest.mark.parametrize("name", NAMES)
def test_asking_all_at_once_gives_what_asking_in_turn_gives(name: str) -> None:
    async def run() -> None:
        given = document()
        memory = await begun(name, given, SETTINGS["bm25"], upto=20)
        together = await asyncio.gather(*(memory.context(one) for one in given.questions))
        assert together == [await memory.context(one) for one in given.questions]

    asyncio.run(run())


@pytest.mark.parametrize(("name", "kind"), EVERY)
def test_a_snapshot_goes_on_as_if_nothing_had_happened(name: str, kind: str) -> None:
    async def run() -> None:
        given = document()
        memory = await begun(name, given, SETTINGS[kind], upto=17)
        state = json.loads(json.dumps(memory.snapshot()))
        other = make_memory(name, SETTINGS[kind])
        other.restore(state)
        assert [await other.context(one) for one in given.questions] == [
            await memory.context(one) for one in given.questions
        ]
        rows: list[list[str]] = []
        for one in (memory, other):
            texts: list[str] = []
            await told(one, given, lambda _n, _q, text, into=texts: into.append(text), 17)  # type: ignore[misc]
            rows.append(texts)
        assert rows[0] == rows[1]
        assert memory.counters() == other.counters()
        assert memory.snapshot() == other.snapshot()

    asyncio.run(run())


def test_a_snapshot_of_another_memory_is_refused() -> None:
    state = asyncio.run(begun("window", document(), upto=2)).snapshot()
    with pytest.raises(DataError, match="window"):
        make_memory("base", MemorySettings()).restore(state)


@pytest.mark.parametrize("name", NAMES)
def test_a_snapshot_knows_no_answer(name: str) -> None:
    given = document()
    memory = asyncio.run(begun(name, given, SETTINGS["hashing"], upto=1))
    text = json.dumps(memory.snapshot())
    assert "Unknown" not in text
    assert "cellar" not in text


@pytest.mark.parametrize("name", NAMES)
def test_chunks_come_in_order_and_from_one_document(name: str) -> None:
    async def run(chunk: Chunk) -> None:
        memory = await begun(name, document(), SETTINGS["hashing"], upto=2)
        await memory.observe(chunk)

    for chunk in (Chunk("doc", 1, "x"), Chunk("doc", 3, "x"), Chunk("other", 2, "x")):
        with pytest.raises(ValueError, match="is due"):
            asyncio.run(run(chunk))


@pytest.mark.parametrize("name", NAMES)
def test_a_second_document_knows_nothing_of_the_first(name: str) -> None:
    async def run() -> list[Context]:
        memory = await begun(name, document(), SETTINGS["bm25"], upto=20)
        second = document(name="second")
        await memory.start("second", second.questions)
        empty = await memory.context(second.questions[0])
        assert (empty.text, empty.chunks) == ("", ())
        await memory.observe(Chunk("second", 0, second.chunks[3]))
        return [await memory.context(one) for one in second.questions]

    for context in asyncio.run(run()):
        assert context.chunks == (0,)
        assert marker(3) in context.text
        assert not [n for n in range(40) if n != 3 and marker(n) in context.text]


@pytest.mark.parametrize("name", NAMES)
def test_a_question_that_was_not_announced_is_answered_too(name: str) -> None:
    async def run() -> Context:
        memory = await begun(name, document(), SETTINGS["bm25"], upto=9)
        return await memory.context(StreamQuestion("new", f"What of {marker(0)}?", "t", ()))

    context = asyncio.run(run())
    assert ("rag" not in name) or 0 in context.chunks


def test_names_are_the_four_and_a_mistyped_one_is_led_right() -> None:
    assert set(memory_names()) >= {"base", "window", "rag", "rag+window"}
    with pytest.raises(UsageError, match="Did you mean 'window'"):
        make_memory("windw", MemorySettings())
