from math import isnan

import pytest

from supersede.metrics.outcomes import error_labels, outcome_counts
from supersede.model.question import ErrorLabel, Outcome


def test_every_outcome_is_counted_also_where_it_is_absent() -> None:
    counts = outcome_counts([Outcome.RIGHT, Outcome.WRONG, Outcome.RIGHT])
    assert counts == {
        Outcome.RIGHT: 2,
        Outcome.WRONG: 1,
        Outcome.UNPARSABLE: 0,
        Outcome.REFUSED: 0,
        Outcome.ERROR: 0,
    }
    assert list(counts) == list(Outcome)


def test_shares_are_over_labelled_wrong_replies_alone() -> None:
    table = error_labels(
        [
            (Outcome.RIGHT, None),
            (Outcome.WRONG, ErrorLabel.NET_CHANGE),
            (Outcome.WRONG, ErrorLabel.NET_CHANGE),
            (Outcome.WRONG, ErrorLabel.RANKING),
            (Outcome.WRONG, ErrorLabel.RETRIEVAL),
            (Outcome.REFUSED, None),
            (Outcome.UNPARSABLE, None),
            (Outcome.ERROR, None),
        ]
    )
    assert table.labelled == 4
    assert table.left_out == 3
    assert table.shares[ErrorLabel.NET_CHANGE] == 0.5
    assert table.shares[ErrorLabel.VERDICT] == 0
    assert sum(table.shares.values()) == pytest.approx(1)


def test_there_are_five_labels_and_none_of_them_is_calculation() -> None:
    table = error_labels([])
    assert len(table.counts) == 5
    assert not any("calculation" in label for label in table.counts)


def test_shares_are_undefined_where_nothing_is_wrong() -> None:
    assert all(isnan(share) for share in error_labels([(Outcome.RIGHT, None)]).shares.values())
