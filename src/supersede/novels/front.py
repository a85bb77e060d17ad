"""Where a narrative begins: after title pages, tables of contents, prefaces and dedications."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from supersede.novels.blocks import CONTENTS, Block
from supersede.novels.headings import (
    Rank,
    front_name,
    heading_rank,
    is_contents,
    is_list,
    key_of,
    titles,
)
from supersede.novels.licence import is_credit, is_licence

__all__ = ["Begin", "begin_of"]

_CLOSED = re.compile(
    r"[.!?…:;,—\u3002\uff01\uff1f\uff0c\uff1a\uff1b\u061f\u06d4\u0964-]"
    r"[\"'”\u2019)\]_\u300d\u300f\uff09]*$"
)
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
"""Signs of scripts without spaces between words, each of which says about half a word."""

_SENTENCE = re.compile(
    r"[.!?…\u3002\uff01\uff1f\u061f\u06d4\u0964][\"'”\u2019)\]_\u300d\u300f\uff09]*$"
)
_WORD = re.compile(r"[^\W\d_]{3,}")
_JOINING = frozenset(
    {"the", "and", "for", "from", "with", "der", "die", "das", "und", "les", "von"}
)
"""Longer words that titles and names of authors have without a capital."""
_IMPRINT = re.compile(
    r"\W*(?:copyright\b|all\s+rights\b|(?:first\s+|re-?)?(?:published|printed)\s+(?:in|by|for|at)\b|"
    r"with\s+(?:\w+\s+){0,3}illustrations\b|to\s+(?:my|our)(?:\s+\w+){1,2}\W*$|in\s+memory\s+of\b)",
    re.I,
)
"""What a title page says of a book, and dedications, by their first words."""

_PROSE_WORDS = 12
_BEFORE_PROSE = 6
"""Most blocks, such as addresses, dates and mottoes, between a heading and its first prose."""
_STORY_WORDS = 200
"""Words of prose before the first chapter, under no heading, that are a beginning of the story."""
_STORY_SIGNS = 200
"""Signs of a text without any prose that are a story all the same, though no sentence ends."""
_EARLY = 0.3
"""Share of a book that its table of contents stands in."""
_EARLY_BLOCKS = 80
_LONGEST_ENTRY = 120
"""Signs of the longest line of a table of contents."""


class Begin(NamedTuple):
    """Where a narrative begins."""

    start: int
    """Number of its first block, a heading where it has one."""
    known: frozenset[str]
    """Keys of the lines of the table of contents."""


def begin_of(blocks: Sequence[Block], title: str, *, gaps: bool) -> Begin:
    """Where the narrative of some blocks begins.

    It begins with the headings above the first prose that has a heading above it; or, where prose
    of some length stands before that under no heading, with that prose. Where there is no prose,
    since no paragraph is long enough, it begins with the first block that is nothing else. Short
    paragraphs right above a story under no heading are its beginning, where they are sentences.

    Args:
        blocks: All of a source, without what is around the book.
        title: Of the book; empty where unknown.
        gaps: Whether empty lines tell headings from paragraphs.
    """
    contents, entries = _contents(blocks, gaps)
    known = frozenset(_keys(blocks, entries))
    first: int | None = None
    last = _last_places(blocks)
    for number in _prose(blocks, contents + 1, known, gaps):
        start = _headed(blocks, number, contents, known, title, last, gaps)
        if start is not None:
            first = start
            break
    story = _untitled(blocks, contents + 1, first, known, gaps)
    if story is not None:
        story = _with_sentences(blocks, story, contents, known, title, gaps)
    begin = story if story is not None else first
    if begin is None:
        begin = _anything(blocks, contents + 1, known, gaps)
    return Begin(begin, frozenset(_keys(blocks, [number for number in entries if number < begin])))


def _contents(blocks: Sequence[Block], gaps: bool) -> tuple[int, list[int]]:
    """The last block that surely is of a table of contents, -1 for none, and all that may be.

    After a heading that says so, all up to the first prose may be an entry; the headings above that
    prose are among them.
    """
    early = max(_EARLY_BLOCKS, int(_EARLY * len(blocks)))
    sure: list[int] = []
    found: set[int] = set()
    for number, block in enumerate(blocks[:early]):
        if is_list(block) or block.out == CONTENTS:
            sure.append(number)
        elif is_contents(block.text):
            sure.append(number)
            following = next(_prose(blocks, number + 1, (), gaps), number + 1)
            found.update(range(number + 1, following))
    return max(sure, default=-1), sorted(found.union(sure))


def _keys(blocks: Sequence[Block], numbers: Iterable[int]) -> Iterator[str]:
    """Keys of the lines of some blocks, and of each as a whole."""
    for number in numbers:
        for line in (*blocks[number].lines, blocks[number].text):
            yield from titles(line)


def _prose(
    blocks: Sequence[Block], start: int, known: Collection[str], gaps: bool
) -> Iterator[int]:
    for number in range(start, len(blocks)):
        block = blocks[number]
        text = block.text
        if block.out or is_list(block) or _words(text) <= _PROSE_WORDS or text.isupper():
            continue
        if not _CLOSED.search(text) or is_credit(text) or is_licence(text):
            continue
        if heading_rank(block, None, known, gaps=gaps) is None:
            yield number


def _words(text: str) -> int:
    """About how many words a text has."""
    return len(text.split()) + len(_UNSPACED.findall(text)) // 2


def _anything(blocks: Sequence[Block], start: int, known: Collection[str], gaps: bool) -> int:
    """Number of the first block that may be told, where none is prose; else how many there are."""
    told = [
        number
        for number in range(start, len(blocks))
        for block in [blocks[number]]
        if not (block.out or is_list(block) or is_contents(block.text))
        and not (is_credit(block.text) or is_licence(block.text))
        and heading_rank(block, None, known, gaps=gaps) is None
    ]
    ended = any(_CLOSED.search(blocks[number].text) for number in told)
    if ended or sum(len(blocks[number].text) for number in told) >= _STORY_SIGNS:
        return told[0]
    return len(blocks)


def _headed(
    blocks: Sequence[Block],
    prose: int,
    contents: int,
    known: Collection[str],
    title: str,
    last: Mapping[str, int],
    gaps: bool,
) -> int | None:
    """Number of the first of the headings right above some prose, or None.

    Going up, each has a wider rank than the one below, and does not come again; so the last line of
    a table of contents is none of them.
    """
    begin: int | None = None
    widest: Rank | None = None
    for number in range(prose - 1, contents, -1):
        block = blocks[number]
        if _is_title(blocks, number, known, gaps):
            continue
        rank = None if block.out else heading_rank(block, None, known, gaps=gaps)
        if title and key_of(block.text) == key_of(title):
            rank = None
        if rank is None:
            if begin is not None or prose - number > _BEFORE_PROSE:
                break
        elif front_name(block.text):
            return None
        elif widest is None or (
            rank < widest and all(last.get(key, 0) < prose for key in titles(block.text))
        ):
            begin, widest = number, rank
        else:
            break
    return begin


def _last_places(blocks: Sequence[Block]) -> dict[str, int]:
    """The number of the last block with a key; a heading and its title have one together too."""
    keys = [key_of(block.text) if len(block.text) < _LONGEST_ENTRY else "" for block in blocks]
    last = {both: n for n, both in enumerate(map("".join, pairwise(keys)))}
    return {**last, **{key: max(n, last.get(key, n)) for n, key in enumerate(keys)}}


def _is_title(blocks: Sequence[Block], number: int, known: Collection[str], gaps: bool) -> bool:
    """Whether a block is the title under a heading with a number."""
    if number == 0 or blocks[number].out:
        return False
    above = heading_rank(blocks[number - 1], None, known, gaps=gaps)
    return heading_rank(blocks[number], above, known, gaps=gaps) is Rank.TITLE


def _untitled(
    blocks: Sequence[Block], start: int, end: int | None, known: Collection[str], gaps: bool
) -> int | None:
    """Number of the first prose of a story that begins under no heading, or None."""
    fronts = {
        number
        for number, block in enumerate(blocks[:end])
        if len(block.text) < 90 and front_name(block.text)
    }
    story = [
        number
        for number in _prose(blocks, start, known, gaps)
        if (end is None or number < end) and not any(front < number for front in fronts)
    ]
    words = sum(_words(blocks[number].text) for number in story)
    return story[0] if story and (end is None or words >= _STORY_WORDS) else None


def _with_sentences(
    blocks: Sequence[Block],
    prose: int,
    contents: int,
    known: Collection[str],
    title: str,
    gaps: bool,
) -> int:
    """Number of the first sentence of a story under no heading: its prose, or a shorter one above.

    Going up, what ends as a sentence may be told; the first of it must be a sentence, since some
    titles and names of authors end with a full stop too.
    """
    begin = prose
    for number in range(prose - 1, contents, -1):
        block = blocks[number]
        text = block.text
        if block.out:
            continue
        named = is_list(block) or is_contents(text) or (title and key_of(text) == key_of(title))
        around = is_credit(text) or is_licence(text) or bool(_IMPRINT.match(text))
        if named or around or text.isupper() or not _CLOSED.search(text):
            break
        if heading_rank(block, None, known, gaps=gaps) is not None:
            break
        if _is_sentence(text):
            begin = number
    return begin


def _is_sentence(text: str) -> bool:
    """Whether a short text says something, and is no title that ends with a full stop."""
    rest = text.partition(" ")[2] or text
    words = [word for word in _WORD.findall(rest) if not word[0].isupper()]
    return bool(_SENTENCE.search(text)) and any(word not in _JOINING for word in words)
