"""Background prose: what the facts of a stream are hidden in.

A library is the clean prose of some books, cut into passages of neighbouring paragraphs. A document
takes passages of all its books in an order of its own; none stands in it twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from supersede.corpus.tokens import TokenCounter
from supersede.errors import DataError, UsageError
from supersede.streams.generator import paragraph as written_paragraph
from supersede.streams.gutenberg import SITE, fetch
from supersede.streams.prose import decoded, paragraphs, sentences
from supersede.worlds.streams import Draw, sample_of, stream

BUILT_IN = "builtin"
MOST_BUILT_IN = 5_000_000
"""Tokens of a document for which prose is made up; more takes minutes and repeats itself."""
GUTENBERG = "gutenberg:"
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph in sentences, with their lengths."""

    sentences: tuple[str, ...]
    tokens: tuple[int, ...]
    """Of each sentence, with the space before it."""


@dataclass(frozen=True)
class Library:
    """The prose that documents are made from."""

    name: str
    """What a stream's `meta` says of it."""
    books: tuple[tuple[Paragraph, ...], ...]

    @cached_property
    def tokens(self) -> int:
        """How long all of it is."""
        return sum(sum(part.tokens) + 1 for book in self.books for part in book)

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word in it, in small letters."""
        return frozenset(
            word
            for book in self.books
            for part in book
            for sentence in part.sentences
            for word in _WORD.findall(sentence.casefold())
        )

    def passages(self, size: int) -> list[tuple[Paragraph, ...]]:
        """All passages: neighbouring paragraphs of one book, of about `size` tokens together."""
        found: list[tuple[Paragraph, ...]] = []
        for book in self.books:
            passage: list[Paragraph] = []
            length = 0
            for part in book:
                passage.append(part)
                length += sum(part.tokens) + 1
                if length >= size:
                    found.append(tuple(passage))
                    passage, length = [], 0
            if passage:
                found.append(tuple(passage))
        return found

    def shuffled(self, draw: Draw, size: int) -> Iterator[Paragraph]:
        """Every paragraph once, passage by passage in drawn order."""
        passages = self.passages(size)
        for passage in sample_of(draw, passages, len(passages)):
            yield from passage


def open_library(
    background: str,
    counter: TokenCounter,
    *,
    longest: int,
    need: int,
    seed: int = 0,
    site: str = SITE,
) -> Library:
    """The library that a name stands for.

    Args:
        background: A folder of text files, a text file, `gutenberg:ID,...`, or `builtin`.
        counter: Counts tokens.
        longest: Tokens of the longest sentence that may stay; paragraphs with a longer one go.
        need: Tokens of one document.
        seed: What the built-in prose is drawn from.
        site: Where books of Project Gutenberg are fetched.

    Raises:
        UsageError: There is no such background, or it is too small for one document.
        DataError: A book cannot be fetched or read.
    """
    if background == BUILT_IN:
        return _built_in(counter, longest, need, seed)
    if background.startswith(GUTENBERG):
        numbers = [number.strip() for number in background.removeprefix(GUTENBERG).split(",")]
        texts: list[tuple[str, bytes]] = [(number, fetch(number, site)) for number in numbers]
        name = background
    else:
        path = Path(background)
        texts = [(file.name, file.read_bytes()) for file in _text_files(path)]
        name = path.name or path.absolute().name
    library = Library(name, _books([decoded(data) for _, data in texts], counter, longest))
    if library.tokens < need:
        raise UsageError(
            f"holds {library.tokens:,} tokens of prose, and a document needs {need:,}",
            where=f"--background {background}",
            mend="Add books, or ask for fewer or smaller chunks.",
        )
    return library


def _text_files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise UsageError(
            f"no folder {str(path)!r}",
            where="--background",
            mend=f"Name a folder of text files, {GUTENBERG}ID or {BUILT_IN}.",
        )
    files = sorted(
        (file for file in path.iterdir() if file.suffix.lower() == ".txt" and file.is_file()),
        key=lambda file: file.name,
    )
    if not files:
        raise DataError("holds no .txt file", where=str(path), mend="Put plain texts into it.")
    return files


def _books(
    texts: Iterable[str], counter: TokenCounter, longest: int
) -> tuple[tuple[Paragraph, ...], ...]:
    """The books, each paragraph only where it stands for the first time in any of them."""
    seen: set[str] = set()
    books: list[tuple[Paragraph, ...]] = []
    for text in texts:
        book: list[Paragraph] = []
        for line in paragraphs(text):
            if line not in seen:
                seen.add(line)
                part = measured(sentences(line), counter)
                if max(part.tokens) <= longest:
                    book.append(part)
        if book:
            books.append(tuple(book))
    return tuple(books)


def measured(parts: Sequence[str], counter: TokenCounter) -> Paragraph:
    """A paragraph of these sentences."""
    return Paragraph(tuple(parts), tuple(counter.count(f" {part}") for part in parts))


def _built_in(counter: TokenCounter, longest: int, need: int, seed: int) -> Library:
    """Twice as much made-up prose as a document needs, no paragraph of it twice."""
    if need > MOST_BUILT_IN:
        raise UsageError(
            f"writes at most {MOST_BUILT_IN:,} tokens for a document, and one needs {need:,}",
            where=f"--background {BUILT_IN}",
            mend="Ask for fewer or smaller chunks, or name a folder of books.",
        )
    draw = stream(f"background/{seed}", "prose")
    seen: set[str] = set()
    book: list[Paragraph] = []
    length = 0
    while length < 2 * need:
        line = written_paragraph(draw)
        part = measured(sentences(line), counter)
        if line not in seen and max(part.tokens) <= longest:
            seen.add(line)
            book.append(part)
            length += sum(part.tokens) + 1
    return Library(BUILT_IN, (tuple(book),))
