"""A history as columns and rows: what operators select from, whatever counts in the end.

Every row begins with `(entry, source)`: the position of an entry and that of the record whose
content the row shows, which is the entry itself or an amend of it. A row holds in a reading
exactly where `reading.source[entry] == source`, so one list per reading decides everything.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Any, TypeAlias

from supersede.model.record import Record
from supersede.questions.facts import Facts
from supersede.questions.validity import Validity
from supersede.worlds.ledger import Ledger
from supersede.worlds.named import named, names

Row: TypeAlias = tuple[Any, ...]
"""(entry, source, ...): what follows depends on the selection."""

Taken: TypeAlias = tuple[Sequence[Row], list[int], Sequence[Row], list[Row]]
"""Rows, the sources of a reading, the rows in a scope, and those that hold in that reading."""


class Index:
    """Rows of one history, each selection built once and kept.

    Attributes:
        facts: What is known of the world.
        records: Records in posted order.
        validity: Which records decide about which.
        last_block: The number of blocks; 1 for an empty history.
        sources: What a reading becomes under a change, once it has been worked out.
        taken: Per reading and scope: rows, the reading's sources, those of the rows in the scope,
            and those that hold. The first two keep their places in memory while the key names them.
    """

    def __init__(
        self,
        facts: Facts,
        records: Sequence[Record],
        blocks: int | None = None,
        ledger: Ledger | None = None,
    ) -> None:
        """The index of some records.

        Args:
            facts: What is known of the world.
            records: The records in posted order.
            blocks: Number of blocks, if the last ones are empty.
            ledger: That of the records, which lends its tables as long as nothing more is posted.
        """
        self.facts = facts
        self.records = records
        self.validity = Validity(facts, records, ledger)
        self.last_block = max(1, blocks or 0, records[-1].block if records else 0)
        self.sources: dict[tuple[object, ...], tuple[list[int], list[int]]] = {}
        self.taken: dict[tuple[object, ...], Taken] = {}
        self._rows: dict[tuple[str, ...], list[Row]] = {}
        self._entities: dict[str, list[str]] = {}
        self._members: dict[str, frozenset[str]] = {}
        self._names: dict[int, dict[str, None]] = {}
        self._changes: dict[tuple[str, str], bool] = {}

    # Columns

    @cached_property
    def occurred(self) -> list[int]:
        """Occurred block of every record."""
        return list(map(itemgetter(3), self.records))

    @cached_property
    def posted(self) -> list[int]:
        """Posted block of every record."""
        return list(map(itemgetter(1), self.records))

    @cached_property
    def order(self) -> list[int]:
        """A sort key for occurred order, one number per record."""
        return [(r[3] << 40) + (r[4] << 20) + r[2] for r in self.records]

    # Entities

    @cached_property
    def types(self) -> Mapping[str, str]:
        """Entity name -> type, minted ones included."""
        minting = {*self.validity.minter.values()}
        if not minting:
            return self.facts.type_of
        minted = {mint.entity: mint.type for at in minting for mint in self.records[at].mints}
        return {**self.facts.type_of, **minted}

    def names(self, i: int) -> Mapping[str, None]:
        """What a record names, in printed order: by a role, or by one of its changes."""
        found = self._names.get(i)
        if found is None:
            found = self._names[i] = dict.fromkeys(named(self.records[i]))
        return found

    def members(self, kind: str) -> frozenset[str]:
        """All entities of a type for a quick look."""
        found = self._members.get(kind)
        if found is None:
            found = self._members[kind] = frozenset(self.entities(kind))
        return found

    def entities(self, kind: str) -> Sequence[str]:
        """All entities of a type, live or not: declared ones first, then in minting order."""
        found = self._entities.get(kind)
        if found is None:
            names = self.facts.world.types[kind].names
            found = self._entities[kind] = [*names, *self.minted.get(kind, ())]
        return found

    @cached_property
    def minted(self) -> dict[str, list[str]]:
        """Minted entities by type, in minting order."""
        found: dict[str, list[str]] = {}
        for entity in self.validity.minter:
            found.setdefault(self.types[entity], []).append(entity)
        return found

    @cached_property
    def measures(self) -> list[str]:
        """Measures that events of the history change, by what the world says of its events."""
        events = self.facts.world.events
        posted = {
            measure
            for event in self.validity.by_event
            if event in events
            for measure in events[event].measures
        }
        return [measure for measure in self.facts.posted if measure in posted]

    # Rows

    def contents(self, event: str | None = None) -> list[Row]:
        """(entry, source, record shown) for the records of one event, or of all."""
        key = ("contents", event or "")
        rows = self._rows.get(key)
        if rows is None:
            validity, records = self.validity, self.records
            amends = validity.amends
            entries = validity.entries if event is None else validity.by_event.get(event, [])
            rows = list(zip(entries, entries, map(records.__getitem__, entries), strict=True))
            if amends:
                rows += [
                    (i, a, records[a])
                    for i in (entries if len(entries) < len(amends) else amends)
                    if i in amends and (event is None or records[i].event == event)
                    for a in amends[i]
                ]
            self._rows[key] = rows
        return rows

    def named(self, kind: str, event: str | None = None) -> list[Row]:
        """(entry, source, entity) for every entity of a type that a record names."""
        key = ("named", kind, event or "")
        rows = self._rows.get(key)
        if rows is None:
            members, told = self.members(kind), self.facts.told
            rows = [
                (e, s, name)
                for e, s, record in self.contents(event)
                for name in (
                    dict.fromkeys(record[8].values())
                    if record[7] in told
                    else _named_of(members, record)
                )
                if name in members
            ]
            self._rows[key] = rows
        return rows

    def paired(self, kind: str, other: str, event: str | None = None) -> list[Row]:
        """(entry, source, entity, other entity) for all pairs that a record names."""
        key = ("paired", kind, other, event or "")
        rows = self._rows.get(key)
        if rows is None:
            partners: dict[tuple[int, int], list[str]] = {}
            for e, s, name in self.named(other, event):
                partners.setdefault((e, s), []).append(name)
            rows = [
                (e, s, name, partner)
                for e, s, name in self.named(kind, event)
                for partner in partners.get((e, s), ())
            ]
            self._rows[key] = rows
        return rows

    def naming(self, entity: str, event: str | None = None) -> list[Row]:
        """(entry, source, record shown) for the records that name an entity."""
        key = ("naming", entity, event or "")
        rows = self._rows.get(key)
        if rows is None:
            told = self.facts.told
            rows = [
                row
                for row in self.contents(event)
                if entity in row[2][8].values() or (row[2][7] not in told and names(row[2], entity))
            ]
            self._rows[key] = rows
        return rows

    def postings(self, measure: str, kind: str | None = None) -> list[Row]:
        """(entry, source, delta, entity of the type or None) for every change of a measure."""
        key = ("postings", measure, kind or "")
        rows = self._rows.get(key)
        if rows is None:
            members = frozenset[str]() if kind is None else self.members(kind)
            events = self._posting_events(measure)
            rows = []
            for event in events:
                for e, s, record in self.contents(event):
                    for posting in record[11]:
                        if posting[0] == measure:
                            group = None
                            for entity in posting[2] if members else ():
                                if entity in members:
                                    group = entity
                                    break
                            rows.append((e, s, posting[1], group))
            if len(events) > 1:
                rows.sort(key=itemgetter(1))
            self._rows[key] = rows
        return rows

    def changes(self, measure: str, kind: str) -> bool:
        """Whether a change of a measure counts for an entity of a type."""
        found = self._changes.get((measure, kind))
        if found is None:
            found = self._changes[measure, kind] = self._any_change(measure, self.members(kind))
        return found

    def _any_change(self, measure: str, members: frozenset[str]) -> bool:
        for event in self._posting_events(measure):
            for _, _, record in self.contents(event):
                for changed, _, entities in record[11]:
                    if changed == measure and not members.isdisjoint(entities):
                        return True
        return False

    def _posting_events(self, measure: str) -> list[str]:
        """Events that post to a measure, by what the world says; all, where it says nothing."""
        events = self.facts.world.events
        return [
            event
            for event in self.validity.by_event
            if event not in events
            or not events[event].measures
            or measure in events[event].measures
        ]

    def postings_for(self, measure: str, entity: str) -> list[Row]:
        """(entry, source, delta, entity) for the changes of a measure that count for an entity."""
        key = ("postings for", measure, entity)
        rows = self._rows.get(key)
        if rows is None:
            kind = self.types.get(entity)
            rows = [row for row in self.postings(measure, kind) if row[3] == entity]
            self._rows[key] = rows
        return rows

    def assignments(self, register: str) -> list[Row]:
        """(entry, source, key, value) for every assignment of a register, in occurred order."""
        key = ("assignments", register)
        rows = self._rows.get(key)
        if rows is None:
            rows = [
                (e, s, assigned.key, assigned.value)
                for e, s, record in self.contents()
                if record[12]
                for assigned in record[12]
                if assigned.register == register
            ]
            rows.sort(key=lambda row: self.order[row[0]])
            self._rows[key] = rows
        return rows

    def memberships(self, roster: str) -> list[Row]:
        """(entry, source, key, member, joins) for every join and leave, in occurred order."""
        key = ("memberships", roster)
        rows = self._rows.get(key)
        if rows is None:
            rows = [
                (e, s, m.key, m.member, m.joins)
                for e, s, record in self.contents()
                if record[13]
                for m in record[13]
                if m.roster == roster
            ]
            rows.sort(key=lambda row: self.order[row[0]])
            self._rows[key] = rows
        return rows


def _named_of(members: Container[object], record: Record) -> list[str]:
    """Those of some names that a record names, in printed order (see `named`)."""
    found: list[str] = []
    for value in record[8].values():
        for name in (value,) if value.__class__ is str else value:
            if name in members and name not in found:
                found.append(name)
    for mint in record[14]:
        if mint[0] in members and mint[0] not in found:
            found.append(mint[0])
    for _, _, entities in record[11]:
        for name in entities:
            if name in members and name not in found:
                found.append(name)
    for _, key, assigned in record[12]:
        for part in (*key, assigned):
            if part in members and part not in found:
                found.append(str(part))
    for _, key, member, _ in record[13]:
        for name in (*key, member):
            if name in members and name not in found:
                found.append(name)
    return found
