from collections.abc import Mapping
from itertools import product
from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.metrics.traces import trace

from supersede.metrics.archetypes import (
    Archetype,
    Behaviour,
    Bias,
    archetype,
    behaviour,
    label_intervals,
)
from supersede.model.stream import Reply, Trace

A = Archetype


@pytest.mark.parametrize(
    ("truth", "said", "expected"),
    [  # O-044 to O-051
        ("xy", "xy", A.ADAPTABILITY),
        ("xy", "xz", A.MALADAPTATION),
        ("xy", "yy", A.PRESCIENCE),
        ("xy", "xx", A.STUBBORNNESS),
        ("yy", "xy", A.LAG),
        ("yy", "yx", A.VOLATILITY),
        ("yy", "yy", A.STABILITY),
        ("yy", "xx", A.OBSTINACY),
    ],
)
def test_each_archetype_has_its_case(truth: str, said: str, expected: Archetype) -> None:
    assert label_intervals(trace(truth, said)) == (None, expected)


def test_the_eight_combinations_are_the_eight_archetypes() -> None:
    assert {archetype(*bits) for bits in product((True, False), repeat=3)} == set(A)


def test_no_answer_is_an_answer_of_its_own() -> None:
    assert label_intervals(trace("yyyz", "y..."))[1:] == (A.VOLATILITY, A.OBSTINACY, A.STUBBORNNESS)
    assert label_intervals(trace("yy", ".y"))[1:] == (A.LAG,)


def test_two_accepted_answers_of_one_phase_are_one_answer() -> None:
    both = Trace(
        "d",
        "q",
        "counting",
        (2, 1),
        ("unknown", "unknown", "1"),
        ("0", "unknown", "1"),
        (True, True, True),
        (Reply.ANSWERED,) * 3,
    )
    assert label_intervals(both)[1:] == (A.STABILITY, A.ADAPTABILITY)


def test_the_same_value_in_two_phases_that_both_accept_it_is_prescience() -> None:
    assert label_intervals(trace("xyx", "xxx"))[1:] == (A.STUBBORNNESS, A.PRESCIENCE)


def test_rates_are_shares_inside_each_scenario() -> None:
    # Changes at 2 and 4: adapts, stubborn. Stays at 1, 3, 5: stable, volatile, lag.
    found = behaviour([trace("xxyyzz", "xxyayz")])
    assert (found.change_intervals, found.stay_intervals, found.first) == (2, 3, 1)
    assert found.rates[A.ADAPTABILITY] == 1 / 2
    assert found.rates[A.MALADAPTATION] == 1 / 2
    assert found.rates[A.STABILITY] == found.rates[A.VOLATILITY] == found.rates[A.LAG] == 1 / 3


@pytest.mark.parametrize(
    ("said", "bias"),
    [
        ("xxyyzz", Bias.BALANCED),  # always right
        ("xxxxxx", Bias.UNDER_UPDATER),
        ("abcabc", Bias.OVER_UPDATER),
    ],
)
def test_the_bias_is_which_of_the_two_rates_is_larger(said: str, bias: Bias) -> None:
    assert behaviour([trace("xxyyzz", said)]).bias is bias


def test_a_truth_that_never_changes_leaves_that_scenario_undefined() -> None:
    found = behaviour([trace("xxx", "xxx")])
    assert isnan(found.rates[A.ADAPTABILITY])
    assert found.rates[A.STABILITY] == 1
    assert isnan(found.change_rate)
    assert found.bias is Bias.UNDEFINED


def test_nothing_is_undefined_throughout() -> None:
    found = behaviour([])
    assert all(map(isnan, found.rates.values()))
    assert set(found.counts.values()) == {0}
    assert found.bias is Bias.UNDEFINED


def test_the_stated_averages_are_means_over_four_archetypes() -> None:
    # C-007: sums 124.8 and 75.2, 91.2 and 108.8 over both scenarios of 100 each.
    rates = dict(zip(A, [0.381, 0.255, 0.062, 0.302, 0.1, 0.288, 0.369, 0.243], strict=True))
    found = Behaviour(dict.fromkeys(A, 1), rates, 0)
    assert found.correct_transitions == pytest.approx(1.248 / 4)
    assert found.correct_answers == pytest.approx(0.912 / 4)
    assert found.change_rate == pytest.approx((0.381 + 0.255 + 0.1 + 0.288) / 2)
    assert found.stay_rate == pytest.approx(1 - found.change_rate)


words = st.integers(2, 12).flatmap(
    lambda n: st.tuples(*[st.text("xyz", min_size=n, max_size=n) for _ in range(2)])
)


@given(st.lists(words, min_size=1, max_size=5))
def test_each_scenario_sums_to_one(rows: list[tuple[str, str]]) -> None:
    found = behaviour([trace(truth, said) for truth, said in rows])
    kinds = list(A)
    for scenario, size in (
        (kinds[:4], found.change_intervals),
        (kinds[4:], found.stay_intervals),
    ):
        rates: Mapping[Archetype, float] = {kind: found.rates[kind] for kind in scenario}
        total = sum(rates.values())
        assert total == pytest.approx(1) if size else isnan(total)
    assert sum(found.counts.values()) + found.first == sum(len(truth) for truth, _ in rows)
