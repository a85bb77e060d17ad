"""State: the fold of postings, assignments, memberships and mints, with an exact inverse.

Folding takes a sign, so a record that stops counting is taken out by the same code that put it
in. Registers, rosters and ranks follow occurred order among what is folded in (R11, R12).
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Sequence
from typing import TypeAlias

from supersede.model.record import Assignment, Key, Membership, Mint, Posting, Value
from supersede.model.world import World
from supersede.worlds.beginning import beginning_of

When: TypeAlias = tuple[int, int, int]
"""Occurred order: (occurred block, clock, position)."""

Rank: TypeAlias = tuple[int, ...]
"""Occurred order of a join or leave: `When`, then its place in the printed line."""
_NAMED = 1_000_000
"""More names than any specification declares: minted entities come after them."""


class State:
    """The state of a world after some records, changed in place by `fold`.

    Attributes:
        measures: Measure -> cell key -> integer; an absent cell holds the measure's start.
        registers: Register -> cell key -> value; an absent cell holds the register's start.
        rosters: Roster -> cell key -> members, in the order of the joins now in force.
        live: Entity type -> live entities, named ones first, then in minting order.
        attributes: Entity -> attribute values in declared order.
        touched: (name, key) of each measure, register or roster cell changed since it was
            last cleared.
        moved: (name, value) of each value that a live register cell took or lost since then, and
            (name, member) of each member that joined or left a roster.
    """

    __slots__ = (
        "_alive",
        "_assigned",
        "_held",
        "_joined",
        "_last_change",
        "_minted",
        "_order",
        "_places",
        "_ranks",
        "_starts",
        "_tables",
        "attributes",
        "live",
        "measures",
        "moved",
        "registers",
        "rosters",
        "touched",
        "world",
    )

    def __init__(self, world: World) -> None:
        """The state before the first record."""
        self.world = world
        begin = beginning_of(world)
        self._starts = begin.levels
        self.measures: dict[str, dict[Key, int]] = {name: {} for name in begin.levels}
        self._tables = {
            name: (cells, begin.levels[name], begin.arities[name])
            for name, cells in self.measures.items()
        }
        """Measure -> its cells, their start, and how many entities name one."""
        self.registers: dict[str, dict[Key, Value]] = {
            name: {**cells} for name, cells in begin.registers.items()
        }
        self._assigned: dict[str, dict[Key, list[tuple[When, Value]]]] = {
            name: {} for name in begin.registers
        }
        self._held: dict[str, dict[Value, list[Key]]] = {}
        self._places: dict[str, dict[Value, list[tuple[int, ...]]]] = {}
        self._order = {**begin.order}
        """Entity -> its place: declared order, then minting order."""
        self.rosters: dict[str, dict[Key, list[str]]] = {
            name: {key: [*start] for key in keys} for name, (keys, start) in begin.rosters.items()
        }
        self._ranks: dict[str, dict[Key, list[Rank]]] = {
            name: {key: [(0, 0, n) for n in range(len(start))] for key in keys}
            for name, (keys, start) in begin.rosters.items()
        }
        self._joined: dict[str, dict[tuple[Key, str], list[tuple[Rank, bool]]]] = {
            name: {} for name in begin.rosters
        }
        self._last_change: dict[str, int] = {}
        self.live = {kind: [*names] for kind, names in begin.live.items()}
        self._minted = {kind: [-1] * len(names) for kind, names in begin.live.items()}
        self._alive = set(begin.order)
        self.attributes = {**begin.attributes}
        self.touched: list[tuple[str, Key]] = []
        self.moved: list[tuple[str, Value]] = []

    def _cells(self, types: Sequence[str]) -> list[Key]:
        """The keys that live entities of the types make, in declared order."""
        keys: list[Key] = [()]
        for name in types:
            keys = [(*key, entity) for key in keys for entity in self.live[name]]
        return keys

    def _start_value(self, register: str, key: Key) -> Value:
        declared = self.world.registers[register]
        return declared.starts.get(key, declared.start)

    # Reading

    def measure(self, name: str, key: Key = ()) -> int:
        """The level of a measure's cell, start included."""
        return self.measures[name].get(key, self._starts[name])

    def register(self, name: str, key: Key = ()) -> Value:
        """The value of a register's cell; its start where nothing counts (R11)."""
        cells = self.registers[name]
        return cells[key] if key in cells else self._start_value(name, key)

    def members(self, name: str, key: Key = ()) -> list[str]:
        """The members of a roster, in the occurred order of the joins in force (R12)."""
        return self.rosters[name].get(key, [])

    def tally(self, name: str, value: Value) -> int:
        """How many live cells of the tally's register hold `value`."""
        return len(self.holders(self.world.tallies[name].of).get(value, ()))

    def holders(self, register: str) -> dict[Value, list[Key]]:
        """Value -> keys of the live cells of a register that hold it, in the order of entities.

        A function of what counts, whatever the way that led there. It is kept up to date from the
        first call on; most registers are never asked.
        """
        if register not in self._held:
            self._held[register], self._places[register] = {}, {}
            for key in self._cells(self.world.registers[register].on):
                self._hold(1, register, self.register(register, key), key)
        return self._held[register]

    def derived(self, name: str, key: Key = ()) -> int:
        """The value of a linear derived measure."""
        return sum(self.measure(m, key) * k for m, k in self.world.derived[name].terms)

    def changed(self, name: str, key: Key | None) -> int:
        """The block in which a cell last changed, or one not earlier; 0 for never.

        Args:
            name: Register or roster.
            key: The cell; None for any cell of it.
        """
        cells = self._assigned.get(name)
        if cells is not None and key is not None:
            history = cells.get(key)
            return history[-1][0][0] if history else 0
        return self._last_change.get(name, 0)

    # Folding

    def fold(
        self,
        sign: int,
        when: When,
        postings: Sequence[Posting],
        assignments: Sequence[Assignment],
        memberships: Sequence[Membership],
    ) -> None:
        """Put a record's effects in (`sign` 1) or take them out (-1)."""
        touched, tables = self.touched, self._tables
        for measure, delta, entities in postings:
            cells, start, arity = tables[measure]
            key = entities[:arity]
            cells[key] = cells.get(key, start) + sign * delta
            touched.append((measure, key))
        if assignments:
            self._assign_all(sign, when, assignments)
        if memberships:
            self._enrol_all(sign, when, memberships)

    def setter(self, register: str) -> Callable[[Key, When, Value], None]:
        """A function that assigns one register: for records just drawn, of which none is touched.

        It does what `fold` does, at speed for the latest in occurred order.
        """
        cells, histories = self.registers[register], self._assigned[register]
        starts, start = self.world.registers[register].starts, self.world.registers[register].start
        last_change, alive = self._last_change, self._alive
        indices, order = self._held, self._order
        last_change.setdefault(register, 0)

        def assign(key: Key, when: When, value: Value) -> None:
            history = histories.get(key)
            if history is None:
                history = histories[key] = []
            elif history and history[-1][0] > when:
                self._assign(1, register, key, (when, value))
                return
            before = cells[key] if key in cells else starts.get(key, start)
            history.append((when, value))
            cells[key] = value
            if when[0] > last_change[register]:
                last_change[register] = when[0]
            if register in indices and value != before and alive.issuperset(key):
                held, places = indices[register], self._places[register]
                place = tuple([order[entity] for entity in key])
                at = bisect_left(places[before], place)
                del held[before][at], places[before][at]
                if value not in held:
                    held[value], places[value] = [], []
                at = bisect_left(places[value], place)
                held[value].insert(at, key)
                places[value].insert(at, place)

        return assign

    def unset(self, register: str, key: Key, when: When, value: Value) -> None:
        """Take back what a setter has just assigned."""
        self._assign(-1, register, key, (when, value))

    def enroller(self, roster: str) -> Callable[[Key, str, Rank, bool], None]:
        """A function that joins or leaves one roster: for records just drawn.

        It does what `fold` does, at speed for the latest in occurred order that changes anything.
        """
        histories, rosters, ranks = self._joined[roster], self.rosters[roster], self._ranks[roster]
        last_change = self._last_change
        last_change.setdefault(roster, 0)

        def enrol(key: Key, member: str, rank: Rank, joins: bool) -> None:
            history = histories.get((key, member))
            if history is None:
                history = histories[key, member] = []
            elif history and history[-1][0] > rank:
                self._enrol(1, roster, key, member, (rank, joins))
                return
            if rank[0] > last_change[roster]:
                last_change[roster] = rank[0]
            history.append((rank, joins))
            members = rosters.get(key)
            if members is None:
                members, ranks[key] = [], []
                rosters[key] = members
            if member in members:
                if not joins:
                    at = members.index(member)
                    del members[at], ranks[key][at]
            elif joins:
                at = bisect_left(ranks[key], rank)
                members.insert(at, member)
                ranks[key].insert(at, rank)

        return enrol

    def unenrol(self, roster: str, key: Key, member: str, rank: Rank, joins: bool) -> None:
        """Take back what an enroller has just done."""
        self._enrol(-1, roster, key, member, (rank, joins))

    def _assign_all(self, sign: int, when: When, assignments: Sequence[Assignment]) -> None:
        for register, key, value in assignments:
            self._assign(sign, register, key, (when, value))
            self.touched.append((register, key))
            if when[0] > self._last_change.get(register, 0):
                self._last_change[register] = when[0]

    def _enrol_all(self, sign: int, when: When, memberships: Sequence[Membership]) -> None:
        for n, (roster, key, member, joins) in enumerate(memberships):
            self._enrol(sign, roster, key, member, ((*when, n), joins))
            self.touched.append((roster, key))
            self.moved.append((roster, member))
            if when[0] > self._last_change.get(roster, 0):
                self._last_change[roster] = when[0]

    def mint(self, sign: int, position: int, mints: Sequence[Mint]) -> None:
        """Bring minted entities to life (1) or take them away (-1), in minting order."""
        for entity, kind, attributes in mints:
            live, minted = self.live[kind], self._minted[kind]
            if sign > 0:
                at = bisect_left(minted, position)
                live.insert(at, entity)
                minted.insert(at, position)
                self.attributes[entity] = attributes
                self._alive.add(entity)
                self._order[entity] = _NAMED + position
            else:
                self._alive.discard(entity)
                at = live.index(entity)
                del live[at], minted[at]
            self._hold_starts(sign, entity, kind)
            self.touched.append((kind, (entity,)))

    def _hold_starts(self, sign: int, entity: str, kind: str) -> None:
        """Count the cells of an entity that has come to life, or no longer count them."""
        for register in (self.world.registers[name] for name in self._held):
            if register.on == (kind,):
                self._hold(sign, register.name, self.register(register.name, (entity,)), (entity,))
            elif kind in register.on:
                for key in self._cells_with(register.on, entity, kind):
                    self._hold(sign, register.name, self.register(register.name, key), key)

    def _cells_with(self, kinds: Sequence[str], entity: str, kind: str) -> list[Key]:
        """The keys over two types that an entity makes with the live entities of the other."""
        first, second = ((entity,) if k == kind else self.live[k] for k in kinds)
        return [(a, b) for a in first for b in second]

    def _hold(self, sign: int, register: str, value: Value, key: Key) -> None:
        """Note that a cell holds a value, or no longer does, at the place of its entities."""
        held = self._held[register]
        if value not in held:
            held[value] = []
            self._places[register][value] = []
        keys, places = held[value], self._places[register][value]
        order = self._order
        place = (order[key[0]],) if len(key) == 1 else tuple(order[entity] for entity in key)
        at = bisect_left(places, place)
        if sign > 0:
            keys.insert(at, key)
            places.insert(at, place)
        elif at < len(keys) and keys[at] == key:
            del keys[at], places[at]
        self.moved.append((register, value))

    def _assign(self, sign: int, register: str, key: Key, entry: tuple[When, Value]) -> None:
        asked = register in self._held and self._alive.issuperset(key)
        before = self.register(register, key) if asked else None
        histories = self._assigned[register]
        history = histories.get(key)
        if history is None:
            history = histories[key] = []
        if sign < 0:
            history.remove(entry)
        elif not history or entry[0] > history[-1][0]:
            history.append(entry)
        else:
            insort(history, entry, key=_when)
        cells = self.registers[register]
        if history:
            cells[key] = history[-1][1]
        elif key in self.world.registers[register].starts:
            cells[key] = self.world.registers[register].starts[key]
        else:
            del cells[key]
        after = self.register(register, key) if asked else None
        if after != before:
            self._hold(-1, register, before, key)
            self._hold(1, register, after, key)

    def _enrol(
        self, sign: int, roster: str, key: Key, member: str, entry: tuple[Rank, bool]
    ) -> None:
        history = self._joined[roster].setdefault((key, member), [])
        if sign > 0:
            insort(history, entry, key=_when)
        else:
            history.remove(entry)
        members = self.rosters[roster].setdefault(key, [])
        ranks = self._ranks[roster].setdefault(key, [])
        if member in members:
            at = members.index(member)
            del members[at], ranks[at]
        rank = self._rank(roster, member, history)
        if rank is not None:
            at = bisect_left(ranks, rank)
            members.insert(at, member)
            ranks.insert(at, rank)

    def _rank(self, roster: str, member: str, history: Sequence[tuple[Rank, bool]]) -> Rank | None:
        """The place of the join in force; None where the member is out (R12)."""
        start = self.world.rosters[roster].start
        rank: Rank | None = (0, 0, start.index(member)) if member in start else None
        for when, joins in history:
            if not joins:
                rank = None
            elif rank is None:
                rank = when
        return rank


def _when(entry: tuple[Rank, object]) -> Rank:
    return entry[0]
