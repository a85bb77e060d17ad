"""What an embedder is, and one without a model: words hashed into a vector."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Kind: TypeAlias = Literal["passage", "query"]
Vectors: TypeAlias = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into vectors whose angle says how alike they are."""

    name: str
    limit: int
    """Tokens of a text that it reads; what is longer must be split."""

    def count(self, text: str) -> int:
        """Tokens of a text, as it counts them."""
        ...

    async def embed(self, texts: Sequence[str], kind: Kind) -> Vectors:
        """One row for each text."""
        ...


_WORD = re.compile(r"\w+")


class HashingEmbedder:
    """Words hashed into signed places of a vector: no model, the same everywhere."""

    def __init__(self, size: int = 256, limit: int = 512) -> None:
        """An embedder.

        Args:
            size: Length of the vectors.
            limit: Words that it reads.
        """
        self.name = f"hashing-{size}"
        self.size = size
        self.limit = limit

    def count(self, text: str) -> int:
        """Words of a text."""
        return len(_WORD.findall(text))

    async def embed(self, texts: Sequence[str], kind: Kind) -> Vectors:
        """One row for each text."""
        rows = np.zeros((len(texts), self.size), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in _WORD.findall(text.casefold())[: self.limit]:
                drawn = int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "big")
                row[drawn % self.size] += 1.0 if drawn >> 63 else -1.0
        return rows
