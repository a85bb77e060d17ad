"""What memories must keep that show chunks as they stand."""

from __future__ import annotations

import asyncio

import pytest
from tests.memories.made import NAMES, begun, document, hashing, marker

from supersede.errors import UsageError
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


@pytest.mark.parametrize("name", NAMES)
def test_of_a_second_document_its_own_chunks_are_shown(name: str) -> None:
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
def test_what_looks_like_a_question_that_was_not_announced_is_found(name: str) -> None:
    async def run() -> Context:
        memory = await begun(name, document(), SETTINGS["bm25"], upto=9)
        return await memory.context(StreamQuestion("new", f"What of {marker(0)}?", "t", ()))

    context = asyncio.run(run())
    assert ("rag" not in name) or 0 in context.chunks


def test_names_are_the_four_and_a_mistyped_one_is_led_right() -> None:
    assert set(memory_names()) >= {"base", "window", "rag", "rag+window"}
    with pytest.raises(UsageError, match="Did you mean 'window'"):
        make_memory("windw", MemorySettings())
