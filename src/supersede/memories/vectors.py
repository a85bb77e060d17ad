"""Vectors that are added as a stream goes on, compared by cosine, and kept in snapshots."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersede.memories.retrieval.embedder import Vectors

_FIRST_ROWS = 64


def unit(rows: Vectors) -> Vectors:
    """Rows of length one; a row of zeros stays."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Vectors = (rows / np.where(lengths == 0, 1, lengths)).astype(np.float32)
    return scaled


class VectorTable:
    """Vectors of length one in the order in which they were added."""

    def __init__(self) -> None:
        self._rows: Vectors = np.zeros((0, 0), dtype=np.float32)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def add(self, rows: Vectors) -> None:
        """Adds vectors, one a row; they are brought to length one."""
        if not len(rows):
            return
        wanted = self._size + len(rows)
        if wanted > len(self._rows):
            grown = np.zeros((max(_FIRST_ROWS, 2 * wanted), rows.shape[1]), dtype=np.float32)
            if self._size:
                grown[: self._size] = self.rows
            self._rows = grown
        self._rows[self._size : wanted] = unit(rows)
        self._size = wanted

    def put(self, place: int, row: Sequence[float] | NDArray[np.float32]) -> None:
        """Puts a vector in place of another."""
        self._rows[place] = unit(np.asarray(row, dtype=np.float32)[None, :])[0]

    @property
    def rows(self) -> Vectors:
        """All vectors, one a row."""
        return self._rows[: self._size]

    def cosines(self, queries: Vectors) -> Vectors:
        """Cosine of each query, a row, with each vector, a column; -1 to 1."""
        if not self._size:
            return np.zeros((len(queries), 0), dtype=np.float32)
        found: Vectors = unit(queries) @ self.rows.T
        return found

    def snapshot(self) -> dict[str, Any]:
        """All vectors as JSON data."""
        raw = np.ascontiguousarray(self.rows, dtype="<f4").tobytes()
        return {"shape": list(self.rows.shape), "float32": base64.b64encode(raw).decode("ascii")}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up the vectors of a snapshot."""
        raw = base64.b64decode(state["float32"])
        self._rows = np.frombuffer(raw, dtype="<f4").reshape(state["shape"]).astype(np.float32)
        self._size = len(self._rows)
