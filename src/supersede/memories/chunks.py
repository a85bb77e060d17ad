"""What all memories that show chunks have in common: they keep them, and only what was revealed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from supersede.errors import DataError
from supersede.memories.budget import Budget
from supersede.memories.prompts import Prompts, blanked
from supersede.memories.retrieval.retriever import MakeRetriever
from supersede.model.memory import Chunk, Context
from supersede.model.protocols import Generate
from supersede.model.stream import StreamQuestion

if TYPE_CHECKING:
    from supersede.memories.retrieval.embedder import Embedder


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """What a memory may need; each takes what concerns it."""

    budget: Budget = field(default_factory=Budget)
    prompts: Prompts = field(default_factory=Prompts)
    """Of the document: they take a part of the budget."""
    retriever: MakeRetriever | None = None
    """Makes the retriever of a document; left out, BM25."""
    window: int = 30
    """Latest chunks that `window` shows (O-120)."""
    top_k: int = 30
    """Chunks that `rag` retrieves (O-118)."""
    retrieved: int = 15
    """Chunks that `rag+window` retrieves (O-121)."""
    recent: int = 15
    """Latest chunks that `rag+window` shows (O-121)."""
    order: Literal["index", "score"] = "index"
    """How retrieved chunks stand in the prompt: as they came, or the best first (O-119)."""
    retrieve_current: bool = True
    """Whether the latest chunk may be retrieved (C-021)."""
    shown: int | None = None
    """Chunks or notes that memories with a model show; each has its own number where left out."""
    generate: Generate | None = None
    """The model of memories that ask one while they read."""
    embedder: Embedder | None = None
    """What memories with vectors compare texts by; left out, hashed words."""


class ChunkMemory(ABC):
    """A memory that keeps every chunk as it stands."""

    name: str
    """Set where the memory is registered."""
    uses: ClassVar[frozenset[str]] = frozenset()
    """Of `retriever`, `embedder` and `shown` those settings that change what this memory does."""
    question_aware_writes: ClassVar[bool] = False
    """Whether what it keeps of the text depends on the questions."""
    _room: int | None

    def __init__(self, settings: MemorySettings) -> None:
        self.settings = settings
        self._begin("", ())

    async def start(self, stream: str, questions: Sequence[StreamQuestion]) -> None:
        """Forget everything and begin a document."""
        self._begin(stream, blanked(questions))
        self._room = self._room_beside(self._questions)

    def _begin(self, stream: str, questions: tuple[StreamQuestion, ...]) -> None:
        self._stream = stream
        self._questions = questions
        self._chunks: list[str] = []
        self._sizes: list[int] = []
        self._counters: dict[str, float] = {"chunks": 0, "contexts_cut": 0, "chunks_left_out": 0}
        self._room = None

    def _room_beside(self, questions: Sequence[StreamQuestion]) -> int | None:
        """Tokens of context beside the longest prompt, so that all questions see the same."""
        prompts, counter = self.settings.prompts, self.settings.budget.counter
        longest = max(
            (prompts.tokens(one, counter, self._head(one, 9_999)) for one in questions), default=0
        )
        return self.settings.budget.room(longest)

    async def observe(self, chunk: Chunk) -> None:
        """Take in the next chunk.

        Raises:
            ValueError: It is of another document, or not the next one.
        """
        if chunk.stream != self._stream or chunk.index != len(self._chunks):
            raise ValueError(
                f"chunk {chunk.index} of {chunk.stream!r} where {len(self._chunks)} of "
                f"{self._stream!r} is due"
            )
        self._chunks.append(chunk.text)
        self._sizes.append(self.settings.budget.counter.count(self._shown(chunk)) + 1)
        self._counters["chunks"] += 1
        await self._take(chunk)

    def _shown(self, chunk: Chunk) -> str:
        """A chunk as the context shows it."""
        return chunk.text

    def _head(self, question: StreamQuestion, index: int) -> str | None:
        """The question line, where the memory words it."""
        return None

    @abstractmethod
    async def _take(self, chunk: Chunk) -> None:
        """Do what is to be done once for each chunk; it has been kept already."""

    @abstractmethod
    async def context(self, question: StreamQuestion) -> Context:
        """The context of a question now."""

    def _count_cut(self, contexts: int, chunks: int) -> None:
        self._counters["contexts_cut"] += contexts
        self._counters["chunks_left_out"] += chunks

    def counters(self) -> Mapping[str, float]:
        """Chunks taken, contexts that had to be cut, and chunks that this left out."""
        return dict(self._counters)

    def snapshot(self) -> dict[str, Any]:
        """All state as JSON data."""
        return {
            "memory": self.name,
            "stream": self._stream,
            "questions": [
                {"id": one.id, "text": one.text, "type": one.type, "options": list(one.options)}
                for one in self._questions
            ],
            "chunks": list(self._chunks),
            "sizes": list(self._sizes),
            "counters": dict(self._counters),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up the state of a snapshot.

        Raises:
            DataError: It is of another memory.
        """
        if state["memory"] != self.name:
            raise DataError(
                f"a snapshot of memory {state['memory']!r} cannot go on as {self.name!r}",
                mend="Resume with the memory that the run began with.",
            )
        questions = tuple(
            StreamQuestion(one["id"], one["text"], one["type"], (), (), tuple(one["options"]))
            for one in state["questions"]
        )
        self._begin(state["stream"], questions)
        self._chunks = list(state["chunks"])
        self._sizes = list(state["sizes"])
        self._counters = dict(state["counters"])
        self._room = self._room_beside(questions)
