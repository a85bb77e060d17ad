"""From a specification to the resolved world that replay and questions work on."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from supersede.model.record import Value
from supersede.model.world import (
    Derived,
    EntityType,
    EventType,
    Measure,
    Register,
    Roster,
    Tally,
    World,
)
from supersede.specs.roles import Role, roles_of
from supersede.specs.schema import Entity, Event, NamedAttribute, Specification
from supersede.specs.schema import Register as RegisterPart
from supersede.specs.value_types import types


def world_of(spec: Specification) -> World:
    """The world that a checked specification describes.

    Raises:
        ExpressionError: A role of the specification names what is not there.
    """
    return World(
        name=spec.id,
        block=spec.clock.block,
        types={name: _entity_type(name, part) for name, part in spec.entities.items()},
        measures={
            name: Measure(name, m.label, m.unit, m.scale, types(m.per), m.start)
            for name, m in spec.measures.items()
        },
        events={event.id: _event_type(spec, event) for event in spec.events},
        statuses={
            **dict.fromkeys(spec.statuses.counts, True),
            **dict.fromkeys(spec.statuses.does_not_count, False),
        },
        registers={name: _register(name, part) for name, part in spec.registers.items()},
        rosters={
            name: Roster(
                name, r.label, r.of, types(r.per), r.ordered,
                spec.entities[r.of].names if r.start == "all" else tuple(r.start),
            )
            for name, r in spec.rosters.items()
        },
        tallies={name: Tally(name, t.label, t.of) for name, t in spec.tallies.items()},
        derived={
            name: Derived(name, d.label, d.unit, d.scale, types(d.per), terms)
            for name, d in spec.derived.items()
            if (terms := linear_terms(spec, d.value)) is not None
        },
        timed=spec.clock.time is not None,
        preposition=spec.clock.preposition,
    )  # fmt: skip


def _entity_type(name: str, part: Entity) -> EntityType:
    columns = [
        declared.values if isinstance(declared, NamedAttribute) else declared
        for declared in part.attributes.values()
    ]
    values: dict[str, tuple[Value, ...]] = {}
    if part.minted is None:
        for n, entity in enumerate(part.names):
            values[entity] = tuple(c[n] for c in columns if isinstance(c, tuple))
    return EntityType(
        name,
        part.label,
        part.plural or f"{part.label}s",
        part.names,
        part.minted,
        tuple(part.attributes),
        values,
        part.article,
    )


def _register(name: str, part: RegisterPart) -> Register:
    symbols = part.values if isinstance(part.values, tuple) else ()
    one = part.start if not isinstance(part.start, dict) else None
    starts = part.start if isinstance(part.start, dict) else {}
    return Register(
        name,
        part.label,
        types(part.on),
        symbols,
        part.values if isinstance(part.values, str) else None,
        part.range is not None or part.block,
        part.block,
        part.unit,
        part.scale,
        one,
        {(entity,): value for entity, value in starts.items()},
    )


def _event_type(spec: Specification, event: Event) -> EventType:
    roles = roles_of(spec, event)
    return EventType(
        event.id,
        event.noun,
        event.nouns,
        {r.name: r.entity_type for r in roles if r.entity_type is not None},
        {r.name: r.type.removeprefix("list of ") for r in roles if r.how == "list"},
        {r.name: r.type.removeprefix("record ") for r in roles if r.how == "record"},
        tuple(dict.fromkeys(post.measure for post in event.post)),
        tuple(dict.fromkeys(part.register_ for part in event.sets)),
        event.voidable == "cascade",
        _is_told(spec, event, roles),
    )


def _is_told(spec: Specification, event: Event, roles: Sequence[Role]) -> bool:
    """Whether the changes of an event name nothing but what has a role of its own in it."""
    if event.for_ is not None or any(role.how == "list" for role in roles):
        return False
    named: set[object] = {None}
    for on in (*(post.on for post in event.post), *(part.on for part in event.sets)):
        named.update((on,) if isinstance(on, str) else on or ())
    for move in (*event.leave, *event.join):
        named.update((move.key, move.member))
    entities = {name for part in spec.entities.values() for name in part.names}
    for part in event.sets:
        values = spec.registers[part.register_].values
        if isinstance(values, str):
            named.add(part.value)
        elif values is not None and not entities.isdisjoint(values):
            return False
    return named <= {None, *(role.name for role in roles if role.entity_type is not None)}


def linear_terms(spec: Specification, text: str) -> tuple[tuple[str, int], ...] | None:
    """Measures and coefficients of a derived expression; None where it is not linear (R32)."""
    try:
        terms = _linear(spec, ast.parse(text.strip(), mode="eval").body, 1)
    except SyntaxError:
        return None
    if terms is None:
        return None
    summed: dict[str, int] = {}
    for name, factor in terms:
        summed[name] = summed.get(name, 0) + factor
    return tuple((name, factor) for name, factor in summed.items() if factor)


def _linear(spec: Specification, node: ast.expr, sign: int) -> list[tuple[str, int]] | None:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        left = _linear(spec, node.left, sign)
        right = _linear(spec, node.right, sign if isinstance(node.op, ast.Add) else -sign)
        return None if left is None or right is None else left + right
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _linear(spec, node.operand, -sign)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        for factor, rest in ((node.left, node.right), (node.right, node.left)):
            if isinstance(factor, ast.Constant) and isinstance(factor.value, int):
                return _linear(spec, rest, sign * factor.value)
        return None
    name = node.value if isinstance(node, ast.Subscript) else node
    if not isinstance(name, ast.Name):
        return None
    if isinstance(node, ast.Subscript) and ast.unparse(node.slice) not in ("e", "(e, f)"):
        return None
    if name.id in spec.measures:
        return [(name.id, sign)]
    return _linear_of(spec, name.id, sign)


def _linear_of(spec: Specification, name: str, sign: int) -> list[tuple[str, int]] | None:
    derived = spec.derived.get(name)
    if derived is None:
        return None
    terms = linear_terms(spec, derived.value)
    return None if terms is None else [(measure, factor * sign) for measure, factor in terms]
