"""Sampling a history: the plot, record by record, legal at every step.

In each slot of a block, distractors come first (`worlds.distract`); they draw from streams of
their own and leave the state alone, so more of them never change the plot (R24). Then the plot
goes on by one record: an entry, or a revision of an earlier one (`worlds.revise`). Whatever
would break a bound or an invariant is taken back and drawn anew; where nothing is possible the
world says so and no history is emitted (R17 to R24).
"""

from __future__ import annotations

from bisect import bisect, bisect_left, insort
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from supersede.errors import SampleError
from supersede.model.instance import InstanceKey
from supersede.model.record import (
    BACKFILL,
    ENTRY,
    Assignment,
    History,
    Key,
    Kind,
    Membership,
    Mint,
    Posting,
    Record,
    RoleValue,
)
from supersede.specs.schema import Specification
from supersede.worlds.clock import Clock
from supersede.worlds.distract import Distractors
from supersede.worlds.lawful import Laws
from supersede.worlds.ledger import Ledger
from supersede.worlds.plan import Plan, plan_of
from supersede.worlds.program import (
    Cells,
    Drawn,
    Made,
    Program,
    Seen,
    Way,
    compile_specification,
)
from supersede.worlds.revise import Revisions
from supersede.worlds.state import When
from supersede.worlds.streams import Draw, between, history_seed, pick, stream
from supersede.worlds.tiers import Dials, dials_for

_TRIES = 60
"""Draws of event, roles and parameters before every event is tried in turn, again and again."""
_TRIES_EACH = 2000
_TRIES_SCHEDULED = 8
_RECENT = 48
"""Record roles are drawn from this many of the youngest records of their event."""
_ENTRIES_PER_PLOT_ENTRY = 1.06
"""Entries and copies in a history for each entry of its plot, as sampled (S3)."""
_LABELLED = 4
"""Records that count under each of their labels, for each one that shows no label (S2)."""

new = tuple.__new__


