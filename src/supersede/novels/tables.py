"""What a project knows, as tables: the one declaration that the log, its fold and SQL share.

Every event gives one row of one of these tables a new value, or takes the row away. So a row is the
value of the last event about its key that was not undone, and all tables can be made again from the
log.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from supersede.errors import DataError
from supersede.novels.annotations import FlagReason, MarkKind, OptionRole, Reformulation
from supersede.novels.typed import can_be_kept

__all__ = ["STAGES", "TABLES", "Key", "Table", "Value", "checked"]

Key = tuple[str | int, ...]
Value = Mapping[str, Any]

_MOST = 2**53
"""What no whole number reaches: beyond it not every program keeps them apart."""

STAGES = ("blind", "adjudicating", "closed")
"""Of a book: annotators work apart; their work is fixed and compared; nothing changes any more."""


@dataclass(frozen=True, slots=True)
class Table:
    """One table: its key, then the fields of a value with their types."""

    key: Mapping[str, type]
    fields: Mapping[str, type]
    """`list` and `dict` are stored as JSON."""
    choices: Mapping[str, tuple[str, ...]]
    """The words that a field, or a part of the key, may hold."""


_QUESTION: dict[str, type] = {"book": str, "question": str}
_MARK: dict[str, type] = {"kind": str, "option": str, "evidence": list, "note": str}
_KINDS = {"kind": tuple(MarkKind)}

TABLES: Mapping[str, Table] = {
    "annotator": Table(
        {"annotator": str},
        {"name": str, "role": str, "token_hash": str, "active": bool},
        {"role": ("annotator", "adjudicator")},
    ),
    "stage": Table({"book": str}, {"stage": str}, {"stage": STAGES}),
    "assignment": Table(
        {"book": str, "annotator": str},
        {"questions": list},  # ids; empty for all
        {},
    ),
    "finished": Table({"book": str, "annotator": str}, {"note": str}, {}),
    "work": Table(
        {"book": str, "annotator": str}, {"hours": float, "pay": float, "currency": str}, {}
    ),
    "draft": Table(
        {"book": str, "draft": str},
        {
            "entity": str,
            "text": str,
            "answers": list,  # of {"answer", "source", ...}
            "outcome": str,
            "reason": str,
            "question": str,  # id of the question made of it
            "model": str,
        },
        {"outcome": ("kept", "dropped")},
    ),
    "question": Table(
        _QUESTION,
        {
            "text": str,
            "original": str,
            "reformulation": str,
            "entity": str,
            "type": str,
            "dropped": str,
            "author": str,
        },
        {"reformulation": tuple(Reformulation)},
    ),
    "option": Table(
        {**_QUESTION, "option": str},
        {"text": str, "role": str, "author": str, "shared": bool, "same_as": str},
        {"role": tuple(OptionRole)},
    ),
    "wording": Table(
        {**_QUESTION, "annotator": str},
        {"text": str, "reformulation": str, "note": str},
        {"reformulation": tuple(Reformulation)},
    ),
    "mark": Table({**_QUESTION, "annotator": str, "chunk": int}, _MARK, _KINDS),
    "flag": Table(
        {**_QUESTION, "annotator": str, "chunk": int, "reason": str},
        {"note": str},
        {"reason": tuple(FlagReason)},
    ),
    "review": Table({**_QUESTION, "annotator": str}, {"agreed": bool, "note": str}, {}),
    "adjudication": Table({**_QUESTION, "chunk": int}, _MARK, _KINDS),
}
"""By the kind of the events that write them."""


def checked(kind: str, key: Key, value: Value | None) -> None:
    """Makes sure that a change fits its table.

    Raises:
        DataError: There is no such kind, or a part of the key or a field is missing, unknown, of
            another type or none of its words.
    """
    table = TABLES.get(kind)
    if table is None:
        raise DataError(f"{kind!r} is no kind of event")
    if len(key) != len(table.key):
        raise DataError(f"a {kind} is named by {', '.join(table.key)}, not by {key!r}")
    named = dict(zip(table.key, key, strict=True))
    if value is not None and value.keys() != table.fields.keys():
        odd = sorted(value.keys() ^ table.fields.keys())
        raise DataError(f"a {kind} has the fields {', '.join(table.fields)}: see {odd[0]!r}")
    for name, content in {**named, **(value or {})}.items():
        wanted = table.key.get(name) or table.fields[name]
        if not _fits(content, wanted):
            raise DataError(f"{name}={content!r} of a {kind} is no {wanted.__name__}")
        if not _can_be_kept(content):
            raise DataError(
                f"{name}={content!r} of a {kind} holds half of a sign",
                mend="Write it again: files hold whole signs and finite numbers alone.",
            )
        words = table.choices.get(name)
        if words is not None and content not in words:
            raise DataError(f"{name}={content!r} of a {kind} is none of {', '.join(words)}")


def _fits(content: object, wanted: type) -> bool:
    if wanted is float:
        number = isinstance(content, int | float) and not isinstance(content, bool)
        return number and isfinite(content)  # type: ignore[arg-type]  # it is a number
    if wanted is int:
        whole = isinstance(content, int) and not isinstance(content, bool)
        return whole and 0 <= content < _MOST  # type: ignore[operator]  # it is a number
    return isinstance(content, wanted)


def _can_be_kept(content: object) -> bool:
    """Whether a file can hold it."""
    if isinstance(content, str):
        return can_be_kept(content)
    if isinstance(content, list | dict):
        try:
            return can_be_kept(json.dumps(content, ensure_ascii=False, allow_nan=False))
        except ValueError:
            return False  # a number that is none
    return True
