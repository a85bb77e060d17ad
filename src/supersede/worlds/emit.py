"""Emits the Python source of one event: how it is drawn, what it does, what it reads.

Names in the emitted source: `r_x` roles, `p_x` parameters, `M_ G_ H_ L_ V_ N_` tables of the
state (measures, registers, cells by value, rosters, live entities, relations), `A` attributes.
An author's text reaches the source only through `specs.expressions`, which emits it afresh.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from supersede.specs.expressions import (
    Code,
    ExpressionError,
    Read,
    Scope,
    attribute,
    attribute_type,
    clause_of,
    role_of_type,
    translate,
    types,
)
from supersede.specs.roles import Role, role_scope, roles_of
from supersede.specs.schema import (
    Event,
    IntAttribute,
    IntParameter,
    Member,
    Post,
    Set,
    Specification,
    SymbolParameter,
)

RECENT = 48
"""Roles of a minted type are drawn from this many of the youngest: old cases rest in peace."""


@dataclass(frozen=True, slots=True)
class Emitted:
    """Source of the functions of one event.

    `enter_n(rnd)` draws roles and effects in one go; `draw_n(rnd)` the roles alone and
    `make_n(rnd, roles)` the effects for given roles, as an amend needs; `reads_n(roles)` tells
    the cells that the event read; `fits_n(roles)` whether given roles go together.
    """

    source: str
    mints: tuple[str, ...]
    """Entity types that it mints, in role order."""
    has_reads: bool
    """Whether `reads_n` ever gives a cell."""


def emit_event(spec: Specification, n: int) -> Emitted:
    """The functions of event number `n` of a specification.

    Raises:
        ExpressionError: An expression of the event is refused.
    """
    event = spec.events[n]
    roles = roles_of(spec, event)
    scope = role_scope(spec, event)
    draw = _draw(spec, event, roles, scope)
    make, deltas = _make(spec, event, roles, scope)
    reads = _registers_only(spec, scope.reads)
    unpack = [f"r_{role.name} = roles[{role.name!r}]" for role in roles]
    lines = [f"def enter_{n}(rnd):", *_indent(draw[:-1]), *_indent(make[:-1])]
    lines.append(f"    return ({_result(draw[-1])}), ({_result(make[-1])}), {deltas}")
    lines += [f"def draw_{n}(rnd):", *_indent(draw)]
    lines += [f"def make_{n}(rnd, roles):", *_indent(unpack), *_indent(make)]
    used = _reads(spec, roles, reads)
    lines += [f"def reads_{n}(roles):", *_indent([*unpack, f"return {used}"])]
    fits = _fits(event, roles, scope)
    lines += [f"def fits_{n}(roles):", *_indent([*unpack, f"return {fits}"])]
    mints = tuple(role.type for role in roles if role.how == "minted")
    return Emitted("\n".join(lines), mints, used != "()")


def _result(line: str) -> str:
    """What the last line of a function returns."""
    return line.removeprefix("return ")


def _indent(lines: Sequence[str]) -> list[str]:
    return ["    " + line for line in lines]


# Drawing roles


def _draw(spec: Specification, event: Event, roles: Sequence[Role], scope: Scope) -> list[str]:
    pools = _indexed_roles(spec, event, roles)
    focus = focus_role(roles)
    lines: list[str] = []
    mints: list[str] = []
    for role in roles:
        if role.how == "minted":
            lines += _draw_minted(spec, role)
            mints.append(f"T(Mint, (r_{role.name}, {role.type!r}, A[r_{role.name}]))")
        elif role.how == "record":
            lines += [f"r_{role.name} = recent_record({role.type.split()[1]!r}, rnd)"]
            lines += [f"if r_{role.name} is None: return None"]
        elif role.how == "computed":
            code = translate(role.text, role_scope_before(spec, event, role.name, scope))
            lines += [f"r_{role.name} = {code.source}", f"if r_{role.name} is None: return None"]
        elif role.how == "list":
            lines += _draw_list(spec, event, role, scope)
        else:
            lines += _draw_one(spec, event, role, scope, pools.get(role.name), role.name == focus)
    if event.when is not None:
        lines.append(f"if not {translate(event.when, scope).source}: return None")
    pairs = ", ".join(f"{role.name!r}: r_{role.name}" for role in roles)
    return [*lines, f"return {{{pairs}}}, ({''.join(m + ', ' for m in mints)})"]


def focus_role(roles: Sequence[Role]) -> str | None:
    """The drawn role that interleaving is about: the target, else the first one."""
    drawn = [role.name for role in roles if role.how == "drawn"]
    return "target" if "target" in drawn else next(iter(drawn), None)


def role_scope_before(spec: Specification, event: Event, role: str, scope: Scope) -> Scope:
    """The scope of a role's own text: earlier roles only, reads noted in `scope`."""
    before = role_scope(spec, event, before=role)
    return Scope(spec, before.variables, scope.reads)


