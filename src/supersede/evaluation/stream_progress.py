"""A line of progress on the terminal: calls answered, of all that the run asks."""

from __future__ import annotations

import os
import sys
import time

__all__ = ["StreamProgress"]

_BAR = 24
_EVERY_SECONDS = 0.2


class StreamProgress:
    """Counts answers and writes them over the same line of standard error.

    It writes only to a terminal, and only where SUPERSEDE_PROGRESS is set: Inspect has a display
    of its own otherwise.

    Args:
        total: Answers in the end.
    """

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._started = time.monotonic()
        self._shown = 0.0
        self._shows = bool(os.environ.get("SUPERSEDE_PROGRESS")) and sys.stderr.isatty()

    def add(self) -> None:
        """Counts one answer."""
        self._done += 1
        now = time.monotonic()
        if self._shows and (now - self._shown >= _EVERY_SECONDS or self._done == self._total):
            self._shown = now
            self._show(now - self._started)

    def _show(self, seconds: float) -> None:
        if self._done == self._total:
            sys.stderr.write("\r\x1b[K")
        else:
            share = min(1.0, self._done / self._total)
            bar = "#" * round(share * _BAR)
            left = seconds / self._done * (self._total - self._done)
            line = f"{self._done:,}/{self._total:,} answers, {left:.0f} s left"
            sys.stderr.write(f"\r\x1b[K[{bar:<{_BAR}}] {line}")
        sys.stderr.flush()
