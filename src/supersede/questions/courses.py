"""Courses: what happens to running values record by record, in the order of what took place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

from supersede.model.record import Key, Value
from supersede.questions.index import Row
from supersede.questions.view import View

_entry = itemgetter(0)


def steps(v: View, rows: Sequence[Row]) -> Iterator[tuple[int, dict[str, int]]]:
    """What each record adds, in order: its position, and entity -> change.

    Args:
        v: The view.
        rows: Rows of changes, of which each shows the entity that it counts for.
    """
    for position, group in groupby(v.running(rows), key=_entry):
        changed: dict[str, int] = {}
        for row in group:
            if row[3] is not None:
                changed[row[3]] = changed.get(row[3], 0) + row[2]
        yield position, changed


def peaks(v: View, rows: Sequence[Row]) -> dict[str, tuple[int, int]]:
    """Entity -> its highest running net change and the record that first brings it there.

    Entities that are never above 0 are left out.
    """
    level: dict[str, int] = {}
    highest: dict[str, tuple[int, int]] = {}
    for position, changed in steps(v, rows):
        for name, delta in changed.items():
            level[name] = delta if v.reading.last_mention else level.get(name, 0) + delta
            if level[name] > (highest[name][0] if name in highest else 0):
                highest[name] = (level[name], position)
    return highest


def crossings(v: View, rows: Sequence[Row], limit: int) -> dict[str, int]:
    """Entity -> the record with which its running net change first is at least a limit, in order.

    Those that one record brings there come in the order in which it changes them.
    """
    level: dict[str, int] = {}
    reached: dict[str, int] = {}
    for position, changed in steps(v, rows):
        for name, delta in changed.items():
            level[name] = delta if v.reading.last_mention else level.get(name, 0) + delta
            if level[name] >= limit and name not in reached:
                reached[name] = position
    return reached


def stretches(v: View, register: str) -> dict[Key, list[tuple[int, Value]]]:
    """Cell that valid records set -> (block from which on it holds a value, value), in order.

    Each begins with what it holds at the start, from block 1 on.
    """
    declared = v.world.registers[register]
    found: dict[Key, list[tuple[int, Value]]] = {}
    for row in v.running(v.take(v.index.assignments(register))):
        held = found.setdefault(row[2], [(1, declared.starts.get(row[2], declared.start))])
        held.append((v.block_of(row), row[3]))
    return found


def blocks_held(course: Sequence[tuple[int, Value]], wanted: Value, last_block: int) -> int:
    """At the end of how many blocks a cell holds a value, by its stretches."""
    ends = [block for block, _ in course[1:]] + [last_block + 1]
    return sum(
        end - block for (block, value), end in zip(course, ends, strict=True) if value == wanted
    )


def ordered(values: Mapping[str, int], names: Sequence[str]) -> dict[str, int]:
    """Values in the order of some names, which breaks ties; names without a value go."""
    return {name: values[name] for name in names if name in values}
