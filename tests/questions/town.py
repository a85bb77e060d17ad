"""A small world and a history of it, in which every operator has something to answer.

The history is written in the notation of the truth table. What counts, worked out by hand:

    d1  booked   Ann  apple   +5 stock, +2 cash       counts, amended by d9 to +3 stock, +2 cash
    d2  on hold  Bob  apple   +7 stock                 counts by the confirm d10
    d3           Ann  pear    +4 stock, -1 cash        struck by d8, restored by d13: counts
    d4  draft    Cat  pear    +9 stock                 status: does not count
    d5  booked   Ann  venue = park                     counts (day 2)
    d6  booked   Bob  pear    +1 stock, +6 cash        struck by d11
    d7  repost of d1                                   duplicate
    d12 late, for day 1: Bob apple +2 stock            counts, took place on day 1
    d14 rule: from here on, on hold counts
    d15 on hold  Cat  apple   +8 stock, +1 cash        counts by the rule
    d16 venue = pier, late, for day 1                  counts, but d5 took place later
    d17 Bob joins going                                counts
    d18 Ann leaves going, draft                        status: does not count
    d19 order o1 for Bob                               counts; stage o1 = paid
    d20 stage o1 = sent                                counts
    d21 stage o1 = back                                struck by d22
"""

from __future__ import annotations

from tests.truth_table.notation import read_history

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

TOWN = World(
    name="town",
    block="Day",
    types={
        "person": EntityType(
            "person",
            "person",
            "people",
            ("Ann", "Bob", "Cat"),
            attributes=("team",),
            values={"Ann": ("red",), "Bob": ("blue",), "Cat": ("red",)},
        ),
        "item": EntityType("item", "item", "items", ("apple", "pear")),
        "order": EntityType("order", "order", "orders", (), "o{n}", ("item",)),
    },
    measures={
        "stock": Measure("stock", "stock", "boxes", per=("item",)),
        "cash": Measure("cash", "cash", "EUR", scale=100, start=1000),
    },
    events={
        "receive": EventType(
            "receive",
            "receipt",
            "receipts",
            {"actor": "person", "target": "item"},
            measures=("stock", "cash"),
        ),
        "meet": EventType("meet", "meeting", "meetings", {"actor": "person"}, registers=("venue",)),
        "go": EventType("go", "sign-up", "sign-ups", {"actor": "person"}),
        "buy": EventType(
            "buy",
            "purchase",
            "purchases",
            {"actor": "person", "target": "order"},
            measures=("cash",),
            registers=("stage",),
        ),
        "send": EventType(
            "send",
            "shipment",
            "shipments",
            {"actor": "person", "target": "order"},
            registers=("stage",),
        ),
    },
    statuses={"booked": True, "on hold": False, "draft": False},
    registers={
        "venue": Register("venue", "venue", symbols=("hall", "park", "pier"), start="hall"),
        "stage": Register(
            "stage", "stage", ("order",), ("new", "paid", "sent", "back"), start="new"
        ),
        "price": Register("price", "price", ("item",), integer=True, scale=100),
        "keeper": Register("keeper", "keeper", ("item",), type="person"),
    },
    rosters={"going": Roster("going", "going", "person", start=("Ann",))},
    tallies={"in_stage": Tally("in_stage", "orders per stage", "stage")},
    derived={"worth": Derived("worth", "worth", "", 1, ("item",), (("stock", 2),))},
)

HISTORY = read_history(
    TOWN,
    """
    d1 @1 [booked] receive Ann apple: stock apple Ann +5; cash apple Ann +200
    d2 @1 [on hold] receive Bob apple: stock apple Bob +7
    d3 @1 receive Ann pear: stock pear Ann +4; cash pear Ann -100
    d4 @2 [draft] receive Cat pear: stock pear Cat +9
    d5 @2 [booked] meet Ann: venue = park
    d6 @2 [booked] receive Bob pear: stock pear Bob +1; cash pear Bob +600
    d7 @2 repost d1 receive Ann apple: stock apple Ann +5; cash apple Ann +200
    d8 @2 void d3
    d9 @3 amend d1 receive Ann apple: stock apple Ann +3; cash apple Ann +200
    d10 @3 confirm d2
    d11 @3 void d6
    d12 @3<1 receive Bob apple: stock apple Bob +2
    d13 @3 reinstate d3
    d14 @3 rule on hold counts from here
    d15 @3 [on hold] receive Cat apple: stock apple Cat +8; cash apple Cat +100
    d16 @4<1 meet Bob: venue = pier
    d17 @4 [booked] go Bob: Bob joins going
    d18 @4 [draft] go Ann: Ann leaves going
    d19 @4 buy Bob o1: new order o1 apple; cash o1 Bob +50; stage o1 = paid
    d20 @4 [booked] send Ann o1: stage o1 = sent
    d21 @5 [booked] send Cat o1: stage o1 = back
    d22 @5 void d21
    """,
)
