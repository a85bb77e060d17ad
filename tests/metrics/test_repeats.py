from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supersede.metrics.repeats import average, pass_at_k


def test_pass_at_five_of_five_is_whether_any_reply_is_right() -> None:
    assert pass_at_k([False] * 5, 5) == 0
    assert pass_at_k([False, False, True, False, False], 5) == 1
    assert pass_at_k([True] * 5, 5) == 1


def test_pass_at_two_of_five_with_one_right_is_two_fifths() -> None:
    # 1 - C(4, 2) / C(5, 2) = 1 - 6 / 10
    assert pass_at_k([True, False, False, False, False], 2) == pytest.approx(0.4)


def test_pass_at_k_is_undefined_for_fewer_replies_than_k() -> None:
    assert isnan(pass_at_k([True] * 4, 5))
    assert isnan(pass_at_k([], 1))


def test_pass_at_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="k=0 is less than 1"):
        pass_at_k([True], 0)


def test_the_average_of_one_lucky_hit_in_five_is_a_fifth() -> None:
    assert average([False, True, False, False, False]) == pytest.approx(0.2)


def test_the_average_of_nothing_is_undefined() -> None:
    assert isnan(average([]))


@given(st.lists(st.booleans(), min_size=1, max_size=8))
def test_average_at_most_pass_at_most_k_times_average(right: list[bool]) -> None:
    k = len(right)
    passed = pass_at_k(right, k)
    assert average(right) <= passed <= min(1, k * average(right)) + 1e-12
