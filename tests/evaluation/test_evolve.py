import json
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from inspect_ai import eval_retry
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessage, ModelOutput
from tests.evaluation.conftest import Evaluate, Scripted, Write, write_corpus

from supersede.errors import DataError, ModelError
from supersede.evaluation.baselines import BASELINES
from supersede.evaluation.evolve import PROVIDER, EvolveMetadata, _failed, grade_output
from supersede.evaluation.results import read_run
from supersede.model.instance import Instance
from supersede.model.question import Outcome

Script = Callable[[Write], None]


def answers(instances: list[Instance]) -> dict[str, str]:
    """Last message -> reference answer."""
    return {instance.messages[-1].content: instance.answer.text for instance in instances}


def metric(log: EvalLog, name: str) -> float:
    assert log.results is not None
    found = [score.metrics[name].value for score in log.results.scores if name in score.metrics]
    assert len(found) == 1, f"{name} is not there once: {found}"
    return float(found[0])


@pytest.fixture
def six(instances: list[Instance]) -> list[Instance]:
    return [instance for instance in instances if instance.key.index == 0]


def test_five_outcomes_are_kept_apart(
    six: list[Instance], tmp_path: Path, scripted: Script, evaluate: Evaluate
) -> None:
    right = answers(six)
    turns = {text: i for i, text in enumerate(right)}

    def write(messages: list[ChatMessage]) -> str:
        text = messages[-1].text
        replies = [
            right[text],
            f"I thought about it.\n\n{right[text]}",
            "Answer: "
            + "; ".join(f"{part.split('=')[0]}= 424242" for part in right[text].split(";")),
            "The weather is fine.",
            "I'm sorry, but I cannot answer that.",
        ]
        if turns[text] == 5:
            raise RuntimeError("the provider returned HTTP 500")
        return replies[turns[text]]

    scripted(write)
    log = evaluate(write_corpus(tmp_path / "six.jsonl", six))
    assert log.status == "success"
    outcomes = {name: metric(log, name) for name in Outcome}
    assert outcomes == {"right": 2, "wrong": 1, "unparsable": 1, "refused": 1, "error": 1}
    reasons = [reply.reason for reply in read_run(log).replies]
    assert any("HTTP 500" in reason for reason in reasons)


def test_a_wrong_reply_has_a_label_and_others_have_none(
    six: list[Instance], tmp_path: Path, scripted: Script, evaluate: Evaluate
) -> None:
    scripted(lambda messages: "no idea what to say here")
    run = read_run(evaluate(write_corpus(tmp_path / "six.jsonl", six)))
    assert run.report.labels.labelled == 0
    assert run.report.labels.left_out == 6


def test_pass_and_average_at_five_by_hand(
    six: list[Instance], tmp_path: Path, scripted: Script, evaluate: Evaluate
) -> None:
    # Each of 6 instances is right in its second reply of five: avg@5 = 1/5, pass@5 = 1.
    right = answers(six)
    asked: dict[str, int] = {}

    def write(messages: list[ChatMessage]) -> str:
        text = messages[-1].text
        asked[text] = asked.get(text, 0) + 1
        return right[text] if asked[text] == 2 else "Answer: none of it"

    scripted(write)
    log = evaluate(write_corpus(tmp_path / "six.jsonl", six), epochs=5)
    assert set(asked.values()) == {5}
    assert metric(log, "overall avg") == pytest.approx(0.2)
    assert metric(log, "overall pass") == 1
    run = read_run(log)
    assert run.report.k == 5
    assert run.planned == len(run.replies) == 30


def test_there_are_five_replies_an_instance_unless_said(corpus: Path, tmp_path: Path) -> None:
    from inspect_ai import eval as inspect_eval

    (log,) = inspect_eval(
        "supersede/evolve",
        model="supersede/unknown",
        task_args={"data": str(corpus), "limit_per_tier": 1},
        log_dir=str(tmp_path),
        display="none",
        log_realtime=False,
    )
    assert log.eval.config.epochs == 5


def test_the_prompt_is_the_whole_dialogue_and_nothing_else(
    six: list[Instance], tmp_path: Path, scripted: Script, evaluate: Evaluate
) -> None:
    seen: list[list[tuple[str, str]]] = []

    def write(messages: list[ChatMessage]) -> str:
        assert all(message.metadata is None for message in messages)
        seen.append([(message.role, message.text) for message in messages])
        return "Answer: x"

    scripted(write)
    evaluate(write_corpus(tmp_path / "six.jsonl", six))
    assert sorted(seen) == sorted([tuple(m) for m in one.messages] for one in six)


