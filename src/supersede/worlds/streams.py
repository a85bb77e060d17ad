"""Named random streams: one per purpose, each a pure function of an instance's key.

Every draw comes from `random.Random.random()`, the one sequence that Python promises to keep
over versions. A stream is seeded by the SHA-256 of key and purpose, never by `seed + i`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from random import Random
from typing import TypeAlias, TypeVar

from supersede.model.instance import InstanceKey

Draw: TypeAlias = Callable[[], float]
"""Gives the next number of a stream, at least 0 and less than 1."""

T = TypeVar("T")


def history_seed(key: InstanceKey) -> str:
    """What the history of a key is drawn from: all of the key but its operator."""
    parts = [
        key.dataset_version,
        key.prototype,
        key.prototype_version,
        key.tier.value,
        key.split.value,
        key.index,
    ]
    return json.dumps(parts)


def stream(seed: str, purpose: str) -> Draw:
    """The random stream of a purpose (`events`, `revisions`, `distractors`, ...)."""
    digest = sha256(f"{seed}/{purpose}".encode()).digest()
    return Random(int.from_bytes(digest, "big")).random


def pick(draw: Draw, items: Sequence[T]) -> T:
    """One item of a sequence that is not empty."""
    return items[int(draw() * len(items))]


def between(draw: Draw, low: int, high: int) -> int:
    """An integer of the closed range."""
    return low + int(draw() * (high - low + 1))


def sample_of(draw: Draw, items: Sequence[T], count: int) -> list[T]:
    """Several different items, in drawn order.

    Args:
        draw: The stream.
        items: At least `count` items.
        count: How many.
    """
    rest = list(items)
    for i in range(count):
        j = i + int(draw() * (len(rest) - i))
        rest[i], rest[j] = rest[j], rest[i]
    return rest[:count]


def rounded(draw: Draw, value: float) -> int:
    """An integer whose mean is `value`: its floor, or one more."""
    whole = int(value)
    return whole + (draw() < value - whole)
