"""What a corpus leaves out of its cells, and how long its instances are.

A slice keeps the instances of the whole corpus and their ids: one that is left out leaves a gap in
the indices, and no other takes its place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from supersede.corpus.tokens import ESTIMATE, TokenCounter, Tokenizer, token_counter
from supersede.errors import DataError, UsageError, did_you_mean
from supersede.model.instance import Instance
from supersede.model.question import Family
from supersede.questions.registry import FAMILIES


class Counting(NamedTuple):
    """What counts tokens, by name, so that every process can load it."""

    name: str
    sha256: str = ""
    """Of all that decides the counts; empty for the estimate, which a release decides."""
    source: str = ""
    """File or name that it is loaded from; empty where a manifest alone tells of it."""

    @classmethod
    def of(cls, tokenizer: Path | str) -> Counting:
        """The counting by a tokenizer's file or name, or by `estimate`.

        Raises:
            UsageError, DataError: As `token_counter`.
        """
        counter = token_counter(tokenizer)
        source = str(Path(tokenizer).absolute()) if Path(tokenizer).exists() else str(tokenizer)
        sha256 = counter.sha256 if isinstance(counter, Tokenizer) else ""
        return cls(counter.name, sha256, ESTIMATE if counter.name == ESTIMATE else source)

    def count(self, messages: Sequence[str]) -> int:
        """The tokens of the contents of messages, without what a chat template adds."""
        return sum(map(_counter(self.source).count, messages))

    def to_json(self) -> dict[str, str]:
        """What the manifest says of it."""
        return {"name": self.name, **({"sha256": self.sha256} if self.sha256 else {})}


@lru_cache(maxsize=8)
def _counter(source: str) -> TokenCounter:
    return token_counter(source)


@dataclass(frozen=True, slots=True)
class Selection:
    """Which instances of a cell a corpus keeps; by default all of them, not counted."""

    families: tuple[Family, ...] = ()
    """Families of the final question; all of them where empty."""
    max_tokens: int | None = None
    """Most tokens of an instance."""
    counting: Counting | None = None
    """How tokens are counted; None where they are not."""

    @property
    def whole(self) -> bool:
        """Whether nothing is left out."""
        return not self.families and self.max_tokens is None

    def tokens(self, instance: Instance) -> int | None:
        """The tokens of an instance; None where they are not counted, or by what is not at hand."""
        if self.counting is None or not self.counting.source:
            return None
        return self.counting.count([message.content for message in instance.messages])

    def keeps(self, family: str, tokens: int | None) -> bool:
        """Whether an instance of a family and of so many tokens belongs to the corpus."""
        if self.families and family not in self.families:
            return False
        return self.max_tokens is None or tokens is None or tokens <= self.max_tokens

    def to_json(self) -> dict[str, Any]:
        """All of it that says something, as plain JSON data."""
        data: dict[str, Any] = {}
        if self.families:
            data["families"] = [family.value for family in self.families]
        if self.max_tokens is not None:
            data["max_tokens"] = self.max_tokens
        if self.counting is not None:
            data["tokenizer"] = self.counting.to_json()
        return data


EVERYTHING = Selection()
"""Nothing is left out, and nothing counted."""


def select(
    *,
    families: Sequence[str] | None = None,
    max_tokens: int | None = None,
    tokenizer: Path | str | None = None,
) -> Selection:
    """A selection with its names checked.

    Args:
        families: Names of families, or the first parts of their operators' names (`ranking`).
        max_tokens: Most tokens of an instance, counted by the estimate where no tokenizer is named.
        tokenizer: What counts tokens: a file, a name, or `estimate`.

    Raises:
        UsageError: A name is unknown, none is named, the budget is below 1, or the tokenizer
            cannot be had.
        DataError: The tokenizer's file is none.
    """
    if families is not None and not families:
        raise UsageError(
            "families names none",
            mend="Name one at least, or leave families out for all of them.",
        )
    if max_tokens is not None and max_tokens < 1:
        raise UsageError(f"max_tokens={max_tokens} is below 1", mend="Allow at least one token.")
    chosen = {_family(name) for name in families or ()}
    if tokenizer is None and max_tokens is not None:
        tokenizer = ESTIMATE
    return Selection(
        tuple(family for family in Family if family in chosen),
        max_tokens,
        None if tokenizer is None else Counting.of(tokenizer),
    )


def _family(name: str) -> Family:
    found = FAMILIES.get(name) or next((one for one in Family if one.value == name), None)
    if found is None:
        raise UsageError(f"unknown family {name!r}", mend=did_you_mean(name, FAMILIES))
    return found


def selection_from_json(data: Mapping[str, Any], where: str) -> Selection:
    """The selection that a manifest tells of; it counts only where the estimate does.

    Args:
        data: The configuration of a corpus.
        where: What an error names.

    Raises:
        DataError: A part of it is of the wrong kind.
    """
    try:
        counting = data.get("tokenizer")
        if counting is not None:
            named = Counting(str(counting["name"]), str(counting.get("sha256", "")))
            counting = named._replace(source=ESTIMATE if named == Counting(ESTIMATE) else "")
        budget = data.get("max_tokens")
        if budget is not None and (type(budget) is not int or budget < 1 or counting is None):
            raise ValueError(f"max_tokens is {budget!r}")
        return Selection(tuple(map(Family, data.get("families", ()))), budget, counting)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DataError(f"selects in no way that is known: {error}", where=where) from None
