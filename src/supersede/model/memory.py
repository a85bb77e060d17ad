"""What a memory is: it observes chunks in order and gives a context for a question.

A memory is handed only what has been revealed, so the future cannot leak. Whoever drives it
observes a chunk, waits, asks for all contexts of that interval, and only then goes on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from supersede.model.stream import StreamQuestion


@dataclass(frozen=True, slots=True)
class Chunk:
    """One revealed chunk."""

    stream: str
    index: int
    """Zero-based."""
    text: str


@dataclass(frozen=True, slots=True)
class Context:
    """What the prompt shows of the past for one question at one interval."""

    text: str
    chunks: tuple[int, ...] = ()
    """Indices of the chunks that it shows, in the order shown; empty where text is derived."""
    head: str | None = None
    """The question line, where the memory words it (`Current Head Index: 3, question: ...`)."""
    shared: bool = False
    """Whether it is the same for every question of the interval."""
    truncated: int = 0
    """Chunks left out because the model's window is short."""
    closed_book: bool = False
    """Whether the question is asked without any text, so that the prompt must not speak of one."""
    notes: Mapping[str, Any] = field(default_factory=dict)
    """Scores, flags and other things for the report."""


class Memory(Protocol):
    """A context strategy for one document."""

    name: str

    async def start(self, stream: str, questions: Sequence[StreamQuestion]) -> None:
        """Forget everything and begin a document; answers in `questions` are blanked."""
        ...

    async def observe(self, chunk: Chunk) -> None:
        """Take in the next chunk; strictly in order."""
        ...

    async def context(self, question: StreamQuestion) -> Context:
        """The context of a question now; asking twice changes nothing."""
        ...

    def counters(self) -> Mapping[str, float]:
        """Calls and tokens by stage, parse failures, fallbacks, truncations so far."""
        ...

    def snapshot(self) -> dict[str, Any]:
        """All state as JSON data."""
        ...

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up the state of a snapshot."""
        ...
