"""The functions that an expression may call, and the `for` clauses that some of them run over."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Protocol

from supersede.specs.refused import ExpressionError, hint
from supersede.specs.schema import Specification
from supersede.specs.scope import Code, Read, Scope
from supersede.specs.value_types import ANY, BOOLEAN, INTEGER, event_named, types

_OVER = {"sum": INTEGER, "all": BOOLEAN, "any": BOOLEAN, "count": INTEGER}
"""Functions that run over a generator alone, and what they give."""


class Translating(Protocol):
    """What translates the arguments of a call."""

    scope: Scope
    spec: Specification

    def visit(self, node: ast.expr) -> Code:
        """Source and type of an expression."""

    def integer(self, node: ast.expr) -> str:
        """Source of an expression that must be an integer."""

    def error(self, node: ast.expr, message: str) -> ExpressionError:
        """That a node is refused."""

    def inside(self, scope: Scope) -> Translating:
        """What translates inside of a clause."""


def call(t: Translating, node: ast.Call) -> Code:
    """Source and type of a call.

    Raises:
        ExpressionError: Nothing is called so, or not with such arguments.
    """
    if not isinstance(node.func, ast.Name) or node.keywords:
        raise t.error(node, f"{ast.unparse(node)!r}: only listed functions can be called")
    name = node.func.id
    if name in t.spec.relations:
        a, b = _arguments(t, node, 2)
        return Code(f"(({a.source}, {b.source}) in N_{name})", BOOLEAN)
    if name not in FUNCTIONS:
        known = [*FUNCTIONS, *t.spec.relations]
        raise t.error(node, f"unknown function {name!r}{hint(name, known)}")
    if len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp):
        return _over(t, node, name, node.args[0])
    function = _PLAIN.get(name)
    if function is None:
        raise t.error(node, f"{name!r} needs a generator: {name}(x for x in ...)")
    return function(t, node)


def _arguments(t: Translating, node: ast.Call, count: int) -> list[Code]:
    if len(node.args) != count:
        raise t.error(node, f"{ast.unparse(node)!r} needs {count} arguments")
    return [t.visit(argument) for argument in node.args]


def _over(t: Translating, node: ast.Call, name: str, generator: ast.GeneratorExp) -> Code:
    if name not in (*_OVER, "min", "max"):
        raise t.error(node, f"{name!r} does not take a generator")
    if len(generator.generators) != 1:
        raise t.error(node, f"{ast.unparse(node)!r}: one `for` only")
    total = _total(t, generator) if name == "sum" else None
    if total is not None:
        return total
    scope, loop = clause(t, generator.generators[0])
    element = t.inside(scope).visit(generator.elt)
    body = f"{element.source} {loop}"
    if name == "count":
        return Code(f"sum(1 {loop})", INTEGER)
    if name in ("min", "max"):
        return Code(f"{name}(({body}), default=0)", INTEGER)
    return Code(f"{name}({body})", _OVER[name])


def _total(t: Translating, generator: ast.GeneratorExp) -> Code | None:
    """`sum(measure[x] for x in type)` over all cells, as one fast sum."""
    loop, cell = generator.generators[0], generator.elt
    if not (
        isinstance(cell, ast.Subscript)
        and isinstance(cell.value, ast.Name)
        and isinstance(loop.iter, ast.Name)
        and ast.unparse(cell.slice) == ast.unparse(loop.target)
        and not loop.ifs
    ):
        return None
    measure = t.spec.measures.get(cell.value.id)
    kind = loop.iter.id
    if measure is None or measure.start or measure.per != kind or kind in t.scope.variables:
        return None
    t.scope.reads.append(Read(cell.value.id, None))
    return Code(f"sum(M_{cell.value.id}.values())", INTEGER)


def clause(t: Translating, comprehension: ast.comprehension) -> tuple[Scope, str]:
    """The scope inside a `for` clause, and its source.

    Raises:
        ExpressionError: It is no clause of the language.
    """
    if not isinstance(comprehension.target, ast.Name):
        raise t.error(comprehension.target, "a generator binds one plain name")
    pool = t.visit(comprehension.iter)
    if not pool.type.startswith("list of "):
        text = ast.unparse(comprehension.iter)
        raise t.error(comprehension.iter, f"{text!r} is not a list of entities")
    name = comprehension.target.id
    kind = pool.type.removeprefix("list of ")
    scope = t.scope.bind(name, Code(f"x_{name}", kind), loop=True)
    inner = t.inside(scope)
    tests = "".join(f" if {inner.visit(test).source}" for test in comprehension.ifs)
    return scope, f"for x_{name} in {pool.source}{tests}"


def _abs(t: Translating, node: ast.Call) -> Code:
    (value,) = _arguments(t, node, 1)
    return Code(f"abs({value.source})", INTEGER)


def _min(t: Translating, node: ast.Call) -> Code:
    return _extreme(t, node, "min")


def _max(t: Translating, node: ast.Call) -> Code:
    return _extreme(t, node, "max")


def _extreme(t: Translating, node: ast.Call, name: str) -> Code:
    values = [t.integer(argument) for argument in node.args]
    if len(values) < 2:
        raise t.error(node, f"{ast.unparse(node)!r} needs two arguments or more, or a generator")
    return Code(f"{name}({', '.join(values)})", INTEGER)


def _size(t: Translating, node: ast.Call) -> Code:
    return Code(f"len({_sequence(t, node)[0].source})", INTEGER)


def _sequence(t: Translating, node: ast.Call, count: int = 1) -> list[Code]:
    codes = _arguments(t, node, count)
    if not codes[0].type.startswith("list of "):
        raise t.error(node, f"{ast.unparse(node.args[0])!r} is not a list")
    return codes


def _head(t: Translating, node: ast.Call) -> Code:
    (queue,) = _sequence(t, node)
    return Code(f"head({queue.source})", queue.type.removeprefix("list of "))


def _rank(t: Translating, node: ast.Call) -> Code:
    queue, member = _sequence(t, node, 2)
    return Code(f"rank({queue.source}, {member.source})", INTEGER)


def _floor_div(t: Translating, node: ast.Call) -> Code:
    a, b = _arguments(t, node, 2)
    return Code(f"({a.source} // {b.source})", INTEGER)


def _half_up_div(t: Translating, node: ast.Call) -> Code:
    a, b = _arguments(t, node, 2)
    return Code(f"half_up_div({a.source}, {b.source})", INTEGER)


def _other(t: Translating, node: ast.Call) -> Code:
    pool, one = _sequence(t, node, 2)
    return Code(f"other({pool.source}, {one.source})", pool.type.removeprefix("list of "))


def _record(t: Translating, node: ast.Call) -> Code:
    (record,) = _arguments(t, node, 1)
    if not record.type.startswith("record "):
        raise t.error(node, f"{ast.unparse(node.args[0])!r} is not a record role")
    return record


def _counts(t: Translating, node: ast.Call) -> Code:
    return Code(f"counts({_record(t, node).source})", BOOLEAN)


def _left(t: Translating, node: ast.Call) -> Code:
    record = _record(t, node)
    event = event_named(t.spec, record.type.removeprefix("record "))
    if "amount" not in event.parameters:
        raise t.error(node, f"left() needs a parameter `amount` on event {event.id!r}")
    return Code(f"left({record.source})", INTEGER)


def _at_value(t: Translating, node: ast.Call) -> Code:
    if len(node.args) != 2 or not isinstance(node.args[0], ast.Name):
        raise t.error(node, "at_value(register, value) needs a register's name")
    name = node.args[0].id
    if name not in t.spec.registers:
        raise t.error(node, f"{name!r} is not a register")
    value = t.visit(node.args[1])
    t.scope.reads.append(Read(name, None))
    on = types(t.spec.registers[name].on)
    return Code(f"at_value(H_{name}, {value.source})", on[0] if on else ANY)


_PLAIN: Mapping[str, Callable[[Translating, ast.Call], Code]] = {
    "abs": _abs,
    "at_value": _at_value,
    "counts": _counts,
    "floor_div": _floor_div,
    "half_up_div": _half_up_div,
    "head": _head,
    "left": _left,
    "max": _max,
    "min": _min,
    "other": _other,
    "rank": _rank,
    "size": _size,
}
"""Functions of arguments; `min` and `max` take a generator as well."""

FUNCTIONS = tuple(sorted({*_PLAIN, *_OVER}))
"""Every function that an expression may call; relations of the specification come on top."""
