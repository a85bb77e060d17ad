"""The tables of a report: what was scored, one row or one column for each run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isnan

from supersede.metrics.archetypes import Archetype
from supersede.metrics.bootstrap import Interval
from supersede.metrics.intervals import Estimate
from supersede.metrics.paired import MEASURES
from supersede.metrics.stream_report import Group
from supersede.metrics.subsets import subset_ranges
from supersede.model.stream import Reply
from supersede.reports.figures import CLASS_NAMES, bar, interval_estimates, percent, share
from supersede.reports.markup import NOTHING, Html, element, join
from supersede.reports.runs import Run

__all__ = [
    "archetypes",
    "curve_table",
    "decomposition",
    "groups",
    "headline",
    "measures",
    "replies",
    "staleness",
    "subset_names",
    "table",
]

_HEADLINE = {
    "accuracy": "Accuracy",
    "al": "Late (AL)",
    "ds": "Distracted (DS)",
    "pm": "Never (PM)",
    "final_accuracy": "Accuracy at the end",
}
_MEASURES = {
    **_HEADLINE,
    "boundary_accuracy": "Accuracy at changes",
    "error_persistence": "Error persistence",
    "stale_share": "Stale among wrong",
}
_CHANGED = (
    Archetype.ADAPTABILITY,
    Archetype.MALADAPTATION,
    Archetype.PRESCIENCE,
    Archetype.STUBBORNNESS,
)
_STAYED = (Archetype.STABILITY, Archetype.LAG, Archetype.VOLATILITY, Archetype.OBSTINACY)
_MEANINGS: Mapping[Archetype, str] = {
    Archetype.ADAPTABILITY: "changed its answer, right",
    Archetype.MALADAPTATION: "changed its answer, wrong",
    Archetype.PRESCIENCE: "kept its answer, right",
    Archetype.STUBBORNNESS: "kept its answer, wrong",
    Archetype.LAG: "changed its answer, right",
    Archetype.VOLATILITY: "changed its answer, wrong",
    Archetype.STABILITY: "kept its answer, right",
    Archetype.OBSTINACY: "kept its answer, wrong",
}


def table(caption: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> Html:
    """A table whose first column names the rows; on a narrow screen it scrolls by itself."""
    head = element("tr", *(element("th", title, scope="col") for title in header))
    body = [
        element(
            "tr",
            element("th", first, scope="row"),
            *(element("td", cell) for cell in rest),
        )
        for first, *rest in rows
    ]
    return _scrolling(caption, element("thead", head), element("tbody", *body))


def _scrolling(caption: str, *parts: Html, looks: str = "scroll") -> Html:
    inner = element("table", element("caption", caption), *parts)
    return element("div", inner, class_=looks, role="region", tabindex=0, aria_label=caption)


def headline(runs: Sequence[Run]) -> Html:
    """The measures that one looks at first, with their intervals."""
    rows = [
        [
            element("span", run.name, Html(" "), _mark(run)),
            *(estimate(run.report.measures[name].estimate) for name in _HEADLINE),
            f"{run.report.questions:,}",
            f"{run.report.streams:,}",
        ]
        for run in runs
    ]
    caption = (
        "Means over questions, with 95 % intervals over documents (t with G - 1 where there are "
        "G documents). Accuracy is better high, the next three low; the four sum to 1."
    )
    return table(caption, ["Run", *_HEADLINE.values(), "Questions", "Documents"], rows)


def _mark(run: Run) -> Html:
    marks = []
    if run.failed:
        marks.append(element("strong", "failed", class_="mark bad"))
    if run.log is not None and run.log.calls.get("reused", 0):
        marks.append(element("span", "resumed", class_="mark"))
    if run.left_out:
        marks.append(element("span", f"{run.left_out:,} left out", class_="mark"))
    return join(marks, " ")


def estimate(found: Estimate) -> Html:
    """A value with its interval below it."""
    return join([share(found.value), Html(" "), _ends(found)])


def _ends(found: Estimate | Interval) -> Html:
    if isnan(found.low):
        return NOTHING
    return element("span", f"{found.low:.3f} to {found.high:.3f}", class_="ends")


def decomposition(runs: Sequence[Run]) -> Html:
    """A stacked bar for each run."""
    rows = []
    for run in runs:
        shares = _shares({name: m.estimate for name, m in run.report.measures.items()})
        said = " · ".join(
            f"{CLASS_NAMES[part]} {percent(shares[name])}" for name, part in MEASURES.items()
        )
        rows.append(
            element(
                "div",
                element("p", element("strong", run.name), Html(" "), said, class_="barhead"),
                bar(shares, run.name),
                class_="barrow",
            )
        )
    return join(rows)


def _shares(estimates: Mapping[str, Estimate]) -> dict[str, float]:
    """The four shares as numbers."""
    return {name: estimates[name].value for name in MEASURES}


def measures(runs: Sequence[Run]) -> Html:
    """All measures with both intervals."""
    rows = [
        [
            title,
            run.name,
            share(measure.estimate.value),
            _ends(measure.estimate) or "–",  # noqa: RUF001 - a dash that is read as none
            _ends(measure.bootstrap) or "–",  # noqa: RUF001 - as above
            f"{measure.estimate.undefined:,}" if measure.estimate.undefined else "",
        ]
        for name, title in _MEASURES.items()
        for run in runs
        for measure in [run.report.measures[name]]
    ]
    header = ["Measure", "Run", "Value", "95 % (t)", "95 % (bootstrap)", "Undefined"]
    caption = (
        "Every measure with both of its intervals over documents. The last two are ratios of "
        "sums and have the bootstrap alone."
    )
    return table(caption, header, rows)


def archetypes(runs: Sequence[Run]) -> Html:
    """The eight archetypes, as shares of the intervals of their scenario."""
    parts = [
        _archetypes(runs, "The truth changed", _CHANGED),
        _archetypes(runs, "The truth stayed", _STAYED),
    ]
    rows = [
        [
            run.name,
            percent(acts.change_rate),
            percent(acts.stay_rate),
            acts.bias.value,
            f"{acts.first:,}",
        ]
        for run in runs
        for acts in [run.report.behaviour]
    ]
    header = ["Run", "Changes its answer", "Keeps its answer", "Label", "First intervals"]
    caption = (
        "Both scenarios weigh the same; always right is 50\u00a0%. First intervals have no "
        "archetype."
    )
    return join([*parts, table(caption, header, rows)])


def _archetypes(runs: Sequence[Run], scenario: str, names: Sequence[Archetype]) -> Html:
    rows = []
    for name in names:
        cells = []
        for run in runs:
            acts = run.report.behaviour
            rate = acts.rates[name]
            count = element("span", f"{acts.counts[name]:,}", class_="ends")
            cells.append(join([percent(rate), Html(" "), count, _meter(rate)]))
        what = element("span", _MEANINGS[name], class_="ends")
        rows.append([join([name.value, Html(" "), what]), *cells])
    return table(
        f"{scenario}: shares of these intervals, and how many. Each column sums to 100\u00a0%.",
        [scenario, *(run.name for run in runs)],
        rows,
    )


def _meter(rate: float) -> Html:
    """A share as a thin bar; the number beside it says the same."""
    width = 0.0 if isnan(rate) else 100 * rate
    inner = element("span", style=f"width:{width:.1f}%")
    return element("span", inner, class_="meter", aria_hidden="true")


def curve_table(runs: Sequence[Run]) -> Html:
    """The numbers of the lines."""
    curves = [run.report.curve for run in runs]
    longest = max((len(curve) for curve in curves), default=0)
    estimates = [interval_estimates(run.traces) for run in runs]
    rows = [
        [str(i), *(estimate(each[i]) if i < len(each) else "" for each in estimates)]
        for i in range(longest)
    ]
    caption = "Accuracy at each interval (zero-based), with 95 % intervals over documents."
    return table(caption, ["Interval", *(run.name for run in runs)], rows)


def subset_names(run: Run) -> dict[str, str]:
    """Subset -> its name with the phases that it has."""
    spans = subset_ranges(run.bins)
    return {name: f"{name} ({span} phases)" for name, span in spans.items()}


def groups(title: str, caption: str, found: Mapping[str, Sequence[tuple[str, Group]]]) -> Html:
    """Accuracy and its decomposition for parts of the questions.

    Args:
        title: Of the first column.
        caption: What the parts are.
        found: Part -> what each run has of it.
    """
    header = [title, "Run", "Accuracy", "AL", "DS", "PM", "Right to never", "Questions"]
    head = element("tr", *(element("th", name, scope="col") for name in header))
    bodies = []
    for part, rows in found.items():
        lines = []
        for i, (run, group) in enumerate(rows):
            first = element("th", part, scope="rowgroup", rowspan=len(rows)) if i == 0 else NOTHING
            cells = [
                estimate(group.measures["accuracy"]),
                *(share(group.measures[name].value) for name in ("al", "ds", "pm")),
                bar(_shares(group.measures), f"{part}, {run}"),
                f"{group.questions:,}",
            ]
            lines.append(
                element(
                    "tr",
                    first,
                    element("th", run, scope="row"),
                    *(element("td", cell) for cell in cells),
                )
            )
        bodies.append(element("tbody", *lines))
    return _scrolling(caption, element("thead", head), *bodies, looks="scroll parts")


def staleness(runs: Sequence[Run]) -> Html:
    """What wrong answers were."""
    rows = []
    for run in runs:
        old = run.report.staleness
        age = "–" if isnan(old.mean_age) else f"{old.mean_age:.1f}"  # noqa: RUF001 - as above
        rows.append(
            [
                run.name,
                f"{old.wrong:,}",
                _of(old.stale, old.wrong),
                age,
                f"{old.previous:,}",
                f"{old.unknown:,}",
                _of(old.early, old.wrong),
                _of(old.never, old.wrong),
                f"{old.unread:,}",
            ]
        )
    header = ["Run", "Wrong", "Stale", "Mean age", "From the phase before", "Unknown"]
    header += ["Early", "Never right", "Not readable"]
    caption = (
        "Wrong answers that could be read: stale ones were right in an earlier phase of their "
        "question (so many intervals ago on average), early ones will be right in a later one."
    )
    return table(caption, header, rows)


def _of(count: int, total: int) -> Html:
    part = percent(count / total) if total else "–"  # noqa: RUF001 - a dash that is read as none
    return join([f"{count:,}", Html(" "), element("span", part, class_="ends")])


def replies(runs: Sequence[Run]) -> Html:
    """What calls came to, and whether the run counts."""
    rows = []
    for run in runs:
        reused = run.log.calls.get("reused", 0) if run.log is not None else None
        resumed = "not known" if reused is None else f"{reused:,} answers kept" if reused else "no"
        verdict = element("strong", "failed", class_="mark bad") if run.failed else "counts"
        status = f" ({run.log.status})" if run.log and run.log.status != "success" else ""
        rows.append(
            [
                run.name,
                f"{run.expected:,}",
                *(f"{run.replies[reply]:,}" for reply in Reply if reply is not Reply.ERROR),
                f"{run.errors:,}",
                f"{run.missing:,}",
                f"{run.left_out:,}",
                percent(run.error_rate),
                resumed,
                join([verdict, status]),
            ]
        )
    header = ["Run", "Expected", "Answered", "Unparsable", "Refused", "Failed", "Missing"]
    header += ["Left out", "Error rate", "Resumed", "Run"]
    most = ", ".join(sorted({percent(run.max_error_rate) for run in runs}))
    caption = (
        "Unparsable and refused replies count as wrong; a failed or missing answer leaves its "
        f"question out. A run with an error rate above {most} is marked as failed."
    )
    return table(caption, header, rows)
