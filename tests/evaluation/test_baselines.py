import json
from pathlib import Path

import pytest
from tests.evaluation.conftest import PROTOTYPES, Evaluate, write_corpus

from supersede.corpus.instances import instance_key, make_instance
from supersede.errors import DataError
from supersede.evaluation.baselines import (
    BASELINE_WORDS,
    BASELINES,
    Asked,
    asked_in,
    our_models,
)
from supersede.evaluation.results import read_run
from supersede.model.instance import Instance, Message, Split, Tier
from supersede.model.question import Outcome
from supersede.questions import grade
from supersede.rendering.lines import FINAL


def asked_of(instance: Instance) -> Asked:
    question = instance.question
    return Asked(
        prototype=instance.key.prototype,
        operator=question.operator,
        family=question.family,
        parameters=dict(question.parameters),
        text=question.text,
    )


def right(name: str, instances: list[Instance]) -> int:
    baseline = BASELINES[name]
    replies = [baseline(one.messages, asked_of(one)) for one in instances]
    return sum(
        grade(one.question, one.answer.checklist, reply).outcome is Outcome.RIGHT
        for one, reply in zip(instances, replies, strict=True)
    )


@pytest.fixture(scope="module")
def many() -> list[Instance]:
    return [
        make_instance(instance_key(prototype, Tier.MEDIUM, index, split=Split.HELDOUT))
        for prototype in PROTOTYPES
        for index in range(20)
    ]


def test_the_ladder_of_readers(many: list[Instance]) -> None:
    scores = {name: right(name, many) for name in BASELINES}
    assert scores["oracle"] == len(many) == 60
    assert scores["unknown"] == 0
    for careless in ("count-everything", "last-mention"):
        assert 0 <= scores[careless] < 0.5 * len(many)


def test_the_oracle_gives_the_reference_answer_word_for_word(instances: list[Instance]) -> None:
    for one in instances:
        assert BASELINES["oracle"](one.messages, asked_of(one)) == one.answer.text


def test_readers_see_the_text_alone(instances: list[Instance]) -> None:
    """What the text no longer says, the oracle no longer knows."""
    one = instances[0]
    first, last = one.messages[0], one.messages[-1]
    empty = Message("user", last.content[last.content.index(FINAL) :])
    with pytest.raises(DataError):
        BASELINES["oracle"]([first, empty], asked_of(one))


def test_every_baseline_is_listed_in_three_words_beside_the_local_model() -> None:
    assert list(BASELINE_WORDS) == list(BASELINES)
    for name, words in BASELINE_WORDS.items():
        assert len(words.split()) == 3
        assert f"supersede/{name} ({words})" in our_models()
    assert our_models().startswith("smollm2 (or supersede/smollm2), ")


def test_unknown_declines(instances: list[Instance]) -> None:
    for one in instances:
        reply = BASELINES["unknown"](one.messages, asked_of(one))
        assert grade(one.question, one.answer.checklist, reply).outcome is Outcome.REFUSED


def test_a_message_without_a_question_is_an_error() -> None:
    with pytest.raises(ValueError, match="carries no question"):
        asked_in(None)


def test_oracle_scores_one_and_unknown_nothing_through_inspect(
    corpus: Path, evaluate: Evaluate
) -> None:
    oracle = read_run(evaluate(corpus, model="supersede/oracle")).report
    assert oracle.overall.average.value == 1.0
    assert oracle.overall.outcomes[Outcome.RIGHT] == 12
    unknown = read_run(evaluate(corpus, model="supersede/unknown")).report
    assert unknown.overall.average.value == 0.0
    assert unknown.overall.outcomes[Outcome.REFUSED] == 12


def test_the_oracle_does_not_see_the_stored_answer(
    instances: list[Instance], tmp_path: Path, evaluate: Evaluate
) -> None:
    lines = [one.to_json() for one in instances[:2]]
    for line in lines:
        line["answer"] = "Answer: forged"
        for claim in line["checklist"]:
            claim.update(expected="forged", text="forged", candidates=[])
            claim.pop("number", None)
    path = tmp_path / "forged.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    report = read_run(evaluate(path, model="supersede/oracle")).report
    assert report.overall.outcomes[Outcome.WRONG] == 2


def test_a_text_that_is_not_of_the_prototype_is_an_outcome(
    instances: list[Instance], tmp_path: Path, evaluate: Evaluate
) -> None:
    path = write_corpus(tmp_path / "torn.jsonl", instances[:1])
    line = json.loads(path.read_text())
    first = line["messages"][1]
    first["content"] = first["content"].replace("\n", "\nSomething unheard of happened.\n", 1)
    path.write_text(json.dumps(line) + "\n")
    run = read_run(evaluate(path, model="supersede/oracle"))
    assert run.report.overall.outcomes[Outcome.ERROR] == 1
    assert "unheard of" in run.replies[0].reason


def test_the_question_rides_beside_the_text(
    instances: list[Instance], tmp_path: Path, evaluate: Evaluate
) -> None:
    log = evaluate(write_corpus(tmp_path / "one.jsonl", instances[:1]), model="supersede/oracle")
    assert log.samples is not None
    last = [m for m in log.samples[0].messages if m.role == "user"][-1]
    assert last.text == instances[0].messages[-1].content
    asked = asked_in(last.metadata)
    assert asked.question() == instances[0].question
    assert instances[0].answer.text not in json.dumps(last.metadata)
    usage = log.stats.model_usage["supersede/oracle"]
    assert usage.input_tokens > 0
