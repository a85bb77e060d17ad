"""Embeddings of the library sentence-transformers, which is an extra and brings torch."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from supersede.errors import UsageError
from supersede.memories.retrieval.embedder import Kind, Vectors

_SPECIAL = 2
"""Tokens that a model puts around a text."""


class SentenceEmbedder:
    """A model that sentence-transformers loads, by name or from a folder."""

    def __init__(self, model: str) -> None:
        """Load a model.

        Args:
            model: A name of the model hub, or a folder.

        Raises:
            UsageError: The library is not installed, or the model cannot be had.
        """
        try:
            library: Any = importlib.import_module("sentence_transformers")
        except ModuleNotFoundError:
            raise UsageError(
                "dense embeddings need sentence-transformers",
                mend="pip install 'supersede[dense]', or take --retriever bm25 and "
                "--embedder hashing.",
            ) from None
        try:
            self._model: Any = library.SentenceTransformer(_place(model))
        except (OSError, ValueError) as error:
            raise UsageError(
                f"no embedding model {model!r}: {error}",
                mend="Give a folder with the model, or a name of the model hub while online.",
            ) from None
        self.name = model
        self.limit = int(self._model.max_seq_length) - _SPECIAL
        self._prompts: frozenset[str] = frozenset(getattr(self._model, "prompts", None) or {})

    def count(self, text: str) -> int:
        """Tokens of a text, without special ones."""
        return len(self._model.tokenizer(text, add_special_tokens=False, verbose=False).input_ids)

    async def embed(self, texts: Sequence[str], kind: Kind) -> Vectors:
        """One row for each text; queries with the model's own instruction, if it has one."""
        prompt = "query" if kind == "query" and "query" in self._prompts else None
        rows = await asyncio.to_thread(
            self._model.encode, list(texts), prompt_name=prompt, show_progress_bar=False
        )
        return np.asarray(rows, dtype=np.float32)


def _place(model: str) -> str:
    """Where a model lies: inside an installed package of that name, or where its name says."""
    package = model.replace("-", "_")
    found = importlib.util.find_spec(package) if package.isidentifier() else None
    for home in (found.submodule_search_locations or ()) if found else ():
        folder = Path(home) / "model"
        if folder.is_dir():
            return str(folder)
    return model
