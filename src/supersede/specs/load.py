"""Reading a specification from YAML 1.2 text, keeping the place of every value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import yaml
from pydantic import ValidationError
from yaml.composer import Composer
from yaml.resolver import Resolver

from supersede.errors import SpecError, location
from supersede.specs.refused import hint
from supersede.specs.schema import Specification

Place: TypeAlias = tuple[str | int, ...]
"""The path of a value in the file: keys and list indices."""

_NOUNS = {
    **{"noise": "noise line", "phrasings": "phrasing", "text": "wording", "events": "event"},
    **{"entities": "entity type", "measures": "measure", "counts": "status label"},
    **{"does_not_count": "status label", "operators": "operator"},
}
"""What a section that may not be short holds, as a noun; revisions hold wordings."""
_DEEPEST = 40
"""Levels of nesting that a specification may have; the language needs nine."""


class _Core(Composer, Resolver):
    """YAML 1.2 core schema: `on`, `yes` and `08:30` are plain words; no anchors."""

    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """The next node.

        Raises:
            MarkedYAMLError: An anchor or alias, or nesting that no specification has.
        """
        event: yaml.Event = self.peek_event()  # type: ignore[attr-defined]
        problem = None
        if getattr(event, "anchor", None) is not None:
            problem = "anchors and aliases are not in the language"
        elif self.depth >= _DEEPEST:
            problem = f"more than {_DEEPEST} levels of nesting"
        if problem is not None:
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)  # type: ignore[arg-type]
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


_Core.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("tag:yaml.org,2002:bool", r"(?:true|false)", "tf"),
    ("tag:yaml.org,2002:null", r"(?:null|~|)", "n~"),
    ("tag:yaml.org,2002:int", r"[-+]?[0-9]+", "-+0123456789"),
    ("tag:yaml.org,2002:float", r"[-+]?(?:[0-9]*\.[0-9]+|[0-9]+\.)", "-+0123456789."),
):
    _Core.add_implicit_resolver(_tag, re.compile(rf"^(?:{_pattern})$"), [*_first, ""])


class _Loader(_Core, yaml.SafeLoader):
    """Reads YAML by Python alone."""


def _quick_loader() -> type[_Loader] | None:
    """A loader that reads by the library libyaml, in a fifth of the time; None without it.

    What it does not take goes to the other one, whose complaints are the same everywhere.
    """
    library: Any = getattr(yaml, "CSafeLoader", None)
    if library is None:
        return None

    def begin(self: Any, text: str) -> None:
        library.__init__(self, text)
        Composer.__init__(self)

    found: type[_Loader] = type("_QuickLoader", (_Core, library), {"__init__": begin})
    return found


_QuickLoader = _quick_loader()


_TAGS = frozenset(f"tag:yaml.org,2002:{kind}" for kind in ("bool", "null", "int", "float", "str"))
"""What a scalar may be."""


@dataclass(frozen=True)
class _Places:
    """Where everything stands in one text: 1-based lines and columns."""

    source: str
    text: str = ""
    values: dict[Place, tuple[int, int]] = field(default_factory=dict)
    keys: dict[Place, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Loaded:
    """A specification and where its values stand."""

    spec: Specification
    places: _Places = field(repr=False)

    @property
    def source(self) -> str:
        """File name, or a name for the text."""
        return self.places.source

    def place(
        self, path: Sequence[str | int], value: str = "", offset: int | None = None
    ) -> tuple[int, int]:
        """Line and column of a value, or of the nearest one that holds it; both 1-based.

        Args:
            path: Keys and list indices. A value that has a key is pointed at by its key.
            value: The value, where a character of it is pointed at.
            offset: Index of that character.
        """
        if offset is not None and tuple(path) in self.places.values:
            return _within(self.places.text, self.places.values[tuple(path)], value[:offset])
        return _place(self.places, path)

    def locate(self, path: Sequence[str | int], value: str = "", offset: int | None = None) -> str:
        """`file:line:column` of what `place` finds."""
        return location(self.source, *self.place(path, value, offset))


class SchemaError(SpecError):
    """A file that is no specification; as one line it is the first complaint.

    Attributes:
        complaints: All complaints in file order.
    """

    def __init__(self, what: str, *, where: str | None = None, mend: str | None = None,
                 complaints: Sequence[SpecError] = ()) -> None:  # fmt: skip
        super().__init__(what, where=where, mend=mend)
        self.complaints: tuple[SpecError, ...] = tuple(complaints)


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
        SpecError: As `load_specification`; a `SchemaError` carries all complaints.
    """
    data, places = _compose(text, source)
    if not isinstance(data, dict):
        raise SpecError("not a mapping of keys to values", where=source,
                        mend="Start from the example in docs/specification.md.")  # fmt: skip
    try:
        return Loaded(Specification.model_validate(data), places)
    except ValidationError as error:
        complaints = _complaints(error, data, places)
        first = complaints[0]
        raise SchemaError(
            first.what, where=first.where, mend=first.mend, complaints=complaints
        ) from None


