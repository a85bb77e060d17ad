"""Lint of what events do: postings, assignments, joins and leaves."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from supersede.errors import did_you_mean
from supersede.specs.expressions import clause_of
from supersede.specs.lint_cast import Cast, expression
from supersede.specs.lint_expressions import names_in, used_in
from supersede.specs.lint_report import Report, an
from supersede.specs.lint_state import SECTIONS
from supersede.specs.load import Place
from supersede.specs.refused import ExpressionError
from supersede.specs.roles import role_of_type
from supersede.specs.schema import Member, Post, Set
from supersede.specs.scope import Code
from supersede.specs.value_types import (
    ANY,
    INTEGER,
    NOTHING,
    SYMBOL,
    attribute_type,
    event_named,
    register_type,
    types,
)

_LEAD = "(0 for "
"""What `clause_of` puts before a clause: its columns count from there."""


@dataclass(frozen=True)
class Cell:
    """What one effect changes: `paid` of the entities that these role texts name."""

    name: str
    key: tuple[str, ...]
    path: Place


def lint_loop(report: Report, cast: Cast) -> None:
    """Look at the `for` of an event and bind its variable."""
    text = cast.event.for_
    if text is None:
        return
    path: Place = (*cast.path, "for")
    name, _, rest = text.partition(" in ")
    name, kind = name.strip(), (rest.split() or [""])[0]
    cast.loop = (name, kind)
    if used_in(f"[0 for {text.strip()}]") & (report.broken | cast.broken):
        cast.broken.add(name)
        return
    try:
        inner, _ = clause_of(text, cast.scope)
    except ExpressionError as error:
        column = max(error.column - len(_LEAD), 0)
        report.refuse(path, text, ExpressionError(error.message, column))
        cast.broken.add(name)
        return
    cast.scope = cast.scope.bind(name, inner.variables[name])
    if not any(name in str(post.on) for post in cast.event.post):
        report.error(path, f"no posting of {cast.event.id!r} is `on: {name}`",
                     f"Post on {name}, or leave `for` out.")  # fmt: skip


def lint_effects(report: Report, cast: Cast) -> None:
    """Look at all that an event does, and at what its effects do to one another."""
    cells: list[Cell] = []
    for n, post in enumerate(cast.event.post):
        cells += _post(report, cast, (*cast.path, "post", n), post)
    for n, part in enumerate(cast.event.sets):
        cells += _set(report, cast, (*cast.path, "set", n), part)
    for word in ("leave", "join"):
        parts: tuple[Member, ...] = getattr(cast.event, word)
        for n, member in enumerate(parts):
            cells += _member(report, cast, (*cast.path, word, n), member)
    for n, cell in enumerate(cells):
        for earlier in cells[:n]:
            if cell.name == earlier.name and not _apart(cast, earlier.key, cell.key):
                _one_cell(report, cast, earlier, cell)
                break
    _posted_place(report, cast, cells)


def _one_cell(report: Report, cast: Cast, one: Cell, other: Cell) -> None:
    """Two effects on one cell in one record (R13)."""
    if one.key == other.key:
        report.error(other.path, f"event {cast.event.id!r} changes {one.name!r} of the same cell "
                     "twice", "Make it one effect.")  # fmt: skip
        return
    a, b = next((a, b) for a, b in zip(one.key, other.key, strict=True) if a != b)
    report.error(other.path, f"roles {a!r} and {b!r} of {cast.event.id!r} may be one, and then "
                 f"{one.name!r} changes twice in one cell",
                 f"Add ` != {a}` to role {b!r}.")  # fmt: skip


def _apart(cast: Cast, one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two keys surely differ, or can at least not be shown to be one."""
    return any(a != b and _differ(cast, a, b) for a, b in zip(one, other, strict=True))


def _differ(cast: Cast, a: str, b: str) -> bool:
    first, second = cast.roles.get(a), cast.roles.get(b)
    if first is None or second is None:
        return True  # an attribute or a loop variable: sampling shows
    if {first.how, second.how} - {"drawn", "list"}:
        return True
    if a in second.others or b in first.others or first.type != second.type:
        return True
    if first.roster == second.roster and first.outside != second.outside:
        return True
    return cast.event.when is not None and _together(cast.event.when, a, b)


