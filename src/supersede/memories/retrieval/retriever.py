"""What a retriever is: it takes chunks as they are revealed, and ranks them for a query."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias


class Retriever(Protocol):
    """Ranks the chunks of one document that have been revealed; it is never given others."""

    name: str
    """For reports, with the model where there is one."""
    deviation: str | None
    """How it differs from the published retriever (O-116); None where it is that one."""

    def clear(self) -> None:
        """Forget everything."""
        ...

    async def add(self, index: int, text: str) -> None:
        """Take in the next chunk, by its text alone; its index goes into what is indexed."""
        ...

    async def rank(self, queries: Sequence[str]) -> list[tuple[int, ...]]:
        """For each query all chunks taken, best first; of equals, the later one first."""
        ...

    def counters(self) -> Mapping[str, float]:
        """What was split or cut, and calls made."""
        ...

    def snapshot(self) -> dict[str, Any]:
        """All state as JSON data."""
        ...

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up the state of a snapshot."""
        ...


MakeRetriever: TypeAlias = Callable[[], Retriever]
"""Makes the retriever of one document."""
