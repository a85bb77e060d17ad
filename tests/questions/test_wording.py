"""Words of questions: articles by sound, and the singular where one thing is asked for."""

from __future__ import annotations

import re
from random import Random
from string import Formatter

import pytest

from supersede.corpus.instances import writer_of
from supersede.errors import SampleError
from supersede.model.instance import InstanceKey, Split, Tier
from supersede.prototypes import load_prototype, prototype_ids
from supersede.questions import ask, find_operator, operators_for
from supersede.questions.registry import all_operators, holes
from supersede.questions.wording import about, article, called, during, singular_of
from supersede.specs.world import world_of
from supersede.worlds.sample import Sampler

SINGLE = [name for name, found in all_operators().items() if found.single]
TWO_OR_MORE = {
    "ranking/event-types-by-net-change",
    "ranking/register-values-by-holders",
    "ranking/status-labels-by-valid-records",
    "ranking/attribute-groups-by-net-change",
    "ranking/brought-in-by-attribute",
    "ranking/largest-records",
    "ranking/longest-on-list",
    "ranking/metric-among-holders",
    "ranking/pairs-by-net-change",
    "ranking/present-readings",
    "hotspot/densest-stretch",
    "hotspot/strongest-row-of-records",
    "window/last-few-records",
}
"""Operators that never draw an `n` of 1."""


@pytest.mark.parametrize(
    "phrase",
    [
        *("an access", "an order", "an item", "an hour", "an e-bike", "an X-ray", "an MRI scan"),
        *("a crate", "a unit", "a user", "a one-way trip", "a house", "a t-shirt", "a VIP list"),
        *("an unfit list", "an uninsured car", "a UK desk", "an ER bed", "a Day", "an Hour"),
    ],
)
def test_the_article_goes_by_sound(phrase: str) -> None:
    assert article(phrase.partition(" ")[2]) == phrase


@pytest.mark.parametrize(
    ("many", "one"),
    [
        *(("points", "point"), ("basis points", "basis point"), ("boxes", "box")),
        *(("bytes", "byte"), ("bodies", "body"), ("people", "person"), ("pence", "penny")),
        *(("cases of beer", "case of beer"), ("degrees Celsius", "degree Celsius")),
        *((unit, unit) for unit in ("", "min", "EUR", "kg", "s", "percent", "%", "Gb/s")),
        *((unit, unit) for unit in ("klx h", "thousand", "gas", "siemens", "\u00b0C", "lux")),
    ],
)
def test_a_unit_stands_in_the_singular_behind_a_one(many: str, one: str) -> None:
    assert singular_of(many) == one


def test_a_stretch_takes_the_preposition_of_its_blocks() -> None:
    world = world_of(load_prototype("clinical-trial-visit-log"))
    assert during(world, 3, 3) == "on Visit day 3"
    assert during(world, 3, 5) == "from Visit day 3 to Visit day 5"
    assert during(world_of(load_prototype("contract-negotiation")), 2, 2) == "in Round 2"


def test_common_nouns_have_their_article_and_people_have_none() -> None:
    world = world_of(load_prototype("apartment-chores-chat"))
    assert called(world, "hallway") == "the hallway"
    assert called(world, "Meera") == "Meera"
    assert about(world, ("hallway",)) == " of the hallway"
    assert holes(world, {"key": ("hallway",), "entity": "Meera"})["key_suffix"] == " of the hallway"


def test_each_of_three_blocks_has_its_noun() -> None:
    world = world_of(load_prototype("clinical-trial-visit-log"))
    filled = holes(world, {"block": 2, "block2": 4, "block3": 6})
    assert [filled[name] for name in ("block", "block2", "block3")] == [
        f"Visit day {number}" for number in (2, 4, 6)
    ]


def test_a_symbol_that_is_held_stands_in_quotation_marks_and_a_name_does_not() -> None:
    world = world_of(load_prototype("apartment-chores-chat"))
    assert holes(world, {"register": "look", "value": "grim"})["value"] == '"grim"'
    assert holes(world, {"register": "duty", "value": "Meera"})["value"] == "Meera"
    world = world_of(load_prototype("editorial-board-chat"))
    given = {"register": "placement", "value": "front cover"}
    assert holes(world, given)["value"] == "the front cover"


@pytest.mark.parametrize("prototype", prototype_ids())
def test_a_block_is_called_by_the_noun_of_its_world(prototype: str) -> None:
    spec = load_prototype(prototype)
    sampler = Sampler(spec, InstanceKey(spec.id, spec.version, Tier.SHORT, Split.TRAIN, 0))
    for _ in sampler.blocks():
        pass
    world, blocks = sampler.program.world, sampler.history().blocks
    said = re.compile(r"\bblocks?\b", re.I)
    assert not said.search(writer_of(spec).system)
    asked = 0
    for found in operators_for(spec, world):
        try:
            question, known = ask(
                spec, world, sampler.ledger, Random(1).random, found.name, blocks=blocks
            )
        except SampleError:  # this history has nothing that it could ask about
            continue
        asked += 1
        texts = [question.text, known.text, *(claim.text for claim in known.checklist)]
        assert not any(said.search(text) for text in texts), found.name
    assert asked > 30


@pytest.mark.parametrize("name", SINGLE)
def test_a_wording_for_one_thing_tells_all_but_the_number(name: str) -> None:
    found = find_operator(name)

    def said(text: str) -> set[str]:
        holes = {hole for _, hole, _, _ in Formatter().parse(text) if hole}
        return {re.sub(r"^(type|event|block_noun)s", r"\1", hole) for hole in holes}

    for text in found.single:
        assert said(text) == said(found.phrasings[0]) - {"n"}
        assert "which" in text.casefold()


def test_where_one_of_two_is_asked_for_the_question_is_in_the_singular() -> None:
    spec = load_prototype("chess-like-match-log")  # two sides
    sampler = Sampler(spec, InstanceKey(spec.id, spec.version, Tier.SHORT, Split.TRAIN, 0))
    for _ in sampler.blocks():
        pass
    world, blocks = sampler.program.world, sampler.history().blocks
    usable = {found.name for found in operators_for(spec, world)}
    seen = 0
    for name in filter(usable.__contains__, SINGLE):
        for seed in range(8):
            question, _ = ask(spec, world, sampler.ledger, Random(seed).random, name, blocks=blocks)
            if question.parameters["n"] == 1:
                seen += 1
                asked = question.text.partition("\nEnd with")[0]
                assert re.search(r"\b[Ww]hich\b", asked)
                assert not re.search(r"\b(?:which|top|first) 1\b|\brank\b", asked, re.I), asked
    assert seen > 5


def test_whatever_may_ask_for_one_thing_has_wordings_for_it() -> None:
    for name, found in all_operators().items():
        if any("{n}" in text for text in found.phrasings):
            assert bool(found.single) != (name in TWO_OR_MORE), name
