"""Lint of what a log or the loader would read as something else; each mistake is told alone."""

from __future__ import annotations

import pytest
from tests.specs.shop import SHOP, shop, spoilt

from supersede.errors import SpecError
from supersede.specs.lint import lint
from supersede.specs.load import parse_specification

LAMP = '"The lamp over the desk flickers."'
COMES = '"{actor} comes in"'


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (LAMP, '"Question: who has the key?"', "has 'Question:' at its start"),
        (LAMP, '"Final question: who has the key?"', "has 'Final question:' at its start"),
        (LAMP, '"Day 2"', "has 'Day 2' at its start"),
        (LAMP, '"day 12, and nobody comes"', "has 'day 12' at its start"),
        (LAMP, '"Nothing was entered."', "has 'Nothing was entered.' at its start"),
        (COMES, '"question: {actor} comes in"', "has 'Question:' at its start"),
        (COMES, '"Day 2 {actor} comes in"', "has 'Day 2' at its start"),
        ("block: Day,", 'block: "Day (x)",', "block 'Day (x)' is no word or words"),
        ("block: Day,", "block: Day 2,", "block 'Day 2' is no word or words"),
        ("stored[place] <", "stored[(place,)] <", "a tuple of 1 is no index"),
        ('"rate > 0"', '"min() > 0"', "'min()' needs two arguments or more"),
        ('"rate > 0"', '"max(rate) > 0"', "'max(rate)' needs two arguments or more"),
    ],
)
def test_what_would_be_read_as_something_else_is_told(old: str, new: str, told: str) -> None:
    (finding,) = lint(parse_specification(spoilt((old, new))))
    assert finding.severity == "error"
    assert told in finding.what


def test_a_block_may_have_two_words_and_noise_may_speak_of_days() -> None:
    text = spoilt(("block: Day,", "block: Working day,"), (LAMP, '"A day like any other."'))
    assert not lint(parse_specification(text))
    assert not lint(shop())


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("start: 1800000", "start: true", "'measures.escrow.start': true and false are neither"),
        ("int: [1, 9], start: 2", "int: [1, 9], start: true", "'registers.rate.start': true and"),
        ("price: [12, 40, 25]", "price: [12, true, 25]", "true and false are neither"),
        ("fee: {int: [1, 9]}", "fee: {int: [1, 9], step: 0}", "fee.step': Input should be greater"),
    ],
)
def test_a_value_of_the_wrong_kind_is_told_where_it_stands(old: str, new: str, told: str) -> None:
    with pytest.raises(SpecError, match=told.replace("[", r"\[")) as caught:
        parse_specification(SHOP.replace(old, new, 1))
    assert caught.value.what.count("missing") == 0
