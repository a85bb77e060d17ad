"""Emits how the roles of an event are drawn: from pools, rosters, indices, computed or minted."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from supersede.specs.expressions import translate
from supersede.specs.refused import ExpressionError
from supersede.specs.roles import Role, role_scope
from supersede.specs.schema import Event, IntAttribute, Specification
from supersede.specs.scope import Scope
from supersede.specs.value_types import types
from supersede.worlds.emit_effects import tuple_source

RECENT = 48
"""Roles of a minted type are drawn from this many of the youngest: old cases rest in peace."""


def draw_lines(
    spec: Specification, event: Event, roles: Sequence[Role], scope: Scope
) -> tuple[list[str], str]:
    """Lines that draw the roles of an event, and the source of the entities that they mint."""
    pools = _indexed_roles(spec, event, roles)
    focus = focus_role(roles)
    tests = _Tests(spec, event, roles)
    lines = tests.lines(scope, drawn=0)
    mints: list[str] = []
    for drawn, role in enumerate(roles, start=1):
        if role.how == "minted":
            lines += _draw_minted(spec, role)
            mints.append(f"T(Mint, (r_{role.name}, {role.type!r}, A[r_{role.name}]))")
        elif role.how == "record":
            lines += [f"r_{role.name} = recent_record({role.type.split()[1]!r}, rnd)"]
            lines += [f"if r_{role.name} is None: return None"]
        elif role.how == "computed":
            code = translate(role.text, role_scope_before(spec, event, role.name, scope))
            lines += scope.before(f"r_{role.name} = {code.source}")
            lines.append(f"if r_{role.name} is None: return None")
        elif role.how == "list":
            lines += _draw_list(spec, event, role, scope)
        else:
            lines += _draw_one(spec, event, role, scope, pools.get(role.name), role.name == focus)
        lines += tests.lines(scope, drawn)
    return lines, tuple_source(mints)


class _Tests:
    """The parts of a guard, each tested as soon as the roles that it names are drawn.

    Most tries of an event end at its guard, the earlier the better. A part that might raise where
    an earlier one fails, as a comparison with an unset register, waits for those before it.
    """

    def __init__(self, spec: Specification, event: Event, roles: Sequence[Role]) -> None:
        self._spec = spec
        self._roles = {role.name: (n, role.how) for n, role in enumerate(roles, start=1)}
        self._left = [(test, *self._needs(test)) for test in _conjuncts(event.when)]

    def lines(self, scope: Scope, drawn: int) -> list[str]:
        """Lines of the tests that can be made now that so many roles are drawn."""
        lines: list[str] = []
        kept: list[tuple[str, int, bool]] = []
        for test, needed, is_sure in self._left:
            if needed <= drawn and (is_sure or not kept):
                lines += scope.before(f"if not {translate(test, scope).source}: return None")
            else:
                kept.append((test, needed, is_sure))
        self._left = kept
        return lines

    def _needs(self, test: str) -> tuple[int, bool]:
        """How many roles must be drawn for a test, and whether it gives a truth value for sure."""
        try:
            nodes = list(ast.walk(ast.parse(test, mode="eval").body))
        except SyntaxError:
            return len(self._roles), False
        named = [node.id for node in nodes if isinstance(node, ast.Name)]
        places = [self._roles[name] for name in named if name in self._roles]
        is_sure = all(map(self._is_sure, nodes)) and all(how != "record" for _, how in places)
        return max((n for n, _ in places), default=0), is_sure

    def _is_sure(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Attribute):
            return isinstance(node.value, ast.Name) and node.value.id in self._roles
        if isinstance(node, ast.Compare):
            figures = all(map(self._is_figure, [node.left, *node.comparators]))
            return figures or all(isinstance(op, _SURE) for op in node.ops)
        return isinstance(node, _PLAIN)

    def _is_figure(self, node: ast.expr) -> bool:
        """Whether a side of a comparison is a number, whatever the state."""
        table = node.value if isinstance(node, ast.Subscript) else node
        is_level = isinstance(table, ast.Name) and table.id in self._spec.measures
        return is_level or (isinstance(node, ast.Constant) and isinstance(node.value, int))


_SURE = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn)
"""Comparisons that no value makes raise."""
_PLAIN = (
    *(ast.Name, ast.Subscript, ast.Constant, ast.Tuple, ast.expr_context, ast.cmpop),
    *(ast.BoolOp, ast.boolop, ast.UnaryOp, ast.Not),
)


def _conjuncts(guard: str | None) -> list[str]:
    """The parts of a guard that must all hold: what the later ones read is read after the first."""
    if guard is None:
        return []
    try:
        tree = ast.parse(guard.strip(), mode="eval").body
    except SyntaxError:
        return [guard]  # translating it says what is wrong
    if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And):
        return [ast.unparse(part) for part in tree.values]
    return [guard]


def focus_role(roles: Sequence[Role]) -> str | None:
    """The drawn role that interleaving is about: the target, else the first one."""
    drawn = [role.name for role in roles if role.how == "drawn"]
    return "target" if "target" in drawn else next(iter(drawn), None)


def role_scope_before(spec: Specification, event: Event, role: str, scope: Scope) -> Scope:
    """The scope of a role's own text: earlier roles only, reads noted in `scope`."""
    before = role_scope(spec, event, before=role)
    return Scope(spec, before.variables, scope.reads, once=scope.once)


def fits_source(event: Event, roles: Sequence[Role], scope: Scope) -> str:
    """Source of whether roles differ where they must and the guard holds for them."""
    tests = [f"r_{r.name} != r_{other}" for r in roles if r.how == "drawn" for other in r.others]
    if event.when is not None:
        tests.append(translate(event.when, scope).source)
    return " and ".join(tests) or "True"


