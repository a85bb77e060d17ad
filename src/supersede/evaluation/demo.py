"""The demonstration: instances are built, proved, answered by readers and a model, and graded."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from supersede.corpus.files import write_whole
from supersede.corpus.instances import instance_key, make_instance, writer_of
from supersede.corpus.prove import supported_tiers
from supersede.corpus.text_proof import prove_instance
from supersede.errors import CheckFailed, ModelError
from supersede.evaluation.baselines import BASELINES
from supersede.evaluation.launch import RUN_DEFAULTS, need_inspect
from supersede.evaluation.weights import find_weights
from supersede.model.instance import Instance, Split, Tier
from supersede.model.question import Outcome
from supersede.prototypes import load_prototype, prototype_files

if TYPE_CHECKING:
    from supersede.evaluation.results import EvolveRun, Reply

__all__ = ["Demo", "DemoPlan", "build_instances", "model_instances", "prove", "run_demo"]


@dataclass(frozen=True)
class DemoPlan:
    """What the demonstration does. The defaults keep it under five minutes on two cores."""

    tiers: tuple[Tier, ...] = tuple(Tier)
    per_tier: int = 12
    """Instances of each tier, at most one a theme before a second one."""
    model: str | None = "smollm2"
    """The embedded model, or None for baselines alone."""
    model_tiers: tuple[Tier, ...] = (Tier.VERY_SHORT, Tier.SHORT)
    """Tiers that the model is asked."""
    model_prototypes: int = 3
    """Worlds that the model is asked about: those with the shortest system messages."""
    model_per_tier: int = 6
    """Instances of each of these tiers."""
    seconds: float = 240.0
    """For all of it."""
    reply_tokens: int = 128
    """Most tokens of a reply of the model: the longest answers have about 100."""


@dataclass(frozen=True, slots=True)
class Demo:
    """What the demonstration found."""

    instances: tuple[Instance, ...]
    """All of them proved."""
    data: Path
    """Where they lie, one a line."""
    runs: tuple[EvolveRun, ...]
    """One for each model, baselines first."""
    no_model: str
    """Why the embedded model was not asked; empty where it was."""
    seconds: float
    """Time from start to end."""

    def shown(self) -> tuple[EvolveRun, Reply] | None:
        """One reply to read: of the language model, else of a reader that is mostly wrong."""
        readable = (Outcome.RIGHT, Outcome.WRONG, Outcome.UNPARSABLE, Outcome.REFUSED)
        by_model = {run.model: run for run in self.runs}
        language = [run for run in self.runs if run.model.split("/")[1] not in BASELINES]
        for run in (*language, by_model["supersede/last-mention"]):
            for outcome in readable:
                for reply in run.replies:
                    if reply.trial.outcome is outcome:
                        return run, reply
        return None


def run_demo(
    folder: Path, plan: DemoPlan | None = None, *, say: Callable[[str], None] = lambda _: None
) -> Demo:
    """Builds, proves, asks and grades; opens no connection but to a server on this machine.

    Args:
        folder: Where instances and logs go.
        plan: How much of it.
        say: Takes each line of progress.

    Raises:
        CheckFailed: An instance cannot be answered from its own text, or the oracle is wrong.
        ModelError: Inspect is not installed, or the model did not last.
    """
    need_inspect()
    plan = plan or DemoPlan()
    started = time.monotonic()
    instances = build_instances(plan)
    events = sum(int(instance.realised["events"]) for instance in instances)
    spent = time.monotonic() - started
    say(f"built {len(instances)} instances with {events:,} events in {spent:.1f} s")
    prove(instances)
    say(f"proved {len(instances)} of them: read back from the text, answered again, equal")
    data = _write(instances, folder / "instances.jsonl")
    runs = list(_ask_baselines(data, folder / "logs"))
    say(f"asked {len(runs)} readers without a language model")
    no_model = _missing(plan.model)
    if plan.model is not None and not no_model:
        left = plan.seconds - (time.monotonic() - started)
        say(f"asking {plan.model}, for at most {max(left, 1):.0f} s")
        asked = model_instances(plan)
        prove(asked)
        instances += [one for one in asked if one not in instances]
        file = _write(asked, folder / "model-instances.jsonl")
        runs.append(_ask_model(file, folder / "logs", plan, max(left, 1.0)))
    _check_oracle(runs)
    return Demo(tuple(instances), data, tuple(runs), no_model, time.monotonic() - started)


def build_instances(plan: DemoPlan) -> list[Instance]:
    """The instances of the plan, tier by tier, one prototype of each theme taking turns."""
    themes: dict[str, str] = {}
    for name, file in prototype_files().items():
        themes.setdefault(file.parent.name, name)
    return _taking_turns(list(themes.values()), plan.tiers, plan.per_tier)


def model_instances(plan: DemoPlan) -> list[Instance]:
    """What a small model is asked: few worlds, briefly introduced, several instances of each.

    Instances of one world share their system message, which the server then reads only once.
    """

    def length(name: str) -> int:
        return len(writer_of(load_prototype(name)).system)

    names = sorted(prototype_files(), key=length)[: plan.model_prototypes]
    return _taking_turns(names, plan.model_tiers, plan.model_per_tier)


def _taking_turns(names: Sequence[str], tiers: Sequence[Tier], count: int) -> list[Instance]:
    """`count` held-out instances of each tier, one of each prototype before a second one."""
    found: list[Instance] = []
    for tier in tiers:
        fitting = [name for name in names if tier in supported_tiers(load_prototype(name))]
        for i in range(count if fitting else 0):
            turn, place = divmod(i, len(fitting))
            key = instance_key(fitting[place], tier, turn, split=Split.HELDOUT)
            found.append(make_instance(key))
    return found


def prove(instances: Sequence[Instance]) -> None:
    """Returns if the text of every instance alone gives its answer, checklist and evidence.

    Raises:
        CheckFailed: Some text does not.
    """
    for instance in instances:
        fault = prove_instance(instance)
        if fault is not None:
            key = instance.key
            raise CheckFailed(fault, where=f"{key.prototype} {key.tier} {key.index}")


def _write(instances: Sequence[Instance], path: Path) -> Path:
    """Writes the instances, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, (json.dumps(one.to_json()).encode() + b"\n" for one in instances))
    return path


