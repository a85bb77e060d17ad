"""From scores to an order, the same on every machine."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def best(scores: NDArray[np.floating[Any]], number: int | None = None) -> tuple[int, ...]:
    """Places of the highest scores, best first; of equals, the later place first.

    Args:
        scores: The scores.
        number: How many, at most; left out, all.
    """
    places = np.arange(len(scores))
    if number is not None and number < len(scores):
        least = np.partition(scores, len(scores) - number)[len(scores) - number]
        places = np.flatnonzero(scores >= least)
    return tuple(places[np.lexsort((places, scores[places]))][::-1][:number].tolist())
