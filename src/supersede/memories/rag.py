"""`rag`: the chunks that look most like the question (O-114 to O-119).

All questions are ranked when a chunk comes in, at once, so that a retriever can take them
together and a context is only read afterwards. Where not all that was retrieved fits the model's
window, the lowest ranks are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from supersede.memories import formats
from supersede.memories.budget import fitting
from supersede.memories.chunks import ChunkMemory, MemorySettings
from supersede.memories.registry import memory
from supersede.memories.retrieval.choose import make_retriever
from supersede.model.memory import Chunk, Context
from supersede.model.stream import StreamQuestion

_BM25 = make_retriever("bm25")


@memory("rag", "the 30 chunks that look most like the question")
class Rag(ChunkMemory):
    """The chunks that a retriever ranks highest, among those revealed."""

    uses: ClassVar[frozenset[str]] = frozenset({"retriever", "shown"})
    shown: ClassVar[int] = 30

    def __init__(self, settings: MemorySettings) -> None:
        super().__init__(settings)
        self.retriever = (settings.retriever or _BM25)()
        self._rankings: dict[str, tuple[int, ...]] = {}

    async def start(self, stream: str, questions: Sequence[StreamQuestion]) -> None:
        """Forget everything and begin a document."""
        await super().start(stream, questions)
        self._rankings = {}
        self.retriever.clear()

    async def _take(self, chunk: Chunk) -> None:
        await self.retriever.add(chunk.index, chunk.text)
        rankings = await self._rank(self._questions)
        self._rankings = dict(zip((one.id for one in self._questions), rankings, strict=True))
        cut = [self._choose(ranking)[2] for ranking in rankings]
        self._count_cut(sum(1 for n in cut if n), sum(cut))

    async def _rank(self, questions: Sequence[StreamQuestion]) -> list[tuple[int, ...]]:
        now = len(self._chunks) - 1
        return await self.retriever.rank([formats.query(now, one.text) for one in questions])

    async def context(self, question: StreamQuestion) -> Context:
        """What was retrieved for a question."""
        if not self._chunks:
            return Context("", shared=True)
        ranking = self._rankings.get(question.id)
        if ranking is None:
            (ranking,) = await self._rank([question])
        retrieved, recent, cut = self._choose(ranking)
        shown = (*retrieved, *recent)
        return Context(
            self._text(retrieved, recent),
            chunks=shown,
            head=self._head(question, len(self._chunks) - 1),
            shared=shown == tuple(range(len(self._chunks))),
            truncated=cut,
            notes={"tokens": self._tokens(retrieved, recent), "ranking": ranking},
        )

    def _choose(self, ranking: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...], int]:
        """Retrieved chunks in the order shown, latest chunks, and how many did not fit."""
        wanted = self._wanted(ranking)
        kept = fitting([self._sizes[n] for n in wanted], self._left(formats.RETRIEVED))
        return self._ordered(wanted[:kept]), (), len(wanted) - kept

    def _wanted(self, ranking: Sequence[int]) -> list[int]:
        """The chunks to show if they fit, best first."""
        now, most = len(self._chunks) - 1, self.settings.top_k
        first = ranking[: most + 1]  # of which the latest may have to go
        return [n for n in first if n != now or self.settings.retrieve_current][:most]

    def _ordered(self, chosen: Sequence[int]) -> tuple[int, ...]:
        return tuple(sorted(chosen) if self.settings.order == "index" else chosen)

    def _left(self, *titles: str) -> int | None:
        """Tokens of context beside its titles."""
        if self._room is None:
            return None
        return self._room - sum(map(self.settings.budget.counter.count, titles))

    def _tokens(self, retrieved: Sequence[int], recent: Sequence[int]) -> int:
        count = self.settings.budget.counter.count
        titles = [
            count(title)
            for title, chunks in ((formats.RETRIEVED, retrieved), (formats.RECENT, recent))
            if chunks
        ]
        return sum(self._sizes[n] for n in (*retrieved, *recent)) + sum(titles)

    def _text(self, retrieved: Sequence[int], recent: Sequence[int]) -> str:
        return formats.listing(formats.RETRIEVED, ((n, self._chunks[n]) for n in retrieved))

    def _shown(self, chunk: Chunk) -> str:
        return formats.indexed(chunk.index, chunk.text)

    def _head(self, question: StreamQuestion, index: int) -> str | None:
        return formats.query(index, question.text)

    def counters(self) -> Mapping[str, float]:
        """Those of every memory, and what the retriever counts."""
        return {**super().counters(), **self.retriever.counters()}

    def snapshot(self) -> dict[str, Any]:
        """All state as JSON data."""
        rankings = {name: list(ranking) for name, ranking in self._rankings.items()}
        return {
            **super().snapshot(),
            "rankings": rankings,
            "retriever": self.retriever.snapshot(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up the state of a snapshot."""
        super().restore(state)
        self._rankings = {name: tuple(ranking) for name, ranking in state["rankings"].items()}
        self.retriever.restore(state["retriever"])
