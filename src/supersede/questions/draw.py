"""Draws the parameters of a question from a history, aimed at records that mislead.

Every draw comes from one named random stream. A *focus* is a record whose validity or place a
careless reader gets wrong; parameters are drawn so that the question has to do with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

from supersede.model.question import Parameter
from supersede.model.record import Assignment, Kind, Membership, Record
from supersede.questions.controls import ENTRY
from supersede.questions.index import Index
from supersede.questions.reading import Reading
from supersede.worlds.named import names

T = TypeVar("T")

Random: TypeAlias = Callable[[], float]
"""Gives the next number of a stream, at least 0 and less than 1."""

Parameters: TypeAlias = dict[str, Parameter]

MOST_LISTED = 12
"""The most ids or names that an answer is meant to list."""


class Draw:
    """What is drawn from: a history, its true reading, a stream and a focus.

    Attributes:
        facts: What is known of the world.
        index: The history.
        reading: Its true reading.
        focus: The record to aim at; None aims at nothing.
        depth: Most entities that a counterfactual takes away (E-047).
        misread: Positions of records that careless readers get wrong, to aim at instead.
    """

    def __init__(
        self,
        index: Index,
        reading: Reading,
        rnd: Random,
        focus: Record | None = None,
        depth: int = 1,
        misread: Sequence[int] = (),
    ) -> None:
        self.facts = index.facts
        self.index = index
        self.reading = reading
        self.rnd = rnd
        self.focus = focus
        self.depth = depth
        self.misread = misread

    def aim(self, wanted: Callable[[Record], object]) -> Record | None:
        """The focus, turned to a misread record of a sort where it is none of that sort."""
        if self.focus is not None and not wanted(self.focus):
            records = self.index.records
            other = self.pick([i for i in self.misread if wanted(records[i])])
            if other is not None:
                self.focus = records[other]
        return self.focus

    def settings(self) -> Sequence[Assignment]:
        """What the focus assigns; it is turned to a record that assigns something."""
        focus = self.aim(lambda record: record.assignments)
        return () if focus is None else focus.assignments

    def joins(self) -> Sequence[Membership]:
        """Joins and leaves of the focus; it is turned to a record that has some."""
        focus = self.aim(lambda record: record.memberships)
        return () if focus is None else focus.memberships

    # Plain draws

    def pick(self, items: Sequence[T]) -> T | None:
        """One item, or None where there is none."""
        return items[int(self.rnd() * len(items))] if items else None

    def near(self, items: Sequence[T], wanted: Sequence[T]) -> T | None:
        """One of the wanted items that are among `items`, else any of them."""
        good = [item for item in wanted if item in items]
        return self.pick(good or items)

    def number(self, low: int, high: int) -> int:
        """An integer of the closed range; `low` where it is empty."""
        return low + int(self.rnd() * (max(low, high) - low + 1))

    def two(self, items: Sequence[T], wanted: Sequence[T] = ()) -> tuple[T, T] | None:
        """Two different items, a wanted one first where there is one."""
        first = self.near(items, wanted)
        if first is None:
            return None
        second = self.near([item for item in items if item != first], wanted)
        return None if second is None else (first, second)

    # What the focus says

    def focus_names(self, kind: str) -> list[str]:
        """Entities of a type that the focus names."""
        if self.focus is None:
            return []
        members = self.index.members(kind)
        return [name for name in self.index.names(self.focus.position) if name in members]

    def focus_measures(self) -> list[str]:
        """Measures that the focus changes."""
        if self.focus is None:
            return []
        return list(dict.fromkeys(posting.measure for posting in self.focus.postings))

    # Parts of a question

    def events(self) -> list[str]:
        """Events with at least one valid record, in the order of the world."""
        source = self.reading.source
        by_event = self.index.validity.by_event
        return [
            event
            for event in self.facts.world.events
            if any(source[i] >= 0 for i in by_event.get(event, ()))
        ]

    def event(self, options: Sequence[str] | None = None) -> str | None:
        """An event with valid records."""
        known = self.events()
        if options is not None:
            known = [event for event in known if event in options]
        return self.near(known, [self.focus.event or ""] if self.focus else ())

    def kind(self, options: Sequence[str] | None = None) -> str | None:
        """An entity type with at least two entities that records name."""
        kinds = [k for k in self.facts.ranked if options is None or k in options]
        kinds = [k for k in kinds if len(self.index.entities(k)) > 1]
        return self.near(kinds, [k for k in kinds if self.focus_names(k)])

    def measure(self, options: Sequence[str] | None = None) -> str | None:
        """A measure that records change."""
        known = [m for m in self.index.measures if options is None or m in options]
        return self.near(known, self.focus_measures())

    def measured_kind(self, measure: str | None) -> str | None:
        """An entity type for whose entities a measure's changes count."""
        if measure is None:
            return None
        kinds = [
            kind
            for kind in self.facts.measured_types(measure)
            if len(self.index.entities(kind)) > 1 and self.index.changes(measure, kind)
        ]
        return self.near(kinds, [k for k in kinds if self.focus_names(k)])

    def entity(self, kind: str | None) -> str | None:
        """An entity of a type that valid records name."""
        if kind is None:
            return None
        focused = [name for name in self.focus_names(kind) if self._is_active(name)]
        return self.pick(focused or self.active(kind))

    def _is_active(self, entity: str) -> bool:
        """Whether a valid record names an entity."""
        source = self.reading.source
        return any(
            source[e] == s and (entity in record[8].values() or names(record, entity))
            for e, s, record in self.index.contents()
        )

    def active(self, kind: str, event: str | None = None) -> list[str]:
        """Entities of a type that valid records name, in order of first mention."""
        source = self.reading.source
        rows = self.index.named(kind, event)
        return list(dict.fromkeys(row[2] for row in rows if source[row[0]] == row[1]))

    def block(self) -> int:
        """A block before the last one; close to the focus where there is one."""
        last = max(1, self.index.last_block - 1)
        if self.focus is None:
            return self.number(1, last)
        if self.focus.kind is Kind.BACKFILL:
            return self.number(self.focus.occurred, min(last, self.focus.block - 1))
        return self.number(min(self.focus.occurred, last), min(self.focus.occurred + 2, last))

    def window(self) -> tuple[int, int]:
        """First and last block of a window, never the whole of a log of several blocks.

        A late focus took place in it but is posted after.
        """
        first, final = self._window()
        last = self.index.last_block
        if first == 1 and final == last > 1:
            if self.focus is not None and self.focus.occurred == last:
                return 2, last
            return 1, last - 1
        return first, final

    def _window(self) -> tuple[int, int]:
        last = self.index.last_block
        if self.focus is None or last == 1:
            first = self.number(1, last)
            return first, self.number(first, last)
        inside = self.focus.occurred
        reach = max(1, last // 3)
        first = self.number(max(1, inside - reach), inside)
        most = min(last, inside + reach)
        if self.focus.kind is Kind.BACKFILL:
            most = min(most, self.focus.block - 1)
        return first, self.number(inside, max(inside, most))

    def start(self) -> int:
        """A block from which on something is asked; a late focus took place before it.

        It is never the first of several: from there on would be the whole log.
        """
        last = self.index.last_block
        second = min(2, last)
        if self.focus is None:
            return self.number(max(second, 1 + last // 4), max(second, last - 1))
        if self.focus.kind is Kind.BACKFILL and self.focus.occurred < last:
            return self.number(self.focus.occurred + 1, min(self.focus.block, last))
        return self.number(max(second, self.focus.occurred - last // 3), self.focus.occurred)

    def anchor(self) -> str | None:
        """A record to ask "since when" from; a late focus took place before it, posted after."""
        entries = [i for i in self.index.validity.entries if self.index.records[i].kind is ENTRY]
        if not entries:
            return None
        focus = self.focus
        if focus is not None and focus.kind is Kind.BACKFILL:
            between = [
                i for i in entries if i < focus.position and self.index.records[i].when > focus.when
            ]
            at = self.pick(between)
        elif focus is not None:
            at = self.pick([i for i in entries if i < focus.position])
        else:
            at = None
        if at is None:
            at = entries[int(self.rnd() * max(1, len(entries) * 2 // 3))]
        return self.index.records[at].id

    def places(self, kind: str) -> int:
        """How many places of a ranking to ask for: two or three, at most all but one."""
        return max(1, min(2 + (self.rnd() < 0.5), len(self.index.entities(kind)) - 1))


def complete(**parameters: Parameter | None) -> Parameters | None:
    """The parameters, or None where one of them could not be drawn."""
    given: Parameters = {}
    for name, value in parameters.items():
        if value is None:
            return None
        given[name] = value
    return given
