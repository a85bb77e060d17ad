"""What control records decide: the first of the two passes of validity (R1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from supersede.model.record import (
    AMEND,
    BACKFILL,
    CONFIRM,
    ENTRY,
    REINSTATE,
    REPOST,
    RULE,
    VOID,
    Kind,
    Reason,
    Record,
    RuleChange,
)
from supersede.worlds.named import names

NAMEABLE = frozenset({ENTRY, BACKFILL})
"""Kinds that controls may name, and that are no controls themselves."""


class Controls:
    """Which labels count, which control records act, and what they decide about others.

    The ledger says what is posted and taken back, and acts on what has changed.

    Attributes:
        idle: Positions of the records that do not count by their label.
        windows: Positions of the voids by selector, in posted order.
    """

    __slots__ = (
        "_actions",
        "_amends",
        "_base",
        "_confirms",
        "_excluded",
        "_ignore",
        "_lost",
        "_positions",
        "_records",
        "_rules",
        "idle",
        "windows",
    )

    def __init__(
        self,
        statuses: Mapping[str, bool],
        ignore: frozenset[Kind],
        records: list[Record],
        positions: dict[str, int],
        excluded: set[int],
        lost: set[int],
    ) -> None:
        """No controls.

        Args:
            statuses: Status label -> whether it counts from the start.
            ignore: Control kinds that do nothing.
            records: Those of the ledger, which adds to them.
            positions: Id of a record -> its position, likewise.
            excluded: Positions of the records that a counterfactual takes away, likewise.
            lost: Positions of those that go with them, likewise.
        """
        self._base = dict(statuses)
        self._ignore = ignore
        self._records = records
        self._positions = positions
        self._excluded = excluded
        self._lost = lost
        self._rules: dict[str, list[tuple[int, RuleChange]]] = {}
        self._actions: dict[int, list[int]] = {}
        self._amends: dict[int, list[int]] = {}
        self._confirms: dict[int, list[int]] = {}
        self.idle: set[int] = set()
        self.windows: list[int] = []

    # Labels

    def judged(self, label: str | None) -> bool | None:
        """Whether a record that is posted now counts by its label.

        None where that depends on what it names: the last rule is about an entity (R9).
        """
        if label is None:
            return True
        rules = self._rules.get(label)
        if not rules:
            return self._base.get(label, True)
        last = rules[-1][1]
        return last.counts if last.entity is None else None

    def classify(self, i: int, label: str) -> bool:
        """Whether the label of record i counts, by the last applicable rule (R9)."""
        counts = self._base.get(label, True)
        for at, rule in self._rules.get(label, ()):
            if (at < i or rule.retroactive) and _in_reach(rule, self._records[i]):
                counts = rule.counts
        return counts

    def add_rule(self, i: int, record: Record) -> str | None:
        """Heed the rule of record i; gives the label whose earlier records it judges anew."""
        rule = record.rule
        if rule is None or not self.in_force(i):
            return None
        self._rules.setdefault(rule.label, []).append((i, rule))
        return rule.label if rule.retroactive else None

    def drop_rule(self, i: int, record: Record) -> str | None:
        """Forget the rule of record i, the last; gives the label likewise."""
        rule = record.rule
        if rule is None or (i, rule) not in self._rules.get(rule.label, ()):
            return None
        self._rules[rule.label].pop()
        return rule.label if rule.retroactive else None

    def turned(self, label: str, before: int) -> Iterator[int]:
        """Records under a label that count by it now and did not, or the reverse (R10).

        Each is noted in `idle` right before it is given, so that one can act on it at once.
        """
        for j, record in enumerate(self._records[:before]):
            if record.status != label:
                continue
            counts = self.classify(j, label)
            if counts != (j in self.idle):
                continue
            if counts:
                self.idle.remove(j)
            else:
                self.idle.add(j)
            yield j

    # Controls

    def of_kind(self, kind: Kind) -> dict[int, list[int]]:
        """Position of a record -> those of the controls of a kind that name it.

        Voids, corrects and reinstates stand in one list, since the last of them decides.
        """
        if kind is AMEND:
            return self._amends
        return self._confirms if kind is CONFIRM else self._actions

    def targets(self, i: int) -> list[int]:
        """Positions of the earlier records that control record i may name (R1)."""
        record = self._records[i]
        control = record[6]
        if control is REPOST:
            return []
        found: list[int] = []
        for ref in record[10]:
            target = self._positions.get(ref, i)
            if target >= i:
                continue
            kind = self._records[target][6]
            if kind in NAMEABLE or (kind is AMEND and control is VOID):
                found.append(target)
        return found

    def in_force(self, i: int) -> bool:
        """Whether control record i acts: its status counts and nothing takes it away (R4)."""
        record = self._records[i]
        kind = record[6]
        if i in self._excluded or i in self._lost or kind in self._ignore:
            return False
        if kind is RULE:
            return record[5] is None or self._base.get(record[5], True)
        return i not in self.idle

    def amend_of(self, i: int) -> int | None:
        """Position of the last remaining counting amend of record i (R1, R3)."""
        for a in reversed(self._amends.get(i, ())):
            if self.in_force(a) and self._voider(a) is None:
                return a
        return None

    def _voider(self, i: int) -> int | None:
        """Position of the void or correct in force for a record; the last decision wins."""
        for action in reversed(self._actions.get(i, ())):
            if self.in_force(action):
                return None if self._records[action].kind is REINSTATE else action
        return None

    def _confirmed(self, i: int) -> bool:
        return any(self.in_force(c) for c in self._confirms.get(i, ()))

    def _window(self, i: int) -> int | None:
        """Position of the first void by selector in force that covers record i."""
        record = self._records[i]
        for at in self.windows:
            window = self._records[at].window
            if (
                at > i
                and window is not None
                and record.event == window.event
                and window.first <= record.occurred <= window.last
                and names(record, window.entity)
                and self.in_force(at)
            ):
                return at
        return None

    # What they decide about an entry

    def allow(self, i: int) -> bool:
        """Whether neither the label of entry i nor a control keeps it from counting."""
        if i in self.idle and not self._confirmed(i):
            return False
        if i in self._actions and self._voider(i) is not None:
            return False
        return not self.windows or self._window(i) is None

    def reason(self, i: int) -> tuple[Reason, str] | None:
        """What keeps entry i from counting, and the id or label behind it; else None (R7)."""
        voider = self._voider(i)
        if voider is not None:
            return Reason.VOIDED, self._records[voider].id
        if i in self.idle and not self._confirmed(i):
            return Reason.STATUS, self._records[i].status or ""
        window = self._window(i)
        return None if window is None else (Reason.WINDOW, self._records[window].id)


def _in_reach(rule: RuleChange, record: Record) -> bool:
    return rule.entity is None or names(record, rule.entity)
