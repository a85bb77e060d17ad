"""Lint of the roles of events, and what is left of an event when its faults are left out."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from supersede.errors import did_you_mean
from supersede.specs.lint_expressions import check, used_in
from supersede.specs.lint_report import Report
from supersede.specs.lint_state import RESERVED, SECTIONS
from supersede.specs.load import Place
from supersede.specs.refused import ExpressionError
from supersede.specs.roles import Role, parse_role
from supersede.specs.schema import Event, ListRole
from supersede.specs.scope import Code, Scope


@dataclass
class Cast:
    """One event as far as it is sound: its roles, and what names mean in it."""

    n: int
    event: Event
    scope: Scope
    roles: dict[str, Role] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    """Roles, parameters and loop variables about which something was found."""
    loop: tuple[str, str] | None = None
    """Variable of `for`, and its type."""

    @property
    def path(self) -> Place:
        """The place of the event."""
        return ("events", self.n)

    def single(self) -> list[tuple[str, str]]:
        """Role and type of all roles that hold one entity."""
        return [(r.name, r.entity_type) for r in self.roles.values() if r.entity_type is not None]


def expression(
    report: Report, cast: Cast, path: Place, text: str | int, wanted: str | None
) -> Code | None:
    """Check an expression of an event, unless it uses what is broken."""
    if used_in(text) & cast.broken:
        return None
    return check(report, path, text, cast.scope, wanted)


def cast_of(report: Report, n: int, event: Event) -> Cast:
    """What is sound of event number `n`; notes what is wrong with its roles."""
    cast = Cast(n, event, Scope(report.spec))
    for name, text in event.roles.items():
        path: Place = (*cast.path, "roles", name)
        if reserved(report, path, name, "role"):
            cast.broken.add(name)
            continue
        if used_in(_text(text)) & (report.broken | cast.broken):
            cast.broken.add(name)
            continue
        before = event.model_copy(
            update={"roles": {**{r: event.roles[r] for r in cast.roles}, name: text}}
        )
        try:
            role = parse_role(report.spec, before, name)
        except ExpressionError as error:
            _bad_role(report, path, text, error)
            cast.broken.add(name)
            continue
        if _role(report, cast, path, role):
            cast.roles[name] = role
        else:
            cast.broken.add(name)
        cast.scope = cast.scope.bind(name, Code(f"r_{name}", role.type))
        shadow(report, path, name, role.type.removeprefix("list of "), "role")
    for name, kind in cast.single():
        report.role_types[n, name] = kind
    shown = {slot for text in event.phrasings for slot in re.findall(r"\{(\w+)", text)}
    cast.broken |= shown - {*event.roles, *event.parameters}
    return cast


def _bad_role(report: Report, path: Place, text: str | ListRole, error: ExpressionError) -> None:
    drawn = re.match(r"(\w+)(?:\.new)?(?:$| +(?:not +)?in | +!= )", _text(text).strip())
    if drawn is not None and drawn[1] not in report.spec.entities:
        report.error(path, f"role {path[-1]!r}: unknown type {drawn[1]!r}",
                     did_you_mean(drawn[1], report.spec.entities), missing=drawn[1])  # fmt: skip
        return
    if isinstance(text, ListRole):
        report.refuse((*path, "list"), text.of, error)
    else:
        report.refuse(path, text, error)


def _text(text: str | ListRole) -> str:
    return text if isinstance(text, str) else text.of


def reserved(report: Report, path: Place, name: str, what: str) -> bool:
    """Whether a role or parameter is named by a word of the language; notes it where it is."""
    if name in RESERVED:
        report.error(path, f"{what} {name!r} is a word of the expression language", "Rename it.")
    return name in RESERVED


def shadow(report: Report, path: Place, name: str, kind: str, what: str) -> None:
    """A role or parameter that hides a name of the state, or a type that is not its own."""
    for section in SECTIONS:
        if name in getattr(report.spec, section) and name != kind:
            report.error(path, f"{what} {name!r} hides the name {name!r} of {section}",
                         "Rename it.")  # fmt: skip
    if name == "block":
        report.error(path, f"{what} 'block' hides the number of the block", "Rename it.")


def _role(report: Report, cast: Cast, path: Place, role: Role) -> bool:
    """Whether a role can be drawn; notes it where not."""
    spec = report.spec
    for other in role.others:
        if other not in cast.roles and other not in cast.broken:
            later = other in cast.event.roles
            what = "is a later role" if later else "is no role"
            mend = "Put it before this one." if later else did_you_mean(other, cast.roles)
            report.error(path, f"role {role.name!r} differs from {other!r}, which {what}", mend)
            return False
    if role.roster is not None:
        kind = role.type.removeprefix("list of ")
        code = check(report, path, role.roster, cast.scope)
        if code is None:
            return False
        if code.type != f"list of {kind}":
            report.error(path, f"role {role.name!r}: {role.roster!r} is no roster of {kind}",
                         "Use a roster of that type.")  # fmt: skip
            return False
    if role.how == "record" and role.type == f"record {cast.event.id}":
        report.error(path, f"role {role.name!r} names a record of the same event, so there is "
                     "never a first one", "Name another event.")  # fmt: skip
        return False
    if role.how == "list":
        low, high = role.size
        entity = spec.entities[role.type.removeprefix("list of ")]
        most = len(entity.names) if entity.minted is None else high
        if low > high or low > most:
            report.error((*path, "size"), f"role {role.name!r}: no list of {low} to {high} of "
                         f"{most} entities", "Mend the size.")  # fmt: skip
            return False
    return True
