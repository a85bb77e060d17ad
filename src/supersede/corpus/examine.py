"""The rest of the lint: what takes a compiled world, a reader or the operators to be seen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from supersede.errors import SpecError, UsageError, did_you_mean
from supersede.model.instance import InstanceKey, Split, Tier
from supersede.questions.registry import all_operators, matching
from supersede.rendering.skeletons import Skeleton, collisions
from supersede.rendering.strip import stripped, stripped_world
from supersede.rendering.vocabulary import Vocabulary
from supersede.rendering.wordings import Origin
from supersede.specs.lint import lint
from supersede.specs.lint_report import Finding, Report
from supersede.specs.load import Loaded, Place
from supersede.specs.refused import ExpressionError
from supersede.specs.schema import Specification
from supersede.worlds.program import Program, compile_specification
from supersede.worlds.sample import Sampler
from supersede.worlds.tiers import dials_for


def examine(loaded: Loaded) -> list[Finding]:
    """All findings about a specification in file order, those of `lint` included."""
    found = lint(loaded)
    report = Report(loaded)
    _operators(report)
    dials = _dials(report)
    if not any(finding.severity == "error" for finding in found):
        _compiled(report, dials)
    return sorted([*found, *report.findings()], key=lambda f: _order(f.where))


def first_key(spec: Specification, tier: Tier = Tier.VERY_SHORT, index: int = 0) -> InstanceKey:
    """A key of a specification that need not be in the catalogue."""
    return InstanceKey(spec.id, spec.version, tier, Split.TRAIN, index)


def place_of_check(spec: Specification, name: str) -> Place:
    """The place of a bound or invariant that goes by a name such as `min of stock`."""
    for n, invariant in enumerate(spec.invariants):
        if invariant.name == name:
            return ("invariants", n)
    word, _, of = name.partition(" of ")
    for section in ("measures", "tallies"):
        if of in getattr(spec, section):
            return (section, of, word)
    return ("registers", name.removesuffix(" is unique"), "unique")


def _order(where: str) -> tuple[int, int]:
    line, column = where.rsplit(":", 2)[1:]
    return int(line), int(column)


def _operators(report: Report) -> None:
    for n, pattern in enumerate(report.spec.operators):
        if not matching([pattern]):
            report.error(("operators", n), f"{pattern!r} matches no operator",
                         did_you_mean(pattern, all_operators(), see="supersede operators")
                         )  # fmt: skip


def _dials(report: Report) -> bool:
    """Whether the dials are known and in range; notes those that are not."""
    sound = True
    for name, value in report.spec.difficulty.dials.items():
        try:
            dials_for(Tier.MEDIUM, {name: value})
        except UsageError as error:
            report.error(("difficulty", "dials", name), error.what, error.mend or "")
            sound = False
    return sound


def _compiled(report: Report, dials: bool) -> None:
    spec = report.spec
    try:
        program = compile_specification(spec)
        vocabulary = Vocabulary(stripped(spec), stripped_world(program.world))
        pairs = collisions(vocabulary)
    except ExpressionError as error:
        report.error((), f"the specification does not compile: {error.message}")
        return
    except SpecError as error:
        report.error(_place(error.where), error.what, error.mend or "")
        return
    _confused(report, pairs)
    _costly(report, program)
    if dials:
        broken = Sampler(spec, first_key(spec)).laws.broken()
        if broken is not None:
            report.error(place_of_check(spec, broken), f"the start breaks {broken!r}",
                         "Change a `start`, or what must hold.")  # fmt: skip


def _place(printed: str | None) -> Place:
    """The place that `events[3].phrasings[0]` stands for."""
    parts = re.findall(r"\w+", printed or "")
    return tuple(int(part) if part.isdigit() else part for part in parts)


def _confused(report: Report, pairs: Iterable[tuple[Skeleton, Skeleton]]) -> None:
    """Wordings that a reader cannot tell apart, told once for each pair (R35)."""
    told: set[frozenset[Origin]] = set()
    for one, other in sorted(pairs, key=lambda pair: len(pair[0].origins) + len(pair[1].origins)):
        mine = [origin for origin in one.origins if origin not in other.origins]
        theirs = [origin for origin in other.origins if origin not in one.origins]
        if not mine or not theirs:
            mine, theirs = list(one.origins), list(other.origins)
        if any(frozenset((a, b)) in told for a in mine for b in theirs):
            continue
        first, last = sorted((mine[-1], theirs[-1]), key=lambda o: (o[0] == "noise", str(o)))
        told.add(frozenset((first, last)))
        what = f"{_text(report.spec, last)!r} cannot be told from {_text(report.spec, first)!r}"
        if first == last:
            what = f"{_text(report.spec, first)!r} can be read in two ways"
        report.error(last, f"{what} once names and numbers are blanked", "Reword one of them.")


def _text(spec: Specification, origin: Origin) -> str:
    value: object = spec
    for part in origin:
        value = getattr(value, part) if isinstance(part, str) else value[part]  # type: ignore[index]
    return str(value)


def _costly(report: Report, program: Program) -> None:
    """Checks that go through all minted entities after each record (R22)."""
    spec = report.spec
    minted: Mapping[str, str] = {f"V_{n}": n for n, e in spec.entities.items() if e.minted}
    for check in program.checks:
        pools = re.findall(r" in (V_\w+)", check.source)
        kind = next((minted[pool] for pool in pools if pool in minted), None)
        if check.how == "all" and kind is not None:
            reads = ", ".join(name for name in check.reads if name not in spec.entities)
            report.warn(place_of_check(spec, check.name), f"{check.name!r} costs a walk over every "
                        f"{kind} after each record that changes {reads}",
                        f"`all(.. for e in {kind})` over cells of e alone is checked by cell."
                        )  # fmt: skip
