"""The expression language: a small whitelisted part of Python, resolved and emitted as source.

An expression is parsed with `ast`, each node is checked against a whitelist, each name is
resolved against the specification, and the result is Python source over the runtime names that
`worlds.compile` binds. Nothing is ever looked up by a name that the author chose.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from supersede.errors import did_you_mean
from supersede.specs.schema import Event, IntAttribute, NamedAttribute, Specification

INTEGER = "integer"
BOOLEAN = "truth value"
SYMBOL = "symbol"
ANY = "any"
NOTHING = "None"

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
_GENERATOR_CALLS = {"sum": INTEGER, "all": BOOLEAN, "any": BOOLEAN, "count": INTEGER}
FUNCTIONS = (
    *("abs", "all", "any", "at_value", "count", "counts", "floor_div", "half_up_div"),
    *("head", "left", "max", "min", "other", "rank", "size", "sum"),
)
"""Every function that an expression may call; relations of the specification come on top."""


_LONGEST = 1000
"""Characters of an expression, at most."""
_DEEPEST = 60
"""Nesting of an expression, at most: the compiler of the emitted source has a limit too."""


class ExpressionError(Exception):
    """An expression that the language refuses, with the column of the offending node."""

    def __init__(self, message: str, column: int = 0) -> None:
        """An error at a zero-based column of the expression's text."""
        super().__init__(message)
        self.message = message
        self.column = column


@dataclass(frozen=True, slots=True)
class Code:
    """Python source for an expression, and what it gives."""

    source: str
    type: str
    """`integer`, `truth value`, `symbol`, `any`, `None`, `list of T`, `record E`, or an entity
    type."""


@dataclass(frozen=True, slots=True)
class Read:
    """A cell of the state that an expression reads."""

    name: str
    key: tuple[str, ...] | None
    """Source of its key over variables of the expression; None for all cells."""


class Once:
    """Reads that an emitted function makes once, and then knows by a local name.

    Only for functions that change nothing between the first use and the last.
    """

    def __init__(self) -> None:
        """No reads yet."""
        self._names: dict[str, str] = {}
        self._pending: list[str] = []

    def name(self, letter: str, source: str) -> str:
        """The local name of what `source` gives."""
        if source not in self._names:
            self._names[source] = name = f"{letter}_{len(self._names)}"
            self._pending.append(f"{name} = {source}")
        return self._names[source]

    def take(self) -> list[str]:
        """Lines that make the reads which have been named since the last call."""
        pending, self._pending = self._pending, []
        return pending


@dataclass(frozen=True)
class Scope:
    """What names mean in one expression."""

    spec: Specification
    variables: Mapping[str, Code] = field(default_factory=dict)
    """Roles, parameters and bound variables."""
    reads: list[Read] = field(default_factory=list)
    """Filled while translating."""
    loops: tuple[str, ...] = ()
    """Variables bound by a generator inside the expression."""
    once: Once | None = None
    """Names of reads by roles alone, in functions that make each of them once."""

    def bind(self, name: str, code: Code, *, loop: bool = False) -> Scope:
        """The scope with one more variable."""
        loops = (*self.loops, name) if loop else self.loops
        return replace(self, variables={**self.variables, name: code}, loops=loops)

    def key(self, sources: Sequence[str]) -> str:
        """Source of the key that entities make."""
        text = "(" + "".join(f"{source}, " for source in sources) + ")"
        plain = self.once is not None and sources and all(map(_is_role, sources))
        return self.once.name("k", text) if plain and self.once is not None else text

    def read(self, letter: str, source: str, sources: Sequence[str]) -> str:
        """Source of a read that depends on the variables `sources`."""
        if self.once is None or not all(map(_is_role, sources)):
            return source
        return self.once.name(letter, source)

    def before(self, *lines: str) -> list[str]:
        """The lines, after those that make the reads which they are the first to need."""
        return [*self.once.take(), *lines] if self.once is not None else list(lines)

    def record(self, source: str) -> str:
        """Source of the record, as it is in force, whose id `source` gives."""
        return self.read("o", f"rec({source})", (source,))


