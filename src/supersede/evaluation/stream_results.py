"""From a log of `supersede/stream` back to traces, counts and the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalLog, EvalSample, read_eval_log, read_eval_log_samples

from supersede.evaluation.results import _path, _said
from supersede.evaluation.stream_rows import get_report, predictions_path
from supersede.evaluation.stream_scorer import traces_of
from supersede.metrics.stream_report import StreamReport, score_traces
from supersede.metrics.subsets import BABI, Bins
from supersede.model.stream import Trace
from supersede.streams.scoring import MAX_ERROR_RATE

__all__ = ["SCORER", "StreamRun", "read_stream_run"]

SCORER = "stream_scorer"


@dataclass(frozen=True)
class StreamRun:
    """A run of `supersede/stream` as its log tells it."""

    model: str
    """As Inspect names it."""
    memory: str
    """With its retriever: `rag (bm25)`."""
    log: str
    """Path of the log."""
    status: str
    """Of Inspect: `success`, `error`, `cancelled` or `started`."""
    error: str
    """Why the run ended early; empty where it did not."""
    planned: int
    """Answers that were to be given, all epochs together."""
    epochs: int
    traces: tuple[Trace, ...] = field(repr=False)
    """Of the documents that were finished, epoch by epoch in the order of the data."""
    left_out: int
    """Questions with a failed call."""
    calls: Mapping[str, int]
    """What the calls came to; see `calls_data`."""
    evidence: Mapping[str, Any]
    """`needed`, `shown` and `ranks`: whether the contexts held the evidence."""
    counters: Mapping[str, float]
    """Of the memory, summed over documents."""
    max_error_rate: float
    bins: Bins
    """Where the subsets of questions end."""
    settings: Mapping[str, Any]
    """How the model was asked, and what the task was given."""
    stages: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """What the memory's own calls came to, by stage, summed over documents: `calls`, `reused`,
    `input_tokens`, `cached_tokens`, `output_tokens`, `cut`, `malformed`, `fallbacks`, `seconds`."""
    memory_model: str = ""
    """Who these calls asked; empty where there were none."""
    question_aware_writes: bool | None = None
    """Whether what the memory keeps depends on the questions; None where it does not say."""
    answer_seconds: float = 0.0
    """Time that the answers took, one after the other, those of earlier runs included."""
    wall_seconds: float | None = None
    """From the start to the end of this run by the clock, which tells whole seconds: less than one
    off either way; None where it did not come to an end."""
    failures: Mapping[str, int] = field(default_factory=dict)
    """Why calls failed, and how many of them for each reason, most first."""

    @property
    def error_rate(self) -> float:
        """Failed calls over expected ones, in finished documents."""
        expected = self.calls.get("expected", 0)
        lost = self.calls.get("errors", 0) + self.calls.get("missing", 0)
        return lost / expected if expected else 0.0

    @property
    def failed(self) -> bool:
        """Whether too many calls gave nothing."""
        return self.error_rate > self.max_error_rate

    @property
    def memory_calls(self) -> Mapping[str, float]:
        """What all calls of the memory came to, as `stages` has it; empty where there were none."""
        total: Counter[str] = Counter()
        for stage in self.stages.values():
            total.update(stage)
        return total

    @property
    def call_seconds(self) -> float:
        """Time that all calls took, one after the other, those of earlier runs included."""
        return self.answer_seconds + self.memory_calls.get("seconds", 0.0)

    @property
    def cached_share(self) -> float | None:
        """Prompt tokens that the server had computed before, of all; None where it is silent."""
        told = self.calls.get("told_tokens", 0)
        return self.calls["cached_tokens"] / told if told else None

    @property
    def predictions(self) -> tuple[Path, ...]:
        """The files of predictions, one for each epoch."""
        paths = [predictions_path(Path(self.log), n) for n in range(1, self.epochs + 1)]
        return tuple(path for path in paths if path.exists())

    @cached_property
    def report(self) -> StreamReport:
        """All metrics."""
        return score_traces(self.traces, self.bins)


def read_stream_run(log: EvalLog | str | Path) -> StreamRun:
    """The run that a log records, finished or not.

    Args:
        log: A log of the task `supersede/stream`, or where it lies.
    """
    header = log if isinstance(log, EvalLog) else read_eval_log(str(log), header_only=True)
    known = header.eval.metadata or {}
    traces: list[Trace] = []
    left_out = 0
    calls: Counter[str] = Counter()
    counters: Counter[str] = Counter()
    ranks: Counter[str] = Counter()
    evidence: Counter[str] = Counter()
    failures: Counter[str] = Counter()
    stages: dict[str, Counter[str]] = {}
    memory_model, answer_seconds = "", 0.0
    aware: bool | None = None
    for sample in _samples(header):
        score = (sample.scores or {}).get(SCORER)
        if score is None:
            continue
        metadata = score.metadata or {}
        traces += traces_of(score)
        left_out += len(metadata.get("left_out", ()))
        calls.update(metadata.get("calls", {}))
        failures.update(metadata.get("failures", {}))
        report = get_report(sample.store)
        counters.update(report.get("counters", {}))
        for stage, counts in report.get("stages", {}).items():
            stages.setdefault(stage, Counter()).update(counts)
        memory_model = report.get("memory_model") or memory_model
        aware = report.get("question_aware_writes", aware)
        answer_seconds += metadata.get("seconds", 0.0)
        found = report.get("evidence", {})
        ranks.update(found.get("ranks", {}))
        evidence.update({name: found.get(name, 0) for name in ("needed", "shown")})
    epochs = header.eval.config.epochs or 1
    return StreamRun(
        model=header.eval.model,
        memory=str(known.get("memory", "")),
        log=_path(header.location),
        status=header.status,
        error=_said(header.error.message) if header.error else "",
        planned=int(known.get("calls", 0)) * epochs,
        epochs=epochs,
        traces=tuple(traces),
        left_out=left_out,
        calls=dict(calls),
        failures=dict(failures.most_common()),
        evidence={**evidence, "ranks": dict(ranks)},
        counters=dict(counters),
        stages={stage: dict(counts) for stage, counts in stages.items()},
        memory_model=memory_model.partition("#")[0],
        question_aware_writes=aware,
        answer_seconds=answer_seconds,
        wall_seconds=_wall_seconds(header),
        bins=Bins(*known.get("bins", BABI)),
        max_error_rate=float(known.get("max_error_rate", MAX_ERROR_RATE)),
        settings={
            "task": dict(header.eval.task_args),
            "generate": header.plan.config.model_dump(mode="json", exclude_none=True),
            "profile": known.get("profile", {}),
            "provider": _plain_arguments(header.eval.model_args),
        },
    )


def _wall_seconds(log: EvalLog) -> float | None:
    """Seconds from the start to the end of a run; None where one of them is not known."""
    begin, end = log.stats.started_at, log.stats.completed_at
    if not begin or not end:
        return None
    return (datetime.fromisoformat(end) - datetime.fromisoformat(begin)).total_seconds()


def _plain_arguments(given: Mapping[str, Any]) -> dict[str, Any]:
    """What the provider of the model was given, without keys."""
    return {name: value for name, value in given.items() if "key" not in name}


def _samples(log: EvalLog) -> list[EvalSample]:
    """The finished samples, epoch by epoch in the order of the data."""
    found = log.samples
    if found is None:
        found = list(read_eval_log_samples(log.location, all_samples_required=False))
    order = {name: n for n, name in enumerate(log.eval.dataset.sample_ids or ())}
    return sorted(found, key=lambda sample: (sample.epoch, order.get(sample.id, len(order))))
