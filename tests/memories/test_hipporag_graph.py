"""The graph of `hipporag` is the same however its passages came."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supersede.memories import hipporag_graph
from supersede.memories.hipporag_graph import ALIKE, PhraseGraph, Triple
from supersede.memories.retrieval.embedder import HashingEmbedder, Vectors

Passages = list[list[Triple]]
Edges = dict[tuple[str, str | int], float]

_WORDS = st.sampled_from(("red", "key", "old", "mill", "x", "李"))
_PHRASES = st.lists(_WORDS, min_size=1, max_size=5).map(" ".join)
_TRIPLES = st.builds(Triple, _PHRASES, st.sampled_from(("has", "is in")), _PHRASES)
_PASSAGES = st.lists(st.lists(_TRIPLES, max_size=4), min_size=1, max_size=6)


def vectors(phrases: Sequence[str]) -> Vectors:
    """Hashed words; a loop for each of some thousand calls would be what takes the time."""
    hashing = HashingEmbedder(64).embed(phrases, "passage")
    try:
        hashing.send(None)
    except StopIteration as done:
        rows: Vectors = done.value
        return rows
    raise AssertionError("hashing waits for nothing")


def one_by_one(passages: Passages) -> PhraseGraph:
    graph = PhraseGraph()
    for triples in passages:
        graph.add(triples, vectors(graph.new_phrases(triples)))
    return graph


def all_at_once(passages: Passages) -> Edges:
    """The weights straight from what they mean: everything with everything."""
    phrases = sorted({end for row in passages for one in row for end in (one.subject, one.object)})
    rows = vectors(phrases).astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    rows /= np.where(lengths == 0, 1, lengths)
    cosines = (rows @ rows.T).round(5)
    joined = Counter(frozenset((one.subject, one.object)) for row in passages for one in row)
    near: dict[str, list[str]] = {}
    for n, phrase in enumerate(phrases):
        alike = [m for m in range(len(phrases)) if m != n and cosines[n, m] >= ALIKE]
        alike.sort(key=lambda m, n=n: (-cosines[n, m], phrases[m]))  # type: ignore[misc]
        letters = sum(map(str.isalnum, phrase))
        near[phrase] = [phrases[m] for m in alike if letters > 2][: hipporag_graph.NEAREST]

    def side(n: int, m: int) -> float:
        there = phrases[m] in near[phrases[n]]
        return float(cosines[n, m]) if there else joined[frozenset((phrases[n], phrases[m]))]

    found: Edges = {}
    for n, one in enumerate(phrases):
        for m in range(n + 1, len(phrases)):
            if weight := side(n, m) + side(m, n):
                found[one, phrases[m]] = weight
        for index, row in enumerate(passages):
            if any(one in (each.subject, each.object) for each in row):
                found[one, index] = 1.0
    return found


def assert_same(one: Edges, other: Edges) -> None:
    assert one.keys() == other.keys()
    for ends, weight in one.items():
        assert weight == pytest.approx(other[ends], abs=5e-5), ends


@settings(max_examples=50, deadline=None)
@given(_PASSAGES)
def test_passages_one_by_one_give_what_all_at_once_give(passages: Passages) -> None:
    for count in range(1, len(passages) + 1):
        assert_same(one_by_one(passages[:count]).edges(), all_at_once(passages[:count]))


@settings(max_examples=50, deadline=None)
@given(_PASSAGES, st.randoms(use_true_random=False), st.sampled_from((1, 2, 100)))
def test_weights_do_not_depend_on_the_order_of_arrival(
    passages: Passages, order: object, nearest: int
) -> None:
    """To the bit, and where a phrase has more like it than it may keep too."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(hipporag_graph, "NEAREST", nearest)
        places = list(range(len(passages)))
        order.shuffle(places)  # type: ignore[attr-defined] # hypothesis's own generator
        shuffled = one_by_one([passages[n] for n in places]).edges()
        renamed = {
            (one, places[other] if isinstance(other, int) else other): weight
            for (one, other), weight in shuffled.items()
        }
        assert renamed == one_by_one(passages).edges()
        assert_same(renamed, all_at_once(passages))


