"""`supersede score`: predictions made anywhere, against the streams that they answer."""

import json
from collections.abc import Iterator
from pathlib import Path

import click

from supersede.cli.groups import examples
from supersede.cli.stream_options import json_option, limit_option, stream_option
from supersede.cli.stream_tables import MEASURE_NAMES, ends_text, group_table, value_text
from supersede.errors import UsageError
from supersede.evaluation.tables import text_table
from supersede.metrics.archetypes import Archetype
from supersede.metrics.stream_report import Group, StreamReport, report_data, score_traces
from supersede.metrics.subsets import PRESETS, Bins, balanced_bins, bins_for, subset_ranges
from supersede.model.stream import Stream
from supersede.streams import load_streams
from supersede.streams.scoring import Scored, check_errors, score_file

__all__ = ["score"]


_FEW = 10
"""Documents below which an interval deserves a warning."""


@click.command(
    epilog=examples(
        "supersede score predictions.jsonl --stream babi.jsonl",
        "supersede score predictions.jsonl --stream babi.jsonl --by type --by interval",
        "supersede score predictions.jsonl --stream oaks.json --json | jq .accuracy",
    )
)
@click.argument("predictions", type=click.Path(path_type=Path))
@stream_option(required=True)
@click.option(
    "--by",
    "tables",
    multiple=True,
    type=click.Choice(["type", "subset", "interval"]),
    help="Break accuracy down; may be given again.  [default: subset]",
)
@click.option(
    "--bins",
    type=click.Choice([*PRESETS, "balanced"]),
    help="Where sparse and moderate end.  [default: the published ones of the data, or balanced]",
)
@limit_option("the exit code is 1")
@json_option()
def score(
    predictions: Path,
    stream_file: Path,
    tables: tuple[str, ...],
    bins: str | None,
    max_error_rate: float,
    as_json: bool,
) -> None:
    """Score predictions on streams.

    PREDICTIONS is a JSONL file with a row for each question and interval: stream, question and
    interval (the zero-based index of the last chunk revealed), and either answer (matched as it
    stands) or completion (all that the model wrote; read after its last "## Answer:").
    Optionally: confidence; error, for a call that failed. The files of the released OAKS code
    (doc_id, generated_answer) are read too.

    A question with a failed or missing answer is left out and counted.
    """
    if predictions.suffix == ".eval":
        raise UsageError(
            "is a log and no file of predictions",
            where=str(predictions),
            mend="Name the .predictions.jsonl beside it; supersede report and compare take logs.",
        )
    streams = load_streams(stream_file)
    scored = score_file(streams, predictions)
    report = score_traces(scored.traces, _bins(bins, streams))
    if as_json:
        print(json.dumps(report_data(report) | _data(scored), indent=2))
    else:
        print("\n\n".join(_blocks(report, scored, tables or ("subset",))))
    check_errors(scored, max_error_rate)


def _bins(name: str | None, streams: tuple[Stream, ...]) -> Bins:
    if name is None:
        return bins_for(streams)
    if name in PRESETS:
        return PRESETS[name]
    phases = [len(question.phases) for stream in streams for question in stream.questions]
    return balanced_bins(phases) if phases else bins_for(streams)


def _data(scored: Scored) -> dict[str, object]:
    """What the report does not know: rows that did not come to a trace."""
    return {
        "expected": scored.expected,
        "errors": scored.errors,
        "missing": scored.missing,
        "error_rate": scored.error_rate,
        "left_out": [{"stream": stream, "question": name} for stream, name in scored.left_out],
        "rows": {str(reply): n for reply, n in scored.replies.items()},
    }


def _blocks(report: StreamReport, scored: Scored, tables: tuple[str, ...]) -> Iterator[str]:
    """The parts of the report, to stand with a blank line between."""
    yield _head(report, scored)
    if not report.questions:
        yield "No question has an answer at every interval, so that there is nothing to score."
        return
    yield _measures(report)
    yield _archetypes(report)
    yield _staleness(report)
    if "subset" in tables:
        yield group_table("subset", _named(report))
    if "type" in tables:
        yield group_table("type", report.types)
    if "interval" in tables:
        yield text_table(
            ["interval", "accuracy", "right", "asked"],
            [
                [str(p.interval), f"{p.accuracy:.3f}", str(p.right), str(p.asked)]
                for p in report.curve
            ],
        )


def _head(report: StreamReport, scored: Scored) -> str:
    lines = [f"{report.questions:,} questions in {report.streams:,} streams"]
    rows = ", ".join(f"{n:,} {reply}" for reply, n in scored.replies.items() if n)
    lines.append(f"{scored.expected:,} answers expected: {rows or 'none given'}")
    if scored.missing:
        lines[-1] += f", {scored.missing:,} missing"
    if scored.left_out:
        lines.append(f"left out: {len(scored.left_out):,} questions with failed or missing answers")
    return "\n".join(lines)


def _measures(report: StreamReport) -> str:
    rows = [
        [MEASURE_NAMES[name], value_text(m.estimate), ends_text(m.estimate), ends_text(m.bootstrap)]
        for name, m in report.measures.items()
    ]
    notes = [
        "1 - accuracy = AL + DS + PM; means over questions, intervals over documents",
        "(t with G - 1 first; where there is none, the value is a ratio of sums)",
        "error persistence: a wrong answer is followed by another while the truth stands",
    ]
    if 0 < report.streams < _FEW:
        few = "1 document: no interval" if report.streams == 1 else f"{report.streams} documents"
        notes.append(f"Only {few}; fewer than {_FEW} make rough intervals.")
    return "\n".join(
        [text_table(["measure", "value", "95 % (t)", "95 % (bootstrap)"], rows), *notes]
    )


def _archetypes(report: StreamReport) -> str:
    acts = report.behaviour
    rows = [
        [name.value, f"{acts.counts[name]:,}", _percent(acts.rates[name])] for name in Archetype
    ]
    both = acts.change_intervals + acts.stay_intervals
    for place, title, number in (
        (0, "truth changed", acts.change_intervals),
        (5, "truth stayed", acts.stay_intervals),
    ):
        rows.insert(place, [title, f"{number:,}", _percent(number / both) if both else "-"])
    rows = [[name if name.startswith("truth") else f"  {name}", *rest] for name, *rest in rows]
    return (
        text_table(["archetype", "intervals", "rate"], rows)
        + "\nrates are inside each of the two; theirs are of all intervals but the first"
        + f"\nchange rate {_percent(acts.change_rate)}, stay rate {_percent(acts.stay_rate)}: "
        + acts.bias.value
    )


def _staleness(report: StreamReport) -> str:
    old = report.staleness
    if not old.wrong:
        return "No readable answer is wrong."
    rows = [
        [name, f"{n:,}", _percent(n / old.wrong)]
        for name, n in (("stale", old.stale), ("early", old.early), ("never right", old.never))
    ]
    text = text_table(["wrong answers", "intervals", "share"], rows)
    if old.stale:
        text += (
            f"\nstale ones were right {old.mean_age:.1f} intervals ago on average; "
            f"{old.previous:,} in the phase just before; {old.unknown:,} say Unknown"
        )
    return text


def _named(report: StreamReport) -> dict[str, Group]:
    """Subsets with their bins in the name."""
    spans = subset_ranges(report.bins)
    return {f"{name} ({span} phases)": report.subsets[name] for name, span in spans.items()}


def _percent(share: float) -> str:
    return "-" if share != share else f"{share:.1%}"