def _draw_minted(spec: Specification, role: Role) -> list[str]:
    entity = spec.entities[role.type]
    values = []
    for declared in entity.attributes.values():
        if isinstance(declared, str):
            values.append(f"V_{declared}[int(rnd() * len(V_{declared}))]")
        elif isinstance(declared, IntAttribute):
            low, high = -(-declared.range[0] // declared.step), declared.range[1] // declared.step
            draw = f"({low} + int(rnd() * {high - low + 1}))"
            values.append(draw if declared.step == 1 else f"{draw} * {declared.step}")
        else:
            options = declared if isinstance(declared, tuple) else declared.values
            values.append(f"{tuple(options)!r}[int(rnd() * {len(options)})]")
    before, _, after = (entity.minted or "{n}").partition("{n}")
    return [
        f"r_{role.name} = {before!r} + str(numbers[{role.type!r}]) + {after!r}",
        f"A[r_{role.name}] = {tuple_source(values)}",
    ]


def _draw_list(spec: Specification, event: Event, role: Role, scope: Scope) -> list[str]:
    low, high = role.size
    name = f"r_{role.name}"
    return [
        *_pool(spec, event, role, scope),
        f"if len(pool) < {low}: return None",
        f"{name} = tuple(sample_of(rnd, pool, between(rnd, {low}, min({high}, len(pool)))))",
    ]


def _is_whole(role: Role) -> bool:
    """Whether a role is drawn from all live entities of its type."""
    return role.roster is None and not role.others


def _pool(spec: Specification, event: Event, role: Role, scope: Scope) -> list[str]:
    """Lines that find the entities that a role may be: `pool`."""
    kind = role.type.removeprefix("list of ")
    earlier = role_scope_before(spec, event, role.name, scope)
    pool = f"V_{kind}"
    if role.roster is not None:
        members = translate(role.roster, earlier)
        if members.type != f"list of {kind}":
            raise ExpressionError(f"{role.roster!r} is not a roster of {kind!r}")
        pool = members.source
        if role.outside:
            pool = f"[x for x in V_{kind} if x not in {pool}]"
    lines = scope.before(f"pool = {pool}")
    copied = "" if role.outside else "pool = [*pool]; "
    for other in role.others:
        if other not in earlier.variables:
            raise ExpressionError(f"{other!r} is no earlier role")
        lines.append(f"if r_{other} in pool: {copied}pool.remove(r_{other})")
    return lines


def _draw_one(
    spec: Specification,
    event: Event,
    role: Role,
    scope: Scope,
    index: str | None,
    is_focus: bool,
) -> list[str]:
    name, entity, whole = f"r_{role.name}", spec.entities[role.type], _is_whole(role)
    if index is None and whole and not entity.minted:  # always the same ones
        choose = f"{name} = V_{role.type}[int(rnd() * {len(entity.names)})]"
        return [f"if {_turns(role)}: {choose}"] if is_focus else [choose]
    lines = _pool(spec, event, role, scope) if index is None else [f"pool = {index}"]
    choose = f"{name} = pool[int(rnd() * len(pool))]"
    if index is not None:
        choose += "[0]"
    elif whole and entity.minted:
        recent = f"min(len(pool), {RECENT})"
        choose = f"{name} = pool[len(pool) - 1 - int(rnd() * {recent})]"
    if not is_focus:
        return [*lines, "if not pool: return None", choose]
    if role.outside and not role.others:
        return _draw_outsider(role, lines, choose)
    known = f"({name},) not in pool" if index else f"{name} not in pool"
    return [*lines, "if not pool: return None", f"if {_turns(role)} or {known}: {choose}"]


def _draw_outsider(role: Role, lines: Sequence[str], choose: str) -> list[str]:
    """Lines that draw one outside a roster: all of them are looked up where that is needed."""
    *before, pool = lines
    name, all_of_them = f"r_{role.name}", f"V_{role.type}"
    inside = pool.partition(" not in ")[2].removesuffix("]")
    return [
        *before,
        f"if len({inside}) >= len({all_of_them}) and not {pool.partition(' = ')[2]}: return None",
        f"if {_turns(role)} or {name} in {inside} or {name} not in {all_of_them}:",
        f"    {pool}",
        f"    {choose}",
    ]


def _turns(role: Role) -> str:
    """Source of whether the plot turns to another entity; else the role is the one before."""
    return f"rnd() >= stick or (r_{role.name} := focus[{role.type!r}]) is None"


def _indexed_roles(spec: Specification, event: Event, roles: Sequence[Role]) -> dict[str, str]:
    """Roles whose guard fixes the value of one of their registers: drawn from an index."""
    if event.when is None:
        return {}
    try:
        tree = ast.parse(event.when.strip(), mode="eval").body
    except SyntaxError:
        return {}
    plain = {r.name: r.type for r in roles if r.how == "drawn" and not r.roster and not r.others}
    found: dict[str, str] = {}
    for test in tree.values if isinstance(tree, ast.BoolOp) else [tree]:
        if isinstance(tree, ast.BoolOp) and not isinstance(tree.op, ast.And):
            return {}
        if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq | ast.Is):
            continue
        left, right = test.left, test.comparators[0]
        if (
            isinstance(left, ast.Subscript)
            and isinstance(left.value, ast.Name)
            and isinstance(left.slice, ast.Name)
            and isinstance(right, ast.Constant)
            and len(test.ops) == 1
            and left.value.id in spec.registers
            and types(spec.registers[left.value.id].on) == (plain.get(left.slice.id),)
        ):
            found.setdefault(left.slice.id, f"H_{left.value.id}.get({right.value!r}, ())")
    return found
