"""Tables of vectors grow, compare by cosine, and come back from a snapshot as they were."""

import json

import numpy as np

from supersede.memories.vectors import VectorTable


def test_an_empty_table_takes_vectors_and_grows_beyond_its_first_rows() -> None:
    table = VectorTable()
    assert table.cosines(np.ones((2, 3), dtype=np.float32)).shape == (2, 0)
    given = np.random.default_rng(0).normal(size=(200, 3)).astype(np.float32)
    for first in range(0, 200, 7):
        table.add(given[first : first + 7])
    assert len(table) == 200
    assert np.allclose(table.rows, given / np.linalg.norm(given, axis=1, keepdims=True), atol=1e-6)
    assert np.allclose(np.diag(table.cosines(given)), 1, atol=1e-6)


def test_a_vector_of_nothing_is_like_nothing() -> None:
    table = VectorTable()
    table.add(np.array([[0, 0], [3, 4]], dtype=np.float32))
    assert np.allclose(table.cosines(np.array([[3, 4]], dtype=np.float32)), [[0, 1]])


def test_a_snapshot_comes_back_to_the_bit_and_goes_on() -> None:
    for size in (0, 5):
        table, other = VectorTable(), VectorTable()
        given = np.random.default_rng(1).normal(size=(size + 3, 4)).astype(np.float32)
        if size:
            table.add(given[:size])
        other.restore(json.loads(json.dumps(table.snapshot())))
        for one in (table, other):
            one.add(given[size:])
            one.put(0, [1, 0, 0, 0])
        assert table.rows.tobytes() == other.rows.tobytes()
        assert table.rows[0].tolist() == [1, 0, 0, 0]


def test_no_vectors_at_all_may_be_added() -> None:
    table = VectorTable()
    table.add(np.zeros((0, 3), dtype=np.float32))
    assert len(table) == 0
    table.add(np.ones((1, 3), dtype=np.float32))
    assert table.rows.shape == (1, 3)
