from math import isnan

import pytest
from tests.metrics.traces import trace

from supersede.metrics.curves import (
    boundary_accuracy,
    by_interval,
    error_persistence,
    final_accuracy,
)


def test_accuracy_by_interval_counts_who_is_still_asked() -> None:
    found = by_interval([trace("aab", "axb"), trace("aa", "xa")])
    assert found == ((0, 1, 2), (1, 1, 2), (2, 1, 1))
    assert [point.accuracy for point in found] == [0.5, 0.5, 1.0]
    assert by_interval([]) == ()


def test_right_at_the_end_says_nothing_of_the_way() -> None:
    assert final_accuracy(trace("aaab", "xxxb")) == 1
    assert final_accuracy(trace("aaab", "aaax")) == 0
    assert isnan(final_accuracy(trace("", "")))


@pytest.mark.parametrize(
    ("truth", "said", "expected"),
    [
        ("aabbc", "aabbc", 1.0),
        ("aabbc", "xxxbx", 0.0),  # right in the phase, but late
        ("aabbc", "xxbxx", 0.5),
        ("aabbc", "aaaaa", 0.0),  # the first phase is no change
    ],
)
def test_boundary_accuracy_by_hand(truth: str, said: str, expected: float) -> None:
    assert boundary_accuracy(trace(truth, said)) == expected


def test_without_a_change_there_is_no_boundary() -> None:
    assert isnan(boundary_accuracy(trace("aaa", "aaa")))
    assert isnan(boundary_accuracy(trace("", "")))


@pytest.mark.parametrize(
    ("truth", "said", "expected"),
    [
        ("aaaa", "xxxx", (3, 3)),  # never right
        ("aaaa", "aaaa", (0, 0)),  # always right: no error to persist
        ("aaaaa", "xxaxx", (2, 3)),  # one lucky hit: the second error ends with it
        ("aaaa", "xaxa", (0, 2)),  # flip back
        ("aabb", "xxxx", (2, 2)),  # not over a change
        ("abc", "xxx", (0, 0)),  # phases of one interval
        ("", "", (0, 0)),
    ],
)
def test_error_persistence_by_hand(truth: str, said: str, expected: tuple[int, int]) -> None:
    assert error_persistence(trace(truth, said)) == expected
