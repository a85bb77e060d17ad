"""The file of a project: one SQLite file in WAL mode, with the log and the tables folded from it.

The log and the books are only ever added to: triggers refuse anything else. The tables of
`supersede.novels.tables` are kept up to date in the transaction that writes the event, so that
reading them costs the same whatever the length of the log. A process that is killed while it saves
leaves either all of an action or nothing of it.

A project in a folder where nothing can be written is read all the same, unless it was left open.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from threading import RLock
from typing import Any, Self

from supersede.errors import DataError, UsageError
from supersede.novels.layout import (
    EVENT_COLUMNS,
    VERSION,
    event_of,
    layout,
    line_of_event,
    line_of_row,
    row_of,
    selected,
)
from supersede.novels.log import REDO, UNDO, Change, Event, Row, fold
from supersede.novels.refusals import StaleEdit
from supersede.novels.tables import TABLES, Key, checked

__all__ = ["FILE_NAME", "REBUILD", "Store", "event_changed"]

FILE_NAME = "project.db"
REBUILD = "Make the tables again from the log: supersede novel check PROJECT --rebuild"
"""What to do where the tables are not what the log says."""

_WAIT_SECONDS = 30.0  # for another process that is writing


class Store:
    """A project's file, as a context manager; may be used from several threads.

    Args:
        path: The file.
        create: Whether to make it where there is none.
        clock: Gives the time of an event, in seconds since 1970.

    Raises:
        UsageError: There is no such file.
        DataError: It is no project of ours, or of another version, or cannot be opened.
    """

    def __init__(
        self, path: Path, *, create: bool = False, clock: Callable[[], float] = time.time
    ) -> None:
        if not create and not path.is_file():
            raise UsageError(
                "there is no project",
                where=str(path.parent),
                mend="Make one from a book: supersede novel prepare BOOK -o PROJECT",
            )
        self.path = path
        self._clock = clock
        self._lock = RLock()
        self._depth = 0
        frozen = not create and _is_frozen(path)
        self._sql = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=ro&immutable=1" if frozen else path,
            timeout=_WAIT_SECONDS,
            isolation_level=None,
            check_same_thread=False,
            uri=frozen,
        )
        try:
            self._prepare(create, frozen)
        except sqlite3.OperationalError as error:
            self._sql.close()
            raise DataError(
                f"cannot be opened: {error}",
                where=str(path),
                mend="Its folder must be open to write in, and the disk have room.",
            ) from None
        except sqlite3.DatabaseError as error:
            self._sql.close()
            raise DataError(
                f"no project: {error}", where=str(path), mend="Restore it, or name another folder."
            ) from None
        except DataError:
            self._sql.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file."""
        self._sql.close()

    def _prepare(self, create: bool, frozen: bool) -> None:
        if not frozen:
            self._sql.execute("PRAGMA journal_mode = WAL")
            self._sql.execute("PRAGMA synchronous = FULL")  # what is shown as saved survives a cut
        with self.transaction(write=not frozen):
            ((version,),) = self._sql.execute("PRAGMA user_version")
            ((tables,),) = self._sql.execute("SELECT COUNT(*) FROM sqlite_master")
            if version == 0 and tables == 0 and not create:
                raise DataError(
                    "no project: the file is empty",
                    where=str(self.path),
                    mend="Prepare a book into the folder, or restore the file.",
                )
            if version == 0 and tables == 0:
                for statement in layout():
                    self._sql.execute(statement)
                self._sql.execute(f"PRAGMA user_version = {VERSION}")
            elif version != VERSION:
                raise DataError(
                    f"a project of version {version}, not {VERSION}",
                    where=str(self.path),
                    mend="Use the release that wrote it.",
                )

    @contextmanager
    def transaction(self, *, write: bool = True) -> Iterator[None]:
        """All inside happens at one moment: whole or, where something is raised, not at all.

        Args:
            write: Whether to wait for the right to write; else all reading inside sees one state.

        Raises:
            DataError: The file cannot be written: it is full, read-only, or another process holds
                it for too long.
        """
        with self._lock:
            if self._depth:
                yield  # inside another one, which decides
                return
            try:
                self._sql.execute("BEGIN IMMEDIATE" if write else "BEGIN")
                self._depth += 1
                try:
                    yield
                    self._sql.execute("COMMIT")
                finally:
                    self._depth -= 1
                    if self._sql.in_transaction:  # something was raised, or could not be written
                        self._sql.execute("ROLLBACK")
            except sqlite3.OperationalError as error:  # locked, full, or not to be written
                raise DataError(
                    f"not saved: {error}", where=str(self.path), mend="Nothing changed; try again."
                ) from None

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows that a SELECT finds.

        Raises:
            DataError: The file is damaged, or cannot be read now.
        """
        try:
            with self._lock, closing(self._sql.execute(sql, parameters)) as found:
                return found.fetchall()
        except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
            raise  # a mistake of ours
        except sqlite3.DatabaseError as error:
            raise DataError(
                f"cannot be read: {error}", where=str(self.path), mend="Try again, or restore it."
            ) from None

    def add(self, table: str, rows: Sequence[Sequence[Any]]) -> None:
        """Adds rows to `book` or `chunk`, or replaces a `setting`: what is not in the log."""
        holes = ", ".join("?" * len(rows[0]))
        verb = "INSERT OR REPLACE" if table == "setting" else "INSERT"
        with self.transaction():
            self._sql.executemany(f"{verb} INTO {table} VALUES ({holes})", rows)

    # Reading tables

    def row(self, kind: str, key: Key) -> Row | None:
        """What is so at one key, or None."""
        table = TABLES[kind]
        found = self.query(
            f"SELECT {selected(table)} FROM {kind} WHERE "
            + " AND ".join(f"{name} = ?" for name in table.key),
            key,
        )
        return self._row(kind, found[0])[1] if found else None

    def rows(self, kind: str, **where: str | int) -> list[tuple[Key, Row]]:
        """All that is so in one table, in order of its keys.

        Args:
            kind: The table.
            **where: What parts of the key or fields must be.
        """
        table = TABLES[kind]
        wanted = " AND ".join(f"{name} = ?" for name in where) or "1"
        found = self.query(
            f"SELECT {selected(table)} FROM {kind} WHERE {wanted} ORDER BY {', '.join(table.key)}",
            tuple(where.values()),
        )
        return [self._row(kind, line) for line in found]

    def _row(self, kind: str, line: Sequence[Any]) -> tuple[Key, Row]:
        """Key and row of a line of a table.

        Raises:
            DataError: It is none that this class would have written.
        """
        table = TABLES[kind]
        try:
            key, row = row_of(table, line)
            for name, words in table.choices.items():
                if name in table.fields and row.value[name] not in words:
                    raise ValueError(f"{name} is {row.value[name]!r}")
        except (ValueError, TypeError) as error:
            raise DataError(
                f"a row of {kind} was changed by another program: {error}",
                where=f"{self.path}, {'/'.join(map(str, line[: len(table.key)]))}",
                mend=REBUILD,
            ) from None
        return key, row

    def events(self, after: int = 0) -> Iterator[Event]:
        """The log, in order, from the event after one.

        Raises:
            DataError: One is none that this class would have written.
        """
        while lines := self.query(
            f"SELECT {EVENT_COLUMNS} FROM event WHERE number > ? ORDER BY number LIMIT 5000",
            (after,),
        ):
            for line in lines:
                yield self._event(line)
            after = lines[-1][0]

    def _event(self, line: Sequence[Any]) -> Event:
        try:
            return event_of(line)
        except (ValueError, TypeError) as error:
            raise event_changed(self.path, line[0], error) from None

    @property
    def last(self) -> int:
        """Number of the newest event; 0 before the first."""
        return int(self._one("SELECT COALESCE(MAX(number), 0) FROM event")[0])

    # Writing

    def act(self, by: str, book: str, changes: Sequence[Change]) -> tuple[int, ...]:
        """Writes changes down as one action, and gives the new revision of each.

        Args:
            by: Who does it; empty for whoever has the files.
            book: What they concern; empty for no single book.
            changes: Each on another key.

        Raises:
            StaleEdit: A row is no longer the one that a change is based on; nothing is written.
            DataError: A change does not fit its table.
        """
        if not changes:
            return ()
        for change in changes:
            checked(change.kind, change.key, change.value)
        with self.transaction():
            for change in changes:
                now = self.row(change.kind, change.key)
                if change.base != (now.revision if now else 0):
                    raise StaleEdit.of(
                        change.kind, change.key, now.revision if now else 0, now and now.value
                    )
            action = self.last + 1
            at = self._clock()
            self._sql.execute("INSERT INTO action VALUES (?, ?, ?, 0)", (action, by, book))
            for number, change in enumerate(changes, action):
                event = Event(
                    number, action, at, by, change.kind, book, change.key, change.value, change.base
                )
                self._note(event)
                self._put(event, number)
            return tuple(range(action, action + len(changes)))

    def undo(self, by: str, book: str) -> tuple[Event, ...]:
        """Undoes the last action of a person on a book that stands; gives its events.

        The rows get the values that the log has for them without it. Nothing to undo gives `()`.
        """
        found = self.query(
            "SELECT MAX(action) FROM action WHERE by = ? AND book = ? AND undone = 0", (by, book)
        )
        return self._turn(UNDO, by, book, found[0][0])

    def redo(self, by: str, book: str) -> tuple[Event, ...]:
        """Does the last undone action of a person on a book again; gives its events.

        Only what was undone since their last action can be; nothing of it gives `()`.
        """
        found = self.query(
            "SELECT MIN(action) FROM action WHERE by = ? AND book = ? AND undone = 1 AND action >"
            " (SELECT COALESCE(MAX(action), 0) FROM action"
            " WHERE by = ? AND book = ? AND undone = 0)",
            (by, book, by, book),
        )
        return self._turn(REDO, by, book, found[0][0])

    def _turn(self, kind: str, by: str, book: str, action: int | None) -> tuple[Event, ...]:
        if action is None:
            return ()
        with self.transaction():
            number = self.last + 1
            self._note(Event(number, number, self._clock(), by, kind, book, (action,), None, 0))
            self._sql.execute(
                "UPDATE action SET undone = ? WHERE action = ?", (kind == UNDO, action)
            )
            events = tuple(self._of_action(action))
            for event in events:
                self._put(self._standing(event), number)
            return events

    def _of_action(self, action: int) -> Iterator[Event]:
        lines = self.query(
            f"SELECT {EVENT_COLUMNS} FROM event WHERE action = ? ORDER BY number",
            (action,),
        )
        yield from map(self._event, lines)

    def _standing(self, event: Event) -> Event:
        """The last event about the same key that is not undone, or one that takes it away."""
        found = self.query(
            f"SELECT {EVENT_COLUMNS} FROM event"
            " JOIN action ON action.action = event.action"
            " WHERE kind = ? AND key = ? AND undone = 0 ORDER BY number DESC LIMIT 1",
            (event.kind, json.dumps(event.key)),
        )
        if not found:
            return Event(0, 0, 0.0, "", event.kind, event.book, event.key, None, 0)
        return self._event(found[0])

    def _note(self, event: Event) -> None:
        self._insert("INSERT", "event", line_of_event(event))

    def _put(self, event: Event, revision: int) -> None:
        """Makes a row what an event says."""
        table = TABLES[event.kind]
        if event.value is None:
            wanted = " AND ".join(f"{name} = ?" for name in table.key)
            self._sql.execute(f"DELETE FROM {event.kind} WHERE {wanted}", event.key)
            return
        row = Row(event.value, revision, event.by, event.at)
        self._insert("INSERT OR REPLACE", event.kind, line_of_row(table, event.key, row))

    def _insert(self, verb: str, table: str, line: Sequence[Any]) -> None:
        holes = ", ".join("?" * len(line))
        self._sql.execute(f"{verb} INTO {table} VALUES ({holes})", line)

    def rebuild(self) -> None:
        """Makes the tables again from the log."""
        with self.transaction():
            events = list(self.events())
            undone: dict[int, bool] = {}
            for kind in TABLES:
                self._sql.execute(f"DELETE FROM {kind}")
            self._sql.execute("DELETE FROM action")
            for event in events:
                if event.kind in (UNDO, REDO):
                    undone[int(event.key[0])] = event.kind == UNDO
                elif event.number == event.action:
                    self._sql.execute(
                        "INSERT INTO action VALUES (?, ?, ?, 0)",
                        (event.action, event.by, event.book),
                    )
            self._sql.executemany(
                "UPDATE action SET undone = ? WHERE action = ?",
                [(state, action) for action, state in undone.items()],
            )
            for (kind, key), row in fold(events).items():
                event = Event(0, 0, row.at, row.by, kind, "", key, row.value, 0)
                self._put(event, row.revision)

    def _one(self, sql: str) -> tuple[Any, ...]:
        return self.query(sql)[0]


def event_changed(path: Path, number: int, why: object) -> DataError:
    """That an event of the log is none that was written."""
    return DataError(
        f"event {number} of the log was changed by another program: {why}",
        where=str(path),
        mend="Restore the file: nobody can say any more what was said.",
    )


def _is_frozen(path: Path) -> bool:
    """Whether a project can be read and not written.

    Raises:
        DataError: It cannot be read either, since somebody left it open, or has it open.
    """
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        return False
    unfinished = path.with_name(f"{path.name}-wal")
    if unfinished.is_file() and unfinished.stat().st_size:
        raise DataError(
            "is open, or was not closed, and its folder cannot be written in",
            where=str(path),
            mend="Open it once where it can be written; then it can be read anywhere.",
        )
    return True
