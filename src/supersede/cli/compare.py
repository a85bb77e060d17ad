"""`supersede compare`: two runs on the same streams, question by question."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from supersede.cli.groups import examples
from supersede.cli.stream_options import json_option, limit_option, stream_option
from supersede.cli.stream_tables import MEASURE_NAMES, ends_text, share_text
from supersede.corpus.show import counted
from supersede.errors import CheckFailed, DataError, UsageError
from supersede.evaluation.tables import text_table
from supersede.metrics.paired import Comparison, Difference, compare_traces
from supersede.reports import Run, named_sources, read_runs
from supersede.streams import load_streams

__all__ = ["compare"]


@click.command(
    epilog=examples(
        "supersede compare base.jsonl rag.jsonl --stream babi.jsonl",
        "supersede compare logs/base.eval logs/rag.eval --json | jq .accuracy",
    )
)
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@stream_option(required=False)
@limit_option("the exit code is 1", of_log=True)
@json_option()
def compare(
    first: str, second: str, stream_file: Path | None, max_error_rate: float | None, as_json: bool
) -> None:
    """Compare two runs on the same streams.

    A and B are logs of `supersede eval stream` (.eval), or files of predictions as
    `supersede score` takes them, which need --stream. The differences are B minus A over the
    questions that both answered at every interval, with intervals clustered by document and the
    p-value of a sign-flip test over documents.
    """
    streams = load_streams(stream_file) if stream_file else None
    runs = read_runs(named_sources([first, second]), streams, max_error_rate)
    if len(runs) != 2:
        raise UsageError(f"{counted(len(runs), 'run')} in {first} and {second}", mend="Name two.")
    try:
        found = compare_traces(runs[0].traces, runs[1].traces)
    except ValueError as error:
        raise DataError(str(error), mend="Compare runs on the same file of streams.") from None
    print(json.dumps(_data(found), indent=2) if as_json else _text(found, runs))
    for run in runs:
        _check(run)


def _check(run: Run) -> None:
    """Fails where a run lacks too many answers, or did not come to its end."""
    if run.log is not None and run.log.status != "success":
        raise CheckFailed(
            f"the run did not come to its end: {run.log.status}",
            where=run.source,
            mend="The command that began it goes on where it stopped.",
        )
    if run.failed:
        raise CheckFailed(
            f"{run.errors:,} failed and {run.missing:,} missing of {run.expected:,} answers are "
            f"{run.error_rate:.2%}, above {run.max_error_rate:.2%}",
            where=run.source,
            mend=f"{counted(run.left_out, 'question')} left out: run them again.",
        )


def _text(found: Comparison, runs: Sequence[Run]) -> str:
    rows = [
        [
            MEASURE_NAMES[name],
            share_text(each.first),
            share_text(each.second),
            share_text(each.difference.value, "+"),
            ends_text(each.difference, "+"),
            "-" if each.p != each.p else f"{each.p:.4f}",
        ]
        for name, each in found.measures.items()
    ]
    lines = [
        *(f"{letter}: {run.source}" for letter, run in zip("AB", runs, strict=True)),
        f"{counted(found.questions, 'question')} that both answered in "
        f"{counted(found.measures['accuracy'].difference.clusters, 'stream')}"
        + (f"; {found.unpaired:,} that only one did are left out" if found.unpaired else ""),
    ]
    if not found.questions:
        return "\n".join([*lines, "There is nothing to compare."])
    return "\n".join(
        [
            *lines,
            "",
            text_table(["measure", "A", "B", "B - A", "95 % (t)", "p (sign flips)"], rows),
            "intervals are clustered by document; p is not corrected for several measures",
        ]
    )


def _data(found: Comparison) -> dict[str, Any]:
    return {
        **{name: _difference(each) for name, each in found.measures.items()},
        "questions": found.questions,
        "unpaired": found.unpaired,
        "streams": found.measures["accuracy"].difference.clusters,
    }


def _difference(each: Difference) -> dict[str, Any]:
    low, high = each.difference.low, each.difference.high
    return {
        "a": _number(each.first),
        "b": _number(each.second),
        "difference": _number(each.difference.value),
        "interval": None if low != low else [low, high],
        "p": _number(each.p),
    }


def _number(value: float) -> float | None:
    return None if value != value else value
