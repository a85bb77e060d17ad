"""Whatever stands in a line, it is one line that names file and line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from supersede.corpus.instances import instance_key, make_instance
from supersede.corpus.verify import verify
from supersede.errors import DataError
from supersede.model.serialize import instance_to_line

Data = dict[str, Any]
LINE = instance_to_line(make_instance(instance_key("soccer-timeline")), history=True)


def refused(path: Path, line: str) -> str:
    """What is said of a file whose second line that is."""
    path.write_text(f"{LINE}\n{line}\n", encoding="utf-8")
    with pytest.raises(DataError) as raised:
        verify([path])
    said = str(raised.value)
    assert said.startswith(f"{path}:2: ")
    return said.removeprefix(f"{path}:2: ")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data.pop("id"), "not an instance: 'id' is missing"),
        (lambda data: data.update(id=5), "not an instance: 'id' is no text"),
        (lambda data: data.update(realised=[1]), "not an instance: 'realised' is no object"),
        (lambda data: data.update(realised={"blocks": "x"}), "not an instance: 'realised' has a"),
        (lambda data: data.update(operator=None), "not an instance: 'operator' is no text"),
        (lambda data: data.update(events=None), "not an instance: 'events' is no whole number"),
        (lambda data: data.update(messages=[1]), "not an instance: 'role' of message 1 is no text"),
        (lambda data: data["messages"][1].update(content=5), "not an instance: 'content' of mess"),
        (lambda data: data.update(checklist=[[]]), "not a checklist"),
        (lambda data: data.update(evidence=[[]]), "not an instance: 'evidence' has an item"),
        (lambda data: data["key"].update(index=float("inf")), "not JSON: Infinity is no number"),
        (lambda data: data["key"].update(dials=[]), "not an instance key"),
        (lambda data: data.update(history=5), "not a history"),
        (lambda data: data["history"].update(records=[{"id": 5}]), "not a history"),
        (lambda data: data.update(theme="\ud800"), "not JSON: "),
    ],
)
def test_a_field_of_the_wrong_kind_is_named(
    change: Callable[[Data], object], said: str, tmp_path: Path
) -> None:
    data = json.loads(LINE)
    change(data)
    assert refused(tmp_path / "a.jsonl", json.dumps(data)).startswith(said)


def test_a_number_too_great_is_named(tmp_path: Path) -> None:
    line = LINE.replace('"index":0', '"index":1e999')
    assert refused(tmp_path / "a.jsonl", line).startswith("not an instance key")


@pytest.mark.parametrize("depth", [900, 990, 100_000])
def test_json_nested_too_deep_is_named_or_fails(depth: int, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    line = f'{LINE[:-1]},"more":{"[" * depth}{"]" * depth}}}'
    path.write_text(f"{line}\n", encoding="utf-8")
    try:
        assert verify([path])[1] > 0
    except DataError as error:
        assert str(error).startswith(f"{path}:1: nested too deep")  # noqa: PT017 (either is right)


def test_parameters_of_the_wrong_kind_are_a_failure(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    data = json.loads(LINE)
    for value in (None, 5, "x", [1], {"a": 1}, 1e300, True):
        query = dict.fromkeys(data["query"], value)
        path.write_text(f"{json.dumps({**data, 'query': query})}\n", encoding="utf-8")
        assert verify([path])[1] > 0
