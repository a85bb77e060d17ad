"""Sampling a history: the plot, record by record, legal at every step.

In each slot of a block, distractors come first (`worlds.distract`); they draw from streams of
their own and leave the state alone, so more of them never change the plot (R24). Then the plot
goes on by one record: an entry, or a revision of an earlier one (`worlds.revise`). Whatever
would break a bound or an invariant is taken back and drawn anew; where nothing is possible the
world says so and no history is emitted (R17 to R24).
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from supersede.errors import SampleError
from supersede.model.instance import InstanceKey
from supersede.model.record import History, Key, Kind, Record, RoleValue
from supersede.specs.schema import Specification
from supersede.worlds.clock import Clock
from supersede.worlds.distract import Distractors
from supersede.worlds.lawful import Laws
from supersede.worlds.ledger import Ledger
from supersede.worlds.plan import Plan, plan_of
from supersede.worlds.program import Drawn, Entered, Made, Program, compile_specification
from supersede.worlds.revise import Revisions
from supersede.worlds.state import Delta
from supersede.worlds.streams import Draw, between, history_seed, pick, stream
from supersede.worlds.tiers import Dials, dials_for

Cells: TypeAlias = tuple[tuple[str, Key | None], ...]

_TRIES = 60
"""Draws of event, roles and parameters before every event is tried in turn."""
_TRIES_EACH = 200
_TRIES_SCHEDULED = 8
_RECENT = 48
"""Record roles are drawn from this many of the youngest records of their event."""
_ENTRIES_PER_PLOT_ENTRY = 1.06
"""Entries and copies in a history for each entry of its plot, as sampled (S3)."""
_LABELLED = 4
"""Records that count under each of their labels, for each one that shows no label (S2)."""
ENTRY = Kind.ENTRY

new = tuple.__new__


@dataclass(slots=True)
class Now:
    """What compiled events read of the present moment."""

    block: int = 0
    stick: float = 0.0
    """Chance that a record stays with the entity of the one before."""
    focus: dict[str, RoleValue] = field(default_factory=dict)
    """Entity type -> the entity that the plot named last."""


def sample(spec: Specification, key: InstanceKey) -> History:
    """The history of a key: legal at every record by the specification's guards and bounds.

    Raises:
        SampleError: The world cannot go on; no part of a history is emitted.
    """
    sampler = Sampler(spec, key)
    for _ in sampler.blocks():
        pass
    return sampler.history()


class Sampler:
    """One history in the making.

    Attributes:
        ledger: The records so far.
        alive: Positions of plot entries that count and may be revised, oldest first.
        held: Positions of plot entries that wait for a confirmation.
        readers: Cell -> position of the last counting record that read it (R23).
    """

    def __init__(self, spec: Specification, key: InstanceKey) -> None:
        """A sampler at the start of the history of `key`."""
        self.spec = spec
        self.program: Program = compile_specification(spec)
        self.dials: Dials = dials_for(key.tier, spec.difficulty.dials, dict(key.dials))
        self.seed = history_seed(key)
        self.draw: Draw = stream(self.seed, "events")
        self.label_draw: Draw = stream(self.seed, "labels")
        self.plan: Plan = plan_of(spec, self.dials, stream(self.seed, "plan"))
        self.ledger = Ledger(self.program.world)
        self.clock = Clock(spec.clock, stream(self.seed, "clocks"))
        self.now = Now(stick=1.0 - self.dials.interleaving)
        self.numbers = {name: part.first for name, part in spec.entities.items() if part.minted}
        self.alive: list[int] = []
        self.held: list[int] = []
        self.readers: dict[tuple[str, Key | None], int] = {}
        self._naming: dict[str, list[int]] = {}
        self._by_event: dict[str, list[int]] = {}
        self._posted = [0] * len(spec.events)
        self._posted_in_block = [0] * len(spec.events)
        self._special = self.plan.ruled_share + self.dials.held
        counting = self.plan.counting
        self._counting = (*counting * _LABELLED, None) if counting else (None,)
        self._scale = len(self._counting) / (1.0 - self._special)
        self._late = self.dials.backfill * _ENTRIES_PER_PLOT_ENTRY
        self._late_debt = -self.draw()
        self._bind()
        self.revisions = Revisions(self)
        self.distractors = Distractors(self)

    def _bind(self) -> None:
        state = self.ledger.state
        self._touched, self._moved = state.touched, state.moved
        bound = self.program.bind(
            state,
            state.attributes,
            self.now,
            self.numbers,
            self._recent_record,
            self._record,
            self._counts,
            self._left,
        )
        self._enters: tuple[Callable[[Draw], Entered | None], ...] = bound[0]
        self._draws: tuple[Callable[[Draw], Drawn | None], ...] = bound[1]
        self._makes: tuple[Callable[[Draw, dict[str, RoleValue]], Made | None], ...] = bound[2]
        self._reads: tuple[Callable[[dict[str, RoleValue]], Cells], ...] = bound[3]
        self._fits: tuple[Callable[[dict[str, RoleValue]], bool], ...] = bound[4]
        self.laws = Laws(self.program, state, bound[5])
        self.event_number = {event.id: n for n, event in enumerate(self.spec.events)}

    # What compiled events call

    def _recent_record(self, event: str, draw: Draw) -> str | None:
        positions = self._by_event.get(event, ())
        size = min(len(positions), _RECENT)
        if not size:
            return None
        at = positions[len(positions) - 1 - int(draw() * size)]
        return self.ledger.records[at].id if self.ledger.counts[at] else None

    def _record(self, record_id: str) -> Record:
        ledger = self.ledger
        at = ledger.position(record_id)
        if at is None:
            raise LookupError(f"no record {record_id!r}")
        return ledger.records[ledger.amendment.get(at, at)]

    def _counts(self, record_id: str) -> bool:
        at = self.ledger.position(record_id)
        return at is not None and bool(self.ledger.counts[at])

    def _left(self, record_id: str) -> int:
        ledger = self.ledger
        taken = sum(
            int(ledger.parameters(at).get("amount", 0))
            for at in self._naming.get(record_id, ())
            if ledger.counts[at]
        )
        return int(self._record(record_id).parameters["amount"]) - taken

    # The run of blocks

    def blocks(self) -> Iterator[int]:
        """Number of each block, given once its records are posted.

        Raises:
            SampleError: The world cannot go on.
        """
        for block, size in enumerate(self.plan.sizes, start=1):
            self.now.block = block
            self._posted_in_block = [0] * len(self.spec.events)
            self.clock.begin(block)
            for rule in self.plan.rules[block - 1]:
                self.revisions.announce(rule)
            done = sum(self._scheduled(n) for n in self.program.scheduled)
            distract, revise, enter = (
                self.distractors.before_slot,
                self.revisions.revise,
                self._entry,
            )
            for _ in range(max(size - done, 1)):
                distract()
                if not revise():
                    enter()
            self.distractors.end_block()
            yield block

    def history(self) -> History:
        """The history so far."""
        return History(self.now.block, tuple(self.ledger.records), tuple(self.distractors.noise))

    # Plot entries

    def _scheduled(self, n: int) -> bool:
        """Post an event that comes once a block, if its guard allows."""
        return any(self._try(n, self.label(), late=False) for _ in range(_TRIES_SCHEDULED))

    def _entry(self) -> None:
        """Post one entry of the plot, whatever event is possible."""
        label = self.label()
        self._late_debt += self._late
        late = self._late_debt >= 0 and self.now.block > 1
        choices, weights, draw = self.program.choices, self.program.weights, self.draw
        for _ in range(_TRIES):
            if self._try(choices[bisect(weights, draw())], label, late=late):
                return
        for n in choices:
            for _ in range(_TRIES_EACH):
                if self._try(n, label, late=False):
                    return
        at = self.ledger.records[-1].id if self.ledger.records else "the start"
        raise SampleError(
            f"no event is possible in {self.spec.clock.block} {self.now.block} after {at}",
            where=self.spec.id,
            mend="Give it an event whose guard can always be met, or a shorter `longest` tier.",
        )

    def label(self) -> str | None:
        """The status label of the next plot entry."""
        chance = self.label_draw()
        plain = chance - self._special
        if plain >= 0:
            return self._counting[int(plain * self._scale)]
        if chance < self.plan.ruled_share:
            return pick(self.label_draw, self.plan.ruled)
        if self.plan.pending:
            return pick(self.label_draw, self.plan.pending)
        return self.counting_label(self.label_draw)

    def counting_label(self, draw: Draw) -> str | None:
        """A label that counts, or none."""
        return self._counting[int(draw() * len(self._counting))]

    def draw_event(self, n: int, draw: Draw) -> Entered | None:
        """Roles and effects of event `n` on the present state; None where it is impossible."""
        if self.program.events[n].limited and self._is_spent(n):
            return None
        return self._enters[n](draw)

    def _is_spent(self, n: int) -> bool:
        """Whether an event has been posted as often as its `limit` allows."""
        limit = self.spec.events[n].limit
        return limit is not None and (
            (limit.total is not None and self._posted[n] >= limit.total)
            or (limit.per_block is not None and self._posted_in_block[n] >= limit.per_block)
        )

    def restate(self, position: int, draw: Draw) -> tuple[dict[str, RoleValue], Made] | None:
        """Roles and effects of an entry, drawn anew on the state without it (R8)."""
        ledger = self.ledger
        record = ledger.records[position]
        n = self.event_number[record.event or ""]
        roles = dict(ledger.roles(position))
        counted = ledger.counts[position]
        if counted:
            ledger.fold(position, -1)
        block, self.now.block = self.now.block, record.occurred
        made = self._makes[n](draw, roles) if self._redraw(n, record, roles, draw) else None
        self.now.block = block
        if counted:
            ledger.fold(position, 1)
        if made is None:
            return None
        before = ledger.records[ledger.amendment.get(position, position)]
        same = made[1:] == (before.postings, before.assignments, before.memberships)
        return None if same else (roles, made)

    def _redraw(self, n: int, record: Record, roles: dict[str, RoleValue], draw: Draw) -> bool:
        """Change the roles that an amend may change; False where they do not fit the others."""
        redrawn = self.program.events[n].redrawn
        if not redrawn:
            return True
        drawn = self._draws[n](draw)
        if drawn is None:
            return False
        roles.update({role: drawn[0][role] for role in redrawn})
        born = [self.ledger.born(str(roles[role])) for role in redrawn]
        return self._fits[n](roles) and all(b is None or b <= record.occurred for b in born)

    def _try(self, n: int, label: str | None, *, late: bool) -> bool:
        """Draw and post one entry of the plot; False where it is impossible or unlawful."""
        program = self.program.events[n]
        if program.limited and self._is_spent(n):
            return False
        possible = self._enters[n](self.draw)
        if possible is None:
            return False
        (roles, mints), made, deltas = possible
        block = self.now.block
        occurred, kind = block, ENTRY
        cells = self._reads[n](roles) if program.reads else None
        if late and program.late:
            earliest = max(self._true_since(roles, cells or ()), block - int(self.dials.distance))
            if earliest < block:
                occurred, kind = between(self.draw, earliest, block - 1), Kind.BACKFILL
        ledger = self.ledger
        position = len(ledger.records)
        if kind is ENTRY:
            record_id, clock = self.clock.next()
        else:
            record_id, clock = self.clock.next_late(occurred, position, self.draw())
        record = new(
            Record,
            (record_id, block, position, occurred, clock, label, kind, program.event.id,
             roles, made[0], (), made[1], made[2], made[3], mints, None, None),
        )  # fmt: skip
        if not self.post(record, deltas):
            return False
        if kind is ENTRY:
            self.clock.of_plot(clock)
        else:
            self._late_debt -= 1.0
        if program.tracked:
            self._track(n, record)
        if ledger.counts[position]:
            self.alive.append(position)
            if cells is not None:
                for cell in cells:
                    self.readers[cell] = position
            if program.focus is not None:
                self.now.focus[program.focus[1]] = roles[program.focus[0]]
        elif label in self.plan.pending:
            self.held.append(position)
        return True

    def _track(self, n: int, record: Record) -> None:
        """Keep track of a plot entry that limits, record roles or minting care about."""
        program = self.program.events[n]
        self._posted[n] += 1
        self._posted_in_block[n] += 1
        if program.named:
            self._by_event.setdefault(program.event.id, []).append(record.position)
        self.note_entry(n, record.position)

    def _true_since(self, roles: dict[str, RoleValue], cells: Cells) -> int:
        """The first block in which an entry that is possible now can have taken place.

        What it names has been there, and the registers and rosters that it read have been as
        they are, since the block before.
        """
        since = 1
        for value in roles.values():
            for name in (value,) if isinstance(value, str) else value:
                born = self.ledger.born(name)
                if born is not None:
                    since = max(since, born + 1)
        for cell, key in cells:
            since = max(since, self.ledger.state.changed(cell, key) + 1)
        return since

    def note_entry(self, n: int, position: int) -> None:
        """Keep track of what an entry names and mints, whether it counts or not."""
        record = self.ledger.records[position]
        for role in self.program.events[n].records:
            self._naming.setdefault(str(record.roles[role]), []).append(position)
        for mint in record.mints:
            self.numbers[mint.type] += 1

    def post(self, record: Record, deltas: Sequence[Delta] | None = None) -> bool:
        """Post a record; take it back and return False where that breaks a bound.

        Args:
            record: The next record.
            deltas: Its postings by cell, where they are at hand.
        """
        ledger, touched, moved = self.ledger, self._touched, self._moved
        if touched:
            touched.clear()
        if moved:
            moved.clear()
        ledger.post(record, deltas)
        if deltas and not ledger.counts[-1]:
            deltas = None
        if (deltas or touched or moved) and not self.laws.hold(deltas or ()):
            ledger.pop()
            self.clock.undo(record.occurred)
            return False
        return True
