"""`inspect eval supersede/evolve` as a child process, with our defaults and a report of its log."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from supersede.errors import ModelError, SupersedeError, UsageError, did_you_mean
from supersede.evaluation.baselines import BASELINES, our_models
from supersede.evaluation.evolve_data import chosen_items, evolve_options, read_items
from supersede.evaluation.weights import EMBEDDED_MODELS, find_weights

if TYPE_CHECKING:
    from supersede.evaluation.results import EvolveRun

__all__ = [
    "RUN_DEFAULTS",
    "Interrupted",
    "Launch",
    "inspect_command",
    "model_name",
    "need_inspect",
    "run_evolve",
]

RUN_DEFAULTS: Mapping[str, str] = {
    "INSPECT_EVAL_NO_LOG_REALTIME": "1",
    "INSPECT_EVAL_LOG_BUFFER": "1",
}
"""Settings of Inspect that a task cannot make: no database for a live view, which halves the
speed, and each finished sample in the log at once, so that none is lost with the process. What
the environment says wins."""

_TASK = "supersede/evolve"
_PROVIDER = "supersede/"
_END_SECONDS = 5.0
_REMOTE = ("anthropic", "google", "grok", "groq", "mistral", "openai", "openrouter", "together")
"""Providers whose models are made at once: nothing is loaded, started or asked."""


class Interrupted(KeyboardInterrupt):
    """A run that a person stopped; its words say what is kept of it and how to go on."""


@dataclass(frozen=True, slots=True)
class Launch:
    """What is to be run."""

    data: Path
    """JSONL file, or directory of such files."""
    model: str
    """An embedded model, or any model of Inspect."""
    epochs: int | None = None
    """Replies per instance; five where left out."""
    tiers: tuple[str, ...] = ()
    """Tiers; all where empty."""
    limit_per_tier: int | None = None
    log_dir: Path = Path("logs")
    inspect_options: tuple[str, ...] = ()
    """Handed to `inspect eval` as they are."""


def model_name(name: str) -> str:
    """A model as Inspect names it: an embedded one becomes one of our provider.

    Raises:
        UsageError: A name without a provider that is no embedded model, or no model of ours.
        ModelError: An embedded model whose weights are not there.
    """
    ours = [*EMBEDDED_MODELS, *(_PROVIDER + baseline for baseline in BASELINES)]
    plain = name.removeprefix(_PROVIDER)
    if plain in EMBEDDED_MODELS:
        find_weights(plain)
        return _PROVIDER + plain
    if "/" not in name or (name.startswith(_PROVIDER) and name not in ours):
        near = did_you_mean(name, ours)
        hint = f"{near} " if near.startswith("Did") else ""
        raise UsageError(
            f"unknown model {name!r}",
            mend=f"{hint}Ours are {our_models()}; others are named with their provider, as in "
            "openai/gpt-4o.",
        )
    return name


def inspect_command(launch: Launch) -> list[str]:
    """The command line of Inspect: our own options, then the caller's as they are."""
    given = {"data": str(launch.data.absolute())}
    if launch.tiers:
        given["tiers"] = ",".join(launch.tiers)
    if launch.limit_per_tier is not None:
        given["limit_per_tier"] = str(launch.limit_per_tier)
    command = [sys.executable, "-P", "-m", "inspect_ai", "eval", _TASK, "--json"]
    command += ["--model", model_name(launch.model), "--log-dir", str(launch.log_dir.absolute())]
    if launch.epochs is not None:
        command += ["--epochs", str(launch.epochs)]
    for name, value in given.items():
        command += ["-T", f"{name}={value}"]
    return [*command, *launch.inspect_options]


def run_evolve(launch: Launch) -> EvolveRun:
    """Runs the evaluation and reads its log.

    Returns:
        The finished run. Standard output stays free; messages of Inspect and progress go to
        standard error.

    Raises:
        UsageError: An option, a name or a model is wrong.
        DataError: The data are.
        ModelError: The model cannot be had, or did not last; finished replies are in the log.
        Interrupted: A person stopped it; says what is kept and how to go on.
    """
    need_inspect()
    _check(launch)
    began = time.time()
    try:
        location = _run(inspect_command(launch))
    except KeyboardInterrupt:
        raise _interrupted(launch, began) from None
    if location is None:
        raise UsageError("Inspect did not run the evaluation", mend="It says above why.")
    from supersede.evaluation.results import read_run

    run = read_run(location)
    if run.status != "success":
        raise _unfinished(run)
    return run


