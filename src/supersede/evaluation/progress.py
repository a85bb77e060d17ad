"""A line of progress on the terminal while Inspect runs without a display of its own.

Importing this module registers the hook. The task imports it where SUPERSEDE_PROGRESS is set, and
not the registry: Inspect announces each hook that is there before a task is.
"""

from __future__ import annotations

import sys
import time

from inspect_ai.hooks import Hooks, SampleEnd, TaskEnd, TaskStart, hooks

__all__ = ["Progress"]

_BAR = 24


@hooks(name="supersede_progress", description="One line of progress on standard error")
class Progress(Hooks):
    """Counts finished replies and writes them over the same line."""

    def __init__(self) -> None:
        self._total = 0
        self._done = 0
        self._name = ""
        self._started = 0.0

    def enabled(self) -> bool:
        """Only on a terminal."""
        return sys.stderr.isatty()

    async def on_task_start(self, data: TaskStart) -> None:
        """Notes how many replies there will be."""
        spec = data.spec
        samples = len(spec.dataset.sample_ids or []) or spec.dataset.samples or 0
        self._total = samples * (spec.config.epochs or 1)
        self._done = 0
        self._name = spec.model
        self._started = time.monotonic()
        self._show()

    async def on_sample_end(self, data: SampleEnd) -> None:
        """Counts a reply."""
        self._done += 1
        self._show()

    async def on_task_end(self, data: TaskEnd) -> None:
        """Clears the line."""
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()

    def _show(self) -> None:
        share = min(1.0, self._done / self._total) if self._total else 0.0
        bar = "#" * round(share * _BAR)
        seconds = time.monotonic() - self._started
        count = f"{self._done}/{self._total} replies, {seconds:.0f} s"
        sys.stderr.write(f"\r\x1b[K{self._name}  [{bar:<{_BAR}}] {count}")
        sys.stderr.flush()
