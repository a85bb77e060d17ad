"""Retrieval by words: BM25 with the library `bm25s` (MIT, pure Python on numpy).

Words are runs of letters or digits in lower case; none is left out or stemmed. What is common to
all chunks, as the wording of the index line is, weighs next to nothing. Weights depend on the
chunks revealed so far, so the index is made anew at each interval, from words counted once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import bm25s

from supersede.memories.formats import indexed
from supersede.memories.retrieval.retriever import best_first

_WORD = re.compile(r"\w+")


class Bm25:
    """Chunks ranked by the words that they share with the query."""

    name = "bm25"
    deviation: str | None = "BM25 by words in place of Qwen3-Embedding-0.6B by cosine"

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self._texts: list[str] = []
        self._words: list[list[int]] = []
        self._vocabulary: dict[str, int] = {}
        self._index: Any = None

    async def add(self, index: int, text: str) -> None:
        """Take in the next chunk."""
        self._add(index, text)

    def _add(self, index: int, text: str) -> None:
        known = self._vocabulary
        self._texts.append(text)
        words = _words(indexed(index, text))
        self._words.append([known.setdefault(word, len(known)) for word in words])
        self._index = None

    async def rank(self, queries: Sequence[str]) -> list[tuple[int, ...]]:
        """For each query all chunks, best first."""
        return [best_first(self._scores(query)) for query in queries]

    def _scores(self, query: str) -> list[float]:
        if self._index is None:
            self._index = bm25s.BM25()
            self._index.index(
                (self._words, self._vocabulary), create_empty_token=False, show_progress=False
            )
        asked = [n for word in _words(query) if (n := self._vocabulary.get(word)) is not None]
        if not asked:
            return [0.0] * len(self._words)
        return [float(score) for score in self._index.get_scores_from_ids(asked)]

    def counters(self) -> Mapping[str, float]:
        """Nothing is cut, and no model is called."""
        return {}

    def snapshot(self) -> dict[str, Any]:
        """All state as JSON data."""
        return {"texts": list(self._texts)}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up the state of a snapshot."""
        self.clear()
        for index, text in enumerate(state["texts"]):
            self._add(index, text)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
