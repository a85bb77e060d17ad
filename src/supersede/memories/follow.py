"""How replies go on that a model has begun to give: for plans that an earlier run is known to."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import NamedTuple, Protocol

from supersede.memories.words import telling
from supersede.model.instance import Message


class Heard(NamedTuple):
    """A reply of an earlier run."""

    stream: str
    text: str
    tokens: int
    """Of the text, as we count."""
    written: int
    """Of the reply with all thinking, as its server counts; 0 where it does not."""
    now: int | None
    """Index of the chunk that had come last; None where that is not known."""
    asked: str
    """The last message of its prompt; empty where that is not known."""


class Follow(Protocol):
    """Replies to one stage of a memory, for one document after the other."""

    def hear(self, asked: str, said: str) -> None:
        """Takes note of a reply of the document, given or made."""
        ...

    def reply(self, like: Heard, messages: Sequence[Message], now: int) -> str:
        """A reply to a prompt.

        Args:
            like: One that was given when about as much had been read.
            messages: The prompt.
            now: Index of the chunk that came last.
        """
        ...


class AsHeard:
    """Replies as they were."""

    def hear(self, asked: str, said: str) -> None:
        """Nothing is to be noted."""

    def reply(self, like: Heard, messages: Sequence[Message], now: int) -> str:
        """The reply that was given."""
        return like.text


class Growth(NamedTuple):
    """How long replies are, by the chunk that came last: in proportion to a power of it."""

    power: float = 0.0
    """From 0 to 1; 0 where they do not grow, or nothing says that they do."""
    last: int = 0
    """The last chunk of which anything was heard."""

    def factor(self, then: int, now: int) -> float:
        """How much longer a reply is at one chunk than at an earlier one.

        What was heard of is as long as it was, and only what is later is longer.
        """
        begin = max(then, min(now, self.last))
        return ((now + 1) / (begin + 1)) ** self.power if now > begin else 1.0


def growth(lengths: Iterable[tuple[int, int]]) -> Growth:
    """How replies grow, by those of the later half of what was heard.

    The earlier half counts only where the later has fewer than four chunks. A slope that chance
    may have made is none.

    Args:
        lengths: Of each reply, the chunk that had come last, and its tokens.
    """
    known = sorted(lengths)
    if not known:
        return Growth()
    last = known[-1][0]
    later = [one for one in known if 2 * one[0] >= last]
    used = later if len({now for now, _ in later}) > 3 else known
    x = [math.log(now + 1) for now, _ in used]
    y = [math.log(size + 1) for _, size in used]
    n, spread = len(x), sum((one - sum(x) / len(x)) ** 2 for one in x)
    if n < 4 or spread == 0:
        return Growth(0.0, last)
    mean_x, mean_y = sum(x) / n, sum(y) / n
    slope = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / spread
    left = sum((b - mean_y - slope * (a - mean_x)) ** 2 for a, b in zip(x, y, strict=True))
    error = math.sqrt(left / (n - 2) / spread)
    if slope <= error * (3 + 10 / (n - 2)):  # stricter than a t test at 1 %: it is extrapolated
        return Growth(0.0, last)
    return Growth(min(1.0, slope), last)


def resized(text: str, factor: float) -> str:
    """A text made longer or shorter by whole words, its lines as they are as far as they go."""
    pieces = re.findall(r"\S+\s*", text)
    if not pieces or factor == 1:
        return text
    wanted = max(1, round(len(pieces) * factor))
    whole, rest = divmod(wanted, len(pieces))
    ending = "" if pieces[-1][-1].isspace() else "\n"
    return ((text + ending) * whole + "".join(pieces[:rest])).rstrip()


_NAME = re.compile(r"(?<=[\w,;] )[^\W\d_a-z][\w'-]+")
"""A word with a capital that begins no sentence."""
_MOST = 1e6


class Novelty:
    """How many of a model's facts are new.

    Facts are drawn from as many as the text has to tell of; the more of them are known, the fewer
    are new. How many there are is the number under which what was heard, new facts and known ones
    in their order, is likeliest. They become more as the text's names do where facts have names,
    and else as its words: a plan knows the text to its end.

    Args:
        heard: Documents, each as the texts of its chunks with the facts that were found in them.
    """

    def __init__(self, heard: Sequence[Sequence[tuple[str, Sequence[str]]]]) -> None:
        self._kind = _names if _named(heard) else telling
        draws = [draw for document in heard for draw in _draws(document, self._kind)]
        self._for_one = _likeliest(draws)
        self._of_text: set[str] = set()
        self._owed = 0.0
        self.known: dict[str, None] = {}
        """Facts of the document so far, oldest first."""

    def take(self, text: str, facts: Iterable[str]) -> None:
        """Takes note of a chunk of the document and its facts."""
        self._of_text.update(self._kind(text))
        self.known.update(dict.fromkeys(facts))

    def due(self, text: str, facts: int) -> int:
        """How many of some facts of the next chunk are new."""
        all_facts = len(self._of_text.union(self._kind(text))) * self._for_one
        known, new = len(self.known), 0
        for _ in range(facts):
            self._owed += max(0.0, 1 - (known + new) / all_facts) if all_facts else 0.0
            if self._owed >= 1:
                new += 1
                self._owed -= 1
        return new


class _Draw(NamedTuple):
    """A fact that a model found."""

    known: int
    """Different ones that it had found before."""
    of_text: int
    """Different names, or words, of the text by then."""
    new: bool


def _draws(
    chunks: Sequence[tuple[str, Sequence[str]]], kind: Callable[[str], Iterable[str]]
) -> list[_Draw]:
    known: set[str] = set()
    of_text: set[str] = set()
    found = []
    for text, facts in chunks:
        of_text.update(kind(text))
        for fact in facts:
            found.append(_Draw(len(known), max(1, len(of_text)), fact not in known))
            known.add(fact)
    return found


def _likeliest(draws: Sequence[_Draw]) -> float:
    """Facts that there are for each name or word of the text; 0 where none was found.

    The likelihood has one peak, which is searched for by thirds on a scale of ratios.
    """
    if not draws:
        return 0.0
    least = max((one.known + one.new) / one.of_text for one in draws)

    def likely(ratio: float) -> float:
        shares = ((one.known / (ratio * one.of_text), one.new) for one in draws)
        return sum(math.log(max(1e-9, 1 - share if new else share)) for share, new in shares)

    low, high = math.log(least), math.log(least * _MOST)
    while high - low > 1e-3:
        third = (high - low) / 3
        if likely(math.exp(low + third)) < likely(math.exp(high - third)):
            low += third
        else:
            high -= third
    return math.exp(low)


def _names(text: str) -> list[str]:
    return [one.casefold() for one in _NAME.findall(text)]


def _named(heard: Sequence[Sequence[tuple[str, Sequence[str]]]]) -> bool:
    """Whether most facts have a name of the text in them."""
    facts = [fact for document in heard for _, found in document for fact in found]
    names = {name for document in heard for text, _ in document for name in _names(text)}
    having = sum(1 for fact in facts if not names.isdisjoint(telling(fact)))
    return 2 * having > len(facts)


def by_document(
    heard: Sequence[Heard], facts: Callable[[Heard], tuple[str, Sequence[str]]]
) -> list[list[tuple[str, Sequence[str]]]]:
    """Replies document by document, each as text and facts; those of unknown prompts left out."""
    known = [one for one in heard if one.asked]
    return [
        [facts(one) for one in of_stream]
        for _, of_stream in groupby(sorted(known, key=lambda one: one.stream), lambda o: o.stream)
    ]
