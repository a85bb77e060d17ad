"""How chunks and questions are worded for retrieval and in prompts, to the letter (O-114 to O-122).

Chunk indices are zero-based, as everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable

RETRIEVED = "- Retrieved context:\n"
"""Opens what retrieval found (O-119)."""
RECENT = "# Recent Chunks:\n"
"""Opens the latest chunks where they stand beside retrieved ones (O-122)."""
PLAIN_BREAK = "\n\n"
"""Stands between chunks that are shown without an index."""
LINE_BREAK = "\n"
"""Stands between chunks that are shown with one."""


def indexed(index: int, text: str) -> str:
    """A chunk with its index: what an index of chunks holds, and what a prompt shows (O-114)."""
    return f"# chunk index: {index}, context: {text}"


def query(index: int, question: str) -> str:
    """What a retriever is asked after chunk `index` (O-115); the question line of `rag` (O-193)."""
    return f"# chunk index: {index}, question: {question}"


def head_line(index: int, question: str) -> str:
    """The question line where the latest chunks are shown beside retrieved ones (O-122)."""
    return f"Current Head Index: {index}, question: {question}"


def listing(title: str, chunks: Iterable[tuple[int, str]]) -> str:
    """Chunks with their indices under a title; empty where there are none."""
    lines = [indexed(index, text) for index, text in chunks]
    return title + LINE_BREAK.join(lines) if lines else ""