def test_samples_carry_typed_metadata(
    six: list[Instance], tmp_path: Path, scripted: Script, evaluate: Evaluate
) -> None:
    scripted(lambda messages: "Answer: x")
    log = evaluate(write_corpus(tmp_path / "six.jsonl", six))
    assert log.samples is not None
    by_question = {one.question.text: one for one in six}
    for sample in log.samples:
        known = EvolveMetadata.model_validate(sample.metadata)
        instance = by_question[known.question]
        assert known.claims() == instance.answer.checklist
        assert known.asked() == instance.question
        assert known.events == len(instance.history.records)
        assert sample.target == instance.answer.text


def test_an_option_that_is_mistyped_is_refused(corpus: Path, evaluate: Evaluate) -> None:
    with pytest.raises(PrerequisiteError, match="Did you mean 'limit_per_tier'"):
        evaluate(corpus, limit_per_teir=3)
    with pytest.raises(PrerequisiteError, match=r"unknown tier 'shrot'\. Did you mean 'short'"):
        evaluate(corpus, tiers="very_short,shrot")


def test_a_mistyped_model_of_ours_is_refused(corpus: Path, evaluate: Evaluate) -> None:
    with pytest.raises(PrerequisiteError, match="Did you mean 'oracle'"):
        evaluate(corpus, model="supersede/orcale")


def test_a_run_that_loses_its_model_keeps_what_is_done_and_goes_on_by_retry(
    corpus: Path, instances: list[Instance], scripted: Script, evaluate: Evaluate
) -> None:
    right = answers(instances)
    asked: list[str] = []

    def dying(messages: list[ChatMessage]) -> str:
        if len(asked) == 5:
            raise ModelError("the server of 'toy' died of SIGKILL")
        asked.append(messages[-1].text)
        return right[messages[-1].text]

    scripted(dying)
    log = evaluate(corpus)
    run = read_run(log)
    assert run.status == "error"
    assert run.error == "the server of 'toy' died of SIGKILL"
    assert (len(run.replies), run.planned) == (5, 12)

    def well(messages: list[ChatMessage]) -> str:
        asked.append(messages[-1].text)
        return right[messages[-1].text]

    scripted(well)
    (again,) = eval_retry(log, log_dir=str(Path(log.location).parent), display="none")
    assert again.status == "success"
    assert len(asked) == len(set(asked)) == 12
    assert metric(again, "overall avg") == 1


