"""The second check of an instance: made again from its key, it is the stored one in every field.

The proof from the text finds an answer that does not follow from what is shown; this finds what
no text can show to be wrong: another plot, a changed system message, an interim answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from supersede.corpus.instances import make_instance
from supersede.corpus.shards import instance_line
from supersede.errors import SupersedeError
from supersede.model.instance import Instance, InstanceKey
from supersede.model.serialize import instance_to_json
from supersede.specs.schema import Specification

_BEFORE, _SHOWN = 20, 60
"""Characters of a text that are shown before the first that differs, and in all."""


class Unlike(NamedTuple):
    """What came out of making an instance again."""

    difference: str | None
    """Where the stored data is not what its key gives; None where it is."""
    same_line: bool = False
    """Whether the line is the one that is written of what was made, id included: then nothing
    else of it has to be compared or hashed."""


def difference_from_key(
    data: Mapping[str, Any], key: InstanceKey, spec: Specification, line: bytes | None = None
) -> Unlike:
    """Where stored data is not what its key gives.

    The id is left out: it is a hash of the rest. So are tokens, of which no key knows, and a
    history that was not stored.

    Args:
        data: The instance as it is stored.
        key: Its key.
        spec: The specification of the key.
        line: The line in which it is stored, where it stands in one.
    """
    made = _made(key, spec)
    if isinstance(made, str):
        return Unlike(made)
    history = "history" in data
    if line is not None:
        again = instance_line(made, history=history, tokens=data.get("tokens"))
        if line.removesuffix(b"\n") == again.encode():
            return Unlike(None, same_line=True)
    return Unlike(_difference(data, instance_to_json(made, history=history)))


def _made(key: InstanceKey, spec: Specification) -> Instance | str:
    """What a key gives, or why it gives nothing."""
    present = InstanceKey.__dataclass_fields__["dataset_version"].default
    if key.dataset_version != present:
        return f"its key is of data set version {key.dataset_version}, this release makes {present}"
    if key.index < 0:
        return f"the index of its key is {key.index}, and indices start at 0"
    try:
        return make_instance(key, spec)
    except SupersedeError as error:
        return f"cannot be made again from its key: {error}"


def _difference(data: Mapping[str, Any], made: Mapping[str, Any]) -> str | None:
    """The first difference of stored data from what was made, in words."""
    again = json.loads(json.dumps(made))
    stored = {name: value for name, value in data.items() if name != "tokens"}
    found = _first_difference({**stored, "id": again["id"]}, again, "")
    return None if found is None else str(found)


class _Difference(NamedTuple):
    """A place in the data, and what stands there."""

    path: str
    stored: str
    made: str

    def __str__(self) -> str:
        return f"{self.path} is {self.stored}; made again from its key it is {self.made}"


_MISSING = "missing"


def _first_difference(stored: object, made: object, path: str) -> _Difference | None:
    """The first place, in the order of what was made, at which plain data differs."""
    if isinstance(stored, dict) and isinstance(made, dict):
        return _difference_of_objects(stored, made, path)
    if isinstance(stored, list) and isinstance(made, list):
        for number, (one, other) in enumerate(zip(stored, made, strict=False)):
            found = _first_difference(one, other, f"{path}[{number}]")
            if found is not None:
                return found
        if len(stored) != len(made):
            return _Difference(path, f"{len(stored)} items long", f"{len(made)} items long")
        return None
    if _equal(stored, made):
        return None
    if isinstance(stored, str) and isinstance(made, str):
        return _Difference(path, *_around_difference(stored, made))
    return _Difference(path, _short(stored), _short(made))


def _difference_of_objects(
    stored: dict[str, Any], made: dict[str, Any], path: str
) -> _Difference | None:
    for name in {**made, **stored}:
        place = f"{path}.{name}" if path else name
        if name not in stored:
            return _Difference(place, _MISSING, _short(made[name]))
        if name not in made:
            return _Difference(place, _short(stored[name]), _MISSING)
        found = _first_difference(stored[name], made[name], place)
        if found is not None:
            return found
    return None


def _equal(stored: object, made: object) -> bool:
    """Whether two values are the same; 3 and 3.0 are, true and 1 are not."""
    return stored == made and isinstance(stored, bool) == isinstance(made, bool)


def _around_difference(stored: str, made: str) -> tuple[str, str]:
    """Two texts, each cut to what stands around the first character that differs."""
    pairs = enumerate(zip(stored, made, strict=False))
    at = next((n for n, (a, b) in pairs if a != b), min(len(stored), len(made)))
    start = max(0, at - _BEFORE)
    return _cut(stored, start), _cut(made, start)


def _cut(text: str, start: int) -> str:
    before = "..." if start else ""
    after = "..." if len(text) > start + _SHOWN else ""
    return repr(f"{before}{text[start : start + _SHOWN]}{after}")


def _short(value: object) -> str:
    return _cut(value, 0) if isinstance(value, str) else _clipped(json.dumps(value))


def _clipped(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
