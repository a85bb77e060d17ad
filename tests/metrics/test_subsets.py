from collections import Counter
from itertools import combinations_with_replacement

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.metrics.traces import trace

from supersede.metrics.subsets import (
    BABI,
    NOVEL,
    Bins,
    Subset,
    balanced_bins,
    bins_for,
    by_subset,
    subset_of,
)
from supersede.model.stream import Stream, StreamQuestion

S, M, F = Subset


@pytest.mark.parametrize(
    ("bins", "expected"),
    [(BABI, [S, S, S, M, M, F, F]), (NOVEL, [S, S, S, M, F, F, F])],
)
def test_the_published_bins_count_phases(bins: Bins, expected: list[Subset]) -> None:
    assert [subset_of(phases, bins) for phases in (1, 2, 3, 4, 5, 6, 20)] == expected


def test_traces_fall_into_their_subsets() -> None:
    found = by_subset([trace("ab", "ab"), trace("abab", "abab")], BABI)
    assert {subset: len(rows) for subset, rows in found.items()} == {S: 1, M: 1, F: 0}


@pytest.mark.parametrize(
    ("counts", "bins"),
    [
        ({2: 10, 3: 10, 4: 10}, Bins(2, 3)),
        ({2: 1, 3: 9, 4: 10, 5: 5, 9: 5}, Bins(3, 4)),
        ({2: 30, 3: 1, 4: 1}, Bins(2, 3)),
        ({2: 5, 3: 5}, Bins(2, 2)),  # two counts: one subset stays empty
        ({4: 7}, Bins(4, 4)),
    ],
)
def test_balanced_bins_by_hand(counts: dict[int, int], bins: Bins) -> None:
    assert balanced_bins(Counter(counts).elements()) == bins


def test_no_question_has_no_bins() -> None:
    with pytest.raises(ValueError, match="no question"):
        balanced_bins([])


@given(st.lists(st.integers(1, 12), min_size=1, max_size=40))
def test_no_other_bins_are_more_even(phases: list[int]) -> None:
    def sizes(bins: Bins) -> int:
        found = Counter(subset_of(count, bins) for count in phases)
        return sum(n * n for n in found.values())

    best = sizes(balanced_bins(phases))
    ends = combinations_with_replacement(range(13), 2)
    assert best == min(sizes(Bins(low, high)) for low, high in ends)


def _stream(source: str, *questions: StreamQuestion) -> Stream:
    return Stream("s", ("",), questions, source)


def test_the_bins_follow_the_data() -> None:
    rows = tuple((letter,) for letter in "ababab")
    asked = StreamQuestion("q", "?", "k", rows)
    choice = StreamQuestion("q", "?", "k", rows, options=("a", "b"))
    assert bins_for([_stream("babi", asked)]) == BABI
    assert bins_for([_stream("novel", choice)]) == NOVEL
    assert bins_for([_stream("oaks", asked)]) == BABI
    assert bins_for([_stream("oaks", choice)]) == NOVEL
    assert bins_for([_stream("world", asked)]) == Bins(6, 6)
    assert bins_for([]) == BABI
