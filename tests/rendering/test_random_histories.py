"""Round trips of random histories, and that texts show no state."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.rendering.depot import reader, untimed, without_parameters, written
from tests.rendering.random_histories import histories

from supersede.model.record import History


@given(histories(), st.integers(0, 99))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_history_reads_back(history: History, seed: int) -> None:
    read = reader().read(written(history, seed=seed))
    assert without_parameters(read) == without_parameters(history)
    for record, again in zip(history.records, read.records, strict=True):
        assert dict(again.parameters) == dict(record.parameters)


@given(histories(), st.integers(0, 99))
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_history_without_times_reads_back(history: History, seed: int) -> None:
    history = untimed(history)
    read = reader(timed=False).read(written(history, seed=seed, timed=False))
    assert without_parameters(read) == without_parameters(history)


@given(histories(), st.integers(0, 99), st.integers(-999, 999))
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_line_shows_a_running_total(history: History, seed: int, change: int) -> None:
    """Other amounts and values in the first block change no line of a later one (E-031)."""
    other = history._replace(
        records=tuple(
            record._replace(
                postings=tuple(p._replace(delta=p.delta + change) for p in record.postings),
                assignments=(),
                memberships=(),
            )
            if record.block == 1
            else record
            for record in history.records
        )
    )
    assert written(other, seed=seed)[2:] == written(history, seed=seed)[2:]
