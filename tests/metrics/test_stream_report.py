import json
from math import isnan

import pytest
from tests.metrics.traces import trace

from supersede.metrics.decomposition import decompose
from supersede.metrics.intervals import clustered_mean
from supersede.metrics.stream_report import report_data, score_traces
from supersede.metrics.subsets import BABI
from supersede.model.stream import Reply

RUN = [
    trace("aabbcc", "axbbxx", "d1", "q1", "tracking"),
    trace("aaabbb", "aaaabx", "d1", "q2", "counting"),
    trace("ababab", "aba.ab", "d2", "q1", "tracking"),
    trace("aaaaaa", "xxaaaa", "d2", "q2", "counting"),
    trace("abcd", "abca", "d3", "q1", "counting"),
]


def test_the_headline_is_the_decomposition_with_intervals_over_documents() -> None:
    report = score_traces(RUN, resamples=200)
    means = decompose(RUN)
    assert (report.questions, report.streams) == (5, 3)
    for name in ("accuracy", "al", "ds", "pm"):
        found = report.measures[name]
        assert found.estimate.value == pytest.approx(getattr(means, name))
        assert found.estimate.clusters == 3
        assert found.bootstrap.low <= found.estimate.value <= found.bootstrap.high
    right = [(row.stream, sum(row.right) / len(row.right)) for row in RUN]
    assert report.measures["accuracy"].estimate == clustered_mean({"": right})


def test_means_leave_out_what_is_undefined_and_count_it() -> None:
    report = score_traces(RUN, resamples=50)
    # Changes followed at once: 1/2, 0/1, 4/5, none to follow, 2/3.
    found = report.measures["boundary_accuracy"]
    assert found.estimate.value == pytest.approx((1 / 2 + 0 + 4 / 5 + 2 / 3) / 4)
    assert found.estimate.undefined == 1
    assert 0 <= found.bootstrap.low < found.bootstrap.high <= 1
    assert report.measures["final_accuracy"].estimate.value == pytest.approx(2 / 5)


def test_pooled_ratios_have_a_bootstrap_interval_alone() -> None:
    found = score_traces(RUN, resamples=200).measures["stale_share"]
    assert isnan(found.estimate.low)
    assert found.bootstrap.low <= found.estimate.value <= found.bootstrap.high


def test_subsets_weighted_by_their_questions_are_all() -> None:
    report = score_traces(RUN, BABI, resamples=10)
    assert [group.questions for group in report.subsets.values()] == [3, 1, 1]
    for groups in (report.subsets, report.types):
        total = sum(g.questions * g.measures["accuracy"].value for g in groups.values())
        assert total / 5 == pytest.approx(report.measures["accuracy"].estimate.value)
    assert list(report.types) == ["tracking", "counting"]


def test_replies_are_tallied() -> None:
    assert score_traces(RUN, resamples=10).replies[Reply.UNPARSABLE] == 1


def test_the_data_has_the_four_shares_at_its_top() -> None:
    data = json.loads(json.dumps(report_data(score_traces(RUN, resamples=50)), allow_nan=False))
    assert data["accuracy"] + data["al"] + data["ds"] + data["pm"] == pytest.approx(1)
    assert data["by_interval"][0] == {"interval": 0, "accuracy": 0.8, "right": 4, "asked": 5}
    assert data["archetypes"]["first_intervals"] == 5
    assert data["intervals"]["stale_share"]["t"] is None


def test_nothing_scored_is_null_and_not_zero() -> None:
    data = json.loads(json.dumps(report_data(score_traces([])), allow_nan=False))
    assert data["accuracy"] is None
    assert data["archetypes"]["bias"] == "undefined"
    assert data["questions"] == 0
    assert data["by_subset"]["sparse"]["accuracy"] is None
