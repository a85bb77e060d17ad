"""The algebra of queries: what is made of the rows that hold in one reading.

An operator is a small function of a `View`. The same function answers for the truth and for a
careless reader.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter

from supersede.model.record import ENTRY_KINDS, Key, Reason, Record, Value
from supersede.questions.controls import REPOST
from supersede.questions.index import Row
from supersede.questions.reading import variant_reading
from supersede.questions.selection import Selection, printed
from supersede.questions.trace import Scope
from supersede.questions.validity import Variant


class View(Selection):
    """One reading of a history, asked by operators."""

    # Reduction

    def net(self, rows: Sequence[Row]) -> int:
        """The sum of the deltas; for a last-mention reader the last one."""
        if self.reading.last_mention:
            return int(rows[-1][2]) if rows else 0
        return sum(map(itemgetter(2), rows))

    def count(self, rows: Sequence[Row]) -> int:
        """How many records the rows are of; a last-mention reader knows only the last."""
        if self.reading.last_mention:
            return min(1, len(rows))
        return len(set(map(itemgetter(0), rows)))

    def net_by(self, kind: str, rows: Sequence[Row]) -> dict[str, int]:
        """The net change of every live entity of a type, zeros included, in declared order."""
        totals = dict.fromkeys(self.live(kind), 0)
        last = self.reading.last_mention
        for row in rows:
            name = row[3]
            if name in totals:
                totals[name] = row[2] if last else totals[name] + row[2]
        return totals

    def count_by(self, kind: str, rows: Sequence[Row]) -> dict[str, int]:
        """The number of records of every live entity of a type, zeros included."""
        totals = dict.fromkeys(self.live(kind), 0)
        last = self.reading.last_mention
        for row in rows:
            name = row[2]
            if name in totals:
                totals[name] = 1 if last else totals[name] + 1
        return totals

    def group(self, rows: Sequence[Row], keys: Iterable[object]) -> dict[object, int]:
        """The number of records under each key, in order of first appearance."""
        totals: dict[object, int] = {}
        last = self.reading.last_mention
        for _, key in zip(rows, keys, strict=True):
            totals[key] = 1 if last else totals.get(key, 0) + 1
        return totals

    def latest(
        self, rows: Sequence[Row], scope: Scope = None, *, first: bool = False
    ) -> Row | None:
        """The row that holds and took place last (or first); it alone counts to the answer."""
        inside = self._inside(rows, scope)
        if self.reading.last_mention:
            return max(inside, key=printed, default=None)
        source, order = self.source, self.order
        sign = -1 if first else 1
        best: Row | None = None
        for row in inside:
            holds = source[row[0]] == row[1]
            if holds and (best is None or sign * (order[row[0]] - order[best[0]]) > 0):
                best = row
        if self.part is not None:
            bound = None if best is None else order[best[0]]
            self.part.noted.append(
                [row for row in inside if bound is None or sign * (order[row[0]] - bound) >= 0]
            )
        return best

    def heard(self, rows: Sequence[Row]) -> Sequence[Row]:
        """The rows that a reader keeps in mind: all, or the last for a last-mention reader."""
        return rows[-1:] if self.reading.last_mention else rows

    def last(self, rows: Sequence[Row], n: int) -> list[Row]:
        """The last rows that hold, at most `n`, in the order in which they took place."""
        if self.reading.last_mention:
            return sorted(self._inside(rows, None), key=printed)[-n:]
        source, order = self.source, self.order
        inside = self._inside(rows, None)
        held = self.in_order([row for row in inside if source[row[0]] == row[1]])[-n:]
        if self.part is not None:
            bound = order[held[0][0]] if len(held) == n else -1
            self.part.noted.append([row for row in inside if order[row[0]] >= bound])
        return held

    def live(self, kind: str) -> list[str]:
        """Live entities of a type: declared ones first, then in minting order."""
        declared = self.world.types[kind]
        minted = self.index.minted.get(kind)
        if self.part is not None and minted:
            self.part.candidates.setdefault(kind, set())
        if not minted:
            return list(declared.names)
        source, minter = self.source, self.index.validity.minter
        return [*declared.names, *(name for name in minted if source[minter[name]] >= 0)]

    def show(self, kind: str, names: Iterable[str]) -> None:
        """Note which candidates an answer names, since it changes when they go."""
        if self.part is not None and kind in self.part.candidates:
            self.part.candidates[kind].update(names)

    def show_all(self, kind: str) -> None:
        """Note that every live entity of a type counts: so do the records that mint them."""
        if self.part is not None and kind in self.part.candidates:
            minter = self.index.validity.minter
            mints = {minter[name] for name in self.index.minted[kind]}
            self.part.noted.append([row for row in self.index.contents() if row[0] in mints])

    # Registers and rosters

    def cell(self, register: str, key: Key, scope: Scope = None) -> Value:
        """The value that the last valid assignment in a scope gives, else the start value."""
        rows = [row for row in self.index.assignments(register) if row[2] == key]
        row = self.latest(rows, scope)
        if row is not None:
            value: Value = row[3]
            return value
        declared = self.world.registers[register]
        return declared.starts.get(key, declared.start)

    def cells(self, register: str, scope: Scope = None) -> dict[Key, Value]:
        """The value of every cell of live entities, start values included."""
        declared = self.world.registers[register]
        keys: list[Key] = [()]
        for kind in declared.on:
            keys = [(*key, name) for key in keys for name in self.live(kind)]
            self.show_all(kind)
        values: dict[Key, Value] = {key: declared.starts.get(key, declared.start) for key in keys}
        by_key: dict[Key, list[Row]] = {}
        for row in self.index.assignments(register):
            by_key.setdefault(row[2], []).append(row)
        for key, rows in by_key.items():
            if key in values:
                row_now = self.latest(rows, scope)
                if row_now is not None:
                    values[key] = row_now[3]
        return values

    def members(self, roster: str, key: Key = (), scope: Scope = None) -> list[str]:
        """The members of a roster, in the order of the joins in force (R12)."""
        declared = self.world.rosters[roster]
        rows = [row for row in self.index.memberships(roster) if row[2] == key]
        there = len(declared.start)
        ranks = {name: n - there for n, name in enumerate(declared.start)}
        for row in self.in_order(self.take(rows, scope)):
            member, joins = row[3], row[4]
            if not joins:
                ranks.pop(member, None)
            elif member not in ranks:
                ranks[member] = self.order[row[0]]
        return sorted(ranks, key=lambda member: ranks[member])

    # What does not count

    def excluded(
        self,
        event: str | None = None,
        entity: str | None = None,
        scope: Scope = None,
        *,
        reposts: bool = True,
    ) -> list[int]:
        """Positions of entries and reposts in a scope that do not count, in posted order.

        What such a record names is read off its own line, not off an amend of it.
        """
        rows = self.index.contents(event) if entity is None else self.index.naming(entity, event)
        inside = [row[0] for row in self._inside(rows, scope) if row[0] == row[1]]
        if not reposts:
            inside = [i for i in inside if self.index.records[i].kind is not REPOST]
        if self.part is not None:
            self.part.excluded.update(inside)
        if self.reading.trusting:
            return []
        source = self.source
        return sorted([i for i in inside if source[i] < 0 and self.is_posted(i)])

    def reason(self, i: int) -> tuple[Reason, str]:
        """Why an excluded record does not count, and the id or label behind it."""
        if self.trace is not None:
            self.trace.reasons = True
        found = self.index.validity.reason(i, self.reading.variant)
        return found if found is not None else (Reason.STATUS, "")

    # Single records and changed histories

    def record(self, i: int) -> Record:
        """The record at a position."""
        return self.index.records[i]

    def ids(self, positions: Iterable[int]) -> list[str]:
        """Record ids."""
        return [self.index.records[i].id for i in positions]

    def changed(self, change: Variant) -> View:
        """The view of the same history under a change; traced where this view is."""
        return View(self.index, variant_reading(self.index, self.reading, change), self.trace)

    def dropping(self, rows: Iterable[Row]) -> View:
        """The view without some records, and without what stands on them (R25, R26).

        Whole records go: a correct among them voids nothing.

        Args:
            rows: All contents with which a record is left out, whether they hold or not.
        """
        return self.changed(Variant(dropped=frozenset([(row[0], row[1]) for row in rows])))

    def lacking(self, record_id: str) -> View:
        """The view without one record: an entry goes like any that is dropped."""
        at = self.find(record_id)
        if at is not None and self.record(at).kind in ENTRY_KINDS:
            return self.dropping([row for row in self.index.contents() if row[0] == at])
        return self.changed(Variant(without=frozenset(() if at is None else (at,))))
