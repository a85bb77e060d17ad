"""Which words of an English text say what it is about: names, and words that are not everywhere."""

from __future__ import annotations

import re
from collections import Counter

_WORD = re.compile(r"[^\W_]+(?:[-'\u2019][^\W_]+)*")

_FIRST = re.compile(r"[.!?:\n][\"'\u201c\u201d\u2019)\s]*\Z")
"""What stands before the first word of a sentence."""
_LOOK_BACK = 6
_SHORTEST = 3
"""Letters of a word that may stand for a text."""

EVERYWHERE = frozenset(
    """
    a about above after again against all almost alone along already also although always am among
    an and another any anybody anyone anything are around as at away back be became because become
    been before began behind being below beside between beyond both but by came can cannot come
    could did do does doing done down during each either else enough even ever every everybody
    everyone everything few first for from further gave get give go goes gone good got great had
    has have having he her here hers herself him himself his how however i if in indeed into is it
    its itself just kept knew know last least less let like little long made make many may me might
    mine more most much must my myself near never next no nobody none nor not nothing now of off
    often on once one only onto or other others our ours out over own per perhaps put quite rather
    said same saw say see seemed shall she should since so some somebody someone something soon
    still such take than that the their theirs them themselves then there these they thing things
    this those though through thus to together told too took toward towards two under until up
    upon us very was way we well went were what when where whether which while who whom whose why
    will with within without would yes yet you your yours yourself
    """.split()  # noqa: SIM905 - as a table of one word a line it would fill a page
)
"""Words that say nothing of what a text is about, in small letters."""


def words(text: str) -> list[str]:
    """The words of a text as they stand, without a possessive ending."""
    return [_bare(word) for word in _WORD.findall(text)]


def _bare(word: str) -> str:
    for ending in ("'s", "\u2019s"):
        word = word.removesuffix(ending)
    return word


def names(text: str) -> tuple[str, ...]:
    """Words with a capital that say something, each once; the first of a sentence too."""
    return tuple(dict.fromkeys(one for one in words(text) if _is_name(one)))


def _is_name(word: str) -> bool:
    return word[0].isupper() and word.casefold() not in EVERYWHERE


def telling(text: str) -> tuple[str, ...]:
    """Words that say something, in small letters, each once, in the order of the text."""
    found = (one.casefold() for one in words(text))
    return tuple(dict.fromkeys(one for one in found if one not in EVERYWHERE))


def keywords(text: str, most: int) -> tuple[str, ...]:
    """Words that stand for a text: names before others, and of each those that are said most.

    A name is a word with a capital inside a sentence; at its beginning every word has one.

    Args:
        text: The text.
        most: How many at most.
    """
    times: Counter[str] = Counter()
    written: dict[str, str] = {}
    for found in _WORD.finditer(text):
        one = _bare(found[0])
        if one.casefold() in EVERYWHERE or len(one) < _SHORTEST:
            continue
        first = _FIRST.search(text, max(0, found.start() - _LOOK_BACK), found.start())
        inside = found.start() > 0 and first is None
        times[one.casefold()] += 1
        if inside or one.casefold() not in written:
            written[one.casefold()] = one if inside else one.casefold()
    order = {one: place for place, one in enumerate(written)}
    ranked = sorted(written, key=lambda one: (written[one].islower(), -times[one], order[one]))
    return tuple(written[one] for one in ranked[:most])
