"""The vectors of `hipporag`: questions, passages and facts, embedded in one call a chunk.

What a question and a text have in common never changes, so it is worked out once: at each interval
only what is new is compared with all questions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from supersede.errors import UsageError
from supersede.memories.hipporag_rank import Scores, cosines
from supersede.memories.retrieval.embedder import Embedder, HashingEmbedder, Vectors
from supersede.memories.retrieval.split import split
from supersede.memories.vectors import VectorTable


class Likeness:
    """Cosines of questions, a row each, with texts, a column each.

    Worked out in double precision, so that a cosine in the decimals that count does not depend on
    what others it is worked out with.

    Args:
        questions: Vectors of the questions; they and the texts may become more.
        texts: Vectors of the texts.
    """

    def __init__(self, questions: VectorTable, texts: VectorTable) -> None:
        self._questions = questions
        self._texts = texts
        self._known: Scores = np.zeros((0, 0))
        self._done = 0, 0

    def of(self, questions: Sequence[int]) -> Scores:
        """The cosines of some questions, by their places, with all texts."""
        self._complete()
        found: Scores = self._known[list(questions), : len(self._texts)]
        return found

    def _complete(self) -> None:
        """Works out what is not known yet."""
        wanted, done = (len(self._questions), len(self._texts)), self._done
        if wanted == done:
            return
        if wanted[0] > self._known.shape[0] or wanted[1] > self._known.shape[1]:
            grown = np.zeros((wanted[0], 2 * wanted[1]))
            grown[: done[0], : done[1]] = self._known[: done[0], : done[1]]
            self._known = grown
        asked, texts = self._questions.rows, self._texts.rows
        self._known[: done[0], done[1] : wanted[1]] = _products(asked[: done[0]], texts[done[1] :])
        self._known[done[0] : wanted[0], : wanted[1]] = _products(asked[done[0] :], texts)
        self._done = wanted


def _products(rows: Vectors, columns: Vectors) -> Scores:
    """Cosines of vectors of length one; where one of the two is missing, none."""
    if not len(rows) or not len(columns):
        return np.zeros((len(rows), len(columns)))
    return cosines(rows.astype(np.float64) @ columns.astype(np.float64).T)


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
        self._like_facts = Likeness(self._asked, self._facts)
        self._like_windows = Likeness(self._asked, self._windows)
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
        return self._like_facts.of(self._places(questions))

    def passages_like(self, questions: Sequence[str]) -> Scores:
        """Cosine of each question, a row, with each chunk, or with the best of its windows."""
        found = self._like_windows.of(self._places(questions))
        best: Scores = np.maximum.reduceat(found, self._firsts, axis=1)
        return best

    def _places(self, questions: Sequence[str]) -> list[int]:
        return [self._questions[one] for one in questions]

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