def _compose(text: str, source: str) -> tuple[Any, _Places]:
    if _QuickLoader is not None:
        with suppress(yaml.YAMLError):
            return _composed(_QuickLoader, text, source)
    try:
        return _composed(_Loader, text, source)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = location(source, mark.line + 1, mark.column + 1) if mark else source
        tab = "\t" in (text.splitlines()[mark.line : mark.line + 1] or [""])[0] if mark else False
        mend = "Indent with spaces, not tabs." if tab else "Mend the YAML there."
        raise SpecError(f"not YAML: {error.problem}", where=where, mend=mend) from None
    except yaml.YAMLError as error:
        raise SpecError(f"not YAML: {error}", where=source) from None


def _composed(kind: type[_Loader], text: str, source: str) -> tuple[Any, _Places]:
    """The data in a text, and the place of all of it.

    Raises:
        YAMLError: It is no YAML.
        SpecError: It is YAML, and more than the language has.
    """
    places = _Places(source, text)
    loader = kind(text)
    try:
        node = loader.get_single_node()
        return None if node is None else _build(loader, node, (), places), places
    finally:
        loader.dispose()


def _build(loader: _Loader, node: yaml.Node, path: Place, places: _Places) -> Any:
    places.values[path] = _at(node.start_mark)
    if isinstance(node, yaml.MappingNode):
        mapping: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key, at = str(key_node.value), _at(key_node.start_mark)
            if not isinstance(key_node, yaml.ScalarNode):
                raise SpecError("a key is not a plain word", mend="Put braces in quotes.",
                                where=location(places.source, *at))  # fmt: skip
            if key in mapping:
                raise SpecError(f"key {key!r} is given twice", mend="Keep one of them.",
                                where=location(places.source, *at))  # fmt: skip
            places.keys[*path, key] = at
            mapping[key] = _build(loader, value_node, (*path, key), places)
        return mapping
    if isinstance(node, yaml.SequenceNode):
        return [_build(loader, item, (*path, n), places) for n, item in enumerate(node.value)]
    if node.tag not in _TAGS:
        raise SpecError(f"the tag {node.tag!r} is not known here", mend="Write the plain value.",
                        where=location(places.source, *_at(node.start_mark)))  # fmt: skip
    try:
        return loader.construct_object(node)
    except ValueError as error:  # such as an integer of five thousand digits
        raise SpecError(f"not a value: {error}", mend="Write a plain value.",
                        where=location(places.source, *_at(node.start_mark))) from None  # fmt: skip


def _at(mark: yaml.Mark) -> tuple[int, int]:
    return mark.line + 1, mark.column + 1


def _place(places: _Places, path: Sequence[str | int]) -> tuple[int, int]:
    place = tuple(path)
    while place not in places.values and place:
        place = place[:-1]
    return places.keys.get(place) or places.values.get(place, (1, 1))


def _within(text: str, start: tuple[int, int], before: str) -> tuple[int, int]:
    """The place in a text at which a scalar has shown the characters `before`.

    Args:
        text: The text of the file.
        start: Where the scalar begins: a quote, a block sign or its first character.
        before: What the scalar's value holds before the character that is looked for.
    """
    lines = text.splitlines(keepends=True)
    at = sum(len(line) for line in lines[: start[0] - 1]) + start[1] - 1
    quote = text[at : at + 1]
    if quote in ("|", ">"):
        at = text.index("\n", at) + 1
        at += len(text[at:]) - len(text[at:].lstrip())
    elif quote in ("'", '"'):
        at += 1
    for character in before:
        if character.isspace():  # a fold: a line break and its indent show one space
            at += 1
            at += len(text[at:]) - len(text[at:].lstrip())
        else:
            escaped = text[at : at + 1] == "\\" if quote == '"' else text[at : at + 2] == "''"
            at += 2 if escaped else 1
    done = text[:at]
    return done.count("\n") + 1, at - (done.rfind("\n") + 1) + 1