def _together(guard: str, a: str, b: str) -> bool:
    """Whether some test of a guard is about both roles."""
    try:
        tree = ast.parse(guard.strip(), mode="eval")
    except SyntaxError:
        return True
    return any(
        {a, b} <= {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare | ast.Call)
    )


def _post(report: Report, cast: Cast, path: Place, post: Post) -> list[Cell]:
    measure = report.spec.measures.get(post.measure)
    if measure is None:
        report.error((*path, "measure"), f"unknown measure {post.measure!r}",
                     did_you_mean(post.measure, report.spec.measures),
                     missing=post.measure)  # fmt: skip
        return []
    if (post.delta is None) == (post.split is None):
        report.error(path, f"posting to {post.measure!r} needs one of `delta` and `split`",
                     "Give one of them.")  # fmt: skip
        return []
    if post.delta == 0:
        report.error((*path, "delta"), f"posting to {post.measure!r} changes nothing",
                     "Give another `delta`.")  # fmt: skip
    word, amount = ("delta", post.delta) if post.split is None else ("split", post.split)
    if amount is not None:
        expression(report, cast, (*path, word), amount, INTEGER)
    places = _places(report, cast, (*path, "on"), post.on)
    if places is None or post.measure in report.broken:
        return []
    spread = [text for text, kind in places if kind.startswith("list of ")]
    if post.split is not None and not spread:
        report.error(path, f"`split` to {post.measure!r} needs `on:` with a list role",
                     "Use `delta`, or a role {list: ..}.")  # fmt: skip
        return []
    places = [(text, kind.removeprefix("list of ")) for text, kind in places]
    key = _key(report, cast, path, post.measure, types(measure.per), places)
    return [] if key is None else [Cell(post.measure, key, path)]


def _places(
    report: Report, cast: Cast, path: Place, on: str | tuple[str, str] | None
) -> list[tuple[str, str]] | None:
    """Text and type of what an effect's `on` names; None where something is wrong."""
    found: list[tuple[str, str]] = []
    for text in () if on is None else (on,) if isinstance(on, str) else on:
        base = text.partition(".")[0]
        if base in cast.broken or any(f".{name}" in report.broken for name in text.split(".")[1:]):
            return None
        try:
            found.append((text, _place_type(report, cast, text)))
        except ExpressionError as error:
            what, _, hint = error.message.partition(". Did you mean ")
            missing = base if "is no role" in what else None
            mend = f"Did you mean {hint}" if hint else "Name a role."
            report.error(path, what, mend, missing=missing)
            return None
    return found


def _place_type(report: Report, cast: Cast, text: str) -> str:
    spec = report.spec
    base, *rest = text.split(".")
    if cast.loop is not None and base == cast.loop[0]:
        kind = cast.loop[1]
    elif base not in cast.roles:
        near = did_you_mean(base, cast.roles)
        near = f". {near}" if near.endswith("?") else ""
        raise ExpressionError(f"on: {base!r} is no role of event {cast.event.id!r}{near}")
    elif cast.roles[base].how == "record":
        event = cast.roles[base].type.removeprefix("record ")
        if not rest:
            raise ExpressionError(f"on: {text!r} is a record; name one of its roles")
        kind, rest = role_of_type(spec, event_named(spec, event).id, rest[0]), rest[1:]
    else:
        kind = cast.roles[base].type
    for name in rest:
        if kind not in spec.entities or name not in spec.entities[kind].attributes:
            raise ExpressionError(f"on: {text!r}: {kind} has no attribute {name!r}")
        kind = attribute_type(spec, kind, name)
    if kind.removeprefix("list of ") not in spec.entities:
        raise ExpressionError(f"on: {text!r} is no entity")
    return kind


def _key(
    report: Report,
    cast: Cast,
    path: Place,
    name: str,
    wanted: Sequence[str],
    places: Sequence[tuple[str, str]],
) -> tuple[str, ...] | None:
    """The role texts that key a cell (R28); None where one is missing or unclear."""
    key: list[str] = []
    for kind in wanted:
        named = [text for text, k in places if k == kind]
        fitting = named or [text for text, k in cast.single() if k == kind]
        if len(fitting) == 1:
            key.append(fitting[0])
            continue
        if not fitting and cast.broken:
            return None
        what = f"{name!r} is kept per {kind}, "
        what += "but no role is one" if not fitting else f"and {' and '.join(fitting)} are one"
        mend = "Say which with `on:`." if fitting else f"Add a role, or `on:` with {an(kind)}."
        report.error(path, what, mend)
        return None
    return tuple(key)


