"""What is drawn makes a question that asks for something."""

from __future__ import annotations

from random import Random

import pytest
from tests.questions.town import HISTORY, TOWN

from supersede.model.instance import InstanceKey, Split, Tier
from supersede.model.record import Kind
from supersede.prototypes import load_prototype
from supersede.questions import find_operator
from supersede.questions.draw import Draw
from supersede.questions.facts import Facts, facts_of
from supersede.questions.index import Index
from supersede.questions.operators.audit import invalid_window
from supersede.questions.reading import true_reading
from supersede.worlds.replay import replay
from supersede.worlds.sample import Sampler


@pytest.mark.parametrize(
    "name", ["soccer-timeline", "library-lending-records", "group-chat-scheduling"]
)
@pytest.mark.parametrize("tier", [Tier.VERY_SHORT, Tier.SHORT])
def test_no_window_is_the_whole_log(name: str, tier: Tier) -> None:
    spec = load_prototype(name)
    sampler = Sampler(spec, InstanceKey(spec.id, spec.version, tier, Split.TRAIN, 0))
    for _ in sampler.blocks():
        pass
    blocks = sampler.history().blocks
    index = Index(facts_of(sampler.program.world, spec), sampler.ledger.records, blocks)
    reading = true_reading(index, sampler.ledger)
    rnd = Random(3).random
    for focus in (None, *index.records):
        draw = Draw(index, reading, rnd, focus)
        first, last = draw.window()
        assert 1 <= first <= last <= blocks
        assert (first, last) != (1, blocks) or blocks == 1
        if focus is not None:
            assert first <= focus.occurred <= last
        assert min(2, blocks) <= draw.start() <= blocks


@pytest.mark.parametrize("name", ["soccer-timeline", "election-count-updates"])
@pytest.mark.parametrize("tier", [Tier.VERY_SHORT, Tier.SHORT, Tier.LONG])
def test_no_window_of_invalid_records_is_the_whole_log(name: str, tier: Tier) -> None:
    spec = load_prototype(name)
    sampler = Sampler(spec, InstanceKey(spec.id, spec.version, tier, Split.TRAIN, 0))
    for _ in sampler.blocks():
        pass
    blocks = sampler.history().blocks
    index = Index(facts_of(sampler.program.world, spec), sampler.ledger.records, blocks)
    reading = true_reading(index, sampler.ledger)
    rnd = Random(3).random
    kinds = set()
    for focus in (None, *index.records):
        given = invalid_window(Draw(index, reading, rnd, focus))
        assert given is not None
        first, last = int(str(given["first"])), int(str(given["last"]))
        assert 1 <= first <= last <= blocks
        assert (first, last) != (1, blocks) or blocks == 1
        if focus is not None:
            assert first <= focus.occurred <= last
            kinds.add(focus.kind)
            if focus.kind is Kind.BACKFILL:
                assert last < focus.block
    assert blocks > 1
    assert Kind.ENTRY in kinds


def test_struck_records_are_asked_for_only_where_something_was_struck() -> None:
    operator = find_operator("audit/struck-records")
    calm = HISTORY._replace(records=HISTORY.records[:5])
    assert {record.kind for record in calm.records} <= {Kind.ENTRY, Kind.REPOST}
    for history, asked in ((HISTORY, True), (calm, False)):
        index = Index(Facts(TOWN), history.records, history.blocks)
        reading = true_reading(index, replay(TOWN, history))
        given = operator.draw(Draw(index, reading, Random(1).random))
        assert (given is not None) == asked
