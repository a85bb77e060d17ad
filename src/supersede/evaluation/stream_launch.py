"""`inspect eval supersede/stream` as a child process, with our defaults; and what it would take."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from supersede.corpus.lock import locked
from supersede.errors import ModelError, SupersedeError, UsageError, did_you_mean
from supersede.evaluation.launch import Interrupted, model_name, need_inspect, need_place
from supersede.evaluation.launch import (
    _run as run_inspect,  # one way to run Inspect for both tasks
)
from supersede.evaluation.stream_data import StreamOptions, chosen_streams, stream_options
from supersede.evaluation.stream_journal import JOURNAL_NAME, Journal
from supersede.evaluation.stream_memory import (
    memory_maker,
    memory_title,
    settings_maker,
    thinking_tokens,
)
from supersede.evaluation.stream_pilot import earlier_run
from supersede.evaluation.stream_role import role_model
from supersede.evaluation.weights import EMBEDDED_MODELS
from supersede.memories import Budget
from supersede.memories.pilot import Pilot
from supersede.memories.plan import NOTHING, Plan, learn, plan_stream
from supersede.memories.profiles import Profile, profile_of
from supersede.memories.registry import memory_kind
from supersede.streams.ladder import LADDER
from supersede.streams.scoring import MAX_ERROR_RATE

if TYPE_CHECKING:
    from supersede.evaluation.stream_results import StreamRun

__all__ = ["StreamLaunch", "StreamPlan", "plan_stream_run", "run_stream", "stream_model_name"]

_TASK = "supersede/stream"
_PROVIDER = "supersede/"
_CONNECTIONS = "10"


@dataclass(frozen=True, slots=True)
class StreamLaunch:
    """What is to be run."""

    data: Path
    """A file of streams."""
    model: str
    """An embedded model, a baseline, or any model of Inspect."""
    memory: str = "base"
    retriever: str = "bm25"
    embedder: str = "hashing"
    shown: int | None = None
    context_limit: int | None = None
    confidence: str = "none"
    """`stated`: the model is asked for it; `logprobs`: that of the words of each answer."""
    documents: int | None = None
    chunks: int | None = None
    questions: int | None = None
    epochs: int | None = None
    """Runs of each document; one where left out."""
    fresh: bool = False
    max_error_rate: float = MAX_ERROR_RATE
    thinking_tokens: int | None = None
    """Tokens that the memory's model may think before each reply; what is known of it if left
    out."""
    pilot: Path | None = None
    """Of a dry run: the journal of an earlier run to go by, or its folder; that of the run's own
    logs where left out."""
    log_dir: Path = Path("logs")
    inspect_options: tuple[str, ...] = ()
    """Handed to `inspect eval` as they are."""

    def options(self) -> dict[str, Any]:
        """The options of the task that are not as by default."""
        given = {
            "data": self.data.absolute(),
            "memory": self.memory,
            "retriever": self.retriever,
            "embedder": self.embedder,
            "shown": self.shown,
            "context_limit": self.context_limit,
            "confidence": "stated" if self.confidence == "stated" else "none",
            "documents": self.documents,
            "chunks": self.chunks,
            "questions": self.questions,
            "fresh": self.fresh,
            "max_error_rate": self.max_error_rate,
            "thinking_tokens": self.thinking_tokens,
        }
        usual = {name: one.default for name, one in StreamOptions.model_fields.items()}
        return {name: value for name, value in given.items() if value != usual[name]}


class PlanPilot(NamedTuple):
    """An earlier run by which a plan goes."""

    journal: str
    replies: int
    """Replies to the memory that were measured."""
    chunks: int
    """Most chunks of a document that it had read; 0 where its prompts were others."""


@dataclass(frozen=True, slots=True)
class StreamPlan:
    """What a run takes, and with what that was reckoned."""

    model: str
    memory: str
    profile: Profile
    documents: int
    plan: Plan
    pilot: PlanPilot | None = None
    """The earlier run by which it goes; None where there is none and replies are assumed."""
    unasked: str = ""
    """A server of embeddings that is not asked for a plan: hashed words stand in for it."""


def stream_model_name(name: str) -> str:
    """A model as Inspect names it.

    Raises:
        UsageError: A name without a provider that is no embedded model, or no model of ours.
        ModelError: An embedded model whose weights are not there.
    """
    plain = name.removeprefix(_PROVIDER)
    ours = [*EMBEDDED_MODELS, *(_PROVIDER + baseline for baseline in LADDER)]
    if name in ours and name.startswith(_PROVIDER):
        return name
    if plain not in EMBEDDED_MODELS and ("/" not in name or name.startswith(_PROVIDER)):
        raise UsageError(
            f"unknown model {name!r}",
            mend=f"{did_you_mean(name, ours)} Others are named with their provider, as in "
            "openai/gpt-4o.",
        )
    return model_name(name)


def inspect_command(launch: StreamLaunch) -> list[str]:
    """The command line of Inspect: our own options, then the caller's as they are."""
    model = stream_model_name(launch.model)
    command = [sys.executable, "-P", "-m", "inspect_ai", "eval", _TASK, "--json"]
    command += ["--model", model, "--log-dir", str(launch.log_dir.absolute())]
    command += ["--no-log-model-api", "--max-samples", "1"]
    if not model.startswith(_PROVIDER):
        command += ["--max-connections", _CONNECTIONS]
    if launch.epochs is not None:
        command += ["--epochs", str(launch.epochs)]
    if launch.confidence == "logprobs":
        command += ["--logprobs"]
    for name, value in launch.options().items():
        command += ["-T", f"{name}={value}"]
    return [*command, *launch.inspect_options]


