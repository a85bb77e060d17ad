"""Question synthesis: every template with every choice of names, with timelines (O-064 to O-072).

The first timeline has an entry for each fact; the second, discretised, one for each chunk: the
answer after the last fact of that chunk or of an earlier one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby, permutations, product

from supersede.streams.babi.extract import Database
from supersede.streams.babi.templates import BEFORE, TEMPLATES, Accepted, Slot, Template

FEWEST_PHASES = 2
MOST_PHASES = 20


@dataclass(frozen=True, slots=True)
class Candidate:
    """One question that could be asked."""

    template: Template
    names: tuple[str, ...]
    timeline: tuple[Accepted, ...]
    """Accepted answers after each fact."""
    changed: tuple[int | None, ...]
    """After each fact: the fact that last changed the answer; None where none has."""

    @property
    def text(self) -> str:
        """The question in words."""
        return self.template.text.format(*self.names)


@dataclass(frozen=True, slots=True)
class Interval:
    """A question's state at the end of a chunk."""

    accepted: Accepted
    fact: int | None
    """The fact that the answer rests on; None before any."""


def synthesise(db: Database, templates: Mapping[str, Template] = TEMPLATES) -> list[Candidate]:
    """Every question whose answer changes over the facts, in the order of templates and names."""
    found = (
        candidate(db, template, names)
        for template in templates.values()
        for names in _choices(db, template)
    )
    return [one for one in found if len(set(one.timeline)) > 1]


def candidate(db: Database, template: Template, names: tuple[str, ...]) -> Candidate:
    """One question with its timeline over the facts."""
    before = BEFORE[template.type]
    steps = list(template.solve(db, *names))
    timeline: list[Accepted] = []
    changed: list[int | None] = []
    now, since = before, None
    rest = iter([*steps, None])
    step = next(rest)
    for time in range(len(db.facts)):
        while step is not None and step.time <= time:
            if step.accepted != now:
                now, since = step.accepted, step.time
            step = next(rest)
        timeline.append(now)
        changed.append(since)
    return Candidate(template, names, tuple(timeline), tuple(changed))


def discretised(one: Candidate, chunk_of: Sequence[int], chunks: int) -> tuple[Interval, ...]:
    """The question at the end of each chunk.

    Args:
        one: The question.
        chunk_of: For each fact the chunk in which it stands, in rising order.
        chunks: How many chunks there are.
    """
    intervals: list[Interval] = []
    told = 0
    for chunk in range(chunks):
        while told < len(chunk_of) and chunk_of[told] <= chunk:
            told += 1
        if told == 0:
            intervals.append(Interval(BEFORE[one.template.type], None))
        else:
            intervals.append(Interval(one.timeline[told - 1], one.changed[told - 1]))
    return tuple(intervals)


def phases_of(intervals: Sequence[Interval]) -> int:
    """How many runs of equal answers there are."""
    return sum(1 for _ in groupby(interval.accepted[0] for interval in intervals))


def _choices(db: Database, template: Template) -> Iterator[tuple[str, ...]]:
    """All ways to fill a template's slots, no name twice."""
    known: dict[Slot, tuple[str, ...]] = {
        "person": db.people,
        "place": db.places,
        "object": db.objects,
    }
    slots = template.slots
    if len(slots) > 1 and slots[0] == slots[1]:
        several = permutations if template.ordered else combinations
        pairs = list(several(known[slots[0]], 2))
        rest = list(product(*(known[slot] for slot in slots[2:])))
        return ((*pair, *more) for pair in pairs for more in rest)
    return product(*(known[slot] for slot in slots))