def _is_role(source: str) -> bool:
    return source.startswith("r_") and source.isidentifier()


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
            raise self._error(node, f"{ast.unparse(node)!r} is not of the expression language")
        code: Code = method(node)
        return code

    def _error(self, node: ast.expr, message: str) -> ExpressionError:
        return ExpressionError(message, node.col_offset)

    def _integer(self, node: ast.expr) -> str:
        code = self.visit(node)
        if code.type not in (INTEGER, ANY, BOOLEAN):
            raise self._error(node, f"{ast.unparse(node)!r} is {_a(code.type)}, not an integer")
        return code.source

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
        raise self._error(node, f"{value!r} is not an integer: the language has no fractions")

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
        return self._error(node, f"unknown name {name!r}{hint(name, known)}")

    # State

    def _subscript(self, node: ast.Subscript) -> Code:
        if not isinstance(node.value, ast.Name):
            raise self._error(node, f"{ast.unparse(node)!r}: only state can be indexed")
        keys = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if isinstance(node.slice, ast.Tuple) and len(keys) < 2:
            raise self._error(node, f"{ast.unparse(node)!r}: a tuple of {len(keys)} is no index")
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
            raise self._error(node, f"{name!r} takes {shape}, not {ast.unparse(node)!r}")
        for key, code, kind in zip(keys, codes, wanted, strict=True):
            if code.type not in (kind, ANY, NOTHING):
                raise self._error(
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
            raise self._error(node, f"tally {name!r} takes one value of {register!r}")
        self.scope.reads.append(Read(register, None))
        return Code(f"len(H_{register}.get({value.source}, ()))", INTEGER)

    def _derived(self, node: ast.expr, name: str, keys: Sequence[ast.expr]) -> Code:
        derived = self.spec.derived[name]
        wanted = types(derived.per)
        if len(keys) != len(wanted):
            shape = f"[{', '.join(wanted)}]" if wanted else "no index"
            raise self._error(node, f"{name!r} takes {shape}, not {ast.unparse(node)!r}")
        scope = replace(self.scope, variables={})
        for variable, key, kind in zip("ef", keys, wanted, strict=False):
            code = self.visit(key)
            scope = scope.bind(variable, Code(code.source, kind))
            if not self._outside_loops(key):
                scope = replace(scope, loops=(*scope.loops, variable))
        try:
            return Code(f"({translate(derived.value, scope).source})", INTEGER)
        except RecursionError:
            raise self._error(node, f"derived {name!r} is defined by itself") from None

    def _attribute_table(self, node: ast.expr, name: str, keys: Sequence[ast.expr]) -> Code:
        owners = [t for t, entity in self.spec.entities.items() if name in entity.attributes]
        if not owners:
            raise self._unknown(node, name)
        if len(keys) != 1:
            raise self._error(node, f"attribute {name!r} takes one entity")
        code = self.visit(keys[0])
        owner = code.type if code.type in owners else owners[0]
        if code.type not in (owner, ANY):
            raise self._error(keys[0], f"{_a(code.type)} has no attribute {name!r}")
        return attribute(self.spec, owner, name, code.source)

    def _attribute(self, node: ast.Attribute) -> Code:
        base = self.visit(node.value)
        if base.type.startswith("record "):
            return self._of_record(node, base)
        entity = self.spec.entities.get(base.type)
        if entity is None:
            raise self._error(node, f"{ast.unparse(node.value)!r} ({base.type}) has no attributes")
        if node.attr not in entity.attributes:
            near = hint(node.attr, list(entity.attributes))
            raise self._error(node, f"{_a(base.type)} has no attribute {node.attr!r}{near}")
        return attribute(self.spec, base.type, node.attr, base.source)

    def _of_record(self, node: ast.Attribute, base: Code) -> Code:
        event = event_named(self.spec, base.type.removeprefix("record "))
        if node.attr in event.parameters:
            return Code(f"{self.scope.record(base.source)}.parameters[{node.attr!r}]", ANY)
        if node.attr in event.roles:
            kind = role_of_type(self.spec, event.id, node.attr)
            return Code(f"{self.scope.record(base.source)}.roles[{node.attr!r}]", kind)
        near = hint(node.attr, [*event.roles, *event.parameters])
        raise self._error(node, f"a record of {event.id!r} has no {node.attr!r}{near}")

    # Operations

    def _binop(self, node: ast.BinOp) -> Code:
        operator = _ARITHMETIC.get(type(node.op))
        if operator is None:
            raise self._error(
                node, f"{ast.unparse(node)!r}: use + - * or floor_div(a, b), half_up_div(a, b)"
            )
        return Code(f"({self._integer(node.left)} {operator} {self._integer(node.right)})", INTEGER)

    def _unaryop(self, node: ast.UnaryOp) -> Code:
        if isinstance(node.op, ast.Not):
            return Code(f"(not {self.visit(node.operand).source})", BOOLEAN)
        if isinstance(node.op, ast.USub):
            return Code(f"(-{self._integer(node.operand)})", INTEGER)
        raise self._error(node, f"{ast.unparse(node)!r} is not of the expression language")

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
            raise self._error(node, f"{text!r}: `is` only goes with None; use ==")
        if isinstance(operator, ast.In | ast.NotIn):
            if not right.type.startswith("list of "):
                raise self._error(node, f"{text!r}: `in` needs a list, not {_a(right.type)}")
            return
        if isinstance(operator, ast.Lt | ast.LtE | ast.Gt | ast.GtE):
            for code in (left, right):
                if code.type not in (INTEGER, ANY, BOOLEAN):
                    raise self._error(node, f"{text!r} compares {_a(code.type)} by size")
        self._known_symbol(node, left, right, right_node)

    def _known_symbol(self, node: ast.expr, left: Code, right: Code, right_node: ast.expr) -> None:
        """Refuse a comparison of a register with a word that it never holds."""
        if left.type.startswith("symbol of ") and isinstance(right_node, ast.Constant):
            name = left.type.removeprefix("symbol of ")
            symbols = self.spec.registers[name].values or ()
            word = right_node.value
            if isinstance(word, str) and word not in symbols:
                near = hint(word, list(symbols))
                raise self._error(node, f"register {name!r} never holds {word!r}{near}")

    def _tuple(self, node: ast.Tuple) -> Code:
        codes = [self.visit(part) for part in node.elts]
        return Code("(" + "".join(f"{code.source}, " for code in codes) + ")", f"list of {ANY}")

    _list = _tuple

    # Calls

    def _call(self, node: ast.Call) -> Code:
        if not isinstance(node.func, ast.Name) or node.keywords:
            raise self._error(node, f"{ast.unparse(node)!r}: only listed functions can be called")
        name = node.func.id
        if name in self.spec.relations:
            a, b = self._arguments(node, 2)
            return Code(f"(({a.source}, {b.source}) in N_{name})", BOOLEAN)
        if name not in FUNCTIONS:
            known = [*FUNCTIONS, *self.spec.relations]
            raise self._error(node, f"unknown function {name!r}{hint(name, known)}")
        if len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp):
            return self._over(node, name, node.args[0])
        method = getattr(self, f"_call_{name}", None)
        if method is None:
            raise self._error(node, f"{name!r} needs a generator: {name}(x for x in ...)")
        code: Code = method(node)
        return code

    def _arguments(self, node: ast.Call, count: int) -> list[Code]:
        if len(node.args) != count:
            raise self._error(node, f"{ast.unparse(node)!r} needs {count} arguments")
        return [self.visit(argument) for argument in node.args]

    def _over(self, node: ast.Call, name: str, generator: ast.GeneratorExp) -> Code:
        if name not in (*_GENERATOR_CALLS, "min", "max"):
            raise self._error(node, f"{name!r} does not take a generator")
        if len(generator.generators) != 1:
            raise self._error(node, f"{ast.unparse(node)!r}: one `for` only")
        total = self._total(generator) if name == "sum" else None
        if total is not None:
            return total
        scope, clause = self.clause(generator.generators[0])
        inner = _Translator(scope)
        element = inner.visit(generator.elt)
        body = f"{element.source} {clause}"
        if name == "count":
            return Code(f"sum(1 {clause})", INTEGER)
        if name in ("min", "max"):
            return Code(f"{name}(({body}), default=0)", INTEGER)
        return Code(f"{name}({body})", _GENERATOR_CALLS[name])

    def _total(self, generator: ast.GeneratorExp) -> Code | None:
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
        measure = self.spec.measures.get(cell.value.id)
        kind = loop.iter.id
        if measure is None or measure.start or measure.per != kind or kind in self.scope.variables:
            return None
        self.scope.reads.append(Read(cell.value.id, None))
        return Code(f"sum(M_{cell.value.id}.values())", INTEGER)

    def clause(self, comprehension: ast.comprehension) -> tuple[Scope, str]:
        """The scope inside a `for` clause, and its source."""
        if not isinstance(comprehension.target, ast.Name):
            raise self._error(comprehension.target, "a generator binds one plain name")
        pool = self.visit(comprehension.iter)
        if not pool.type.startswith("list of "):
            text = ast.unparse(comprehension.iter)
            raise self._error(comprehension.iter, f"{text!r} is not a list of entities")
        name = comprehension.target.id
        kind = pool.type.removeprefix("list of ")
        scope = self.scope.bind(name, Code(f"x_{name}", kind), loop=True)
        inner = _Translator(scope)
        tests = "".join(f" if {inner.visit(test).source}" for test in comprehension.ifs)
        return scope, f"for x_{name} in {pool.source}{tests}"

    def _call_abs(self, node: ast.Call) -> Code:
        (value,) = self._arguments(node, 1)
        return Code(f"abs({value.source})", INTEGER)

    def _call_min(self, node: ast.Call) -> Code:
        return self._extreme(node, "min")

    def _call_max(self, node: ast.Call) -> Code:
        return self._extreme(node, "max")

    def _extreme(self, node: ast.Call, name: str) -> Code:
        values = [self._integer(argument) for argument in node.args]
        if len(values) < 2:
            raise self._error(
                node, f"{ast.unparse(node)!r} needs two arguments or more, or a generator"
            )
        return Code(f"{name}({', '.join(values)})", INTEGER)

    def _call_size(self, node: ast.Call) -> Code:
        return Code(f"len({self._sequence(node)[0].source})", INTEGER)

    def _sequence(self, node: ast.Call, count: int = 1) -> list[Code]:
        codes = self._arguments(node, count)
        if not codes[0].type.startswith("list of "):
            raise self._error(node, f"{ast.unparse(node.args[0])!r} is not a list")
        return codes

    def _call_head(self, node: ast.Call) -> Code:
        (queue,) = self._sequence(node)
        return Code(f"head({queue.source})", queue.type.removeprefix("list of "))

    def _call_rank(self, node: ast.Call) -> Code:
        queue, member = self._sequence(node, 2)
        return Code(f"rank({queue.source}, {member.source})", INTEGER)

    def _call_floor_div(self, node: ast.Call) -> Code:
        a, b = self._arguments(node, 2)
        return Code(f"({a.source} // {b.source})", INTEGER)

    def _call_half_up_div(self, node: ast.Call) -> Code:
        a, b = self._arguments(node, 2)
        return Code(f"half_up_div({a.source}, {b.source})", INTEGER)

    def _call_other(self, node: ast.Call) -> Code:
        pool, one = self._sequence(node, 2)
        return Code(f"other({pool.source}, {one.source})", pool.type.removeprefix("list of "))

    def _record(self, node: ast.Call) -> Code:
        (record,) = self._arguments(node, 1)
        if not record.type.startswith("record "):
            raise self._error(node, f"{ast.unparse(node.args[0])!r} is not a record role")
        return record

    def _call_counts(self, node: ast.Call) -> Code:
        return Code(f"counts({self._record(node).source})", BOOLEAN)

    def _call_left(self, node: ast.Call) -> Code:
        record = self._record(node)
        event = event_named(self.spec, record.type.removeprefix("record "))
        if "amount" not in event.parameters:
            raise self._error(node, f"left() needs a parameter `amount` on event {event.id!r}")
        return Code(f"left({record.source})", INTEGER)

    def _call_at_value(self, node: ast.Call) -> Code:
        if len(node.args) != 2 or not isinstance(node.args[0], ast.Name):
            raise self._error(node, "at_value(register, value) needs a register's name")
        name = node.args[0].id
        if name not in self.spec.registers:
            raise self._error(node, f"{name!r} is not a register")
        value = self.visit(node.args[1])
        self.scope.reads.append(Read(name, None))
        on = types(self.spec.registers[name].on)
        return Code(f"at_value(H_{name}, {value.source})", on[0] if on else ANY)