def _set(report: Report, cast: Cast, path: Place, part: Set) -> list[Cell]:
    spec = report.spec
    register = spec.registers.get(part.register_)
    if register is None:
        report.error((*path, "register"), f"unknown register {part.register_!r}",
                     did_you_mean(part.register_, spec.registers),
                     missing=part.register_)  # fmt: skip
        return []
    if part.register_ in report.broken:
        return []
    _value(report, cast, (*path, "value"), part)
    places = _places(report, cast, (*path, "on"), part.on)
    if places is None:
        return []
    key = _key(report, cast, path, part.register_, types(register.on), places)
    return [] if key is None else [Cell(part.register_, key, path)]


def _value(report: Report, cast: Cast, path: Place, part: Set) -> None:
    """The value of an assignment is one that its register can hold."""
    spec, name, value = report.spec, part.register_, part.value
    register = spec.registers[name]
    if value is None or (isinstance(value, str) and _is_constant(report, name, value)):
        return
    if isinstance(value, int):
        low, high = register.range or (value, value)
        if register.values is not None or not low <= value <= high:
            report.error(path, f"register {name!r} never holds {value}", "Give another value.")
        return
    words = register.values if isinstance(register.values, tuple) else ()
    if isinstance(register.values, str):
        words = spec.entities[register.values].names
    named = names_in(value)
    if words and not named & {*cast.scope.variables, *cast.broken, *_state(report)}:
        report.error(path, f"register {name!r} never holds {value!r}", did_you_mean(value, words))
        return
    code = expression(report, cast, path, value, None)
    wanted = register_type(spec, name)
    fitting = {wanted, ANY, NOTHING} | ({SYMBOL} if wanted.startswith("symbol of ") else set())
    if code is not None and code.type not in fitting:
        report.error(path, f"register {name!r} holds {an(wanted)}, but {value!r} is "
                     f"{an(code.type)}",
                     "Give a value of its kind.")  # fmt: skip


def _is_constant(report: Report, register: str, value: str) -> bool:
    values = report.spec.registers[register].values
    if isinstance(values, str):
        return value in report.spec.entities[values].names
    return values is not None and value in values


def _state(report: Report) -> set[str]:
    return {name for section in SECTIONS for name in getattr(report.spec, section)}


def _member(report: Report, cast: Cast, path: Place, part: Member) -> list[Cell]:
    roster = report.spec.rosters.get(part.roster)
    if roster is None:
        report.error((*path, "roster"), f"unknown roster {part.roster!r}",
                     did_you_mean(part.roster, report.spec.rosters),
                     missing=part.roster)  # fmt: skip
        return []
    if part.roster in report.broken:
        return []
    if (part.key is None) != (roster.per is None):
        word = f"needs `key`, {an(roster.per)}" if roster.per else "takes no `key`"
        report.error(path, f"roster {part.roster!r} {word}", "See Effects in the documentation.")
        return []
    member = expression(report, cast, (*path, "member"), part.member, roster.of)
    key: Code | None = Code("", "")
    if part.key is not None:
        key = expression(report, cast, (*path, "key"), part.key, roster.per)
    if member is None or key is None:
        return []
    return [Cell(part.roster, (part.key or "", part.member), path)]


def _posted_place(report: Report, cast: Cast, cells: Sequence[Cell]) -> None:
    """What says where something is must not also be counted by a measure (decision 3)."""
    spec = report.spec
    values = {
        (part.value, spec.registers[part.register_].values): part.register_
        for part in cast.event.sets
        if part.register_ in spec.registers
    }
    for cell in cells:
        measure = spec.measures.get(cell.name)
        for text, kind in zip(cell.key, types(measure.per) if measure else (), strict=False):
            register = values.get((text, kind))
            if register is None or measure is None:
                continue
            what = f"{cast.event.id!r} sets {register!r} to {text!r} and posts {cell.name!r} to it"
            delta = str(cast.event.post[int(cell.path[-1])].delta).replace(" ", "")
            if measure.scale == 1 and delta.lstrip("+-") == "1":
                report.error(cell.path, f"{what} too: after a void the two disagree",
                             f"Count {register!r} with a tally.")  # fmt: skip
            else:
                report.warn(cell.path, f"{what} too", "Well for money or units that move; what is "
                            f"where is counted by a tally of {register!r}.")  # fmt: skip
