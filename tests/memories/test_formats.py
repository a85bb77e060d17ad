"""The texts of contexts, to the letter (O-104 to O-122)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.memories.made import begun, document, hashing

from supersede.memories import MemorySettings
from supersede.model.memory import Context
from supersede.model.stream import Stream, StreamQuestion

THREE = Stream(
    "s", ("red apples", "pears are green", "blue plums"),
    (StreamQuestion("q", "Where are pears?", "tracking", ((),) * 3),), "babi",
)  # fmt: skip


def context(name: str, given: Stream, upto: int, **settings: Any) -> Context:
    async def run() -> Context:
        memory = await begun(name, given, MemorySettings(**settings), upto=upto)
        return await memory.context(given.questions[0])

    return asyncio.run(run())


def test_base_is_all_chunks_in_order() -> None:
    got = context("base", THREE, 3)
    assert got.text == "red apples\n\npears are green\n\nblue plums"
    assert (got.chunks, got.shared, got.head) == ((0, 1, 2), True, None)


@pytest.mark.parametrize(("last", "first"), [(29, 0), (30, 1), (31, 2)])
def test_the_window_shows_the_latest_thirty(last: int, first: int) -> None:
    given = document()
    got = context("window", given, last + 1)
    assert got.chunks == tuple(range(first, last + 1))
    assert got.text == "\n\n".join(given.chunks[first : last + 1])


def test_rag_shows_what_it_found_under_its_title() -> None:
    got = context("rag", THREE, 3, top_k=1)
    assert got.text == "- Retrieved context:\n# chunk index: 1, context: pears are green"
    assert got.head == "# chunk index: 2, question: Where are pears?"


def test_rag_shows_chunks_as_they_came_or_the_best_first() -> None:
    assert context("rag", THREE, 3).text == (
        "- Retrieved context:\n# chunk index: 0, context: red apples\n"
        "# chunk index: 1, context: pears are green\n# chunk index: 2, context: blue plums"
    )
    got = context("rag", THREE, 3, order="score")
    assert got.chunks[0] == 1
    assert got.chunks == got.notes["ranking"]


def test_rag_retrieves_thirty_and_all_where_there_are_fewer() -> None:
    assert len(context("rag", document(), 29).chunks) == 29
    assert len(context("rag", document(), 30).chunks) == 30
    assert len(context("rag", document(), 31).chunks) == 30


def test_rag_may_be_kept_from_the_current_chunk() -> None:
    assert 2 in context("rag", THREE, 3).chunks
    assert context("rag", THREE, 3, retrieve_current=False).chunks == (0, 1)


def test_rag_window_shows_both_under_their_titles() -> None:
    got = context("rag+window", THREE, 3, retrieved=1, recent=1)
    assert got.text == (
        "- Retrieved context:\n# chunk index: 1, context: pears are green\n\n"
        "# Recent Chunks:\n# chunk index: 2, context: blue plums"
    )
    assert got.head == "Current Head Index: 2, question: Where are pears?"


def test_rag_window_is_fifteen_and_fifteen_without_overlap() -> None:
    for upto in (1, 15, 16, 30, 31, 40):
        got = context("rag+window", document(), upto)
        assert got.chunks[-15:] == tuple(range(max(0, upto - 15), upto))
        assert len(got.chunks) == len(set(got.chunks)) == min(30, upto)


def test_rag_window_has_one_title_while_all_is_recent() -> None:
    assert context("rag+window", THREE, 2).text.startswith("# Recent Chunks:\n# chunk index: 0,")


class Listening:
    """A retriever that remembers what it is given and asked."""

    name, deviation = "listening", None

    def __init__(self) -> None:
        self.added: list[tuple[int, str]] = []
        self.asked: list[str] = []

    def clear(self) -> None:
        self.added, self.asked = [], []

    async def add(self, index: int, text: str) -> None:
        self.added.append((index, text))

    async def rank(self, queries: Any) -> list[tuple[int, ...]]:
        self.asked += queries
        return [tuple(n for n, _ in self.added)] * len(queries)

    def counters(self) -> dict[str, float]:
        return {}

    def snapshot(self) -> dict[str, Any]:
        return {}

    def restore(self, state: Any) -> None:
        pass


def test_a_retriever_gets_each_chunk_when_it_comes_and_the_published_query() -> None:
    heard = Listening()
    context("rag", THREE, 2, retriever=lambda: heard)
    assert heard.added == [(0, "red apples"), (1, "pears are green")]
    assert heard.asked == [
        "# chunk index: 0, question: Where are pears?",
        "# chunk index: 1, question: Where are pears?",
    ]


def test_contexts_that_show_everything_in_order_are_shared() -> None:
    async def run(upto: int) -> list[Context]:
        given = document()
        memory = await begun("rag", given, hashing(), upto=upto)
        return [await memory.context(one) for one in given.questions]

    early, late = asyncio.run(run(20)), asyncio.run(run(40))
    assert all(one.shared and one.text == early[0].text for one in early)
    assert not any(one.shared for one in late)
