"""Stories: people move about, take objects, drop them and hand them over.

A story is consistent: an object is taken where it lies, and handed over only to somebody who is at
the same place.
"""

from __future__ import annotations

from collections.abc import Callable

from supersede.streams.babi.draws import weighted
from supersede.streams.babi.names import Cast
from supersede.streams.babi.verbs import VERBS, Fact, Group, sentence
from supersede.worlds.streams import Draw, pick

_WEIGHTS = {Group.MOVE: 0.50, Group.ACQUIRE: 0.20, Group.DISCARD: 0.14, Group.TRANSFER: 0.16}
_SAYS_ORIGIN = 0.25
"""Share of the moves from a known place whose sentence names that place."""


def tell(draw: Draw, cast: Cast, length: int) -> list[str]:
    """The sentences of a story.

    Args:
        draw: The stream `story`.
        cast: Who and what it is about; two places at least.
        length: How many facts.
    """
    told = _World(draw, cast)
    return [told.next() for _ in range(length)]


class _World:
    """Where everybody and everything is, as far as the story has told."""

    def __init__(self, draw: Draw, cast: Cast) -> None:
        self.draw = draw
        self.cast = cast
        self.place: dict[str, str] = {}
        self.holder: dict[str, str] = {}
        self.lies: dict[str, str] = {}
        self._possible: dict[Group, Callable[[], list[Fact]]] = {
            Group.MOVE: self._moves,
            Group.ACQUIRE: self._acquisitions,
            Group.DISCARD: self._discards,
            Group.TRANSFER: self._transfers,
        }

    def next(self) -> str:
        """The next sentence; what it states has then happened."""
        options = {group: found for group, make in self._possible.items() if (found := make())}
        group = weighted(self.draw, {group: _WEIGHTS[group] for group in options})
        fact = pick(self.draw, options[group])
        self._happens(fact)
        return sentence(fact, pick(self.draw, VERBS[fact.group]))

    def _moves(self) -> list[Fact]:
        person = pick(self.draw, self.cast.people)
        here = self.place.get(person)
        origin = here if here and self.draw() < _SAYS_ORIGIN else None
        return [
            Fact(Group.MOVE, person, place, None, origin)
            for place in self.cast.places
            if place != here
        ]

    def _acquisitions(self) -> list[Fact]:
        return [
            Fact(Group.ACQUIRE, person, thing)
            for person, here in self.place.items()
            for thing in self.cast.objects
            if thing not in self.holder and self.lies.get(thing, here) == here
        ]

    def _discards(self) -> list[Fact]:
        return [Fact(Group.DISCARD, person, thing) for thing, person in self.holder.items()]

    def _transfers(self) -> list[Fact]:
        return [
            Fact(Group.TRANSFER, person, thing, other)
            for thing, person in self.holder.items()
            for other, there in self.place.items()
            if other != person and there == self.place[person]
        ]

    def _happens(self, fact: Fact) -> None:
        if fact.group is Group.MOVE:
            self.place[fact.subject] = fact.object
        elif fact.group is Group.ACQUIRE:
            self.holder[fact.object] = fact.subject
            self.lies.pop(fact.object, None)
        elif fact.group is Group.DISCARD:
            del self.holder[fact.object]
            self.lies[fact.object] = self.place[fact.subject]
        elif fact.recipient is not None:
            self.holder[fact.object] = fact.recipient
