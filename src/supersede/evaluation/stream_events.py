"""Which calls of a stream have a record of their own in Inspect's log.

Every answer is in the journal, in the sample's store and in the file of predictions. Inspect keeps
in addition a record of each call with its whole prompt, which for the 6,630 calls of a published
document is a quarter of the time, half of the memory and most of the log, and more than its viewer
can show; and two lines in a trace file. So a long document has records of the first call of each
interval, which shows the new context, and of every call that failed.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from inspect_ai._util.constants import HTTP  # the level above that of traces
from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model._model import (
    use_model_event_sink,  # Inspect's own way for its agent bridge; no public name has it
)

__all__ = ["ALL_RECORDED", "only_failures"]

ALL_RECORDED = 1_000
"""Calls of a document up to which each has its record."""

_CALLS = logging.getLogger("inspect_ai.model._model")


class _Failures:
    """Takes the record of each attempt, and hands on those that failed."""

    def on_pending(self, event: ModelEvent) -> None:
        """A call begins."""

    def on_complete(self, event: ModelEvent) -> None:
        """A call has ended, well or badly."""
        if event.error is not None:
            transcript()._event(event)


@contextmanager
def only_failures() -> Iterator[None]:
    """Within it, and in tasks started within it, calls are recorded where they fail.

    Nor does Inspect's trace file get the two lines of each call.
    """
    untouched = _CALLS.level == logging.NOTSET
    if untouched:
        _CALLS.setLevel(HTTP)
    try:
        with use_model_event_sink(_Failures()):
            yield
    finally:
        if untouched:
            _CALLS.setLevel(logging.NOTSET)
