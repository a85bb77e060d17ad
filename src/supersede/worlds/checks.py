"""Bounds and invariants compiled to Python source, with what may break each (R20 to R22).

A check is `cell` where it speaks of one cell at a time and reads no other: then only touched
cells are checked. It is `row` where it speaks of one entity at a time and every cell that it reads
names that entity: then only the entities that touched cells name are checked. It is `value` where
it bounds how many cells of a register hold a value. Every other check is `all`: evaluated in full
whenever something that it reads was touched.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from supersede.specs.expressions import translate
from supersede.specs.schema import Specification
from supersede.specs.scope import Code, Read, Scope
from supersede.specs.value_types import types

_VARIABLES = "ef"
"""The names of a cell's entities in bounds."""


@dataclass(frozen=True, slots=True)
class Check:
    """A bound or invariant, compiled."""

    name: str
    """For people: `min of stock`, or the invariant's name."""
    how: Literal["cell", "row", "value", "all"]
    source: str
    """Parameters and body of its function: `(e): return ...`."""
    reads: tuple[str, ...]
    """Measures, registers, rosters and entity types whose change may break it."""
    over: tuple[str, ...] = ()
    """Entity types of the cells that a `cell` check speaks of; the one type of a `row` check."""
    at: Mapping[str, int | None] = field(default_factory=dict)
    """What a `row` check reads -> where its cells name the entity: a place in the key, or None
    for a roster whose joining or leaving member it is."""
    register: str | None = None
    """The register whose values a `value` check counts."""


def compile_checks(spec: Specification) -> tuple[Check, ...]:
    """All bounds and invariants of a specification.

    Raises:
        ExpressionError: An expression is refused.
    """
    checks: list[Check] = []
    for name, measure in spec.measures.items():
        for word, bound, sign in (("min", measure.min, ">="), ("max", measure.max, "<=")):
            if bound is not None:
                checks.append(_bound(spec, name, f"{word} of {name}", bound, sign))
    for name, tally in spec.tallies.items():
        if tally.max is not None:
            checks.append(_tally_bound(spec, tally.of, f"max of {name}", tally.max))
    for name, register in spec.registers.items():
        if register.unique:
            checks.append(_tally_bound(spec, name, f"{name} is unique", 1))
    for invariant in spec.invariants:
        checks.append(_invariant(spec, invariant.name, invariant.holds))
    return tuple(checks)


def _bound(spec: Specification, measure: str, name: str, bound: int | str, sign: str) -> Check:
    """`min` or `max` of every cell of a measure."""
    per = types(spec.measures[measure].per)
    variables = tuple(_VARIABLES[: len(per)])
    scope = Scope(spec)
    for variable, kind in zip(variables, per, strict=True):
        scope = scope.bind(variable, Code(variable, kind))
    cell = translate(f"{measure}[{', '.join(variables)}]" if per else measure, scope)
    code = Code(f"({cell.source} {sign} {translate(bound, scope).source})", "truth value")
    return _per_cell(name, code, scope.reads, variables, per)


def _per_cell(
    name: str, code: Code, reads: Sequence[Read], variables: Sequence[str], per: Sequence[str]
) -> Check:
    """A check of each cell alone where it reads no other cell, else of all of them."""
    names = tuple(dict.fromkeys([read.name for read in reads] + list(per)))
    if all(read.key == tuple(variables) for read in reads):
        parameters = ", ".join(variables)
        return Check(name, "cell", f"({parameters}): return {code.source}", names, tuple(per))
    loops = "".join(f" for {v} in V_{kind}" for v, kind in zip(variables, per, strict=True))
    body = f"all({code.source}{loops})" if loops else code.source
    return Check(name, "all", f"(): return {body}", names)


def _tally_bound(spec: Specification, register: str, name: str, bound: int | str) -> Check:
    """How many cells of a register may hold one value."""
    values = spec.registers[register].values
    kind = values if isinstance(values, str) else "any"
    scope = Scope(spec).bind("e", Code("e", kind))
    limit = translate(bound, scope).source
    test = f"(e is None or len(H_{register}.get(e, ())) <= {limit})"
    if not scope.reads:
        return Check(name, "value", f"(e): return {test}", (register,), register=register)
    names = (register, *dict.fromkeys(read.name for read in scope.reads))
    return Check(name, "all", f"(): return all({test} for e in H_{register})", names)


