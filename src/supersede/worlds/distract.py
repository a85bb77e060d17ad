"""Distractors: what a history shows and the state never feels.

Records born not to count, reposts, revisions whose status does not count (R4, R5, R18) and
noise. They draw from their own streams; as many are posted as the plot's own records are expected
to leave short of the dial `invalid`, evenly spread, so the share comes out right in short histories
too.
"""

from __future__ import annotations

from bisect import bisect, insort
from collections import deque
from typing import TYPE_CHECKING

from supersede.model.record import (
    AMEND,
    ENTRY,
    REPOST,
    VOID,
    Noise,
    Record,
)
from supersede.worlds.streams import Draw, pick, stream

if TYPE_CHECKING:
    from supersede.worlds.plan import Plan
    from supersede.worlds.sample import Sampler
    from supersede.worlds.tiers import Dials

_TRIES = 30
_IDLE_REVISIONS = 0.1
"""Revisions under a label that does not count, per revision of the plot."""
_UNCONFIRMED, _UNRULED, _VOIDED = 0.65, 0.33, 0.75
"""Shares, as sampled, of pending records never confirmed, of records under a ruled label that do
not count, and of voids that find a record and are not taken back."""

new = tuple.__new__


class Distractors:
    """Draws and posts the distractors of one history."""

    def __init__(self, sampler: Sampler) -> None:
        """Distractors of a history that has no records yet."""
        self._sampler = sampler
        self._draw: Draw = stream(sampler.seed, "distractors")
        self._chatter: Draw = stream(sampler.seed, "noise")
        self._debt = -self._draw()
        self._owed = _owed(sampler.dials, sampler.plan)
        self._idle_debt = -self._draw()
        dials = sampler.dials
        self._noise_rate = dials.noise
        self._idle_rate = (dials.void + dials.correct + dials.amend) * _IDLE_REVISIONS
        self._templates = sampler.program.noise
        self._live = sampler.ledger.state.live
        self._fresh = list(range(len(self._templates)))
        """Templates that may be used now, in order: half of the others come before a repeat."""
        self._said: deque[int] = deque()
        self.noise: list[Noise] = []

    def before_slot(self) -> None:
        """Post the distractors that are due before the next record of the plot."""
        self._debt = debt = self._debt + self._owed
        if debt >= 0:
            self._one()
        self._idle_debt = debt = self._idle_debt + self._idle_rate
        if debt >= 0:
            self._idle_debt = debt - 1.0
            self._idle_revision()
        if self._chatter() < self._noise_rate:
            self._say()

    def end_block(self) -> None:
        """Post what is still due at the end of a block."""
        while self._debt >= 0 and self._one():
            pass

    def _one(self) -> bool:
        """Post one record for the exclusion list; False where none is possible."""
        repost = self._draw() < self._sampler.dials.repost
        if not (repost and self._repost()) and not self._born_idle():
            return False
        self._debt -= 1.0
        return True

    def _born_idle(self) -> bool:
        """An entry whose label does not count: same guards, same state, no effect (R18)."""
        sampler = self._sampler
        if not sampler.plan.idle:
            return False
        label = pick(self._draw, sampler.plan.idle)
        for _ in range(_TRIES):
            program = sampler.program
            n = program.choices[bisect(program.weights, self._draw())]
            possible = sampler.draw_event(n, self._draw)
            if possible is None:
                continue
            roles, parameters, postings, assigned, members, mints, _ = possible
            block, position = sampler.now.block, len(sampler.ledger.records)
            record = new(
                Record,
                (sampler.clock.record_id(), block, position, block, sampler.clock.upcoming, label,
                 ENTRY, program.events[n].id, roles, parameters, (), postings, assigned, members,
                 mints, None, None),
            )  # fmt: skip
            sampler.post(record)
            sampler.note_entry(n, position)
            return True
        return False

    def _repost(self) -> bool:
        """An earlier record once more, as first posted, under whatever label (R5)."""
        sampler = self._sampler
        ledger = sampler.ledger
        if not sampler.alive:
            return False
        original = ledger.records[pick(self._draw, sampler.alive)]
        block, position = sampler.now.block, len(ledger.records)
        label = (
            sampler.counting_label(self._draw)
            if self._draw() < 0.5 or not sampler.plan.idle
            else pick(self._draw, sampler.plan.idle)
        )
        record = original._replace(
            id=sampler.clock.record_id(), block=block, position=position, occurred=block,
            clock=sampler.clock.upcoming, status=label, kind=REPOST, refs=(original.id,),
        )  # fmt: skip
        return sampler.post(record)

    def _idle_revision(self) -> None:
        """A void or amend whose status does not count: it does nothing (R4)."""
        sampler = self._sampler
        if not sampler.alive or not sampler.plan.idle:
            return
        target = pick(self._draw, sampler.alive)
        label = pick(self._draw, sampler.plan.idle)
        record = None
        if self._draw() < 0.5:
            record = sampler.revisions.restatement(AMEND, target, self._draw, label)
            sampler.ledger.land()
        if record is None:
            ref = sampler.ledger.records[target].id
            record = sampler.revisions.control(VOID, (ref,), label)
        sampler.post(record)

    def _say(self) -> None:
        """Post a line of noise: none that was said before half of the others were."""
        sampler = self._sampler
        draw, fresh, live = self._chatter, self._fresh, self._live
        at = int(draw() * len(fresh))
        template = fresh[at]
        names: tuple[str, ...] = ()
        for kind in self._templates[template]:
            pool = live[kind]
            for name in names:
                if name in pool:
                    pool = [other for other in pool if other != name]
            if not pool:
                return
            names += (pool[int(draw() * len(pool))],)
        del fresh[at]
        self._said.append(template)
        if len(self._said) > len(self._templates) // 2:
            insort(fresh, self._said.popleft())
        position = len(sampler.ledger.records)
        self.noise.append(new(Noise, (sampler.now.block, position, template, names)))


def _owed(dials: Dials, plan: Plan) -> float:
    """Distractors for each record of the plot, so that the dial `invalid` is met on average.

    Of the plot's own records, voided and replaced ones are on the exclusion list, and so are
    those that wait for a confirmation or a rule.
    """
    entries = 1.0 - dials.void - dials.amend - dials.held / 2
    waiting = entries * (dials.held * _UNCONFIRMED + plan.ruled_share * _UNRULED)
    gone = dials.void * _VOIDED + dials.correct
    return max(0.0, (dials.invalid * entries - waiting - gone) / (1.0 - dials.invalid))