def _fits(event: Event, roles: Sequence[Role], scope: Scope) -> str:
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
        f"A[r_{role.name}] = ({''.join(value + ', ' for value in values)})",
    ]


def _draw_list(spec: Specification, event: Event, role: Role, scope: Scope) -> list[str]:
    pool = _pool(spec, event, role, scope)
    low, high = role.size
    name = f"r_{role.name}"
    return [
        f"pool = {pool}",
        f"if len(pool) < {low}: return None",
        f"{name} = tuple(sample_of(rnd, pool, between(rnd, {low}, min({high}, len(pool)))))",
    ]


def _pool(spec: Specification, event: Event, role: Role, scope: Scope) -> str:
    kind = role.type.removeprefix("list of ")
    before = role_scope_before(spec, event, role.name, scope)
    pool = f"V_{kind}"
    tests: list[str] = []
    if role.roster is not None:
        members = translate(role.roster, before)
        if members.type != f"list of {kind}":
            raise ExpressionError(f"{role.roster!r} is not a roster of {kind!r}")
        if role.outside:
            tests.append(f"x not in {members.source}")
        else:
            pool = members.source
    for other in role.others:
        if other not in before.variables:
            raise ExpressionError(f"{other!r} is no earlier role")
        tests.append(f"x != r_{other}")
    return f"[x for x in {pool} if {' and '.join(tests)}]" if tests else pool


def _draw_one(
    spec: Specification,
    event: Event,
    role: Role,
    scope: Scope,
    index: str | None,
    is_focus: bool,
) -> list[str]:
    name = f"r_{role.name}"
    pool, suffix = (index, "[0]") if index else (_pool(spec, event, role, scope), "")
    lines = [f"pool = {pool}", "size = len(pool)", "if not size: return None"]
    minted = spec.entities[role.type].minted is not None
    if minted and not index and pool == f"V_{role.type}":
        choose = f"pool[size - 1 - int(rnd() * (size if size < {RECENT} else {RECENT}))]"
    else:
        choose = f"pool[int(rnd() * size)]{suffix}"
    if not is_focus:
        return [*lines, f"{name} = {choose}"]
    known = f"({name},) in pool" if index else f"{name} in pool"
    return [
        *lines,
        f"{name} = now.focus.get({role.type!r}) if rnd() < now.stick else None",
        f"if {name} is None or not {known}: {name} = {choose}",
    ]


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


# Parameters and effects


def _make(
    spec: Specification, event: Event, roles: Sequence[Role], scope: Scope
) -> tuple[list[str], str]:
    """Lines of `make_n`, and the source of its postings by cell."""
    lines: list[str] = []
    for name in event.parameters:
        lines += _parameter(spec, event, name, scope)
        kind = "symbol" if isinstance(event.parameters[name], SymbolParameter) else "integer"
        scope = scope.bind(name, Code(f"p_{name}", kind))
    postings = _postings(spec, event, roles, scope)
    assignments, checks = _assignments(spec, event, roles, scope)
    lines += checks
    lines += _memberships(spec, event, scope)
    pairs = ", ".join(f"{name!r}: p_{name}" for name in event.parameters)
    lines += [*postings.lines, f"postings = {postings.postings}"]
    if event.for_ is not None:
        lines.append("if not postings: return None")
    return [*lines, f"return {{{pairs}}}, postings, {assignments}, members"], postings.deltas


