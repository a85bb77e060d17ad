"""What can be asked of a story: each template with its slots, its text and the steps of its answer.

The eight that the paper's analysis names come first in their type. A step is a time and the answers
accepted from then on; before the first step the answer is that of `BEFORE`. Only what the text has
told so far decides, so steps may be cut off at any time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

from supersede.model.stream import QuestionType
from supersede.streams.babi import counts
from supersede.streams.babi.counts import Count
from supersede.streams.babi.extract import Database, Step, at
from supersede.streams.babi.verbs import Group

Accepted: TypeAlias = tuple[str, ...]
Slot: TypeAlias = Literal["person", "place", "object"]

BEFORE: dict[QuestionType, Accepted] = {
    QuestionType.TRACKING: ("Unknown",),
    QuestionType.COUNTING: ("Unknown", "0"),
    QuestionType.BRIDGE: ("Unknown",),
    QuestionType.COMPARISON: ("Unknown", "Same"),
}
"""What is accepted before the text has told anything that matters (O-026, O-027, O-073)."""

NOBODY: Accepted = ("Nobody", "No one", "None")
"""The holder of an object that has been dropped."""

CONVENTIONS = (
    "Short statements about made-up people and places are spread over a longer text. Only they "
    "matter; the rest has nothing to do with them. What they say holds until a later one changes "
    "it. Somebody picks an object up who picks it up, gets, grabs or takes it; who is handed an "
    "object acquires and holds it, but has not picked it up. After acquiring an object means after "
    "the first time. An object goes wherever its holder goes, and stays where it was dropped, "
    "left, put down or discarded. The places that somebody has visited or moved to are those to "
    "which the text says that they went. Nobody holds an object that was dropped: the answer is "
    "then Nobody. The answer is Unknown as long as the text has told nothing that decides it, and "
    "Same where two things that are compared are equal."
)
"""What one must know to answer; a stream carries it in its `meta`, under `system`."""


class Answer(NamedTuple):
    """From a time on, the accepted answers."""

    time: int
    accepted: Accepted


Solve: TypeAlias = Callable[..., Iterable[Answer]]


@dataclass(frozen=True, slots=True)
class Template:
    """One kind of question."""

    id: str
    type: QuestionType
    slots: tuple[Slot, ...]
    text: str
    """With `{0}`, `{1}`, ... for the names in the slots."""
    solve: Solve
    """Called with a database and the names."""
    ordered: bool = False
    """Whether two slots of one kind may be filled either way round."""


TEMPLATES: dict[str, Template] = {}
"""Every template by id."""


def _template(
    kind: QuestionType, slots: tuple[Slot, ...], text: str, *, ordered: bool = False
) -> Callable[[Solve], Solve]:
    def register(solve: Solve) -> Solve:
        name = solve.__name__.strip("_")
        TEMPLATES[name] = Template(name, kind, slots, text, solve, ordered)
        return solve

    return register


def _steps(steps: Iterable[Step]) -> Iterator[Answer]:
    for time, value in steps:
        if value is not None:
            yield Answer(time, (value,))


# Tracking


@_template(QuestionType.TRACKING, ("person",), "Where is {0}?")
def _place_of_person(db: Database, person: str) -> Iterator[Answer]:
    return _steps(db.place.get(person, ()))


@_template(QuestionType.TRACKING, ("object",), "Who is holding the {0}?")
def _holder_of_object(db: Database, thing: str) -> Iterator[Answer]:
    for time, value in db.holder.get(thing, ()):
        yield Answer(time, NOBODY if value is None else (value,))


# Counting


def _counted(found: Iterable[Count]) -> Iterator[Answer]:
    for time, number in found:
        yield Answer(time, (str(number),))


def _counting(slots: tuple[Slot, ...], text: str, count: Callable[..., Iterable[Count]]) -> None:
    def solve(db: Database, *names: str) -> Iterator[Answer]:
        return _counted(count(db, *names))

    TEMPLATES[f"count_{count.__name__}"] = Template(
        f"count_{count.__name__}", QuestionType.COUNTING, slots, text, solve
    )


_counting(("person", "place"), "How many times has {0} moved to the {1}?", counts.moves_to)
_counting(("person",), "How many unique objects has {0} picked up?", counts.objects_picked_up)
_counting(("person",), "How many times has {0} moved in all?", counts.moves)
_counting(("person",), "How many distinct places has {0} visited?", counts.places_visited)
_counting(("person",), "How many times has {0} given an object away?", counts.times_given)
_counting(("person",), "How many objects is {0} holding?", counts.carrying)
_counting(("place",), "How many different people have visited the {0}?", counts.visitors)
_counting(("place",), "How many times has anyone moved to the {0}?", counts.arrivals)
_counting(("object",), "How many different people have held the {0}?", counts.holders)
_counting(("object",), "How many times has the {0} been picked up?", counts.times_picked_up)


# Bridge


@_template(
    QuestionType.BRIDGE,
    ("place", "place"),
    "Who most recently traveled directly from the {0} to the {1}?",
    ordered=True,
)
def _traveller(db: Database, origin: str, destination: str) -> Iterator[Answer]:
    here: dict[str, str] = {}
    for time, fact in enumerate(db.facts):
        if fact.group is Group.MOVE:
            if (here.get(fact.subject), fact.object) == (origin, destination):
                yield Answer(time, (fact.subject,))
            here[fact.subject] = fact.object


@_template(
    QuestionType.BRIDGE,
    ("person", "object"),
    "Where is the most recent location that {0} moved to after acquiring the {1}?",
)
def _place_after_acquiring(db: Database, person: str, thing: str) -> Iterator[Answer]:
    first = next((time for time, who in db.holder.get(thing, ()) if who == person), None)
    if first is not None:
        for place, time in db.did(person, Group.MOVE):
            if time > first:
                yield Answer(time, (place,))


@_template(QuestionType.BRIDGE, ("object",), "Where is the {0}?")
def _place_of_object(db: Database, thing: str) -> Iterator[Answer]:
    return _steps(db.lies.get(thing, ()))


@_template(QuestionType.BRIDGE, ("object",), "Where was the {0} most recently picked up?")
def _place_of_pick_up(db: Database, thing: str) -> Iterator[Answer]:
    for time, fact in enumerate(db.facts):
        if fact.group is Group.ACQUIRE and fact.object == thing:
            place = at(db.place.get(fact.subject, ()), time)
            if place is not None:
                yield Answer(time, (place,))


@_template(QuestionType.BRIDGE, ("person",), "Where was {0} directly before the latest move?")
def _place_before(db: Database, person: str) -> Iterator[Answer]:
    steps = db.place.get(person, ())
    for before, after in pairwise(steps):
        if before.value is not None:
            yield Answer(after.time, (before.value,))


@_template(
    QuestionType.BRIDGE,
    ("person", "place"),
    "Where did {0} most recently go directly from the {1}?",
)
def _place_after_place(db: Database, person: str, origin: str) -> Iterator[Answer]:
    steps = db.place.get(person, ())
    for before, after in pairwise(steps):
        if before.value == origin and after.value is not None:
            yield Answer(after.time, (after.value,))


@_template(
    QuestionType.BRIDGE,
    ("place",),
    "Who most recently moved to the {0} while holding an object?",
)
def _bringer(db: Database, place: str) -> Iterator[Answer]:
    for time, fact in enumerate(db.facts):
        if fact.group is Group.MOVE and fact.object == place:
            held = [at(steps, time) for steps in db.holder.values()]
            if fact.subject in held:
                yield Answer(time, (fact.subject,))


@_template(
    QuestionType.BRIDGE,
    ("place",),
    "Which object was most recently picked up at the {0}?",
)
def _picked_up_at(db: Database, place: str) -> Iterator[Answer]:
    for time, fact in enumerate(db.facts):
        if fact.group is Group.ACQUIRE and at(db.place.get(fact.subject, ()), time) == place:
            yield Answer(time, (fact.object,))


# Comparison


def _compared(
    left: str, of_left: Iterable[Count], right: str, of_right: Iterable[Count]
) -> Iterator[Answer]:
    """Whoever has more, or `Same`; from the first count on."""
    numbers = {left: 0, right: 0}
    merged = [(time, left, number) for time, number in of_left]
    merged += [(time, right, number) for time, number in of_right]
    for time, name, number in sorted(merged):
        numbers[name] = number
        ahead = numbers[left] - numbers[right]
        yield Answer(time, ("Same" if ahead == 0 else left if ahead > 0 else right,))


def _comparison(kind: Slot, text: str, count: Callable[..., Iterable[Count]], *more: Slot) -> None:
    def solve(db: Database, left: str, right: str, *names: str) -> Iterator[Answer]:
        return _compared(left, count(db, left, *names), right, count(db, right, *names))

    name = f"compare_{count.__name__}"
    TEMPLATES[name] = Template(name, QuestionType.COMPARISON, (kind, kind, *more), text, solve)


_comparison("person", "Has {0} or {1} visited more distinct places?", counts.places_visited)
_comparison(
    "person",
    "Who picked up a greater number of distinct objects, {0} or {1}?",
    counts.objects_picked_up,
)
_comparison("person", "Who has moved more often, {0} or {1}?", counts.moves)
_comparison("person", "Has {0} or {1} moved to the {2} more often?", counts.moves_to, "place")
_comparison("person", "Who is holding more objects, {0} or {1}?", counts.carrying)
_comparison("person", "Who has given objects away more often, {0} or {1}?", counts.times_given)
_comparison(
    "place", "Has the {0} or the {1} been visited by more different people?", counts.visitors
)
_comparison("object", "Has the {0} or the {1} been picked up more often?", counts.times_picked_up)
_comparison("object", "Has the {0} or the {1} been held by more different people?", counts.holders)
