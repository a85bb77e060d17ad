import math
import os
from collections.abc import Iterator
from operator import neg

import pytest

from supersede.corpus.pool import in_order
from supersede.errors import SupersedeError


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_order_and_tasks_are_taken_a_few_ahead(workers: int) -> None:
    taken: list[int] = []

    def tasks() -> Iterator[int]:
        for number in range(60):
            taken.append(number)
            yield number

    results = in_order(neg, tasks(), workers)
    assert next(results) == 0
    assert len(taken) <= 12 * workers + 1 < 60
    assert list(results) == [-number for number in range(1, 60)]


def test_what_a_task_raises_comes_through_after_the_results_before_it() -> None:
    results = in_order(math.sqrt, [4.0, -1.0, 9.0], 2)
    assert next(results) == 2.0
    with pytest.raises(ValueError, match="math domain error"):
        next(results)


def test_a_worker_that_is_killed_is_one_line() -> None:
    with pytest.raises(SupersedeError, match="a worker process was killed"):
        list(in_order(os._exit, [1, 1], 2))
