"""Rows of the truth table for rules on numbers and text, and that every rule has a row."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import pytest
import tests.worlds.test_properties as properties
import tests.worlds.test_sampled as sampled
from tests.truth_table.notation import load_rows, load_tables, read_history
from tests.truth_table.rows import row, rows_of
from tests.truth_table.toy import WORLD
from tests.worlds.test_sampled import key_of, specification

from supersede.corpus.instances import writer_of
from supersede.corpus.realised import realised
from supersede.model.instance import Message, Tier
from supersede.model.record import ENTRY_KINDS, History, Kind
from supersede.prototypes import prototype_ids
from supersede.questions.forms import leader, ranked
from supersede.questions.wording import decimal, fixed
from supersede.rendering.reader import Reader
from supersede.rendering.strip import stripped, stripped_world
from supersede.specs.world import world_of
from supersede.worlds.program import half_up_div, shares
from supersede.worlds.replay import replay
from supersede.worlds.sample import sample
from supersede.worlds.streams import stream

TABLES = load_tables("numbers.yaml")


def rows(table: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", TABLES[table], ids=[c["id"] for c in TABLES[table]])


@rows("shares")
def test_shares_sum_to_the_amount_and_differ_by_one_at_most(case: dict[str, Any]) -> None:
    found = shares(case["amount"], case["sharers"])
    assert found == case["shares"]
    assert sum(found) == case["amount"]


@rows("divisions")
def test_halves_are_rounded_away_from_zero(case: dict[str, Any]) -> None:
    assert half_up_div(case["of"], case["by"]) == case["gives"]


@rows("means")
def test_fractions_are_exact_until_they_are_printed(case: dict[str, Any]) -> None:
    assert fixed(Fraction(case["of"], case["by"]), case["places"]) == case["printed"]


@rows("ranks")
def test_ranks_and_leaders_break_ties_by_declared_order(case: dict[str, Any]) -> None:
    assert ranked(case["values"]) == case["ranked"]
    assert leader(case["values"]) == case["leader"]


@rows("rates")
def test_rates_are_measured_on_the_finished_history(case: dict[str, Any]) -> None:
    history = read_history(WORLD, case["history"])
    found = realised(history, replay(WORLD, history), 0)
    assert found["events"] == case["events"]
    assert found["invalid"] == round(case["invalid"][0] / case["invalid"][1], 4)
    assert found["backfill"] == round(case["backfill"][0] / case["backfill"][1], 4)


class Shown(NamedTuple):
    """A sampled history and the messages that show it."""

    history: History
    messages: tuple[Message, ...]


@cache
def shown(name: str) -> tuple[Shown, ...]:
    spec = specification(name)
    found = []
    for tier in (Tier.SHORT, Tier.MEDIUM):
        for index in range(2):
            history = sample(spec, key_of(name, tier, index))
            draw = stream(f"{name} {tier} {index}", "phrasing")
            messages = writer_of(spec).messages(history, draw, question="Which?", intermediate=())
            found.append(Shown(history, messages))
    return tuple(found)


def lines_of(log: Shown) -> dict[str, str]:
    """Record id -> its line in the messages."""
    text = "\n".join(m.content for m in log.messages if m.role == "user")
    found = {line.split(" ")[0].rstrip(":"): line for line in text.splitlines()}
    return {record.id: found[record.id] for record in log.history.records}


NAMES = pytest.mark.parametrize("name", prototype_ids())


@NAMES
@row("R34-every-posting-assignment-and-membership-is-printed")
def test_every_effect_is_printed_in_its_line(name: str) -> None:
    world = world_of(specification(name))
    for log in shown(name):
        lines = lines_of(log)
        for record in log.history.records:
            line = lines[record.id]
            for posting in record.postings:
                measure = world.measures[posting.measure]
                sign = "-" if posting.delta < 0 else "+"
                assert f"{sign}{decimal(abs(posting.delta), measure.scale)}" in line
            for assignment in record.assignments:
                value = assignment.value
                assert isinstance(value, int) or f"= {value or 'unset'}" in line
            assert line.count(" joins ") + line.count(" leaves ") >= len(record.memberships)
            for mint in record.mints:
                label = world.types[mint.type].label
                assert f"new {label} {mint.entity}" in line or f"new {mint.entity}" in line


@NAMES
@row("R34-a-reader-denied-the-effects-reads-the-history-back", "R35-every-line-parses-once")
def test_the_text_alone_gives_the_history_back(name: str) -> None:
    spec, world = specification(name), world_of(specification(name))
    reader = Reader(stripped(spec), stripped_world(world))
    for log in shown(name):
        found = reader.read(log.messages)
        assert [record._replace(parameters={}) for record in found.records] == [
            record._replace(parameters={}) for record in log.history.records
        ]


@NAMES
@row("R36-a-late-entry-shows-both-blocks", "R36-a-status-appears-only-in-its-slot")
def test_blocks_and_statuses_are_printed_in_their_place(name: str) -> None:
    spec = specification(name)
    labels = (*spec.statuses.counts, *spec.statuses.does_not_count)
    for log in shown(name):
        for record, line in zip(log.history.records, lines_of(log).values(), strict=True):
            seen = [label for label in labels if re.search(rf"\b{re.escape(label)}\b", line)]
            if record.kind is not Kind.RULE:
                assert seen == [label for label in labels if label == record.status]
            if record.kind is Kind.BACKFILL:
                assert f"{spec.clock.block} {record.occurred}" in line
                assert str(record.block) in record.id


@NAMES
@row("R37-every-label-is-in-the-system-message")
def test_every_label_of_the_log_is_classified_in_the_system_message(name: str) -> None:
    for log in shown(name):
        system = log.messages[0].content
        used = {r.status for r in log.history.records if r.status is not None}
        ruled = {r.rule.label for r in log.history.records if r.rule is not None}
        assert [label for label in sorted(used | ruled) if label not in system] == []


@NAMES
@row("R33-the-tie-order-is-a-list-in-the-system-message")
def test_the_declared_order_of_names_is_printed(name: str) -> None:
    system = shown(name)[0].messages[0].content
    for kind in world_of(specification(name)).types.values():
        places = [system.find(entity) for entity in kind.names]
        assert -1 not in places, kind.name


@row("R5-a-repost-prints-what-was-first-posted", "R8-an-amend-keeps-event-mints-and-fixed-roles")
@NAMES
def test_reposts_and_amends_restate_as_the_rules_allow(name: str) -> None:
    events = {event.id: event for event in specification(name).events}
    for log in shown(name):
        records = {record.id: record for record in log.history.records}
        for record in records.values():
            if record.kind not in (Kind.REPOST, Kind.AMEND, Kind.CORRECT):
                continue
            base = records[record.refs[0]]
            assert base.kind in ENTRY_KINDS - {Kind.CORRECT}
            assert (base.event, base.position < record.position) == (record.event, True)
            if record.kind is Kind.REPOST:
                assert record.postings == base.postings
                assert (record.assignments, record.memberships, record.roles) == (
                    base.assignments,
                    base.memberships,
                    base.roles,
                )
                continue
            assert record.mints == ()
            free = events[record.event or ""].amendable
            changed = {role for role in base.roles if base.roles[role] != record.roles[role]}
            assert changed <= set(free if isinstance(free, tuple) else ())


def test_every_rule_has_a_row_that_runs() -> None:
    ids = [case["id"] for name in ("replay.yaml", "lint.yaml") for case in load_rows(name)]
    ids += [case["id"] for table in TABLES.values() for case in table]
    for module in (properties, sampled):
        ids += rows_of(module)
    ids += [id_ for test in list(globals().values()) for id_ in getattr(test, "rows", ())]
    assert len(ids) == len(set(ids))
    rules = {*(f"R{n}" for n in range(1, 38)), *(f"S{n}" for n in range(1, 8))}
    assert rules - {id_.split("-")[0] for id_ in ids} == set()
