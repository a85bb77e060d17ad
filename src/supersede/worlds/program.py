"""A specification compiled once into Python functions: draws, effects and checks.

Guards and effects run a few hundred thousand times a second, so each event becomes three plain
functions in one generated module; `Program.source` is that module's text, readable in a debugger
and in tracebacks.
"""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate, repeat
from typing import Any, TypeAlias

from supersede.model.identity import Same
from supersede.model.record import (
    ENTRY,
    Assignment,
    Key,
    Membership,
    Mint,
    Posting,
    Record,
    RoleValue,
)
from supersede.model.world import World
from supersede.specs.roles import roles_of
from supersede.specs.schema import Event, Specification
from supersede.specs.world import world_of
from supersede.worlds.checks import Check, compile_checks
from supersede.worlds.emit import Emitted, Facts, emit_event
from supersede.worlds.emit_roles import focus_role
from supersede.worlds.standing import plain_standing
from supersede.worlds.state import State
from supersede.worlds.streams import Draw, between, sample_of

Made: TypeAlias = tuple[
    dict[str, int | str], tuple[Posting, ...], tuple[Assignment, ...], tuple[Membership, ...]
]
"""Parameters and frozen effects."""
Cells: TypeAlias = tuple[tuple[str, Key | None], ...]
"""Cells of the state: the name of a table, and a key; None for all of its cells."""
Seen: TypeAlias = tuple[tuple[Mint, ...], Cells]
"""What an event mints, and the cells that drawing it read."""
Way: TypeAlias = Callable[[Draw, str | None, bool | None], bool | None]
"""Draws and posts an entry, given its label and whether it counts by it; true where possible."""
Drawn: TypeAlias = tuple[
    dict[str, RoleValue],
    dict[str, int | str],
    tuple[Posting, ...],
    tuple[Assignment, ...],
    tuple[Membership, ...],
    tuple[Mint, ...],
    Cells,
]
"""Roles, parameters, effects and mints of an event that is possible, and the cells that it read."""


BOUND = (
    *("state", "A", "now", "stick", "focus", "numbers", "recent_record", "rec", "counts", "left"),
    *("commit", "dated", "spend", "append", "valid", "minter", "dependants", "positions"),
    *("by_event", "naming", "alive", "lasts", "held", "pending", "readers"),
)
"""What a compiled specification is bound to: tables of one history, and questions about it."""

_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class EventProgram:
    """What sampling needs to know of an event beside its functions."""

    event: Event
    id: str
    mints: tuple[str, ...]
    voidable: str
    is_last: bool
    """Whether only the newest such record may be taken back."""
    amendable: bool
    """Whether an amend may restate it: it has something to draw anew."""
    redrawn: tuple[str, ...]
    """Roles that an amend may change."""
    late: bool
    """Whether it may be logged late."""
    records: tuple[str, ...]
    """Its record-valued roles."""
    named: bool
    """Whether some event has a record of this one in a role."""
    limited: bool
    """Whether it has a `limit`."""
    tracked: bool
    """Whether its records must be kept track of: limits, record roles, minting."""
    reads: bool
    """Whether drawing it reads registers, rosters, records or minted entities."""
    direct: bool
    """Whether its function can put it in force: no role is a list of minted entities."""
    focus: tuple[str, str] | None
    """The role, and its type, that tends to stay the same from one record to the next."""


@dataclass(frozen=True)
class Program:
    """A compiled specification."""

    spec: Specification
    world: World
    source: str
    events: tuple[EventProgram, ...]
    checks: tuple[Check, ...]
    bind: Callable[..., tuple[Any, ...]] = field(repr=False)
    scheduled: tuple[int, ...]
    """Events posted once a block."""
    choices: tuple[int, ...]
    """Events drawn by weight."""
    weights: tuple[float, ...]
    """Cumulative weights of `choices`, ending at 1."""
    number: Mapping[str, int]
    """Event id -> its number."""
    noise: tuple[tuple[str, ...], ...]
    """Entity types that fill the slots of each noise template, in order."""


