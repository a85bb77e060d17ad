"""The one small world in which the rows of the truth table are written."""

from __future__ import annotations

from supersede.model.world import (
    Derived,
    EntityType,
    EventType,
    Measure,
    Register,
    Roster,
    Tally,
    World,
)


def _type(name: str, *names: str, minted: str | None = None) -> EntityType:
    return EntityType(name, name, f"{name}s", names, minted, ("item",) if minted else ())


def _event(
    name: str,
    *,
    lists: dict[str, str] | None = None,
    records: dict[str, str] | None = None,
    cascade: bool = False,
    **roles: str,
) -> EventType:
    return EventType(
        name, name, f"{name}s", roles, lists or {}, records or {}, (), (), cascade=cascade
    )


TYPES = {
    kind.name: kind
    for kind in (
        _type("person", "Ann", "Bob", "Cat"),
        _type("item", "apple", "pear"),
        _type("title", "Emma", "Dune"),
        _type("order", minted="o{n}"),
    )
}

MEASURES = {
    measure.name: measure
    for measure in (
        Measure("stock", "stock", per=("item",)),
        Measure("cash", "cash", start=100),
        Measure("paid", "paid", per=("order",)),
        Measure("refunded", "refunded", per=("order",)),
        Measure("owed", "owed", per=("person",)),
        Measure("bids", "bids", per=("person", "item")),
    )
}

REGISTERS = {
    register.name: register
    for register in (
        Register("venue", "venue", symbols=("hall", "park", "pier"), start="hall"),
        Register("stage", "stage", ("order",), ("new", "paid", "sent", "back"), start="new"),
        Register("holder", "holder", ("title",), type="person"),
        Register("reading", "reading", ("item",), integer=True),
        Register("price", "price", ("person", "item"), integer=True),
        Register("seat", "seat", ("person",), ("left", "right"), starts={("Ann",): "left"}),
    )
}

EVENTS = {
    event.name: event
    for event in (
        _event("receive", actor="person", target="item"),
        _event("meet", actor="person"),
        _event("read", target="item"),
        _event("offer", actor="person", target="item"),
        _event("sit", actor="person"),
        _event("lend", actor="person", target="title"),
        _event("swap", actor="person", recipient="person"),
        _event("go", actor="person"),
        _event("queue", actor="person", target="title"),
        _event("buy", actor="person", target="order"),
        _event("send", actor="person", target="order"),
        _event("reimburse", actor="person", records={"of": "buy"}),
        _event("duel", winner="person", actor="person"),
        _event("expense", actor="person", lists={"sharers": "person"}, cascade=True),
        _event("repay", actor="person", records={"of": "expense"}, cascade=True),
        _event("thank", actor="person", records={"of": "repay"}),
    )
}
"""`expense` and `repay` take along what stands on them; `buy` does not (R16)."""

WORLD = World(
    name="toy",
    block="Day",
    types=TYPES,
    measures=MEASURES,
    events=EVENTS,
    statuses={"booked": True, "checked": True, "on hold": False, "draft": False},
    registers=REGISTERS,
    rosters={
        "going": Roster("going", "going", "person", start=("Ann",)),
        "holds": Roster("holds", "holds", "person", ("title",), ordered=True),
    },
    tallies={
        "in_stage": Tally("in_stage", "orders per stage", "stage"),
        "loans": Tally("loans", "titles out", "holder"),
    },
    derived={"net": Derived("net", "net", "", 1, ("order",), (("paid", 1), ("refunded", -1)))},
)
