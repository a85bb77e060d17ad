"""A table of what holds: one row for each fact, with its value, since when, and who says so.

However a fact is named, it has one row: `Ruvo / place`, `Ruvo's place` and `the place of Ruvo` are
the same key. A row that a later chunk changes keeps its place; a row that is ended stays, without a
value, so that what comes back comes back to it.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field
from typing import Any

FORMER = 8
"""Former values that a row remembers."""
_LOOKED_AT = 4
"""Rows that are compared for each that is wanted: a word of every row costs no more than others."""
_WORD = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile(r"['\u2019]s\b")
_BETWEEN = re.compile(r"[/:|,;]")
_ARTICLES = frozenset({"the", "a", "an"})


def fact_key(name: str) -> str:
    """A fact's name as its key: words in small letters, its owner first; empty without words."""
    plain = _POSSESSIVE.sub("", unicodedata.normalize("NFKC", name).casefold())
    return " ".join(word for part in _BETWEEN.split(plain) for word in _owner_first(part))


def _owner_first(part: str) -> list[str]:
    """The words of `place of Ruvo` as those of `Ruvo place`."""
    owned: list[list[str]] = [[]]
    for word in _WORD.findall(part):
        if word == "of":
            owned.append([])
        elif word not in _ARTICLES:
            owned[-1].append(word)
    return [word for words in reversed(owned) for word in words]


def same_value(one: str, other: str) -> bool:
    """Whether two values differ only in case, spaces, an article or a closing stop."""
    return _bare(one) == _bare(other)


def _bare(value: str) -> list[str]:
    words = unicodedata.normalize("NFKC", value).casefold().rstrip(". ").split()
    return words[1:] if len(words) > 1 and words[0] in _ARTICLES else words


@dataclass(slots=True)
class Row:
    """One fact."""

    name: str
    """As it was first called."""
    number: int
    """How many facts came before it."""
    value: str | None
    """What holds; None where nothing does."""
    since: int
    """Index of the chunk since which this holds."""
    source: str
    """The sentence that says so; empty where none is known."""
    former: list[tuple[str, int]] = field(default_factory=list)
    """Values that held before, the latest last, each with the chunk since which it did."""


class StateTable:
    """All facts, found by their words."""

    def __init__(self) -> None:
        self._rows: dict[str, Row] = {}
        """In the order of their last change."""
        self._by_word: dict[str, list[str]] = {}
        self._holding = 0

    def count(self, *, ended: bool = False) -> int:
        """How many facts hold; with those that hold no more where wanted."""
        return len(self._rows) if ended else self._holding

    def set(self, name: str, value: str | None, since: int, source: str) -> str | None:
        """Sets or ends a fact; one that holds already keeps its `since` and its source.

        Args:
            name: The fact, in whatever words.
            value: What holds now; None ends it.
            since: The chunk that says so.
            source: The sentence that says so.

        Returns:
            The key of the row that changed; None where nothing did.
        """
        key = fact_key(name)
        row = self._rows.get(key)
        if row is None:
            if value is None or not key:
                return None
            self._put(key, Row(name, len(self._rows), value, since, source))
            return key
        if value is None or row.value is None:
            if value is row.value:
                return None
        elif same_value(row.value, value):
            return None
        if row.value is not None:
            row.former = [*row.former, (row.value, row.since)][-FORMER:]
            self._holding -= 1
        self._holding += value is not None
        row.value, row.since, row.source = value, since, source
        self._rows[key] = self._rows.pop(key)
        return key

    def _put(self, key: str, row: Row) -> None:
        self._rows[key] = row
        self._holding += row.value is not None
        self._index(key)

    def _index(self, key: str) -> None:
        for word in dict.fromkeys(key.split()):
            self._by_word.setdefault(word, []).append(key)

    def __getitem__(self, key: str) -> Row:
        return self._rows[key]

    def __contains__(self, key: str) -> bool:
        return key in self._rows

    def keys(self, *, ended: bool = False) -> list[str]:
        """Keys of what holds, the latest change last; with those of ended facts where wanted."""
        return [key for key, row in self._rows.items() if ended or row.value is not None]

    def relevant(self, text: str, most: int, *, ended: bool = False) -> list[str]:
        """Keys of the rows that matter most to a text, best first.

        A word that a row's name shares with the text counts the more the fewer rows have it. Rows
        that share none follow, the latest change first.

        Args:
            text: A chunk or a question.
            most: How many at most.
            ended: Whether facts that hold no more are among them.
        """
        said = set(fact_key(text).split())
        rows = self._rows
        shared: dict[str, float] = {}
        for word in sorted(said & self._by_word.keys(), key=self._commonness):
            left = _LOOKED_AT * most - len(shared)
            for key in self._by_word[word][-left:] if left > 0 else ():
                if key not in shared and (ended or rows[key].value is not None):
                    shared[key] = self._shared(key, said)
        found = sorted(shared, key=lambda key: (-shared[key], -rows[key].since, rows[key].number))
        found = found[:most]
        for key in reversed(rows):
            if len(found) >= most:
                break
            if key not in shared and (ended or rows[key].value is not None):
                found.append(key)
        return found

    def _commonness(self, word: str) -> tuple[int, str]:
        return len(self._by_word[word]), word

    def _shared(self, key: str, said: Set[str]) -> float:
        """How much of a row's name is said: the rarer its words, the more."""
        words = dict.fromkeys(key.split())
        return sum(
            math.log(1 + len(self._rows) / len(self._by_word[word]))
            for word in words
            if word in said
        )

    def in_order(self, keys: Iterable[str]) -> list[str]:
        """Keys in the order in which their facts first came up."""
        return sorted(keys, key=lambda key: self._rows[key].number)

    def snapshot(self) -> list[dict[str, Any]]:
        """All rows as JSON data, in the order of their last change."""
        return [
            {"key": key, **asdict(row), "former": [list(one) for one in row.former]}
            for key, row in self._rows.items()
        ]

    def restore(self, state: Sequence[Mapping[str, Any]]) -> None:
        """Take up the rows of a snapshot."""
        self._by_word = {}
        self._rows = {
            one["key"]: Row(
                one["name"],
                one["number"],
                one["value"],
                one["since"],
                one["source"],
                [(value, since) for value, since in one["former"]],
            )
            for one in state
        }
        self._holding = len(self.keys())
        for key in self.in_order(self._rows):  # as they were indexed, whatever changed since
            self._index(key)
