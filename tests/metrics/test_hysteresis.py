"""The sweep over thresholds agrees with filtering and scoring, threshold by threshold."""

import random
from dataclasses import replace
from math import isclose

import pytest
from tests.streams.made import small

from supersede.errors import DataError
from supersede.metrics.hysteresis import best_point, sweep, sweep_data
from supersede.metrics.stream_report import score_traces
from supersede.model.stream import Prediction, Reply
from supersede.streams.hysteresis import held
from supersede.streams.ladder import LADDER
from supersede.streams.scoring import score_predictions

STREAMS = [small(f"s{n}") for n in range(6)]


def drawn(seed: int) -> list[Prediction]:
    """A run with wrong answers, replies without any, and confidences."""
    draw = random.Random(seed)
    rows: list[Prediction] = []
    for stream in STREAMS:
        for row in LADDER["oracle"](stream):
            kind = draw.random()
            row = replace(row, confidence=draw.random())
            if kind < 0.1:
                row = replace(row, reply=Reply.UNPARSABLE, answer=None)
            elif kind < 0.4:
                row = replace(row, answer=draw.choice(["hall", "garden", "kitchen"]))
            rows.append(row)
    return rows


@pytest.mark.parametrize("seed", range(5))
def test_the_sweep_is_what_scoring_the_filtered_run_gives(seed: int) -> None:
    rows = drawn(seed)
    for point in sweep(STREAMS, rows, (0, 0.3, 0.75, 1)):
        scored = score_predictions(STREAMS, held(STREAMS, rows, point.threshold))
        report = score_traces(scored.traces, resamples=10)
        for name, measure in point.measures.items():
            assert isclose(measure.value, report.measures[name].estimate.value)
            assert isclose(measure.low, report.measures[name].estimate.low)


def test_at_nothing_it_is_the_run_and_at_one_it_never_changes() -> None:
    rows = drawn(7)
    first, last = sweep(STREAMS, rows, (0, 1))
    report = score_traces(score_predictions(STREAMS, rows).traces, resamples=10)
    assert first.measures["accuracy"].value == report.measures["accuracy"].estimate.value
    assert first.withheld == 0
    assert last.changes == 0


def test_confidence_that_tells_right_from_wrong_mends_the_run() -> None:
    rows = []
    for stream in STREAMS:
        truth = {(p.question, p.interval): p.answer for p in LADDER["oracle"](stream)}
        for p in LADDER["flip-flop"](stream):
            right = p.answer == truth[p.question, p.interval]
            rows.append(replace(p, confidence=0.9 if right else 0.2))
    points = sweep(STREAMS, rows, (0, 0.5, 1))
    assert best_point(points).threshold == 0.5
    assert points[1].measures["ds"].value < points[0].measures["ds"].value


def test_failed_and_missing_answers_leave_the_question_out() -> None:
    rows = [replace(p, confidence=0.5) for p in LADDER["oracle"](STREAMS[0])]
    rows[0] = replace(rows[0], reply=Reply.ERROR, answer=None)
    (point,) = sweep(STREAMS[:2], rows, (0.5,))
    assert point.questions == 1
    nothing = sweep(STREAMS[:1], [], (0.5,))
    assert sweep_data(nothing)[0]["accuracy"] is None


def test_a_run_without_confidence_is_refused() -> None:
    with pytest.raises(DataError, match="no confidence"):
        sweep(STREAMS, [p for s in STREAMS for p in LADDER["oracle"](s)])