def compile_specification(spec: Specification) -> Program:
    """The program of a specification; compiled once for each.

    Raises:
        ExpressionError: An expression is refused; `supersede spec check` says which and where.
    """
    return _compiled(Same(spec))


@lru_cache(maxsize=256)
def _compiled(same: Same[Specification]) -> Program:
    spec = same.value
    world = world_of(spec)
    checks = compile_checks(spec)
    facts = [_facts(spec, event, plain_standing(world)) for event in spec.events]
    emitted = [emit_event(spec, n, checks, fact) for n, fact in enumerate(facts)]
    source = _module(spec, [e.source for e in emitted], checks)
    name = f"<specification {spec.id} version {spec.version} at {id(spec)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    bind = _executed(spec, source, name)
    drawn = [n for n, event in enumerate(spec.events) if event.every is None]
    total = sum(spec.events[n].weight for n in drawn)
    return Program(
        spec,
        world,
        source,
        tuple(map(_event_program, repeat(spec), spec.events, facts, emitted)),
        checks,
        bind,
        tuple(n for n in range(len(spec.events)) if n not in drawn),
        tuple(drawn),
        tuple(accumulate(spec.events[n].weight / total for n in drawn[:-1])),
        {event.id: n for n, event in enumerate(spec.events)},
        tuple(tuple(_SLOT.findall(text)) for text in spec.noise),
    )


def checks_over(spec: Specification, state: State, now: object) -> tuple[Callable[..., bool], ...]:
    """The functions of a specification's checks over a state, in the program's order.

    Args:
        spec: The specification.
        state: What they read.
        now: What has the present block as `block`; of all else that is bound they read nothing.
    """
    bound = {**dict.fromkeys(BOUND), "state": state, "A": state.attributes, "now": now}
    functions: tuple[Callable[..., bool], ...] = _checks_alone(Same(spec))(**bound)[-1]
    return functions


@lru_cache(maxsize=256)
def _checks_alone(same: Same[Specification]) -> Callable[..., tuple[Any, ...]]:
    """Binds the checks of a specification without its events."""
    spec = same.value
    source = _module(spec, (), _compiled(same).checks)
    return _executed(spec, source, f"<checks of {spec.id} version {spec.version} at {id(spec)}>")


def _executed(spec: Specification, source: str, name: str) -> Callable[..., tuple[Any, ...]]:
    """The function `bind` of a generated module."""
    namespace = dict(_NAMESPACE)
    for relation_name, relation in spec.relations.items():
        pairs = set(relation.pairs)
        if relation.symmetric:
            pairs |= {(b, a) for a, b in pairs}
        namespace[f"N_{relation_name}"] = frozenset(pairs)
    exec(compile(source, name, "exec"), namespace)
    bind: Callable[..., tuple[Any, ...]] = namespace["bind"]
    return bind


def _facts(
    spec: Specification, event: Event, standing: Mapping[str | None, tuple[str, ...]]
) -> Facts:
    roles = roles_of(spec, event)
    mints = any(role.how == "minted" for role in roles)
    guarded = _guarded_registers(spec)
    late = not (mints or event.join or event.leave) and not any(
        part.register_ in guarded for part in event.sets
    )
    return Facts(
        standing.get(event.id),
        late if event.backfill is None else event.backfill,
        event.voidable == "last",
        _is_named(spec, event),
    )


def _is_named(spec: Specification, event: Event) -> bool:
    """Whether some event has a record of this one in a role."""
    return any(f"record({event.id})" in str(t) for e in spec.events for t in e.roles.values())


def _event_program(
    spec: Specification, event: Event, facts: Facts, emitted: Emitted
) -> EventProgram:
    writes = bool(emitted.mints or event.sets or event.join or event.leave)
    roles = roles_of(spec, event)
    redrawn = event.amendable if isinstance(event.amendable, tuple) else ()
    drawn = any(not isinstance(p, int | str) for p in event.parameters.values())
    recorded = tuple(role.name for role in roles if role.how == "record")
    return EventProgram(
        event,
        event.id,
        emitted.mints,
        event.voidable or ("leaf" if writes else "free"),
        facts.is_last,
        event.amendable is not False and bool(drawn or redrawn) and event.for_ is None,
        redrawn,
        facts.late,
        recorded,
        facts.is_named,
        event.limit is not None,
        bool(event.limit is not None or facts.is_named or recorded or emitted.mints),
        emitted.has_reads,
        facts.standing is not None,
        next(((r.name, r.type) for r in roles if r.name == focus_role(roles)), None),
    )


