"""Specifications and expressions that only somebody who means harm would write."""

from __future__ import annotations

import pytest

from supersede.errors import SpecError
from supersede.prototypes import load_prototype
from supersede.specs.expressions import translate
from supersede.specs.load import parse_specification
from supersede.specs.refused import ExpressionError
from supersede.specs.scope import Scope


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('version: !!int "zz"', "not a value"),
        ("version: !!timestamp zz", "the tag 'tag:yaml.org,2002:timestamp' is not known here"),
        ("version: !mine 3", "the tag '!mine' is not known here"),
        ("version: " + "9" * 5000, "not a value"),
    ],
)
def test_a_value_that_cannot_be_read_is_one_line_with_its_place(text: str, what: str) -> None:
    with pytest.raises(SpecError, match=what) as caught:
        parse_specification(text, "world.yaml")
    assert str(caught.value).startswith("world.yaml:1:10: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        " < ".join(map(str, range(2999))),
        "*".join(["10000000000"] * 60) + " > 1",
        "(" * 150 + "1" + ")" * 150,
        "not " * 80 + "True",
        "1" * 999,
        "0 if True else " * 61 + "1",
    ],
)
def test_a_monstrous_expression_is_refused_at_once_or_harmless(text: str) -> None:
    scope = Scope(load_prototype("warehouse-inventory-ops"))
    try:
        code = translate(text, scope)
    except ExpressionError:
        return
    compile(code.source, "<test>", "eval")
