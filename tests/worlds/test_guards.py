"""A guard ends a hopeless try early, and never where the author's order protects a part of it."""

from __future__ import annotations

import re

import pytest
from tests.specs.shop import shop

from supersede.worlds.program import compile_specification

GOODWILL = "\"stage[target] == 'delivered' and open_value[target] >= 500\""


def steps(guard: str) -> list[str]:
    """What the function that draws a goodwill credit does, in order: roles drawn, parts tested."""
    loaded = shop((GOODWILL, f'"{guard}"'))
    source = compile_specification(loaded.spec).source
    body = source[source.index("def draw_2(") : source.index("def make_2(")]
    found = re.findall(r"^ +(?:if [^\n]*: )?(r_\w+) = |^ +if not (\([^\n]*\)): return", body, re.M)
    return [role.removeprefix("r_") or f"test {test}" for role, test in found]


def order(guard: str) -> list[str]:
    """The same with each test named by the letter of its figure: 7 is `a`, 8 is `b`, 9 is `c`."""
    letters = {"7": "a", "8": "b", "9": "c"}
    return [
        "".join(letters.get(c, "") for c in step) if step.startswith("test ") else step
        for step in steps(guard)
    ]


@pytest.mark.parametrize(
    ("guard", "expected"),
    [
        # roles are drawn in the order actor, helper, target
        ("escrow > 7", ["a", "actor", "helper", "target"]),
        ("paid[target] > 7 and calls[helper] != 8", ["actor", "helper", "b", "target", "a"]),
        ("calls[actor] < 7 and escrow > 8", ["b", "actor", "a", "helper", "target"]),
        # `rate` may be unset in the author's mind where the part before it fails
        ("paid[target] > 7 and rate > 8", ["actor", "helper", "target", "a", "b"]),
        ("paid[target] > 7 and rate == 8", ["b", "actor", "helper", "target", "a"]),
        # what does not raise goes ahead of what might
        ("open_value[target] > 7 and rate > 8 and calls[actor] > 9",
         ["actor", "c", "helper", "target", "a", "b"]),
        # no conjunction: one part
        ("escrow > 7 or paid[target] > 8", ["actor", "helper", "target", "ab"]),
    ],
)  # fmt: skip
def test_parts_are_tested_when_their_roles_are_drawn(guard: str, expected: list[str]) -> None:
    assert order(guard) == expected
