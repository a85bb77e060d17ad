"""Cosines of questions with texts: worked out once each, the same in whatever order all comes."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from supersede.memories import hipporag_vectors
from supersede.memories.hipporag_rank import Scores
from supersede.memories.hipporag_vectors import Likeness
from supersede.memories.retrieval.embedder import Vectors
from supersede.memories.vectors import VectorTable

QUESTIONS, TEXTS = (
    np.random.default_rng(seed).normal(size=(number, 24)).astype(np.float32)
    for seed, number in ((1, 7), (2, 40))
)


def read(steps: list[tuple[int, int]]) -> Scores:
    """Cosines after questions and texts came in some steps, looked at after each."""
    questions, texts = VectorTable(), VectorTable()
    likeness = Likeness(questions, texts)
    for asked, told in steps:
        questions.add(QUESTIONS[len(questions) : asked])
        texts.add(TEXTS[len(texts) : told])
        found = likeness.of(range(asked))
        assert found.shape == (asked, told)
    return found


STEPS = {
    "all at once": [(7, 40)],
    "text by text": [(7, n) for n in range(41)],
    "a question late": [(3, 2), (3, 20), (7, 20), (7, 40)],
    "questions last": [(0, 40), (7, 40)],
}


@pytest.mark.parametrize("name", STEPS)
def test_they_are_those_of_the_vectors_however_these_came(name: str) -> None:
    found = read(STEPS[name])
    assert np.array_equal(found, read(STEPS["all at once"]))
    for one, other in product(range(7), range(40)):
        a, b = QUESTIONS[one].astype(float), TEXTS[other].astype(float)
        assert found[one, other] == pytest.approx(
            a @ b / np.linalg.norm(a) / np.linalg.norm(b), abs=1e-5
        )


def test_no_pair_is_worked_out_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    worked_out = 0
    products = hipporag_vectors._products

    def counted(rows: Vectors, columns: Vectors) -> Scores:
        nonlocal worked_out
        worked_out += len(rows) * len(columns)
        return products(rows, columns)

    monkeypatch.setattr(hipporag_vectors, "_products", counted)
    read(STEPS["a question late"])
    assert worked_out == 7 * 40
