"""From vectors and kept facts to an order of passages, for all questions at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from supersede.memories.hipporag_graph import PhraseGraph, Triple
from supersede.memories.pagerank import pagerank

Scores = NDArray[np.float64]

DAMPING = 0.5
LINKED = 5
"""Facts that a question is linked to, and phrases that its walk begins at; at most."""
PASSAGE_WEIGHT = 0.05
"""Share of its likeness with the question by which a passage is a beginning too."""
_COSINE_DIGITS = 5
"""What is alike to so many decimals is equal: single precision tells no more."""
_RANK_DIGITS = 12


def cosines(found: Scores) -> Scores:
    """Cosines in as many decimals as mean something."""
    rounded: Scores = found.round(_COSINE_DIGITS)
    return rounded


def scaled(row: Scores, places: Sequence[int] | None = None) -> Scores:
    """Numbers as shares of the way from the least, 0, to the most, 1; all 1 where they are equal.

    Args:
        row: The numbers.
        places: Which of them to give; left out, all.
    """
    wanted: Scores = row if places is None else row[list(places)]
    if not len(wanted):
        return wanted
    least, most = row.min(), row.max()
    shares: Scores = (wanted - least) / (most - least) if most > least else np.ones_like(wanted)
    return shares


def phrase_seeds(
    graph: PhraseGraph, facts: Sequence[Triple], scores: Sequence[float] | Scores
) -> dict[int, float]:
    """Phrases that a walk begins at, and how often.

    Subject and object of a fact get its score, less the more passages tell of them; a phrase of
    several facts gets the mean.

    Args:
        graph: The graph that has the facts.
        facts: Those that the model kept.
        scores: How well each goes with the question, 0 to 1.
    """
    got: dict[int, list[float]] = {}
    for fact, score in zip(facts, scores, strict=True):
        for phrase in graph.ends(fact):
            got.setdefault(phrase, []).append(score / graph.mentions[phrase])
    means = {phrase: sum(each) / len(each) for phrase, each in got.items()}
    first = sorted(means, key=lambda phrase: (means[phrase], phrase), reverse=True)[:LINKED]
    return {phrase: means[phrase] for phrase in first if means[phrase] > 0}


def walked(
    graph: PhraseGraph, seeds: Sequence[dict[int, float]], likeness: Sequence[Scores]
) -> list[Scores]:
    """How much time a walk spends at each passage, for each question.

    Args:
        graph: The graph.
        seeds: For each question phrases and how often a walk begins there.
        likeness: For each question the cosine of each passage with it.
    """
    if not seeds:
        return []
    resets = np.zeros((len(graph), len(seeds)))
    passages = np.array(graph.passages, dtype=np.int64)
    for column, (begins, row) in enumerate(zip(seeds, likeness, strict=True)):
        resets[passages, column] = PASSAGE_WEIGHT * scaled(row)
        for phrase, weight in begins.items():
            resets[graph.nodes[phrase], column] = weight
    ranks = pagerank(graph.matrix(), resets, DAMPING)[passages]
    return list(np.round(ranks, _RANK_DIGITS).T)
