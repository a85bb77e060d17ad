"""The JSON Schema of the specification language, as editors read it."""

from __future__ import annotations

import json

from supersede.specs.schema import Specification

__all__ = ["schema_text"]


def schema_text() -> str:
    """The schema as the text of `specification.schema.json`.

    Descriptions are the docstrings of `specs.schema`; keys are those that YAML files use.
    """
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Specification.model_json_schema(by_alias=True),
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