def test_a_mistake_in_our_own_code_ends_the_run_and_is_no_outcome(
    corpus: Path, evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mistaken(*_: object) -> str:
        raise KeyError("a mistake of ours")

    monkeypatch.setitem(BASELINES, "oracle", mistaken)
    log = evaluate(corpus, model="supersede/oracle")
    run = read_run(log)
    assert run.status == "error"
    assert run.error == "KeyError('a mistake of ours')"
    assert run.report.overall.outcomes[Outcome.ERROR] == 0
    assert log.error is not None
    assert "in mistaken" in log.error.traceback


def test_what_serves_the_local_model_may_fail_and_its_reply_is_an_error() -> None:
    from httpx import ReadTimeout
    from openai import OpenAIError

    for error in (DataError("torn"), TimeoutError(), OpenAIError("400"), ReadTimeout("slow")):
        assert _failed(PROVIDER, error)
    for mistake in (KeyError("x"), TypeError("x"), RecursionError("x"), ValueError("x")):
        assert not _failed(PROVIDER, mistake)
        assert _failed("openai", mistake)  # nobody knows what clients of others raise


@pytest.mark.parametrize(
    "error",
    [ConnectionRefusedError("nobody is there"), type("APIConnectionError", (Exception,), {})("x")],
)
def test_a_lost_connection_ends_the_run(
    error: Exception, corpus: Path, scripted: Script, evaluate: Evaluate
) -> None:
    def write(messages: list[ChatMessage]) -> str:
        raise error

    scripted(write)
    run = read_run(evaluate(corpus))
    assert run.status == "error"
    assert run.error.startswith("scripted/model cannot be asked")


def test_a_wrong_key_ends_the_run_and_a_bad_request_does_not(
    corpus: Path, scripted: Script, evaluate: Evaluate
) -> None:
    def refused(status: int) -> Write:
        error = type("APIStatusError", (Exception,), {"status_code": status})

        def write(messages: list[ChatMessage]) -> str:
            raise error("no")

        return write

    scripted(refused(401))
    assert read_run(evaluate(corpus)).status == "error"
    scripted(refused(400))
    run = read_run(evaluate(corpus))
    assert run.status == "success"
    assert run.report.overall.outcomes[Outcome.ERROR] == 12


def test_instances_that_do_not_fit_are_left_out_and_counted(
    corpus: Path, instances: list[Instance], scripted: Script, evaluate: Evaluate
) -> None:
    scripted(lambda messages: "Answer: x")
    lengths = [sum(len(m.content) for m in one.messages) for one in instances]
    short = [n for one, n in zip(instances, lengths, strict=True) if one.key.tier == "very_short"]
    context = int(max(short) / 2.5) + 257
    run = read_run(evaluate(corpus, context=context))
    expected = sum(n / 2.5 > context - 256 for n in lengths)
    assert expected > 0
    assert dict(run.left_out) == {"short": expected}
    assert len(run.replies) == 12 - expected


def test_nothing_that_fits_is_an_error(corpus: Path, evaluate: Evaluate, scripted: Script) -> None:
    scripted(lambda messages: "Answer: x")
    with pytest.raises(PrerequisiteError, match="12 instances do not fit 300 tokens"):
        evaluate(corpus, context=300)


def test_after_the_deadline_no_sample_starts_and_the_rest_is_counted(
    corpus: Path, scripted: Script, evaluate: Evaluate
) -> None:
    from time import sleep

    def write(messages: list[ChatMessage]) -> str:
        sleep(0.4)
        return "Answer: x"

    scripted(write)
    run = read_run(evaluate(corpus, seconds=0.6))
    assert 1 <= len(run.replies) < 12
    assert run.skipped == 12 - len(run.replies)
    assert run.status == "success"


def test_a_reply_in_flight_is_cut_off_when_the_time_is_over(
    corpus: Path, scripted: Script, evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def slow(*_: object, **__: object) -> ModelOutput:
        await anyio.sleep(30)
        raise AssertionError("nobody cut it off")

    monkeypatch.setattr(Scripted, "generate", slow)
    run = read_run(evaluate(corpus, seconds=0.5))
    assert [(reply.cut, reply.trial.outcome) for reply in run.replies] == [(True, Outcome.ERROR)]
    assert run.skipped == 11


def test_limits_are_spread_over_prototypes(
    corpus: Path, scripted: Script, evaluate: Evaluate
) -> None:
    scripted(lambda messages: "Answer: x")
    run = read_run(evaluate(corpus, limit_per_tier=3, tiers=["short"]))
    assert len({reply.trial.prototype for reply in run.replies}) == 3
    assert {reply.trial.tier for reply in run.replies} == {"short"}


def test_what_is_no_answer_is_graded_by_its_cause(instances: list[Instance]) -> None:
    one = instances[0]
    asked, claims = one.question, one.answer.checklist
    failed = ModelOutput(model="m", error="boom")
    assert grade_output(failed, asked, claims).outcome is Outcome.ERROR
    assert grade_output(ModelOutput(model="m"), asked, claims).outcome is Outcome.ERROR
    filtered = ModelOutput.from_content("m", "", stop_reason="content_filter")
    assert grade_output(filtered, asked, claims).outcome is Outcome.REFUSED
    too_long = ModelOutput.from_content("m", "prompt too long", stop_reason="model_length")
    assert grade_output(too_long, asked, claims).outcome is Outcome.ERROR
    right = ModelOutput.from_content("m", one.answer.text)
    assert grade_output(right, asked, claims).outcome is Outcome.RIGHT


def test_a_log_is_json_that_keeps_the_outcome(
    six: list[Instance], tmp_path: Path, scripted: Script, evaluate: Evaluate
) -> None:
    scripted(lambda messages: "Answer: x")
    log = evaluate(write_corpus(tmp_path / "six.jsonl", six))
    assert log.samples is not None
    scores = log.samples[0].scores
    assert scores is not None
    kept = json.loads(json.dumps(scores["evolve_scorer"].metadata))
    assert set(kept) == {"outcome", "label", "satisfied"}
