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

__all__ = ["Deadline"]


class Deadline:
    """Early stopping by the clock: replies that have begun are finished.

    It looks at the clock when a sample starts, so it is as fine as `max_samples` is small.

    Args:
        seconds: From the start of the task to the last start of a sample.
        clock: Seconds that never run backwards.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._end = clock() + seconds
        self._left = 0

    async def start_task(self, task: EvalSpec, samples: list[Sample], epochs: int) -> str:
        """Starts the clock; returns our name."""
        self._end = self._clock() + self._seconds
        return "deadline"

    async def schedule_sample(self, id: str | int, epoch: int) -> EarlyStop | None:
        """Leaves a sample once the time is up."""
        if self._clock() < self._end:
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
