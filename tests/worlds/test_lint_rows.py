"""Rows of the truth table that a specification's lint must refuse or doubt."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.truth_table.notation import load_rows

from supersede.errors import SpecError
from supersede.rendering.skeletons import collisions
from supersede.rendering.vocabulary import Vocabulary
from supersede.specs.lint import lint
from supersede.specs.lint_report import Finding, findings_of
from supersede.specs.load import load_specification
from supersede.specs.world import world_of

ROWS = load_rows("lint.yaml")
DOCUMENT = Path(__file__).parents[2] / "docs" / "specification.md"


class Plain(yaml.SafeLoader):
    """YAML in which `on`, `yes` and `no` are words."""


Plain.yaml_implicit_resolvers = {
    first: [(tag, shape) for tag, shape in found if not tag.endswith(":bool")]
    for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
Plain.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("true|false"), ["t", "f"])


def example() -> dict[str, Any]:
    """The whole small world of the language's documentation."""
    found = re.search(r"```yaml\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    data: dict[str, Any] = yaml.load(found[1], Plain)
    return data


def changed(data: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    data = deepcopy(data)
    for path, value in changes.items():
        *way, last = path.split("/")
        at: Any = data
        for n, part in enumerate(way):
            if isinstance(at, list):
                at = at[int(part)] if part.isdigit() else next(e for e in at if e["id"] == part)
            else:
                at = at.setdefault(part, [] if [*way, last][n + 1] == "+" else {})
        if last == "+":
            at.append(value)
        else:
            at[int(last) if isinstance(at, list) else last] = value
    return data


def findings(data: dict[str, Any], folder: Path) -> list[Finding]:
    file = folder / "returns-desk.yaml"
    file.write_text(json.dumps(data, indent=1), encoding="utf-8")
    try:
        return lint(load_specification(file))
    except SpecError as error:
        return findings_of(error)


def colliding(data: dict[str, Any], folder: Path) -> list[tuple[str, str]]:
    """Skeletons that two wordings share, as the findings give it."""
    file = folder / "returns-desk.yaml"
    file.write_text(json.dumps(data, indent=1), encoding="utf-8")
    spec = load_specification(file).spec
    found = collisions(Vocabulary(spec, world_of(spec)))
    return [("collision", one.text) for pair in found for one in pair]


def what(found: list[Finding]) -> set[tuple[str, str]]:
    return {(one.severity, f"{one.what} {one.mend}") for one in found}


@pytest.mark.parametrize("case", ROWS, ids=[case["id"] for case in ROWS])
def test_the_lint_finds_the_one_thing_that_is_wrong(case: dict[str, Any], tmp_path: Path) -> None:
    before = what(findings(example(), tmp_path)) if case["set"] else set()
    after = what(findings(changed(example(), case["set"]), tmp_path))
    new = [one for one in sorted(after - before) if "noise lines" not in one[1]]
    if case["finds"] == "collision":
        assert colliding(example(), tmp_path) == []
        new = colliding(changed(example(), case["set"]), tmp_path)
    if case["finds"] == "nothing":
        assert new == []
        return
    fitting = [
        text
        for severity, text in new
        if severity == case["finds"] and all(word in text for word in case["says"])
    ]
    assert fitting, new