def _complaints(error: ValidationError, data: Any, places: _Places) -> list[SpecError]:
    """The complaints of the schema in file order, each one line: what, where, the mend."""
    found: dict[tuple[int, int, str], SpecError] = {}
    for each in _leading(error.errors(), data):
        path = _real_path(data, each)
        at = _place(places, path)
        complaint = _complaint(each, path, location(places.source, *at))
        found.setdefault((*at, complaint.what), complaint)
    return [found[key] for key in sorted(found)]


def _leading(errors: Sequence[Mapping[str, Any]], data: Any) -> Iterator[Mapping[str, Any]]:
    """Of the complaints of all members of a union, those of the member that was meant."""
    splits = {each["loc"][:at] for each in errors if (at := _union_at(data, each)) is not None}
    unions: dict[Place, dict[str | int, list[Mapping[str, Any]]]] = {}
    for each in errors:
        loc = each["loc"]
        union = next((loc[:n] for n in range(len(loc)) if loc[:n] in splits), None)
        if union is None:
            yield each
        else:
            unions.setdefault(union, {}).setdefault(loc[len(union)], []).append(each)
    for union, members in unions.items():
        yield from max(
            members.values(),
            key=lambda m: (
                any(len(e["loc"]) > len(union) + 1 for e in m),  # not of another kind altogether
                -sum(e["type"] in ("extra_forbidden", "missing") for e in m),
                any(e["type"] == "extra_forbidden" for e in m),
                max(len(e["loc"]) for e in m),
                -len(m),
            ),
        )


def _complaint(each: Mapping[str, Any], path: Place, where: str) -> SpecError:
    name = ".".join(str(part) for part in path)
    if each["type"] == "extra_forbidden":
        key = str(each["loc"][-1])
        within = name.rpartition(".")[0] or "the file"
        near = hint(key, _known_keys())
        near = near if near.endswith("?") else ""
        return SpecError(f"unknown key {key!r} in {within}{near}", where=where,
                         mend="Remove or rename it.")  # fmt: skip
    if each["type"] == "missing":
        return SpecError(f"{name!r} is missing", where=where, mend="Add it.")
    if each["type"] == "too_short":
        few, least = each["ctx"]["actual_length"], each["ctx"]["min_length"]
        noun = _NOUNS.get(str(path[-1])) or ("wording" if path[0] == "revisions" else "line")
        return SpecError(f"{name!r} has {few} {noun}{'s' * (few != 1)}", where=where,
                         mend=f"{least} {noun}{'s' * (least != 1)} or more.")  # fmt: skip
    if each["type"] == "string_too_short":
        return SpecError(f"{name!r} is empty", where=where, mend="Write it.")
    said = each["msg"].removeprefix("Value error, ")
    return SpecError(f"{name!r}: {said}", where=where, mend="See docs/specification.md.")


def _union_at(data: Any, each: Mapping[str, Any]) -> int | None:
    """Index of the first part of a complaint's place that names a union's member, not a value."""
    return next((n for n, (_, real) in enumerate(_walk(data, each)) if not real), None)


def _real_path(data: Any, each: Mapping[str, Any]) -> Place:
    """The part of a complaint's place that exists in the file: union members are left out."""
    return tuple(part for part, real in _walk(data, each) if real)


def _walk(data: Any, each: Mapping[str, Any]) -> Iterator[tuple[str | int, bool]]:
    """Each part of a complaint's place, and whether it is a key or index of the file."""
    here = data
    loc = each["loc"]
    for n, part in enumerate(loc):
        absent = each["type"] == "missing" and n == len(loc) - 1
        if isinstance(here, dict) and (part in here or absent):
            here = here.get(part)
            yield part, True
        elif isinstance(here, list) and isinstance(part, int) and part < len(here):
            here = here[part]
            yield part, True
        else:
            yield part, False


def _known_keys() -> list[str]:
    """All keys that the schema knows anywhere: enough for a suggestion."""
    from supersede.specs import schema

    keys: list[str] = []
    for part in vars(schema).values():
        if isinstance(part, type) and issubclass(part, schema.Part):
            keys += [f.alias or n for n, f in part.model_fields.items()]
    return sorted(set(keys))
