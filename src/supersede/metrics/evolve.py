"""The report of an evaluation on instances: by tier, by family and overall."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from supersede.metrics.intervals import Estimate, Observation, clustered_mean
from supersede.metrics.outcomes import LabelTable, error_labels, outcome_counts
from supersede.metrics.repeats import average, pass_at_k
from supersede.model.instance import Tier
from supersede.model.question import ErrorLabel, Family, Outcome

__all__ = ["OVERALL", "EvolveReport", "EvolveRow", "Trial", "evolve_report"]

OVERALL = "overall"
"""Name of the row over all tiers."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One graded reply."""

    instance: str
    """Id of the instance."""
    tier: Tier
    prototype: str
    family: Family
    outcome: Outcome
    label: ErrorLabel | None = None
    """Why it is wrong, where it is."""


@dataclass(frozen=True, slots=True)
class EvolveRow:
    """One row of the table."""

    name: str
    """Tier, family or `overall`."""
    instances: int
    """Instances with at least one reply."""
    trials: int
    """Replies, whatever became of them."""
    average: Estimate
    """avg@k with its interval."""
    passed: Estimate
    """pass@k with its interval; `undefined` counts instances with fewer than k replies."""
    outcomes: Mapping[Outcome, int]
    """How many replies had each outcome."""


@dataclass(frozen=True, slots=True)
class EvolveReport:
    """What a model made of a set of instances."""

    k: int
    """Replies per instance that pass@k looks at."""
    tiers: tuple[EvolveRow, ...]
    """The tiers that occur, easiest first."""
    families: tuple[EvolveRow, ...]
    """The families that occur, in the order of the enum."""
    overall: EvolveRow
    """Means over the tiers that occur, each weighing the same (E-113)."""
    labels: LabelTable


def evolve_report(trials: Iterable[Trial], k: int) -> EvolveReport:
    """avg@k and pass@k per tier, per family and overall, with intervals over prototypes.

    avg@k is the mean over instances of the share of right replies (E-112), pass@k the mean of
    `pass_at_k` (E-111); both are 0 to 1, more is better. Every outcome other than right counts
    0. Overall they are the means over tiers, not over instances. Instances with fewer than `k`
    replies have no pass@k: they are left out of it and counted. No trials: NaN throughout.

    Args:
        trials: The graded replies, in any order.
        k: Replies per instance, 1 or more.
    """
    rows = list(trials)
    tiers = _split(rows, Tier, lambda trial: trial.tier)
    families = _split(rows, Family, lambda trial: trial.family)
    return EvolveReport(
        k,
        tuple(_row(name, {name: part}, k) for name, part in tiers.items()),
        tuple(_row(name, {name: part}, k) for name, part in families.items()),
        _row(OVERALL, tiers, k),
        error_labels((trial.outcome, trial.label) for trial in rows),
    )


def _split(
    trials: Sequence[Trial], order: Iterable[str], part: Callable[[Trial], str]
) -> dict[str, list[Trial]]:
    """Trials by a property, in a given order, empty parts left out."""
    found: dict[str, list[Trial]] = {str(name): [] for name in order}
    for trial in trials:
        found[str(part(trial))].append(trial)
    return {name: rows for name, rows in found.items() if rows}


def _row(name: str, strata: Mapping[str, Sequence[Trial]], k: int) -> EvolveRow:
    every = [trial for rows in strata.values() for trial in rows]
    return EvolveRow(
        name,
        len({trial.instance for trial in every}),
        len(every),
        clustered_mean({key: _observed(rows, average) for key, rows in strata.items()}),
        clustered_mean(
            {
                key: _observed(rows, lambda right: pass_at_k(right, k))
                for key, rows in strata.items()
            }
        ),
        outcome_counts(trial.outcome for trial in every),
    )


def _observed(
    trials: Sequence[Trial], reduce: Callable[[Sequence[bool]], float]
) -> list[Observation]:
    """One observation for each instance: its prototype and its replies reduced to a number."""
    prototypes = {trial.instance: trial.prototype for trial in trials}
    right: dict[str, list[bool]] = {instance: [] for instance in prototypes}
    for trial in trials:
        right[trial.instance].append(trial.outcome is Outcome.RIGHT)
    return [(prototypes[instance], reduce(values)) for instance, values in right.items()]
