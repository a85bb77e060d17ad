"""The compact form in which the rows of the truth table are written, and what it means.

A history is a text of one record a line:

    a1 @1 receive Ann apple: stock apple +5; cash -3      an entry posted in block 1
    a2 @3<1 10:30 [on hold] receive Bob pear: stock pear +2    a backfill: posted 3, occurred 1
    a3 @2 void a1 a2          a4 @2 void receive Ann 1..2      by name, by selector
    a5 @2 amend a1 receive Ann apple: stock apple +4           correct and repost alike
    a6 @2 confirm a2          a7 @3 reinstate a1
    a8 @3 rule on hold counts from here       or: does not count; all; all, Ann only

Roles follow the event in the order of the world's declaration; a list joins its names by `+`.
Effects: `stock apple +5` posts (cell key first, then further entities that it counts for),
`venue = park` and `stage o1 = unset` assign, `Bob joins going` and `Bob leaves holds Emma`
change rosters, `new order o1 apple` mints.

An expectation is a mapping of cells. What it leaves out of measures, registers, rosters,
live minted entities and `out` is expected to be as at the start:

    stock apple: 5         stage o1: paid        going: [Ann, Bob]       holds Emma: []
    in_stage paid: 1       net o1: 3             live order: [o1]
    cash in 1..2: -3       net change over a window of occurred blocks
    cash by Ann: -3        net change that counts for an entity; `by no person` for none of a type
    out: {a1: voided a3}   why each record on the exclusion list does not count, in posted order
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import yaml

from supersede.model.record import (
    Assignment,
    Exclusion,
    History,
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
from supersede.model.world import World

LINE = re.compile(
    r"(?P<id>\S+) @(?P<block>\d+)(?:<(?P<occurred>\d+))?"
    r"(?: (?P<hour>\d\d):(?P<minute>\d\d))?(?: \[(?P<status>[^]]+)\])? (?P<head>[^:]+)"
    r"(?:: (?P<effects>.*))?"
)
RULE = re.compile(
    r"(?P<label>.+?) (?P<becomes>counts|does not count) (?P<reach>from here|all)"
    r"(?:, (?P<entity>\S+) only)?"
)
WINDOW = re.compile(r"(?P<event>\S+) (?P<entity>\S+) (?P<first>\d+)\.\.(?P<last>\d+)")
BACKFILL_CLOCK = 100_000
"""In a world without time a late record comes last in the block to which it belongs."""


def read_history(world: World, text: str) -> History:
    """The history that a text of the notation stands for."""
    records: list[Record] = []
    for line in text.splitlines():
        if line.strip():
            records.append(read_record(world, line.strip(), records))
    return History(max(record.block for record in records), tuple(records))


def read_record(world: World, line: str, earlier: list[Record]) -> Record:
    """One record of the notation, posted after the earlier ones."""
    found = LINE.fullmatch(line)
    assert found is not None, line
    block = int(found["block"])
    occurred = int(found["occurred"] or block)
    position = len(earlier)
    words = found["head"].split()
    if words[0] in list(Kind):
        kind, words = Kind(words[0]), words[1:]
    else:
        kind = Kind.BACKFILL if occurred < block else Kind.ENTRY
    if found["hour"]:
        clock = 60 * int(found["hour"]) + int(found["minute"])
    elif occurred < block:
        clock = BACKFILL_CLOCK + position
    else:
        clock = 1 + sum(record.block == block for record in earlier)
    record = Record(found["id"], block, position, occurred, clock, found["status"], kind)
    rest = " ".join(words)
    if kind is Kind.RULE:
        return record._replace(rule=read_rule(rest))
    window = WINDOW.fullmatch(rest)
    if kind is Kind.VOID and window is not None:
        selector = VoidWindow(
            window["event"], window["entity"], int(window["first"]), int(window["last"])
        )
        return record._replace(window=selector)
    if kind in (Kind.VOID, Kind.CONFIRM, Kind.REINSTATE):
        return record._replace(refs=tuple(words))
    if kind in (Kind.AMEND, Kind.CORRECT, Kind.REPOST):
        record, words = record._replace(refs=(words[0],)), words[1:]
    event = world.events[words[0]]
    names = [*event.roles, *event.lists, *event.records]
    roles: dict[str, RoleValue] = {
        role: tuple(word.split("+")) if role in event.lists else word
        for role, word in zip(names, words[1:], strict=True)
    }
    return add_effects(record._replace(event=event.name, roles=roles), found["effects"] or "")


def read_rule(text: str) -> RuleChange:
    found = RULE.fullmatch(text)
    assert found is not None, text
    return RuleChange(
        found["label"], found["becomes"] == "counts", found["reach"] == "all", found["entity"]
    )


def add_effects(record: Record, text: str) -> Record:
    postings: list[Posting] = []
    assignments: list[Assignment] = []
    memberships: list[Membership] = []
    mints: list[Mint] = []
    for effect in filter(None, (part.strip() for part in text.split(";"))):
        words = effect.split()
        if words[0] == "new":
            mints.append(Mint(words[2], words[1], tuple(words[3:])))
        elif "=" in words:
            at = words.index("=")
            value = read_value(" ".join(words[at + 1 :]))
            assignments.append(Assignment(words[0], tuple(words[1:at]), value))
        elif words[1] in ("joins", "leaves"):
            memberships.append(
                Membership(words[2], tuple(words[3:]), words[0], words[1] == "joins")
            )
        else:
            postings.append(Posting(words[0], int(words[-1]), tuple(words[1:-1])))
    return record._replace(
        postings=tuple(postings),
        assignments=tuple(assignments),
        memberships=tuple(memberships),
        mints=tuple(mints),
    )


def read_value(text: str) -> Value:
    if text == "unset":
        return None
    return int(text) if re.fullmatch(r"-?\d+", text) else text


def read_exclusion(fields: Mapping[str, Any] | None) -> Exclusion | None:
    """An exclusion as data: its fields by name, lists for tuples."""
    if fields is None:
        return None
    lists = {name: tuple(v) if isinstance(v, list) else v for name, v in fields.items()}
    return Exclusion(**cast("dict[str, Any]", lists))


def read_blocks(key: str | int) -> range:
    """`3` or `2-4`: the cuts at which an expectation holds."""
    first, _, last = str(key).partition("-")
    return range(int(first), int(last or first) + 1)


def load_rows(name: str) -> list[dict[str, Any]]:
    """The rows of one file of the table."""
    rows: list[dict[str, Any]] = yaml.safe_load(_text(name))
    return rows


def load_tables(name: str) -> dict[str, list[dict[str, Any]]]:
    """The rows of a file that holds several tables."""
    tables: dict[str, list[dict[str, Any]]] = yaml.safe_load(_text(name))
    return tables


def _text(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")
