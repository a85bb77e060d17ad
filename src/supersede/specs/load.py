"""Reading a specification from YAML 1.2 text, keeping the place of every value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import yaml
from pydantic import ValidationError

from supersede.errors import SpecError, location
from supersede.specs.expressions import hint
from supersede.specs.schema import Specification

Place: TypeAlias = tuple[str | int, ...]
"""The path of a value in the file: keys and list indices."""


class _Loader(yaml.SafeLoader):
    """YAML 1.2 core schema: `on`, `yes` and `08:30` are plain words."""


_Loader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("tag:yaml.org,2002:bool", r"(?:true|false)", "tf"),
    ("tag:yaml.org,2002:null", r"(?:null|~|)", "n~"),
    ("tag:yaml.org,2002:int", r"[-+]?[0-9]+", "-+0123456789"),
    ("tag:yaml.org,2002:float", r"[-+]?(?:[0-9]*\.[0-9]+|[0-9]+\.)", "-+0123456789."),
):
    _Loader.add_implicit_resolver(_tag, re.compile(rf"^(?:{_pattern})$"), [*_first, ""])


@dataclass(frozen=True)
class Loaded:
    """A specification and where its values stand."""

    spec: Specification
    source: str
    """File name, or a name for the text."""
    places: dict[Place, tuple[int, int]]
    """Path -> 1-based line and column."""

    def locate(self, path: Sequence[str | int]) -> str:
        """`file:line:column` of a value, or of the nearest one that holds it."""
        return _locate(self.source, self.places, path)


def load_specification(path: Path | str) -> Loaded:
    """The specification in a file.

    Raises:
        SpecError: The file cannot be read, is no YAML, or is no specification; with the line.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        what = "is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else str(error.strerror)
        raise SpecError(f"cannot read the specification: {what}", where=str(path)) from None
    return parse_specification(text, str(path))


def parse_specification(text: str, source: str = "<text>") -> Loaded:
    """The specification in a text.

    Raises:
        SpecError: As `load_specification`.
    """
    data, places = _compose(text, source)
    if not isinstance(data, dict):
        raise SpecError("not a mapping of keys to values", where=source,
                        mend="Start from the example in docs/specification.md.")  # fmt: skip
    try:
        return Loaded(Specification.model_validate(data), source, places)
    except ValidationError as error:
        raise _schema_error(error, data, source, places) from None


def _compose(text: str, source: str) -> tuple[Any, dict[Place, tuple[int, int]]]:
    try:
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            places: dict[Place, tuple[int, int]] = {}
            data = None if node is None else _build(loader, node, (), places, source)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = location(source, mark.line + 1, mark.column + 1) if mark else source
        tab = "\t" in (text.splitlines()[mark.line] if mark and text.splitlines() else "")
        mend = "Indent with spaces, not tabs." if tab else "Mend the YAML there."
        raise SpecError(f"not YAML: {error.problem}", where=where, mend=mend) from None
    except yaml.YAMLError as error:
        raise SpecError(f"not YAML: {error}", where=source) from None
    return data, places


def _build(
    loader: _Loader,
    node: yaml.Node,
    path: Place,
    places: dict[Place, tuple[int, int]],
    source: str,
) -> Any:
    places[path] = (node.start_mark.line + 1, node.start_mark.column + 1)
    if isinstance(node, yaml.MappingNode):
        mapping: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = str(key_node.value)
            if key in mapping:
                mark = key_node.start_mark
                raise SpecError(f"key {key!r} is given twice", mend="Keep one of them.",
                                where=location(source, mark.line + 1, mark.column + 1))  # fmt: skip
            mapping[key] = _build(loader, value_node, (*path, key), places, source)
        return mapping
    if isinstance(node, yaml.SequenceNode):
        return [
            _build(loader, item, (*path, n), places, source) for n, item in enumerate(node.value)
        ]
    return loader.construct_object(node)


def _locate(source: str, places: dict[Place, tuple[int, int]], path: Sequence[str | int]) -> str:
    place = tuple(path)
    while place not in places and place:
        place = place[:-1]
    line, column = places.get(place, (1, 1))
    return location(source, line, column)


def _schema_error(
    error: ValidationError, data: Any, source: str, places: dict[Place, tuple[int, int]]
) -> SpecError:
    """The first complaint of the schema as one line: what, where, the mend."""
    first = max(error.errors(), key=lambda e: (e["type"] == "extra_forbidden", len(e["loc"])))
    path = _real_path(data, first["loc"])
    where = _locate(source, places, path)
    name = ".".join(str(part) for part in path)
    if first["type"] == "extra_forbidden":
        key = str(first["loc"][-1])
        known = _known_keys()
        return SpecError(f"unknown key {key!r} in {name.rpartition('.')[0] or 'the file'}"
                         f"{hint(key, known)}", where=where,
                         mend="Remove or rename it.")  # fmt: skip
    if first["type"] == "missing":
        return SpecError(f"{name!r} is missing", where=where, mend="Add it.")
    return SpecError(f"{name!r}: {first['msg']}", where=where,
                     mend="See docs/specification.md.")  # fmt: skip


def _real_path(data: Any, loc: Sequence[str | int]) -> Place:
    """The part of a schema location that exists in the file: union tags are left out."""
    path: list[str | int] = []
    here = data
    for n, part in enumerate(loc):
        last = n == len(loc) - 1
        if isinstance(here, dict) and (part in here or last):
            here = here.get(part)
            path.append(part)
        elif isinstance(here, list) and isinstance(part, int) and part < len(here):
            here = here[part]
            path.append(part)
    return tuple(path)


def _known_keys() -> list[str]:
    """All keys that the schema knows anywhere: enough for a suggestion."""
    from supersede.specs import schema

    keys: list[str] = []
    for part in vars(schema).values():
        if isinstance(part, type) and issubclass(part, schema.Part):
            keys += [f.alias or n for n, f in part.model_fields.items()]
    return sorted(set(keys))
