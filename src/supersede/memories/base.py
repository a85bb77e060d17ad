"""`base`: everything that has been revealed, in order (O-104).

Where that is longer than the model's window, the oldest chunks are left out, and no more of them
than needed (O-105).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from supersede.memories.budget import fitting
from supersede.memories.chunks import ChunkMemory, MemorySettings
from supersede.memories.formats import PLAIN_BREAK
from supersede.memories.registry import memory
from supersede.model.memory import Chunk, Context
from supersede.model.stream import StreamQuestion


@memory("base", "everything so far, in order; the oldest is cut where the window is short")
class Base(ChunkMemory):
    """The longest run of latest chunks that the model can take."""

    def __init__(self, settings: MemorySettings) -> None:
        super().__init__(settings)
        self._context = Context("", shared=True)

    async def start(self, stream: str, questions: Sequence[StreamQuestion]) -> None:
        """Forget everything and begin a document."""
        await super().start(stream, questions)
        self._context = Context("", shared=True)

    async def _take(self, chunk: Chunk) -> None:
        self._context = self._latest()
        self._count_cut(int(self._context.truncated > 0), self._context.truncated)

    def _wanted(self) -> int:
        """How many of the latest chunks to show if they fit."""
        return len(self._chunks)

    def _latest(self) -> Context:
        end = len(self._chunks)
        wanted = self._wanted()
        kept = fitting(self._sizes[end - wanted :][::-1], self._room)
        first = end - kept
        return Context(
            PLAIN_BREAK.join(self._chunks[first:]),
            chunks=tuple(range(first, end)),
            shared=True,
            truncated=wanted - kept,
            notes={"tokens": sum(self._sizes[first:])},
        )

    async def context(self, question: StreamQuestion) -> Context:
        """What has been revealed; the same for every question."""
        return self._context

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up the state of a snapshot."""
        super().restore(state)
        self._context = self._latest() if self._chunks else Context("", shared=True)