def need_inspect() -> None:
    """Returns if Inspect is installed.

    Raises:
        ModelError: It is not.
    """
    if importlib.util.find_spec("inspect_ai") is None:
        raise ModelError(
            "Inspect, which runs evaluations, is not installed",
            mend="Install it with: pip install 'supersede[eval]'",
        )


def need_place(model: str, log_dir: Path, inspect_options: Sequence[str]) -> None:
    """Returns if Inspect will find the model's provider, its key and a folder for its logs.

    Raises:
        UsageError: There is no such provider, or the folder cannot be written.
        ModelError: The provider needs a key or a package that is not there.
    """
    try:
        log_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write logs: {error.strerror}", where=str(log_dir)) from None
    if not os.access(log_dir, os.W_OK | os.X_OK):
        raise UsageError("cannot write logs: Permission denied", where=str(log_dir))
    provider, slash, _ = model.partition("/")
    if not slash or provider == "supersede":
        return
    from inspect_ai._util.dotenv import init_dotenv
    from inspect_ai._util.error import PrerequisiteError
    from inspect_ai._util.registry import registry_find, registry_unqualified_name
    from inspect_ai.model import get_model

    if provider in _REMOTE and not inspect_options:
        init_dotenv()
        try:
            get_model(model, memoize=False)
        except PrerequisiteError as error:
            said = re.sub(r"^\s*ERROR: |\[/?[a-z][a-z ]*\]", "", str(error.message))
            raise ModelError(said, where=model) from None
    elif not registry_find(
        lambda info: info.type == "modelapi" and registry_unqualified_name(info) == provider
    ):
        raise UsageError(
            f"unknown model {model!r}: Inspect has no provider {provider!r}",
            mend="Name one of its providers, as in openai/gpt-4o.",
        )


def _check(launch: Launch) -> None:
    """Finds a person's mistakes before Inspect is started."""
    given: dict[str, object] = {"data": launch.data, "limit_per_tier": launch.limit_per_tier}
    if launch.tiers:
        given["tiers"] = ",".join(launch.tiers)
    options = evolve_options(given)
    if launch.epochs is not None and launch.epochs < 1:
        raise UsageError(f"epochs={launch.epochs} is less than 1")
    if launch.inspect_options and not launch.inspect_options[0].startswith("-"):
        raise UsageError(
            f"unexpected argument {launch.inspect_options[0]!r}",
            mend="Options of Inspect follow --, as in: -- --temperature 0",
        )
    model_name(launch.model)
    chosen_items(read_items(launch.data), options)
    need_place(launch.model, launch.log_dir, launch.inspect_options)


def _run(command: Sequence[str]) -> str | None:
    """Runs Inspect to its end; where its log lies, or None where it did not begin."""
    environment = {**RUN_DEFAULTS, **os.environ, "SUPERSEDE_PROGRESS": "1"}
    location = None
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if line.startswith("{") and '"done"' in line:
                    done = json.loads(line)
                    location = done["logs"][0]["location"] if done.get("logs") else None
        except KeyboardInterrupt:
            _let_end(process)
            raise
    return location


def _let_end(process: subprocess.Popen[str]) -> None:
    """Gives Inspect, which a Ctrl-C on the terminal reaches too, the time to close its log."""
    try:
        process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)  # only this process was interrupted
        process.wait()
    except KeyboardInterrupt:  # a second one, which reaches Inspect too and ends it at once
        with suppress(subprocess.TimeoutExpired):
            process.wait(_END_SECONDS)
        process.kill()
        process.wait()


def _interrupted(launch: Launch, began: float) -> Interrupted:
    """What is kept of a run that a person interrupted."""
    logs = [log for log in launch.log_dir.glob("*.eval") if log.stat().st_mtime >= began]
    if not logs:
        return Interrupted("nothing is graded yet, and there is no log")
    from supersede.evaluation.results import read_run

    run = read_run(max(logs, key=lambda log: log.stat().st_mtime).absolute())
    return Interrupted(_kept(run))


def _kept(run: EvolveRun) -> str:
    """What of a run is in its log, and how to go on."""
    return (
        f"{len(run.replies)} of {run.planned} replies are graded and in {run.log}; "
        f"go on with: inspect eval-retry {run.log}"
    )


def _unfinished(run: EvolveRun) -> SupersedeError:
    """The error of a run that ended early."""
    why = run.error or f"Inspect ended the run with status {run.status!r}"
    return ModelError(why, mend=_kept(run))