@settings(max_examples=40, deadline=None)
@given(_PASSAGES)
def test_the_matrix_is_the_edges_both_ways(passages: Passages) -> None:
    graph = one_by_one(passages)
    matrix = graph.matrix().toarray()
    assert matrix.shape == (len(graph), len(graph))
    assert (matrix == matrix.T).all()
    assert not matrix.diagonal().any()
    edges = graph.edges()
    assert graph.size == len(edges)
    for (one, other), weight in edges.items():
        node = (
            graph.passages[other] if isinstance(other, int) else graph.nodes[graph.phrases[other]]
        )
        assert matrix[graph.nodes[graph.phrases[one]], node] == weight
    assert matrix.sum() == pytest.approx(2 * sum(edges.values()))


def test_weights_are_the_published_ones_added_in_both_directions() -> None:
    """Fact 2 for each triple, passage 1, alike 2 cosines, which replace what facts give (1.2)."""
    alike = Triple("old red mill key", "is like", "old red mill key chest")  # cosine 4 / sqrt(20)
    moved = Triple("red", "is in", "mill")
    edges = one_by_one([[moved, alike], [moved, moved]]).edges()
    assert edges["mill", "red"] == 6
    assert edges["mill", 0] == edges["mill", 1] == edges["red", 1] == 1
    assert edges["old red mill key", "old red mill key chest"] == pytest.approx(
        2 * 4 / 20**0.5, abs=1e-6
    )


def test_a_triple_of_one_phrase_makes_no_loop_but_a_phrase() -> None:
    graph = one_by_one([[Triple("red", "is", "red")]])
    assert graph.edges() == {("red", 0): 1.0}
    assert graph.mentions == [1]


def test_a_passage_without_triples_is_a_node_without_edges() -> None:
    graph = one_by_one([[], [Triple("red", "is in", "mill")], []])
    assert len(graph) == 5
    assert graph.matrix().toarray()[0].tolist() == [0] * 5


def test_oldest_and_newest_fact_weigh_the_same() -> None:
    """The published code added the facts of all old passages with each new one: 8, 6, 4, 2."""
    rooms = ("kitchen", "garden", "office", "bathroom")
    graph = PhraseGraph()
    seen: list[list[float]] = []
    for room in rooms:
        triples = [Triple("sandra", "went to", room)]
        graph.add(triples, vectors(graph.new_phrases(triples)))
        edges = graph.edges()
        seen.append([edges[room, "sandra"] for room in rooms[: len(seen) + 1]])
    assert seen == [[2], [2, 2], [2, 2, 2], [2, 2, 2, 2]]


def test_likeness_is_not_added_again_with_each_passage() -> None:
    """In the published code it weighed 8 instead of 2 after four passages."""
    pair = [Triple("old red mill key", "is", "x"), Triple("old red mill key chest", "is", "x")]
    passages = [pair, [], [Triple("old", "has", "red")], pair]
    graphs = [one_by_one(passages[:count]).edges() for count in range(1, 5)]
    weights = [edges["old red mill key", "old red mill key chest"] for edges in graphs]
    assert weights == [weights[0]] * 4
    assert weights[0] < 2


def test_only_new_phrases_are_compared() -> None:
    """The published code searched all by all each time; here rows of a product are the new ones."""
    graph = PhraseGraph()
    compared: list[int] = []
    cosines = graph.vectors.cosines

    def counted(queries: Vectors) -> Vectors:
        compared.append(len(queries))
        return cosines(queries)

    graph.vectors.cosines = counted  # type: ignore[method-assign] # to count
    for room in ("hall", "mill", "attic", "cellar"):
        triples = [Triple("red", "is in", room)]
        graph.add(triples, vectors(graph.new_phrases(triples)))
    graph.add([Triple("red", "is in", "mill")], vectors([]))
    assert compared == [2, 1, 1, 1]
