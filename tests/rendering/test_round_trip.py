"""What is written reads back as it was: read(write(h)) == h."""

from __future__ import annotations

import pytest
from tests.rendering.depot import history, reader, untimed, without_parameters, written

from supersede.model.record import History, Kind


def test_every_kind_and_every_form_of_effect_reads_back() -> None:
    read = reader().read(written(history()))
    assert without_parameters(read) == without_parameters(history())
    assert {record.kind for record in history().records} == set(Kind)


@pytest.mark.parametrize("seed", range(12))
def test_every_phrasing_reads_back(seed: int) -> None:
    read = reader().read(written(history(), seed=seed))
    assert without_parameters(read) == without_parameters(history())


def test_parameters_read_back_as_far_as_the_words_show_them() -> None:
    for record, read in zip(
        history().records, reader().read(written(history())).records, strict=True
    ):
        assert read.parameters == record.parameters  # the depot's words show all of them


def test_without_times_clocks_are_running_numbers() -> None:
    given = untimed(history())
    read = reader(timed=False).read(written(given, timed=False))
    assert without_parameters(read) == without_parameters(given)


def test_a_history_without_records_reads_back() -> None:
    given = History(3, ())
    assert reader().read(written(given)) == given
