"""From a file, as people have it, to a book in chunks."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path

from supersede.corpus.tokens import TokenCounter
from supersede.errors import DataError, UsageError
from supersede.novels.blocks import Block, Source, text_blocks
from supersede.novels.book import Book
from supersede.novels.chunking import CHUNK_TOKENS, chunks_of
from supersede.novels.epub import epub_source
from supersede.novels.licence import END_LINE, START_LINE, unwrapped
from supersede.novels.markup import markup_source
from supersede.novels.narrative import LeftOut, narrative_of
from supersede.novels.project import Project
from supersede.streams.prose import decoded

__all__ = ["FEWEST_TOKENS", "Prepared", "add_prepared", "prepare"]

FEWEST_TOKENS = 50
"""Least size of a chunk that may be asked for."""

_MARKUP = re.compile(r"\s*(?:<\?xml|<!doctype html|<html|<head|<body|<!--)", re.I)
_NOT_ID = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Prepared:
    """A book, and what is not in it."""

    book: Book
    left_out: tuple[LeftOut, ...]


def prepare(
    path: Path, counter: TokenCounter, *, tokens: int = CHUNK_TOKENS, name: str = ""
) -> Prepared:
    """The narrative of a file, in chunks.

    Args:
        path: Plain text, a web page or an EPUB; which one is told by what it holds.
        counter: Counts tokens.
        tokens: Most that a chunk has.
        name: Id of the book; made of its title where left out.

    Raises:
        UsageError: There is no such file, or a chunk is to be too small.
        DataError: It is damaged, none of the three, or holds no narrative.
    """
    if tokens < FEWEST_TOKENS:
        raise UsageError(f"tokens={tokens}: a chunk has {FEWEST_TOKENS} or more")
    if not path.is_file():
        what = "a folder" if path.is_dir() else "no file"
        raise UsageError(f"is {what}", where=str(path), mend="Name a .txt, .html or .epub file.")
    data = path.read_bytes()
    source, gaps = _source(data, str(path))
    narrative = narrative_of(source.blocks, source.title, gaps=gaps)
    if not narrative.paragraphs:
        raise DataError(
            "holds no narrative",
            where=str(path),
            mend="Is it a book? A scan must be turned into text first.",
        )
    title = source.title or path.stem.replace("-", " ").replace("_", " ").strip()
    made = name or _NOT_ID.sub("-", title.casefold()).strip("-") or "book"
    if _NOT_ID.sub("-", made) != made:
        raise UsageError(f"id {name!r} of a book has other signs than a-z, 0-9 and -")
    book = Book(
        made,
        title or made,
        sha256(data).hexdigest(),
        chunks_of(narrative.paragraphs, counter, tokens),
        source.author,
        path.name,
        counter.name,
        tokens,
        narrative.chapters,
    )
    return Prepared(book, narrative.left_out)


def add_prepared(folder: Path, prepared: Sequence[Prepared]) -> tuple[str, ...]:
    """Puts books into a project, which is made where there is none: all of them or none.

    Args:
        folder: The project.
        prepared: The books; one that is there already, word for word, is left as it is.

    Returns:
        Ids of those that are new.

    Raises:
        UsageError: Another book has the id of one of them.
    """
    books = [one.book for one in prepared]
    for book in books:
        if [other.id for other in books].count(book.id) > 1:
            raise UsageError(
                f"two of the books have the id {book.id!r}",
                mend="Prepare them one by one, each with its --id.",
            )
    with Project(folder, create=True) as project, project.store.transaction():
        known = {card.id for card in project.books()}
        new = [book for book in books if book.id not in known or project.book(book.id) != book]
        for book in new:
            project.add_book(book)
    return tuple(book.id for book in new)


def _source(data: bytes, where: str) -> tuple[Source, bool]:
    """What a file holds, and whether empty lines tell headings from paragraphs in it."""
    if zipfile.is_zipfile(BytesIO(data)) or data.startswith(b"PK\x03\x04"):
        return _without_wrapping(epub_source(data, where)), False
    if data.startswith((b"%PDF", b"\xd0\xcf\x11\xe0", b"{\\rtf")) or _is_binary(data):
        raise DataError(
            "is no text, web page or EPUB",
            where=where,
            mend="Save it as one of them.",
        )
    text = decoded(data)
    if _MARKUP.match(text):
        return _without_wrapping(markup_source(text)), False
    plain = unwrapped(text)
    return Source(plain.title, plain.author, text_blocks(plain.text)), True


def _is_binary(data: bytes) -> bool:
    return not data.startswith((b"\xff\xfe", b"\xfe\xff")) and b"\0" in data[:100_000]


def _without_wrapping(source: Source) -> Source:
    """Marked-up text between the marks of Project Gutenberg, where they stand in it as text."""
    blocks: list[Block] = list(source.blocks)
    for number, block in enumerate(blocks):
        if START_LINE.match(block.text):
            blocks = blocks[number + 1 :]
            break
    for number, block in enumerate(blocks):
        if END_LINE.match(block.text):
            blocks = blocks[:number]
            break
    return source._replace(blocks=tuple(blocks))
