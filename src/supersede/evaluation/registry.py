"""What Inspect finds of us by entry point: tasks, solvers, scorers and metrics, models."""

from __future__ import annotations

from supersede.evaluation.evolve import (
    evolve,
    evolve_by_family,
    evolve_by_tier,
    evolve_error_labels,
    evolve_outcomes,
    evolve_scorer,
    reply,
)
from supersede.evaluation.stream_baselines import supersede
from supersede.evaluation.stream_scorer import stream_calls, stream_measures
from supersede.evaluation.stream_solver import stream_solver
from supersede.evaluation.stream_task import stream

__all__ = [
    "evolve",
    "evolve_by_family",
    "evolve_by_tier",
    "evolve_error_labels",
    "evolve_outcomes",
    "evolve_scorer",
    "reply",
    "stream",
    "stream_calls",
    "stream_measures",
    "stream_solver",
    "supersede",
]
