"""A draw with weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from supersede.worlds.streams import Draw

K = TypeVar("K")


def weighted(draw: Draw, weights: Mapping[K, float]) -> K:
    """One of the keys, each as likely as its weight says.

    Args:
        draw: The stream.
        weights: Not empty, in an order that does not vary.
    """
    point = draw() * sum(weights.values())
    last = next(reversed(list(weights)))
    for key, weight in weights.items():
        point -= weight
        if point < 0:
            return key
    return last  # rounding may leave a little of the last weight
