"""A line on the terminal that says how far something is which asks a model for long."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import NamedTuple, TextIO

__all__ = ["AFTER_SECONDS", "TICK_SECONDS", "Far", "waiting"]

AFTER_SECONDS = 2.0
"""How long something takes before the line appears."""
TICK_SECONDS = 1.0
"""How often it is written again: one call may take minutes, and the clock shows that it goes on."""

_BAR = 10  # short: with the name of a book the line is to fit 80 signs
_CLEAR = "\r\x1b[K"


class Far(NamedTuple):
    """How far something is."""

    label: str
    """What is done now."""
    done: int
    """Prompts whose reply is there."""
    total: int
    """Prompts in all."""
    kept: int
    """Replies that were kept of an earlier run."""

    def line(self, seconds: float) -> str:
        """What is said after so many seconds of it: prompts answered, kept, time, time left."""
        bar = "#" * round(_BAR * self.done / max(1, self.total))
        parts = [f"{self.done:,}/{self.total:,}"]
        if self.kept:
            parts.append(f"{self.kept:,} kept")
        parts.append(_clock(seconds))
        new = self.done - self.kept
        if new > 0 and self.done < self.total:
            parts.append(f"{_clock(seconds / new * (self.total - self.done))} left")
        return f"{self.label} [{bar:<{_BAR}}] {', '.join(parts)}"


@asynccontextmanager
async def waiting(
    far: Callable[[], Far | None], stream: TextIO, now: Callable[[], float] = time.monotonic
) -> AsyncIterator[None]:
    """Shows how far something is, beside it, and clears the line in the end.

    Args:
        far: Says it; None where there is nothing to say yet.
        stream: Where to; what is no terminal is left alone.
        now: Seconds that never run backwards.
    """
    if not stream.isatty():
        yield
        return
    ticking = asyncio.create_task(_tick(far, stream, now))
    try:
        yield
    finally:
        ticking.cancel()
        with suppress(asyncio.CancelledError):
            await ticking


async def _tick(far: Callable[[], Far | None], stream: TextIO, now: Callable[[], float]) -> None:
    label, began, shown = "", now(), False
    pause = AFTER_SECONDS
    try:
        while True:
            await asyncio.sleep(pause)
            pause = TICK_SECONDS
            found = far()
            if found is None:
                continue
            if label and found.label != label:
                began = now()
            label, shown = found.label, True
            stream.write(_CLEAR + found.line(now() - began)[: _columns()])
            stream.flush()
    finally:
        if shown:
            stream.write(_CLEAR)
            stream.flush()


def _columns() -> int:
    """Signs that fit on a line: a longer one could not be written over."""
    return max(1, shutil.get_terminal_size().columns - 1)


def _clock(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))
