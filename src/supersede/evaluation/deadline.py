"""A run that starts no further reply after some time, and says how many it left."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from inspect_ai.util import EarlyStop
from pydantic import JsonValue

if TYPE_CHECKING:
    from inspect_ai.dataset import Sample
    from inspect_ai.log import EvalSpec
    from inspect_ai.scorer import SampleScore

__all__ = ["Clock", "Deadline"]


class Clock:
    """Counts down from when it is first looked at.

    Args:
        seconds: From where; None never ends.
        now: Seconds that never run backwards.
    """

    def __init__(self, seconds: float | None, now: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._now = now
        self._end: float | None = None

    def left(self) -> float | None:
        """Seconds that are left, 0 at the least; None where there is no end."""
        if self._seconds is None:
            return None
        if self._end is None:
            self._end = self._now() + self._seconds
        return max(0.0, self._end - self._now())


class Deadline:
    """Early stopping by the clock: no sample starts when the time is over.

    It looks at the clock when a sample starts, so it is as fine as `max_samples` is small.

    Args:
        seconds: From the start of the task to the last start of a sample.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._clock = Clock(seconds)
        self._left = 0

    async def start_task(self, task: EvalSpec, samples: list[Sample], epochs: int) -> str:
        """Starts the clock; returns our name."""
        self._clock = Clock(self._seconds)
        self._clock.left()
        return "deadline"

    async def schedule_sample(self, id: str | int, epoch: int) -> EarlyStop | None:
        """Leaves a sample once the time is up."""
        if self._clock.left():
            return None
        self._left += 1
        return EarlyStop(id=id, epoch=epoch, reason=f"{self._seconds:g} seconds are over")

    async def complete_sample(
        self, id: str | int, epoch: int, scores: dict[str, SampleScore]
    ) -> None:
        """Nothing depends on scores."""

    async def complete_task(self) -> dict[str, JsonValue]:
        """What the log says of it."""
        return {"seconds": self._seconds, "left": self._left}
