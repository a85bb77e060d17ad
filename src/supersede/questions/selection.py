"""Scope and selection of queries: which rows hold in one reading.

The view of the true reading also traces what an answer rests on, from which contributing ids and
evidence follow (see `evidence`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter

from supersede.questions.index import Index, Row
from supersede.questions.reading import Reading
from supersede.questions.trace import NOWHERE, After, Between, Part, Scope, Trace


class Selection:
    """One reading of a history, from which rows are taken."""

    def __init__(
        self,
        index: Index,
        reading: Reading,
        trace: Trace | None = None,
    ) -> None:
        self.index = index
        self.facts = index.facts
        self.world = index.facts.world
        self.reading = reading
        self.source = reading.source
        self.trace = trace
        self.part: Part | None = None
        if trace is not None:
            self.part = Part(reading)
            trace.parts.append(self.part)

    @property
    def blocks(self) -> Sequence[int]:
        """Per position: the block in which it happened."""
        if self.trace is not None:
            self.trace.placed = True
        return self.reading.blocks

    @property
    def order(self) -> Sequence[int]:
        """Per position: a sort key for the order of what happened."""
        if self.trace is not None:
            self.trace.placed = True
        return self.reading.order

    # Scope and selection

    def window(self, first: int, last: int) -> Scope:
        """What took place in blocks `first` to `last`."""
        return Between(first, last)

    def since(self, record_id: str) -> Scope:
        """What took place after a record did."""
        at = self.find(record_id)
        return NOWHERE if at is None else After(at)

    def find(self, record_id: str) -> int | None:
        """The position of a record that the question names; None where it is not posted."""
        at = self.index.validity.position.get(record_id)
        if at is None or not self.is_posted(at):
            return None
        if self.trace is not None:
            self.trace.probes.append(at)
        return at

    def is_posted(self, i: int) -> bool:
        """Whether a record is there at all in this reading."""
        return self.index.validity.posted(i, self.reading.variant)

    def take(self, rows: Sequence[Row], scope: Scope = None) -> list[Row]:
        """The rows that hold, limited to a scope; what it gives is kept, so it is never changed."""
        reading = self.reading
        key = (id(rows), id(reading.source), reading.as_posted, reading.last_mention, scope)
        known = self.index.taken.get(key)
        if known is None:
            inside = self._inside(rows, scope)
            known = (rows, reading.source, inside, self._holding(inside))
            self.index.taken[key] = known
        if self.trace is not None and self.part is not None:
            self.part.noted.append(known[2])
            if scope is not None:
                self.trace.placed = True
        return known[3]

    def _holding(self, inside: Sequence[Row]) -> list[Row]:
        if self.reading.last_mention:
            return sorted(inside, key=printed)
        source = self.source
        return [row for row in inside if source[row[0]] == row[1]]

    def _inside(self, rows: Sequence[Row], scope: Scope) -> Sequence[Row]:
        dropped = self.reading.variant.dropped
        if dropped:
            rows = [row for row in rows if (row[0], row[1]) not in dropped]
            if self.reading.last_mention:
                rows = [row for row in rows if self.source[row[0]] >= 0]
        if scope is None:
            return rows
        at = 1 if self.reading.last_mention else 0
        if isinstance(scope, Between):
            first, last, blocks = scope.first, scope.last, self.blocks
            return [row for row in rows if first <= blocks[row[at]] <= last]
        order = self.order
        after = order[scope.position]
        return [row for row in rows if order[row[at]] > after]

    def records(
        self, event: str | None = None, entity: str | None = None, scope: Scope = None
    ) -> list[Row]:
        """(entry, source, record shown) for valid records of an event that name an entity."""
        if entity is None:
            return self.take(self.index.contents(event), scope)
        return self.take(self.index.naming(entity, event), scope)

    def named(self, kind: str, event: str | None = None, scope: Scope = None) -> list[Row]:
        """(entry, source, entity) for the entities of a type that valid records name."""
        return self.take(self.index.named(kind, event), scope)

    def pairs(
        self, kind: str, other: str, event: str | None = None, scope: Scope = None
    ) -> list[Row]:
        """(entry, source, entity, other entity) for all pairs that valid records name."""
        return self.take(self.index.paired(kind, other, event), scope)

    def postings(
        self,
        measure: str,
        kind: str | None = None,
        entity: str | None = None,
        scope: Scope = None,
    ) -> list[Row]:
        """(entry, source, delta, entity) for the changes of a measure that count."""
        if entity is not None:
            return self.take(self.index.postings_for(measure, entity), scope)
        return self.take(self.index.postings(measure, kind), scope)

    def in_order(self, rows: Iterable[Row]) -> list[Row]:
        """Rows by the order in which their records took place."""
        order = self.order
        return sorted(rows, key=lambda row: order[row[0]])

    def running(self, rows: Iterable[Row]) -> list[Row]:
        """Rows in order, for an answer that depends on the whole of it."""
        if self.trace is not None:
            self.trace.by_order = True
        return self.in_order(rows)

    def block_of(self, row: Row) -> int:
        """The block in which a row's record took place."""
        if self.trace is not None:
            self.trace.by_block = self.trace.placed = True
        return self.reading.blocks[row[0]]


printed = itemgetter(1)
"""Where what a row shows is printed."""
