"""Emits how a drawn event changes the state: cells are checked and written, or left as they are.

What an event may break is known when it is compiled, so that its function runs those checks and
no others. A check that reads nothing but cells whose new values are at hand is made before
anything is written; what the others find unlawful is put back. An event that posts to many cells,
or that mints what makes many, goes through `commit`, which does the same for whatever it is given.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from supersede.specs.roles import Role
from supersede.specs.schema import Specification
from supersede.specs.value_types import types
from supersede.worlds.checks import Check
from supersede.worlds.emit_effects import Change, Effects


def commit_lines(
    spec: Specification,
    roles: Sequence[Role],
    effects: Effects,
    mints: str,
    checks: Sequence[Check],
) -> list[str]:
    """Lines that put an event's effects in force, or return None where that breaks a bound.

    Args:
        spec: The specification.
        roles: The roles of the event.
        effects: Its effects.
        mints: Source of what it mints.
        checks: The checks of the specification.
    """
    if is_generic(spec, roles, effects, checks):
        parts = f"{mints}, {effects.postings}, {effects.assigned}, {effects.members}"
        return [f"if not commit(when, {parts}): return None"]
    return _Commit(spec, roles, effects, checks).lines()


def is_generic(
    spec: Specification, roles: Sequence[Role], effects: Effects, checks: Sequence[Check]
) -> bool:
    """Whether an event goes through `commit`: what it may break is not known before it is drawn."""
    minted = {role.type for role in roles if role.how == "minted"}
    return (
        effects.cells is None
        or effects.moves is None
        or any(_of_many(spec, check, kind) for check in checks for kind in minted)
    )


def _of_many(spec: Specification, check: Check, kind: str) -> bool:
    """Whether a new entity of a type brings several cells, or a value, under a check at once."""
    if check.how == "value":
        return check.register is None or kind in types(spec.registers[check.register].on)
    return check.how == "cell" and len(check.over) > 1 and kind in check.over


class _Commit:
    """The lines of an event whose cells are known when it is compiled."""

    def __init__(
        self, spec: Specification, roles: Sequence[Role], effects: Effects, checks: Sequence[Check]
    ) -> None:
        self._spec = spec
        self._sets = effects.sets
        self._moves = effects.moves or ()
        self._checks = checks
        self._minted = {f"r_{role.name}": role.type for role in roles if role.how == "minted"}
        self._differ = {frozenset((f"r_{r.name}", f"r_{o}")) for r in roles for o in r.others}
        self._changes: dict[str, list[Change]] = {}
        for change in effects.cells or ():
            self._changes.setdefault(change.measure, []).append(change)
        self._sure = {
            measure
            for measure, changes in self._changes.items()
            if all(self._apart(a, b) for a in changes for b in changes if a is not b)
        }
        """Measures whose changed cells are surely different ones."""

    def _apart(self, one: Change, other: Change) -> bool:
        """Whether two changes are surely of different cells."""
        return any(
            frozenset(pair) in self._differ
            for pair in zip(one.entities, other.entities, strict=True)
        )

    def lines(self) -> list[str]:
        levels: list[str] = []
        writes: list[str] = []
        undo: list[str] = []
        first: dict[str, None] = {}
        after: dict[str, None] = {}
        if self._minted:
            writes.append("mint(1, position, mints)")
            undo.append("mint(-1, position, mints)")
        tested: set[tuple[int, tuple[str, ...]]] = set()
        for measure, changes in self._changes.items():
            cells, start = f"M_{measure}", self._spec.measures[measure].start
            for change in changes:
                key, amount = change.key, change.amount
                if measure in self._sure:
                    levels.append(f"{_new(change)} = {change.level} + {amount}")
                    writes.append(f"{cells}[{key}] = {_new(change)}")
                else:
                    writes.append(f"{cells}[{key}] = {cells}.get({key}, {start}) + {amount}")
                undo.append(f"{cells}[{key}] -= {amount}")
                for n, check in self._reading(measure):
                    test = self._at_hand(check, change)
                    if test is not None:
                        first[self._of_the_living(test, check, change.entities)] = None
                        tested.add((n, change.entities))
                    else:
                        after[self._test(n, check, measure, change.entities)] = None
        for entity, kind in self._minted.items():
            for n, check in self._reading(kind):
                if (n, (entity,)) not in tested:
                    after[self._test(n, check, kind, (entity,))] = None
        for assigned in self._sets:
            name, key, value = assigned.register, assigned.key, assigned.value
            writes.append(f"S_{name}({key}, when, {value})")
            undo.append(f"unset({name!r}, {key}, when, {value})")
            for n, check in self._reading(name):
                by_value = check.how == "value"
                test = f"check_{n}({value})" if by_value else None
                after[test or self._test(n, check, name, assigned.entities)] = None
        for place, move in enumerate(self._moves):
            parts = f"{move.key}, {move.member}, (*when, {place}), {move.joins}"
            writes.append(f"E_{move.roster}({parts})")
            undo.append(f"unenrol({move.roster!r}, {parts})")
            for n, check in self._reading(move.roster):
                member = check.how == "row" and check.at[move.roster] is None
                entities = [move.member] if member else move.entities
                after[self._test(n, check, move.roster, entities)] = None
        tests = [f"if not ({' and '.join(first)}): return None"] if first else []
        if after:
            writes.append(f"if not ({' and '.join(after)}):")
            writes += [*("    " + line for line in reversed(undo)), "    return None"]
        return [*levels, *tests, *writes]

    def _reading(self, name: str) -> list[tuple[int, Check]]:
        """The checks, with their numbers, that a change of a cell of `name` may break."""
        return [(n, check) for n, check in enumerate(self._checks) if name in check.reads]

    def _at_hand(self, check: Check, change: Change) -> str | None:
        """Source of a check of one cell by new levels; None where it needs what is written."""
        if check.how != "cell" or change.measure not in self._sure:
            return None
        written = {*(s.register for s in self._sets), *(m.roster for m in self._moves)}
        levels = {change.measure: _new(change)}
        for name in check.reads:
            if name in written:
                return None
            for other in self._changes.get(name, ()):
                if other.entities == change.entities and name in self._sure:
                    levels[name] = _new(other)
                elif not self._apart(other, change):
                    return None
        return _with_levels(check, change.entities, levels)

    def _test(self, n: int, check: Check, name: str, entities: Sequence[str]) -> str:
        """Source of a check of the state, after a change of the cell of `entities`."""
        if check.how == "all" or (len(check.over) > 1 and name in check.over):
            return f"check_{n}()"
        if check.how == "row":
            entities = [entities[check.at.get(name) or 0]]
        return self._of_the_living(f"check_{n}({', '.join(entities)})", check, entities)

    def _of_the_living(self, test: str, check: Check, entities: Sequence[str]) -> str:
        """A test that speaks of live entities alone."""
        places = zip(check.over, entities, strict=True)
        dead = [
            f"{e} not in V_{kind}"
            for kind, e in places
            if self._spec.entities[kind].minted and e not in self._minted
        ]
        return f"({' or '.join([test, *dead])})"


def _new(change: Change) -> str:
    """The local name of the level that a change leads to."""
    return change.amount.replace("d_", "n_")


def _with_levels(check: Check, entities: Sequence[str], levels: Mapping[str, str]) -> str:
    """Source of a check of the cell of `entities`, with its levels by local names."""
    parameters, _, body = check.source.partition(": return ")
    variables = [name.strip() for name in parameters.strip("()").split(",") if name.strip()]
    tree = ast.parse(body, mode="eval").body
    return ast.unparse(_Levels(dict(zip(variables, entities, strict=True)), levels).visit(tree))


class _Levels(ast.NodeTransformer):
    """Puts entities for the variables of a check and new levels for what it would look up."""

    def __init__(self, entities: Mapping[str, str], levels: Mapping[str, str]) -> None:
        self._entities = entities
        self._levels = {f"M_{measure}": name for measure, name in levels.items()}

    def visit_Call(self, node: ast.Call) -> ast.AST:
        table = node.func.value if isinstance(node.func, ast.Attribute) else None
        if isinstance(table, ast.Name) and table.id in self._levels:
            return ast.Name(self._levels[table.id])
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        source = self._entities.get(node.id)
        return node if source is None else ast.parse(source, mode="eval").body
