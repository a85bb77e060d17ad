"""The filter that changes an answer only with confidence (X-029)."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.streams.made import small

from supersede.errors import DataError, UsageError
from supersede.model.stream import Prediction, Reply
from supersede.streams.hysteresis import held, standing
from supersede.streams.ladder import LADDER

ANSWERS = st.lists(
    st.tuples(st.sampled_from(["a", "b", "c", None]), st.floats(0, 1)), min_size=1, max_size=12
)


@given(ANSWERS)
def test_at_nothing_all_stays_and_at_one_nothing_changes(
    run: list[tuple[str | None, float]],
) -> None:
    said, confidence = [a for a, _ in run], [c for _, c in run]
    before = [said[t] for t in standing(said, confidence, 0)]
    assert before == said
    first = next((a for a in said if a is not None), None)
    after = [said[t] for t in standing(said, confidence, 1)]
    assert after == [None if a is None else first for a in said]


@given(ANSWERS, st.floats(0, 1))
def test_a_change_has_confidence_and_a_reply_without_an_answer_stays(
    run: list[tuple[str | None, float]], threshold: float
) -> None:
    said, confidence = [a for a, _ in run], [c for _, c in run]
    stands = standing(said, confidence, threshold)
    last: int | None = None
    for t, source in enumerate(stands):
        assert source <= t
        if said[t] is None:
            assert source == t
            continue
        if last is not None and said[source] != said[last]:
            assert source == t
            assert threshold == 0 or confidence[t] > threshold
        last = source


def test_an_answer_stands_until_a_confident_one_comes() -> None:
    said = ["hall", "kitchen", None, "hall", "garden"]
    stands = standing(said, [0.1, 0.6, 0.0, 0.9, 0.7], 0.6)
    assert stands == (0, 0, 2, 3, 4)


def run_of(*answers: tuple[str | None, float | None]) -> list[Prediction]:
    """What is said to the question `mo` of the small stream."""
    return [
        Prediction("s1", "mo", t, Reply.UNPARSABLE if a is None else Reply.ANSWERED, a, confidence)
        for t, (a, confidence) in enumerate(answers)
    ]


def test_the_same_in_other_words_is_no_change() -> None:
    given_ = run_of(("Hall", None), ("the hall.", None), (None, None), ("hall", None))
    assert [p.answer for p in held([small()], given_, 0.9)] == ["Hall", "the hall.", None, "hall"]


def test_a_change_without_confidence_is_refused_and_names_the_place() -> None:
    given_ = run_of(("hall", None), ("garden", None))
    with pytest.raises(DataError, match=r"'mo' of 's1' at interval 1") as refused:
        held([small()], given_, 0.5)
    assert "--confidence logprobs" in str(refused.value)


def test_a_threshold_beyond_one_is_refused() -> None:
    with pytest.raises(UsageError, match=r"1\.5"):
        held([small()], [], 1.5)


def test_predictions_for_what_was_not_asked_are_refused() -> None:
    with pytest.raises(DataError, match="nobody"):
        held([small()], [replace(run_of(("a", 1.0))[0], question="nobody")], 0.5)


def test_the_order_of_rows_is_of_no_account() -> None:
    rows = [replace(p, confidence=0.5) for p in LADDER["oracle"](small())]
    found = [
        sorted(held([small()], given_, 0.6), key=lambda p: (p.question, p.interval))
        for given_ in (rows, rows[::-1])
    ]
    assert found[0] == found[1]
