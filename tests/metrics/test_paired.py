from math import isnan

import pytest
from tests.metrics.traces import trace

from supersede.metrics.paired import compare_traces, sign_flip
from supersede.model.stream import Trace


def run(*said: str) -> list[Trace]:
    """One question a document, whose truth is aabb."""
    return [trace("aabb", answers, stream=f"d{i}") for i, answers in enumerate(said)]


def test_a_difference_by_hand() -> None:
    # Accuracy 1/2, 1, 1/2 against 1, 1, 3/4: differences 1/2, 0, 1/4.
    found = compare_traces(run("aaxx", "aabb", "xxbb"), run("aabb", "aabb", "xabb"))
    accuracy = found.measures["accuracy"]
    assert accuracy.first == pytest.approx(2 / 3)
    assert accuracy.second == pytest.approx(11 / 12)
    assert accuracy.difference.value == pytest.approx(0.25)
    # u = 1/12, -1/12, 0; SE^2 = 3/2 * 2/144; t with 2 degrees is 4.3027.
    reach = 4.3027 * (1 / 48) ** 0.5
    assert accuracy.difference.low == pytest.approx(0.25 - reach, abs=1e-4)
    assert accuracy.difference.high == pytest.approx(0.25 + reach, abs=1e-4)
    # |sum| is 3/4 only where both have one sign: with 1/2, 0, 1/4 in 4 of 8 patterns.
    assert accuracy.p == 0.5
    assert (found.questions, found.unpaired) == (3, 0)
    assert sum(m.difference.value for m in found.measures.values()) == pytest.approx(0, abs=1e-12)


def test_a_run_against_itself_differs_by_nothing() -> None:
    one = run("aaxx", "aabb", "xxbb")
    found = compare_traces(one, one).measures["accuracy"]
    assert (found.difference.value, found.difference.low, found.difference.high) == (0, 0, 0)
    assert found.p == 1


def test_never_right_against_always_right_is_not_certainty() -> None:
    found = compare_traces(run(*["xxxx"] * 5), run(*["aabb"] * 5)).measures["accuracy"]
    assert (found.difference.value, found.difference.high) == (1, 1)
    assert found.difference.low == pytest.approx(2 * 0.025 ** (1 / 5) - 1)
    assert found.p == 2 / 2**5


def test_questions_of_one_run_only_are_left_out_and_counted() -> None:
    extra = trace("aabb", "aabb", stream="d7")
    found = compare_traces(run("aabb", "aabb", "aabb"), [*run("aabb"), extra])
    assert (found.questions, found.unpaired) == (1, 3)
    assert isnan(found.measures["accuracy"].difference.low)
    assert found.measures["accuracy"].p == 1


def test_nothing_in_common_is_undefined() -> None:
    found = compare_traces(run("aabb"), [])
    assert (found.questions, found.unpaired) == (0, 1)
    assert isnan(found.measures["pm"].difference.value)
    assert isnan(found.measures["pm"].p)


def test_other_streams_of_the_same_name_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="question 'q' of 'd0' differs between the two runs"):
        compare_traces(run("aabb"), [trace("aaab", "aaab", stream="d0")])


def test_many_documents_are_drawn_and_agree_with_all_patterns() -> None:
    totals = [0.3, 0.1, -0.2, 0.4, 0.1, 0.2, -0.1, 0.3, 0.1, 0.2, -0.3, 0.1, 0.2, 0.1]
    exact = sign_flip(totals)
    drawn = sign_flip([*totals, 0.0, 0.0])
    assert 0.01 < exact < 0.2
    assert drawn == pytest.approx(exact, abs=0.01)
    assert sign_flip([1.0] * 40) == 1 / 10_000


def test_signs_alone_decide_a_permutation_test() -> None:
    assert sign_flip([0.0, 0.0]) == 1
    assert sign_flip([1.0, 1.0, 1.0]) == 2 / 8
    assert isnan(sign_flip([]))
