"""Whether the catalogue holds what was published, as `supersede corpus stats --check` says it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tests.cli.test_main import run

from supersede.corpus.inventory import Figure, Inventory, inventory
from supersede.corpus.inventory_checks import catalogue_checks
from supersede.prototypes import load_prototype, prototype_ids


@pytest.fixture(scope="module")
def whole() -> Inventory:
    return inventory(map(load_prototype, prototype_ids()))


def missed(found: Inventory) -> list[str]:
    return [one.name for one in catalogue_checks(found) if not one.met]


def changed(whole: Inventory, name: str, **fields: object) -> Inventory:
    """The inventory with another figure of a name."""
    assert name in [figure.name for figure in whole.figures]

    def other(figure: Figure) -> Figure:
        return replace(figure, **fields) if figure.name == name else figure  # type: ignore[arg-type]  # fields by name

    return replace(whole, figures=tuple(map(other, whole.figures)))


def test_the_catalogue_meets_every_check(whole: Inventory) -> None:
    made = list(catalogue_checks(whole))
    assert [one.name for one in made if not one.met] == []
    assert len({one.name for one in made}) == len(made) == 13 + 4 + 12 + 7


@pytest.mark.parametrize(
    ("name", "total"),
    [
        ("prototypes", 118),
        ("named entities", 3_409),
        ("event types", 927),
        ("phrasings", 2_783),
        ("measures and registers", 548),
        ("signed updates", 1_851),
        ("validity rules", 1_018),
        ("distractor templates", 441),
        ("distinct status labels", 755),
        ("labels that do not count", 302),
        ("labels that do not count", 506),
        ("labels that count", 263),
        ("labels that count", 441),
        ("clock schemes", 19),
        ("clock schemes", 21),
        ("operators", 160),
    ],
)
def test_a_total_that_is_another_is_not_met(whole: Inventory, name: str, total: int) -> None:
    assert missed(changed(whole, name, total=total)) == [name]


@pytest.mark.parametrize(
    ("name", "spread"),
    [
        ("named entities", (28, 18, 52)),
        ("named entities", (28, 19, 53)),
        ("event types", (8, 4, 15)),
        ("event types", (8, 5, 16)),
        ("measures and registers", (5, 4, 8)),
        ("signed updates", (15, 4, 30)),
    ],
)
def test_one_prototype_outside_of_the_range_is_not_met(
    whole: Inventory, name: str, spread: tuple[float, int, int]
) -> None:
    assert missed(changed(whole, name, spread=spread)) == [f"{name} of each"]


def test_themes_and_families_are_counted_one_by_one(whole: Inventory) -> None:
    themes = whole.themes.copy()
    themes["Sports"] -= 1
    themes["Travel"] += 1
    themes["Seafaring"] = 1
    assert missed(replace(whole, themes=themes)) == ["theme Sports", "theme Travel", "other: theme"]
    assert len(missed(replace(whole, operators=type(whole.operators)()))) == 7


def test_nothing_at_all_meets_no_check_of_prototypes() -> None:
    assert {"prototypes", "event types of each", "theme Sports"} <= set(missed(inventory(())))


def test_the_command_prints_each_check_and_fails_where_one_is_not_met(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "corpus", "stats", "--check")
    assert (code, err) == (0, "")
    checks = out.split("\n\n")[-1].splitlines()
    assert len(checks) == 36
    assert all(line.endswith(" met") and "NOT MET" not in line for line in checks)
    without = [name for name in prototype_ids() if name != "soccer-timeline"]
    monkeypatch.setattr("supersede.cli.corpus.prototype_ids", lambda: without)
    code, out, err = run(capsys, "corpus", "stats", "--check")
    lines = [line.split() for line in out.splitlines()]
    assert ["theme", "Sports", "10", "exactly", "11", "NOT", "MET"] in lines
    assert ["prototypes", "116", "exactly", "117", "NOT", "MET"] in lines
    count = sum(line[-2:] == ["NOT", "MET"] for line in lines)
    assert (code, err) == (1, f"error: {count} checks of the catalogue not met\n")
    code, out, _ = run(capsys, "corpus", "stats", "--check", "--json")
    found = json.loads(out)["checks"]
    assert code == 1
    assert sum(not one["met"] for one in found) == count
    code, out, _ = run(capsys, "corpus", "stats", "--json")
    assert code == 0
    assert "checks" not in json.loads(out)
