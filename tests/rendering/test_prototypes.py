"""Every prototype's histories read back from their own text."""

from __future__ import annotations

from random import Random

import pytest

from supersede.model.instance import InstanceKey, Split, Tier
from supersede.model.record import History, Kind
from supersede.prototypes import load_prototype, prototype_ids
from supersede.rendering.reader import Reader
from supersede.rendering.skeletons import collisions
from supersede.rendering.strip import stripped, stripped_world
from supersede.rendering.vocabulary import Vocabulary
from supersede.rendering.writer import Writer
from supersede.specs.world import world_of
from supersede.worlds.sample import sample


def round_trip(writer: Writer, reader: Reader, history: History, seed: int) -> None:
    messages = writer.messages(history, Random(seed).random, question="Who?\nANSWER: name")
    read = reader.read(messages)
    assert (read.blocks, read.noise) == (history.blocks, history.noise)
    for record, again in zip(history.records, read.records, strict=True):
        assert again._replace(parameters=record.parameters) == record
        assert again.parameters.items() <= record.parameters.items()


@pytest.mark.parametrize("prototype", prototype_ids())
def test_histories_of_every_tier_read_back(prototype: str) -> None:
    spec = load_prototype(prototype)
    world = world_of(spec)
    writer, reader = Writer(spec, world), Reader(stripped(spec), stripped_world(world))
    for tier in Tier:
        for index in range(2 if tier is Tier.VERY_LONG else 4):
            key = InstanceKey(prototype, spec.version, tier, Split.HELDOUT, index)
            round_trip(writer, reader, sample(spec, key), index)


@pytest.mark.parametrize("prototype", prototype_ids())
def test_no_two_wordings_can_be_confused(prototype: str) -> None:
    spec = load_prototype(prototype)
    assert collisions(Vocabulary(stripped(spec), world_of(spec))) == ()


@pytest.mark.slow
@pytest.mark.parametrize("prototype", prototype_ids())
def test_many_histories_read_back(prototype: str) -> None:
    spec = load_prototype(prototype)
    world = world_of(spec)
    writer, reader = Writer(spec, world), Reader(spec, world)
    kinds: set[Kind] = set()
    for tier in Tier:
        for index in range(60):
            key = InstanceKey(prototype, spec.version, tier, Split.TRAIN, index)
            history = sample(spec, key)
            kinds.update(record.kind for record in history.records)
            round_trip(writer, reader, history, index)
    assert len(kinds) >= len(Kind) - 1  # a world without rules has no rule records
