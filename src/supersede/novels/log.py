"""The log of a project, and its fold: what everybody did, and what is so because of it.

The fold here reads the whole log and is as plain as can be. The store keeps the same tables up to
date event by event; a test holds the two against each other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from supersede.novels.tables import Key, Value

__all__ = ["REDO", "UNDO", "Change", "Event", "Row", "fold"]

UNDO = "undo"
REDO = "redo"


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that somebody wants to be so."""

    kind: str
    """The table."""
    key: Key
    value: Value | None
    """All fields of the row; None takes it away."""
    base: int = 0
    """Revision of the row that was looked at; 0 where there was none."""


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the log, which is never changed."""

    number: int
    """From 1, without gaps."""
    action: int
    """Number of the first event that was done in the same stroke; they are undone together."""
    at: float
    """Seconds since 1970."""
    by: str
    """The annotator; empty for whoever has the files."""
    kind: str
    """A table, `undo` or `redo`."""
    book: str
    """Empty where it concerns no single book."""
    key: Key
    """Of the row; for `undo` and `redo` the action."""
    value: Value | None
    base: int
    """The revision that it was based on."""


class Row(NamedTuple):
    """What is so: a row, with where it comes from."""

    value: Value
    revision: int
    """Number of the last event that touched it, undoing included."""
    by: str
    at: float


def fold(events: Iterable[Event]) -> dict[tuple[str, Key], Row]:
    """What is so after some events, by kind and key.

    Args:
        events: The log from its beginning, in order.
    """
    actions: dict[int, list[Event]] = {}
    undone: set[int] = set()
    touched: dict[tuple[str, Key], int] = {}
    for event in events:
        if event.kind not in (UNDO, REDO):
            actions.setdefault(event.action, []).append(event)
            touched[event.kind, event.key] = event.number
            continue
        (action,) = event.key
        assert isinstance(action, int)
        (undone.add if event.kind == UNDO else undone.discard)(action)
        for earlier in actions[action]:
            touched[earlier.kind, earlier.key] = event.number
    last = {
        (event.kind, event.key): event
        for action, events_of in actions.items()
        if action not in undone
        for event in events_of
    }
    return {
        place: Row(event.value, touched[place], event.by, event.at)
        for place, event in last.items()
        if event.value is not None
    }
