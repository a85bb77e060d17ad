from dataclasses import replace
from math import isnan

from hypothesis import given
from hypothesis import strategies as st
from tests.metrics.traces import trace

from supersede.metrics.staleness import staleness
from supersede.model.stream import Reply, Trace


def test_wrong_answers_by_what_they_would_have_been_right_for() -> None:
    # t1 c: early; t2 a: stale, last right at 1; t3 x: never; t4 b: stale, last right at 3;
    # t5 a: stale, last right at 1.
    found = staleness([trace("aabbcc", "acaxba")])
    assert (found.stale, found.early, found.never, found.wrong) == (3, 1, 1, 5)
    assert found.age == 1 + 1 + 4
    assert found.mean_age == 2
    assert found.previous == 2
    assert found.stale_share == 3 / 5


def test_an_answer_that_was_right_and_will_be_again_is_stale() -> None:
    found = staleness([trace("abbaa", "aaaaa")])
    assert (found.stale, found.early, found.age) == (2, 0, 1 + 2)


def test_the_age_counts_from_the_latest_phase_that_accepts_it() -> None:
    assert staleness([trace("abac", "abaa")]).age == 1


def test_a_truth_that_never_changes_has_no_stale_answers() -> None:
    found = staleness([trace("aaa", "xax")])
    assert (found.stale, found.early, found.never) == (0, 0, 2)
    assert isnan(found.mean_age)


def test_always_right_and_nothing_at_all_are_undefined() -> None:
    for rows in ([trace("aab", "aab")], []):
        found = staleness(rows)
        assert found.wrong == 0
        assert isnan(found.stale_share)
        assert isnan(found.mean_age)


def test_replies_that_say_nothing_are_counted_apart() -> None:
    found = staleness([trace("aabb", ".ab.")])
    assert (found.wrong, found.unread) == (0, 2)


def test_unknown_is_stale_and_known_to_be_unknown() -> None:
    given = Trace(
        "d",
        "q",
        "tracking",
        (1, 2),
        ("unknown", "hall", "hall"),
        ("unknown", "unknown", "hall"),
        (True, False, True),
        (Reply.ANSWERED,) * 3,
    )
    found = staleness([given])
    assert (found.stale, found.unknown) == (1, 1)


def test_every_accepted_answer_of_an_earlier_phase_is_stale_later() -> None:
    given = trace("ab", "xy")
    assert staleness([given]).never == 2
    wider = replace(given, said=("a", "y"), right=(True, False), accepted=(("a", "y"), ("b",)))
    assert staleness([wider]).stale == 1


def test_what_its_own_phase_takes_at_another_interval_is_not_early() -> None:
    given = replace(trace("aab", "xab"), accepted=(("a", "x"), ("b",)))
    assert (staleness([given]).early, staleness([given]).never) == (0, 1)


words = st.integers(1, 12).flatmap(
    lambda n: st.tuples(
        st.text("abc", min_size=n, max_size=n), st.text("abcx.", min_size=n, max_size=n)
    )
)


@given(st.lists(words, max_size=4))
def test_the_classes_sum_to_the_wrong_answers(rows: list[tuple[str, str]]) -> None:
    traces = [trace(truth, said) for truth, said in rows]
    found = staleness(traces)
    assert found.wrong + found.unread == sum(row.right.count(False) for row in traces)
    assert found.age >= found.stale >= found.previous
