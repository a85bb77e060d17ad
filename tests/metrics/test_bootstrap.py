from math import isnan

import pytest

from supersede.metrics.bootstrap import Interval, Part, bootstrap_ratios, ratio
from supersede.metrics.intervals import clustered_mean

TWELVE = [Part(f"d{i}", (i % 4) / 4 + 0.05 * (j % 3), 1.0) for i in range(12) for j in range(9)]


def test_a_ratio_is_of_sums_and_not_a_mean_of_ratios() -> None:
    assert ratio([Part("a", 1, 1), Part("b", 0, 9)]) == 0.1
    assert isnan(ratio([Part("a", 0, 0)]))
    assert isnan(ratio([]))


def test_the_interval_is_near_that_of_the_formula() -> None:
    # The normal quantile is 11 % below that of t with 11 degrees, so the bootstrap is narrower.
    found = bootstrap_ratios({"m": TWELVE})["m"]
    formula = clustered_mean({"": [(part.cluster, part.numerator) for part in TWELVE]})
    assert 0.75 < (found.high - found.low) / (formula.high - formula.low) < 1
    assert found.low < formula.value < found.high


def test_same_seed_same_interval() -> None:
    one = bootstrap_ratios({"m": TWELVE}, 500)
    assert one == bootstrap_ratios({"m": TWELVE}, 500)
    assert one != bootstrap_ratios({"m": TWELVE}, 500, seed="other")


def test_ratios_share_their_resamples() -> None:
    mirror = [Part(c, d - n, d) for c, n, d in TWELVE]
    found = bootstrap_ratios({"m": TWELVE, "w": mirror}, 500)
    assert found["w"].low == pytest.approx(1 - found["m"].high)
    assert found["w"].high == pytest.approx(1 - found["m"].low)


def test_two_documents_by_hand() -> None:
    # Four equally likely draws: 0, 1/2 twice, 1. The middle half is 1/2 but for its ends.
    found = bootstrap_ratios({"m": [Part("a", 0, 1), Part("b", 1, 1)]}, 4000, level=0.4)
    assert found["m"] == Interval(0.5, 0.5)
    wide = bootstrap_ratios({"m": [Part("a", 0, 1), Part("b", 1, 1)]}, 4000)
    assert wide["m"] == Interval(0.0, 1.0)


def test_one_document_has_no_interval() -> None:
    parts = {"m": [Part("a", 1, 2)], "empty": []}
    assert all(isnan(end) for found in bootstrap_ratios(parts).values() for end in found)
    only_one = {"m": TWELVE, "few": [Part("d1", 1, 2), Part("d2", 0, 0)]}
    found = bootstrap_ratios(only_one, 100)
    assert isnan(found["few"].low)
    assert found["m"].low < found["m"].high
