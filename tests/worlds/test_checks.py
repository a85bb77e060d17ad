"""What an invariant is checked for after a change: touched cells, named entities, or all (R22)."""

from __future__ import annotations

from pathlib import Path

import pytest

from supersede.specs.load import parse_specification
from supersede.worlds.checks import compile_checks

TIGHT = Path(__file__).with_name("tight.yaml")

CELLS = (
    "all(paid[o] >= back[o] for o in order)",
    "all(stage[o] != 'new' for o in order if back[o] > 0)",
)
ROWS = (
    ("all(sum(load[c, s] for c in clerk) <= 9 for s in shelf)", {"load": 1}),
    ("all(max(load[c, s] for s in shelf) <= 9 for c in clerk)", {"load": 0}),
    ("all(burden[s] <= 9 for s in shelf)", {"load": 1}),
    ("all(burden[s] + stock[s] <= 9 for s in shelf)", {"load": 1, "stock": 0}),
    ("all(any(c in line[s] for s in shelf) for c in clerk if c in present)",
     {"line": None, "present": None}),
    ("all(desk[c] is None or c not in line[desk[c]] for c in clerk)", {"desk": 0, "line": None}),
)  # fmt: skip
WHOLE = (
    "cash >= 0",
    "all(stock[s] <= cap for s in shelf)",
    "all(burden[desk[c]] <= 9 for c in clerk)",
    "all(size(line[s]) <= sum(stock[x] for x in shelf) for s in shelf)",
    "all(desk[c] is None or desk[c] != desk[other(clerk, c)] for c in clerk)",
    "all(stock[s] <= 9 or any(stock[s] < 3 for s in shelf) for s in shelf)",
    "all(c in present or size(present) > 2 for c in clerk)",
    "all(sum(paid[o] for o in order) <= jobs[c] + 50 for c in clerk)",
    "all(in_stage['sent'] < 5 or jobs[c] < 5 for c in clerk)",
    "all(sum(load[c, s] for c in clerk) <= block + 9 for s in shelf)",
    "all(head(line[s]) is None or desk[head(line[s])] is None for s in shelf)",
)


def check(holds: str) -> tuple[str, dict[str, int | None]]:
    text = TIGHT.read_text().replace(
        "invariants:", f'invariants:\n  - {{name: n, holds: "{holds}"}}'
    )
    spec = parse_specification(text, "tight").spec
    found = next(check for check in compile_checks(spec) if check.name == "n")
    return found.how, dict(found.at)


@pytest.mark.parametrize("holds", CELLS)
def test_a_law_of_one_cell_is_checked_for_touched_cells(holds: str) -> None:
    assert check(holds)[0] == "cell"


@pytest.mark.parametrize(("holds", "at"), ROWS)
def test_a_law_of_all_that_names_an_entity_is_checked_for_named_entities(
    holds: str, at: dict[str, int | None]
) -> None:
    assert check(holds) == ("row", at)


@pytest.mark.parametrize("holds", WHOLE)
def test_a_law_that_another_entity_may_break_is_checked_in_full(holds: str) -> None:
    assert check(holds)[0] == "all"
