"""Lint of what can come about: events that wait for what never is, or for one another.

An event needs some things before it can happen at all: live entities of a minted type, members of
a roster, a value of a register, a record of another event. What starts so, or what a possible
event gives, is met; events are found possible one after another until no more are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from supersede.specs.lint_report import Report, listed
from supersede.specs.refused import ExpressionError
from supersede.specs.roles import Role, roles_of
from supersede.specs.schema import Event, Specification


class Need(NamedTuple):
    """Something without which an event cannot happen."""

    text: str
    """For people: `stage == 'paid'`."""
    given_by: frozenset[str]
    """Events that bring it about."""


def lint_possible(report: Report) -> None:
    """Note events that can never happen, one for each cause."""
    needs = {event.id: list(_needs(report.spec, event)) for event in report.spec.events}
    possible: set[str] = set()
    while True:
        more = {
            event
            for event, unmet in needs.items()
            if event not in possible and all(need.given_by & possible for need in unmet)
        }
        if not more:
            break
        possible |= more
    _explain(report, {e: u for e, u in needs.items() if e not in possible}, possible)


def _explain(report: Report, stuck: dict[str, list[Need]], possible: set[str]) -> None:
    """One finding for each event that nothing helps, and one for each circle of events."""
    number = {event.id: n for n, event in enumerate(report.spec.events)}
    hopeless: set[str] = set()
    for event, unmet in stuck.items():
        for need in unmet:
            if not need.given_by:
                report.error(("events", number[event]), f"event {event!r} can never happen: "
                             f"nothing brings about {need.text}",
                             "Add an event or a start that does.",
                             missing=f"{need.text} at all")  # fmt: skip
                hopeless.add(event)
                break
    told = _waiting_for(stuck, hopeless, possible)
    for event, unmet in stuck.items():
        if event in told:
            continue
        circle = _waiting_for(stuck, {event}, possible, backwards=True)
        need = next(need for need in unmet if not need.given_by & possible)
        report.error(("events", number[event]), f"event {event!r} can never happen: it needs "
                     f"{need.text}, which only {listed(sorted(need.given_by))} brings about, and "
                     "that waits in turn", "Let one of them happen from the start.")  # fmt: skip
        told |= circle | _waiting_for(stuck, circle, possible)


def _waiting_for(
    stuck: dict[str, list[Need]],
    events: Iterable[str],
    possible: set[str],
    *,
    backwards: bool = False,
) -> set[str]:
    """Events that wait for some events, or with `backwards` that those wait for; with them."""
    found = set(events)
    while True:
        more = {
            event
            for event, unmet in stuck.items()
            for need in unmet
            if not need.given_by & possible
            for giver in need.given_by
            if (event in found if backwards else giver in found)
        }
        if backwards:
            more = {
                giver
                for event in found
                for need in stuck.get(event, ())
                if not need.given_by & possible
                for giver in need.given_by
            }
        if more <= found:
            return found
        found |= more


def _needs(spec: Specification, event: Event) -> Iterator[Need]:
    try:
        roles = roles_of(spec, event)
    except ExpressionError:
        return
    for role in roles:
        if role.how == "record":
            name = role.type.removeprefix("record ")
            yield Need(f"a record of {name!r}", frozenset({name}))
        elif role.how in ("drawn", "list"):
            yield from _pool(spec, role)
    if event.when is not None:
        yield from _guard(spec, event.when)


def _pool(spec: Specification, role: Role) -> Iterator[Need]:
    """A role needs somebody to draw."""
    kind = role.type.removeprefix("list of ")
    if spec.entities[kind].minted is not None:
        givers = [
            e.id for e in spec.events for text in e.roles.values() if text == f"{kind}.new"
        ]  # fmt: skip
        yield Need(f"a first {kind}", frozenset(givers))
    roster = (role.roster or "").partition("[")[0].strip()
    if roster in spec.rosters and not role.outside and not spec.rosters[roster].start:
        joins = (e.id for e in spec.events for member in e.join if member.roster == roster)
        yield Need(f"a member of {roster!r}", frozenset(joins))


def _guard(spec: Specification, text: str) -> Iterator[Need]:
    """A register in a guard's conjunction must come to hold what it is compared with."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return
    is_and = isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And)
    for test in tree.values if isinstance(tree, ast.BoolOp) and is_and else [tree]:
        if not isinstance(test, ast.Compare) or len(test.ops) != 1:
            continue
        left, right = test.left, test.comparators[0]
        cell = left.value if isinstance(left, ast.Subscript) else left
        if not isinstance(cell, ast.Name) or cell.id not in spec.registers:
            continue
        if isinstance(test.ops[0], ast.Eq) and isinstance(right, ast.Constant):
            yield from _value(spec, cell.id, [right.value], ast.unparse(test))
        elif isinstance(test.ops[0], ast.In) and isinstance(right, ast.Tuple | ast.List):
            values = [item.value for item in right.elts if isinstance(item, ast.Constant)]
            if len(values) == len(right.elts):
                yield from _value(spec, cell.id, values, ast.unparse(test))


def _value(
    spec: Specification, register: str, values: Sequence[object], text: str
) -> Iterator[Need]:
    start = spec.registers[register].start
    starts: set[object] = {None, *start.values()} if isinstance(start, dict) else {start}
    if starts & set(values):
        return
    declared = spec.registers[register].values
    known = declared if isinstance(declared, tuple) else ()
    givers = [
        event.id
        for event in spec.events
        for part in event.sets
        if part.register_ == register
        and (part.value in values or not (part.value is None or part.value in known))
    ]
    yield Need(text, frozenset(givers))
