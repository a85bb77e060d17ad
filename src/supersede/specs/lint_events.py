"""Lint of events: their settings and parameters; roles and effects are looked at beside it."""

from __future__ import annotations

from supersede.errors import did_you_mean
from supersede.specs.lint_cast import Cast, cast_of, expression, reserved, shadow
from supersede.specs.lint_effects import lint_effects, lint_loop
from supersede.specs.lint_expressions import names_in
from supersede.specs.lint_report import Report
from supersede.specs.load import Place
from supersede.specs.schema import IntParameter, SymbolParameter
from supersede.specs.scope import Code
from supersede.specs.value_types import INTEGER, SYMBOL


def lint_events(report: Report) -> None:
    """Look through every event."""
    seen: dict[str, int] = {}
    for n, event in enumerate(report.spec.events):
        if event.id in seen:
            report.error(("events", n, "id"), f"event {event.id!r} is there twice", "Rename one.")
        seen.setdefault(event.id, n)
        cast = cast_of(report, n, event)
        _settings(report, cast)
        if event.when is not None:
            expression(report, cast, (*cast.path, "when"), event.when, None)
        _parameters(report, cast)
        lint_loop(report, cast)
        lint_effects(report, cast)


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
        if reserved(report, path, name, "parameter"):
            cast.broken.add(name)
            continue
        shadow(report, path, name, "", "parameter")
        if isinstance(part, IntParameter):
            sound = _ranged(report, cast, path, name, part)
        elif isinstance(part, SymbolParameter):
            sound = _one_of(report, (*path, "one_of"), part.one_of)
        else:
            sound = _later(report, cast, path, name, part)
            sound = sound and expression(report, cast, path, part, INTEGER) is not None
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
            and expression(report, cast, at, text, INTEGER) is not None
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
                     did_you_mean(options, report.spec.registers), missing=options)  # fmt: skip
    elif not isinstance(register.values, tuple):
        report.error(path, f"one_of: register {options!r} holds no symbols", "Write a list.")
    return register is not None and isinstance(register.values, tuple)
