"""What standard error says of a run while Inspect has no display of its own.

On a terminal it is one line, whose clock ticks; elsewhere a line now and then. Importing this
module registers the hook. The task imports it where SUPERSEDE_PROGRESS is set, and not the
registry: Inspect announces each hook that is there before a task is.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from typing import TextIO

from inspect_ai.hooks import Hooks, SampleEnd, TaskEnd, TaskStart, hooks

from supersede.evaluation.effort import Effort

__all__ = ["Meter", "Progress", "announce"]

TICK_SECONDS = 1.0
"""How often the line of a terminal is written again."""
LINE_SECONDS = 30.0
"""How often a stream that is no terminal gets a line."""

_BAR = 24
_CLEAR = "\r\x1b[K"


class Meter:
    """Counts replies and says how far they are: by itself from `start` to `stop`.

    Args:
        stream: Where to; a terminal has one line that is written over.
        now: Seconds that never run backwards.
    """

    def __init__(self, stream: TextIO, now: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._terminal = stream.isatty()
        self._now = now
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._models: list[str] = []
        self._total = 0
        self._done = 0
        self._expected = 0.0
        self._began = now()

    def start(self) -> None:
        """Begins to tick, beside the run: a long request must not stop the clock."""
        threading.Thread(target=self._tick, name="supersede-progress", daemon=True).start()

    def add(self, model: str, replies: int, effort: Effort | None = None) -> None:
        """Expects replies of a model; says what they take where that is known."""
        self._models.append(model)
        self._total += replies
        if effort is not None:
            self._expected += effort.seconds(replies)
            self._write(f"{_CLEAR if self._terminal else ''}{model}: {effort.text(replies)}\n")
        if self._terminal:
            self.show()

    def count(self) -> None:
        """Counts a reply."""
        self._done += 1
        if self._terminal:
            self.show()

    def show(self) -> None:
        """Writes how far the replies are."""
        if self._terminal:
            share = min(1.0, self._done / self._total) if self._total else 0.0
            bar = "#" * round(share * _BAR)
            self._write(f"{_CLEAR}{self._name}  [{bar:<{_BAR}}] {self._state()}")
        else:
            self._write(f"{self._name}: {self._state()}\n")

    def stop(self) -> None:
        """Ends the ticking and clears the line of a terminal."""
        with self._lock:
            self._over.set()
        if self._terminal:
            self._stream.write(_CLEAR)
            self._stream.flush()

    @property
    def _name(self) -> str:
        return self._models[0] if len(self._models) == 1 else f"{len(self._models)} models"

    def _state(self) -> str:
        """Replies, seconds, and what is left: by the pace so far, else by what was expected."""
        seconds = self._now() - self._began
        said = f"{self._done}/{self._total} replies, {seconds:.0f} s"
        if 0 < self._done < self._total:
            return f"{said}, about {seconds / self._done * (self._total - self._done):.0f} s left"
        if not self._done and self._expected:
            return f"{said} of at most about {self._expected:.0f} s"
        return said

    def _tick(self) -> None:
        while not self._over.wait(TICK_SECONDS if self._terminal else LINE_SECONDS):
            self.show()

    def _write(self, text: str) -> None:
        with self._lock:
            if not self._over.is_set():
                self._stream.write(text)
                self._stream.flush()


@hooks(name="supersede_progress", description="Progress on standard error")
class Progress(Hooks):
    """Has a meter count the replies of the tasks that run; they may run beside each other."""

    def __init__(self) -> None:
        self._running: set[str] = set()
        self._meter: Meter | None = None

    def enabled(self) -> bool:
        """Only where a command of ours asks for it."""
        return bool(os.environ.get("SUPERSEDE_PROGRESS")) and sys.__stderr__ is not None

    async def on_task_start(self, data: TaskStart) -> None:
        """Notes how many replies there will be."""
        if self._meter is None:
            assert sys.__stderr__ is not None
            self._meter = Meter(sys.__stderr__)
            self._meter.start()
        self._running.add(data.eval_id)
        spec = data.spec
        samples = len(spec.dataset.sample_ids or []) or spec.dataset.samples or 0
        kept = (spec.metadata or {}).get(Effort.KEY)
        effort = None if kept is None else Effort.model_validate(kept)
        self._meter.add(spec.model, samples * (spec.config.epochs or 1), effort)

    async def on_sample_end(self, data: SampleEnd) -> None:
        """Counts a reply."""
        if self._meter is not None:
            self._meter.count()

    async def on_task_end(self, data: TaskEnd) -> None:
        """Stops with the last task."""
        self._running.discard(data.eval_id)
        if self._meter is not None and not self._running:
            self._meter.stop()
            self._meter = None


def announce(text: str) -> None:
    """Writes a line; Inspect puts a silent file in the place of `sys.stderr`."""
    if sys.__stderr__ is not None:
        sys.__stderr__.write(f"{text}\n")
        sys.__stderr__.flush()
