"""What the ladder of fake predictors scores is known; the whole pipeline must say the same."""

from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog
from tests.evaluation.stream_made import marked
from tests.streams.made import choice, small

import supersede.evaluation.registry  # noqa: F401 - what Inspect would find by entry point
from supersede.evaluation.stream_data import StreamOptions
from supersede.evaluation.stream_results import StreamRun, read_stream_run
from supersede.metrics.decomposition import decompose
from supersede.metrics.stream_report import report_data, score_traces
from supersede.metrics.subsets import bins_for
from supersede.model.stream import Stream
from supersede.streams import write_streams
from supersede.streams.ladder import LADDER
from supersede.streams.scoring import score_file, score_predictions

STREAMS = (small(), choice(), marked("far", 7, 3))


def run(
    folder: Path, model: str, streams: tuple[Stream, ...] = STREAMS, **options: object
) -> EvalLog:
    """The task in this process; options that are not the task's are those of Inspect."""
    source = folder / "streams.jsonl"
    write_streams(source, streams)
    ours = {name: value for name, value in options.items() if name in StreamOptions.model_fields}
    theirs: dict[str, Any] = {name: value for name, value in options.items() if name not in ours}
    (log,) = inspect_eval(
        "supersede/stream",
        model=model,
        task_args={"data": str(source), **ours},
        log_dir=str(folder / "logs"),
        display="none",
        log_level="error",
        log_realtime=False,
        max_samples=1,
        **theirs,
    )
    return log


def finished(log: EvalLog) -> StreamRun:
    assert log.status == "success", log.error
    return read_stream_run(log)


@pytest.mark.parametrize("name", LADDER)
def test_the_pipeline_scores_the_ladder_exactly(name: str, tmp_path: Path) -> None:
    memory = "rag+window" if name == "oracle" else "base"
    found = finished(run(tmp_path, f"supersede/{name}", memory=memory))
    said = [row for stream in STREAMS for row in LADDER[name](stream)]
    pure = score_predictions(STREAMS, said)
    assert found.traces == pure.traces
    assert report_data(found.report) == report_data(score_traces(pure.traces, bins_for(STREAMS)))
    assert not found.failed
    assert found.calls["expected"] == pure.expected == 12 + 4 + 21


def test_the_log_itself_has_the_measures(tmp_path: Path) -> None:
    log = run(tmp_path, "supersede/stale-by-one")
    assert log.results is not None
    values = {n: m.value for s in log.results.scores for n, m in s.metrics.items()}
    said = [row for stream in STREAMS for row in LADDER["stale-by-one"](stream)]
    pure = decompose(score_predictions(STREAMS, said).traces)
    assert [values[n] for n in ("accuracy", "al", "ds", "pm")] == [
        pure.accuracy,
        pure.al,
        pure.ds,
        pure.pm,
    ]
    assert (values["failed"], values["error rate"], values["expected"]) == (0, 0, 37)


def test_the_predictions_beside_the_log_score_the_same(tmp_path: Path) -> None:
    found = finished(run(tmp_path, "supersede/flip-flop"))
    (path,) = found.predictions
    assert path.parent == Path(found.log).parent
    scored = score_file(STREAMS, path)
    assert scored.traces == found.traces
    assert scored.error_rate == 0


def test_each_epoch_has_its_own_predictions(tmp_path: Path) -> None:
    found = finished(run(tmp_path, "supersede/random", epochs=2))
    assert len(found.predictions) == 2
    assert found.planned == found.calls["expected"] == 2 * 37
    for path in found.predictions:
        assert score_file(STREAMS, path).missing == 0


def test_a_cut_stream_is_scored_on_what_was_asked(tmp_path: Path) -> None:
    options: dict[str, Any] = {"documents": 1, "chunks": 3, "questions": 1}
    found = finished(run(tmp_path, "supersede/oracle", **options))
    (trace,) = found.traces
    assert trace.truth == ("unknown", "hall", "hall")
    assert all(trace.right)


def test_no_answer_is_in_the_text_of_a_prompt(tmp_path: Path) -> None:
    """The oracle is told beside the text; the log of a run through `generate` holds the text."""
    log = run(tmp_path, "supersede/oracle", (marked("far", 3, 2),), lean=False)
    assert log.samples is not None
    calls = [event for event in log.samples[0].events if event.event == "model"]
    assert len(calls) == 6
    for event in calls:
        text = "".join(message.text for message in event.input)
        assert not any(place in text for place in ("hall", "garden", "kitchen", "attic"))
