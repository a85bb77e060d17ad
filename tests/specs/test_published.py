"""The JSON Schema file: as generated, described, and true of the catalogue."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import yaml
from tests.specs.shop import spoilt

from supersede.prototypes import prototype_files
from supersede.specs.load import _Loader
from supersede.specs.published import schema_text

FILE = Path(__file__).parents[2] / "specification.schema.json"


def test_the_file_is_what_the_models_give() -> None:
    assert FILE.read_text(encoding="utf-8") == schema_text(), (
        "write it: supersede spec schema -o " + FILE.name
    )


def test_keys_are_those_of_the_yaml_and_described() -> None:
    event = json.loads(schema_text())["$defs"]["Event"]["properties"]
    assert {"set", "for", "when"} <= event.keys()
    assert event["when"]["description"].startswith("Guard: checked once, when posted")


@pytest.mark.parametrize("prototype", prototype_files())
def test_prototypes_fit_the_schema(prototype: str) -> None:
    text = prototype_files()[prototype].read_text(encoding="utf-8")
    jsonschema.validate(yaml.load(text, Loader=_Loader), json.loads(schema_text()))


@pytest.mark.parametrize(
    "change",
    [("version: 1", "version: one"), ("title: Returns desk\n", ""), ("weight: 0.5", "wieght: 1")],
)
def test_what_the_loader_refuses_the_schema_refuses(change: tuple[str, str]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(yaml.load(spoilt(change), Loader=_Loader), json.loads(schema_text()))
