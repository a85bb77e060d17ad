"""Emits how a drawn event changes the state: cells are written, checked, and put back if unlawful.

What an event may break is known when it is compiled, so that its function runs those checks and
no others. An event that joins, leaves, mints or posts to many cells goes through `commit`, which
does the same for whatever it is given.
"""

from __future__ import annotations

from collections.abc import Sequence

from supersede.specs.expressions import types
from supersede.specs.schema import Event, Specification
from supersede.worlds.checks import Check
from supersede.worlds.emit_effects import Effects, tuple_source


def commit_lines(
    spec: Specification, event: Event, effects: Effects, mints: str, checks: Sequence[Check]
) -> list[str]:
    """Lines that put an event's effects in force, or return None where that breaks a bound."""
    if effects.cells is None or mints != "()" or event.join or event.leave:
        return [f"if not commit({mints}, postings, assigned, members): return None"]
    lines: list[str] = []
    undo: list[str] = []
    tests: dict[str, None] = {}
    for n, change in enumerate(effects.cells):
        cells, start = f"M_{change.measure}", spec.measures[change.measure].start
        lines.append(f"k_{n} = {tuple_source(change.key)}")
        lines.append(f"{cells}[k_{n}] = {cells}.get(k_{n}, {start}) + {change.amount}")
        undo.append(f"{cells}[k_{n}] -= {change.amount}")
        tests.update(dict.fromkeys(_tests(spec, checks, change.measure, change.key, "")))
    for assigned in effects.sets:
        name, key, value = assigned.register, assigned.key, assigned.value
        lines.append(f"S_{name}({key}, now.when, {value})")
        undo.append(f"unset({name!r}, {key}, now.when, {value})")
        parts = tuple(f"{key}[{n}]" for n in range(len(types(spec.registers[name].on))))
        tests.update(dict.fromkeys(_tests(spec, checks, name, parts, value)))
    if tests:
        lines.append(f"if not ({' and '.join(tests)}):")
        lines += [*("    " + line for line in reversed(undo)), "    return None"]
    return lines


def _tests(
    spec: Specification, checks: Sequence[Check], name: str, key: Sequence[str], value: str
) -> list[str]:
    """Calls of the checks that a change of one cell may break.

    Args:
        spec: The specification.
        checks: Its checks.
        name: Measure or register of the cell.
        key: Source of each entity of its key.
        value: Source of the new value of a register: no check of a value minds losing a cell.
    """
    tests = []
    for n, check in enumerate(checks):
        if name not in check.reads:
            continue
        if check.how == "value":
            tests.append(f"check_{n}({value})")
        elif check.how == "all" or (len(check.over) > 1 and name in check.over):
            tests.append(f"check_{n}()")
        else:
            cell = key if check.how == "cell" else [key[check.at[name] or 0]]
            places = zip(check.over, cell, strict=True)
            dead = [f"{e} not in V_{kind}" for kind, e in places if spec.entities[kind].minted]
            test = f"check_{n}({', '.join(cell)})"
            tests.append(f"({' or '.join([test, *dead])})")
    return tests