def _parameter(spec: Specification, event: Event, name: str, scope: Scope) -> list[str]:
    """Lines that draw or compute one parameter."""
    declared = event.parameters[name]
    target = f"p_{name}"
    if isinstance(declared, int | str):
        return _where_set([f"{target} = {translate(declared, scope).source}"], declared)
    if isinstance(declared, SymbolParameter):
        options = declared.one_of
        if isinstance(options, str):
            register = spec.registers.get(options)
            if register is None or not isinstance(register.values, tuple):
                raise ExpressionError(f"one_of: {options!r} is not a register of symbols")
            options = register.values
        return [f"{target} = {tuple(options)!r}[int(rnd() * {len(options)})]"]
    return _ranged(name, declared, scope)


def _where_set(lines: Sequence[str], *texts: int | str) -> list[str]:
    """Lines that make the event impossible where a register that they need is unset.

    A guard sees to that for an entry; an amend is drawn without it (R8).
    """
    if all(isinstance(text, int) for text in texts):
        return list(lines)
    return ["try:", *_indent(lines), "except TypeError: return None"]


def _ranged(name: str, declared: IntParameter, scope: Scope) -> list[str]:
    target, step = f"p_{name}", declared.step
    if declared.range is None and declared.walk is None:
        raise ExpressionError(f"parameter {name!r} needs `int` or `walk`")
    bounds = declared.range or (0, 0)
    low, high = (translate(bound, scope).source for bound in bounds)
    if declared.walk is not None:
        least, most = declared.by or (-1, 1)
        moved = f"between(rnd, {-(-least // step)}, {most // step}) * {step}"
        lines = [f"{target} = ({translate(declared.walk, scope).source} or 0) + {moved}"]
        if declared.range is not None:
            lines.append(f"{target} = min(max({target}, {low}), {high})")
        return _where_set(lines, *bounds)
    if step != 1:
        low, high = f"-(-{low} // {step})", f"{high} // {step}"
    scaled = "" if step == 1 else f" * {step}"
    return [
        *_where_set([f"low = {low}", f"span = {high} - low + 1"], *bounds),
        "if span < 1: return None",
        f"{target} = (low + int(rnd() * span)){scaled}",
    ]


def _places(
    spec: Specification, event: Event, roles: Sequence[Role], on: str | tuple[str, str] | None
) -> list[tuple[str, str]]:
    """(source, type) of the entities that an effect's `on` names."""
    names = () if on is None else (on,) if isinstance(on, str) else on
    loop = loop_variable(event)
    found: list[tuple[str, str]] = []
    for text in names:
        base, _, rest = text.partition(".")
        role = next((r for r in roles if r.name == base), None)
        if loop is not None and base == loop[0]:
            source, kind = f"x_{base}", loop[1]
        elif role is None:
            raise ExpressionError(f"{base!r} is no role of event {event.id!r}")
        elif role.how == "record":
            source, kind, rest = _of_record(spec, role, rest)
        else:
            source, kind = f"r_{base}", role.type
        for part in filter(None, rest.split(".")):
            if kind not in spec.entities or part not in spec.entities[kind].attributes:
                raise ExpressionError(f"{text!r}: {kind!r} has no attribute {part!r}")
            kind, source = (
                attribute_type(spec, kind, part),
                attribute(spec, kind, part, source).source,
            )
        found.append((source, kind))
    return found


def _of_record(spec: Specification, role: Role, rest: str) -> tuple[str, str, str]:
    inner, _, rest = rest.partition(".")
    kind = role_of_type(spec, role.type.removeprefix("record "), inner)
    return f"rec(r_{role.name}).roles[{inner!r}]", kind, rest


def loop_variable(event: Event) -> tuple[str, str] | None:
    """Name and entity type of the variable of an event's `for`."""
    if event.for_ is None:
        return None
    name, _, rest = event.for_.partition(" in ")
    return name.strip(), rest.split()[0] if rest.split() else ""


