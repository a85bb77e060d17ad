"""`supersede compare`: two runs on the same streams, question by question."""

import json
from pathlib import Path
from typing import Any

import click

from supersede.cli.groups import examples
from supersede.errors import CheckFailed
from supersede.evaluation.tables import text_table
from supersede.metrics.paired import Comparison, Difference, compare_traces
from supersede.streams import load_streams
from supersede.streams.scoring import MAX_ERROR_RATE, check_errors, score_file

__all__ = ["compare"]

_NAMES = {
    "accuracy": "accuracy",
    "al": "  late (AL)",
    "ds": "  distracted (DS)",
    "pm": "  missed (PM)",
}


@click.command(
    epilog=examples(
        "supersede compare base.jsonl rag.jsonl --stream babi.jsonl",
        "supersede compare base.jsonl rag.jsonl --stream babi.jsonl --json | jq .accuracy",
    )
)
@click.argument("first", metavar="A", type=click.Path(path_type=Path))
@click.argument("second", metavar="B", type=click.Path(path_type=Path))
@click.option(
    "--stream",
    "stream_file",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The streams that both were asked: a file of ours or the official OAKS JSON.",
)
@click.option(
    "--max-error-rate",
    type=click.FloatRange(0, 1),
    default=MAX_ERROR_RATE,
    show_default=True,
    help="Share of failed or missing answers of either run above which the exit code is 1.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON; shares are fractions.")
def compare(
    first: Path, second: Path, stream_file: Path, max_error_rate: float, as_json: bool
) -> None:
    """Compare two runs on the same streams.

    A and B are files of predictions, as `supersede score` takes them. The differences are B minus
    A over the questions that both answered at every interval, with intervals clustered by
    document and the p-value of a sign-flip test over documents.
    """
    streams = load_streams(stream_file)
    runs = {path: score_file(streams, path) for path in (first, second)}
    found = compare_traces(runs[first].traces, runs[second].traces)
    print(json.dumps(_data(found), indent=2) if as_json else _text(found, first, second))
    for path, scored in runs.items():
        try:
            check_errors(scored, max_error_rate)
        except CheckFailed as failed:
            raise CheckFailed(failed.what, where=str(path), mend=failed.mend) from None


def _text(found: Comparison, first: Path, second: Path) -> str:
    rows = [
        [
            _NAMES[name],
            _share(each.first),
            _share(each.second),
            _share(each.difference.value, "+"),
            _ends(each),
            "-" if each.p != each.p else f"{each.p:.4f}",
        ]
        for name, each in found.measures.items()
    ]
    lines = [
        f"A: {first}",
        f"B: {second}",
        f"{found.questions:,} questions that both answered in "
        f"{found.measures['accuracy'].difference.clusters:,} streams"
        + (f"; {found.unpaired:,} that only one did are left out" if found.unpaired else ""),
        "",
        text_table(["measure", "A", "B", "B - A", "95 % (t)", "p (sign flips)"], rows),
        "intervals are clustered by document; p is not corrected for several measures",
    ]
    return "\n".join(lines)


def _share(value: float, sign: str = "") -> str:
    return "-" if value != value else f"{value:{sign}.3f}"


def _ends(each: Difference) -> str:
    low, high = each.difference.low, each.difference.high
    return "-" if low != low else f"[{low:+.3f}, {high:+.3f}]"


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
