"""The vectors of `hipporag`: questions, passages and facts, embedded in one call a chunk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from supersede.errors import UsageError
from supersede.memories.hipporag_rank import Scores, cosines
from supersede.memories.retrieval.embedder import Embedder, HashingEmbedder, Vectors
from supersede.memories.retrieval.split import split
from supersede.memories.vectors import VectorTable


class Embedded:
    """What a document and its questions are compared by.

    Args:
        embedder: Makes the vectors; hashed words where left out.
    """

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = embedder or HashingEmbedder()
        self._questions: dict[str, int] = {}
        self._asked = VectorTable()
        self._windows = VectorTable()
        self._firsts: list[int] = []
        self._facts = VectorTable()
        self._counters: dict[str, float] = {
            "embedding_calls": 0,
            "embedded_texts": 0,
            "chunks_split": 0,
            "texts_cut": 0,
        }

    async def ask(self, questions: Sequence[str]) -> None:
        """Embeds those questions that are new."""
        new = [one for one in dict.fromkeys(questions) if one not in self._questions]
        if new:
            self._asked.add(await self._embed([self._first(one) for one in new], query=True))
            for one in new:
                self._questions[one] = len(self._questions)

    async def take(self, chunk: str, phrases: Sequence[str], facts: Sequence[str]) -> Vectors:
        """Embeds the next chunk, whole or in windows, and what is new with it.

        Returns:
            The vectors of the phrases.
        """
        windows = split(chunk, self._embedder.limit, self._embedder.count).texts
        short = [self._first(one) for one in (*phrases, *facts)]
        self._counters["chunks_split"] += len(windows) > 1
        rows = await self._embed([*windows, *short])
        self._firsts.append(len(self._windows))
        before, end = len(windows), len(windows) + len(phrases)
        self._windows.add(rows[:before])
        if facts:
            self._facts.add(rows[end:])
        return rows[before:end]

    def _first(self, text: str) -> str:
        """What the embedder reads of a short text: all of it, unless the text is absurd."""
        windows = split(text, self._embedder.limit, self._embedder.count).texts
        self._counters["texts_cut"] += len(windows) > 1
        return windows[0]

    async def _embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        self._counters["embedding_calls"] += 1
        self._counters["embedded_texts"] += len(texts)
        return await self._embedder.embed(texts, "query" if query else "passage")

    def facts_like(self, questions: Sequence[str]) -> Scores:
        """Cosine of each question, a row, with each fact."""
        return cosines(self._facts.cosines(self._rows(questions)))

    def passages_like(self, questions: Sequence[str]) -> Scores:
        """Cosine of each question, a row, with each chunk, or with the best of its windows."""
        found = cosines(self._windows.cosines(self._rows(questions)))
        best: Scores = np.maximum.reduceat(found, self._firsts, axis=1)
        return best

    def _rows(self, questions: Sequence[str]) -> Vectors:
        return self._asked.rows[[self._questions[one] for one in questions]]

    def counters(self) -> Mapping[str, float]:
        """Calls, texts, chunks in more than one window, and other texts that were cut."""
        return dict(self._counters)

    def snapshot(self) -> dict[str, Any]:
        """All state as JSON data."""
        return {
            "embedder": self._embedder.name,
            "questions": list(self._questions),
            "asked": self._asked.snapshot(),
            "windows": self._windows.snapshot(),
            "firsts": list(self._firsts),
            "facts": self._facts.snapshot(),
            "counters": dict(self._counters),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up the state of a snapshot.

        Raises:
            UsageError: It was made with another embedder.
        """
        if state["embedder"] != self._embedder.name:
            raise UsageError(
                f"the snapshot was made with {state['embedder']!r}, not {self._embedder.name!r}",
                mend="Resume with the embedder that the run began with.",
            )
        self._questions = {one: n for n, one in enumerate(state["questions"])}
        self._asked.restore(state["asked"])
        self._windows.restore(state["windows"])
        self._firsts = list(state["firsts"])
        self._facts.restore(state["facts"])
        self._counters = dict(state["counters"])
