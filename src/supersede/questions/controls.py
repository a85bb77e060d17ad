"""Who decides about whom: the controls, rules and records that a record's validity hangs on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from supersede.model.record import ENTRY_KINDS, Kind, Record, RuleChange, VoidWindow
from supersede.questions.facts import Facts

NAMEABLE = frozenset({Kind.ENTRY, Kind.BACKFILL})
"""The kinds that controls may name (R1)."""


class Controls:
    """Which records decide whether which records count.

    Attributes:
        position: Record id -> position.
        entries: Positions of entries, backfills, corrects and reposts, in posted order.
        by_event: Event -> positions of its entries and reposts.
        minter: Entity -> position of the entry that mints it.
        parents: Position -> positions of the records without which it does not count (R15, R16).
        links: The same with every record whose id has a role in it, whether or not it cascades.
        linked: The same the other way round: position -> positions of what stands on it.
        targets: Control position -> positions of the entries that it decides about.
        rules: Label -> (position, change) of the rules about it, in posted order.
    """

    def __init__(self, facts: Facts, records: Sequence[Record]) -> None:
        self.facts = facts
        self.records = records
        self.base = facts.world.statuses
        self.position: dict[str, int] = {}
        self.entries: list[int] = []
        self.by_event: dict[str, list[int]] = {}
        self.actions: dict[int, list[int]] = {}
        self.amends: dict[int, list[int]] = {}
        self.confirms: dict[int, list[int]] = {}
        self.targets: dict[int, list[int]] = {}
        self.rules: dict[str, list[tuple[int, RuleChange]]] = {}
        self.windows: list[tuple[int, VoidWindow]] = []
        self.minter: dict[str, int] = {}
        self.parents: dict[int, list[int]] = {}
        self.links: dict[int, list[int]] = {}
        self.linked: dict[int, list[int]] = {}
        self.backfills: list[int] = []
        self._build(records)

    def _build(self, records: Sequence[Record]) -> None:
        position, entries, by_event = self.position, self.entries, self.by_event
        standing = self.facts.standing_roles
        entry_kinds, repost, backfill, correct = (
            ENTRY_KINDS,
            Kind.REPOST,
            Kind.BACKFILL,
            Kind.CORRECT,
        )
        for i, record in enumerate(records):
            kind = record[6]
            position[record[0]] = i
            if kind in entry_kinds:
                entries.append(i)
                event = record[7] or ""
                if event in by_event:
                    by_event[event].append(i)
                else:
                    by_event[event] = [i]
                for mint in record[14]:
                    self.minter[mint.entity] = i
                if standing is not None:
                    roles = standing.get(event, record[8])
                    if roles:
                        self._stand(i, record, roles)
                if kind is backfill:
                    self.backfills.append(i)
                elif kind is correct:
                    self._control(i, record)
            elif kind is repost:
                entries.append(i)
                by_event.setdefault(record[7] or "", []).append(i)
            else:
                self._control(i, record)

    def _stand(self, i: int, record: Record, roles: Iterable[str]) -> None:
        """Note what a record stands on by the given roles (R15, R16)."""
        links: list[int] = []
        loose: list[int] = []
        minter, position, held = self.minter, self.position, record[8]
        for role in roles:
            value = held.get(role, ())
            for name in (value,) if isinstance(value, str) else value:
                at = minter.get(name)
                if at is not None and at < i:
                    links.append(at)
                elif name in position:
                    links.append(position[name])
                    if not self._cascades(record, role, position[name]):
                        loose.append(position[name])
        if links:
            self.links[i] = links
            for link in links:
                self.linked.setdefault(link, []).append(i)
            parents = [link for link in links if link not in loose] if loose else links
            if parents:
                self.parents[i] = parents

    def _cascades(self, record: Record, role: str, at: int) -> bool:
        events = self.facts.world.events
        event = events.get(record.event or "")
        stood_on = events.get(self.records[at].event or "")
        return bool(event and role in event.records and stood_on and stood_on.cascade)

    def _control(self, i: int, record: Record) -> None:
        kind = record.kind
        if kind is Kind.RULE:
            if record.rule is not None:
                self.rules.setdefault(record.rule.label, []).append((i, record.rule))
            return
        if kind is Kind.VOID and record.window is not None:
            self.windows.append((i, record.window))
            return
        decided = self.targets[i] = []
        for ref in record.refs:
            at = self.position.get(ref, i)
            if at == i:
                continue
            named = self.records[at].kind
            if named in NAMEABLE:
                self._decisions(kind).setdefault(at, []).append(i)
                decided.append(at)
            elif named is Kind.AMEND and kind is Kind.VOID:
                self.actions.setdefault(at, []).append(i)
                decided.extend(self.targets[at])

    def _decisions(self, kind: Kind) -> dict[int, list[int]]:
        if kind is Kind.AMEND:
            return self.amends
        return self.confirms if kind is Kind.CONFIRM else self.actions
