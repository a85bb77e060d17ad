"""Samples of Inspect: the ones that our task makes, run and graded by Inspect itself."""

from collections.abc import Callable
from pathlib import Path

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import json_dataset
from inspect_ai.model import ChatMessage
from tests.evaluation.conftest import Scripted
from tests.training.exports.made import changed, lines

from supersede.errors import UsageError
from supersede.evaluation.evolve import EvolveMetadata, evolve_scorer, reply, sample_of
from supersede.evaluation.evolve_data import read_items
from supersede.model.question import Outcome
from supersede.model.serialize import CANARY
from supersede.training.exports.samples import export_samples, grade_sample


@pytest.fixture(scope="module")
def out(corpora: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("samples") / "heldout.jsonl"
    assert export_samples(corpora[1:], path).rows == 6
    return path


def test_inspect_reads_the_samples_that_our_task_makes(out: Path, corpora: list[Path]) -> None:
    ours = {item.id: sample_of(item) for item in read_items(corpora[1])}
    read = list(json_dataset(str(out)))
    assert {sample.id for sample in read} == ours.keys()
    for sample in read:
        other = ours[str(sample.id)]
        assert sample.target == other.target
        assert isinstance(sample.input, list)
        assert isinstance(other.input, list)
        assert [(m.role, m.text) for m in sample.input] == [(m.role, m.text) for m in other.input]
        assert sample.metadata is not None
        assert sample.metadata["canary"] == CANARY
        assert EvolveMetadata.model_validate(sample.metadata) == EvolveMetadata.model_validate(
            other.metadata
        )


@pytest.mark.parametrize(
    ("write", "outcome"),
    [
        (lambda answer: answer, Outcome.RIGHT),
        (lambda answer: "", Outcome.UNPARSABLE),
        (changed, Outcome.WRONG),
    ],
    ids=["gold", "empty", "wrong"],
)
def test_inspect_grades_gold_empty_and_wrong(
    write: Callable[[str], str],
    outcome: Outcome,
    out: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = {row["input"][-1]["content"]: row["target"] for row in lines(out)}

    def answer(messages: list[ChatMessage]) -> str:
        return write(right[messages[-1].text])

    monkeypatch.setattr(Scripted, "write", staticmethod(answer), raising=False)
    task = Task(dataset=json_dataset(str(out)), solver=reply(), scorer=evolve_scorer())
    (log,) = inspect_eval(
        task, model="scripted/model", log_dir=str(tmp_path), display="none", log_level="error",
        log_realtime=False,
    )  # fmt: skip
    assert log.status == "success", log.error
    assert log.samples is not None
    found = [sample.scores["evolve_scorer"] for sample in log.samples if sample.scores]
    assert [score.metadata and score.metadata["outcome"] for score in found] == [outcome] * 6
    for row in lines(out):
        assert grade_sample(row, write(row["target"])).outcome is outcome


def test_a_name_that_inspect_would_read_otherwise_is_refused(corpora: list[Path]) -> None:
    with pytest.raises(UsageError, match=r"ends in \.jsonl. Name it out\.json\.jsonl"):
        export_samples(corpora, Path("out.json"))
