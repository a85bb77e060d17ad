"""Lint of events: roles, guards, parameters and effects."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from supersede.errors import did_you_mean
from supersede.specs.expressions import (
    ANY,
    BOOLEAN,
    INTEGER,
    NOTHING,
    SYMBOL,
    Code,
    ExpressionError,
    Scope,
    attribute_type,
    clause_of,
    event_named,
    register_type,
    role_of_type,
    types,
)
from supersede.specs.lint_expressions import check, names_in
from supersede.specs.lint_report import Report
from supersede.specs.lint_state import SECTIONS
from supersede.specs.load import Place
from supersede.specs.roles import Role, parse_role
from supersede.specs.schema import (
    Event,
    IntParameter,
    ListRole,
    Member,
    Post,
    Set,
    SymbolParameter,
)

_EACH = "for "
"""What `clause_of` puts before a clause, and parentheses: its columns count from there."""


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


def lint_events(report: Report) -> None:
    """Look through every event."""
    seen: dict[str, int] = {}
    for n, event in enumerate(report.spec.events):
        if event.id in seen:
            report.error(("events", n, "id"), f"event {event.id!r} is there twice", "Rename one.")
        seen.setdefault(event.id, n)
        cast = _cast(report, n, event)
        _settings(report, cast)
        if event.when is not None:
            _expression(report, cast, (*cast.path, "when"), event.when, None)
        _parameters(report, cast)
        _loop(report, cast)
        _effects(report, cast)


def _expression(
    report: Report, cast: Cast, path: Place, text: str | int, wanted: str | None
) -> Code | None:
    """Check an expression of an event, unless it uses what is broken."""
    if names_in(text) & cast.broken:
        return None
    return check(report, path, text, cast.scope, wanted)


# Roles


def _cast(report: Report, n: int, event: Event) -> Cast:
    cast = Cast(n, event, Scope(report.spec))
    for name, text in event.roles.items():
        path: Place = (*cast.path, "roles", name)
        if names_in(text if isinstance(text, str) else text.of) & (report.broken | cast.broken):
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
        _shadow(report, path, name, role.type.removeprefix("list of "), "role")
    report.broken |= {f"{event.id}.{name}" for name in cast.broken}
    return cast


def _bad_role(report: Report, path: Place, text: str | ListRole, error: ExpressionError) -> None:
    words = (text if isinstance(text, str) else text.of).replace(".new", " ").split()
    if words and words[0].isidentifier() and len(words) > 1 or (words and words[0] == text):
        if words[0].isidentifier() and words[0] not in report.spec.entities:
            report.error(path, f"role {path[-1]!r}: unknown type {words[0]!r}",
                         did_you_mean(words[0], report.spec.entities))  # fmt: skip
            return
    if isinstance(text, ListRole):
        report.refuse((*path, "list"), text.of, error)
    else:
        report.refuse(path, text, error)


def _shadow(report: Report, path: Place, name: str, kind: str, what: str) -> None:
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


def _settings(report: Report, cast: Cast) -> None:
    event, path = cast.event, cast.path
    if isinstance(event.amendable, tuple):
        for m, name in enumerate(event.amendable):
            at: Place = (*path, "amendable", m)
            if name not in event.roles:
                report.error(at, f"amendable: {event.id!r} has no role {name!r}",
                             did_you_mean(name, event.roles))  # fmt: skip
            elif name in cast.roles and cast.roles[name].how == "minted":
                report.error(at, f"amendable: role {name!r} is minted, and a minted name stays",
                             "Leave it out.")  # fmt: skip
    if event.limit is not None and event.limit.total is None and event.limit.per_block is None:
        report.error((*path, "limit"), "a limit without `total` or `per_block`", "Give one.")
    if event.voidable == "cascade" and not (
        any(role.how == "minted" for role in cast.roles.values())
        or any(
            f"record({event.id})" in str(r) for e in report.spec.events for r in e.roles.values()
        )
    ):
        report.warn((*path, "voidable"), f"nothing can stand on a record of {event.id!r}: it mints "
                    "nothing and no role names it", "Leave `cascade` out.")  # fmt: skip


# Parameters


def _parameters(report: Report, cast: Cast) -> None:
    for name, part in cast.event.parameters.items():
        path: Place = (*cast.path, "parameters", name)
        if name in cast.event.roles:
            report.error(path, f"{name!r} is a role and a parameter of {cast.event.id!r}",
                         "Rename one of them.")  # fmt: skip
        _shadow(report, path, name, "", "parameter")
        if isinstance(part, IntParameter):
            sound = _ranged(report, cast, path, name, part)
        elif isinstance(part, SymbolParameter):
            sound = _one_of(report, (*path, "one_of"), part.one_of)
        else:
            sound = _later(report, cast, path, name, part)
            sound = sound and _expression(report, cast, path, part, INTEGER) is not None
        if not sound:
            cast.broken.add(name)
        kind = SYMBOL if isinstance(part, SymbolParameter) else INTEGER
        cast.scope = cast.scope.bind(name, Code(f"p_{name}", kind))


def _later(report: Report, cast: Cast, path: Place, name: str, text: str | int) -> bool:
    """Whether an expression uses no later parameter; notes it where it does."""
    order = list(cast.event.parameters)
    later = [p for p in order[order.index(name) :] if p in names_in(text)]
    for other in later:
        if other not in cast.scope.variables:
            report.error(path, f"parameter {name!r} uses {other!r}, which comes "
                         f"{'later' if other != name else 'from itself'}",
                         "Put what is used first.")  # fmt: skip
            return False
    return True


def _ranged(report: Report, cast: Cast, path: Place, name: str, part: IntParameter) -> bool:
    if part.range is None and part.walk is None:
        report.error(
            path, f"parameter {name!r} needs `int` or `walk`", "For example: {int: [1, 9]}."
        )
        return False
    if part.by is not None and part.walk is None:
        report.error((*path, "by"), f"parameter {name!r} has `by` without `walk`",
                     "Add `walk`, or leave it out.")  # fmt: skip
    if part.by is not None and part.by[0] > part.by[1]:
        report.error((*path, "by"), f"parameter {name!r}: {list(part.by)} is empty",
                     "Put the lower bound first.")  # fmt: skip
    if part.scale is not None and str(part.scale).rstrip("0") != "1":
        report.error((*path, "scale"), f"scale {part.scale} does not give whole decimal places",
                     "Use 1, 10, 100 or 1000.")  # fmt: skip
    texts: list[tuple[Place, str | int]] = []
    if part.walk is not None:
        texts.append(((*path, "walk"), part.walk))
    texts += [((*path, "int", n), bound) for n, bound in enumerate(part.range or ())]
    sound = all(
        [
            _later(report, cast, at, name, text)
            and _expression(report, cast, at, text, INTEGER) is not None
            for at, text in texts
        ]
    )
    low, high = part.range or (0, 0)
    if isinstance(low, int) and isinstance(high, int):
        if low > high:
            report.error((*path, "int"), f"parameter {name!r}: range [{low}, {high}] is empty",
                         "Put the lower bound first.")  # fmt: skip
        elif part.walk is None and -(-low // part.step) > high // part.step:
            report.error((*path, "int"), f"parameter {name!r}: no multiple of {part.step} lies in "
                         f"[{low}, {high}]", "Widen the range.")  # fmt: skip
    return sound


def _one_of(report: Report, path: Place, options: tuple[str, ...] | str) -> bool:
    if not isinstance(options, str):
        if len(set(options)) < len(options) or not options:
            report.error(path, "one_of: a value stands there twice, or none does", "Mend the list.")
        return True
    register = report.spec.registers.get(options)
    if register is None:
        report.error(path, f"one_of: unknown register {options!r}",
                     did_you_mean(options, report.spec.registers))  # fmt: skip
    elif not isinstance(register.values, tuple):
        report.error(path, f"one_of: register {options!r} holds no symbols", "Write a list.")
    return register is not None and isinstance(register.values, tuple)


# Effects


@dataclass(frozen=True)
class Cell:
    """What one effect changes: `paid` of the entities that these role texts name."""

    name: str
    key: tuple[str, ...]
    path: Place


def _loop(report: Report, cast: Cast) -> None:
    text = cast.event.for_
    if text is None:
        return
    path: Place = (*cast.path, "for")
    name, _, rest = text.partition(" in ")
    name, kind = name.strip(), (rest.split() or [""])[0]
    cast.loop = (name, kind)
    if names_in(f"[0 for {text.strip()}]") & (report.broken | cast.broken):
        cast.broken.add(name)
        return
    try:
        inner, _ = clause_of(text, cast.scope)
    except ExpressionError as error:
        column = max(error.column - len(f"(0 {_EACH}"), 0)
        report.refuse(path, text, ExpressionError(error.message, column))
        cast.broken.add(name)
        return
    cast.scope = cast.scope.bind(name, inner.variables[name])
    if not any(name in str(post.on) for post in cast.event.post):
        report.error(path, f"no posting of {cast.event.id!r} is `on: {name}`",
                     f"Post on {name}, or leave `for` out.")  # fmt: skip


def _effects(report: Report, cast: Cast) -> None:
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
                     did_you_mean(post.measure, report.spec.measures))  # fmt: skip
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
        _expression(report, cast, (*path, word), amount, INTEGER)
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
        if base in cast.broken:
            return None
        try:
            found.append((text, _place_type(report, cast, text)))
        except ExpressionError as error:
            what, _, hint = error.message.partition(". Did you mean ")
            report.error(path, what, f"Did you mean {hint}" if hint else "Name a role.")
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
        what += f"but no role is one" if not fitting else f"and {' and '.join(fitting)} are one"
        mend = "Say which with `on:`." if fitting else f"Add a role, or `on:` with a {kind}."
        report.error(path, what, mend)
        return None
    return tuple(key)


def _set(report: Report, cast: Cast, path: Place, part: Set) -> list[Cell]:
    spec = report.spec
    register = spec.registers.get(part.register_)
    if register is None:
        report.error((*path, "register"), f"unknown register {part.register_!r}",
                     did_you_mean(part.register_, spec.registers))  # fmt: skip
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
    code = _expression(report, cast, path, value, None)
    wanted = register_type(spec, name)
    fitting = {wanted, ANY, NOTHING} | ({SYMBOL} if wanted.startswith("symbol of ") else set())
    if code is not None and code.type not in fitting:
        report.error(path, f"register {name!r} holds {wanted}, but {value!r} is {code.type}",
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
                     did_you_mean(part.roster, report.spec.rosters))  # fmt: skip
        return []
    if part.roster in report.broken:
        return []
    if (part.key is None) != (roster.per is None):
        word = f"needs `key`, a {roster.per}" if roster.per else "takes no `key`"
        report.error(path, f"roster {part.roster!r} {word}", "See Effects in the documentation.")
        return []
    member = _expression(report, cast, (*path, "member"), part.member, roster.of)
    key: Code | None = Code("", "")
    if part.key is not None:
        key = _expression(report, cast, (*path, "key"), part.key, roster.per)
    if member is None or key is None:
        return []
    return [Cell(part.roster, (part.key or "", part.member), path)]


def _posted_place(report: Report, cast: Cast, cells: Sequence[Cell]) -> None:
    """What says where something is must not also be posted (decision 3)."""
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
            if register is not None:
                report.error(cell.path, f"{cast.event.id!r} sets {register!r} to {text!r} and "
                             f"posts {cell.name!r} to it too: after a void the two disagree",
                             f"Count {register!r} with a tally.")  # fmt: skip
