"""`supersede spec`: check specifications, and write the schema that editors complete from."""

import json
import math
import re
import sys
from pathlib import Path

import click

from supersede.cli.groups import SuggestingGroup, examples
from supersede.corpus.examine import examine
from supersede.corpus.files import write_whole
from supersede.corpus.prove import SEEDS, Proof, prove
from supersede.errors import SpecError, UsageError
from supersede.model.instance import Tier
from supersede.specs.lint_report import Finding, findings_of
from supersede.specs.load import Loaded, load_specification
from supersede.specs.published import schema_text

__all__ = ["spec"]

_QUICK = (2, (Tier.VERY_SHORT, Tier.SHORT, Tier.MEDIUM))
_FAILED, _WRONG = 1, 2


@click.group(
    cls=SuggestingGroup,
    epilog=examples("supersede spec check my-world.yaml", "supersede spec schema"),
)
def spec() -> None:
    """Check specifications of worlds."""


@spec.command(
    epilog=examples(
        "supersede spec check my-world.yaml",
        "supersede spec check --quick --json src/supersede/prototypes/*/*.yaml",
    )
)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--seeds", type=click.IntRange(1), default=SEEDS, show_default=True,
              help="Histories to sample of each tier.")  # fmt: skip
@click.option(
    "--quick",
    is_flag=True,
    help="Two histories each of the three shorter tiers; an event that never happened "
    "is only a warning there.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list, one object a file.")
def check(files: tuple[Path, ...], seeds: int, quick: bool, as_json: bool) -> int:
    """Lint and prove each specification in FILES.

    Prints what is wrong, one finding a line: where, what, the mend. A file without errors is then
    proved: histories of every tier are sampled, their bounds and invariants checked in full, their
    text read back, and it is seen that every event happens. Exit code 0: all is well, warnings
    aside; 1: a proof failed; 2: a file has errors.
    """
    codes, rows = [], []
    for path in files:
        findings, proof = _check(path, seeds, quick)
        codes.append(_code(findings, proof))
        if as_json:
            rows.append(_row(path, findings, proof))
        else:
            _print(path, findings, proof)
    if as_json:
        print(json.dumps(rows, indent=2, ensure_ascii=False))
    return max(codes)


def _check(path: Path, seeds: int, quick: bool) -> tuple[list[Finding], Proof | None]:
    """The findings of the lint, and the proof of a file in which it finds no error."""
    try:
        loaded = load_specification(path)
    except SpecError as error:
        return findings_of(error), None
    try:
        findings = examine(loaded)
    except SpecError as error:
        return [_located(loaded, error)], None
    if any(finding.severity == "error" for finding in findings):
        return findings, None
    count, tiers = _QUICK if quick else (seeds, None)
    with click.progressbar(
        length=1, label=f"proving {loaded.spec.id}", file=sys.stderr, hidden=not _watched()
    ) as bar:

        def progress(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        try:
            return findings, prove(loaded, seeds=count, tiers=tiers, progress=progress)
        except SpecError as error:
            return [*findings, _located(loaded, error)], None


def _located(loaded: Loaded, error: SpecError) -> Finding:
    """What stops a file from being examined, at the line of a place such as `noise[4]`."""
    parts = re.findall(r"\w+", error.where or "")
    where = loaded.locate([int(part) if part.isdigit() else part for part in parts])
    return Finding("error", where, error.what, error.mend or "")


def _watched() -> bool:
    return sys.stderr.isatty()


def _code(findings: list[Finding], proof: Proof | None) -> int:
    if any(finding.severity == "error" for finding in findings):
        return _WRONG
    return 0 if proof is not None and proof.passed else _FAILED


def _print(path: Path, findings: list[Finding], proof: Proof | None) -> None:
    for finding in (*findings, *(proof.findings if proof else ())):
        print(finding)
    errors = sum(finding.severity == "error" for finding in findings)
    if proof is None:
        print(f"{path}: {errors} error{'s' * (errors != 1)}, not proved")
        return
    tiers = f"{proof.tiers[0].value} to {proof.tiers[-1].value}"
    speed = f"{proof.events_per_second:,.0f}" if proof.events else "no"
    verdict = "proved" if proof.passed else "NOT proved"
    never = f"; never happened: {', '.join(proof.never)}" if proof.never else ""
    print(f"{path}: {verdict}: tiers {tiers}, {proof.seeds} histories each, {proof.events:,} "
          f"events, {speed} a second{never}")  # fmt: skip
    happened = sorted(proof.fired.items(), key=lambda pair: -pair[1])
    print("  happened: " + ", ".join(f"{event} {count:,}" for event, count in happened))


def _row(path: Path, findings: list[Finding], proof: Proof | None) -> dict[str, object]:
    shown = [*findings, *(proof.findings if proof else ())]
    row: dict[str, object] = {
        "file": str(path),
        "findings": [
            {"severity": f.severity, "where": f.where, "what": f.what, "mend": f.mend}
            for f in shown
        ],
        "proof": None,
    }
    if proof is not None:
        speed = proof.events_per_second
        row["proof"] = {
            "passed": proof.passed,
            "tiers": [tier.value for tier in proof.tiers],
            "seeds": proof.seeds,
            "events": proof.events,
            "events_per_second": None if math.isnan(speed) else round(speed),
            "fired": dict(proof.fired),
            "never": list(proof.never),
        }
    return row


@spec.command(
    epilog=examples("supersede spec schema", "supersede spec schema -o my-worlds/schema.json")
)
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False),
              help="Write it to this file, and print the file's name.")  # fmt: skip
def schema(output: Path | None) -> None:
    """Print the JSON Schema of specifications, from which editors complete and check."""
    if output is None or str(output) == "-":
        print(schema_text(), end="")
        return
    if not output.parent.is_dir():
        raise UsageError(f"no folder {str(output.parent)!r}", mend="Make it first.")
    write_whole(output, [schema_text().encode()])
    print(output)
