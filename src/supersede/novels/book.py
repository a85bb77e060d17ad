"""A prepared book: its narrative in chunks, and what is known of each."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256

__all__ = ["Book", "Chunk", "digest"]


@dataclass(frozen=True, slots=True)
class Chunk:
    """One piece of a book, revealed at one interval."""

    index: int
    """Zero-based, in the order of the book."""
    text: str
    """Narrative alone: paragraphs, and an empty line between two of them."""
    chapter: str
    """Heading of the chapter that its first word stands in; empty before the first heading."""
    sha256: str
    """Of the text in UTF-8: evidence names it, so that a text that drifted is found."""
    tokens: int
    """Length, by the counter that the book names."""
    chapters: tuple[str, ...] = ()
    """Headings of all chapters that have text in it, in order."""


@dataclass(frozen=True, slots=True)
class Book:
    """One book of a project."""

    id: str
    """Unique in its project: small letters, digits and dashes."""
    title: str
    sha256: str
    """Of the source file's bytes."""
    chunks: tuple[Chunk, ...]
    author: str = ""
    """As the source says; empty where it does not."""
    source: str = ""
    """Name of the source file, without its folder."""
    tokenizer: str = ""
    """What counted tokens."""
    chunk_tokens: int = 0
    """Most tokens that a chunk was allowed."""
    chapters: tuple[str, ...] = field(default=())
    """Headings in order."""


def digest(text: str) -> str:
    """SHA-256 of a text in UTF-8, in hexadecimal."""
    return sha256(text.encode()).hexdigest()
