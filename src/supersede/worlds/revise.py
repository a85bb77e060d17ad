"""Revisions of the plot: voids, corrects, amends, confirms, reinstates and rule changes.

A candidate is drawn by an index into an ordered list and tried by posting it; one that breaks a
bound is taken back, so a legal void is found without any refolding (R21 to R24).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from supersede.model.record import (
    AMEND,
    CONFIRM,
    CORRECT,
    REINSTATE,
    RULE,
    VOID,
    Kind,
    Record,
    RuleChange,
)
from supersede.worlds.streams import Draw, pick, stream

if TYPE_CHECKING:
    from supersede.worlds.sample import Sampler

_CANDIDATES = 8
"""Records that a revision tries before an entry is posted instead."""
_YOUNG = 12
"""How many of the latest records are young."""
_REINSTATED = 1 / 6
"""Voids that are taken back later."""
_OF_TWO = 1 / 12
"""Voids that name two records at once."""
_OF_AMENDS = 1 / 10
"""Voids that name an amend."""
_OF_VOIDED = 1 / 12
"""Amends that restate a voided record, without effect unless it is reinstated (R3)."""
_NOTHING: Mapping[str, str] = {}
"""Roles and parameters of a control."""

new = tuple.__new__


class Revisions:
    """Draws and posts the revisions of one history.

    Attributes:
        draw: The stream of revisions.
        share: The share of the plot's records that should be revisions.
    """

    def __init__(self, sampler: Sampler) -> None:
        """Revisions of a history that has no records yet."""
        self._sampler = sampler
        self._ledger = sampler.ledger
        self.draw: Draw = stream(sampler.seed, "revisions")
        self._voided: list[int] = []
        self._amends: list[int] = []
        self.shortfall = 0
        """Revisions that were due and found no legal candidate."""
        dials = sampler.dials
        self._rates: tuple[tuple[float, Callable[[], bool]], ...] = (
            (dials.void, self._void),
            (dials.correct, self._correct),
            (dials.amend, self._amend),
            (dials.void * _REINSTATED, self._reinstate),
            (dials.held / 2, self._confirm),
        )

        self.share = sum(rate for rate, _ in self._rates)

    def release(self) -> None:
        """Let go of its own methods; no revision follows."""
        self._rates = ()

    def revise(self, chance: float) -> bool:
        """Post the revision that is due; False where none is possible: an entry should follow.

        Args:
            chance: A draw below `share`: it says what kind of revision.
        """
        for rate, post in self._rates:
            if chance < rate:
                if post():
                    return True
                self.shortfall += 1
                return False
            chance -= rate
        return False

    def control(self, kind: Kind, refs: tuple[str, ...], label: str | None) -> Record:
        """A revision record without effects of its own."""
        sampler = self._sampler
        block, position, clock = sampler.now.block, len(self._ledger.records), sampler.clock
        return new(
            Record,
            (clock.record_id(), block, position, block, clock.upcoming, label, kind, None,
             _NOTHING, _NOTHING, refs, (), (), (), (), None, None),
        )  # fmt: skip

    def _label(self) -> str | None:
        return self._sampler.counting_label(self.draw)

    def _post(self, kind: Kind, *targets: int) -> bool:
        """Post a revision of records; False where it would be unlawful."""
        refs = tuple(self._ledger.records[target].id for target in targets)
        return self._sampler.post(self.control(kind, refs, self._label()))

    def _void(self) -> bool:
        """Post a void of a record, now and then of two, or of an amend."""
        if self._amends and self.draw() < _OF_AMENDS:
            target = pick(self.draw, self._amends)
            if self._post(VOID, target):
                self._amends.remove(target)
                return True
        for _ in range(_CANDIDATES if self._sampler.alive else 0):
            targets = [self._candidate()]
            if self.draw() < _OF_TWO:
                targets = sorted({*targets, self._candidate()})
            if all(map(self.may_void, targets)) and self._post(VOID, *targets):
                for target in targets:
                    self._sampler.retire(target)
                    self._voided.append(target)
                return True
        return False

    def _candidate(self) -> int:
        """A record to take out: any, but often a young one, on which little stands yet.

        Where only the newest of its kind can go, that one is meant.
        """
        alive = self._sampler.alive
        pool = alive[-_YOUNG:] if self.draw() < 0.5 else alive
        target = pick(self.draw, pool)
        return self._sampler.lasts[-1] if self._sampler.voidable(target) == "last" else target

    def _reinstate(self) -> bool:
        for _ in range(_CANDIDATES if self._voided else 0):
            target = pick(self.draw, self._voided)
            if self._post(REINSTATE, target):
                self._voided.remove(target)
                self._sampler.revive(target)
                return True
        return False

    def _confirm(self) -> bool:
        held = self._sampler.held
        for _ in range(_CANDIDATES if held else 0):
            target = pick(self.draw, held)
            if self._post(CONFIRM, target):
                held.remove(target)
                self._sampler.revive(target)
                return True
        return False

    def _amend(self) -> bool:
        pool = self._sampler.alive
        if self._voided and self.draw() < _OF_VOIDED:
            pool = self._voided
        for _ in range(_CANDIDATES if pool else 0):
            target = pick(self.draw, pool)
            record = self.restatement(AMEND, target, self.draw, self._label())
            if record is not None and self._sampler.post(record):
                if pool is not self._voided:
                    self._amends.append(record.position)
                return True
        return False

    def _correct(self) -> bool:
        sampler = self._sampler
        for _ in range(_CANDIDATES if sampler.alive else 0):
            target = self._candidate()
            n = sampler.event_number[self._ledger.records[target].event or ""]
            if sampler.program.events[n].mints or not self.may_void(target):
                continue
            record = self.restatement(CORRECT, target, self.draw, self._label())
            if record is not None and sampler.post(record):
                sampler.retire(target)
                sampler.note_entry(n, record.position)
                return True
        return False

    def restatement(self, kind: Kind, target: int, draw: Draw, label: str | None) -> Record | None:
        """An amend or correct of a record, effects drawn anew; None where it cannot be.

        Unless it is None, the ledger is left with the record lifted: post this next.
        """
        sampler, ledger = self._sampler, self._ledger
        original = ledger.records[target]
        n = sampler.event_number[original.event or ""]
        if not sampler.program.events[n].amendable:
            return None
        if sampler.readers.get(("record", (original.id,)), -1) > target:
            return None
        restated = sampler.restate(target, draw)
        if restated is None:
            return None
        roles, made = restated
        block, position, clock = sampler.now.block, len(ledger.records), sampler.clock
        return new(
            Record,
            (clock.record_id(), block, position, block, clock.upcoming, label, kind,
             original.event, roles, made[0], (original.id,), made[1], made[2], made[3], (), None,
             None),
        )  # fmt: skip

    def may_void(self, target: int) -> bool:
        """Whether the event's `voidable` allows a void of this record now (R16, R23)."""
        policy = self._sampler.voidable(target)
        if policy == "leaf":
            return self._is_leaf(target, self._ledger.records[target])
        if policy == "last":
            return target >= self._sampler.lasts[-1]
        return policy != "never"

    def _is_leaf(self, target: int, record: Record) -> bool:
        """Whether no later counting record read a cell that this one wrote."""
        read = self._sampler.readers.get
        if read(("record", (record[0],)), -1) > target:
            return False
        for register, key, _ in record[12]:
            if read((register, key), -1) > target or read((register, None), -1) > target:
                return False
        for roster, key, _, _ in record[13]:
            if read((roster, key), -1) > target or read((roster, None), -1) > target:
                return False
        return all(read(("entity", (mint[0],)), -1) <= target for mint in record[14])

    def announce(self, number: int) -> bool:
        """Post a rule change; False where it would break a bound and is declined (R10)."""
        sampler = self._sampler
        rule = sampler.spec.rules[number]
        entity = None
        if rule.where is not None:
            live = self._ledger.state.live[rule.where]
            if not live:
                return False
            entity = pick(self.draw, live)
        change = RuleChange(rule.label, rule.becomes == "counts", rule.reach == "all", entity)
        record = self.control(RULE, (), None)._replace(rule=change)
        return sampler.post(record)
