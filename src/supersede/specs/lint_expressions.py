"""Lint of single expressions: translated in their scope, then asked what a translator need not.

That is: whether a register or attribute is compared with a word that it never holds, and whether
the whole gives what its place needs.
"""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterator
from dataclasses import replace

from supersede.specs.expressions import translate
from supersede.specs.lint_report import Report, an
from supersede.specs.load import Place
from supersede.specs.refused import ExpressionError, hint
from supersede.specs.schema import NamedAttribute, Specification
from supersede.specs.scope import Code, Scope
from supersede.specs.value_types import ANY, BOOLEAN, INTEGER, NOTHING


def names_in(text: str | int | None) -> set[str]:
    """The plain names in an expression; none where it is no expression."""
    if not isinstance(text, str):
        return set()
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def used_in(text: str | int | None) -> set[str]:
    """The names in an expression, those of attributes with a dot before them.

    Keywords are among them: whoever named something so has been told already.
    """
    if not isinstance(text, str):
        return set()
    keywords = set(filter(keyword.iskeyword, re.findall(r"\w+", text)))
    return names_in(text) | keywords | {f".{name}" for name in re.findall(r"\.(\w+)", text)}


def check(
    report: Report, path: Place, text: str | int, scope: Scope, wanted: str | None = None
) -> Code | None:
    """Translate an expression and note what is wrong with it.

    Args:
        report: Where it is noted.
        path: The place of the expression.
        text: The expression.
        scope: What its names mean.
        wanted: The type that its place needs; `integer` and `truth value` are told apart.

    Returns:
        Its code; None where something is wrong, or where it uses a name that is broken.
    """
    if used_in(text) & report.broken:
        return None
    try:
        code = translate(text, scope)
        if isinstance(text, str):
            for problem in _strange(ast.parse(text.strip(), mode="eval").body, scope):
                raise problem
        if wanted is not None and code.type not in (wanted, ANY, NOTHING):
            raise ExpressionError(f"{str(text)!r} is {an(code.type)}, not {an(wanted)}")
    except ExpressionError as error:
        report.refuse(path, text, error)
        return None
    except (RecursionError, MemoryError):
        report.refuse(path, text, ExpressionError("the expression is nested too deeply"))
        return None
    return code


def _strange(node: ast.AST, scope: Scope) -> Iterator[ExpressionError]:
    """Comparisons with words that are never there, inner ones first."""
    if isinstance(node, ast.GeneratorExp):
        loop = node.generators[0]
        yield from _strange(loop.iter, scope)
        if isinstance(loop.target, ast.Name):
            kind = _type(loop.iter, scope).removeprefix("list of ")
            inner = scope.bind(loop.target.id, Code("x", kind), loop=True)
            for part in (*loop.ifs, node.elt):
                yield from _strange(part, inner)
        return
    for child in ast.iter_child_nodes(node):
        yield from _strange(child, scope)
    if isinstance(node, ast.Compare):
        left = node.left
        for operator, right in zip(node.ops, node.comparators, strict=True):
            yield from _compared(operator, left, right, scope)
            left = right
    elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        tally = scope.spec.tallies.get(node.value.id)
        if tally is not None and node.value.id not in scope.variables:
            yield from _held(scope.spec, tally.of, node.slice)
    elif (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "at_value"
        and isinstance(node.args[0], ast.Name)
    ):
        yield from _held(scope.spec, node.args[0].id, node.args[1])


def _held(spec: Specification, register: str, value: ast.expr) -> Iterator[ExpressionError]:
    """A word that a register, tallied or looked up, never holds."""
    known = _values(spec, register)
    if known is not None and isinstance(value, ast.Constant) and value.value not in known:
        yield ExpressionError(f"register {register!r} never holds {value.value!r}"
                              f"{hint(str(value.value), known)}", value.col_offset)  # fmt: skip


def _values(spec: Specification, register: str) -> tuple[str, ...] | None:
    """All values of a register of symbols or of named entities."""
    part = spec.registers.get(register)
    if part is None or part.values is None:
        return None
    if isinstance(part.values, str):
        entity = spec.entities[part.values]
        return entity.names if entity.minted is None else None
    return part.values


def _compared(
    operator: ast.cmpop, left: ast.expr, right: ast.expr, scope: Scope
) -> Iterator[ExpressionError]:
    if isinstance(operator, ast.In | ast.NotIn) and isinstance(right, ast.Tuple | ast.List):
        pairs = [(left, item) for item in right.elts]
    elif isinstance(operator, ast.Eq | ast.NotEq):
        pairs = [(left, right), (right, left)]
    else:
        return
    for one, other in pairs:
        if isinstance(other, ast.Constant) and isinstance(other.value, int | str):
            problem = _never(one, other.value, scope)
            if problem is not None:
                yield ExpressionError(problem, other.col_offset)


def _never(node: ast.expr, value: int | str, scope: Scope) -> str | None:
    """Why an expression never has a value, or None where it may."""
    spec, kind, text = scope.spec, _type(node, scope), ast.unparse(node)
    known: tuple[int | str, ...] | None = None
    if kind.startswith("symbol of "):
        name = kind.removeprefix("symbol of ")
        known, text = _values(spec, name), f"register {name!r}"
    elif kind in spec.entities:
        entity = spec.entities[kind]
        known = entity.names if entity.minted is None else None
        text = f"{text!r}, {an(kind)},"
    elif isinstance(node, ast.Attribute):
        known, text = _attribute_values(node, scope), repr(text)
    elif kind in (INTEGER, BOOLEAN) and isinstance(value, str):
        return f"{text!r} is {an(kind)} and never {value!r}"
    if known is None or value in known:
        return None
    verb = "holds" if kind.startswith("symbol of ") else "is"
    return f"{text} never {verb} {value!r}{hint(str(value), [str(v) for v in known])}"


def _attribute_values(node: ast.Attribute, scope: Scope) -> tuple[int | str, ...] | None:
    """The values of an attribute of symbols."""
    entity = scope.spec.entities.get(_type(node.value, scope))
    declared = entity.attributes.get(node.attr) if entity is not None else None
    if isinstance(declared, NamedAttribute):
        return declared.values
    return declared if isinstance(declared, tuple) else None


def _type(node: ast.expr, scope: Scope) -> str:
    return translate(ast.unparse(node), replace(scope, reads=[])).type
