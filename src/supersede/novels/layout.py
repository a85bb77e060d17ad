"""How a project lies in its file: the SQL of the layout, and rows and events as lines of it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

from supersede.novels.log import Event, Row
from supersede.novels.tables import TABLES, Key, Table, Value

__all__ = [
    "EVENT_COLUMNS",
    "VERSION",
    "event_of",
    "layout",
    "line_of_event",
    "line_of_row",
    "row_of",
    "selected",
]

VERSION = 1
"""Of the layout of the file, kept as its `user_version`."""

EVENT_COLUMNS = (
    "event.number, event.action, event.at, event.by, event.kind, event.book, event.key,"
    " event.value, event.base"
)
"""The columns of the log, in the order that `event_of` takes."""

_SQL_TYPES = {str: "TEXT", int: "INTEGER", bool: "INTEGER", float: "REAL"}

_LOG = """
CREATE TABLE event (
    number INTEGER PRIMARY KEY,
    action INTEGER NOT NULL,
    at REAL NOT NULL,
    by TEXT NOT NULL,
    kind TEXT NOT NULL,
    book TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT,
    base INTEGER NOT NULL
);
CREATE INDEX event_key ON event (kind, key, number);
CREATE INDEX event_action ON event (action, number);
CREATE TABLE book (
    book TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    author TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    source TEXT NOT NULL,
    tokenizer TEXT NOT NULL,
    chunk_tokens INTEGER NOT NULL,
    chapters TEXT NOT NULL,
    chunks INTEGER NOT NULL
);
CREATE TABLE chunk (
    book TEXT NOT NULL,
    chunk INTEGER NOT NULL,
    text TEXT NOT NULL,
    chapter TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    chapters TEXT NOT NULL,
    PRIMARY KEY (book, chunk)
) WITHOUT ROWID;
CREATE TABLE action (
    action INTEGER PRIMARY KEY,
    by TEXT NOT NULL,
    book TEXT NOT NULL,
    undone INTEGER NOT NULL
);
CREATE INDEX action_by ON action (by, book, undone, action);
CREATE TABLE setting (
    annotator TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (annotator, name)
) WITHOUT ROWID;
CREATE INDEX mark_said ON mark (book, question, annotator, chunk, kind, option);
CREATE INDEX mark_choice ON mark (book, question, annotator, chunk) WHERE kind = 'choice';
CREATE INDEX adjudication_choice ON adjudication (book, question, chunk) WHERE kind = 'choice';
CREATE INDEX mark_option ON mark (book, question, option);
CREATE INDEX adjudication_option ON adjudication (book, question, option);
CREATE INDEX annotator_token ON annotator (token_hash);
"""
_ONLY_ADDED = """
CREATE TRIGGER {table}_{verb} BEFORE {verb} ON {table}
BEGIN SELECT RAISE(ABORT, 'the table {table} is only ever added to'); END;
"""


def layout() -> Iterator[str]:
    """The statements that lay out an empty file."""
    tables = [
        f"CREATE TABLE {kind} ({', '.join(_columns(table))},"
        f" PRIMARY KEY ({', '.join(table.key)})) WITHOUT ROWID;"
        for kind, table in TABLES.items()
    ]
    triggers = [
        _ONLY_ADDED.format(table=table, verb=verb)
        for table in ("event", "book", "chunk")
        for verb in ("UPDATE", "DELETE")
    ]
    yield from _statements("\n".join([*tables, _LOG, *triggers]))


def _columns(table: Table) -> list[str]:
    typed = {**table.key, **table.fields}
    named = [f"{name} {_SQL_TYPES.get(kind, 'TEXT')} NOT NULL" for name, kind in typed.items()]
    return [*named, "revision INTEGER NOT NULL", "done_by TEXT NOT NULL", "done_at REAL NOT NULL"]


def _statements(script: str) -> Iterator[str]:
    """The statements of a script, which `executescript` would run outside of the transaction."""
    statement = ""
    for part in script.split(";"):
        statement += f"{part};"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def selected(table: Table) -> str:
    """The columns of a table, in the order that `row_of` takes."""
    return ", ".join([*table.key, *table.fields, "revision", "done_by", "done_at"])


def event_of(line: Sequence[Any]) -> Event:
    """The event of a line of the log.

    Raises:
        ValueError, TypeError: It is none that `line_of_event` would have given.
    """
    number, action, at, by, kind, book, key, value, base = line
    said: Value | None = None if value is None else json.loads(value)
    return Event(number, action, at, by, kind, book, tuple(json.loads(key)), said, base)


def line_of_event(event: Event) -> tuple[Any, ...]:
    """An event as a line of the log."""
    value = None if event.value is None else json.dumps(event.value, ensure_ascii=False)
    return (
        event.number,
        event.action,
        event.at,
        event.by,
        event.kind,
        event.book,
        json.dumps(event.key),
        value,
        event.base,
    )


def row_of(table: Table, line: Sequence[Any]) -> tuple[Key, Row]:
    """The key and the row of a line of a table.

    Raises:
        ValueError, TypeError: It is none that `line_of_row` would have given.
    """
    size = len(table.key)
    *fields, revision, by, at = line[size:]
    value: Value = {
        name: _read(content, kind)
        for (name, kind), content in zip(table.fields.items(), fields, strict=True)
    }
    return tuple(line[:size]), Row(value, revision, by, at)


def line_of_row(table: Table, key: Key, row: Row) -> tuple[Any, ...]:
    """A row as a line of its table."""
    fields = [_stored(row.value[name], kind) for name, kind in table.fields.items()]
    return (*key, *fields, row.revision, row.by, row.at)


def _stored(content: Any, kind: type) -> Any:
    return json.dumps(content, ensure_ascii=False) if kind in (list, dict) else content


def _read(content: Any, kind: type) -> Any:
    if kind is list and content == "[]":
        return []
    if kind in (list, dict):
        return json.loads(content)
    return bool(content) if kind is bool else content
