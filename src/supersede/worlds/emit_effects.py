"""Emits what an event does: parameters, postings, assignments, joins and leaves."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from supersede.specs.expressions import attribute, clause_of, translate
from supersede.specs.refused import ExpressionError
from supersede.specs.roles import Role, role_of_type
from supersede.specs.schema import (
    Event,
    IntParameter,
    Member,
    Post,
    Set,
    Specification,
    SymbolParameter,
)
from supersede.specs.scope import Code, Scope
from supersede.specs.value_types import attribute_type, types


@dataclass(frozen=True, slots=True)
class Effects:
    """Source of the effects of an event."""

    lines: tuple[str, ...]
    """They draw and compute what the sources name; they return None where that is impossible."""
    parameters: str
    postings: str
    assigned: str
    members: str
    cells: tuple[Change, ...] | None
    """Its postings by cell; None where a loop or list makes them many."""
    sets: tuple[Assigned, ...]
    moves: tuple[Moved, ...] | None
    """Its joins and leaves; None where some depend on who is a member."""


@dataclass(frozen=True, slots=True)
class Change:
    """A posting to one cell."""

    measure: str
    entities: tuple[str, ...]
    """Source of each entity of the cell's key."""
    key: str
    amount: str
    level: str
    """Source of the level until now."""


@dataclass(frozen=True, slots=True)
class Assigned:
    """A register's new value for one cell."""

    register: str
    entities: tuple[str, ...]
    """Source of each entity of the cell's key."""
    key: str
    """Source of the cell's key."""
    value: str


@dataclass(frozen=True, slots=True)
class Moved:
    """A join or a leave."""

    roster: str
    entities: tuple[str, ...]
    """Source of the entity whose list it is, if it is one's."""
    key: str
    member: str
    members: str
    """Source of the members until now."""
    joins: bool


def effects_of(spec: Specification, event: Event, roles: Sequence[Role], scope: Scope) -> Effects:
    """The effects of an event whose roles are drawn.

    Raises:
        ExpressionError: An expression is refused.
    """
    lines: list[str] = []
    for name in event.parameters:
        lines += _parameter(spec, event, name, scope)
        kind = "symbol" if isinstance(event.parameters[name], SymbolParameter) else "integer"
        scope = scope.bind(name, Code(f"p_{name}", kind))
    sets, checks = _assignments(spec, event, roles, scope)
    joining, members, moves = _memberships(spec, event, scope)
    amounts, postings, cells = _postings(spec, event, roles, scope)
    lines += [*checks, *joining, *amounts]
    if cells is None:
        lines.append(f"postings = {postings}")
        postings = "postings"
    if event.for_ is not None:
        lines.append("if not postings: return None")
    pairs = ", ".join(f"{name!r}: p_{name}" for name in event.parameters)
    assigned = [f"T(Assignment, ({s.register!r}, {s.key}, {s.value}))" for s in sets]
    return Effects(
        tuple(lines), f"{{{pairs}}}", postings, tuple_source(assigned), members, cells,
        sets, moves,
    )  # fmt: skip


