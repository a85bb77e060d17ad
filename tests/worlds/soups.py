"""Random record soups in the toy world: all kinds, any references, statuses and effects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from hypothesis import strategies as st
from tests.truth_table.toy import WORLD

from supersede.model.record import (
    ENTRY_KINDS,
    Assignment,
    Exclusion,
    History,
    Key,
    Kind,
    Membership,
    Mint,
    Posting,
    Record,
    RoleValue,
    RuleChange,
    Value,
    VoidWindow,
)

T = TypeVar("T")

STATUSES = (None, None, None, "booked", "checked", "on hold", "draft")
LABELS = tuple(WORLD.statuses)
KINDS = (*[Kind.ENTRY] * 5, *[Kind.BACKFILL] * 2, *Kind)
PEOPLE = WORLD.types["person"].names
UNKNOWN = "o99"
"""The name of an order that nothing mints."""


@dataclass
class _Cook:
    """Draws the records of one soup, one by one."""

    draw: Callable[[st.SearchStrategy[object]], object]
    ids: tuple[str, ...]
    changing_roles: bool
    records: list[Record] = field(default_factory=list)
    orders: list[str] = field(default_factory=list)

    def one_of(self, options: Sequence[T]) -> T:
        chosen = self.draw(st.sampled_from(options))
        return chosen  # type: ignore[return-value]  # `draw` is typed for one strategy only

    def number(self, low: int, high: int) -> int:
        return int(str(self.draw(st.integers(low, high))))

    def chance(self) -> bool:
        return self.one_of((True, False))

    def entity(self, kind: str) -> str:
        return self.one_of(WORLD.types[kind].names or (*self.orders, UNKNOWN))

    def key(self, types: Sequence[str]) -> Key:
        return tuple(self.entity(kind) for kind in types)

    def record(self) -> Record:
        position = len(self.records)
        block = (self.records[-1].block if self.records else 1) + self.one_of((0, 0, 1))
        kind = self.one_of(KINDS)
        late = kind in (Kind.BACKFILL, Kind.CORRECT)
        record = Record(
            id=self.ids[position],
            block=block,
            position=position,
            occurred=self.number(1, block) if late else block,
            clock=self.number(0, 3),
            status=self.one_of(STATUSES),
            kind=kind,
        )
        if kind is Kind.RULE:
            return record._replace(rule=self.rule())
        if kind is Kind.VOID and self.number(0, 3) == 0:
            return record._replace(window=self.window(block))
        if kind not in (Kind.ENTRY, Kind.BACKFILL):
            record = record._replace(refs=self.refs(kind))
        if kind in (Kind.VOID, Kind.CONFIRM, Kind.REINSTATE):
            return record
        return self.with_effects(self.with_roles(record))

    def refs(self, kind: Kind) -> tuple[str, ...]:
        many = kind in (Kind.VOID, Kind.CONFIRM, Kind.REINSTATE)
        return tuple(
            dict.fromkeys(self.one_of(self.ids) for _ in range(1 + (many and self.chance())))
        )

    def rule(self) -> RuleChange:
        entity = self.one_of((None, None, *PEOPLE))
        return RuleChange(self.one_of(LABELS), self.chance(), self.chance(), entity)

    def window(self, block: int) -> VoidWindow:
        event = self.one_of(("receive", "receive", "buy", "send"))
        entity = self.one_of(("Ann", "Bob", "apple", *self.orders))
        first = self.number(1, block)
        return VoidWindow(event, entity, first, self.number(first, block + 1))

    def with_roles(self, record: Record) -> Record:
        named = next((r for r in self.records if r.id in record.refs and r.event), None)
        if named is not None and not (self.changing_roles and self.chance()):
            return record._replace(event=named.event, roles=named.roles)
        name = self.one_of(("receive", "receive", "buy", "buy", "send", *WORLD.events))
        event = WORLD.events[named.event or name if named else name]
        roles: dict[str, RoleValue] = {r: self.entity(kind) for r, kind in event.roles.items()}
        for role in event.lists:
            roles[role] = tuple(dict.fromkeys(self.entity("person") for _ in range(2)))
        for role in event.records:
            earlier = [r.id for r in self.records if r.kind in ENTRY_KINDS]
            roles[role] = self.one_of((*earlier, "r99"))
        record = record._replace(event=event.name, roles=roles)
        if event.name == "buy" and record.kind in (Kind.ENTRY, Kind.BACKFILL):
            order = f"o{len(self.orders) + 1}"
            self.orders.append(order)
            roles["target"] = order
            record = record._replace(mints=(Mint(order, "order", ("apple",)),))
        return record

    def with_effects(self, record: Record) -> Record:
        postings = [self.posting() for _ in range(self.number(0, 2))]
        assignments = {(a.register, a.key): a for a in self.several(self.assignment)}
        members = {(m.roster, m.key, m.member): m for m in self.several(self.membership)}
        return record._replace(
            postings=tuple(postings),
            assignments=tuple(assignments.values()),
            memberships=tuple(members.values()),
        )

    def several(self, make: Callable[[], T]) -> list[T]:
        return [make() for _ in range(self.one_of((0, 0, 1, 2)))]

    def posting(self) -> Posting:
        measure = self.one_of(tuple(WORLD.measures.values()))
        key = self.key(measure.per)
        tag = (self.entity("title"),) if self.chance() else ()
        return Posting(measure.name, self.number(-3, 3), key + tag)

    def assignment(self) -> Assignment:
        register = self.one_of(tuple(WORLD.registers.values()))
        values: tuple[Value, ...] = register.symbols or (1, 2, 3)
        if register.type:
            values = WORLD.types[register.type].names
        return Assignment(register.name, self.key(register.on), self.one_of((None, *values)))

    def membership(self) -> Membership:
        roster = self.one_of(tuple(WORLD.rosters.values()))
        return Membership(roster.name, self.key(roster.per), self.one_of(PEOPLE), self.chance())


@st.composite
def soups(draw: st.DrawFn, *, most: int = 14, changing_roles: bool = False) -> History:
    """Histories that no sampler would post; legal only in that entities are minted once."""
    count = draw(st.integers(1, most))
    ids = tuple(f"r{n + 1}" for n in range(count))
    cook = _Cook(draw, ids, changing_roles)
    for _ in ids:
        cook.records.append(cook.record())
    return History(cook.records[-1].block, tuple(cook.records))


@st.composite
def exclusions(draw: st.DrawFn, history: History, *, cascade: bool = True) -> Exclusion | None:
    """What a counterfactual may take away, or nothing."""
    ids = [record.id for record in history.records]
    people = st.lists(st.sampled_from(PEOPLE), max_size=2, unique=True).map(tuple)
    return draw(
        st.none()
        | st.builds(
            Exclusion,
            role=st.sampled_from((None, "actor", "recipient", "sharers", "winner")),
            entities=people,
            events=st.sampled_from(((), (), ("receive",), ("buy", "expense"))),
            statuses=st.sampled_from(((), (), ("on hold",), ("booked", "checked"))),
            dependants=st.sampled_from(("keep", "cascade") if cascade else ("keep",)),
        )
        | st.builds(
            Exclusion,
            ids=st.lists(st.sampled_from(ids), min_size=1, max_size=3, unique=True).map(tuple),
            dependants=st.sampled_from(("keep", "cascade") if cascade else ("keep",)),
        )
    )


def assumptions() -> st.SearchStrategy[dict[str, bool]]:
    return st.dictionaries(st.sampled_from(LABELS), st.booleans(), max_size=2)


def overlooked() -> st.SearchStrategy[frozenset[Kind]]:
    """Kinds that a careless reader passes over."""
    kinds = sorted(set(Kind) - {Kind.ENTRY, Kind.BACKFILL})
    return st.just(frozenset[Kind]()) | st.frozensets(st.sampled_from(kinds), max_size=3)
