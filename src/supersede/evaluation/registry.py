"""What Inspect finds of us by entry point: the task, its solver, scorer and metrics, the models."""

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
from supersede.evaluation.provider import supersede

__all__ = [
    "evolve",
    "evolve_by_family",
    "evolve_by_tier",
    "evolve_error_labels",
    "evolve_outcomes",
    "evolve_scorer",
    "reply",
    "supersede",
]