def types(per: str | tuple[str, str] | None) -> tuple[str, ...]:
    """The entity types of a key, as a tuple."""
    if per is None:
        return ()
    return (per,) if isinstance(per, str) else per


def register_type(spec: Specification, name: str) -> str:
    """The type of a register's values."""
    register = spec.registers[name]
    if isinstance(register.values, str):
        return register.values
    if register.values is not None:
        return f"symbol of {name}"
    return INTEGER if register.range or register.block else ANY


def attribute(spec: Specification, owner: str, name: str, source: str) -> Code:
    """Source and type of an entity's attribute."""
    at = list(spec.entities[owner].attributes).index(name)
    return Code(f"A[{source}][{at}]", attribute_type(spec, owner, name))


def attribute_type(spec: Specification, owner: str, name: str) -> str:
    """The type of an attribute's values."""
    declared = spec.entities[owner].attributes[name]
    if isinstance(declared, str):
        return declared
    if isinstance(declared, IntAttribute):
        return INTEGER
    values = declared.values if isinstance(declared, NamedAttribute) else declared
    if all(isinstance(value, int) for value in values):
        return INTEGER
    for kind, entity in spec.entities.items():
        if entity.names and all(value in entity.names for value in values):
            return kind
    return SYMBOL


def event_named(spec: Specification, name: str) -> Event:
    """The event with an id.

    Raises:
        ExpressionError: There is none.
    """
    for event in spec.events:
        if event.id == name:
            return event
    near = hint(name, [event.id for event in spec.events])
    raise ExpressionError(f"unknown event {name!r}{near}")


def role_of_type(spec: Specification, event: str, role: str) -> str:
    """The type of an event's role: an entity type, `list of T`, `record E`.

    Raises:
        ExpressionError: The event or the role is not there.
    """
    from supersede.specs.roles import parse_role

    declared = event_named(spec, event)
    if role not in declared.roles:
        raise ExpressionError(
            f"event {event!r} has no role {role!r}{hint(role, list(declared.roles))}"
        )
    return parse_role(spec, declared, role).type


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
    return _Translator(scope).clause(tree.generators[0])


def _a(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def hint(name: str, choices: Sequence[str]) -> str:
    """A sentence to append that leads from a mistyped name to the right one, or nothing."""
    sentence = did_you_mean(name, choices)
    return f". {sentence}" if sentence else ""