def run_stream(launch: StreamLaunch) -> StreamRun:
    """Runs the evaluation, or goes on with one that was interrupted, and reads its log.

    Returns:
        The finished run. Standard output stays free; messages of Inspect and, on a terminal, a
        line of progress go to standard error.

    Raises:
        UsageError: An option, a name or a model is wrong, or a run of the kind is at work.
        DataError: The data are.
        ModelError: The model cannot be had, or did not last; its answers are in the journal.
        Interrupted: A person stopped it; says what is kept and how to go on.
    """
    need_inspect()
    _check(launch)
    launch.log_dir.mkdir(parents=True, exist_ok=True)
    try:
        with locked(launch.log_dir, _lock_name(launch), work="run of this memory and model"):
            location = run_inspect(inspect_command(launch))
    except KeyboardInterrupt:
        raise Interrupted(_kept(launch) or "nothing was answered") from None
    if location is None:
        raise _ended(launch, UsageError("Inspect did not run to its end"))
    from supersede.evaluation.stream_results import read_stream_run

    run = read_stream_run(location)
    if run.status != "success":
        why = run.error or f"Inspect ended the run with status {run.status!r}"
        raise _ended(launch, ModelError(why))
    return run


def _lock_name(launch: StreamLaunch) -> str:
    """The file that keeps a second run of the kind from asking the same questions."""
    kind = f"{memory_title(stream_options(launch.options()))}/{stream_model_name(launch.model)}"
    return f".{JOURNAL_NAME}.{sha256(kind.encode()).hexdigest()[:12]}.lock"


