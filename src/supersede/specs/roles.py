"""Role texts: `order.new`, `traveler in going != payer`, `record(expense)`, `holder[target]`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from supersede.specs.expressions import translate
from supersede.specs.refused import ExpressionError, hint
from supersede.specs.schema import Event, ListRole, Specification
from supersede.specs.scope import Code, Scope
from supersede.specs.value_types import event_named

_DRAWN = re.compile(
    r"(?P<type>\w+)(?P<new>\.new)?"
    r"(?:\s+(?P<outside>not\s+)?in\s+(?P<roster>\w+(?:\[[^\]]+\])?))?"
    r"(?:\s+!=\s+(?P<others>\w+(?:\s*,\s*\w+)*))?"
)
_RECORD = re.compile(r"record\((\w+)\)")

How: TypeAlias = Literal["drawn", "minted", "list", "record", "computed"]


@dataclass(frozen=True, slots=True)
class Role:
    """One role of an event, taken apart."""

    name: str
    how: How
    type: str
    """An entity type, `list of T`, or `record E`."""
    text: str
    roster: str | None = None
    """Expression of the roster that the entity is in, or out of."""
    outside: bool = False
    others: tuple[str, ...] = ()
    """Earlier roles that it differs from."""
    size: tuple[int, int] = (1, 1)
    """Least and most members of a list role."""

    @property
    def entity_type(self) -> str | None:
        """The type of its one entity; None for list and record roles."""
        return None if self.how in ("list", "record") else self.type


def parse_role(spec: Specification, event: Event, name: str) -> Role:
    """A role of an event, taken apart.

    Raises:
        ExpressionError: The text is no role: unknown type, roster or event.
    """
    declared = event.roles[name]
    if isinstance(declared, ListRole):
        member = _drawn(spec, name, declared.of)
        if member is None:
            raise ExpressionError(f"{declared.of!r} is not an entity type with a condition")
        size = declared.size
        return Role(name, "list", f"list of {member.type}", declared.of, member.roster,
                    member.outside, member.others, size)  # fmt: skip
    record = _RECORD.fullmatch(declared.strip())
    if record:
        event_named(spec, record[1])
        return Role(name, "record", f"record {record[1]}", declared)
    drawn = _drawn(spec, name, declared)
    return drawn if drawn is not None else _computed(spec, event, name, declared)


def role_of_type(spec: Specification, event: str, role: str) -> str:
    """The type of an event's role: an entity type, `list of T`, `record E`.

    Raises:
        ExpressionError: The event or the role is not there.
    """
    declared = event_named(spec, event)
    if role not in declared.roles:
        raise ExpressionError(
            f"event {event!r} has no role {role!r}{hint(role, list(declared.roles))}"
        )
    return parse_role(spec, declared, role).type


def _drawn(spec: Specification, name: str, text: str) -> Role | None:
    match = _DRAWN.fullmatch(text.strip())
    if match is None or match["type"] not in spec.entities:
        return None
    kind = match["type"]
    if match["new"]:
        if spec.entities[kind].minted is None:
            raise ExpressionError(f'{kind!r} is not a minted type: give it `minted: "...{{n}}"`')
        return Role(name, "minted", kind, text)
    others = tuple(part.strip() for part in (match["others"] or "").split(",") if part.strip())
    return Role(name, "drawn", kind, text, match["roster"], bool(match["outside"]), others)


def _computed(spec: Specification, event: Event, name: str, text: str) -> Role:
    code = translate(text, role_scope(spec, event, before=name))
    if code.type not in spec.entities:
        near = hint(text, list(spec.entities))
        raise ExpressionError(f"role text {text!r} names no entity{near}")
    return Role(name, "computed", code.type, text)


def roles_of(spec: Specification, event: Event) -> tuple[Role, ...]:
    """The roles of an event in the order in which they are drawn."""
    return tuple(parse_role(spec, event, name) for name in event.roles)


def role_scope(spec: Specification, event: Event, before: str | None = None) -> Scope:
    """What names mean in an event: its roles, up to one of them if that is given.

    A role is bound to a variable of its own name with `r_` before it.
    """
    scope = Scope(spec)
    for name in event.roles:
        if name == before:
            break
        scope = scope.bind(name, Code(f"r_{name}", parse_role(spec, event, name).type))
    return scope
