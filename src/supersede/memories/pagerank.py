"""Personalised PageRank of many starting points at once, on a weighted graph without directions.

The walker of each column goes on along an edge with probability `damping`, and else begins again
where its column says. Where no edge leads on, it begins again too, so no column loses mass.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array

ERROR = 1e-15
"""What the ranks of a column may be off by, all together; rounding adds its own."""


def pagerank(
    weights: csr_array, resets: NDArray[np.float64], damping: float = 0.5
) -> NDArray[np.float64]:
    """The share of time that a walker spends at each node.

    Each step makes the distance to the solution, summed over the nodes, smaller by `damping` at
    least. So the number of steps is known beforehand, and a column comes out the same whichever
    others stand beside it.

    Args:
        weights: Weights of the edges, none below 0, symmetric; a row and a column for each node.
        resets: Where a walker begins, a column for each: none below 0, of any sum above 0.
        damping: Probability of going on; from 0 to below 1.

    Returns:
        A row for each node, a column for each walker; columns sum to 1.

    Raises:
        ValueError: A column begins nowhere, or `damping` is out of its range.
    """
    if not 0 <= damping < 1:
        raise ValueError(f"damping={damping} is not from 0 to below 1")
    sums = resets.sum(axis=0)
    if not (sums > 0).all():
        raise ValueError(f"column {int(np.argmin(sums))} of the resets begins nowhere")
    resets = resets / sums
    degrees = np.asarray(weights.sum(axis=0), dtype=np.float64)
    ends = np.flatnonzero(degrees == 0)
    steps = csr_array(weights @ diags_array(damping / np.where(degrees == 0, 1, degrees)))
    ranks = resets
    for _ in range(_steps(damping)):
        again = 1 - damping + damping * ranks[ends].sum(axis=0)
        ranks = steps @ ranks
        ranks += again * resets
    return ranks


def _steps(damping: float) -> int:
    """Steps after which at most `ERROR` is left of a distance that was at most 2."""
    return 1 if damping == 0 else max(1, math.ceil(math.log(ERROR / 2) / math.log(damping)))
