"""`window`: only the latest chunks (O-120)."""

from __future__ import annotations

from typing import ClassVar

from supersede.memories.base import Base
from supersede.memories.registry import memory


@memory("window", "the latest 30 chunks")
class Window(Base):
    """The latest chunks; fewer where the model's window is short."""

    uses: ClassVar[frozenset[str]] = frozenset({"shown"})
    shown: ClassVar[int] = 30

    def _wanted(self) -> int:
        return min(len(self._chunks), self.settings.window)
