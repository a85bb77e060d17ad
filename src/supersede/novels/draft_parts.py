"""What of a book is shown at a time, where a model cannot be shown all of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from math import ceil

from supersede.errors import UsageError
from supersede.novels.book import Chunk

__all__ = ["in_a_row", "mentioning", "merged", "spread"]

_ARTICLE = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)
_SHORTEST = 4  # letters of a word that stands for a longer name: `Mrs` does not


def in_a_row(chunks: Sequence[Chunk], sizes: Sequence[int], room: int | None) -> list[list[Chunk]]:
    """Chunks in as few runs as fit.

    Args:
        chunks: In the order of the book.
        sizes: Tokens of each.
        room: Most tokens of a run; None where all fit.

    Raises:
        UsageError: One chunk alone does not fit.
    """
    if room is None:
        return [list(chunks)]
    runs: list[list[Chunk]] = []
    left = 0
    for chunk, size in zip(chunks, sizes, strict=True):
        if size > room:
            raise _no_room(f"chunk {chunk.index} of {size:,} tokens", room)
        if not runs or size > left:
            runs.append([])
            left = room
        runs[-1].append(chunk)
        left -= size
    return runs


def spread(chunks: Sequence[Chunk], sizes: Sequence[int], room: int | None) -> list[list[Chunk]]:
    """Chunks in as few parts as fit, each of them taken from all over the book.

    A question about what changes needs what is far apart. So of three parts the first has the
    chunks 0, 3, 6 and so on; each has two at least.

    Args:
        chunks: In the order of the book, at least two.
        sizes: Tokens of each.
        room: Most tokens of a part; None where all fit.

    Raises:
        UsageError: Two chunks do not fit together.
    """
    if room is None:
        return [list(chunks)]
    for parts in range(max(1, ceil(sum(sizes) / room)), len(chunks) + 1):
        shares = [_share(n, parts, len(chunks)) for n in range(parts)]
        if all(sum(sizes[place] for place in share) <= room for share in shares):
            return [[chunks[place] for place in share] for share in shares]
    raise _no_room(f"two chunks of up to {max(sizes):,} tokens", room)


def _share(part: int, parts: int, count: int) -> list[int]:
    """The places of a part; one alone is given the first of all for company, or the last."""
    places = list(range(part, count, parts))
    if len(places) == 1:
        return sorted({*places, 0 if part else count - 1})
    return places


def _no_room(what: str, room: int) -> UsageError:
    return UsageError(
        f"{what} and no room for more than {room:,} beside the prompt and the reply",
        mend="Take a model with a longer window, or prepare the book with a smaller "
        "--chunk-tokens.",
    )


def merged(named: Iterable[Sequence[str]], most: int) -> tuple[str, ...]:
    """Names that several parts of a book gave, those of the most parts first.

    Of as many parts, the one that stood further in front in any of them comes first. An article
    makes no difference.

    Args:
        named: The names of each part, the most important first.
        most: Most names.
    """
    names: dict[str, str] = {}
    parts: Counter[str] = Counter()
    best: dict[str, int] = {}
    for given in named:
        parts.update({_key(name) for name in given})
        for place, name in enumerate(given):
            key = _key(name)
            names.setdefault(key, name)
            best[key] = min(place, best.get(key, place))
    order = sorted(names, key=lambda key: (-parts[key], best[key]))  # and as they came
    return tuple(names[key] for key in order[:most])


def _key(name: str) -> str:
    return _ARTICLE.sub("", name).casefold()


def mentioning(chunks: Sequence[Chunk], entity: str) -> list[Chunk]:
    """The chunks that name somebody or something: by the whole name, else by one of its words.

    Of the words, the longest that stands anywhere counts, and of equal ones the last; where some
    begin with a capital, those alone.

    Args:
        chunks: The book's.
        entity: The name; an article before it makes no difference.
    """
    name = _ARTICLE.sub("", entity)
    said = name.split()
    proper = [word for word in said if word[:1].isupper()] or said
    words = [word for word in reversed(proper) if len(word) >= _SHORTEST]
    for wanted in (name, *sorted(words, key=len, reverse=True)):
        pattern = r"\s+".join(map(re.escape, wanted.split()))
        found = [
            chunk
            for chunk in chunks
            if pattern and re.search(rf"(?<!\w){pattern}(?!\w)", chunk.text, re.IGNORECASE)
        ]
        if found:
            return found
    return []