def plan_stream_run(launch: StreamLaunch) -> StreamPlan:
    """What a run takes; no model and no server is asked, and none is started.

    Raises:
        UsageError: An option or a name is wrong, or the model's window is not known.
        DataError: The data are wrong.
    """
    options = stream_options(launch.options())
    streams = chosen_streams(options)
    model = _inspect_name(launch.model)
    profile = profile_of(model, context_limit=options.context_limit)
    reader = memory_model(launch)
    thinking = thinking_tokens(options, reader, profile.context_limit)
    budget = Budget(profile.context_limit, profile.reserve, thinking=thinking)
    title = memory_title(options)
    options, unasked = _without_servers(options)
    make_settings = settings_maker(options, budget)
    make = memory_kind(options.memory).make
    epochs = launch.epochs or 1
    total = NOTHING
    earlier = earlier_run(launch.pilot, launch.log_dir, title, reader)
    pilot = None
    if earlier is not None:
        settled = [(given, make_settings(given)) for given in streams]
        recall, others = earlier.recall(thinking), earlier.others(budget.counter)
        pilot = Pilot(recall, asyncio.run(learn(settled, make, recall, others)))
    for given in streams:
        plan = asyncio.run(plan_stream(given, make, make_settings(given), pilot))
        for _ in range(epochs):
            total += plan
    gone_by = None
    if earlier is not None and pilot is not None:
        lessons = pilot.lessons
        gone_by = PlanPilot(str(earlier.path), lessons.replies, lessons.chunks)
    return StreamPlan(model, title, profile, len(streams), total, gone_by, unasked)


def _without_servers(options: StreamOptions) -> tuple[StreamOptions, str]:
    """The options with hashed words in place of servers of embeddings, and those that it uses."""
    settings_maker(options, Budget())  # what is wrong with the names of them shows now
    used = memory_kind(options.memory).uses
    chosen = {"retriever": options.retriever, "embedder": options.embedder}
    servers = {name: spec for name, spec in chosen.items() if spec.startswith("endpoint:")}
    instead = options.model_copy(update=dict.fromkeys(servers, "hashing"))
    return instead, ", ".join(spec for name, spec in servers.items() if name in used)


def _check(launch: StreamLaunch) -> None:
    """Finds a person's mistakes before Inspect is started."""
    if launch.epochs is not None and launch.epochs < 1:
        raise UsageError(f"epochs={launch.epochs} is less than 1")
    if launch.inspect_options and not launch.inspect_options[0].startswith("-"):
        raise UsageError(
            f"unexpected argument {launch.inspect_options[0]!r}",
            mend="Options of Inspect follow --, as in: -- --temperature 0",
        )
    if launch.pilot is not None:
        raise UsageError(
            f"pilot={launch.pilot} is for dry runs: a run goes on from its own journal",
            mend="Add --dry-run, or leave --pilot out.",
        )
    options = stream_options(launch.options())
    stream_model_name(launch.model)
    memory_maker(options, Budget())
    chosen_streams(options)
    need_place(launch.model, launch.log_dir, launch.inspect_options)


def _ended(launch: StreamLaunch, error: SupersedeError) -> SupersedeError:
    """The error of a run that ended early, with what is kept of it."""
    mend = "It says above why."
    if kept := _kept(launch):
        mend = kept
    elif isinstance(error, ModelError):
        mend = "Nothing was answered."
    return type(error)(error.what, where=error.where, mend=mend)


def _kept(launch: StreamLaunch) -> str:
    """What the journal holds of a run, and how to go on; empty where it holds nothing."""
    path = launch.log_dir / JOURNAL_NAME
    if not path.exists():
        return ""
    memory = memory_title(stream_options(launch.options()))
    with Journal(path) as journal:
        answers = journal.count(memory, stream_model_name(launch.model))
        replies = journal.count_replies(memory, memory_model(launch))
    kept = [f"{answers:,} answer{'' if answers == 1 else 's'}"] if answers else []
    kept += [f"{replies:,} repl{'y' if replies == 1 else 'ies'} to the memory"] if replies else []
    if not kept:
        return ""
    said = f"{' and '.join(kept)} {'is' if answers + replies == 1 else 'are'}"
    return f"{said} kept in {path}: the same command again goes on from there."


def memory_model(launch: StreamLaunch) -> str:
    """The model that the memory of a run asks, as Inspect names it, without its settings."""
    return role_model(launch.inspect_options) or _inspect_name(launch.model)


def _inspect_name(name: str) -> str:
    """A model as Inspect names it, whether or not the weights of an embedded one are there."""
    return f"{_PROVIDER}{name}" if name in EMBEDDED_MODELS else stream_model_name(name)
