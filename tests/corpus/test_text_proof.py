from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from weakref import ref

import pytest

from supersede.corpus import text_proof
from supersede.corpus.instances import instance_key, make_instance
from supersede.corpus.text_proof import prove_instance, reader_of
from supersede.model.instance import Instance, Message, Tier
from supersede.model.record import History
from supersede.model.serialize import instance_from_json
from supersede.prototypes import load_prototype, prototype_ids


@pytest.mark.parametrize("tier", list(Tier))
@pytest.mark.parametrize("prototype", prototype_ids())
def test_the_text_alone_gives_every_answer(prototype: str, tier: Tier) -> None:
    for index in range(2 if tier in (Tier.LONG, Tier.VERY_LONG) else 6):
        assert prove_instance(make_instance(instance_key(prototype, tier, 100 + index))) is None


def test_an_instance_from_json_is_proved_as_well() -> None:
    data = json.loads(json.dumps(make_instance(instance_key("soccer-timeline")).to_json()))
    assert prove_instance(instance_from_json(data)) is None


def instance() -> Instance:
    return make_instance(instance_key("warehouse-inventory-ops", Tier.SHORT, 1))


def bare(one: Instance) -> Instance:
    """The instance without its records, as it is stored."""
    return replace(one, history=History(one.history.blocks, ()))


def with_message(one: Instance, number: int, edit: Callable[[str], str]) -> Instance:
    """The instance with one message edited."""
    messages = list(one.messages)
    message = messages[number]
    messages[number] = Message(message.role, edit(message.content))
    assert messages[number] != message
    return replace(one, messages=tuple(messages))


def without(line: str) -> Callable[[str], str]:
    """Takes a line out of a text."""
    return lambda text: text.replace(f"\n{line}", "", 1)


def test_every_line_that_is_lost_is_noticed() -> None:
    one = bare(instance())
    tried = 0
    for number, (role, content) in enumerate(one.messages):
        log = content.partition("\n\n")[0].splitlines()
        if role != "user" or len(log) < 3:
            continue
        for line in log[1:]:
            lost = with_message(one, number, without(line))
            assert prove_instance(lost) is not None, line
            tried += 1
    assert tried > 10


def test_a_line_that_is_damaged_is_named() -> None:
    damaged = with_message(bare(instance()), 1, lambda text: text.replace(" (", " [", 1))
    said = prove_instance(damaged)
    assert said is not None
    assert said.startswith("message 2, line ")


def test_an_amount_that_is_changed_changes_the_answer_or_a_stored_record() -> None:
    one = instance()
    for number, (role, content) in enumerate(one.messages):
        if role == "user" and " +" in content:
            changed = with_message(one, number, lambda text: text.replace(" +", " +1", 1))
            said = prove_instance(changed)
            assert said is not None
            assert "is stored in another way than it is shown" in said
            return
    pytest.fail("the instance shows no amount")


def test_a_text_that_breaks_a_bound_is_named_whatever_it_answers() -> None:
    one = bare(instance())
    said: list[str | None] = []
    for number, (role, content) in enumerate(one.messages):
        for amount in re.findall(r"; stock \S+ -(\d+);", content) if role == "user" else ():
            less = content.replace(f" -{amount};", f" -{amount}000;", 1)
            said.append(prove_instance(with_message(one, number, {content: less}.__getitem__)))
    assert said.count("'min of stock' does not hold at the end of the text") > 3


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda one: replace(one.answer, text="Answer: 1 = nobody"), "the answer from the text is"),
        (lambda one: replace(one.answer, checklist=()), "the checklist from the text is another"),
        (lambda one: replace(one.answer, evidence=()), "the evidence from the text is another"),
    ],
    ids=["answer", "checklist", "evidence"],
)
def test_a_stored_answer_that_does_not_follow_is_refused(
    change: Callable[[Instance], Any], said: str
) -> None:
    one = instance()
    found = prove_instance(replace(one, answer=change(one)))
    assert found is not None
    assert found.startswith(said)


def test_another_question_than_the_stored_one_is_refused() -> None:
    one = instance()
    other = replace(one, question=replace(one.question, text="What now?"))
    assert prove_instance(other) == "the last turn asks another question"


def test_a_question_without_its_parameters_is_refused() -> None:
    one = instance()
    said = prove_instance(replace(one, question=replace(one.question, parameters={})))
    assert said is not None
    assert said.startswith("the question cannot be answered from the text: KeyError")


def test_a_difficulty_that_the_text_does_not_show_is_refused() -> None:
    one = instance()
    other = replace(one, realised={**one.realised, "invalid": 0.99})
    said = prove_instance(other)
    assert said == f"realised invalid is 0.99, the text shows {one.realised['invalid']}"


def test_another_number_of_blocks_is_refused() -> None:
    one = instance()
    other = replace(one, history=one.history._replace(blocks=9))
    assert prove_instance(other) == f"shows {one.history.blocks} blocks and stores 9"


def test_another_version_of_the_prototype_is_refused() -> None:
    one = instance()
    key = replace(one.key, prototype_version=99)
    said = prove_instance(replace(one, key=key))
    assert said is not None
    assert said.startswith("is of version 99 of warehouse-inventory-ops")


def test_the_reader_of_a_world_is_built_once() -> None:
    spec = load_prototype("warehouse-inventory-ops")
    assert reader_of(spec) is reader_of(spec)


def test_readers_of_worlds_of_long_ago_are_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    class Costless:
        def __init__(self, spec: object, world: object) -> None:
            self.spec = spec

    spec = load_prototype("warehouse-inventory-ops")
    monkeypatch.setattr(text_proof, "Reader", Costless)
    monkeypatch.setattr(text_proof, "_world", lambda _: None)
    first = ref(reader_of(spec.model_copy()))
    assert first() is not None
    for _ in range(1000):
        reader_of(spec.model_copy())
    assert first() is None
