"""Tasks that run beside each other, and the end of a run whose command is gone."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from anyio.abc import TaskGroup

from supersede.errors import ModelError

__all__ = ["side_by_side", "while_wanted"]

_LOOK_SECONDS = 0.25


@asynccontextmanager
async def side_by_side() -> AsyncIterator[TaskGroup]:
    """A group of tasks; the error that says most of those that end it comes out as it is."""
    try:
        async with anyio.create_task_group() as group:
            yield group
    except BaseExceptionGroup as errors:
        raise _first(errors) from None


@asynccontextmanager
async def while_wanted() -> AsyncIterator[None]:
    """Lets a run go on as long as the command that started it.

    A command that is killed without notice cannot end the process that it started; left alone,
    that would go on asking, beside the run that its user starts next. Where no command of ours
    started this process, nothing is looked at.

    Raises:
        ModelError: The command is gone; calls in flight are given up.
    """
    if not os.environ.get("SUPERSEDE_PROGRESS"):
        yield
        return
    async with side_by_side() as group:
        group.start_soon(_end_with, os.getppid())
        yield
        group.cancel_scope.cancel()


async def _end_with(parent: int) -> None:
    """Ends, with an error, when this process has another parent than at first."""
    while os.getppid() == parent:
        await anyio.sleep(_LOOK_SECONDS)
    raise ModelError("the command that started this run is gone")


def _first(errors: BaseExceptionGroup) -> BaseException:
    """The error that says most: ours, else the first."""
    plain = _flat(errors)
    return next((error for error in plain if isinstance(error, ModelError)), plain[0])


def _flat(errors: BaseExceptionGroup) -> list[BaseException]:
    found: list[BaseException] = []
    for error in errors.exceptions:
        found += _flat(error) if isinstance(error, BaseExceptionGroup) else [error]
    return found
