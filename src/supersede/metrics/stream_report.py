"""All metrics of one run on streams, with intervals, and as plain data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import Any

from supersede.metrics.archetypes import Behaviour, behaviour
from supersede.metrics.bootstrap import RESAMPLES, Interval, Part, bootstrap_ratios, ratio
from supersede.metrics.curves import (
    Point,
    boundary_accuracy,
    by_interval,
    error_persistence,
    final_accuracy,
)
from supersede.metrics.decomposition import split
from supersede.metrics.intervals import Estimate, clustered_mean
from supersede.metrics.paired import MEASURES
from supersede.metrics.staleness import Staleness, staleness
from supersede.metrics.subsets import BABI, Bins, by_subset
from supersede.model.stream import Reply, Trace

__all__ = ["Group", "Measure", "StreamReport", "report_data", "score_traces"]


@dataclass(frozen=True, slots=True)
class Measure:
    """A number with its two intervals over documents."""

    estimate: Estimate
    """The value; with an interval from t where it is a mean over questions."""
    bootstrap: Interval
    """The second opinion; the only one where it is a ratio of sums."""


@dataclass(frozen=True, slots=True)
class Group:
    """The four shares over some of the questions."""

    questions: int
    measures: Mapping[str, Estimate]
    """By the names of `MEASURES`."""


@dataclass(frozen=True, slots=True)
class StreamReport:
    """What a model made of some streams."""

    questions: int
    streams: int
    """Documents with a question; the clusters of every interval."""
    measures: Mapping[str, Measure]
    """`accuracy`, `al`, `ds`, `pm`, `final_accuracy`, `boundary_accuracy`, `error_persistence`
    and `stale_share`."""
    behaviour: Behaviour
    staleness: Staleness
    subsets: Mapping[str, Group]
    """Sparse, moderate and frequent."""
    types: Mapping[str, Group]
    """By question type, in the order in which they occur."""
    curve: tuple[Point, ...]
    replies: Mapping[Reply, int]
    """Replies in the traces by kind."""
    bins: Bins


def score_traces(
    traces: Iterable[Trace], bins: Bins = BABI, resamples: int = RESAMPLES
) -> StreamReport:
    """All metrics of a run. No trace: NaN throughout.

    Args:
        traces: The questions of the run.
        bins: Where the subsets end.
        resamples: How often documents are drawn again for the bootstrap.
    """
    rows = [trace for trace in traces if trace.right]
    types: dict[str, list[Trace]] = {}
    for trace in rows:
        types.setdefault(trace.type, []).append(trace)
    return StreamReport(
        len(rows),
        len({trace.stream for trace in rows}),
        _measures(rows, resamples),
        behaviour(rows),
        staleness(rows),
        {str(name): _group(part) for name, part in by_subset(rows, bins).items()},
        {name: _group(part) for name, part in types.items()},
        by_interval(rows),
        {reply: sum(trace.replies.count(reply) for trace in rows) for reply in Reply},
        bins,
    )


def _means(traces: Sequence[Trace]) -> dict[str, list[tuple[str, float]]]:
    """Document and share of each question, for each of the four measures."""
    found: dict[str, list[tuple[str, float]]] = {name: [] for name in MEASURES}
    for trace in traces:
        counts = split(trace.phases, trace.right)
        for name, part in MEASURES.items():
            found[name].append((trace.stream, counts.share(part)))
    return found


def _group(traces: Sequence[Trace]) -> Group:
    return Group(
        len(traces), {name: clustered_mean({"": rows}) for name, rows in _means(traces).items()}
    )


def _measures(traces: Sequence[Trace], resamples: int) -> dict[str, Measure]:
    means = _means(traces)
    single: dict[str, Callable[[Trace], float]] = {
        "final_accuracy": final_accuracy,
        "boundary_accuracy": boundary_accuracy,
    }
    for name, of in single.items():
        means[name] = [(trace.stream, of(trace)) for trace in traces]
    parts = {
        name: [Part(cluster, value, 1.0) for cluster, value in rows if not isnan(value)]
        for name, rows in means.items()
    }
    pooled = {
        "error_persistence": [Part(t.stream, *error_persistence(t)) for t in traces],
        "stale_share": [Part(t.stream, s.stale, s.wrong) for t in traces for s in [staleness([t])]],
    }
    intervals = bootstrap_ratios({**parts, **pooled}, resamples)
    estimates = {name: clustered_mean({"": rows}) for name, rows in means.items()}
    for name, rows in pooled.items():
        clusters = len({part.cluster for part in rows if part.denominator})
        estimates[name] = Estimate(ratio(rows), nan, nan, clusters)
    return {name: Measure(estimates[name], intervals[name]) for name in estimates}


def report_data(report: StreamReport) -> dict[str, Any]:
    """The report as plain JSON data: shares are fractions, what is undefined is null."""
    acts, old = report.behaviour, report.staleness
    return {
        **{name: _number(m.estimate.value) for name, m in report.measures.items()},
        "questions": report.questions,
        "streams": report.streams,
        "intervals": {
            name: {
                "t": _ends(measure.estimate.low, measure.estimate.high),
                "bootstrap": _ends(*measure.bootstrap),
                "undefined": measure.estimate.undefined,
            }
            for name, measure in report.measures.items()
        },
        "archetypes": {
            "counts": {str(name): n for name, n in acts.counts.items()},
            "rates": {str(name): _number(rate) for name, rate in acts.rates.items()},
            "change_intervals": acts.change_intervals,
            "stay_intervals": acts.stay_intervals,
            "first_intervals": acts.first,
            "change_rate": _number(acts.change_rate),
            "stay_rate": _number(acts.stay_rate),
            "correct_transitions": _number(acts.correct_transitions),
            "correct_answers": _number(acts.correct_answers),
            "bias": acts.bias.value,
        },
        "staleness": {
            "wrong": old.wrong,
            "stale": old.stale,
            "early": old.early,
            "never": old.never,
            "stale_unknown": old.unknown,
            "stale_from_previous_phase": old.previous,
            "mean_age": _number(old.mean_age),
            "unread": old.unread,
        },
        "bins": {"sparse": report.bins.sparse, "moderate": report.bins.moderate},
        "by_subset": {name: _group_data(group) for name, group in report.subsets.items()},
        "by_type": {name: _group_data(group) for name, group in report.types.items()},
        "by_interval": [
            {"interval": p.interval, "accuracy": p.accuracy, "right": p.right, "asked": p.asked}
            for p in report.curve
        ],
        "replies": {str(reply): n for reply, n in report.replies.items()},
    }


def _group_data(group: Group) -> dict[str, Any]:
    return {
        "questions": group.questions,
        **{name: _number(estimate.value) for name, estimate in group.measures.items()},
        "intervals": {name: _ends(e.low, e.high) for name, e in group.measures.items()},
    }


def _ends(low: float, high: float) -> list[float] | None:
    return None if isnan(low) else [low, high]


def _number(value: float) -> float | None:
    return None if isnan(value) else value
