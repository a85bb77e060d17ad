"""The scorer of `supersede/stream`, its metrics, and traces as a log keeps them.

A score of one document holds its traces, so that a log tells all about a run without the data.
The metrics are those of the whole run: means over questions, whatever document they are from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate, groupby
from typing import Any

from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import TaskState

from supersede.evaluation.stream_rows import StreamRow, get_report, get_rows, predictions
from supersede.metrics.curves import by_interval
from supersede.metrics.decomposition import decompose
from supersede.model.stream import Reply, Stream, Trace
from supersede.streams.scoring import MAX_ERROR_RATE, Scored, score_predictions

__all__ = [
    "calls_data",
    "stream_calls",
    "stream_measures",
    "stream_scorer",
    "trace_from_json",
    "trace_to_json",
    "traces_of",
]

_CODES = {Reply.ANSWERED: "a", Reply.UNPARSABLE: "u", Reply.REFUSED: "r", Reply.ERROR: "e"}
_REPLIES = {code: reply for reply, code in _CODES.items()}


def stream_scorer(streams: Mapping[str, Stream], max_error_rate: float = MAX_ERROR_RATE) -> Scorer:
    """Scores the answers in the store of each document.

    Args:
        streams: By their ids, which are those of the samples.
        max_error_rate: Share of failed calls above which the run counts as failed.
    """

    @scorer(metrics=[stream_measures(), stream_calls(max_error_rate)], name="stream_scorer")
    def of_streams() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            given = streams[str(state.sample_id)]
            rows = get_rows(state.store)
            scored = score_predictions([given], predictions(given, rows))
            return document_score(scored, rows, get_report(state.store))

        return score

    return of_streams()


def document_score(scored: Scored, rows: Sequence[StreamRow], report: Mapping[str, Any]) -> Score:
    """The score of one document."""
    shares = decompose(scored.traces)
    return Score(
        value={
            "accuracy": shares.accuracy,
            "al": shares.al,
            "ds": shares.ds,
            "pm": shares.pm,
            "error_rate": scored.error_rate,
        },
        answer=f"{len(rows):,} answers",
        metadata={
            "calls": calls_data(scored, rows, report),
            "per_interval": [[p.right, p.asked] for p in by_interval(scored.traces)],
            "failures": failures(rows),
            "seconds": round(sum(row.answer.seconds for row in rows), 4),
            "memory_calls": report.get("stages", {}),
            "left_out": [question for _, question in scored.left_out],
            "traces": [trace_to_json(trace) for trace in scored.traces],
        },
    )


def failures(rows: Sequence[StreamRow]) -> dict[str, int]:
    """Why calls failed, and how many of them for each reason, most first."""
    return dict(Counter(row.answer.error for row in rows if row.answer.error).most_common())


def calls_data(
    scored: Scored, rows: Sequence[StreamRow], report: Mapping[str, Any]
) -> dict[str, int]:
    """What the calls came to, as counts that add up over documents.

    `told` counts the prompt tokens of those calls whose server says how many were cached.
    """
    answers = [row.answer for row in rows]
    told = [a for a in answers if a.cached_tokens is not None]
    return {
        "expected": scored.expected,
        "errors": scored.errors,
        "missing": scored.missing,
        **{reply.value: n for reply, n in scored.replies.items() if reply is not Reply.ERROR},
        "cut": sum(a.stop == "max_tokens" for a in answers),
        "prompt_tokens": sum(a.prompt_tokens for a in answers),
        "output_tokens": sum(a.output_tokens for a in answers),
        "cached_tokens": sum(a.cached_tokens or 0 for a in told),
        "told_tokens": sum(a.prompt_tokens for a in told),
        "reused": int(report.get("reused", 0)),
        "truncated": sum(report.get("truncated", ())),
    }


@metric(scores="unreduced")
def stream_measures() -> Metric:
    """Accuracy and its decomposition: means over questions of per-question fractions."""

    def measure(scores: list[SampleScore]) -> Value:
        shares = decompose([trace for one in scores for trace in traces_of(one.score)])
        return {
            "accuracy": shares.accuracy,
            "al": shares.al,
            "ds": shares.ds,
            "pm": shares.pm,
            "questions": shares.questions,
        }

    return measure


@metric(scores="unreduced")
def stream_calls(max_error_rate: float = MAX_ERROR_RATE) -> Metric:
    """What the calls came to; `failed` is 1 where too many of them gave nothing.

    Args:
        max_error_rate: Share of failed calls above which the run counts as failed.
    """

    def measure(scores: list[SampleScore]) -> Value:
        calls: Counter[str] = Counter()
        stages: Counter[str] = Counter()
        for one in scores:
            metadata = one.score.metadata or {}
            calls.update(metadata.get("calls", {}))
            for counts in metadata.get("memory_calls", {}).values():
                stages.update(counts)
        lost = calls["errors"] + calls["missing"]
        rate = lost / calls["expected"] if calls["expected"] else 0.0
        found: dict[str, float] = {"error rate": rate, "failed": int(rate > max_error_rate)}
        if calls["told_tokens"]:
            found["cached share"] = calls["cached_tokens"] / calls["told_tokens"]
        found |= {name.replace("_", " "): n for name, n in calls.items()}
        return found | {f"memory {name.replace('_', ' ')}": n for name, n in stages.items()}

    return measure


def traces_of(score: Score) -> list[Trace]:
    """The traces that a document's score holds."""
    return [trace_from_json(data) for data in (score.metadata or {}).get("traces", [])]


def trace_to_json(trace: Trace) -> dict[str, Any]:
    """A trace as a log keeps it: what is true by phase, what was said by runs of the same."""
    starts = [0, *accumulate(trace.phases)][:-1]
    return {
        "stream": trace.stream,
        "question": trace.question,
        "type": trace.type,
        "phases": list(trace.phases),
        "truth": [trace.truth[start] for start in starts],
        "accepted": [list(forms) for forms in trace.accepted],
        "said": [[form, sum(1 for _ in run)] for form, run in groupby(trace.said)],
        "right": "".join("1" if right else "0" for right in trace.right),
        "replies": "".join(_CODES[reply] for reply in trace.replies),
    }


def trace_from_json(data: Mapping[str, Any]) -> Trace:
    """The trace that a log keeps."""
    phases = tuple(data["phases"])
    return Trace(
        data["stream"],
        data["question"],
        data["type"],
        phases,
        tuple(t for t, n in zip(data["truth"], phases, strict=True) for _ in range(n)),
        tuple(form for form, n in data["said"] for _ in range(n)),
        tuple(right == "1" for right in data["right"]),
        tuple(_REPLIES[code] for code in data["replies"]),
        tuple(tuple(forms) for forms in data["accepted"]),
    )
