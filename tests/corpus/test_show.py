from __future__ import annotations

import pytest

from supersede.corpus.instances import instance_key, make_instance
from supersede.corpus.show import cells, conversation, evolution
from supersede.model.instance import Tier
from supersede.model.record import Kind
from supersede.prototypes import load_prototype, prototype_ids
from supersede.specs.world import world_of
from supersede.worlds.replay import replay


@pytest.mark.parametrize("prototype", prototype_ids())
def test_a_conversation_shows_every_line_and_all_that_is_right(prototype: str) -> None:
    instance = make_instance(instance_key(prototype, Tier.SHORT, 4))
    lines = list(conversation(instance))
    for message in instance.messages:
        for line in message.content.splitlines():
            assert line in lines
    shown = "\n".join(lines)
    assert instance.answer.text in lines
    for number, claim in enumerate(instance.answer.checklist, start=1):
        assert f"{number}. [{claim.kind.value}] {claim.text}" in lines
    assert " ".join(shown.split()).endswith(", ".join(instance.answer.evidence))
    assert shown.count(instance.question.text.splitlines()[0]) == 1
    heads = ["answer", "checklist", "evidence: "]
    places = [shown.index(f"---- {head}") for head in heads]
    assert places == sorted(places)
    assert shown.index(instance.question.text.splitlines()[0]) < places[0]
    titles = [line for line in lines if line.startswith("---- user ")]
    assert titles[-1].startswith(f"---- user {len(titles)}, with the question ")
    assert len(titles) == instance.history.blocks


@pytest.mark.parametrize("prototype", prototype_ids())
def test_the_evolution_ends_in_the_state_of_replay(prototype: str) -> None:
    instance = make_instance(instance_key(prototype, Tier.MEDIUM, 4))
    world = world_of(load_prototype(prototype))
    lines = list(evolution(instance, world))
    for record in instance.history.records:
        event = f" {world.events[record.event].label}" if record.event is not None else ""
        start = f"  {record.id}  {record.kind.value}{event}"
        assert sum(line.startswith(start) for line in lines) == 1
    last = max(n for n, line in enumerate(lines) if line.startswith("state after "))
    shown = " ".join(" ".join(lines[last + 1 :]).replace("*", "").split())
    for label, values in cells(replay(world, instance.history).state).items():
        text = "; ".join(f"{cell} {value}".strip() for cell, value in values.items())
        assert f"{label}: {text}" in shown


def test_the_evolution_says_what_counts_as_known_at_each_block() -> None:
    instance = make_instance(instance_key("warehouse-inventory-ops", Tier.MEDIUM, 0))
    world = world_of(load_prototype("warehouse-inventory-ops"))
    lines = list(evolution(instance, world))
    ledger = replay(world, instance.history)
    late = {
        record.id
        for i, record in enumerate(ledger.records)
        if record.kind is Kind.ENTRY and not ledger.counts[i]
    }
    said = {line.split()[0]: line for line in lines if line.startswith("  W")}
    born_out = {name for name in late if "does not count" in said[name]}
    assert born_out
    for line in said.values():
        assert line.endswith((": counts", "acts", "does not act", "in the end counts")) or (
            "does not count: " in line
        )
    for i, record in enumerate(ledger.records):
        reason = ledger.reason(i)
        if reason is not None:  # why it does not count, whenever that came to be
            assert reason[1] in said[record.id].split("does not count: ")[-1]
    for void in (r for r in instance.history.records if r.kind is Kind.VOID and r.refs):
        assert f" of {', '.join(void.refs)}" in said[void.id]


def test_a_cell_is_starred_in_the_block_that_changed_it_only() -> None:
    instance = make_instance(instance_key("warehouse-inventory-ops", Tier.VERY_SHORT, 0))
    world = world_of(load_prototype("warehouse-inventory-ops"))
    lines = list(evolution(instance, world))
    shown = [line for line in lines if line.startswith("  inbound units: ")]
    assert len(shown) == instance.history.blocks
    before = "0"
    for line in shown:
        value = line.removeprefix("  inbound units: ")
        assert value.startswith("*") is (value.removeprefix("*") != before)
        before = value.removeprefix("*")
