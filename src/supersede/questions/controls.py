"""Who decides about whom: the controls, rules and records that a record's validity hangs on."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import compress, count
from operator import itemgetter

from supersede.model.record import ENTRY_KINDS, Kind, Record, RuleChange, VoidWindow
from supersede.questions.facts import Facts
from supersede.worlds.ledger import Ledger

# A member of an enumeration is slow to look up: it is done once.
ENTRY, BACKFILL, CORRECT, REPOST = Kind.ENTRY, Kind.BACKFILL, Kind.CORRECT, Kind.REPOST
AMEND, CONFIRM, RULE, VOID = Kind.AMEND, Kind.CONFIRM, Kind.RULE, Kind.VOID
REINSTATE = Kind.REINSTATE
NAMEABLE = frozenset({ENTRY, BACKFILL})
"""The kinds that controls may name (R1)."""

AWAY = -1
"""The source of a record that does not count."""

_id, _mints = itemgetter(0), itemgetter(14)


class Controls:
    """Which records decide whether which records count.

    Attributes:
        printed: Position -> itself for an entry, backfill, correct or repost, `AWAY` for a control:
            whose content counts for a reader who takes all entries as first posted.
        parents: Position -> positions of the records without which it does not count (R15, R16).
        links: The same with every record whose id has a role in it, whether or not it cascades.
        actions: Position -> positions of the voids, corrects and reinstates that name it.
        amends: Position -> positions of the amends of it.
        confirms: Position -> positions of the confirms that name it.
        targets: Control position -> positions of the entries that it decides about.
        rules: Label -> (position, change) of the rules about it, in posted order.
        windows: (position, selector) of the voids by selector, in posted order.
        backfills: Positions of the backfills.
        reposts: Positions of the reposts.
    """

    def __init__(
        self, facts: Facts, records: Sequence[Record], ledger: Ledger | None = None
    ) -> None:
        """Who decides about whom among some records.

        Args:
            facts: What is known of the world.
            records: The records in posted order.
            ledger: That of the records, where there is one: what it knows is not noted again.
        """
        self._ledger = ledger
        self.facts = facts
        self.records = records
        self.base = facts.world.statuses
        self.printed = list(range(len(records)))
        self.actions: dict[int, list[int]] = {}
        self.amends: dict[int, list[int]] = {}
        self.confirms: dict[int, list[int]] = {}
        self.targets: dict[int, list[int]] = {}
        self.rules: dict[str, list[tuple[int, RuleChange]]] = {}
        self.windows: list[tuple[int, VoidWindow]] = []
        self.parents: dict[int, list[int]] = {}
        self.links: dict[int, list[int]] = {}
        self.backfills: list[int] = []
        self.reposts: list[int] = []
        self._labelled: dict[str, list[int]] = {}
        self._decisions = {AMEND: self.amends, CONFIRM: self.confirms}
        for i in [i for i, record in enumerate(records) if record[6] is not ENTRY]:
            kind = records[i][6]
            if kind is BACKFILL:
                self.backfills.append(i)
            elif kind is REPOST:
                self.reposts.append(i)
            else:
                self._control(i, records[i])
        if facts.standing_roles is not None:
            self._stand(facts.standing_roles)

    @property
    def is_revised(self) -> bool:
        """Whether a void, a correct, a reinstate, a confirm or an amend names anything."""
        return bool(self.actions or self.amends or self.confirms or self.windows)

    # Lists of records, each made when first needed

    @cached_property
    def position(self) -> Mapping[str, int]:
        """Record id -> position."""
        if self._ledger is not None:
            return self._ledger.positions
        return dict(zip(map(_id, self.records), count()))

    @cached_property
    def entries(self) -> list[int]:
        """Positions of entries, backfills, corrects and reposts, in posted order."""
        return [i for i in self.printed if i >= 0]

    @cached_property
    def by_event(self) -> dict[str, list[int]]:
        """Event -> positions of its entries and reposts."""
        records = self.records
        found: defaultdict[str, list[int]] = defaultdict(list)
        for i in self.entries:
            found[records[i][7] or ""].append(i)
        return dict(found)

    def labelled(self, label: str) -> list[int]:
        """Positions of the records under a status label, controls included."""
        if label not in self._labelled:
            self._labelled[label] = [i for i, r in enumerate(self.records) if r[5] == label]
        return self._labelled[label]

    @cached_property
    def minter(self) -> Mapping[str, int]:
        """Entity -> position of the entry that mints it."""
        if self._ledger is not None:
            return self._ledger.minters
        found: dict[str, int] = {}
        for i in compress(count(), map(_mints, self.records)):
            record = self.records[i]
            if record.kind in ENTRY_KINDS:
                for mint in record.mints:
                    found[mint.entity] = i
        return found

    @cached_property
    def named(self) -> set[int]:
        """Positions of the entries that a control names, or that a void by selector may mean."""
        found = {*self.actions, *self.confirms, *self.amends}
        for at, window in self.windows:
            positions = self.by_event.get(window.event, [])
            found.update(positions[: bisect_left(positions, at)])
        return found

    @cached_property
    def hanging(self) -> set[int]:
        """Positions of the records that anything but their own label may decide about."""
        found = self.named.union(self.links)
        for label in self.rules:
            found.update(self.labelled(label))
        return found

    @cached_property
    def linked(self) -> dict[int, list[int]]:
        """`links` the other way round: position -> positions of what stands on it."""
        found: dict[int, list[int]] = {}
        for i, links in self.links.items():
            for at in links:
                found.setdefault(at, []).append(i)
        return found

    # What decides

    def _control(self, i: int, record: Record) -> None:
        """Note about what a control decides; a correct is in the count itself."""
        kind = record[6]
        if kind is not CORRECT:
            self.printed[i] = AWAY
        if kind is RULE:
            if record.rule is not None:
                self.rules.setdefault(record.rule.label, []).append((i, record.rule))
            return
        if kind is VOID and record.window is not None:
            self.windows.append((i, record.window))
            return
        records, position = self.records, self.position
        decisions = self._decisions.get(kind, self.actions)
        decided = self.targets[i] = []
        for ref in record[10]:
            at = position.get(ref, i)
            if at >= i:
                continue
            named = records[at][6]
            if named in NAMEABLE:
                decisions.setdefault(at, []).append(i)
                decided.append(at)
            elif named is AMEND and kind is VOID:
                decisions.setdefault(at, []).append(i)
                decided += self.targets[at]

    def _stand(self, standing: Mapping[str, Sequence[str]]) -> None:
        """Note on what records stand by their roles (R15, R16)."""
        records, minter, position = self.records, self.minter, self.position
        links, parents, events = self.links, self.parents, self.facts.world.events
        cascading = {name for name, event in events.items() if event.cascade}
        for event, positions in self.by_event.items():
            usual = standing.get(event)
            if usual is None:
                usual = tuple(dict.fromkeys(role for i in positions for role in records[i].roles))
            recorded = events[event].records if event in events else ()
            for role in usual:
                for i in positions:
                    value = records[i][8].get(role)
                    if value is None:
                        continue
                    for name in (value,) if value.__class__ is str else value:
                        at, cascades = minter.get(name, i), True
                        if at >= i:
                            at = position.get(name, i)
                            if at >= i:
                                continue
                            cascades = role in recorded and records[at][7] in cascading
                        if i in links:
                            links[i].append(at)
                        else:
                            links[i] = [at]
                        if cascades:
                            parents.setdefault(i, []).append(at)
        for i in self.reposts:
            links.pop(i, None)
            parents.pop(i, None)
