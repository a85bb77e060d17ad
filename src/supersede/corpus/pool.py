"""Work spread over processes: results in order, memory bounded, nothing left behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from itertools import islice
from multiprocessing.connection import wait
from typing import TypeVar

from supersede.corpus.collector import collector_at_rest
from supersede.errors import SupersedeError

Task = TypeVar("Task")
Result = TypeVar("Result")

_AHEAD = 12
"""Tasks handed out for each worker; more wait in the iterator. A task may be two hundred times as
long as the next, and its worker's neighbours go on meanwhile."""


def in_order(
    work: Callable[[Task], Result], tasks: Iterable[Task], workers: int
) -> Generator[Result, None, None]:
    """The results of tasks, in the order of the tasks.

    Args:
        work: A function of a module, which new processes can import.
        tasks: Taken one by one, a few ahead of the results.
        workers: Processes; with 1 the work is done in this one.

    Raises:
        SupersedeError: A worker was killed. What a task raises comes through as it is.
    """
    at_rest = partial(_at_rest, work)
    if workers == 1:
        yield from map(at_rest, tasks)
        return
    waiting = iter(tasks)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_begin_worker) as pool:
        running: deque[Future[Result]] = deque()
        try:
            for task in islice(waiting, workers * _AHEAD):
                running.append(pool.submit(at_rest, task))
            while running:
                yield running.popleft().result()
                for task in islice(waiting, 1):
                    running.append(pool.submit(at_rest, task))
        except BrokenProcessPool:
            raise SupersedeError(
                "a worker process was killed before its work was done",
                mend="Run the same command again to go on; fewer --workers need less memory.",
            ) from None
        finally:
            for future in running:
                future.cancel()


def _at_rest(work: Callable[[Task], Result], task: Task) -> Result:
    """The result of a task, which leaves few cycles behind: what it frees is freed at once."""
    with collector_at_rest():
        return work(task)


def _begin_worker() -> None:
    """An interrupt is the parent's to handle; a parent that is killed takes its workers along."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
