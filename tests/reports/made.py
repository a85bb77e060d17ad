"""Runs for tests of reports: what fake predictors say on two small streams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.streams.made import small

from supersede.evaluation.stream_results import StreamRun
from supersede.metrics.subsets import BABI
from supersede.model.stream import Prediction, Reply, Stream
from supersede.reports import Run
from supersede.streams.ladder import LADDER
from supersede.streams.scoring import score_predictions

STREAMS = (small("s1"), small("s2"))


def made(
    name: str,
    predictor: str = "stale-by-one",
    streams: Sequence[Stream] = STREAMS,
    lost: int = 0,
    silent: int = 0,
    log: StreamRun | None = None,
) -> Run:
    """A run of a fake predictor.

    Args:
        name: What the report calls it.
        predictor: Its name on the ladder.
        streams: What is asked.
        lost: Calls that fail, from the first.
        silent: Replies that cannot be read, from the last.
        log: What a log would tell.
    """
    rows = [row for stream in streams for row in LADDER[predictor](stream)]
    for i in range(lost):
        rows[i] = _lacking(rows[i], Reply.ERROR)
    for i in range(silent):
        rows[-1 - i] = _lacking(rows[-1 - i], Reply.UNPARSABLE)
    scored = score_predictions(streams, rows)
    return Run(
        name=name,
        source=f"{name}.jsonl",
        traces=scored.traces,
        bins=BABI,
        left_out=len(scored.left_out),
        expected=scored.expected,
        errors=scored.errors,
        missing=scored.missing,
        replies=scored.replies,
        max_error_rate=0.01,
        log=log,
    )


def _lacking(row: Prediction, reply: Reply) -> Prediction:
    return Prediction(row.stream, row.question, row.interval, reply, None)


def log(
    calls: Mapping[str, int],
    ranks: Mapping[str, int] | None = None,
    memory: str = "rag (bm25)",
    status: str = "success",
    settings: Mapping[str, Any] | None = None,
    stages: Mapping[str, Mapping[str, float]] | None = None,
) -> StreamRun:
    """What a log tells."""
    evidence = {"needed": 8, "shown": 6, "ranks": ranks or {}}
    return StreamRun(
        model="openai/gpt-x",
        memory=memory,
        log="logs/x.eval",
        status=status,
        error="" if status == "success" else "the server died",
        planned=24,
        epochs=1,
        traces=(),
        left_out=0,
        calls=calls,
        evidence=evidence,
        counters={"chunks": 6.0, **{f"{stage}_calls": 9.0 for stage in stages or {}}},
        max_error_rate=0.01,
        bins=BABI,
        settings=settings or {"task": {"data": "babi.jsonl", "memory": "rag"}},
        stages=stages or {},
        memory_model="openai/gpt-y" if stages else "",
        question_aware_writes=memory.startswith("memagent"),
        answer_seconds=20.0,
        wall_seconds=5.0,
    )