def _parameter(spec: Specification, event: Event, name: str, scope: Scope) -> list[str]:
    """Lines that draw or compute one parameter."""
    declared = event.parameters[name]
    target = f"p_{name}"
    if isinstance(declared, int | str):
        value = translate(declared, scope).source
        return scope.before(*_where_set([f"{target} = {value}"], declared))
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
    return ["try:", *("    " + line for line in lines), "except TypeError: return None"]


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
        return scope.before(*_where_set(lines, *bounds))
    scaled = "" if step == 1 else f" * {step}"
    if all(isinstance(bound, int) for bound in bounds):
        least, most = (int(bound) for bound in bounds)
        least, most = -(-least // step), most // step
        if most < least:
            return ["return None"]
        return [f"{target} = ({least} + int(rnd() * {most - least + 1})){scaled}"]
    finding = _smallest("span", bounds[1], scope)
    floored = "span" if step == 1 else f"span // {step}"
    if isinstance(bounds[0], int):
        least = -(-bounds[0] // step)
        low, less = str(least), f" - {least - 1}" if least != 1 else ""
    else:
        finding.append(f"low = {low}" if step == 1 else f"low = -(-{low} // {step})")
        low, less = "low", " - low + 1"
    if floored + less != "span":
        finding.append(f"span = {floored}{less}")
    return [
        *scope.before(*_where_set(finding, *bounds)),
        "if span < 1: return None",
        f"{target} = ({low} + int(rnd() * span)){scaled}",
    ]


def _smallest(target: str, text: int | str, scope: Scope) -> list[str]:
    """Lines that compute an expression; a call of `min` in steps, which cost less than the call."""
    tree = ast.parse(str(text).strip(), mode="eval").body
    if not (isinstance(tree, ast.Call) and ast.unparse(tree.func) == "min" and len(tree.args) > 1):
        return [f"{target} = {translate(text, scope).source}"]
    translate(text, scope)  # refuses what is no number
    sources = [translate(ast.unparse(part), scope).source for part in tree.args]
    sources.sort(key=lambda source: source.isdigit())  # bare numbers need no name
    lines = [f"{target} = {sources[0]}"]
    for source in sources[1:]:
        if source.isdigit():
            lines.append(f"if {target} > {source}: {target} = {source}")
        else:
            lines += [f"bound = {source}", f"if bound < {target}: {target} = bound"]
    return lines


def _places(
    spec: Specification,
    event: Event,
    roles: Sequence[Role],
    on: str | tuple[str, str] | None,
    scope: Scope,
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
            source, kind, rest = _of_record(spec, role, rest, scope)
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


def _of_record(spec: Specification, role: Role, rest: str, scope: Scope) -> tuple[str, str, str]:
    inner, _, rest = rest.partition(".")
    kind = role_of_type(spec, role.type.removeprefix("record "), inner)
    return f"{scope.record(f'r_{role.name}')}.roles[{inner!r}]", kind, rest


def loop_variable(event: Event) -> tuple[str, str] | None:
    """Name and entity type of the variable of an event's `for`."""
    if event.for_ is None:
        return None
    name, _, rest = event.for_.partition(" in ")
    return name.strip(), rest.split()[0] if rest.split() else ""


def entities_of(
    spec: Specification, event: Event, roles: Sequence[Role], post: Post, scope: Scope
) -> tuple[list[tuple[str, str]], str | None]:
    """The entities that a posting counts for, cell key first, and the source of a list role.

    Raises:
        ExpressionError: A key is missing or ambiguous (R28).
    """
    places = _places(spec, event, roles, post.on, scope)
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


def _postings(
    spec: Specification, event: Event, roles: Sequence[Role], scope: Scope
) -> tuple[list[str], str, tuple[Change, ...] | None]:
    """Lines that compute amounts, each once; the postings; the same by cell if that is fixed."""
    loop = loop_variable(event)
    inner, clause = (scope, "") if event.for_ is None else clause_of(event.for_, scope)
    lines: list[str] = []
    parts: list[str] = []
    cells: list[Change] = []
    for n, post in enumerate(event.post):
        text = post.delta if post.split is None else post.split
        if text is None or (post.delta is not None and post.split is not None):
            raise ExpressionError(f"posting to {post.measure!r} needs one of `delta` and `split`")
        if post.measure not in spec.measures:
            raise ExpressionError(f"unknown measure {post.measure!r}")
        entities, pool = entities_of(spec, event, roles, post, scope)
        names = [source for source, _ in entities]
        arity = len(types(spec.measures[post.measure].per))
        looped = loop is not None and any(f"x_{loop[0]}" in name for name in names)
        amount = translate(text, inner if looped else scope).source
        each = ""
        if looped:
            each = clause
        elif pool is not None and post.split is not None:
            each = f"for m, d_{n} in zip({pool}, shares({amount}, len({pool})))"
        else:
            lines += scope.before(f"d_{n} = {amount}")
            each = f"for m in {pool}" if pool is not None else ""
        item = f"T(P, ({post.measure!r}, {amount if looped else f'd_{n}'}, {scope.key(names)}))"
        parts.append(f"*[{item} {each}]" if each else item)
        if not each:
            entities_of_key = tuple(names[:arity])
            key = scope.key(entities_of_key)
            start = spec.measures[post.measure].start
            level = scope.read("c", f"M_{post.measure}.get({key}, {start})", entities_of_key)
            cells.append(Change(post.measure, entities_of_key, key, f"d_{n}", level))
    fixed = tuple(cells) if len(cells) == len(parts) else None
    return [*lines, *scope.before()], tuple_source(parts), fixed


def tuple_source(parts: Sequence[str]) -> str:
    """Source of a tuple."""
    return f"({''.join(part + ', ' for part in parts)})"


def _assignments(
    spec: Specification, event: Event, roles: Sequence[Role], scope: Scope
) -> tuple[tuple[Assigned, ...], list[str]]:
    """The assignments of an event, and lines that compute their values within their ranges."""
    sets: list[Assigned] = []
    lines: list[str] = []
    for n, part in enumerate(event.sets):
        register = spec.registers.get(part.register_)
        if register is None:
            raise ExpressionError(f"unknown register {part.register_!r}")
        places = _places(spec, event, roles, part.on, scope)
        single = [(f"r_{r.name}", r.entity_type) for r in roles if r.entity_type is not None]
        keys = [_only(part.register_, kind, places, single)[0] for kind in types(register.on)]
        lines += scope.before(f"v_{n} = {assigned_value(spec, part, scope)}")
        if register.range is not None and part.value is not None:
            low, high = register.range
            lines.append(f"if v_{n} is not None and not {low} <= v_{n} <= {high}: return None")
        sets.append(Assigned(part.register_, tuple(keys), scope.key(keys), f"v_{n}"))
    return tuple(sets), lines


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


def _memberships(
    spec: Specification, event: Event, scope: Scope
) -> tuple[list[str], str, tuple[Moved, ...] | None]:
    """Lines that see whether each join and leave is legal; the members; each, if all are sure."""
    lines: list[str] = []
    moves: list[Moved] = []
    items: list[str] = []
    sure = not any(part.if_member for part in (*event.leave, *event.join))
    for joins, parts in ((False, event.leave), (True, event.join)):
        for part in parts:
            move = _move(spec, part, joins, scope)
            inside = f"{move.member} in {move.members}"
            legal = f"not ({inside})" if joins else inside
            item = f"T(Membership, ({move.roster!r}, {move.key}, {move.member}, {joins}))"
            if part.if_member:
                lines += scope.before(f"if {legal}: members.append({item})")
            else:
                lines += scope.before(f"if not ({legal}): return None")
                if not sure:
                    lines.append(f"members.append({item})")
            moves.append(move)
            items.append(item)
    if sure:
        return [*lines, *scope.before()], tuple_source(items), tuple(moves)
    return ["members = []", *lines, "members = tuple(members)"], "members", None


def _move(spec: Specification, part: Member, joins: bool, scope: Scope) -> Moved:
    roster = spec.rosters.get(part.roster)
    if roster is None:
        raise ExpressionError(f"unknown roster {part.roster!r}")
    member = translate(part.member, scope)
    if member.type not in (roster.of, "any"):
        raise ExpressionError(f"roster {part.roster!r} is of {roster.of!r}, not {member.type}")
    if (part.key is None) != (roster.per is None):
        word = "needs" if roster.per else "takes no"
        raise ExpressionError(f"roster {part.roster!r} {word} `key`")
    entities = () if part.key is None else (translate(part.key, scope).source,)
    key = scope.key(entities)
    members = scope.read("l", f"L_{part.roster}.get({key}, ())", entities)
    return Moved(part.roster, entities, key, member.source, members, joins)
