"""Reports as text for a terminal and as plain data for a script."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import isnan
from textwrap import fill, shorten
from typing import TYPE_CHECKING, Any

from supersede.metrics.evolve import OVERALL, EvolveReport, EvolveRow
from supersede.metrics.intervals import Estimate
from supersede.metrics.outcomes import LABEL_CAVEAT
from supersede.model.instance import Tier
from supersede.model.question import Outcome

if TYPE_CHECKING:
    from supersede.evaluation.results import EvolveRun, Reply

__all__ = [
    "demo_table",
    "error_line",
    "estimate_text",
    "label_table",
    "legend",
    "reply_text",
    "report_data",
    "text_table",
    "tier_table",
]

_LINES = 8
_WIDTH = 98
_ERROR_WIDTH = 160


def text_table(header: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """A table in columns: the first `left` ones are flush left, the others flush right."""
    lines = [list(header), *(list(row) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def estimate_text(estimate: Estimate) -> str:
    """`0.250 [0.101, 0.399]`; a dash for what is undefined."""
    if isnan(estimate.value):
        return "-"
    if isnan(estimate.low):
        return f"{estimate.value:.3f} [-, -]"
    return f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"


def tier_table(report: EvolveReport) -> str:
    """Tiers and their mean: instances, avg@k and pass@k with intervals, outcomes.

    With one reply an instance the two are one, and only avg@1 is shown. In the arithmetic an
    error counts 0 like any other reply that is not right; a row of nothing but errors says
    nothing of the model, and has dashes.
    """
    header = ["tier", "n", f"avg@{report.k} [95 %]"]
    if report.k > 1:
        header.append(f"pass@{report.k} [95 %]")
    rows = [_tier_row(row, report.k) for row in (*report.tiers, report.overall)]
    return text_table([*header, *Outcome], rows)


def _tier_row(row: EvolveRow, k: int) -> list[str]:
    cells = [row.name, str(row.instances), _of_replies(row, row.average)]
    if k > 1:
        passed = _of_replies(row, row.passed)
        if row.passed.undefined:
            passed += f" ({row.passed.undefined} undefined)"
        cells.append(passed)
    return [*cells, *(str(row.outcomes[outcome]) for outcome in Outcome)]


def _of_replies(row: EvolveRow, estimate: Estimate) -> str:
    """A score of a row; a dash where no reply of it was had."""
    return "-" if row.outcomes[Outcome.ERROR] == row.trials else estimate_text(estimate)


def legend(k: int) -> str:
    """What the numbers of a table of tiers mean."""
    passed = f"; pass@{k}: of instances right in one of {k}" if k > 1 else ""
    return (
        f"avg@{k}: share of right replies{passed}; overall: mean over tiers; [..]: 95 % interval, "
        "clustered by prototype\n"
        "unparsable: no 'Answer:' line to read; refused: declined; error: no whole reply; "
        "each counts 0"
    )


def error_line(replies: Sequence[Reply]) -> str:
    """How many replies are errors and what most of them say; empty where none is."""
    said = Counter(one.reason for one in replies if one.trial.outcome is Outcome.ERROR)
    if not said:
        return ""
    reason, count = said.most_common(1)[0]
    often = "" if len(said) == 1 else f"most often ({count}) "
    errors = said.total()
    text = shorten(reason, _ERROR_WIDTH)
    return f"{errors} of {len(replies)} replies are errors: {often}{text}"


def demo_table(runs: Sequence[EvolveRun]) -> str:
    """Every tier and the mean over tiers, each with one line a model."""
    outcomes = list(Outcome)
    names = list(dict.fromkeys(row.name for run in runs for row in _rows(run)))
    names.sort(key=[*Tier, OVERALL].index)
    rows = [
        [
            row.name,
            run.model,
            str(row.instances),
            _of_replies(row, row.average),
            *(str(row.outcomes[outcome]) for outcome in outcomes),
        ]
        for name in names
        for run in runs
        for row in _rows(run)
        if row.name == name
    ]
    return text_table(["tier", "model", "n", "avg@1 [95 %]", *outcomes], rows, left=2)


def _rows(run: EvolveRun) -> tuple[EvolveRow, ...]:
    return (*run.report.tiers, run.report.overall)


def reply_text(run: EvolveRun, reply: Reply) -> str:
    """One question with the reply to it, the reference answer and the grade."""
    text = reply.text.strip().splitlines()
    said = [shorten(line, _WIDTH) if line.strip() else "" for line in text[:_LINES]]
    more = ["[...]"] if len(text) > _LINES else []
    indented = "\n".join(f"  {line}".rstrip() for line in (*said, *more))
    question = fill(reply.question, _WIDTH, initial_indent="  ", subsequent_indent="  ")
    return (
        f"One question ({reply.trial.tier}, {reply.trial.prototype}):\n{question}\n"
        f"{run.model} replies:\n{indented}\n"
        f"Computed: {reply.answer}\n"
        f"Graded: {reply.trial.outcome}; {reply.reason}"
    )


def label_table(report: EvolveReport) -> str:
    """What wrong replies failed first, with what the shares do not mean."""
    labels = report.labels
    if not labels.labelled:
        return f"No wrong reply to label ({labels.left_out} others were not right either)."
    rows = [
        [label.value, str(labels.counts[label]), f"{100 * labels.shares[label]:.1f} %"]
        for label in labels.counts
    ]
    note = f"{LABEL_CAVEAT} Left out: {labels.left_out} unparsable, refused or failed replies."
    return f"{text_table(['first failure of a wrong reply', 'replies', 'share'], rows)}\n{note}"


def report_data(report: EvolveReport) -> dict[str, Any]:
    """The report as plain JSON data; undefined numbers are null."""
    return {
        "k": report.k,
        "overall": _row_data(report.overall),
        "tiers": {row.name: _row_data(row) for row in report.tiers},
        "families": {row.name: _row_data(row) for row in report.families},
        "error_labels": {
            "counts": _named(report.labels.counts),
            "shares": {str(name): _number(share) for name, share in report.labels.shares.items()},
            "labelled": report.labels.labelled,
            "left_out": report.labels.left_out,
        },
    }


def _row_data(row: EvolveRow) -> dict[str, Any]:
    return {
        "instances": row.instances,
        "replies": row.trials,
        "avg": _estimate_data(row.average),
        "pass": _estimate_data(row.passed),
        "outcomes": _named(row.outcomes),
    }


def _estimate_data(estimate: Estimate) -> dict[str, float | int | None]:
    return {
        "value": _number(estimate.value),
        "low": _number(estimate.low),
        "high": _number(estimate.high),
        "clusters": estimate.clusters,
        "undefined": estimate.undefined,
    }


def _named(counts: Mapping[Any, int]) -> dict[str, int]:
    return {str(name): n for name, n in counts.items()}


def _number(value: float) -> float | None:
    return None if isnan(value) else value
