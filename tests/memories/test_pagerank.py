"""Personalised PageRank is what networkx says, for each column, whatever stands beside it."""

from __future__ import annotations

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_array

from supersede.memories.pagerank import pagerank

Case = tuple[NDArray[np.float64], NDArray[np.float64], float]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A weighted graph, with some nodes without edges as a rule, starts and a damping."""
    nodes = draw(st.integers(1, 14))
    columns = draw(st.integers(1, 4))
    weight = st.one_of(st.just(0.0), st.floats(0.001, 50))
    upper = np.zeros((nodes, nodes))
    for row in range(nodes):
        for column in range(row + 1, nodes):
            upper[row, column] = draw(weight)
    resets = np.array(
        draw(st.lists(st.lists(weight, min_size=nodes, max_size=nodes), min_size=columns,
                      max_size=columns))
    ).T  # fmt: skip
    resets[draw(st.integers(0, nodes - 1))] += 1
    return upper + upper.T, resets, draw(st.sampled_from((0.0, 0.15, 0.5, 0.85)))


def by_networkx(
    weights: NDArray[np.float64], reset: NDArray[np.float64], damping: float
) -> list[float]:
    """What networkx gives; what dangles goes back to where the walk began, its default."""
    graph = networkx.from_numpy_array(weights)
    start = dict(enumerate(reset.tolist()))
    ranks = networkx.pagerank(graph, damping, start, max_iter=2_000, tol=1e-14 / len(start))
    return [ranks[node] for node in range(len(start))]


@settings(max_examples=80, deadline=None)
@given(cases())
def test_it_agrees_with_networkx(case: Case) -> None:
    weights, resets, damping = case
    found = pagerank(csr_array(weights), resets, damping)
    assert found.shape == resets.shape
    for column in range(resets.shape[1]):
        expected = by_networkx(weights, resets[:, column], damping)
        assert np.abs(found[:, column] - expected).max() < 1e-9


@settings(max_examples=40, deadline=None)
@given(cases())
def test_no_mass_is_lost_and_none_is_below_zero(case: Case) -> None:
    found = pagerank(csr_array(case[0]), case[1], case[2])
    assert found.min() >= 0
    assert np.abs(found.sum(axis=0) - 1).max() < 1e-12


@settings(max_examples=40, deadline=None)
@given(cases())
def test_it_solves_the_equation(case: Case) -> None:
    """x = d(Px + mass at dead ends * r) + (1 - d)r, whose error is known beforehand."""
    weights, resets, damping = case
    found = pagerank(csr_array(weights), resets, damping)
    starts = resets / resets.sum(axis=0)
    degrees = weights.sum(axis=0)
    steps = weights / np.where(degrees == 0, 1, degrees)
    stuck = found[degrees == 0].sum(axis=0)
    again = damping * (steps @ found + stuck * starts) + (1 - damping) * starts
    assert np.abs(again - found).sum(axis=0).max() < 1e-13


def test_dead_ends_lead_back_to_the_start_and_nowhere_else() -> None:
    """Two nodes with an edge, one without: a walk that begins at the lone node stays there."""
    weights = csr_array(np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0.0]]))
    found = pagerank(weights, np.array([[0, 0.5], [0, 0], [1, 0.5]]))
    assert found[:, 0].tolist() == [0, 0, 1]
    # From the lone node half of the mass starts anew each time, half of that at node 0.
    assert np.allclose(found[:, 1], by_networkx(weights.toarray(), np.array([0.5, 0, 0.5]), 0.5))


def test_a_walk_of_hand_size() -> None:
    """Two nodes, start at the first: a = 1/2 b + 1/2, b = 1/2 a, so 2/3 and 1/3."""
    found = pagerank(csr_array(np.array([[0, 3.0], [3.0, 0]])), np.array([[1.0], [0.0]]))
    assert np.abs(found[:, 0] - [2 / 3, 1 / 3]).max() < 1e-15


def test_a_column_is_the_same_alone_and_among_others() -> None:
    draw = np.random.default_rng(5)
    weights = np.triu(draw.random((60, 60)) * (draw.random((60, 60)) < 0.1), 1)
    graph = csr_array(weights + weights.T)
    resets = draw.random((60, 30))
    together = pagerank(graph, resets)
    for column in range(30):
        alone = pagerank(graph, resets[:, [column]])[:, 0]
        assert np.abs(alone - together[:, column]).max() < 1e-16


def test_a_walk_that_begins_nowhere_is_refused() -> None:
    weights = csr_array(np.array([[0, 1.0], [1.0, 0]]))
    with pytest.raises(ValueError, match="column 1 of the resets"):
        pagerank(weights, np.array([[1.0, 0.0], [0.0, 0.0]]))
    with pytest.raises(ValueError, match="damping=1"):
        pagerank(weights, np.array([[1.0], [0.0]]), 1)
