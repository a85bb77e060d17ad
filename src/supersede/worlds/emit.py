"""Emits the Python source of one event: how it is drawn, what it does, what it reads.

Names in the emitted source: `r_x` roles, `p_x` parameters, `d_n` amounts, `n_n` new levels, `v_n`
values of registers, `M_ G_ H_ L_ V_ N_` tables of the state (measures, registers, cells by value,
rosters, live entities, relations), `A` attributes, `S_` setters of registers, `E_` of rosters.
What is read or built once for several uses is `c_n` a level, `g_n` a register's value, `l_n` a
roster, `k_n` a key, `o_n` a record. An author's text reaches the source only through
`specs.expressions`, which emits it afresh.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from supersede.specs.roles import Role, role_scope, roles_of
from supersede.specs.schema import Event, Specification
from supersede.specs.scope import Once, Read, Scope
from supersede.worlds.checks import Check
from supersede.worlds.emit_commit import commit_lines, is_generic
from supersede.worlds.emit_effects import Effects, effects_of, tuple_source
from supersede.worlds.emit_roles import draw_lines, fits_source, focus_role
from supersede.worlds.emit_standing import standing_of, tracking_lines


@dataclass(frozen=True, slots=True)
class Emitted:
    """Source of the functions of one event.

    `enter_n(rnd, label, by_label)` draws the event on the present state, puts it in force where
    it counts, and posts its record. It gives True, or None where the event is impossible or
    unlawful: then all is as it was. The others do the same in parts, for what is not in force at
    once: `draw_n(rnd)` draws the roles and `make_n(rnd, roles)` the effects, as an amend needs;
    `seen_n(roles)` tells what it mints and which cells drawing it reads, `fits_n(roles)` whether
    roles go together.
    """

    source: str
    mints: tuple[str, ...]
    """Entity types that it mints, in role order."""
    has_reads: bool
    """Whether drawing it reads registers, rosters, records or minted entities."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of an event before its functions are emitted."""

    standing: tuple[str, ...] | None
    """Roles that may name what another record made (R15, R16); None where one is a list."""
    late: bool
    """Whether it may be logged late."""
    is_last: bool
    """Whether only the newest such record may be taken back."""
    is_named: bool
    """Whether some event has a record of this one in a role."""


def emit_event(spec: Specification, n: int, checks: Sequence[Check], facts: Facts) -> Emitted:
    """The functions of event number `n` of a specification.

    Args:
        spec: The specification.
        n: Number of the event.
        checks: The checks of the specification.
        facts: What is known of the event.

    Raises:
        ExpressionError: An expression of the event is refused.
    """
    event = spec.events[n]
    roles = roles_of(spec, event)
    pairs = ", ".join(f"{role.name!r}: r_{role.name}" for role in roles)
    unpack = [f"r_{role.name} = roles[{role.name!r}]" for role in roles]

    lines = [f"def enter_{n}(rnd, label, by_label):"]
    lines += _indent(_enter(spec, n, roles, pairs, checks, facts))

    scope = _scope(spec, event)
    draw, mints = draw_lines(spec, event, roles, scope)
    lines += [f"def draw_{n}(rnd):", *_indent([*draw, f"return {{{pairs}}}"])]

    scope = _scope(spec, event)
    effects = effects_of(spec, event, roles, scope)
    made = f"return {effects.parameters}, {effects.postings}, {effects.assigned}, {effects.members}"
    lines += [f"def make_{n}(rnd, roles):", *_indent([*unpack, *effects.lines, made])]

    scope = role_scope(spec, event)
    draw_lines(spec, event, roles, scope)
    effects_of(spec, event, roles, scope)
    reads = list(_reads(spec, roles, _registers_only(spec, scope.reads), scope))
    seen = f"return {mints}, {tuple_source(reads)}"
    lines += [f"def seen_{n}(roles):", *_indent([*unpack, seen])]
    fits = fits_source(event, roles, scope)
    lines += [f"def fits_{n}(roles):", *_indent([*unpack, f"return {fits}"])]
    minted = tuple(role.type for role in roles if role.how == "minted")
    return Emitted("\n".join(lines), minted, bool(reads))


def _scope(spec: Specification, event: Event) -> Scope:
    """The scope of a function of an event that makes each read once."""
    return replace(role_scope(spec, event), once=Once())


