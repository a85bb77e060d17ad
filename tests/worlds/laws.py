"""The bounds and invariants of a specification, all of them evaluated on the oracle's state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

from tests.oracle import NaiveState, keys_of, start_of

from supersede.model.record import History, Record, Value
from supersede.model.world import World
from supersede.specs.expressions import translate
from supersede.specs.roles import role_scope
from supersede.specs.schema import Specification
from supersede.specs.scope import Code, Scope
from supersede.specs.value_types import types


def broken(spec: Specification, world: World, history: History, state: NaiveState) -> list[str]:
    """What does not hold of a state: each bound for each cell, each invariant as a whole."""
    names = tables(spec, world, history, state)
    found = [part.name for part in spec.invariants if not evaluate(spec, part.holds, names)]
    for name, measure in spec.measures.items():
        of = types(measure.per)
        for key in keys_of(of, state.live):
            level = names[f"M_{name}"][key]
            bound = dict(zip("ef", key, strict=False))
            low, high = (
                None if part is None else evaluate(spec, part, names, of, bound)
                for part in (measure.min, measure.max)
            )
            if (low is not None and level < low) or (high is not None and level > high):
                found.append(f"{name}{list(key)}: {low} <= {level} <= {high}")
    for name, tally in spec.tallies.items():
        for value, cells in names[f"H_{tally.of}"].items():
            if tally.max is not None and value is not None:
                kind = spec.registers[tally.of].values
                of = (kind,) if isinstance(kind, str) else ("any",)
                if len(cells) > evaluate(spec, tally.max, names, of, {"e": value}):
                    found.append(f"{name} of {value}")
    for name, register in spec.registers.items():
        for value, cells in names[f"H_{name}"].items():
            if register.unique and value is not None and len(cells) > 1:
                found.append(f"{name} is not unique: {value}")
    return found


def evaluate(
    spec: Specification,
    text: str | int,
    names: dict[str, Any],
    of: tuple[str, ...] = (),
    bound: dict[str, Any] | None = None,
) -> Any:
    scope = Scope(spec)
    for variable, kind in zip("ef", of, strict=False):
        scope = scope.bind(variable, Code(variable, kind))
    return eval(translate(text, scope).source, {**FUNCTIONS, **names, **(bound or {})})


def tables(
    spec: Specification, world: World, history: History, state: NaiveState
) -> dict[str, Any]:
    """The names of emitted expressions, filled from the oracle's state for every live cell."""
    names: dict[str, Any] = {f"V_{kind}": list(live) for kind, live in state.live.items()}
    for name, measure in world.measures.items():
        keys = keys_of(measure.per, state.live)
        names[f"M_{name}"] = {k: state.measures.get((name, k), measure.start) for k in keys}
    for name, register in world.registers.items():
        cells = {
            key: state.registers.get((name, key), start_of(world, name, key))
            for key in keys_of(register.on, state.live)
        }
        names[f"G_{name}"] = cells
        held: dict[Value, list[tuple[str, ...]]] = {}
        for key, value in cells.items():
            held.setdefault(value, []).append(key)
        names[f"H_{name}"] = held
    for name, roster in world.rosters.items():
        keys = keys_of(roster.per, state.live)
        names[f"L_{name}"] = {k: list(state.rosters.get((name, k), roster.start)) for k in keys}
    for name, relation in spec.relations.items():
        pairs = set(relation.pairs)
        names[f"N_{name}"] = pairs | {(b, a) for a, b in pairs if relation.symmetric}
    names["A"] = {name: v for kind in world.types.values() for name, v in kind.values.items()}
    names["A"].update((m.entity, m.attributes) for r in history.records for m in r.mints)
    return names


def guard_holds(
    spec: Specification, world: World, before: History, state: NaiveState, record: Record
) -> bool:
    """Whether the guard of a record's event holds on the state before it (R17, R18)."""
    event = next(event for event in spec.events if event.id == record.event)
    by_id = {known.id: known for known in before.records}

    def shown(record_id: str) -> Record:
        return by_id[state.amendments.get(record_id, record_id)]

    def left(record_id: str) -> int:
        naming = [
            known.id
            for known in before.records
            if known.id in state.counting and record_id in known.roles.values()
        ]
        taken = sum(int(shown(one).parameters.get("amount", 0)) for one in naming)
        return int(shown(record_id).parameters["amount"]) - taken

    names = tables(spec, world, before, state)
    names["A"].update((mint.entity, mint.attributes) for mint in record.mints)
    names.update({f"r_{role}": value for role, value in record.roles.items()})
    names.update(FUNCTIONS, rec=shown, left=left, now=SimpleNamespace(block=record.block))
    names["counts"] = state.counting.__contains__
    return bool(eval(translate(event.when or "True", role_scope(spec, event)).source, names))


def _head(queue: Sequence[str]) -> str | None:
    return queue[0] if queue else None


def _rank(queue: Sequence[str], member: str) -> int:
    return 1 + list(queue).index(member) if member in queue else 0


def _other(pool: Sequence[str], one: str) -> str | None:
    return next((name for name in pool if name != one), None)


def _at_value(held: Mapping[Value, Sequence[tuple[str, ...]]], value: Value) -> str | None:
    return next((key[0] for key in held.get(value, ())), None)


def _half_up_div(a: int, b: int) -> int:
    exact = Fraction(abs(a), abs(b)) + Fraction(1, 2)
    return int(exact) if (a < 0) == (b < 0) else -int(exact)


FUNCTIONS = {
    "head": _head,
    "rank": _rank,
    "other": _other,
    "at_value": _at_value,
    "half_up_div": _half_up_div,
}
