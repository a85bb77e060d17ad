"""`supersede hysteresis`: what a run comes to where answers change only with confidence."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from supersede.cli.groups import examples
from supersede.cli.stream_options import json_option, stream_option
from supersede.cli.stream_tables import value_text
from supersede.corpus.files import write_whole
from supersede.errors import DataError, UsageError
from supersede.evaluation.tables import text_table
from supersede.metrics.hysteresis import THRESHOLDS, SweepPoint, best_point, sweep, sweep_data
from supersede.model.stream import Prediction, Reply
from supersede.reports.sweep import sweep_drawing
from supersede.streams import load_streams
from supersede.streams.files import check_output
from supersede.streams.hysteresis import held
from supersede.streams.predictions import QuestionIndex, read_predictions

__all__ = ["hysteresis"]


@click.command(
    epilog=examples(
        "supersede hysteresis predictions.jsonl --stream babi.jsonl --plot sweep.svg",
        "supersede hysteresis predictions.jsonl --stream babi.jsonl --hold 0.7 -o held.jsonl",
    )
)
@click.argument("predictions", type=click.Path(path_type=Path))
@stream_option(required=True)
@click.option(
    "--thresholds",
    metavar="A,B,...",
    help="Thresholds to try, each 0 to 1.  [default: 0 to 1 in steps of 0.05]",
)
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Draw the sweep into this file of SVG.",
)
@click.option("--hold", type=float, help="Write the run as it is at this threshold; needs -o.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where the predictions of --hold go, for supersede score, compare and report.",
)
@json_option()
def hysteresis(
    predictions: Path,
    stream_file: Path,
    thresholds: str | None,
    plot: Path | None,
    hold: float | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Let answers change only where the model is confident, at one threshold after another.

    PREDICTIONS is a file as `supersede score` takes it, with the model's confidence (0 to 1) in
    each row. An answer that differs from the one that stands takes its place only if its
    confidence is above the threshold: at 0 the run is as it was, at 1 the first answer stays.
    Nothing is asked again. The best threshold is chosen on the data that it is measured on.
    """
    if (hold is None) != (output is None):
        raise UsageError("--hold and -o go together", mend="As in: --hold 0.7 -o held.jsonl")
    for path in filter(None, (plot, output)):
        check_output(path)
    streams = load_streams(stream_file)
    rows = [row.prediction for row in read_predictions(QuestionIndex(streams), predictions)]
    points = sweep(streams, rows, _numbers(thresholds))
    if not points[0].questions:
        raise DataError("no question has a reply at every interval", where=str(predictions))
    if as_json:
        print(json.dumps({"points": sweep_data(points), "best": best_point(points).threshold}))
    else:
        print(_table(points))
    if plot is not None:
        write_whole(plot, [sweep_drawing(points, predictions.name).encode("utf-8")])
    if hold is not None and output is not None:
        lines = (json.dumps(_row(one)) + "\n" for one in held(streams, rows, hold))
        write_whole(output, (line.encode("utf-8") for line in lines))


def _numbers(text: str | None) -> tuple[float, ...]:
    if text is None:
        return THRESHOLDS
    try:
        return tuple(sorted({float(part) for part in text.split(",")}))
    except ValueError:
        raise UsageError(
            f"thresholds {text!r} are not numbers with commas", mend="As in: --thresholds 0,0.5,1"
        ) from None


def _table(points: Sequence[SweepPoint]) -> str:
    best = best_point(points)
    rows = [
        [
            f"{point.threshold:g}{' *' if point is best else ''}",
            *(value_text(point.measures[name]) for name in ("accuracy", "al", "ds", "pm")),
            f"{point.changes:.2f}",
            f"{point.withheld:,}",
        ]
        for point in points
    ]
    head = ["threshold", "accuracy", "AL", "DS", "PM", "changes", "withheld"]
    return (
        f"{text_table(head, rows)}\n"
        f"* highest accuracy of {best.questions:,} questions, chosen on these very answers\n"
        "changes: of the answer, a question; withheld: answers in whose place an earlier one stands"
    )


def _row(one: Prediction) -> dict[str, Any]:
    """A prediction as a row of a file."""
    row = {name: value for name, value in asdict(one).items() if value is not None}
    if one.reply is Reply.ANSWERED:
        del row["reply"]
    if one.reply is Reply.ERROR:
        row["error"] = "the call failed"
    return row
