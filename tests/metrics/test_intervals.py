from math import isnan, nan, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supersede.metrics.intervals import Observation, clustered_mean, student_t


@pytest.mark.parametrize(
    ("level", "freedom", "expected"),
    [  # from printed tables of the t distribution, two-sided
        (0.95, 1, 12.706),
        (0.95, 2, 4.303),
        (0.95, 3, 3.182),
        (0.95, 11, 2.201),
        (0.95, 30, 2.042),
        (0.99, 4, 4.604),
        (0.90, 7, 1.895),
    ],
)
def test_quantiles_are_those_of_printed_tables(level: float, freedom: int, expected: float) -> None:
    assert student_t(level, freedom) == pytest.approx(expected, abs=5e-4)


def test_impossible_quantiles_are_refused() -> None:
    with pytest.raises(ValueError, match="out of range"):
        student_t(1.0, 3)
    with pytest.raises(ValueError, match="out of range"):
        student_t(0.95, 0)


def test_an_interval_by_hand() -> None:
    # Clusters p: 1, 1; q: 0, 0; r: 1, 0. Mean 3 / 6 = 0.5.
    # u_p = (0.5 + 0.5) / 6 = 1/6, u_q = -1/6, u_r = 0. SE^2 = 3/2 * 2/36 = 1/12.
    rows = [("p", 1.0), ("p", 1.0), ("q", 0.0), ("q", 0.0), ("r", 1.0), ("r", 0.0)]
    found = clustered_mean({"only": rows}, level=0.5)
    reach = student_t(0.5, 2) * sqrt(1 / 12)
    assert found.value == 0.5
    assert found.low == pytest.approx(0.5 - reach)
    assert found.high == pytest.approx(0.5 + reach)
    assert found.clusters == 3


def test_the_overall_value_weighs_strata_alike_whatever_their_size() -> None:
    # (3/3 + 0/1) / 2, where the plain mean would be 3/4.
    strata = {"easy": [("p", 1.0), ("q", 1.0), ("r", 1.0)], "hard": [("p", 0.0)]}
    assert clustered_mean(strata).value == 0.5


def test_clusters_that_cross_strata_are_seen_as_one() -> None:
    # u_p = (0.5 + 0.5) / 2 / 2 = 1/4 over both strata, u_q = -1/4. SE^2 = 2 * 2/16 = 1/4.
    # As four clusters it would be u = 1/8 each: SE^2 = 4/3 * 4/64 = 1/12.
    strata = {t: [("p", 1.0), ("q", 0.0)] for t in ("short", "long")}
    found = clustered_mean(strata, level=0.2)
    assert found.high - found.value == pytest.approx(student_t(0.2, 1) * 0.5)


def test_repeating_a_cluster_does_not_narrow_the_interval() -> None:
    once = clustered_mean({"t": [("p", 1.0), ("q", 0.0), ("r", 1.0)]}, level=0.5)
    often = clustered_mean({"t": [("p", 1.0), ("q", 0.0), ("r", 1.0)] * 50}, level=0.5)
    assert often.low == pytest.approx(once.low)
    assert often.high == pytest.approx(once.high)


def test_never_right_in_twelve_clusters_is_not_certainty() -> None:
    # Exact binomial for 0 of 12: 1 - 0.025^(1/12).
    found = clustered_mean({"t": [(str(i), 0.0) for i in range(12)]})
    assert (found.value, found.low) == (0.0, 0.0)
    assert found.high == pytest.approx(0.26465, abs=1e-5)


def test_always_right_is_the_mirror_image() -> None:
    found = clustered_mean({"t": [(str(i), 1.0) for i in range(12)]})
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(1 - 0.26465, abs=1e-5)


def test_one_cluster_has_a_mean_and_no_interval() -> None:
    found = clustered_mean({"t": [("p", 1.0), ("p", 0.0)]})
    assert found.value == 0.5
    assert isnan(found.low)
    assert isnan(found.high)


def test_undefined_observations_are_left_out_and_counted() -> None:
    found = clustered_mean({"t": [("p", 1.0), ("q", nan)]})
    assert (found.value, found.clusters, found.undefined) == (1.0, 1, 1)


def test_nothing_has_no_mean() -> None:
    empty: list[dict[str, list[Observation]]] = [{}, {"t": []}, {"t": [("p", nan)]}]
    for strata in empty:
        assert isnan(clustered_mean(strata).value)


@given(
    st.lists(
        st.tuples(st.sampled_from("pqrs"), st.sampled_from([0.0, 0.2, 0.5, 1.0])),
        min_size=2,
        max_size=20,
    )
)
def test_an_interval_holds_its_mean_and_stays_in_bounds(rows: list[Observation]) -> None:
    found = clustered_mean({"t": rows})
    if found.clusters > 1:
        assert 0 <= found.low <= found.value + 1e-12
        assert found.value - 1e-12 <= found.high <= 1
