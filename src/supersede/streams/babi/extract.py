"""State extraction: fact sentences become a database of who did what when (O-058 to O-063)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from supersede.streams.babi.verbs import Fact, Group, parse


class Seen(NamedTuple):
    """One entry of somebody's log."""

    object: str
    """Destination or thing."""
    time: int
    """Zero-based place of the fact in the story."""


class Got(NamedTuple):
    """Something that was handed over to somebody."""

    object: str
    giver: str
    time: int


class Step(NamedTuple):
    """From a time on, a value; None for nobody or nowhere known."""

    time: int
    value: str | None


@dataclass(frozen=True, slots=True)
class Database:
    """Everybody's history, indexed by time."""

    facts: tuple[Fact, ...]
    log: Mapping[str, Mapping[Group, tuple[Seen, ...]]]
    """Person -> group -> all that they did, in order."""
    received: Mapping[str, tuple[Got, ...]]
    """Person -> what was handed over to them, in order."""
    place: Mapping[str, tuple[Step, ...]]
    """Person -> where they are, step by step."""
    holder: Mapping[str, tuple[Step, ...]]
    """Object -> who has it, step by step; None once it has been dropped."""
    lies: Mapping[str, tuple[Step, ...]]
    """Object -> where it is: with its holder, or where it was dropped."""

    @property
    def people(self) -> tuple[str, ...]:
        """Everybody who does something or is handed something, in order of appearance."""
        named = (p for f in self.facts for p in (f.subject, f.recipient) if p is not None)
        return tuple(dict.fromkeys(named))

    @property
    def places(self) -> tuple[str, ...]:
        """Every place that somebody moves to, in order of appearance."""
        moves = (f.object for f in self.facts if f.group is Group.MOVE)
        return tuple(dict.fromkeys(moves))

    @property
    def objects(self) -> tuple[str, ...]:
        """Every object, in order of appearance."""
        return tuple(self.holder)

    def did(self, person: str, group: Group) -> tuple[Seen, ...]:
        """What a person did of one group, in order."""
        return self.log.get(person, {}).get(group, ())


def at(steps: Iterable[Step], time: int) -> str | None:
    """The value of some steps after the fact of a time."""
    value: str | None = None
    for step in steps:
        if step.time > time:
            break
        value = step.value
    return value


def extract(sentences: Iterable[str]) -> Database:
    """The database of a story.

    Args:
        sentences: Its facts, in order.

    Raises:
        DataError: A sentence states no fact.
    """
    facts = tuple(parse(text) for text in sentences)
    state = _State()
    for time, fact in enumerate(facts):
        state.note(time, fact)
    return Database(
        facts,
        {p: {g: tuple(seen) for g, seen in groups.items()} for p, groups in state.log.items()},
        {person: tuple(got) for person, got in state.received.items()},
        {person: tuple(steps) for person, steps in state.place.items()},
        {thing: tuple(steps) for thing, steps in state.holder.items()},
        {thing: tuple(steps) for thing, steps in state.lies.items()},
    )


class _State:
    """The database while it grows."""

    def __init__(self) -> None:
        self.log: dict[str, dict[Group, list[Seen]]] = {}
        self.received: dict[str, list[Got]] = {}
        self.place: dict[str, list[Step]] = {}
        self.holder: dict[str, list[Step]] = {}
        self.lies: dict[str, list[Step]] = {}
        self._carried: dict[str, dict[str, None]] = {}

    def note(self, time: int, fact: Fact) -> None:
        """One more fact."""
        person, thing = fact.subject, fact.object
        self.log.setdefault(person, {}).setdefault(fact.group, []).append(Seen(thing, time))
        if fact.group is Group.MOVE:
            self.place.setdefault(person, []).append(Step(time, thing))
            for carried in self._carried.get(person, ()):
                self._lies(time, carried, thing)
            return
        for carried_by in self._carried.values():
            carried_by.pop(thing, None)
        to = fact.recipient if fact.group is Group.TRANSFER else None
        if fact.group is Group.ACQUIRE:
            to = person
        self.holder.setdefault(thing, []).append(Step(time, to))
        if to is not None:
            self._carried.setdefault(to, {})[thing] = None
        if to is not None and to != person:
            self.received.setdefault(to, []).append(Got(thing, person, time))
        self._lies(time, thing, self._where(to or person))

    def _lies(self, time: int, thing: str, place: str | None) -> None:
        self.lies.setdefault(thing, []).append(Step(time, place))

    def _where(self, person: str) -> str | None:
        steps = self.place.get(person)
        return steps[-1].value if steps else None
