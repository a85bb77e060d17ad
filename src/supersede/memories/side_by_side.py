"""Calls of a model that run beside each other."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

Result = TypeVar("Result")


async def side_by_side(calls: Iterable[Coroutine[Any, Any, Result]]) -> list[Result]:
    """What some calls give, in their order.

    Raises:
        BaseException: What the first that failed raised, as it is; the others are given up.
    """
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(call) for call in calls]
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]
