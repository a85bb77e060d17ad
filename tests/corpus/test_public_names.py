import subprocess
import sys
from pathlib import Path

import pytest
from tests.streams.made import small

import supersede
from supersede import (
    Instance,
    Outcome,
    Prediction,
    Reply,
    grade,
    instance_key,
    iter_corpus,
    load_stream,
    load_streams,
    make_instance,
    score_predictions,
    score_traces,
)
from supersede.streams import write_streams


def test_every_public_name_is_there_and_none_is_loaded_before_its_use() -> None:
    code = (
        "import sys, supersede\n"
        "loaded = [m for m in sys.modules if m.startswith('supersede.')]\n"
        "assert not loaded, loaded\n"
        "for name in supersede.__all__: getattr(supersede, name)\n"
        "assert set(supersede.__all__) <= set(dir(supersede))\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert sorted(supersede.__all__) == supersede.__all__


def test_a_name_that_is_not_public_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'make_instanc'"):
        supersede.make_instanc  # noqa: B018 - the look-up is what is tested


def test_an_instance_is_made_and_its_answer_graded_with_public_names_alone() -> None:
    instance = make_instance(instance_key("soccer-timeline", "short", index=7))
    assert isinstance(instance, Instance)
    graded = grade(instance.question, instance.answer.checklist, instance.answer.text)
    assert graded.outcome is Outcome.RIGHT
    (first, *_) = iter_corpus(tiers=["short"], prototypes=["soccer-timeline"], per_cell=8)
    assert first.key == instance_key("soccer-timeline", "short")


def test_an_instance_has_the_id_of_its_json() -> None:
    one = make_instance(instance_key("soccer-timeline", "short", index=7))
    other = make_instance(instance_key("soccer-timeline", "short", index=8))
    assert one.id == one.to_json()["id"] == one.to_json(history=True)["id"]
    assert one.id != other.id
    assert one.id == make_instance(one.key).id


def test_a_stream_is_read_and_predictions_scored_with_public_names_alone(tmp_path: Path) -> None:
    path = tmp_path / "streams.jsonl"
    write_streams(path, [small("a"), small("b")])
    assert load_stream(path, "b") == small("b")
    streams = load_streams(path)
    said = [
        Prediction(stream.id, question.id, interval, Reply.ANSWERED, accepted[0])
        for stream in streams
        for question in stream.questions
        for interval, accepted in enumerate(question.answers)
    ]
    report = score_traces(score_predictions(streams, said).traces)
    assert report.measures["accuracy"].estimate.value == 1
