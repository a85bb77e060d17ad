"""The built-in engine keeps the contract of a simulator, step by step."""

from __future__ import annotations

import pytest

from supersede.corpus.instances import instance_key, make_instance
from supersede.corpus.simulator import BuiltInSimulator
from supersede.model.instance import Tier
from supersede.model.protocols import Simulator
from supersede.prototypes import load_prototype, prototype_ids


@pytest.mark.parametrize("name", prototype_ids())
@pytest.mark.parametrize("tier", [Tier.VERY_SHORT, Tier.MEDIUM])
def test_the_five_steps_give_the_instance_of_the_key(name: str, tier: Tier) -> None:
    simulator: Simulator = BuiltInSimulator(load_prototype(name))
    key = instance_key(name, tier, 5)
    instance = make_instance(key)
    history = simulator.sample(key)
    question = simulator.ask(history, key)
    assert history == instance.history
    assert question == instance.question
    assert simulator.render(history, question, key) == instance.messages
    assert simulator.answer(history, question) == instance.answer


def test_a_replay_cut_off_equals_the_replay_of_what_was_posted_by_then() -> None:
    simulator: Simulator = BuiltInSimulator(load_prototype("soccer-timeline"))
    history = simulator.sample(instance_key("soccer-timeline", "medium", 2))
    for block in (1, 7, history.blocks):
        cut = simulator.replay(history, cut=block)
        assert cut.cells() == simulator.replay(history.cut(block)).cells()
        assert cut.counting() == simulator.replay(history.cut(block)).counting()
