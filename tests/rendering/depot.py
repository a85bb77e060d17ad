"""The depot: a small specification that uses every part of the language that is printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random

from supersede.model.instance import Message
from supersede.model.record import (
    Assignment,
    History,
    Kind,
    Membership,
    Mint,
    Noise,
    Posting,
    Record,
    RoleValue,
    RuleChange,
    VoidWindow,
)
from supersede.model.world import World
from supersede.rendering.reader import Reader
from supersede.rendering.writer import Writer
from supersede.specs.load import load_specification
from supersede.specs.schema import Specification
from supersede.specs.world import world_of

DATA = Path(__file__).parent / "data"


@cache
def depot(*, timed: bool = True) -> tuple[Specification, World]:
    spec = load_specification(DATA / "depot.yaml").spec
    if not timed:
        spec = spec.model_copy(update={"clock": spec.clock.model_copy(update={"time": None})})
    return spec, world_of(spec)


@cache
def writer(*, timed: bool = True) -> Writer:
    return Writer(*depot(timed=timed))


@cache
def reader(*, timed: bool = True) -> Reader:
    return Reader(*depot(timed=timed))


def written(history: History, *, seed: int = 1, timed: bool = True) -> tuple[Message, ...]:
    draw = Random(seed).random
    return writer(timed=timed).messages(history, draw, question="Who moved most?\nANSWER: name")


def without_parameters(history: History) -> History:
    """What a reader must give back in full: effects, but parameters only where words show them."""
    return history._replace(records=tuple(r._replace(parameters={}) for r in history.records))


def attribution(
    world: World, event: str, roles: Mapping[str, RoleValue], first: Sequence[str]
) -> tuple[str, ...]:
    """R28 written down: the entities named first, then each role that is alone of its type."""
    kinds = list(world.events[event].roles.values())
    taken = {
        kind.name
        for kind in world.types.values()
        for name in first
        if name in kind.names or (kind.minted and name.startswith(kind.minted.partition("{")[0]))
    }
    rest = [
        str(roles[role])
        for role, kind in world.events[event].roles.items()
        if kinds.count(kind) == 1 and kind not in taken
    ]
    return (*first, *rest)


def _entry(n: int, block: int, event: str | None, **fields: object) -> Record:
    blank = Record(f"D{block}-R{n}", block, 0, block, 510 + 7 * n, "signed", Kind.ENTRY, event)
    return blank._replace(**fields)  # type: ignore[arg-type]  # the caller names record fields


def history() -> History:
    """One of everything: each kind of record, each form of effect, odd values."""
    roles_of_move: dict[str, RoleValue] = {"actor": "Chen Li", "target": "C-7", "bay": "Bay 12"}
    move = {
        "roles": roles_of_move,
        "parameters": {"trips": 3, "mood": "grumbling"},
        "postings": (Posting("moves", 3, ("Chen Li", "C-7", "Bay 12")),),
        "assignments": (Assignment("place", ("C-7",), "Bay 12"),),
    }
    lunch = {
        "roles": {"payer": "Femi Okoro", "sharers": ("Ada Brandt", "Mira O'Dell", "Chen Li")},
        "parameters": {"price": 1000},
        "postings": (
            Posting("owed", 334, ("Ada Brandt",)),
            Posting("owed", 333, ("Mira O'Dell",)),
            Posting("owed", 333, ("Chen Li",)),
            Posting("cash", -1000, ("Femi Okoro",)),
        ),
    }
    records = [
        _entry(
            1,
            1,
            "receive",
            roles={"actor": "Ada Brandt", "target": "C-7"},
            mints=(Mint("C-7", "crate", ("desk lamp", 1250, "wax")),),
            postings=(Posting("load", 1250, ("C-7", "Ada Brandt")),),
            assignments=(
                Assignment("state", ("C-7",), "in transit"),
                Assignment("due", ("C-7",), 3),
            ),
        ),
        _entry(2, 1, "move", status="in pencil", **move),
        _entry(3, 1, "share", status=None, **lunch),
        _entry(
            4,
            1,
            "lend",
            roles={"giver": "Jonas Weil", "taker": "Femi Okoro"},
            parameters={"amount": 500},
            postings=(
                Posting("owed", 500, ("Femi Okoro",)),
                Posting("owed", -500, ("Jonas Weil",)),
                Posting("moves", 1, ("Jonas Weil",)),
            ),
            memberships=(
                Membership("crew", (), "Femi Okoro", False),
                Membership("line", ("North yard",), "Jonas Weil", True),
            ),
        ),
        _entry(1, 2, None, kind=Kind.CONFIRM, refs=("D1-R2",)),
        _entry(
            2,
            2,
            "refund",
            roles={"actor": "Jonas Weil", "of": "D1-R3"},
            postings=(Posting("cash", 5, ("Jonas Weil",)),),
        ),
        _entry(
            3,
            2,
            None,
            kind=Kind.RULE,
            rule=RuleChange("stamped", False, False, "Bay 12"),
        ),
        _entry(4, 2, "move", kind=Kind.AMEND, refs=("D1-R2",), **move),
        _entry(5, 2, None, kind=Kind.VOID, refs=("D1-R3", "D1-R4"), status="drill"),
        _entry(
            1,
            3,
            "plan",
            kind=Kind.BACKFILL,
            occurred=1,
            clock=999,
            roles={"bay": "Bay 4", "good": "rug"},
            postings=(Posting("stock", -40, ("Bay 4", "rug")),),
            assignments=(
                Assignment("target", ("Bay 4", "rug"), -5),
                Assignment("warmth", ("Bay 4",), -125),
                Assignment("keys", (), None),
            ),
        ),
        _entry(2, 3, None, kind=Kind.REINSTATE, refs=("D1-R3",)),
        _entry(3, 3, "share", kind=Kind.REPOST, refs=("D1-R3",), **lunch),
        _entry(
            4,
            3,
            "note",
            kind=Kind.CORRECT,
            refs=("D1-R4",),
            postings=(Posting("moves", 0), Posting("cash", 123456789)),
        ),
        _entry(
            5,
            3,
            None,
            kind=Kind.VOID,
            window=VoidWindow("move", "Bay 12", 1, 2),
        ),
        _entry(
            6,
            3,
            None,
            kind=Kind.RULE,
            status=None,
            rule=RuleChange("in pencil", False, True),
        ),
    ]
    placed = tuple(record._replace(position=i) for i, record in enumerate(records))
    noise = (
        Noise(1, 0, 1, ("Femi Okoro",)),
        Noise(1, 4, 0, ("Ada Brandt", "tent")),
        Noise(3, 15, 2, ("North yard",)),
    )
    return History(4, placed, noise)


def untimed(given: History) -> History:
    """The same history in a world without times: running numbers, late ones at the end."""
    seen: dict[int, int] = {}
    records: list[Record] = []
    for record in given.records:
        seen[record.block] = seen.get(record.block, 0) + 1
        late = record.occurred != record.block
        clock = 100_000 + record.position if late else seen[record.block]
        records.append(record._replace(clock=clock))
    return given._replace(records=tuple(records))
