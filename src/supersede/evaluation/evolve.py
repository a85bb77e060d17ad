"""The Inspect task `supersede/evolve`: one sample per instance, graded by code.

A sample is the complete dialogue of an instance, intermediate questions and answers included,
never cut (E-098); only the reply to the final question is graded (E-099). Five epochs by default
(E-100) give avg@5 and pass@5.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from typing import Any

from anyio import move_on_after
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    Model,
    ModelOutput,
    get_model,
)
from inspect_ai.scorer import (
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    Value,
    metric,
    scorer,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import LimitExceededError
from pydantic import BaseModel, ConfigDict

from supersede import __version__
from supersede.errors import ModelError, SupersedeError, UsageError
from supersede.evaluation.boundary import user_errors
from supersede.evaluation.chat import chat_message
from supersede.evaluation.deadline import Clock, Deadline
from supersede.evaluation.effort import Effort, Timed
from supersede.evaluation.evolve_data import (
    EvolveOptions,
    Item,
    chosen_items,
    evolve_options,
    read_items,
)
from supersede.evaluation.fit import REPLY_TOKENS, Fitting, LeftOut, fitting_items
from supersede.metrics.evolve import OVERALL, EvolveReport, EvolveRow, Trial, evolve_report
from supersede.model.instance import Tier
from supersede.model.question import (
    Claim,
    ErrorLabel,
    Family,
    Grade,
    Outcome,
    Parameter,
    Question,
)
from supersede.model.serialize import checklist_from_json, claim_to_json
from supersede.questions import grade

__all__ = [
    "EPOCHS",
    "OUT_OF_TIME",
    "PROVIDER",
    "EvolveMetadata",
    "Graded",
    "evolve",
    "evolve_scorer",
    "reply",
    "trial_of",
]

EPOCHS = 5
"""Replies per instance unless Inspect is told otherwise (E-100)."""

PROVIDER = "supersede"
"""Name of our own provider of models: the only one that is told which operator is asked."""

OUT_OF_TIME = "the time of the run was over"
"""The error of a reply that the option `seconds` cut off."""

_STOPS = (401, 404)  # HTTP: a wrong key or model name, which no other sample will survive either

_SERVING = frozenset({"openai", "httpx", "httpcore", "tenacity", "inspect_ai"})
"""Packages whose errors are failures of the local model, not of our code."""

logger = logging.getLogger(__name__)


class EvolveMetadata(BaseModel):
    """What a sample says of its instance."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    prototype: str
    """Prototype id."""
    tier: Tier
    split: str
    family: Family
    operator: str
    """Operator name."""
    events: int
    """Records in the history."""
    blocks: int
    question: str
    """The final question, answer form included."""
    query: dict[str, Parameter]
    """The operator's parameters, from which code answers the question again."""
    checklist: list[dict[str, Any]]
    """The claims of a right answer, as in the JSON of an instance."""

    def claims(self) -> tuple[Claim, ...]:
        """The claims of a right answer."""
        return checklist_from_json(self.checklist)

    def asked(self) -> Question:
        """The final question."""
        return Question(self.operator, self.family, self.query, self.question)


class Graded(BaseModel):
    """The metadata of a score."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    outcome: Outcome
    label: ErrorLabel | None
    """Category of the first failed claim of a wrong reply (E-149)."""
    satisfied: list[bool]
    """One per claim of the checklist, in order."""


@task
def evolve(**options: Any) -> Task:
    """Questions about evolving records, over the instances of a corpus.

    Args:
        **options: Those of `EvolveOptions`; an unknown one is refused.
    """
    with user_errors():
        parsed = evolve_options(options)
        return _task(chosen_items(read_items(parsed.data), parsed), parsed)


def _task(items: list[Item], options: EvolveOptions) -> Task:
    """The task over given instances; those that do not fit the model's window are left out."""
    model = get_model()
    wait = bool(os.environ.get("SUPERSEDE_PROGRESS"))
    if wait:
        from supersede.evaluation.progress import announce  # registers its hook

        if isinstance(model.api, Timed):
            announce(f"{model}: it starts; tokens are counted and its speed is measured")
    fitting = fitting_items(items, model, options.context)
    left_out = fitting.left_out
    if left_out.total:
        logger.warning("%s", left_out)
    if not fitting.items:
        raise UsageError(
            f"{left_out}; there is nothing left to run",
            mend="Choose shorter tiers or a model with a larger context window.",
        )
    metadata: dict[str, Any] = {LeftOut.KEY: left_out.by_tier}
    if wait and isinstance(model.api, Timed):
        metadata[Effort.KEY] = _effort(fitting, model, model.api).model_dump()
    return Task(
        dataset=MemoryDataset([sample_of(item) for item in fitting.items], name="evolve"),
        solver=reply(options.seconds),
        scorer=evolve_scorer(),
        epochs=EPOCHS,
        version=__version__,
        metadata=metadata,
        headline_metric=f"{OVERALL} avg",
        early_stopping=Deadline(options.seconds) if options.seconds else None,
    )


