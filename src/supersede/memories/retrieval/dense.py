"""Retrieval by meaning: cosine between vectors of an embedder (O-116).

An embedder reads texts up to a length. A longer chunk is split into windows, each with the
chunk's index line, and counts as much as the best of them; nothing of it is lost unseen.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from supersede.errors import UsageError
from supersede.memories.formats import indexed
from supersede.memories.ranking import best
from supersede.memories.retrieval.embedder import Embedder, Vectors
from supersede.memories.retrieval.split import split
from supersede.memories.vectors import unit

PUBLISHED = "Qwen/Qwen3-Embedding-0.6B"
"""The embedder of the published RAG (O-116)."""


class Dense:
    """Chunks ranked by the cosine of their best window with the query."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self.name = f"dense:{embedder.name}"
        self.deviation: str | None = (
            None if embedder.name == PUBLISHED else f"{embedder.name} in place of {PUBLISHED}"
        )
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self._vectors: list[Vectors] = []
        self._counters: dict[str, float] = {
            "embedding_calls": 0,
            "embedded_texts": 0,
            "chunks_split": 0,
            "windows": 0,
            "characters_cut": 0,
            "queries_cut": 0,
        }

    async def add(self, index: int, text: str) -> None:
        """Take in the next chunk."""
        room = self.embedder.limit - self.embedder.count(indexed(index, ""))
        if room < 1:
            raise UsageError(
                f"{self.embedder.name} reads {self.embedder.limit} tokens, too few for a chunk",
                mend="Take an embedder that reads longer texts.",
            )
        windows = split(text, room, self.embedder.count)
        self._counters["chunks_split"] += len(windows.texts) > 1
        self._counters["windows"] += len(windows.texts)
        self._counters["characters_cut"] += windows.cut
        shown = [indexed(index, window) for window in windows.texts]
        self._count_call(shown)
        self._vectors.append(unit(await self.embedder.embed(shown, "passage")))

    async def rank(self, queries: Sequence[str]) -> list[tuple[int, ...]]:
        """For each query all chunks, best first."""
        if not queries:
            return []
        asked = [split(one, self.embedder.limit, self.embedder.count).texts for one in queries]
        self._counters["queries_cut"] += sum(len(windows) > 1 for windows in asked)
        firsts = [windows[0] for windows in asked]
        self._count_call(firsts)
        vectors = unit(await self.embedder.embed(firsts, "query"))
        scores = np.stack([(vectors @ windows.T).max(axis=1) for windows in self._vectors], axis=1)
        return [best(row) for row in scores]

    def _count_call(self, texts: Sequence[str]) -> None:
        self._counters["embedding_calls"] += 1
        self._counters["embedded_texts"] += len(texts)

    def counters(self) -> Mapping[str, float]:
        """Calls, texts, chunks that were split, and what was cut."""
        return dict(self._counters)

    def snapshot(self) -> dict[str, Any]:
        """All state as JSON data."""
        vectors = [
            {"shape": list(one.shape), "float32": base64.b64encode(one.tobytes()).decode("ascii")}
            for one in self._vectors
        ]
        return {
            "embedder": self.embedder.name,
            "vectors": vectors,
            "counters": dict(self._counters),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up the state of a snapshot.

        Raises:
            UsageError: It was made with another embedder.
        """
        if state["embedder"] != self.embedder.name:
            raise UsageError(
                f"the snapshot was made with {state['embedder']!r}, not {self.embedder.name!r}",
                mend="Resume with the retriever that the run began with.",
            )
        self._vectors = [
            np.frombuffer(base64.b64decode(one["float32"]), np.float32).reshape(one["shape"])
            for one in state["vectors"]
        ]
        self._counters = dict(state["counters"])
