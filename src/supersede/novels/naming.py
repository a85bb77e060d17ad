"""Which names a text has, and made-up ones to take their place."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from supersede.novels.renaming import TITLES, Renaming
from supersede.worlds.streams import Draw, pick, stream

__all__ = ["LEAST", "proposed"]

LEAST = 3
"""Times that a word must stand inside of a sentence with a capital to be taken for a name."""

_NAME = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_a-z][^\W\d_]*)*")
_NOT_NAMES = frozenset(
    re.findall(
        r"\w+",
        """
        january february march april may june july august september october november december
        monday tuesday wednesday thursday friday saturday sunday christmas easter michaelmas
        english englishman englishmen englishwoman british briton scotch scotchman scottish irish
        irishman welsh french frenchman frenchwoman german italian spanish spaniard spaniards dutch
        dutchman danish swedish swiss norwegian russian polish turkish turk turks greek greeks roman
        romans latin hebrew arab arabian arabic persian indian indians chinese japanese american
        americans african european oriental christian christians catholic protestant jew jews jewish
        mahometan god lord jesus christ bible heaven providence almighty devil satan majesty
        highness lordship ladyship excellency honour honor oh ah yes no esq
        """,
    )
)
"""Words with a capital that name no person and no place of a story."""

_ARTICLES = frozenset(("the", "a", "an", "this", "that", "these", "those", "each", "every", "no"))
_VOWELS = "aeiou"
_ONSETS = (
    "b",
    "br",
    "c",
    "d",
    "dr",
    "f",
    "g",
    "gr",
    "h",
    "k",
    "l",
    "m",
    "n",
    "p",
    "r",
    "t",
    "tr",
    "v",
)
_NUCLEI = ("a", "e", "i", "o", "u")
_MIDDLES = ("ld", "ll", "lm", "lv", "nd", "nt", "rd", "rk", "rm", "rn", "rr", "rv", "v", "z")
_ENDS = ("al", "am", "an", "el", "en", "ett", "ick", "in", "on", "or", "ow", "um")


class _Word(NamedTuple):
    text: str
    inside: bool
    """Whether it stands inside of a sentence, where only names have a capital."""
    lone: bool
    """Whether it stands there without an article and without a capital beside it, as people do."""
    title: str
    """The title right before it, as written; empty where there is none."""


def proposed(texts: Iterable[str], seed: int = 0, *, least: int = LEAST) -> Renaming:
    """A map for all names that some texts seem to have.

    A word is taken for a name where it stands `least` times inside of a sentence with a capital. A
    word that is also a common one must stand so by itself, not as in `the City` or `Baker Street`,
    and more often than without a capital; or else with a title (`Mrs. Long`). A name that begins
    with a vowel gets one that does, so that `a` and `an` stay right.

    Args:
        texts: What the names stand in.
        seed: Another one, other names.
        least: Fewest times.
    """
    whole = list(texts)
    names, titled = _found(whole, least)
    words = {word.casefold() for text in whole for word in re.findall(r"[^\W\d_]+", text)}
    made: dict[str, str] = {}
    used: set[str] = set()
    for name in [*names, *titled]:
        draw = stream(f"rename/{seed}", name)
        new = _fresh(draw, name, words, used)
        if name in titled:
            made.update({f"{title} {name}": f"{title} {new}" for title in titled[name]})
        else:
            made[name] = new
    return Renaming(made)


def _found(texts: Iterable[str], least: int) -> tuple[list[str], dict[str, list[str]]]:
    """Names by themselves, and names that need their titles; both by how often they stand."""
    small: Counter[str] = Counter()
    inside: Counter[str] = Counter()
    lone: Counter[str] = Counter()
    titles: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for text in texts:
        for word in _words(text):
            if word.text.islower():
                small[word.text] += 1
            elif word.text[0].isupper() and not word.text.isupper():
                inside[word.text] += word.inside
                lone[word.text] += word.lone
                if word.title:
                    titles[word.text][word.title] = None
    often = [
        name
        for name, count in sorted(inside.items(), key=lambda pair: (-pair[1], pair[0]))
        if count >= least and name.casefold() not in TITLES | _NOT_NAMES
    ]
    alone = {
        name
        for name in often
        if not small[name.casefold()] or lone[name] >= max(least, small[name.casefold()])
    }
    plural = {f"{name}{ending}" for name in alone for ending in ("s", "es")}
    names = [name for name in often if name in alone - plural]
    return names, {n: list(titles[n]) for n in often if n not in alone and titles[n]}


def _words(text: str) -> Iterator[_Word]:
    found = list(_NAME.finditer(text))
    for number, match in enumerate(found):
        before = found[number - 1] if number else None
        word = before[0] if before else ""
        between = text[before.end() : match.start()] if before else ""
        titled = word.casefold() in TITLES and word[0].isupper() and between in (" ", ". ")
        inside = bool(word) and (titled or between in (" ", ", ", "; "))
        after = found[number + 1] if number + 1 < len(found) else None
        followed = after is not None and text[match.end() : after.start()] == " "
        named = between == " " and not titled and (word[0].isupper() or word in _ARTICLES)
        lone = (
            inside and not named and not (followed and after is not None and after[0][0].isupper())
        )
        title = (word + between.strip()) if titled else ""
        yield _Word(match[0], inside, lone, title)


def _fresh(draw: Draw, name: str, words: Collection[str], used: set[str]) -> str:
    """A made-up name that no word of the texts is, and whose beginning no other one has."""
    while True:
        onset = "" if name[0].casefold() in _VOWELS else pick(draw, _ONSETS)
        new = onset + pick(draw, _NUCLEI) + pick(draw, _MIDDLES) + pick(draw, _ENDS)
        if new not in words and f"{new}s" not in words and new[:4] not in used:
            used.add(new[:4])
            return new.capitalize()
