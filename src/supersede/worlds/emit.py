"""Emits the Python source of one event: how it is drawn, what it does, what it reads.

Names in the emitted source: `r_x` roles, `p_x` parameters, `d_n` amounts, `k_n` keys of cells,
`v_n` values of registers, `M_ G_ H_ L_ V_ N_` tables of the state (measures, registers, cells by
value, rosters, live entities, relations), `A` attributes, `S_` setters of registers. An author's
text reaches the source only through `specs.expressions`, which emits it afresh.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from supersede.specs.expressions import Read
from supersede.specs.roles import Role, role_scope, roles_of
from supersede.specs.schema import Specification
from supersede.worlds.checks import Check
from supersede.worlds.emit_commit import commit_lines
from supersede.worlds.emit_effects import effects_of, tuple_source
from supersede.worlds.emit_roles import draw_lines, fits_source


@dataclass(frozen=True, slots=True)
class Emitted:
    """Source of the functions of one event.

    `enter_n(rnd, counts)` draws the event on the present state and, where it counts, puts it in
    force. It gives (roles, parameters, postings, assignments, memberships, mints, whether it is
    in force, the cells that it read), or None where the event is impossible or unlawful: then
    the state is as it was. `draw_n(rnd)` draws the roles alone and `make_n(rnd, roles)` the
    effects for given roles, as an amend needs; `fits_n(roles)` tells whether roles go together.
    """

    source: str
    mints: tuple[str, ...]
    """Entity types that it mints, in role order."""
    has_reads: bool
    """Whether drawing it reads registers, rosters, records or minted entities."""


def emit_event(
    spec: Specification, n: int, checks: Sequence[Check], standing: Sequence[str]
) -> Emitted:
    """The functions of event number `n` of a specification.

    Args:
        spec: The specification.
        n: Number of the event.
        checks: The checks of the specification.
        standing: Roles of the event that may name what another record made (R15, R16).

    Raises:
        ExpressionError: An expression of the event is refused.
    """
    event = spec.events[n]
    roles = roles_of(spec, event)
    scope = role_scope(spec, event)
    draw, mints = draw_lines(spec, event, roles, scope)
    effects = effects_of(spec, event, roles, scope)
    make = list(effects.lines)
    commit = commit_lines(spec, event, effects, mints, checks)
    reads = _reads(spec, roles, _registers_only(spec, scope.reads))
    pairs = ", ".join(f"{role.name!r}: r_{role.name}" for role in roles)
    unpack = [f"r_{role.name} = roles[{role.name!r}]" for role in roles]
    lines = [f"def enter_{n}(rnd, counts):", *_indent([*draw, *make, f"roles = {{{pairs}}}"])]
    if standing:
        lines.append(f"    if counts and not stands({event.id!r}, roles): counts = False")
    read = reads
    if reads != "()":
        lines.append(f"    cells = {reads}")
        read = "cells"
    if commit:
        lines += ["    if counts:", *_indent(_indent(commit))]
    lines.append(
        f"    return roles, parameters, postings, assigned, members, {mints}, counts, {read}"
    )
    lines += [f"def draw_{n}(rnd):", *_indent([*draw, f"return {{{pairs}}}"])]
    made = "return parameters, postings, assigned, members"
    lines += [f"def make_{n}(rnd, roles):", *_indent([*unpack, *make, made])]
    fits = fits_source(event, roles, scope)
    lines += [f"def fits_{n}(roles):", *_indent([*unpack, f"return {fits}"])]
    minted = tuple(role.type for role in roles if role.how == "minted")
    return Emitted("\n".join(lines), minted, reads != "()")


def _indent(lines: Sequence[str]) -> list[str]:
    return ["    " + line for line in lines]


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
    return tuple_source(used)
