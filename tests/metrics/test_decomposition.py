from fractions import Fraction
from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.metrics.traces import trace

from supersede.metrics.decomposition import IntervalClass, classify, decompose, first_right, split
from supersede.model.stream import Trace


@pytest.mark.parametrize(
    ("right", "tau"), [("1", 1), ("011", 2), ("001", 3), ("000", 0), ("", 0), ("101", 1)]
)
def test_tau_is_the_place_of_the_first_right_answer(right: str, tau: int) -> None:
    assert first_right([mark == "1" for mark in right]) == tau


def test_the_row_of_o_033() -> None:
    # a = AAABBB, p = xAxxxx: late at 1, right at 2, distracted at 3, B missed.
    assert split(*_of("AAABBB", "xAxxxx")) == (1, 1, 1, 3)
    found = decompose([trace("AAABBB", "xAxxxx")])
    assert found.accuracy == found.al == found.ds == Fraction(1, 6) + 0.0
    assert found.pm == 0.5


def test_the_worked_example_of_o_034() -> None:
    # 65 intervals, five phases of 13, with lags 0, 3, 0, missed, 1.
    truth = "A" * 13 + "B" * 13 + "C" * 13 + "D" * 13 + "E" * 13
    said = "A" * 13 + "xxx" + "B" * 10 + "C" * 13 + "x" * 13 + "x" + "E" * 12
    found = decompose([trace(truth, said)])
    assert found.al == 4 / 65
    assert (found.ds, found.pm) == (0.0, 13 / 65)
    assert found.accuracy == 48 / 65


@pytest.mark.parametrize(
    ("truth", "said", "expected"),
    [
        ("AABB", "xxxx", (0, 0, 0, 4)),  # never right
        ("AABB", "AABB", (4, 0, 0, 0)),  # always right
        ("AAAA", "xAxx", (1, 1, 2, 0)),  # one lucky hit
        ("AAAA", "AAxx", (2, 0, 2, 0)),  # no change
        ("AAAAA", "AxAxA", (3, 0, 2, 0)),  # lost and regained
        ("ABA", "AAA", (2, 0, 0, 1)),  # frozen; the second A is a phase of its own
        ("AABB", "..BB", (2, 0, 0, 2)),  # nothing readable
        ("A", "x", (0, 0, 0, 1)),
        ("AAB", "xxA", (0, 0, 0, 3)),  # right too late is not right
    ],
)
def test_hand_counted_rows(truth: str, said: str, expected: tuple[int, ...]) -> None:
    assert split(*_of(truth, said)) == expected


def test_every_interval_has_its_class() -> None:
    right, late, distracted, missed = IntervalClass
    assert classify(*_of("AAABBBCC", "xAxBxBxx")) == (
        late,
        right,
        distracted,
        right,
        distracted,
        right,
        missed,
        missed,
    )


def test_questions_weigh_alike_however_long_they_are() -> None:
    # (1 + 0) / 2, where the share of all 12 intervals would be 2 / 12.
    found = decompose([trace("AA", "AA"), trace("AAAAAAAAAA", "xxxxxxxxxx")])
    assert (found.accuracy, found.pm, found.questions) == (0.5, 0.5, 2)


def test_no_question_is_undefined_and_not_zero() -> None:
    for rows in ([], [trace("", "")]):
        found = decompose(rows)
        assert isnan(found.accuracy)
        assert isnan(found.al)
        assert isnan(found.ds)
        assert isnan(found.pm)
        assert found.questions == 0


def test_phases_that_do_not_fit_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="phases of 3 intervals for 2 verdicts"):
        classify((1, 2), (True, False))


@st.composite
def matrices(draw: st.DrawFn) -> list[tuple[tuple[int, ...], tuple[bool, ...]]]:
    """Phases and verdicts of some questions."""
    rows = []
    for _ in range(draw(st.integers(1, 6))):
        phases = tuple(draw(st.lists(st.integers(1, 9), min_size=1, max_size=8)))
        size = sum(phases)
        right = draw(st.lists(st.booleans(), min_size=size, max_size=size))
        rows.append((phases, tuple(right)))
    return rows


def naive(phases: tuple[int, ...], right: tuple[bool, ...]) -> tuple[Fraction, ...]:
    """AL, DS and PM by the formulas as printed, in exact fractions."""
    al = ds = pm = 0
    begin = 0
    for size in phases:
        run = right[begin : begin + size]
        tau = run.index(True) + 1 if True in run else 0
        al += (tau - 1) * (tau > 0)
        ds += sum(not run[t - 1] for t in range(tau + 1, size + 1)) * (tau > 0)
        pm += size * (tau == 0)
        begin += size
    return Fraction(al, begin), Fraction(ds, begin), Fraction(pm, begin)


@given(matrices())
def test_the_identity_and_the_printed_formulas_hold(
    rows: list[tuple[tuple[int, ...], tuple[bool, ...]]],
) -> None:
    traces = [_judged(phases, right) for phases, right in rows]
    found = decompose(traces)
    assert abs(1 - found.accuracy - found.al - found.ds - found.pm) < 1e-12
    exact = [naive(phases, right) for phases, right in rows]
    means = [sum(part) / len(rows) for part in zip(*exact, strict=True)]
    assert [found.al, found.ds, found.pm] == pytest.approx([float(m) for m in means], abs=1e-12)
    for (phases, right), (al, ds, pm) in zip(rows, exact, strict=True):
        assert 1 - Fraction(sum(right), len(right)) == al + ds + pm
        assert split(phases, right).intervals == sum(phases)


def _of(truth: str, said: str) -> tuple[tuple[int, ...], tuple[bool, ...]]:
    made = trace(truth, said)
    return made.phases, made.right


def _judged(phases: tuple[int, ...], right: tuple[bool, ...]) -> Trace:
    truth = "".join("AB"[i % 2] * size for i, size in enumerate(phases))
    said = "".join(letter if hit else "x" for letter, hit in zip(truth, right, strict=True))
    return trace(truth, said)
