"""What a record names, by the engine and by an independent reading of its printed line."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from tests.truth_table.notation import read_history
from tests.truth_table.toy import WORLD

from supersede import instance_key, make_instance
from supersede.model.instance import Instance
from supersede.model.record import Record
from supersede.model.world import World
from supersede.prototypes import load_prototype, prototype_ids
from supersede.questions import conventions
from supersede.questions.facts import facts_of
from supersede.questions.index import Index
from supersede.rendering.forms import joined
from supersede.worlds.named import names
from supersede.worlds.program import compile_specification

PROTOTYPES = prototype_ids()


class Lines:
    """The lines of an instance, taken apart by the words of the system message alone."""

    def __init__(self, world: World, instance: Instance, asked: tuple[str, ...]) -> None:
        self.types = {name: t.name for t in world.types.values() for name in t.names}
        for record in instance.history.records:
            self.types.update((mint.entity, mint.type) for mint in record.mints)
        self.patterns = {
            name: re.compile(rf"(?<![\w#-]){re.escape(name)}(?!\w)")
            for name, kind in self.types.items()
            if kind in asked
        }
        self.text: dict[str, str] = {}
        for message in instance.messages[1:]:
            for line in message.content.split("\n") if message.role == "user" else ():
                self.text.setdefault(re.split("[ :]", line)[0], line)

    def parts(self, record: Record) -> list[str]:
        """What happened, then the changes; the head of the line and brackets in changes go."""
        head, _, body = self.text[record.id].partition("): ")
        if not body:
            _, _, body = head.partition(": ")
        effects = (record.mints, record.postings, record.assignments, record.memberships)
        happened, *changes = body.removesuffix(".").rsplit("; ", sum(map(len, effects)))
        return [happened, *(re.sub(r"\(.*?\)", "", change) for change in changes)]

    def found(self, text: str) -> set[str]:
        return {name for name, pattern in self.patterns.items() if pattern.search(text)}


def instances(prototype: str) -> Iterator[tuple[Instance, Index, Lines]]:
    spec = load_prototype(prototype)
    world = compile_specification(spec).world
    facts = facts_of(world, spec)
    for tier in ("short", "medium"):
        instance = make_instance(instance_key(prototype, tier, 3))
        index = Index(facts, instance.history.records, instance.history.blocks)
        yield instance, index, Lines(world, instance, facts.ranked)


@pytest.mark.parametrize("prototype", PROTOTYPES)
def test_a_record_names_what_its_line_shows(prototype: str) -> None:
    for instance, index, lines in instances(prototype):
        for record in instance.history.records:
            if record.event is None:
                continue
            printed = set().union(*map(lines.found, lines.parts(record)))
            named = set(index.names(record.position)) & set(lines.patterns)
            assert named == printed, lines.text[record.id]


@pytest.mark.parametrize("prototype", PROTOTYPES)
def test_records_of_a_told_event_name_what_has_a_role_in_them(prototype: str) -> None:
    for instance, index, _ in instances(prototype):
        symbols = {s for r in index.facts.world.registers.values() for s in r.symbols}
        for record in instance.history.records:
            if record.event in index.facts.told:
                named = [name for name in index.names(record.position) if name not in symbols]
                assert named == list(dict.fromkeys(record.roles.values()))


@pytest.mark.parametrize(
    ("prototype", "untold"),
    [
        ("library-lending-records", {"lend", "collect"}),  # they count for the title of a copy
        ("cloud-cost-optimization", {"invoice"}),  # for every account there is
        ("spreadsheet-ledger-rows", {"shared_bill"}),  # for a list of people
        ("hospital-triage-queue", {"walk_in", "blue_light"}),  # for what a patient complains of
        ("apartment-chores-chat", set()),
    ],
)
def test_an_event_is_told_unless_a_change_may_name_another(
    prototype: str, untold: set[str]
) -> None:
    events = compile_specification(load_prototype(prototype)).world.events.values()
    assert {event.name for event in events if not event.told} == untold


@pytest.mark.parametrize("prototype", PROTOTYPES)
def test_a_change_counts_for_whom_the_system_message_says(prototype: str) -> None:
    for instance, index, lines in instances(prototype):
        for record in instance.history.records:
            happened, *changes = lines.parts(record) if record.postings else [""]
            for value in record.roles.values():
                if isinstance(value, tuple):  # an enumeration is left aside
                    happened = happened.replace(joined(value), "")
            there = lines.found(happened)
            for posting, change in zip(record.postings, changes[len(record.mints) :], strict=False):
                beside = lines.found(change)
                kinds = {lines.types[name] for name in beside}
                asked = set(index.facts.measured_types(posting.measure)) & set(index.facts.ranked)
                for kind in asked - kinds:
                    of_kind = [name for name in there if lines.types[name] == kind]
                    beside.update(of_kind if len(of_kind) == 1 else ())
                counted = [name for name in posting.entities if lines.types.get(name) in asked]
                assert sorted(counted) == sorted(n for n in beside if lines.types[n] in asked), (
                    change,
                    lines.text[record.id],
                )


def test_names_stand_in_roles_and_in_every_kind_of_change() -> None:
    (record,) = read_history(
        WORLD,
        "a1 @1 buy Ann o1: new order o1 apple; owed Bob +5; stage o2 = paid; Cat joins holds Emma",
    ).records
    named = {name for kind in WORLD.types.values() for name in kind.names if names(record, name)}
    assert named == {"Ann", "Bob", "Cat", "Emma"}
    assert names(record, "o1")
    assert names(record, "o2")
    assert not names(record, "a1")


def test_the_system_message_says_what_a_record_names() -> None:
    assert any(text.startswith("A record names ") for text in conventions(WORLD))
