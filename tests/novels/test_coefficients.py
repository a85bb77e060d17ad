"""Coefficients of agreement: published worked examples, naive definitions, other libraries."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from itertools import permutations
from math import isnan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supersede.novels.coefficients import (
    Disagreement,
    alpha,
    cohen,
    fleiss,
    jaccard,
    masi,
    nominal,
    total,
)

# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), sections A to C
MEG = "0100000010"
OWEN = "1110010000"
BEN = "aabbdcccedda"
GERRY = "babbbccceddd"
OBSERVERS = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")


def columns(*raters: str) -> list[str]:
    """What was said of each unit, missing values left out."""
    assert len({len(rater) for rater in raters}) == 1
    return ["".join(unit).replace(".", "") for unit in zip(*raters, strict=True)]


@pytest.mark.parametrize(
    ("raters", "value"),
    [
        # A: 1 - 19 * 4 / (14 * 6)
        ((MEG, OWEN), 0.0952),
        # B: the coincidences off the diagonal are 6 of 24; 1 - 23 * 6 / (24^2 - 128) = 1 - 138/448
        ((BEN, GERRY), 0.6920),
        # C: four observers, of whom some say nothing
        (OBSERVERS, 0.7434),
    ],
    ids=["binary", "nominal", "missing"],
)
def test_alpha_is_that_of_the_published_examples(raters: Sequence[str], value: float) -> None:
    assert round(alpha(columns(*raters)).coefficient, 4) == value


# Fleiss, "Measuring nominal scale agreement among many raters" (1971), table 1: six psychiatrists
# assign each of 30 patients to one of five kinds of disorder
FLEISS_1971 = """
00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031 00501
30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006
"""
# The usual example of 14 raters, ten subjects and five categories
FOURTEEN = [
    (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
]  # fmt: skip


def spread(counts: Sequence[int]) -> list[int]:
    """The ratings that some counts by category stand for."""
    return [category for category, n in enumerate(counts) for _ in range(n)]


@pytest.mark.parametrize(
    ("table", "value"),
    [([tuple(map(int, row)) for row in FLEISS_1971.split()], 0.430), (FOURTEEN, 0.210)],
    ids=["1971", "14-raters"],
)
def test_fleiss_kappa_is_that_of_the_published_examples(
    table: list[tuple[int, ...]], value: float
) -> None:
    assert len(table) in (10, 30)
    assert round(fleiss(map(spread, table)).coefficient, 3) == value


def test_fleiss_kappa_of_the_usual_example_to_four_digits() -> None:
    # P-bar 0.378022, P-e 0.212755: 0.165267 / 0.787245
    assert round(fleiss(map(spread, FOURTEEN)).coefficient, 4) == 0.2099


@pytest.mark.parametrize(
    ("table", "value"),
    [
        # Cohen, "Weighted kappa" (1968), table 1 of 200: observed 0.70, by chance 0.41
        ([(88, 14, 18), (10, 40, 10), (2, 6, 12)], 0.4915),
        # Fleiss, "Statistical methods for rates and proportions" (1981), table 13.1
        ([(75, 1, 4), (5, 4, 1), (0, 0, 10)], 0.6765),
        # Observed 0.70, by chance 0.50
        ([(20, 5), (10, 15)], 0.4000),
        # The two with the same observed agreement and other margins
        ([(45, 15), (25, 15)], 0.1304),
        ([(25, 35), (5, 35)], 0.2593),
    ],
)
def test_cohens_kappa_is_that_of_the_published_examples(
    table: list[tuple[int, ...]], value: float
) -> None:
    pairs = [(i, j) for i, row in enumerate(table) for j, n in enumerate(row) for _ in range(n)]
    assert round(cohen(pairs).coefficient, 4) == value


@pytest.mark.parametrize(
    ("one", "other", "by_jaccard", "by_masi"),
    [
        ({1, 2}, {1, 2}, 0.0, 0.0),
        ({1, 2}, {3}, 1.0, 1.0),
        ({1, 2}, {1, 2, 3, 4}, 1 / 2, 1 - 2 / 3 * 1 / 2),
        ({1, 2, 3}, {2, 3, 4}, 1 / 2, 1 - 1 / 3 * 1 / 2),
        (set(), set(), 0.0, 0.0),
        (set(), {1}, 1.0, 1.0),
    ],
)
def test_distances_of_sets(
    one: set[int], other: set[int], by_jaccard: float, by_masi: float
) -> None:
    for distance, wanted in ((jaccard, by_jaccard), (masi, by_masi)):
        assert distance(one, other) == pytest.approx(wanted)
        assert distance(other, one) == distance(one, other)


def naive_alpha(
    units: Sequence[Sequence[object]], distance: Callable[..., float]
) -> tuple[float, float]:
    """Observed and expected disagreement straight from the definition, pair by pair."""
    units = [unit for unit in units if len(unit) > 1]
    every = [value for unit in units for value in unit]
    n = len(every)
    observed = sum(
        sum(distance(a, b) for a, b in permutations(unit, 2)) / (len(unit) - 1) for unit in units
    )
    expected = sum(distance(a, b) for a, b in permutations(every, 2)) / (n - 1) if n > 1 else 0.0
    return observed, expected


labels = st.sampled_from("abcd")
some = st.lists(st.lists(labels, min_size=0, max_size=4), max_size=12)


@given(some)
def test_alpha_of_labels_is_its_definition(units: list[list[str]]) -> None:
    assert alpha(units) == pytest.approx(naive_alpha(units, nominal))


@given(st.lists(st.lists(st.frozensets(st.integers(0, 4)), max_size=3), max_size=8))
def test_alpha_of_sets_is_its_definition(units: list[list[frozenset[int]]]) -> None:
    for distance in (jaccard, masi):
        assert alpha(units, distance) == pytest.approx(naive_alpha(units, distance))


@settings(deadline=None)  # loading the other library takes long
@given(some)
def test_alpha_of_labels_is_that_of_inspect(units: list[list[str]]) -> None:
    scorer = pytest.importorskip("inspect_ai.scorer")
    compared = [unit for unit in units if len(unit) > 1]  # it warns of the others
    theirs = scorer.krippendorff_alpha()(
        [scorer.SampleScore(score=scorer.Score(value=unit)) for unit in compared]
    )
    if len({label for unit in compared for label in unit}) > 1:
        assert alpha(units).coefficient == pytest.approx(theirs)
    else:
        assert isnan(alpha(units).coefficient)  # where theirs is 1 by convention


@given(st.lists(st.lists(labels, min_size=3, max_size=3), min_size=1, max_size=12))
def test_alpha_is_fleiss_kappa_but_for_small_samples(units: list[list[str]]) -> None:
    by_alpha, by_fleiss = alpha(units).coefficient, fleiss(units).coefficient
    if isnan(by_fleiss):
        assert isnan(by_alpha)
    else:
        n = 3 * len(units)
        assert by_alpha == pytest.approx(1 - (1 - by_fleiss) * (n - 1) / n)


@settings(deadline=None)  # loading the other library takes long
@given(st.lists(st.tuples(labels, labels), min_size=1, max_size=30))
def test_cohens_kappa_is_that_of_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    ours = cohen(pairs).coefficient
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of what is undefined
        theirs = metrics.cohen_kappa_score(*zip(*pairs, strict=True))
    assert ours == pytest.approx(theirs, nan_ok=True)


@settings(deadline=None)
@given(st.lists(st.lists(labels, min_size=4, max_size=4), min_size=2, max_size=20))
def test_fleiss_kappa_is_that_of_statsmodels(units: list[list[str]]) -> None:
    rater = pytest.importorskip("statsmodels.stats.inter_rater")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = rater.fleiss_kappa(rater.aggregate_raters(units)[0])
    assert fleiss(units).coefficient == pytest.approx(float(theirs), nan_ok=True)


def test_nothing_to_tell_apart_is_undefined_and_not_perfect() -> None:
    for part in (alpha([]), alpha(["a", "b"]), alpha(["aa", "aa"]), cohen([]), fleiss([])):
        assert isnan(part.coefficient)


def test_chance_is_reckoned_inside_each_question() -> None:
    # Two questions whose labels have nothing to do with each other. In each, two raters agree as
    # chance has it (kappa 0); pooled as if "a" and "c" could have been mixed up it would be 1/3.
    first = [("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")]
    second = [("c", "c"), ("c", "d"), ("d", "c"), ("d", "d")]
    assert total([cohen(first), cohen(second)]).coefficient == 0
    assert cohen(first + second).coefficient == pytest.approx(1 / 3)
    assert total([]) == Disagreement(0.0, 0.0)


def test_fleiss_kappa_refuses_other_numbers_of_raters() -> None:
    for units in (["aa", "a"], ["a", "b"]):
        with pytest.raises(ValueError, match="as many for each unit"):
            fleiss(units)