def _enter(
    spec: Specification,
    n: int,
    roles: Sequence[Role],
    pairs: str,
    checks: Sequence[Check],
    facts: Facts,
) -> list[str]:
    """The body of the function that draws an event, puts it in force and posts it."""
    event = spec.events[n]
    scope = _scope(spec, event)
    draw, mints = draw_lines(spec, event, roles, scope)
    effects = effects_of(spec, event, roles, scope)
    cells, reads = _kept(_reads(spec, roles, _registers_only(spec, scope.reads), scope))
    drawn = [*draw, *effects.lines, *scope.before(), *cells]
    if is_generic(spec, roles, effects, checks):
        lines, effects, mints = _named(effects, mints)
        drawn += lines
    elif mints != "()":
        drawn.append(f"mints = {mints}")
        mints = "mints"
    commit = commit_lines(spec, roles, effects, mints, checks)
    drawn += scope.before()
    held = f"{{{pairs}}}"
    if facts.late:
        drawn.append(f"roles = {held}")
        held = "roles"
    in_force = "by_label"
    standing = standing_of(spec, roles, facts.standing or ())
    if standing.tests:
        drawn += standing.found
        drawn.append(f"in_force = by_label and {' and '.join(standing.tests)}")
        in_force = "in_force"
    kind, posted, occurred = "ENTRY", "block", "block"
    if facts.late:
        kind, posted, occurred = "kind", "now.block", "occurred"
        late = f"dated(rnd, roles, {tuple_source(reads)})"
        drawn.append(f"kind, when = {late} if now.late else (ENTRY, now.when)")
    else:
        drawn.append("when = now.when")
    drawn.append(f"{occurred}, clock, position = when")
    if commit:
        drawn += [f"if {in_force}:", *_indent(commit)]
    record = (
        f"T(Record, (spend({occurred}, clock), {posted}, position, {occurred}, clock, label, "
        f"{kind}, {event.id!r}, {held}, {effects.parameters}, (), {effects.postings}, "
        f"{effects.assigned}, {effects.members}, {mints}, None, None))"
    )
    focus = focus_role(roles)
    noted = ["alive.append(position)"]
    if facts.is_last:
        noted.append("lasts.append(position)")
    noted += [f"readers[{cell}] = position" for cell in reads]
    noted += [f"focus[{role.type!r}] = r_{role.name}" for role in roles if role.name == focus]
    return [
        *drawn,
        f"record = {record}",
        f"append(record, by_label, {in_force})",
        *standing.noted,
        *tracking_lines(event, roles, facts.is_named),
        f"if {in_force}:",
        *_indent(noted),
        "elif label in pending: held.append(position)",
        "return True",
    ]


def _indent(lines: Sequence[str]) -> list[str]:
    return ["    " + line for line in lines]


def _registers_only(spec: Specification, reads: Sequence[Read]) -> tuple[Read, ...]:
    kept = [r for r in reads if r.name in spec.registers or r.name in spec.rosters]
    return tuple(dict.fromkeys(kept))


def _reads(
    spec: Specification, roles: Sequence[Role], reads: Sequence[Read], scope: Scope
) -> dict[str, bool]:
    """Source of each cell that drawing an event reads, and whether an effect could change it."""
    used: dict[str, bool] = {}
    for read in reads:
        key = read.key
        if key is None or any("p_" in part for part in key):
            used[f"({read.name!r}, None)"] = False
        else:
            moves = not all(part.isidentifier() for part in key)
            used[f"({read.name!r}, {scope.key(key)})"] = moves
    for role in roles:
        if role.how == "record":
            used[f"('record', {scope.key([f'r_{role.name}'])})"] = False
        elif role.how in ("drawn", "computed") and spec.entities[role.type].minted is not None:
            used[f"('entity', {scope.key([f'r_{role.name}'])})"] = False
    return used


def _kept(cells: Mapping[str, bool]) -> tuple[list[str], list[str]]:
    """Lines that work out the cells that an effect could change, and all cells as they were."""
    names = {cell: f"s_{n}" for n, (cell, moves) in enumerate(cells.items()) if moves}
    return [f"{name} = {cell}" for cell, name in names.items()], [names.get(c, c) for c in cells]


def _named(effects: Effects, mints: str) -> tuple[list[str], Effects, str]:
    """Lines that build effects which `commit` and the record both need, and both by name."""
    parts = {
        "postings": effects.postings,
        "assigned": effects.assigned,
        "members": effects.members,
        "mints": mints,
    }
    lines = [f"{name} = {source}" for name, source in parts.items() if source not in (name, "()")]
    postings, assigned, members, mints = (
        source if source == "()" else name for name, source in parts.items()
    )
    return lines, replace(effects, postings=postings, assigned=assigned, members=members), mints
