"""Sparse, Moderate, Frequent: questions by how often their answer changes.

Changes are counted as the released scorer counts them: the number of phases. A subset is a
property of the data, never of predictions (O-020).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from supersede.model.stream import Stream, Trace

__all__ = [
    "BABI",
    "NOVEL",
    "PRESETS",
    "Bins",
    "Subset",
    "balanced_bins",
    "bins_for",
    "by_subset",
    "subset_of",
    "subset_ranges",
    "subset_sizes",
]


class Subset(StrEnum):
    """How often the answer of a question changes."""

    SPARSE = "sparse"
    MODERATE = "moderate"
    FREQUENT = "frequent"


class Bins(NamedTuple):
    """Where the subsets end; the third has no end."""

    sparse: int
    """Most phases of a sparse question."""
    moderate: int
    """Most phases of a moderate question; equal to `sparse` where no question is moderate."""


BABI = Bins(3, 5)
"""OAKS-BABI: 2 to 3, 4 to 5, 6 to 20 (O-018)."""
NOVEL = Bins(3, 4)
"""OAKS-Novel: 2 to 3, 4, 5 to 19 (O-019)."""
PRESETS = {"babi": BABI, "novel": NOVEL}
"""The published bins by name."""


def subset_of(phases: int, bins: Bins) -> Subset:
    """The subset of a question; one that never changes is sparse, as in the released scorer.

    Args:
        phases: How many phases it has.
        bins: Where the subsets end.
    """
    if phases <= bins.sparse:
        return Subset.SPARSE
    return Subset.MODERATE if phases <= bins.moderate else Subset.FREQUENT


def by_subset(traces: Iterable[Trace], bins: Bins) -> dict[Subset, list[Trace]]:
    """Traces by subset, every subset present."""
    found: dict[Subset, list[Trace]] = {subset: [] for subset in Subset}
    for trace in traces:
        found[subset_of(len(trace.phases), bins)].append(trace)
    return found


def subset_sizes(streams: Iterable[Stream], bins: Bins) -> dict[Subset, int]:
    """How many questions of some streams each subset has, every subset present.

    Args:
        streams: The data set.
        bins: Where the subsets end.
    """
    found = Counter(
        subset_of(len(question.phases), bins) for stream in streams for question in stream.questions
    )
    return {subset: found[subset] for subset in Subset}


def subset_ranges(bins: Bins) -> dict[Subset, str]:
    """What each subset's number of phases is, in words: `to 3`, `4 to 5`, `from 6`."""
    sparse, moderate = bins
    middle = f"{sparse + 1} to {moderate}" if moderate > sparse + 1 else f"{moderate}"
    return {
        Subset.SPARSE: f"to {sparse}",
        Subset.MODERATE: middle if moderate > sparse else "none",
        Subset.FREQUENT: f"from {moderate + 1}",
    }


def balanced_bins(phases: Iterable[int]) -> Bins:
    """The bins that split questions most evenly without tearing equal counts apart (O-017).

    Among all pairs of ends taken from the counts that occur, the one with the least sum of
    squared subset sizes; the lowest ends where several are as good. Fewer than three different
    counts leave a subset empty.

    Args:
        phases: How many phases each question has.

    Raises:
        ValueError: There is no question.
    """
    sizes = sorted(Counter(phases).items())
    if not sizes:
        raise ValueError("no question to bin")
    ends = [count for count, _ in sizes]

    def unevenness(bins: Bins) -> int:
        parts: Counter[Subset] = Counter()
        for count, size in sizes:
            parts[subset_of(count, bins)] += size
        return sum(size * size for size in parts.values())

    pairs = [Bins(low, high) for i, low in enumerate(ends) for high in ends[i:]]
    return min(pairs, key=unevenness)


def bins_for(streams: Sequence[Stream]) -> Bins:
    """The published bins of the data set that streams come from, otherwise balanced ones.

    OAKS-BABI and official files of open questions have the bins of OAKS-BABI; novels and
    official files of multiple choice those of OAKS-Novel. Streams without a question, too, have
    the bins of OAKS-BABI.
    """
    questions = [question for stream in streams for question in stream.questions]
    sources = {stream.source for stream in streams}
    choice = all(question.options for question in questions)
    if not questions or sources == {"babi"} or (sources == {"oaks"} and not choice):
        return BABI
    if sources == {"novel"} or sources == {"oaks"}:
        return NOVEL
    return balanced_bins(len(question.phases) for question in questions)