def _effort(fitting: Fitting, model: Model, timed: Timed) -> Effort:
    """What the prompts take of a model whose speed can be measured."""
    speed = timed.speed(fitting.items[0].instance.messages)
    return Effort(
        prompt_tokens=fitting.prompt_tokens,
        reply_tokens=model.config.max_tokens or REPLY_TOKENS,
        read=speed.read,
        written=speed.written,
    )


def sample_of(item: Item) -> Sample:
    """The sample of an instance."""
    instance = item.instance
    metadata = EvolveMetadata(
        prototype=instance.key.prototype,
        tier=instance.key.tier,
        split=instance.key.split,
        family=instance.question.family,
        operator=instance.question.operator,
        events=int(instance.realised.get("events", len(instance.history.records))),
        blocks=instance.history.blocks,
        question=instance.question.text,
        query=dict(instance.question.parameters),
        checklist=[claim_to_json(claim) for claim in instance.answer.checklist],
    )
    return Sample(
        id=item.id,
        input=[chat_message(message) for message in instance.messages],
        target=instance.answer.text,
        metadata=metadata.model_dump(mode="json"),
    )


@solver
def reply(seconds: float | None = None) -> Solver:
    """One reply of the model; a generation that fails is an outcome of its sample.

    What would fail every other sample in the same way, such as a server that is gone, ends the
    run: finished samples stay in the log, and `inspect eval-retry` goes on from there. So does a
    mistake of ours, with its traceback.

    Args:
        seconds: How long after the first reply began the last one is cut off, as an error.
    """
    clock = Clock(seconds)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if state.model.api == PROVIDER:
            _tell(state)
        try:
            with move_on_after(clock.left()):
                return await generate(state)
            state.output = ModelOutput(model=str(state.model), error=OUT_OF_TIME)
            return state
        except LimitExceededError:
            raise  # Inspect notes which limit it was, and has the sample scored
        except Exception as error:
            causes = list(_causes(error))
            if isinstance(error, ModelError) or not _failed(state.model.api, causes[-1]):
                raise
            said = f"{type(causes[-1]).__name__}: {causes[-1]}"
            if any(_ends_the_run(cause) for cause in causes):
                raise ModelError(f"{state.model} cannot be asked: {said}") from error
            state.output = ModelOutput(model=str(state.model), error=said)
            return state

    return solve