def entities_of(
    spec: Specification, event: Event, roles: Sequence[Role], post: Post
) -> tuple[list[tuple[str, str]], str | None]:
    """The entities that a posting counts for, cell key first, and the source of a list role.

    Raises:
        ExpressionError: A key is missing or ambiguous (R28).
    """
    places = _places(spec, event, roles, post.on)
    lists = [source for source, kind in places if kind.startswith("list of ")]
    places = [
        ("m" if kind.startswith("list of ") else source, kind.removeprefix("list of "))
        for source, kind in places
    ]
    single = [(f"r_{r.name}", r.entity_type) for r in roles if r.entity_type is not None]
    loop = loop_variable(event)
    if loop is not None and any(source == f"x_{loop[0]}" for source, _ in places):
        single = [*single, (f"x_{loop[0]}", loop[1])]
    keys = [
        _only(post.measure, kind, places, single) for kind in types(spec.measures[post.measure].per)
    ]
    found = keys + [place for place in places if place not in keys]
    covered = [kind for _, kind in found]
    for source, kind in single:
        if kind not in covered and [k for _, k in single].count(kind) == 1:
            found.append((source, kind))
    return found, lists[0] if lists else None


def _only(
    name: str, kind: str, places: Sequence[tuple[str, str]], single: Sequence[tuple[str, str]]
) -> tuple[str, str]:
    """The one entity of a type that keys a cell of `name`."""
    for options in (places, single):
        fitting = [place for place in options if place[1] == kind]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            raise ExpressionError(f"{name!r}: two roles are of type {kind!r}; say which with `on:`")
    raise ExpressionError(
        f"{name!r} is kept per {kind!r}, but no role is one; say which with `on:`"
    )


@dataclass(frozen=True, slots=True)
class _Postings:
    """Source of an event's postings."""

    lines: tuple[str, ...]
    """Amounts, each computed once."""
    postings: str
    deltas: str
    """The same postings as (measure, cell key, amount)."""


def _postings(spec: Specification, event: Event, roles: Sequence[Role], scope: Scope) -> _Postings:
    loop = loop_variable(event)
    inner, clause = (scope, "") if event.for_ is None else clause_of(event.for_, scope)
    lines: list[str] = []
    parts: list[str] = []
    deltas: list[str] = []
    for n, post in enumerate(event.post):
        text = post.delta if post.split is None else post.split
        if text is None or (post.delta is not None and post.split is not None):
            raise ExpressionError(f"posting to {post.measure!r} needs one of `delta` and `split`")
        if post.measure not in spec.measures:
            raise ExpressionError(f"unknown measure {post.measure!r}")
        entities, pool = entities_of(spec, event, roles, post)
        names = "".join(source + ", " for source, _ in entities)
        key = "".join(f"{s}, " for s, _ in entities[: len(types(spec.measures[post.measure].per))])
        looped = loop is not None and f"x_{loop[0]}" in names
        amount = translate(text, inner if looped else scope).source
        each = ""
        if looped:
            each = clause
        elif pool is not None and post.split is not None:
            each = f"for m, d_{n} in zip({pool}, shares({amount}, len({pool})))"
        else:
            lines.append(f"d_{n} = {amount}")
            each = f"for m in {pool}" if pool is not None else ""
        change = amount if looped else f"d_{n}"
        item = f"T(P, ({post.measure!r}, {change}, ({names})))"
        delta = f"({post.measure!r}, ({key}), {change})"
        parts.append(f"*[{item} {each}]" if each else item)
        deltas.append(f"*[{delta} {each}]" if each else delta)
    return _Postings(tuple(lines), _tuple(parts), _tuple(deltas))


def _tuple(parts: Sequence[str]) -> str:
    """Source of a tuple."""
    return f"({''.join(part + ', ' for part in parts)})"


