"""What became of replies: five outcomes kept apart, and why wrong ones are wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import nan

from supersede.model.question import ErrorLabel, Outcome

__all__ = ["LABEL_CAVEAT", "LabelTable", "error_labels", "outcome_counts"]

LABEL_CAVEAT = (
    "Shares of first failures, not independent error rates: an early mistake about which "
    "records count can show later under another label."
)
"""What every table of error labels must say (E-158)."""


@dataclass(frozen=True, slots=True)
class LabelTable:
    """How the wrong replies divide among the five error labels."""

    counts: Mapping[ErrorLabel, int]
    """Wrong replies per label, every label present."""
    shares: Mapping[ErrorLabel, float]
    """Counts over their sum, which is 1 in all; each NaN where there are none."""
    labelled: int
    """Replies in the table: wrong ones with a label."""
    left_out: int
    """Replies that are neither right nor labelled: unparsable, refused, errors (E-149)."""


def outcome_counts(outcomes: Iterable[Outcome]) -> dict[Outcome, int]:
    """How many replies had each outcome, every outcome present, in the order of the enum."""
    found = Counter(outcomes)
    return {outcome: found[outcome] for outcome in Outcome}


def error_labels(graded: Iterable[tuple[Outcome, ErrorLabel | None]]) -> LabelTable:
    """The table of error labels: one primary label for each semantic failure (E-149).

    `share = count / number of labelled wrong replies`. Range 0 to 1; neither way is better.
    Blank replies, refusals, unparsable ones and errors are left out and counted. Never wrong:
    all counts 0, all shares NaN.

    Args:
        graded: Outcome and label of each reply.
    """
    rows = list(graded)
    found = Counter(label for outcome, label in rows if outcome is Outcome.WRONG)
    counts = {label: found[label] for label in ErrorLabel}
    labelled = sum(counts.values())
    shares = {label: n / labelled if labelled else nan for label, n in counts.items()}
    right = sum(outcome is Outcome.RIGHT for outcome, _ in rows)
    return LabelTable(counts, shares, labelled, len(rows) - right - labelled)