@lru_cache(maxsize=8)
def _registers_in(texts: tuple[str, ...], registers: tuple[str, ...]) -> frozenset[str]:
    found = set()
    for text in texts:
        names = {n.id for n in ast.walk(ast.parse(text.strip())) if isinstance(n, ast.Name)}
        found |= names & set(registers)
    return frozenset(found)


def _guarded_registers(spec: Specification) -> frozenset[str]:
    """Registers that some guard reads."""
    guards = tuple(event.when for event in spec.events if event.when is not None)
    return _registers_in(guards, tuple(spec.registers))


# The generated module


def _module(spec: Specification, events: Sequence[str], checks: Sequence[Check]) -> str:
    body = ["unset, unenrol, mint = state.unset, state.unenrol, state.mint"]
    body += [f"def check_{n}{check.source}" for n, check in enumerate(checks)]
    body += events
    used = set(re.findall(r"\b[A-Z]_\w+", "\n".join(body)))
    tables = [
        (f"{letter}_{name}", f"{table}[{name!r}]")
        for letter, table, names in (
            ("M", "state.measures", spec.measures),
            ("G", "state.registers", spec.registers),
            ("L", "state.rosters", spec.rosters),
            ("V", "state.live", spec.entities),
        )
        for name in names
    ]
    tables += [
        (f"{letter}_{name}", f"{function}({name!r})")
        for letter, function, names in (
            ("H", "state.holders", spec.registers),
            ("S", "state.setter", spec.registers),
            ("E", "state.enroller", spec.rosters),
        )
        for name in names
    ]
    body = [f"{name} = {source}" for name, source in tables if name in used] + body
    numbers = range(len(events))
    body.append(
        f"return ({_names('enter', numbers)}), ({_names('draw', numbers)}), "
        f"({_names('make', numbers)}), ({_names('seen', numbers)}), "
        f"({_names('fits', numbers)}), "
        f"({_names('check', range(len(checks)))})"
    )
    text = "\n".join(body)
    lines = "\n".join("    " + line for line in text.splitlines())
    return f"def bind({', '.join(BOUND)}):\n{lines}\n"


def _names(word: str, numbers: range) -> str:
    return "".join(f"{word}_{n}, " for n in numbers)


def shares(amount: int, count: int) -> list[int]:
    """`count` shares that sum to `amount`: the first ones one minor unit more (R30)."""
    quotient, rest = divmod(abs(amount), count)
    sign = -1 if amount < 0 else 1
    return [sign * (quotient + (n < rest)) for n in range(count)]


def half_up_div(a: int, b: int) -> int:
    """The quotient rounded to the nearest integer, halves away from zero (R31)."""
    quotient, rest = divmod(abs(a), abs(b))
    rounded = quotient + (2 * rest >= abs(b))
    return rounded if (a < 0) == (b < 0) else -rounded


def _head(queue: Sequence[str]) -> str | None:
    return queue[0] if queue else None


def _rank(queue: Sequence[str], member: str) -> int:
    return queue.index(member) + 1 if member in queue else 0


def _other(pool: Sequence[str], one: str) -> str | None:
    return next((name for name in pool if name != one), None)


def _at_value(held: Mapping[object, Sequence[Key]], value: object) -> str | None:
    keys = held.get(value, ())
    return keys[0][0] if keys else None


_NAMESPACE: dict[str, Any] = {
    "T": tuple.__new__,
    "P": Posting,
    "Assignment": Assignment,
    "Membership": Membership,
    "Mint": Mint,
    "Record": Record,
    "ENTRY": ENTRY,
    "between": between,
    "sample_of": sample_of,
    "shares": shares,
    "half_up_div": half_up_div,
    "head": _head,
    "rank": _rank,
    "other": _other,
    "at_value": _at_value,
}
