"""Several replies to one question: was one of them right, and how many were."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, nan

__all__ = ["average", "pass_at_k"]


def pass_at_k(right: Sequence[bool], k: int) -> float:
    """The chance that at least one of `k` replies, drawn without repetition, is right.

    `1 - C(n - c, k) / C(n, k)` for `c` right replies out of `n` (Chen et al. 2021, eq. 1).
    With `n = k` that is 1 where any reply is right and 0 otherwise, which is the pass@5 of
    E-111 for five replies.

    Range 0 to 1, more is better. Never right: 0. Always right: 1. One lucky hit in `k`: 1.
    With fewer than `k` replies it is undefined: NaN.

    Args:
        right: Whether each reply was right, in any order.
        k: How many replies one may try, 1 or more.

    Raises:
        ValueError: `k` is less than 1.
    """
    if k < 1:
        raise ValueError(f"k={k} is less than 1")
    n, c = len(right), sum(right)
    if n < k:
        return nan
    return 1.0 - comb(n - c, k) / comb(n, k)


def average(right: Sequence[bool]) -> float:
    """The share of replies that are right: avg@k of E-112 for `k` replies.

    Range 0 to 1, more is better. Never right: 0. Always right: 1. One lucky hit in `k`: `1 / k`.
    For any question `average <= pass_at_k(right, k) <= min(1, k * average)` over its `k`
    replies. No replies: NaN.
    """
    return sum(right) / len(right) if right else nan
