"""A line of progress on the terminal while Inspect runs without a display of its own.

Importing this module registers the hook. The task imports it where SUPERSEDE_PROGRESS is set, and
not the registry: Inspect announces each hook that is there before a task is.
"""

from __future__ import annotations

import sys
import time
from typing import TextIO

from inspect_ai.hooks import Hooks, SampleEnd, TaskEnd, TaskStart, hooks

__all__ = ["Progress"]

_BAR = 24


@hooks(name="supersede_progress", description="One line of progress on standard error")
class Progress(Hooks):
    """Counts finished replies and writes them over the same line."""

    def __init__(self) -> None:
        self._models: dict[str, str] = {}
        self._total = 0
        self._done = 0
        self._started = 0.0

    def enabled(self) -> bool:
        """Only on a terminal."""
        return _terminal() is not None

    async def on_task_start(self, data: TaskStart) -> None:
        """Notes how many replies there will be; tasks may run beside each other."""
        spec = data.spec
        if not self._models:
            self._total = self._done = 0
            self._started = time.monotonic()
        self._models[data.eval_id] = spec.model
        samples = len(spec.dataset.sample_ids or []) or spec.dataset.samples or 0
        self._total += samples * (spec.config.epochs or 1)
        self._show()

    async def on_sample_end(self, data: SampleEnd) -> None:
        """Counts a reply."""
        self._done += 1
        self._show()

    async def on_task_end(self, data: TaskEnd) -> None:
        """Clears the line."""
        self._models.pop(data.eval_id, None)
        _write("\r\x1b[K")

    def _show(self) -> None:
        share = min(1.0, self._done / self._total) if self._total else 0.0
        bar = "#" * round(share * _BAR)
        names = list(self._models.values())
        name = names[0] if len(names) == 1 else f"{len(names)} models"
        seconds = time.monotonic() - self._started
        count = f"{self._done}/{self._total} replies, {seconds:.0f} s"
        _write(f"\r\x1b[K{name}  [{bar:<{_BAR}}] {count}")


def _terminal() -> TextIO | None:
    """The terminal of this process; Inspect puts a silent file in the place of `sys.stderr`."""
    stream = sys.__stderr__
    return stream if stream is not None and stream.isatty() else None


def _write(text: str) -> None:
    stream = _terminal()
    if stream is not None:
        stream.write(text)
        stream.flush()
