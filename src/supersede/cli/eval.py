"""`supersede eval`: models on instances, by Inspect."""

import json
from pathlib import Path

import click

from supersede.cli.eval_stream import stream
from supersede.cli.groups import SuggestingGroup, examples
from supersede.evaluation.baselines import our_models
from supersede.evaluation.launch import Interrupted, Launch, run_evolve
from supersede.evaluation.tables import error_line, label_table, legend, report_data, tier_table
from supersede.model.instance import Tier

__all__ = ["eval_group"]


@click.group(
    "eval",
    cls=SuggestingGroup,
    epilog=examples(
        "supersede eval evolve corpus --model smollm2 --tier very_short",
        "supersede eval evolve corpus --model supersede/oracle --epochs 1",
    ),
)
def eval_group() -> None:
    """Evaluate models with Inspect."""


@eval_group.command(
    epilog=examples(
        "supersede eval evolve corpus --model smollm2 --tier very_short --limit 10",
        "supersede eval evolve corpus --model openai/gpt-4o -- --max-connections 20",
    )
)
@click.argument("data", type=click.Path(path_type=Path))
@click.option(
    "--model",
    required=True,
    help=f"One of ours: {our_models()}; or any model of Inspect: openai/gpt-4o.",
)
@click.option("--epochs", type=int, help="Replies per instance.  [default: 5]")
@click.option(
    "--tier",
    "tiers",
    multiple=True,
    metavar="TIER,...",
    help=f"Only these tiers, with commas between or one at a time: {', '.join(Tier)}.",
)
@click.option("--limit", type=int, help="Most instances of a tier, spread over its prototypes.")
@click.option(
    "--log-dir",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("logs"),
    show_default=True,
    help="Where Inspect keeps its logs.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.argument("inspect_options", nargs=-1, type=click.UNPROCESSED)
def evolve(
    data: Path,
    model: str,
    epochs: int | None,
    tiers: tuple[str, ...],
    limit: int | None,
    log_dir: Path,
    as_json: bool,
    inspect_options: tuple[str, ...],
) -> None:
    """Ask a model the questions of the instances in DATA, and grade its replies.

    DATA is a JSONL file of instances or a directory of such files. What follows -- goes to
    `inspect eval` as it is; `inspect eval supersede/evolve -T data=DATA --model M` does the same
    as this command.
    """
    try:
        run = run_evolve(Launch(data, model, epochs, tiers, limit, log_dir, inspect_options))
    except Interrupted as stop:
        click.echo(f"\n{stop}", err=True)
        raise
    if as_json:
        data_of_run = {
            "model": run.model,
            "log": run.log,
            "left_out": dict(run.left_out),
            **report_data(run.report),
        }
        print(json.dumps(data_of_run, indent=2))
        return
    count = len(run.replies)
    print(f"{run.model}: {count} {'reply' if count == 1 else 'replies'}\n")
    print(tier_table(run.report))
    print(legend(run.report.k))
    if errors := error_line(run.replies):
        print(errors)
    print()
    print(label_table(run.report))
    if run.left_out:
        tiers_out = ", ".join(f"{n} {tier}" for tier, n in run.left_out.items())
        print(f"\nToo long for the model, left out and not cut: {tiers_out} instances.")
    print(f"\nlog: {run.log}\nopen it with: inspect view --log-dir {Path(run.log).parent}")


eval_group.add_command(stream)