def _invariant(spec: Specification, name: str, text: str) -> Check:
    tree = ast.parse(text.strip(), mode="eval").body
    loop = _loop(spec, tree)
    if loop is not None:
        generator, variable, kind = loop
        scope = Scope(spec).bind(variable, Code("e", kind))
        tests = [translate(ast.unparse(test), scope).source for test in generator.generators[0].ifs]
        body = translate(ast.unparse(generator.elt), scope).source
        source = f"(not ({' and '.join(tests)}) or {body})" if tests else body
        check = _per_cell(name, Code(source, "truth value"), scope.reads, ("e",), (kind,))
        if check.how == "cell":
            return check
        at = _places(spec, [generator.elt, *generator.generators[0].ifs], variable)
        if at is not None:
            return Check(name, "row", f"(e): return {source}", (*at, kind), (kind,), at=at)
    scope = Scope(spec)
    code = translate(text, scope)
    names = tuple(dict.fromkeys(read.name for read in scope.reads))
    return Check(name, "all", f"(): return {code.source}", names)


def _loop(spec: Specification, tree: ast.expr) -> tuple[ast.GeneratorExp, str, str] | None:
    """The generator, variable and entity type of `all(test for x in type)` (R22)."""
    if not (isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and len(tree.args) == 1):
        return None
    generator = tree.args[0]
    if tree.func.id != "all" or not isinstance(generator, ast.GeneratorExp):
        return None
    clause = generator.generators[0]
    if isinstance(clause.iter, ast.Name) and isinstance(clause.target, ast.Name):
        kind = clause.iter.id
        return (generator, clause.target.id, kind) if kind in spec.entities else None
    return None


def _places(
    spec: Specification, tests: Sequence[ast.expr], variable: str
) -> dict[str, int | None] | None:
    """What tests read -> where its cells name the entity of a variable (`at`).

    None where something is read that does not name it, or names it in two places: then a change
    of one cell may break the test of another entity.
    """
    places: dict[str, int | None] = {}
    placed: set[ast.AST] = set()
    for node in (node for test in tests for node in ast.walk(test)):  # Outer nodes come first.
        if isinstance(node, ast.comprehension) and _is(node.target, variable):
            return None
        table, found = _place(spec, node, variable)
        if table is None:
            if isinstance(node, ast.Name) and node not in placed and _may_change(spec, node.id):
                return None
            continue
        placed.add(table)
        if found is None or any(places.setdefault(name, at) != at for name, at in found.items()):
            return None
    return places


def _place(
    spec: Specification, node: ast.AST, variable: str
) -> tuple[ast.Name | None, dict[str, int | None] | None]:
    """The table that a node reads by the variable, if it does, and the places of what that is."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and _is(node.left, variable):
        pool = node.comparators[0]
        table = pool.value if isinstance(pool, ast.Subscript) else pool
        if isinstance(table, ast.Name) and table.id in spec.rosters:
            return table, {table.id: None}
    elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        table = node.value
        keys = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        at = next((n for n, key in enumerate(keys) if _is(key, variable)), None)
        if at is not None and table.id in spec.derived:
            tree = ast.parse(str(spec.derived[table.id].value).strip(), mode="eval").body
            return table, _places(spec, [tree], _VARIABLES[at])
        if at is not None and (table.id in spec.measures or table.id in spec.registers):
            return table, {table.id: at}
    return None, None


def _is(node: ast.expr, variable: str) -> bool:
    return isinstance(node, ast.Name) and node.id == variable


def _may_change(spec: Specification, name: str) -> bool:
    """Whether a name stands for something that differs from one record to the next."""
    tables = (spec.measures, spec.derived, spec.registers, spec.rosters, spec.tallies)
    minted = name in spec.entities and spec.entities[name].minted is not None
    return name == "block" or minted or any(name in table for table in tables)
