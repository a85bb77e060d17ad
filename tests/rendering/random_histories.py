"""Random histories of the depot: any kind, any effect, odd values; nothing need make sense."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from hypothesis import strategies as st
from tests.rendering.depot import attribution, depot

from supersede.model.record import (
    Assignment,
    History,
    Key,
    Kind,
    Membership,
    Mint,
    Noise,
    Posting,
    Record,
    RoleValue,
    RuleChange,
    Value,
    VoidWindow,
)

T = TypeVar("T")

SPEC, WORLD = depot()
KINDS = (*[Kind.ENTRY] * 4, Kind.BACKFILL, *Kind)
STATUSES = (None, *WORLD.statuses)
NUMBERS = st.one_of(
    st.sampled_from([0, 1, -1, 5, -5, 99, 100, -100, 101, 1000000]),
    st.integers(-(10**9), 10**9),
)
RULES = (
    RuleChange("in pencil", True, False),
    RuleChange("in pencil", False, True),
    RuleChange("stamped", False, False, "Bay 4"),
    RuleChange("stamped", False, False, "North yard"),
)


def once(effects: Sequence[T], cell: Callable[[T], object]) -> tuple[T, ...]:
    """The last effect on each cell: a record changes none twice (R13)."""
    return tuple({cell(effect): effect for effect in effects}.values())


@dataclass
class _Cook:
    """Draws the records of one history, one by one."""

    draw: Callable[[st.SearchStrategy[Any]], Any]
    crates: list[str] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)

    def one_of(self, options: Sequence[T]) -> T:
        chosen: T = self.draw(st.sampled_from(options))
        return chosen

    def number(self) -> int:
        number: int = self.draw(NUMBERS)
        return number

    def maybe(self) -> bool:
        return self.one_of((True, False))

    def entity(self, kind: str) -> str:
        names = WORLD.types[kind].names or (*self.crates, "C-3")
        return self.one_of(names)

    def key(self, types: Sequence[str]) -> Key:
        return tuple(self.entity(kind) for kind in types)

    def record(self, n: int, block: int) -> Record:
        kind = self.one_of(KINDS if self.records else (Kind.ENTRY, Kind.RULE))
        if kind is Kind.BACKFILL and block == 1:
            kind = Kind.ENTRY
        occurred = self.one_of(range(1, block)) if kind is Kind.BACKFILL else block
        status = self.one_of(STATUSES)
        clock = (
            self.one_of(range(1440))
            if kind is Kind.BACKFILL
            else 500 + 20 * n + self.one_of(range(20))
        )
        position = len(self.records)
        blank = Record(f"D{block}-R{n}", block, position, occurred, clock, status, kind)
        if kind is Kind.RULE:
            return blank._replace(rule=self.one_of(RULES))
        if kind in (Kind.VOID, Kind.CONFIRM, Kind.REINSTATE):
            return self.control(blank)
        refs = () if kind in (Kind.ENTRY, Kind.BACKFILL) else (self.one_of(self.records).id,)
        return self.event(blank._replace(refs=refs))

    def control(self, blank: Record) -> Record:
        ids = [record.id for record in self.records]
        if blank.kind is Kind.VOID and self.one_of((True, False, False)):
            event = self.one_of([e for e in WORLD.events.values() if e.roles])
            entity = self.entity(self.one_of(list(event.roles.values())))
            first = self.one_of(range(1, 4))
            last = self.one_of(range(first, 5))
            return blank._replace(window=VoidWindow(event.name, entity, first, last))
        most = 3 if blank.kind is Kind.VOID else 1
        refs = self.draw(st.lists(st.sampled_from(ids), min_size=1, max_size=most, unique=True))
        return blank._replace(refs=tuple(refs))

    def event(self, blank: Record) -> Record:
        shares = [record.id for record in self.records if record.event == "share"]
        events = [e for e in SPEC.events if shares or e.id != "refund"]
        event = WORLD.events[self.one_of(events).id]
        mints: tuple[Mint, ...] = ()
        if event.name == "receive" and blank.kind is not Kind.AMEND:
            mints = (self.mint(),)
        roles: dict[str, RoleValue] = {r: self.entity(kind) for r, kind in event.roles.items()}
        for role, kind in event.lists.items():
            names = WORLD.types[kind].names
            chosen = st.lists(st.sampled_from(names), min_size=1, max_size=4, unique=True)
            roles[role] = tuple(self.draw(chosen))
        if event.name == "refund":
            roles["of"] = self.one_of(shares)
        if event.name == "receive":
            roles["target"] = mints[0].entity if mints else "C-3"
        return blank._replace(
            event=event.name,
            roles=roles,
            parameters=self.parameters(event.name),
            mints=mints,
            postings=once(
                [self.posting(event.name, roles) for _ in range(self.one_of(range(4)))],
                lambda p: (p.measure, p.entities[: len(WORLD.measures[p.measure].per)]),
            ),
            assignments=once(
                [self.assignment() for _ in range(self.one_of(range(3)))],
                lambda a: (a.register, a.key),
            ),
            memberships=once(
                [self.membership() for _ in range(self.one_of(range(3)))],
                lambda m: (m.roster, m.key, m.member),
            ),
        )

    def parameters(self, event: str) -> dict[str, int | str]:
        if event == "move":
            mood = self.one_of(("in high spirits", "grumbling"))
            return {"trips": self.number(), "mood": mood}
        if event in ("lend", "share"):
            return {"amount" if event == "lend" else "price": self.number()}
        return {}

    def mint(self) -> Mint:
        name = f"C-{7 + len(self.crates)}"
        self.crates.append(name)
        content, seal = self.entity("good"), self.one_of(("wax", "tape"))
        return Mint(name, "crate", (content, abs(self.number()), seal))

    def posting(self, event: str, roles: dict[str, RoleValue]) -> Posting:
        measure = self.one_of(list(WORLD.measures.values()))
        first = self.key(measure.per)
        if not first and self.maybe():
            first = self.key((self.one_of(("porter", "bay", "good")),))
        return Posting(measure.name, self.number(), attribution(WORLD, event, roles, first))

    def assignment(self) -> Assignment:
        register = self.one_of(list(WORLD.registers.values()))
        value: Value
        if self.one_of((True, False, False, False)):
            value = None
        elif register.symbols:
            value = self.one_of(register.symbols)
        elif register.type is not None:
            value = self.entity(register.type)
        else:
            value = abs(self.number()) if register.block else self.number()
        return Assignment(register.name, self.key(register.on), value)

    def membership(self) -> Membership:
        roster = self.one_of(list(WORLD.rosters.values()))
        member = self.entity(roster.of)
        return Membership(roster.name, self.key(roster.per), member, self.maybe())


@st.composite
def histories(draw: Callable[[st.SearchStrategy[Any]], Any]) -> History:
    cook = _Cook(draw)
    blocks = draw(st.integers(1, 4))
    noise: list[Noise] = []
    # "C-3" is named without having been brought in; its attributes are shown nowhere but in
    # wordings of arrivals, so those name it only in an amend, after it has come.
    first = Record("D1-R1", 1, 0, 1, 500, None, Kind.ENTRY, "receive")
    crate = Mint("C-3", "crate", ("rug", 100, "wax"))
    roles: dict[str, RoleValue] = {"actor": "Chen Li", "target": "C-3"}
    cook.records.append(first._replace(roles=roles, mints=(crate,)))
    for block in range(1, blocks + 1):
        for n in range(1 + (block == 1), draw(st.integers(1, 6))):
            if cook.one_of((True, False, False)):
                porter, good = cook.entity("porter"), cook.entity("good")
                noise.append(Noise(block, len(cook.records), 0, (porter, good)))
            cook.records.append(cook.record(n, block))
    return History(blocks, tuple(cook.records), tuple(noise))
