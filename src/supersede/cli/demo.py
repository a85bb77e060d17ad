"""`supersede demo`: from specifications to a graded model, on this machine."""

import sys
from pathlib import Path

import click

from supersede.cli.groups import examples
from supersede.evaluation.demo import Demo, DemoPlan, run_demo
from supersede.evaluation.tables import demo_table, error_line, legend, reply_text

__all__ = ["demo"]


@click.command(
    epilog=examples("supersede demo", "supersede demo --out /tmp/demo --seconds 60"),
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("demo"),
    show_default=True,
    help="Where the instances and the logs go.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=1),
    default=DemoPlan.seconds,
    show_default=True,
    help="Time for all of it; the language model gets what is left of it.",
)
@click.option(
    "--per-tier",
    type=click.IntRange(min=1),
    default=DemoPlan.per_tier,
    show_default=True,
    help="Instances of each tier, spread over themes.",
)
def demo(out: Path, seconds: float, per_tier: int) -> None:
    """Generate, evaluate and report on this machine, without a key.

    Builds instances of every tier, proves that their text alone gives their answers, asks
    readers whose scores are known and the embedded language model, and grades what they reply.
    """
    found = run_demo(out, DemoPlan(per_tier=per_tier, seconds=seconds), say=_say)
    if found.no_model:
        _say(f"no language model: {found.no_model}")
    print()
    print(demo_table(found.runs))
    print(legend(k=1))
    for run in found.runs:
        if errors := error_line(run.replies):
            print(f"{run.model}: {errors}")
    _print_cuts(found)
    shown = found.shown()
    if shown is not None:
        print(f"\n{reply_text(*shown)}")
    logs = out / "logs"
    print(f"\n{found.seconds:.0f} s in all. The last log: {found.runs[-1].log}")
    print(f"Open it with: inspect view --log-dir {logs}")


def _print_cuts(found: Demo) -> None:
    for run in found.runs:
        if run.left_out:
            tiers = ", ".join(f"{n} {tier}" for tier, n in run.left_out.items())
            print(f"{run.model}: too long for it and left out, none cut: {tiers}")
        if run.skipped:
            cut = sum(reply.cut for reply in run.replies)
            print(
                f"{run.model}: of {run.planned} replies, {run.skipped} were not begun for lack of "
                f"time and {cut} cut off, which counts as an error"
            )


def _say(line: str) -> None:
    print(line)
    sys.stdout.flush()