def _assignments(
    spec: Specification, event: Event, roles: Sequence[Role], scope: Scope
) -> tuple[str, list[str]]:
    parts: list[str] = []
    checks: list[str] = []
    for n, part in enumerate(event.sets):
        register = spec.registers.get(part.register_)
        if register is None:
            raise ExpressionError(f"unknown register {part.register_!r}")
        places = _places(spec, event, roles, part.on)
        single = [(f"r_{r.name}", r.entity_type) for r in roles if r.entity_type is not None]
        keys = [_only(part.register_, kind, places, single)[0] for kind in types(register.on)]
        source = assigned_value(spec, part, scope)
        if register.range is not None and part.value is not None:
            low, high = register.range
            checks += [
                f"v_{n} = {source}",
                f"if v_{n} is not None and not {low} <= v_{n} <= {high}: return None",
            ]
            source = f"v_{n}"
        key = "".join(k + ", " for k in keys)
        parts.append(f"T(Assignment, ({part.register_!r}, ({key}), {source}))")
    return f"({''.join(p + ', ' for p in parts)})", checks


def assigned_value(spec: Specification, part: Set, scope: Scope) -> str:
    """Source of the value that an assignment gives its register.

    Raises:
        ExpressionError: It is neither a value of the register nor an expression for one.
    """
    register, value = spec.registers[part.register_], part.value
    if value is None or isinstance(value, int):
        return repr(value)
    if isinstance(register.values, tuple) and value in register.values:
        return repr(value)
    if isinstance(register.values, str) and value in spec.entities[register.values].names:
        return repr(value)
    code = translate(value, scope)
    wanted = register.values if isinstance(register.values, str) else None
    if wanted is not None and code.type not in (wanted, "any", "None"):
        raise ExpressionError(f"register {part.register_!r} holds {wanted!r}, not {code.type}")
    return code.source


def _memberships(spec: Specification, event: Event, scope: Scope) -> list[str]:
    if not event.join and not event.leave:
        return ["members = ()"]
    lines = ["members = []"]
    for joins, parts in ((False, event.leave), (True, event.join)):
        for part in parts:
            lines += _membership(spec, part, joins, scope)
    return [*lines, "members = tuple(members)"]


def _membership(spec: Specification, part: Member, joins: bool, scope: Scope) -> list[str]:
    roster = spec.rosters.get(part.roster)
    if roster is None:
        raise ExpressionError(f"unknown roster {part.roster!r}")
    member = translate(part.member, scope)
    if member.type not in (roster.of, "any"):
        raise ExpressionError(f"roster {part.roster!r} is of {roster.of!r}, not {member.type}")
    if (part.key is None) != (roster.per is None):
        word = "needs" if roster.per else "takes no"
        raise ExpressionError(f"roster {part.roster!r} {word} `key`")
    key = "()" if part.key is None else f"({translate(part.key, scope).source},)"
    inside = f"{member.source} in L_{part.roster}.get({key}, ())"
    item = f"T(Membership, ({part.roster!r}, {key}, {member.source}, {joins}))"
    legal = f"not ({inside})" if joins else inside
    if part.if_member:
        return [f"if {legal}: members.append({item})"]
    return [f"if not ({legal}): return None", f"members.append({item})"]


# Reads


def _registers_only(spec: Specification, reads: Sequence[Read]) -> tuple[Read, ...]:
    kept = [r for r in reads if r.name in spec.registers or r.name in spec.rosters]
    return tuple(dict.fromkeys(kept))


def _reads(spec: Specification, roles: Sequence[Role], reads: Sequence[Read]) -> str:
    """Source of the tuple of cells that drawing an event reads."""
    used: list[str] = []
    for read in reads:
        over_roles = read.key is not None and all("p_" not in part for part in read.key)
        key = "None" if not over_roles else "(" + "".join(f"{k}, " for k in read.key or ()) + ")"
        used.append(f"({read.name!r}, {key})")
    for role in roles:
        if role.how == "record":
            used.append(f"('record', (r_{role.name},))")
        elif role.how in ("drawn", "computed") and spec.entities[role.type].minted is not None:
            used.append(f"('entity', (r_{role.name},))")
    return f"({''.join(part + ', ' for part in used)})"
