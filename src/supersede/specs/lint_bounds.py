"""Lint of derived views, bounds and invariants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from supersede.specs.lint_expressions import check, names_in
from supersede.specs.lint_report import Report
from supersede.specs.load import Place
from supersede.specs.schema import Specification
from supersede.specs.scope import Code, Scope
from supersede.specs.value_types import BOOLEAN, INTEGER, types
from supersede.specs.world import linear_terms


def lint_bounds(report: Report) -> None:
    """Look through every expression that belongs to no event."""
    spec = report.spec
    _cycles(report)
    for name in _inner_first(spec, report.broken):
        derived = spec.derived[name]
        scope = _cells(spec, types(derived.per))
        if check(report, ("derived", name, "is"), derived.value, scope, INTEGER) is None:
            report.broken.add(name)
        else:
            _units(report, name)
    for name, measure in spec.measures.items():
        scope = _cells(spec, types(measure.per))
        for word, bound in (("min", measure.min), ("max", measure.max)):
            if isinstance(bound, str) and name not in report.broken:
                path: Place = ("measures", name, word)
                check(report, path, bound, scope, INTEGER)
                if name in names_in(bound):
                    report.error(path, f"the {word} of {name!r} reads {name!r} itself",
                                 "Bound it by something else.")  # fmt: skip
    for name, tally in spec.tallies.items():
        if isinstance(tally.max, str) and name not in report.broken:
            values = spec.registers[tally.of].values
            kind = values if isinstance(values, str) else "any"
            scope = Scope(spec).bind("e", Code("e", kind))
            check(report, ("tallies", name, "max"), tally.max, scope, INTEGER)
    for n, invariant in enumerate(spec.invariants):
        check(report, ("invariants", n, "holds"), invariant.holds, Scope(spec), BOOLEAN)
    _unprotected(report)


def _units(report: Report, name: str) -> None:
    """A derived view that adds what is printed in other places or units (R32)."""
    spec, derived = report.spec, report.spec.derived[name]
    for term, _ in linear_terms(spec, derived.value) or ():
        measure = spec.measures[term]
        if measure.scale != derived.scale:
            report.error(("derived", name), f"derived {name!r} has scale {derived.scale}, but adds "
                         f"{term!r} with scale {measure.scale}", f"Write `scale: {measure.scale}`."
                         )  # fmt: skip
        elif measure.unit and derived.unit and measure.unit != derived.unit:
            report.error(("derived", name), f"derived {name!r} is in {derived.unit}, but adds "
                         f"{term!r} in {measure.unit}", "Give both one unit.")  # fmt: skip
        else:
            continue
        return


def _cells(spec: Specification, per: Sequence[str]) -> Scope:
    """The scope of a bound: `e` is the cell's entity, `f` the second one."""
    scope = Scope(spec)
    for variable, kind in zip("ef", per, strict=False):
        scope = scope.bind(variable, Code(variable, kind))
    return scope


def _cycles(report: Report) -> None:
    """Derived views that are defined by themselves (R32)."""
    uses = _uses(report.spec)
    for name in uses:
        if name not in report.broken and (cycle := _way_back(uses, name)):
            report.error(("derived", name, "is"), f"derived {name!r} is defined by itself: "
                         + " -> ".join(cycle), "Break the circle.")  # fmt: skip
            report.broken |= set(cycle)


def _uses(spec: Specification) -> dict[str, list[str]]:
    """Derived view -> the derived views in its expression."""
    return {
        name: [other for other in spec.derived if other in names_in(derived.value)]
        for name, derived in spec.derived.items()
    }


def _way_back(uses: Mapping[str, Sequence[str]], start: str) -> list[str]:
    """A chain of uses from a derived view to itself; empty where there is none."""
    ways = [[start, other] for other in uses[start]]
    seen: set[str] = set()
    while ways:
        way = ways.pop(0)
        if way[-1] == start:
            return way
        if way[-1] not in seen:
            seen.add(way[-1])
            ways += [[*way, other] for other in uses[way[-1]]]
    return []


def _inner_first(spec: Specification, broken: set[str]) -> list[str]:
    """The derived views that lie on no circle, each after those that it uses."""
    uses = _uses(spec)
    order: list[str] = []

    def add(name: str) -> None:
        for other in uses[name]:
            if other not in order and other not in broken:
                add(other)
        if name not in order and name not in broken:
            order.append(name)

    for name in uses:
        if name not in broken:
            add(name)
    return order


def _unprotected(report: Report) -> None:
    """A freely voidable event that sets what a guard reads, and no invariant speaks of it (R17)."""
    spec = report.spec
    protected: set[str] = set()
    for invariant in spec.invariants:
        protected |= names_in(invariant.holds)
    protected |= {spec.tallies[name].of for name in protected & set(spec.tallies)}
    protected |= {tally.of for tally in spec.tallies.values() if tally.max is not None}
    for n, event in enumerate(spec.events):
        if event.voidable != "free":
            continue
        for part in event.sets:
            readers = [
                e.id for e in spec.events
                if e.when is not None and e is not event and part.register_ in names_in(e.when)
            ]  # fmt: skip
            if readers and part.register_ not in protected:
                report.warn(("events", n, "voidable"), f"a void of {event.id!r} may leave a "
                            f"{readers[0]!r} standing whose guard read {part.register_!r}",
                            "Add an invariant, or make it `leaf`.")  # fmt: skip
                break
