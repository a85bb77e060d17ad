"""What memories that ask a model while they read have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from supersede.memories.asking import MemoryModel, Stage
from supersede.memories.chunks import ChunkMemory, MemorySettings
from supersede.memories.follow import AsHeard, Follow, Heard
from supersede.model.instance import Message
from supersede.model.stream import StreamQuestion


class ModelMemory(ChunkMemory):
    """A memory with a model: it keeps every chunk, and what it made of them beside."""

    stages: ClassVar[tuple[Stage, ...]]
    """What it asks its model for."""

    def __init__(self, settings: MemorySettings) -> None:
        self.model = MemoryModel(settings.generate)
        super().__init__(settings)

    @staticmethod
    @abstractmethod
    def rehearse(stage: str, messages: Sequence[Message]) -> str:
        """A well-formed reply of common length, for plans: no model is asked."""

    @staticmethod
    def follow(stage: str, heard: Sequence[Heard]) -> Follow:
        """How replies to a stage go on that a model began to give: as they were, if not otherwise.

        Args:
            stage: The stage.
            heard: Replies to it of an earlier run, document by document in order.
        """
        return AsHeard()

    async def start(self, stream: str, questions: Sequence[StreamQuestion]) -> None:
        """Forget everything and begin a document."""
        self.model.clear()
        await super().start(stream, questions)

    def counters(self) -> Mapping[str, float]:
        """Those of every memory, and calls and tokens by stage."""
        return {**super().counters(), **self.model.counters()}

    def snapshot(self) -> dict[str, Any]:
        """All state as JSON data."""
        return {**super().snapshot(), "calls": dict(self.model.counters())}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up the state of a snapshot."""
        super().restore(state)
        self.model.restore(state["calls"])
