"""The expression language: a small whitelisted part of Python, resolved and emitted as source.

An expression is parsed with `ast`, each node is checked against a whitelist, each name is
resolved against the specification, and the result is Python source over the runtime names that
`worlds.program` binds. Nothing is ever looked up by a name that the author chose.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from supersede.specs.functions import call, clause
from supersede.specs.refused import ExpressionError, hint
from supersede.specs.schema import Specification
from supersede.specs.scope import Code, Read, Scope
from supersede.specs.value_types import (
    ANY,
    BOOLEAN,
    INTEGER,
    NOTHING,
    SYMBOL,
    attribute_type,
    event_named,
    register_type,
    types,
)

_COMPARE = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
_ARITHMETIC = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
_LONGEST = 1000
"""Characters of an expression, at most."""
_DEEPEST = 60
"""Nesting of an expression, at most: the compiler of the emitted source has a limit too."""


def translate(text: str | int, scope: Scope) -> Code:
    """Source and type of an expression.

    Args:
        text: The expression; an integer stands for itself.
        scope: What its names mean; `scope.reads` is filled.

    Raises:
        ExpressionError: The expression is not of the language, or names what is not there.
    """
    if isinstance(text, int):
        return Code(str(text), INTEGER)
    if len(text) > _LONGEST:
        raise ExpressionError(f"the expression has {len(text)} characters, more than {_LONGEST}")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        offset = error.offset if isinstance(error, SyntaxError) else 1
        why = error.msg if isinstance(error, SyntaxError) else str(error) or "it is nested too deep"
        message = f"{text!r} is not an expression: {why}"
        raise ExpressionError(message, max((offset or 1) - 1, 0)) from None
    if _depth(tree.body) > _DEEPEST:
        raise ExpressionError(f"the expression is nested more than {_DEEPEST} deep")
    return _Translator(scope).visit(tree.body)


def _depth(node: ast.AST) -> int:
    """How many nodes lie on the longest way down."""
    level, depth = [node], 0
    while level:
        level = [child for parent in level for child in ast.iter_child_nodes(parent)]
        depth += 1
    return depth


class _Translator:
    """Walks one expression; a method per node that the language has."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.spec = scope.spec

    def visit(self, node: ast.expr) -> Code:
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise self.error(node, f"{ast.unparse(node)!r} is not of the expression language")
        code: Code = method(node)
        return code

    def error(self, node: ast.expr, message: str) -> ExpressionError:
        return ExpressionError(message, node.col_offset)

    def integer(self, node: ast.expr) -> str:
        code = self.visit(node)
        if code.type not in (INTEGER, ANY, BOOLEAN):
            raise self.error(node, f"{ast.unparse(node)!r} is {_a(code.type)}, not an integer")
        return code.source

    def inside(self, scope: Scope) -> _Translator:
        return _Translator(scope)

    def _call(self, node: ast.Call) -> Code:
        return call(self, node)

    # Leaves

    def _constant(self, node: ast.Constant) -> Code:
        value = node.value
        if value is None:
            return Code("None", NOTHING)
        if isinstance(value, bool):
            return Code(repr(value), BOOLEAN)
        if isinstance(value, int):
            return Code(repr(value), INTEGER)
        if isinstance(value, str):
            return Code(repr(value), self._named(value))
        raise self.error(node, f"{value!r} is not an integer: the language has no fractions")

    def _named(self, value: str) -> str:
        for name, entity in self.spec.entities.items():
            if value in entity.names:
                return name
        return SYMBOL

    def _name(self, node: ast.Name) -> Code:
        name, spec = node.id, self.spec
        if name in self.scope.variables:
            return self.scope.variables[name]
        if name == "block":
            return Code("now.block", INTEGER)
        if name in spec.entities:
            self.scope.reads.append(Read(name, None))
            return Code(f"V_{name}", f"list of {name}")
        if name in spec.measures or name in spec.derived or name in spec.registers:
            return self._cell(node, name, [])
        if name in spec.rosters:
            return self._cell(node, name, [])
        raise self._unknown(node, name)

    def _unknown(self, node: ast.expr, name: str) -> ExpressionError:
        spec = self.spec
        known = [
            *self.scope.variables,
            *spec.entities,
            *spec.measures,
            *spec.derived,
            *spec.registers,
            *spec.rosters,
            *spec.tallies,
        ]
        return self.error(node, f"unknown name {name!r}{hint(name, known)}")

    # State

    def _subscript(self, node: ast.Subscript) -> Code:
        if not isinstance(node.value, ast.Name):
            raise self.error(node, f"{ast.unparse(node)!r}: only state can be indexed")
        keys = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if isinstance(node.slice, ast.Tuple) and len(keys) < 2:
            raise self.error(node, f"{ast.unparse(node)!r}: a tuple of {len(keys)} is no index")
        return self._cell(node, node.value.id, list(keys))

    def _cell(self, node: ast.expr, name: str, keys: Sequence[ast.expr]) -> Code:
        spec = self.spec
        if name in spec.measures:
            measure = spec.measures[name]
            key, by = self._key(node, name, keys, types(measure.per))
            source = self.scope.read("c", f"M_{name}.get({key}, {measure.start})", by)
            return Code(source, INTEGER)
        if name in spec.registers:
            register = spec.registers[name]
            key, by = self._key(node, name, keys, types(register.on))
            start = register.start if not isinstance(register.start, dict) else None
            source = self.scope.read("g", f"G_{name}.get({key}, {start!r})", by)
            return Code(source, register_type(spec, name))
        if name in spec.rosters:
            roster = spec.rosters[name]
            key, by = self._key(node, name, keys, types(roster.per))
            source = self.scope.read("l", f"L_{name}.get({key}, ())", by)
            return Code(source, f"list of {roster.of}")
        if name in spec.tallies:
            return self._tally(node, name, keys)
        if name in spec.derived:
            return self._derived(node, name, keys)
        return self._attribute_table(node, name, keys)

    def _key(
        self, node: ast.expr, name: str, keys: Sequence[ast.expr], wanted: Sequence[str]
    ) -> tuple[str, tuple[str, ...]]:
        """Source of a key, and of each of its entities."""
        codes = [self.visit(key) for key in keys]
        if len(codes) != len(wanted):
            shape = f"[{', '.join(wanted)}]" if wanted else "no index"
            raise self.error(node, f"{name!r} takes {shape}, not {ast.unparse(node)!r}")
        for key, code, kind in zip(keys, codes, wanted, strict=True):
            if code.type not in (kind, ANY, NOTHING):
                raise self.error(
                    key,
                    f"{name!r} is indexed by {kind}, but {ast.unparse(key)!r} is {_a(code.type)}",
                )
        free = all(self._outside_loops(key) for key in keys)
        sources = tuple(code.source for code in codes)
        self.scope.reads.append(Read(name, sources if free else None))
        return self.scope.key(sources), sources

    def _outside_loops(self, node: ast.expr) -> bool:
        return not any(
            isinstance(part, ast.Name) and part.id in self.scope.loops for part in ast.walk(node)
        )

    def _tally(self, node: ast.expr, name: str, keys: Sequence[ast.expr]) -> Code:
        register = self.spec.tallies[name].of
        value = self.visit(keys[0]) if len(keys) == 1 else None
        if value is None or value.type.startswith("list of "):
            raise self.error(node, f"tally {name!r} takes one value of {register!r}")
        self.scope.reads.append(Read(register, None))
        return Code(f"len(H_{register}.get({value.source}, ()))", INTEGER)

    def _derived(self, node: ast.expr, name: str, keys: Sequence[ast.expr]) -> Code:
        derived = self.spec.derived[name]
        wanted = types(derived.per)
        if len(keys) != len(wanted):
            shape = f"[{', '.join(wanted)}]" if wanted else "no index"
            raise self.error(node, f"{name!r} takes {shape}, not {ast.unparse(node)!r}")
        scope = replace(self.scope, variables={})
        for variable, key, kind in zip("ef", keys, wanted, strict=False):
            code = self.visit(key)
            scope = scope.bind(variable, Code(code.source, kind))
            if not self._outside_loops(key):
                scope = replace(scope, loops=(*scope.loops, variable))
        try:
            return Code(f"({translate(derived.value, scope).source})", INTEGER)
        except RecursionError:
            raise self.error(node, f"derived {name!r} is defined by itself") from None

    def _attribute_table(self, node: ast.expr, name: str, keys: Sequence[ast.expr]) -> Code:
        owners = [t for t, entity in self.spec.entities.items() if name in entity.attributes]
        if not owners:
            raise self._unknown(node, name)
        if len(keys) != 1:
            raise self.error(node, f"attribute {name!r} takes one entity")
        code = self.visit(keys[0])
        owner = code.type if code.type in owners else owners[0]
        if code.type not in (owner, ANY):
            raise self.error(keys[0], f"{_a(code.type)} has no attribute {name!r}")
        return attribute(self.spec, owner, name, code.source)

    def _attribute(self, node: ast.Attribute) -> Code:
        base = self.visit(node.value)
        if base.type.startswith("record "):
            return self._of_record(node, base)
        entity = self.spec.entities.get(base.type)
        if entity is None:
            raise self.error(node, f"{ast.unparse(node.value)!r} ({base.type}) has no attributes")
        if node.attr not in entity.attributes:
            near = hint(node.attr, list(entity.attributes))
            raise self.error(node, f"{_a(base.type)} has no attribute {node.attr!r}{near}")
        return attribute(self.spec, base.type, node.attr, base.source)

    def _of_record(self, node: ast.Attribute, base: Code) -> Code:
        from supersede.specs.roles import role_of_type  # roles are expressions themselves

        event = event_named(self.spec, base.type.removeprefix("record "))
        if node.attr in event.parameters:
            return Code(f"{self.scope.record(base.source)}.parameters[{node.attr!r}]", ANY)
        if node.attr in event.roles:
            kind = role_of_type(self.spec, event.id, node.attr)
            return Code(f"{self.scope.record(base.source)}.roles[{node.attr!r}]", kind)
        near = hint(node.attr, [*event.roles, *event.parameters])
        raise self.error(node, f"a record of {event.id!r} has no {node.attr!r}{near}")

    # Operations

    def _binop(self, node: ast.BinOp) -> Code:
        operator = _ARITHMETIC.get(type(node.op))
        if operator is None:
            raise self.error(
                node, f"{ast.unparse(node)!r}: use + - * or floor_div(a, b), half_up_div(a, b)"
            )
        return Code(f"({self.integer(node.left)} {operator} {self.integer(node.right)})", INTEGER)

    def _unaryop(self, node: ast.UnaryOp) -> Code:
        if isinstance(node.op, ast.Not):
            return Code(f"(not {self.visit(node.operand).source})", BOOLEAN)
        if isinstance(node.op, ast.USub):
            return Code(f"(-{self.integer(node.operand)})", INTEGER)
        raise self.error(node, f"{ast.unparse(node)!r} is not of the expression language")

    def _boolop(self, node: ast.BoolOp) -> Code:
        word = " and " if isinstance(node.op, ast.And) else " or "
        return Code("(" + word.join(self.visit(v).source for v in node.values) + ")", BOOLEAN)

    def _ifexp(self, node: ast.IfExp) -> Code:
        yes, no, test = self.visit(node.body), self.visit(node.orelse), self.visit(node.test)
        kinds = {yes.type, no.type} - {NOTHING}
        kind = kinds.pop() if len(kinds) == 1 else ANY
        return Code(f"({yes.source} if {test.source} else {no.source})", kind)

    def _compare(self, node: ast.Compare) -> Code:
        left = self.visit(node.left)
        parts = [left.source]
        for operator, right_node in zip(node.ops, node.comparators, strict=True):
            right = self.visit(right_node)
            self._comparable(node, operator, left, right, right_node)
            parts += [_COMPARE[type(operator)], right.source]
            left = right
        return Code("(" + " ".join(parts) + ")", BOOLEAN)

    def _comparable(
        self, node: ast.expr, operator: ast.cmpop, left: Code, right: Code, right_node: ast.expr
    ) -> None:
        text = ast.unparse(node)
        if isinstance(operator, ast.Is | ast.IsNot) and right.type != NOTHING:
            raise self.error(node, f"{text!r}: `is` only goes with None; use ==")
        if isinstance(operator, ast.In | ast.NotIn):
            if not right.type.startswith("list of "):
                raise self.error(node, f"{text!r}: `in` needs a list, not {_a(right.type)}")
            return
        if isinstance(operator, ast.Lt | ast.LtE | ast.Gt | ast.GtE):
            for code in (left, right):
                if code.type not in (INTEGER, ANY, BOOLEAN):
                    raise self.error(node, f"{text!r} compares {_a(code.type)} by size")
        self._known_symbol(node, left, right, right_node)

    def _known_symbol(self, node: ast.expr, left: Code, right: Code, right_node: ast.expr) -> None:
        """Refuse a comparison of a register with a word that it never holds."""
        if left.type.startswith("symbol of ") and isinstance(right_node, ast.Constant):
            name = left.type.removeprefix("symbol of ")
            symbols = self.spec.registers[name].values or ()
            word = right_node.value
            if isinstance(word, str) and word not in symbols:
                near = hint(word, list(symbols))
                raise self.error(node, f"register {name!r} never holds {word!r}{near}")

    def _tuple(self, node: ast.Tuple) -> Code:
        codes = [self.visit(part) for part in node.elts]
        return Code("(" + "".join(f"{code.source}, " for code in codes) + ")", f"list of {ANY}")

    _list = _tuple


def clause_of(text: str, scope: Scope) -> tuple[Scope, str]:
    """The scope inside `x in pool if test`, and its source as a `for` clause.

    Raises:
        ExpressionError: The text is no such clause.
    """
    try:
        tree = ast.parse(f"(0 for {text.strip()})", mode="eval").body
    except SyntaxError:
        tree = None
    if not isinstance(tree, ast.GeneratorExp) or len(tree.generators) != 1:
        raise ExpressionError(f"{text!r} is not of the form `x in type if test`")
    return clause(_Translator(scope), tree.generators[0])


def attribute(spec: Specification, owner: str, name: str, source: str) -> Code:
    """Source and type of an entity's attribute."""
    at = list(spec.entities[owner].attributes).index(name)
    return Code(f"A[{source}][{at}]", attribute_type(spec, owner, name))


def _a(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
