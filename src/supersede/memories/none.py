"""`none`: nothing at all, the closed-book control (X-020).

Each question is asked at each interval as with any other memory, without a word of the text: what
is right then comes from what the model brings along, or from guessing. The rules of such a prompt
say so, since those of all others tell a model to trust the text alone.
"""

from __future__ import annotations

from supersede.memories.chunks import ChunkMemory
from supersede.memories.registry import memory
from supersede.model.memory import Chunk, Context
from supersede.model.stream import StreamQuestion

_NOTHING = Context("", shared=True, closed_book=True, notes={"tokens": 0})


@memory("none", "nothing: closed-book, to see what the model knows or guesses without the text")
class Nothing(ChunkMemory):
    """Shows nothing of what was revealed."""

    async def _take(self, chunk: Chunk) -> None:
        """Nothing is made of a chunk."""

    async def context(self, question: StreamQuestion) -> Context:
        """No text, and the word for the prompt that there is none."""
        return _NOTHING