def _missing(model: str | None) -> str:
    """Why an embedded model cannot be asked; empty where it can."""
    if model is None:
        return "no model was asked for"
    try:
        find_weights(model)
    except ModelError as error:
        return str(error)
    return ""


def _ask_baselines(data: Path, logs: Path) -> list[EvolveRun]:
    models = [f"supersede/{name}" for name in BASELINES]
    return _evaluate(models, {"data": str(data.absolute())}, logs, {})


def _ask_model(data: Path, logs: Path, plan: DemoPlan, seconds: float) -> EvolveRun:
    options = {
        "data": str(data.absolute()),
        "seconds": seconds,
    }
    settings = {
        "max_samples": 1,  # so that the time is looked at before each reply
        "temperature": 0.0,
        "max_tokens": plan.reply_tokens,
    }
    (run,) = _evaluate([f"supersede/{plan.model}"], options, logs, settings)
    if run.status != "success":
        raise ModelError(
            run.error or f"the run of {run.model} has status {run.status!r}",
            mend=f"{len(run.replies)} of {run.planned} replies are graded and in {run.log}.",
        )
    return run


def _evaluate(
    models: list[str], options: Mapping[str, object], logs: Path, settings: Mapping[str, object]
) -> list[EvolveRun]:
    """Runs `supersede/evolve` on models one after the other, in this process."""
    with ExitStack() as stack:
        for name, value in {**RUN_DEFAULTS, "SUPERSEDE_PROGRESS": "1"}.items():
            if name not in os.environ:
                os.environ[name] = value
                stack.callback(os.environ.pop, name, None)
        from inspect_ai import eval as inspect_eval

        from supersede.evaluation.results import read_run

        found = inspect_eval(
            "supersede/evolve",
            model=models,
            task_args=dict(options),
            epochs=1,
            log_dir=str(logs),
            log_level="error",
            display="none",
            **settings,  # type: ignore[arg-type]
        )
    return [read_run(log) for log in found]


def _check_oracle(runs: Sequence[EvolveRun]) -> None:
    """The oracle is right by construction: anything else is a mistake of ours."""
    for run in runs:
        wrong = [reply for reply in run.replies if reply.trial.outcome is not Outcome.RIGHT]
        if run.model == "supersede/oracle" and (wrong or not run.replies):
            raise CheckFailed(
                f"the oracle is right on {len(run.replies) - len(wrong)} of {len(run.replies)} "
                "instances and must be on all",
                where=run.log,
            )
