"""From an Inspect log back to graded replies and the report."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from inspect_ai.log import EvalLog, EvalSample, read_eval_log, read_eval_log_samples

from supersede import errors
from supersede.evaluation.evolve import EPOCHS, OUT_OF_TIME, trial_of
from supersede.evaluation.fit import LeftOut
from supersede.metrics.evolve import EvolveReport, Trial, evolve_report

__all__ = ["EvolveRun", "Reply", "read_run"]

SCORER = "evolve_scorer"

_RAISED = re.compile(r"(\w+)\((.*)\)", re.DOTALL)
_OURS = {"PrerequisiteError", *errors.__all__}


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply in full, for reading."""

    trial: Trial
    epoch: int
    """One-based."""
    question: str
    text: str
    """What the model returned."""
    answer: str
    """The reference answer."""
    reason: str
    """What was read and what was expected."""
    seconds: float
    """Time that the sample took, without waiting for its turn."""
    cut: bool
    """Whether it was cut off because the time of the run was over."""


@dataclass(frozen=True, slots=True)
class EvolveRun:
    """A run of `supersede/evolve` as its log tells it."""

    model: str
    """As Inspect names it."""
    log: str
    """Path of the log."""
    status: str
    """Of Inspect: `success`, `error`, `cancelled` or `started`."""
    error: str
    """Why the run ended early; empty where it did not."""
    planned: int
    """Replies that were to be made."""
    report: EvolveReport
    """Over the replies that were graded."""
    left_out: Mapping[str, int]
    """Tier -> instances that are too long for the model."""
    skipped: int
    """Replies that were left for lack of time."""
    replies: tuple[Reply, ...] = field(repr=False)
    """In the order of the log."""


def read_run(log: EvalLog | str | Path) -> EvolveRun:
    """The run that a log records, finished or not.

    Args:
        log: A log of the task `supersede/evolve`, or where it lies.
    """
    header = log if isinstance(log, EvalLog) else read_eval_log(str(log), header_only=True)
    epochs = header.eval.config.epochs or EPOCHS
    replies = tuple(found for sample in _samples(header) if (found := _reply(sample)) is not None)
    ids = header.eval.dataset.sample_ids or []
    stopped = header.results.early_stopping if header.results else None
    return EvolveRun(
        model=header.eval.model,
        log=_path(header.location),
        status=header.status,
        error=_said(header.error.message) if header.error else "",
        planned=(len(ids) or header.eval.dataset.samples or 0) * epochs,
        report=evolve_report([reply.trial for reply in replies], epochs),
        left_out=dict((header.eval.metadata or {}).get(LeftOut.KEY, {})),
        skipped=len(stopped.early_stops) if stopped else 0,
        replies=replies,
    )


def _samples(log: EvalLog) -> list[EvalSample]:
    if log.samples is not None:
        return log.samples
    return list(read_eval_log_samples(log.location, all_samples_required=False))


def _reply(sample: EvalSample) -> Reply | None:
    """The graded reply of a sample; None where the run ended before it was graded."""
    score = (sample.scores or {}).get(SCORER)
    if score is None:
        return None
    target = sample.target if isinstance(sample.target, str) else "; ".join(sample.target)
    return Reply(
        trial_of(sample.id, sample.metadata, score),
        sample.epoch,
        str(sample.metadata["question"]),
        sample.output.completion,
        target,
        score.explanation or "",
        sample.working_time or 0.0,
        sample.output.error == OUT_OF_TIME,
    )


def _path(location: str) -> str:
    """A log's location as a person types it."""
    parts = urlsplit(location)
    return unquote(parts.path) if parts.scheme == "file" else location


def _said(message: str) -> str:
    """The words of an error of ours, which Inspect keeps as `Kind('words')`; others stay so."""
    raised = _RAISED.fullmatch(message)
    if raised and raised[1] in _OURS:
        try:
            words = ast.literal_eval(raised[2])
        except (SyntaxError, ValueError):
            return message
        if isinstance(words, str):
            return words
    return message
