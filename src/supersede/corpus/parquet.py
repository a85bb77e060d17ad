"""Shards as Parquet files: the fields of an instance as columns, none of it lost.

Texts, numbers, messages and evidence are columns of their own; what differs in shape from row to
row (checklist, query, difficulty, history) is a column of JSON text, which every reader of Parquet
takes as it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

from supersede.errors import DataError, UsageError, location
from supersede.model.serialize import canonical

_TEXTS = (
    *("id", "answer", "canary", "family", "macro_group", "operator", "prototype", "question"),
    *("split", "theme", "tier"),
)
_NUMBERS = ("blocks", "events", "index", "prototype_version")
_JSON = ("checklist", "key", "query", "realised", "requested")
_HISTORY = "history"
"""Of JSON as well, and there only where records go along."""
_TOKENS = "tokens"
"""A number, and there only where tokens are counted."""


def parquet_bytes(lines: Iterable[str], *, history: bool) -> bytes:
    """A Parquet file of instances.

    Args:
        lines: Instances as `instance_to_line` writes them.
        history: Whether they carry their records.

    Raises:
        UsageError: PyArrow is not installed.
    """
    pa = _pyarrow()
    rows = [_row(json.loads(line)) for line in lines]
    counted = any(_TOKENS in row for row in rows)
    table = pa.Table.from_pylist(rows, schema=_schema(pa, history=history, tokens=counted))
    sink = BytesIO()
    pa.parquet.write_table(table, sink, compression="zstd", row_group_size=len(rows) or 1)
    return sink.getvalue()


def read_parquet(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """One-based number and fields of each row, as JSON lines of the same instances have them.

    Raises:
        DataError: The file is damaged or holds other columns.
        UsageError: PyArrow is not installed.
        OSError: The file cannot be read.
    """
    pa = _pyarrow()
    content = path.read_bytes()
    try:
        table = pa.parquet.read_table(BytesIO(content))
    except (pa.ArrowException, OSError) as error:
        raise DataError(
            f"no sound Parquet file: {str(error).splitlines()[0]}",
            where=str(path),
            mend=f"Copy {path.name} again, or build it anew with the command that made it.",
        ) from None
    given = {name: name in table.column_names for name in (_HISTORY, _TOKENS)}
    if not table.schema.equals(_schema(pa, **given)):
        raise DataError("has other columns than instances have", where=str(path))
    for number, row in enumerate(table.to_pylist(), start=1):
        try:
            yield number, _fields(row)
        except (TypeError, ValueError) as error:
            raise DataError(f"not an instance: {error}", where=location(path, number)) from None


def _pyarrow() -> Any:
    try:
        import pyarrow as pa
        import pyarrow.parquet
    except ImportError:
        raise UsageError(
            "Parquet needs PyArrow", mend="Install it with: pip install 'supersede[corpus]'"
        ) from None
    return pa


def _schema(pa: Any, *, history: bool, tokens: bool) -> Any:
    """The columns, in alphabetical order after the id."""
    message = pa.struct([("role", pa.string()), ("content", pa.string())])
    types = {name: pa.string() for name in (*_TEXTS, *_JSON)}
    types |= {name: pa.int64() for name in _NUMBERS}
    types |= {"messages": pa.list_(message), "evidence": pa.list_(pa.string())}
    if history:
        types[_HISTORY] = pa.string()
    if tokens:
        types[_TOKENS] = pa.int64()
    names = ["id", *sorted(types.keys() - {"id"})]
    return pa.schema([(name, types[name]) for name in names])


def _row(data: Mapping[str, Any]) -> dict[str, Any]:
    row = dict(data)
    for name in (*_JSON, _HISTORY):
        if name in row:
            row[name] = canonical(row[name])
    return row


def _fields(row: Mapping[str, Any]) -> dict[str, Any]:
    data = dict(row)
    for name in (*_JSON, _HISTORY):
        if name in data:
            data[name] = json.loads(data[name])
    return data
