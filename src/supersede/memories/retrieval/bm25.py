"""Retrieval by words: BM25 as Lucene has it, for chunks that come one by one.

Words are runs of letters or digits in lower case; none is left out or stemmed. What is common to
all chunks, as the wording of the index line is, weighs next to nothing. Weights depend on the
chunks revealed so far and change with each of them, so what is kept is what does not change: which
chunks have a word, and how often. Weights are worked out for the words that are asked for.
"""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supersede.memories.formats import indexed
from supersede.memories.ranking import best

_WORD = re.compile(r"\w+")
_SATURATION = 1.5
"""How soon it stops to count that a word comes again: `k1`."""
_LENGTHS = 0.75
"""How much the length of a chunk counts: `b`, 0 to 1."""


class _Holders(NamedTuple):
    """The chunks that have a word."""

    chunks: array[int]
    times: array[int]


class Bm25:
    """Chunks ranked by the words that they share with the query."""

    name = "bm25"
    deviation: str | None = "BM25 by words in place of Qwen3-Embedding-0.6B by cosine"

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self._texts: list[str] = []
        self._lengths = array("q")
        self._holders: dict[str, _Holders] = {}

    async def add(self, index: int, text: str) -> None:
        """Take in the next chunk."""
        self._add(index, text)

    def _add(self, index: int, text: str) -> None:
        place, words = len(self._texts), _words(indexed(index, text))
        self._texts.append(text)
        self._lengths.append(len(words))
        for word, times in Counter(words).items():
            holders = self._holders.get(word)
            if holders is None:
                holders = self._holders[word] = _Holders(array("q"), array("q"))
            holders.chunks.append(place)
            holders.times.append(times)

    async def rank(self, queries: Sequence[str]) -> list[tuple[int, ...]]:
        """For each query all chunks, best first."""
        return [best(row) for row in self._scores(queries)]

    def _scores(self, queries: Sequence[str]) -> list[NDArray[np.float32]]:
        """The score of each chunk for each query; in single precision, as is usual for it."""
        lengths = np.array(self._lengths, dtype=np.float64)
        mean = lengths.mean() if len(lengths) else 1.0
        inertia = _SATURATION * (1 - _LENGTHS + _LENGTHS * lengths / mean)
        weights: dict[str, tuple[NDArray[np.int64], NDArray[np.float32]]] = {}
        found = []
        for query in queries:
            scores = np.zeros(len(lengths), dtype=np.float32)
            for word in _words(query):
                if word not in self._holders:
                    continue
                if word not in weights:
                    weights[word] = self._weights(self._holders[word], inertia)
                chunks, given = weights[word]
                scores[chunks] += given
            found.append(scores)
        return found

    def _weights(
        self, holders: _Holders, inertia: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The chunks that have a word, and what it adds to the score of each."""
        chunks = np.array(holders.chunks, dtype=np.int64)
        times = np.array(holders.times, dtype=np.float64)
        rarity = math.log(1 + (len(inertia) - len(chunks) + 0.5) / (len(chunks) + 0.5))
        # Single precision where the library bm25s has it, so that rankings are the same.
        share = times / (inertia[chunks] + times)
        return chunks, (np.float32(rarity) * share).astype(np.float32)

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
