"""`rag+window`: what looks most like the question, and what came last (O-121, O-122).

Retrieval looks only outside the window, so no chunk is shown twice. Where not all fits the model's
window, the lowest ranks are left out first, then the oldest of the latest chunks.
"""

from __future__ import annotations

from collections.abc import Sequence

from supersede.memories import formats
from supersede.memories.budget import fitting
from supersede.memories.rag import Rag
from supersede.memories.registry import memory
from supersede.model.stream import StreamQuestion

_BETWEEN = "\n\n"


@memory("rag+window", "15 retrieved chunks and the latest 15")
class RagWindow(Rag):
    """Retrieved chunks from before the window, then the window."""

    def _choose(self, ranking: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...], int]:
        end = len(self._chunks)
        first = max(0, end - self.settings.recent)
        wanted = [n for n in ranking if n < first][: self.settings.retrieved]
        room = self._left(formats.RETRIEVED, formats.RECENT, _BETWEEN)
        latest = fitting(self._sizes[first:][::-1], room)
        recent = tuple(range(end - latest, end))
        if room is not None:
            room -= sum(self._sizes[n] for n in recent)
        kept = 0 if latest < end - first else fitting([self._sizes[n] for n in wanted], room)
        cut = end - first - latest + len(wanted) - kept
        return self._ordered(wanted[:kept]), recent, cut

    def _text(self, retrieved: Sequence[int], recent: Sequence[int]) -> str:
        parts = (
            formats.listing(title, ((n, self._chunks[n]) for n in chunks))
            for title, chunks in ((formats.RETRIEVED, retrieved), (formats.RECENT, recent))
        )
        return _BETWEEN.join(part for part in parts if part)

    def _head(self, question: StreamQuestion, index: int) -> str | None:
        return formats.head_line(index, question.text)
