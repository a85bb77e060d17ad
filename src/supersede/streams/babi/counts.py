"""Running counts over a database: what counting and comparison questions add up.

Each gives the times at which a count changes, with the count from then on, in order of time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from supersede.streams.babi.extract import Database
from supersede.streams.babi.verbs import Group


class Count(NamedTuple):
    """From a time on, a number."""

    time: int
    number: int


def _tally(times: Iterable[int]) -> Iterator[Count]:
    for number, time in enumerate(times, start=1):
        yield Count(time, number)


def _distinct(seen: Iterable[tuple[str, int]]) -> Iterator[Count]:
    """One more for each name that has not been seen."""
    known: set[str] = set()
    for name, time in seen:
        if name not in known:
            known.add(name)
            yield Count(time, len(known))


def moves_to(db: Database, person: str, place: str) -> Iterator[Count]:
    """How many times a person has moved to a place."""
    return _tally(time for to, time in db.did(person, Group.MOVE) if to == place)


def moves(db: Database, person: str) -> Iterator[Count]:
    """How many times a person has moved."""
    return _tally(time for _, time in db.did(person, Group.MOVE))


def places_visited(db: Database, person: str) -> Iterator[Count]:
    """How many different places a person has moved to."""
    return _distinct(db.did(person, Group.MOVE))


def objects_picked_up(db: Database, person: str) -> Iterator[Count]:
    """How many different objects a person has picked up; what is handed over is not."""
    return _distinct(db.did(person, Group.ACQUIRE))


def times_given(db: Database, person: str) -> Iterator[Count]:
    """How many times a person has handed something over."""
    return _tally(time for _, time in db.did(person, Group.TRANSFER))


def times_picked_up(db: Database, thing: str) -> Iterator[Count]:
    """How many times an object has been picked up."""
    facts = enumerate(db.facts)
    return _tally(t for t, f in facts if f.group is Group.ACQUIRE and f.object == thing)


def arrivals(db: Database, place: str) -> Iterator[Count]:
    """How many times anybody has moved to a place."""
    return _tally(t for t, f in enumerate(db.facts) if f.group is Group.MOVE and f.object == place)


def visitors(db: Database, place: str) -> Iterator[Count]:
    """How many different people have moved to a place."""
    facts = enumerate(db.facts)
    return _distinct(
        (f.subject, t) for t, f in facts if f.group is Group.MOVE and f.object == place
    )


def holders(db: Database, thing: str) -> Iterator[Count]:
    """How many different people have held an object."""
    steps = db.holder.get(thing, ())
    return _distinct((step.value, step.time) for step in steps if step.value is not None)


def carrying(db: Database, person: str) -> Iterator[Count]:
    """How many objects a person has at the moment."""
    changes = sorted((step.time, thing) for thing, steps in db.holder.items() for step in steps)
    owner = {(step.time, t): step.value for t, steps in db.holder.items() for step in steps}
    held: set[str] = set()
    for time, thing in changes:
        before = len(held)
        if owner[time, thing] == person:
            held.add(thing)
        else:
            held.discard(thing)
        if len(held) != before:
            yield Count(time, len(held))