def _tell(state: TaskState) -> None:
    """Gives a baseline the operator and its parameters, beside the text and never in it."""
    known = state.metadata_as(EvolveMetadata)
    asked = {
        "prototype": known.prototype,
        "operator": known.operator,
        "family": known.family,
        "parameters": known.query,
        "text": known.question,
    }
    state.messages[-1].metadata = {"asked": asked}


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error of a client and what it wraps, up to the client's own words for it.

    Below those lie the sockets, whose words say less.
    """
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__ if type(seen).__name__ == "RetryError" else None


def _failed(provider: str, error: BaseException) -> bool:
    """Whether a generation failed; otherwise the error is a mistake in our own code.

    The clients of others raise what they like. Of ours, a baseline says what is wrong with its
    text, and a local model fails in the software that serves and asks it.
    """
    if provider != PROVIDER or isinstance(error, SupersedeError | OSError):
        return True
    return type(error).__module__.partition(".")[0] in _SERVING


def _ends_the_run(error: BaseException) -> bool:
    """Whether no other sample can succeed either: nobody answers, or nobody lets us in.

    The clients of providers name a lost connection alike, without a class in common.
    """
    names = {kind.__name__ for kind in type(error).__mro__}
    lost = names & {"APIConnectionError", "ConnectError"} and "APITimeoutError" not in names
    refused = getattr(error, "status_code", None) in _STOPS
    return bool(lost) or refused or isinstance(error, ConnectionError)


@metric(scores="unreduced")
def evolve_by_tier() -> Metric:
    """avg@k and pass@k per tier and overall, with the ends of their intervals."""

    def measure(scores: list[SampleScore]) -> Value:
        report = _report(scores)
        found: dict[str, float] = {}
        for row in (report.overall, *report.tiers):
            found |= _means(row) | _ends(row)
        return found

    return measure


@metric(scores="unreduced")
def evolve_by_family() -> Metric:
    """avg@k and pass@k per family of operators."""

    def measure(scores: list[SampleScore]) -> Value:
        found: dict[str, float] = {}
        for row in _report(scores).families:
            found |= _means(row)
        return found

    return measure


@metric(scores="unreduced")
def evolve_outcomes() -> Metric:
    """How many replies had each of the five outcomes."""

    def measure(scores: list[SampleScore]) -> Value:
        return {str(name): n for name, n in _report(scores).overall.outcomes.items()}

    return measure


@metric(scores="unreduced")
def evolve_error_labels() -> Metric:
    """How many wrong replies failed first by each of the five error labels."""

    def measure(scores: list[SampleScore]) -> Value:
        return {str(name): n for name, n in _report(scores).labels.counts.items()}

    return measure


@scorer(metrics=[evolve_by_tier(), evolve_by_family(), evolve_outcomes(), evolve_error_labels()])
def evolve_scorer() -> Scorer:
    """1 for a right reply and 0 for any other; the metadata keeps the outcomes apart."""

    async def score(state: TaskState, target: Target) -> Score:
        known = state.metadata_as(EvolveMetadata)
        graded = grade_output(state.output, known.asked(), known.claims())
        metadata = Graded(
            outcome=graded.outcome, label=graded.label, satisfied=list(graded.satisfied)
        )
        return Score(
            value=1 if graded.outcome is Outcome.RIGHT else 0,
            answer=_last_line(state.output.completion),
            explanation=graded.reason,
            reason=_REASONS.get(graded.outcome),
            metadata=metadata.model_dump(mode="json"),
        )

    return score


_REASONS: Mapping[Outcome, str] = {
    Outcome.UNPARSABLE: "invalid_response_format",
    Outcome.REFUSED: "refusal",
    Outcome.ERROR: "generation_failed",
}
"""The words of Inspect for scores that stem from no answer."""


def grade_output(output: ModelOutput, question: Question, checklist: tuple[Claim, ...]) -> Grade:
    """The grade of what a model returned, an error or nothing included."""
    nothing = (False,) * len(checklist)
    if output.error is not None:
        return Grade(Outcome.ERROR, nothing, None, f"the generation failed: {output.error}")
    if not output.choices:
        return Grade(Outcome.ERROR, nothing, None, "a limit ended the generation")
    if output.stop_reason == "model_length":
        return Grade(Outcome.ERROR, nothing, None, "the prompt does not fit the context window")
    graded = grade(question, checklist, output.completion)
    if output.stop_reason == "content_filter" and graded.outcome is Outcome.UNPARSABLE:
        return Grade(Outcome.REFUSED, nothing, None, "the provider's content filter stopped it")
    return graded


def _last_line(reply: str) -> str:
    """The line that holds the answer, as a viewer shows it; grading does not look at it."""
    lines = [line.strip() for line in reply.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def trial_of(sample_id: str | int, metadata: Mapping[str, Any] | None, score: Score) -> Trial:
    """A graded reply, as the metrics take it.

    Args:
        sample_id: Id of the instance.
        metadata: Of the sample.
        score: Given by `evolve_scorer`.
    """
    known = EvolveMetadata.model_validate(metadata)
    graded = Graded.model_validate(score.metadata)
    return Trial(
        str(sample_id), known.tier, known.prototype, known.family, graded.outcome, graded.label
    )


def _report(scores: list[SampleScore]) -> EvolveReport:
    trials = [
        trial_of(score.sample_id or "", score.sample_metadata, score.score) for score in scores
    ]
    counts: dict[str, int] = {}
    for trial in trials:
        counts[trial.instance] = counts.get(trial.instance, 0) + 1
    return evolve_report(trials, max(counts.values(), default=1))


def _means(row: EvolveRow) -> dict[str, float]:
    return {f"{row.name} avg": row.average.value, f"{row.name} pass": row.passed.value}


def _ends(row: EvolveRow) -> dict[str, float]:
    return {
        f"{row.name} avg low": row.average.low,
        f"{row.name} avg high": row.average.high,
        f"{row.name} pass low": row.passed.low,
        f"{row.name} pass high": row.passed.high,
    }
