"""An object as a cache key: the same object, whatever its content."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, eq=False, slots=True)
class Same(Generic[T]):
    """Hashes and compares by identity, since hashing a specification costs more than it saves.

    It holds the object, so an identity is never given to another one while an entry lives.
    """

    value: T

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.value is other.value