@dataclass(slots=True)
class Now:
    """What compiled events read of the present moment."""

    block: int = 0
    when: When = (0, 0, 0)
    """Place in occurred order of an entry that is posted now in its own block."""
    late: bool = False
    """Whether an entry that can be logged late should be."""


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
        lasts: Those of `alive` of which only the newest may be taken back, in order.
        readers: Cell -> position of the last counting record that read it (R23).
    """

    direct: ClassVar[bool] = True
    """Whether compiled events put themselves in force. Posting does the same, more slowly."""
    __deletable__ = ("revisions", "distractors")
    """What may be deleted of an instance, for mypyc."""

    def __init__(self, spec: Specification, key: InstanceKey) -> None:
        """A sampler at the start of the history of `key`."""
        self.spec = spec
        self.program: Program = compile_specification(spec)
        self._events = self.program.events
        self.event_number = self.program.number
        self.dials: Dials = dials_for(key.tier, spec.difficulty.dials, dict(key.dials))
        self.seed = history_seed(key)
        self.draw: Draw = stream(self.seed, "events")
        self.label_draw: Draw = stream(self.seed, "labels")
        self.plan: Plan = plan_of(spec, self.dials, stream(self.seed, "plan"))
        self.ledger = Ledger(self.program.world)
        self.clock = Clock(spec.clock, stream(self.seed, "clocks"))
        self.now = Now()
        self.numbers = {name: part.first for name, part in spec.entities.items() if part.minted}
        self.alive: list[int] = []
        self.lasts: list[int] = []
        self.held: list[int] = []
        self.readers: dict[tuple[str, Key | None], int] = {}
        self._focus: dict[str, RoleValue | None] = dict.fromkeys(spec.entities)
        """Entity type -> the entity that the plot named last."""
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
        ledger = self.ledger
        bound = self.program.bind(
            *(state, state.attributes, self.now, 1.0 - self.dials.interleaving, self._focus),
            *(self.numbers, self._recent_record, self._record, self._counts, self._left),
            *(self._commit, self._dated, self.clock.spend_in_plot, ledger.appender()),
            *(ledger.counts, ledger.minters, ledger.dependants, ledger.positions),
            *(self._by_event, self._naming, self.alive, self.lasts, self.held),
            *(self.plan.pending, self.readers),
        )
        enters: tuple[Way, ...] = bound[0]
        self._draws: tuple[Callable[[Draw], dict[str, RoleValue] | None], ...] = bound[1]
        self._makes: tuple[Callable[[Draw, dict[str, RoleValue]], Made | None], ...] = bound[2]
        self._seen: tuple[Callable[[dict[str, RoleValue]], Seen], ...] = bound[3]
        self._fits: tuple[Callable[[dict[str, RoleValue]], bool], ...] = bound[4]
        self._slow = tuple(partial(self._post_drawn, n) for n in range(len(enters)))
        """Ways to post an entry of each event, whatever its label."""
        self._quick = tuple(
            slow if event.limited or not (event.direct and self.direct) else enter
            for event, enter, slow in zip(self.program.events, enters, self._slow, strict=True)
        )
        """The same for labels that no rule decides about."""
        self.laws = Laws(self.program, state, bound[5])

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
        at = ledger.positions.get(record_id)
        if at is None:
            raise LookupError(f"no record {record_id!r}")
        return ledger.records[ledger.amendment.get(at, at)]

    def _counts(self, record_id: str) -> bool:
        at = self.ledger.positions.get(record_id)
        return at is not None and bool(self.ledger.counts[at])

    def _left(self, record_id: str) -> int:
        ledger = self.ledger
        taken = sum(
            int(ledger.parameters(at).get("amount", 0))
            for at in self._naming.get(record_id, ())
            if ledger.counts[at]
        )
        return int(self._record(record_id).parameters["amount"]) - taken

    def _commit(
        self,
        when: When,
        mints: Sequence[Mint],
        postings: Sequence[Posting],
        assigned: Sequence[Assignment],
        members: Sequence[Membership],
    ) -> bool:
        """Put effects in force; take them out again and return False where they break a bound."""
        state = self.ledger.state
        self._touched.clear()
        self._moved.clear()
        state.mint(1, when[2], mints)
        state.fold(1, when, postings, assigned, members)
        if self.laws.hold():
            return True
        state.fold(-1, when, postings, assigned, members)
        state.mint(-1, when[2], mints)
        return False

    # The run of blocks

    def blocks(self) -> Iterator[int]:
        """Number of each block, given once its records are posted.

        Raises:
            SampleError: The world cannot go on.
        """
        entries, distract, revisions = (
            self._entries(),
            self.distractors.before_slot,
            self.revisions,
        )
        chance, share, revise = revisions.draw, revisions.share, revisions.revise
        for block, size in enumerate(self.plan.sizes, start=1):
            self.now.block = block
            self._posted_in_block = [0] * len(self.spec.events)
            self.clock.begin(block)
            for rule in self.plan.rules[block - 1]:
                self.revisions.announce(rule)
            done = sum(self._scheduled(n) for n in self.program.scheduled)
            for _ in range(max(size - done, 1)):
                distract()
                drawn = chance()
                if drawn >= share or not revise(drawn):
                    next(entries)
            self.distractors.end_block()
            yield block

    def release(self) -> None:
        """Untie what holds the history in circles, which the collector at rest would not find.

        Nothing more can be sampled.
        """
        self._quick = self._slow = ()
        self._draws = self._makes = self._seen = self._fits = ()
        self.laws.release()
        self.revisions.release()
        del self.revisions, self.distractors

    def history(self) -> History:
        """The history so far."""
        return History(self.now.block, tuple(self.ledger.records), tuple(self.distractors.noise))

    # Plot entries

    def _scheduled(self, n: int) -> bool:
        """Post an event that comes once a block, if its guard allows."""
        self.now.late = False
        self.now.when = (self.now.block, self.clock.upcoming, len(self.ledger.records))
        for _ in range(_TRIES_SCHEDULED):
            label, by_label = self._labelled()
            way = (self._slow if by_label is None else self._quick)[n]
            if way(self.draw, label, by_label):
                return True
        return False

    def _entries(self) -> Iterator[None]:
        """Post one entry of the plot each time the next is asked for, whatever event is possible.

        A generator keeps at hand what every entry needs.

        Raises:
            SampleError: No event is possible.
        """
        now, clock, records, draw = self.now, self.clock, self.ledger.records, self.draw
        choices, weights = self.program.choices, self.program.weights
        chance, special, plain, scale = self.label_draw, self._special, self._counting, self._scale
        quick, slow = ([ways[n] for n in choices] for ways in (self._quick, self._slow))
        tries = range(_TRIES)
        while True:
            share = chance()
            label: str | None
            by_label: bool | None
            if share >= special:
                label, by_label = plain[int((share - special) * scale)], True
            else:
                label, by_label = self._labelled_specially(share)
            ways = slow if by_label is None else quick
            block = now.block
            self._late_debt += self._late
            now.late = late = self._late_debt >= 0 and block > 1
            now.when = (block, clock.upcoming, len(records))
            for _ in tries:
                if ways[bisect(weights, draw())](draw, label, by_label):
                    break
            else:
                now.late = False
                self._try_each(ways, label, by_label)
            if late and records[-1][6] is BACKFILL:
                self._late_debt -= 1.0
            yield

    def _try_each(self, ways: Sequence[Way], label: str | None, by_label: bool | None) -> None:
        """Post one entry by trying every event in turn, again and again."""
        if any(way(self.draw, label, by_label) for _ in range(_TRIES_EACH) for way in ways):
            return
        at = self.ledger.records[-1].id if self.ledger.records else "the start"
        raise SampleError(
            f"no event is possible in {self.spec.clock.block} {self.now.block} after {at}",
            where=self.spec.id,
            mend="Give it an event whose guard can always be met, or a shorter `longest` tier.",
        )

    def _dated(self, draw: Draw, roles: dict[str, RoleValue], cells: Cells) -> tuple[Kind, When]:
        """Kind and place in occurred order of an entry that should be late, if it can."""
        block, _, position = when = self.now.when
        earliest = max(self._true_since(roles, cells), block - int(self.dials.distance))
        if earliest >= block:
            return ENTRY, when
        occurred = between(draw, earliest, block - 1)
        return BACKFILL, (occurred, self.clock.late(occurred, position, draw()), position)

    def _post_drawn(self, n: int, draw: Draw, label: str | None, by_label: bool | None) -> bool:
        """Draw and post an entry of event `n`; False where it is impossible or unlawful.

        Compiled events do the same at speed, where no rule and no limit has a say.
        """
        drawn = self.draw_event(n, draw)
        if drawn is None:
            return False
        roles, parameters, postings, assigned, members, mints, cells = drawn
        program, now = self._events[n], self.now
        kind, when = ENTRY, now.when
        if now.late and program.late:
            kind, when = self._dated(draw, roles, cells)
        occurred, clock, position = when
        record = new(
            Record,
            (self.clock.record_id(), now.block, position, occurred, clock, label, kind, program.id,
             roles, parameters, (), postings, assigned, members, mints, None, None),
        )  # fmt: skip
        if not self.post(record):
            return False
        if kind is ENTRY:
            self.clock.of_plot(clock)
        self._note(n, record, cells)
        return True

    def _note(self, n: int, record: Record, cells: Cells) -> None:
        """Keep track of an entry of the plot that has been posted, and of the cells it read."""
        program, position = self._events[n], record[2]
        if program.tracked:
            self._track(n, record)
        if self.ledger.counts[position]:
            self.alive.append(position)
            if program.is_last:
                self.lasts.append(position)
            self.readers.update(dict.fromkeys(cells, position))
            if program.focus is not None:
                role, kind = program.focus
                self._focus[kind] = record[8][role]
        elif record[5] in self.plan.pending:
            self.held.append(position)

    def _labelled(self) -> tuple[str | None, bool | None]:
        """The label of the next plot entry, and whether it counts by it, as `judged` says."""
        chance = self.label_draw()
        plain = chance - self._special
        if plain >= 0:
            return self._counting[int(plain * self._scale)], True
        return self._labelled_specially(chance)

    def _labelled_specially(self, chance: float) -> tuple[str | None, bool | None]:
        """The same where a rule or a confirmation may have a say, for a draw below their share."""
        if chance < self.plan.ruled_share:
            label: str | None = pick(self.label_draw, self.plan.ruled)
        elif self.plan.pending:
            label = pick(self.label_draw, self.plan.pending)
        else:
            label = self.counting_label(self.label_draw)
        return label, self.ledger.controls.judged(label)

    def counting_label(self, draw: Draw) -> str | None:
        """A label that counts, or none."""
        return self._counting[int(draw() * len(self._counting))]

    def draw_event(self, n: int, draw: Draw) -> Drawn | None:
        """Roles and effects of event `n` on the present state; None where it is impossible."""
        if self.program.events[n].limited and self._is_spent(n):
            return None
        roles = self._draws[n](draw)
        made = None if roles is None else self._makes[n](draw, roles)
        if roles is None or made is None:
            return None
        mints, cells = self._seen[n](roles)
        return roles, *made, mints, cells

    def _is_spent(self, n: int) -> bool:
        """Whether an event has been posted as often as its `limit` allows."""
        limit = self.spec.events[n].limit
        return limit is not None and (
            (limit.total is not None and self._posted[n] >= limit.total)
            or (limit.per_block is not None and self._posted_in_block[n] >= limit.per_block)
        )

    def restate(self, position: int, draw: Draw) -> tuple[dict[str, RoleValue], Made] | None:
        """Roles and effects of an entry, drawn anew on the state without it (R8).

        Unless they are None, the ledger is left with the entry lifted: post its restatement next.
        """
        ledger = self.ledger
        record = ledger.records[position]
        n = self.event_number[record.event or ""]
        roles = dict(ledger.roles(position))
        self._touched.clear()
        self._moved.clear()
        ledger.lift(position)
        block, self.now.block = self.now.block, record.occurred
        made = self._makes[n](draw, roles) if self._redraw(n, record, roles, draw) else None
        self.now.block = block
        if made is not None:
            before = ledger.records[ledger.amendment.get(position, position)]
            if made[1:] != (before.postings, before.assignments, before.memberships):
                return roles, made
        ledger.land()
        return None

    def _redraw(self, n: int, record: Record, roles: dict[str, RoleValue], draw: Draw) -> bool:
        """Change the roles that an amend may change; False where they do not fit the others."""
        redrawn = self.program.events[n].redrawn
        if not redrawn:
            return True
        drawn = self._draws[n](draw)
        if drawn is None:
            return False
        roles.update({role: drawn[role] for role in redrawn})
        born = [self.ledger.born(str(roles[role])) for role in redrawn]
        return self._fits[n](roles) and all(b is None or b <= record.occurred for b in born)

    def revive(self, position: int) -> None:
        """Count a plot entry among those that may be revised."""
        self.alive.append(position)
        if self.voidable(position) == "last":
            insort(self.lasts, position)

    def retire(self, position: int) -> None:
        """Count a plot entry no longer among those that may be revised."""
        alive = self.alive
        at = bisect_left(alive, position)  # In order, but for records that came to count late.
        if at < len(alive) and alive[at] == position:
            del alive[at]
        else:
            alive.remove(position)
        if self.voidable(position) == "last":
            self.lasts.remove(position)

    def voidable(self, position: int) -> str:
        """When the event of an entry lets it be taken back."""
        event = self.ledger.records[position].event or ""
        return self.program.events[self.event_number[event]].voidable

    def _track(self, n: int, record: Record) -> None:
        """Keep track of a plot entry that limits, record roles or minting care about."""
        program = self._events[n]
        self._posted[n] += 1
        self._posted_in_block[n] += 1
        if program.named:
            self._by_event.setdefault(program.id, []).append(record.position)
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

    def post(self, record: Record) -> bool:
        """Post a record, the next; take it back and return False where that breaks a bound."""
        ledger, touched, moved = self.ledger, self._touched, self._moved
        if ledger.lifted is None:
            touched.clear()
            moved.clear()
        ledger.post(record)
        if (touched or moved) and not self.laws.hold():
            ledger.pop()
            return False
        self.clock.spend(record.occurred, record.clock)
        return True
