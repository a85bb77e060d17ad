"""`supersede eval stream`: a model, a memory, and texts that arrive chunk by chunk."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from supersede.cli.groups import examples
from supersede.cli.stream_options import as_prices, json_option, limit_option, prices_option
from supersede.cli.stream_tables import MEASURE_NAMES, ends_text, group_table, value_text
from supersede.errors import CheckFailed
from supersede.evaluation.launch import Interrupted
from supersede.evaluation.stream_launch import (
    PlanPilot,
    StreamLaunch,
    StreamPlan,
    plan_stream_run,
    run_stream,
)
from supersede.evaluation.tables import text_table
from supersede.memories.plan import Plan, Prices
from supersede.memories.registry import memories
from supersede.metrics.stream_report import StreamReport, report_data
from supersede.reports.calls import run_dollars, stage_dollars

if TYPE_CHECKING:
    from supersede.evaluation.stream_results import StreamRun

__all__ = ["stream"]

_MEASURES = ("accuracy", "al", "ds", "pm", "final_accuracy", "boundary_accuracy")
"""Measures in the table after a run; `supersede score` has all."""
_REASONS = 3  # why calls failed, as far as a terminal tells
_ANSWER_TOKENS = 60
"""Of a reply, where a plan needs a number: one short sentence and the answer."""


def _named() -> str:
    """All memories, each with its line."""
    return "; ".join(f"{kind.name}: {kind.summary}" for kind in memories())


def _users(setting: str) -> str:
    """Our memories that use a setting."""
    found = (kind.name for kind in memories() if kind.package is None and setting in kind.uses)
    return ", ".join(found)


@click.command(
    epilog=examples(
        "supersede eval stream babi.jsonl --model smollm2 --memory rag",
        "supersede eval stream babi.jsonl --model openai/gpt-4o-mini --context-limit 128000 "
        "--dry-run",
        "supersede eval stream babi.jsonl --model supersede/stale-by-one",
    )
)
@click.argument("data", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--model",
    required=True,
    help="An embedded model (smollm2), a baseline (supersede/oracle) or any model of Inspect.",
)
@click.option(
    "--memory",
    default="base",
    show_default=True,
    metavar="NAME",
    help=f"What a prompt shows of the past: {_named()}.",
)
@click.option(
    "--retriever",
    default="bm25",
    show_default=True,
    help="What a memory that retrieves chunks searches with: bm25, dense, dense:MODEL or "
    f"endpoint:MODEL@URL. For {_users('retriever')}.",
)
@click.option(
    "--embedder",
    default="hashing",
    show_default=True,
    help="What a memory with vectors compares texts by: hashing, dense, dense:MODEL or "
    f"endpoint:MODEL@URL. For {_users('embedder')}.",
)
@click.option(
    "--shown",
    type=click.IntRange(min=2),
    help="Most chunks or notes that a memory shows; rag+window has half of each kind. For "
    f"{_users('shown')}.  [default: the memory's own]",
)
@click.option("--limit", type=int, help="Only the first so many documents.")
@click.option("--limit-chunks", type=int, help="Only the first so many intervals of each.")
@click.option("--limit-questions", type=int, help="Only the first so many questions of each.")
@click.option(
    "--context-limit",
    type=int,
    help="Tokens of prompt and reply together that the model reads.  [default: what is known]",
)
@click.option(
    "--confidence",
    type=click.Choice(["none", "stated", "logprobs"]),
    default="none",
    show_default=True,
    help="Write the model's confidence beside each answer, for supersede hysteresis: as it states "
    "it, or from the probabilities of its words.",
)
@click.option(
    "--thinking-tokens",
    type=click.IntRange(min=0),
    help="Tokens that a memory's model may think before each reply to the memory, beside the most "
    "that a stage's reply has; of answers, -- --max-tokens says so.  [default: what is known]",
)
@click.option("--epochs", type=int, help="Runs of each document.  [default: 1]")
@click.option("--dry-run", is_flag=True, help="Only say what the run takes; nothing is asked.")
@click.option(
    "--pilot",
    type=click.Path(path_type=Path),
    help="Of a dry run: the journal, or the folder of logs, of an earlier run of this memory and "
    "model, also of a part, whose replies tell how long others will be.  [default: --log-dir]",
)
@prices_option("the cost of a run or of a dry run")
@click.option("--fresh", is_flag=True, help="Ask everything again, also what is answered already.")
@limit_option("the exit code is 1")
@click.option(
    "--log-dir",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("logs"),
    show_default=True,
    help="Where the log, the predictions and the journal of answers go.",
)
@json_option()
@click.argument("inspect_options", nargs=-1, type=click.UNPROCESSED)
def stream(
    data: Path,
    model: str,
    memory: str,
    retriever: str,
    embedder: str,
    shown: int | None,
    limit: int | None,
    limit_chunks: int | None,
    limit_questions: int | None,
    context_limit: int | None,
    confidence: str,
    thinking_tokens: int | None,
    epochs: int | None,
    dry_run: bool,
    pilot: Path | None,
    prices: str | None,
    fresh: bool,
    max_error_rate: float,
    log_dir: Path,
    as_json: bool,
    inspect_options: tuple[str, ...],
) -> None:
    """Ask a model every question of the streams in FILE after every chunk, and score it.

    Each answer is written down at once: after an interruption the same command goes on where it
    stopped. The predictions lie beside the log, in the form that `supersede score` reads. What
    follows -- goes to `inspect eval` as it is; `inspect eval supersede/stream -T data=FILE
    --model M` does the same as this command.
    """
    launch = StreamLaunch(
        data,
        model,
        memory=memory,
        retriever=retriever,
        embedder=embedder,
        shown=shown,
        context_limit=context_limit,
        confidence=confidence,
        documents=limit,
        chunks=limit_chunks,
        questions=limit_questions,
        epochs=epochs,
        fresh=fresh,
        max_error_rate=max_error_rate,
        thinking_tokens=thinking_tokens,
        pilot=pilot,
        log_dir=log_dir,
        inspect_options=inspect_options,
    )
    paid = as_prices(prices)
    if dry_run:
        _print_plan(plan_stream_run(launch), paid, as_json)
        return
    try:
        run = run_stream(launch)
    except Interrupted as stop:
        click.echo(f"\n{stop}", err=True)
        raise
    if as_json:
        print(json.dumps(_data(run, paid), indent=2))
    else:
        print("\n\n".join(_blocks(run, paid)))
    if run.failed:
        lost = run.calls["errors"] + run.calls["missing"]
        raise CheckFailed(
            f"{lost:,} of {run.calls['expected']:,} calls failed, {run.error_rate:.2%} and more "
            f"than {run.max_error_rate:.2%}",
            mend="The same command again asks these, and only these.",
        )


def _print_plan(planned: StreamPlan, prices: Prices | None, as_json: bool) -> None:
    plan, profile = planned.plan, planned.profile
    cost = None if prices is None else plan.cost(prices, answer_tokens=_ANSWER_TOKENS)
    if as_json:
        cut = [one._asdict() for one in plan.cut]
        found = {
            "model": planned.model,
            "memory": planned.memory,
            "context_limit": profile.context_limit,
            "documents": planned.documents,
            "calls": plan.calls,
            "memory_calls": {name: asdict(stage) for name, stage in plan.stages.items()},
            "input_tokens": plan.input_tokens,
            "fresh_tokens": plan.fresh_tokens,
            "cached_share": plan.cached_share,
            "longest": plan.longest,
            "answer_tokens": _ANSWER_TOKENS,
            "cost": cost,
            "cut_calls": len(plan.cut),
            "cut": cut,
            "pilot": None if planned.pilot is None else planned.pilot._asdict(),
            "unasked": planned.unasked,
        }
        print(json.dumps(found, indent=2))
        return
    rows = [
        ["documents", f"{planned.documents:,}"],
        ["answers", f"{plan.calls:,}"],
        ["prompt tokens, about", f"{plan.input_tokens:,}"],
        ["  with a prefix cache", f"{plan.fresh_tokens:,} ({1 - plan.cached_share:.1%})"],
        ["longest prompt", f"{plan.longest:,}"],
        ["context limit", f"{profile.context_limit:,}" if profile.context_limit else "none"],
        ["answers with a cut context", f"{len(plan.cut):,}"],
    ]
    if cost is not None:
        most = "at most, " if plan.stages and planned.pilot is None else ""
        rows.append([f"dollars, {most}{_ANSWER_TOKENS} tokens an answer", f"{cost:,.2f}"])
    print(f"{planned.model}, memory {planned.memory}: nothing is asked yet\n")
    print(text_table(["plan", ""], rows))
    if plan.stages:
        print(f"\n{_stage_plans(plan, measured=planned.pilot is not None)}")
    if planned.pilot is not None:
        print(f"\n{_pilot_line(planned.pilot)}")
    if planned.unasked:
        print(f"\n{planned.unasked} is not asked: texts are compared by hashed words instead")


def _stage_plans(plan: Plan, *, measured: bool) -> str:
    """The calls of the memory, stage by stage; with what replies will have where it is known."""
    rows = [
        [
            name,
            f"{stage.calls:,}",
            f"{stage.input_tokens:,}",
            *([f"{stage.likely_tokens:,}"] if measured else []),
            f"{stage.output_tokens:,}",
        ]
        for name, stage in (*plan.stages.items(), ("all", plan.memory))
    ]
    header = ["calls of the memory", "calls", "prompt tokens, about"]
    header += ["reply tokens, about"] if measured else []
    return text_table([*header, "reply tokens, at most"], rows)


def _pilot_line(pilot: PlanPilot) -> str:
    """By what a plan goes."""
    read = "whose prompts were others, so that their growth is not known"
    if pilot.chunks:
        read = f"given over the first {pilot.chunks:,} chunks"
    replies = f"{pilot.replies:,} replies of {pilot.journal}"
    return f"lengths of replies, and how they grow, as measured on {replies}, {read}"


def _data(run: "StreamRun", prices: Prices | None) -> dict[str, Any]:
    return {
        "model": run.model,
        "memory": run.memory,
        "log": run.log,
        "predictions": [str(path) for path in run.predictions],
        **report_data(run.report),
        "error_rate": run.error_rate,
        "max_error_rate": run.max_error_rate,
        "failed": run.failed,
        "left_out": run.left_out,
        "failures": dict(run.failures),
        "calls": dict(run.calls),
        "resumed": run.calls.get("reused", 0) > 0,
        "cached_share": run.cached_share,
        "evidence": dict(run.evidence),
        "counters": dict(run.counters),
        "memory_calls": {stage: dict(counts) for stage, counts in run.stages.items()},
        "memory_model": run.memory_model,
        "question_aware_writes": run.question_aware_writes,
        "call_seconds": run.call_seconds,
        "wall_seconds": run.wall_seconds,
        "cost": None if prices is None else run_dollars(run, prices),
        "settings": dict(run.settings),
    }


def _blocks(run: "StreamRun", prices: Prices | None) -> Iterator[str]:
    """The parts of the report, to stand with a blank line between."""
    report = run.report
    yield _head(run, report)
    yield _measures(report)
    yield _subsets(report)
    yield "\n".join(_calls(run))
    if run.stages:
        yield _memory_calls(run)
    yield "\n".join(_spent(run, prices))
    places = [f"log: {run.log}", *(f"predictions: {path}" for path in run.predictions)]
    places.append(f"open it with: inspect view --log-dir {Path(run.log).parent}")
    yield "\n".join(places)


def _head(run: "StreamRun", report: StreamReport) -> str:
    lines = [
        f"{run.model}, memory {run.memory}: {report.questions:,} questions in "
        f"{report.streams:,} documents, {run.calls.get('expected', 0):,} answers"
    ]
    reused = run.calls.get("reused", 0)
    if reused:
        lines.append(f"resumed: {reused:,} of the answers were in the journal already")
    return "\n".join(lines)


def _measures(report: StreamReport) -> str:
    rows = [
        [
            MEASURE_NAMES[name],
            value_text(report.measures[name].estimate),
            ends_text(report.measures[name].estimate),
            ends_text(report.measures[name].bootstrap),
        ]
        for name in _MEASURES
    ]
    table = text_table(["measure", "value", "95 % (t)", "95 % (bootstrap)"], rows)
    return f"{table}\n1 - accuracy = AL + DS + PM; means over questions, intervals over documents"


def _subsets(report: StreamReport) -> str:
    groups = {**report.subsets, **report.types}
    asked = {name: group for name, group in groups.items() if group.questions}
    return group_table("subset or type", asked)


def _calls(run: "StreamRun") -> Iterator[str]:
    """Lines about the calls."""
    calls = run.calls
    kinds = [("errors", "failed"), ("refused", "refused"), ("unparsable", "unparsable")]
    said = [f"{calls.get(name, 0):,} {word}" for name, word in kinds]
    said.append(f"{calls.get('cut', 0):,} cut at the most tokens of a reply")
    yield f"replies: {', '.join(said)}"
    for reason, number in list(run.failures.items())[:_REASONS]:
        yield f"  failed {number:,} times: {reason}" if number > 1 else f"  failed: {reason}"
    if len(run.failures) > _REASONS:
        yield f"  and for {len(run.failures) - _REASONS:,} other reasons: see the predictions"
    if run.left_out:
        yield f"left out: {run.left_out:,} questions with a failed call"
    if calls.get("prompt_tokens"):
        line = f"prompt tokens: {calls['prompt_tokens']:,}"
        if run.cached_share is not None:
            line += f", of which the server had {run.cached_share:.1%} in its cache"
        yield f"{line}; reply tokens: {calls['output_tokens']:,}"
    if run.question_aware_writes:
        yield "what the memory keeps depends on the questions: it writes knowing them"
    if calls.get("truncated"):
        yield f"contexts cut to fit the window: {calls['truncated']:,}"
    needed = run.evidence.get("needed", 0)
    if needed:
        yield f"contexts that show the evidence: {run.evidence['shown'] / needed:.1%}"


def _memory_calls(run: "StreamRun") -> str:
    """What the memory asked a model for."""
    names = {"calls": "calls", "reused": "kept", "input_tokens": "prompt tokens",
             "output_tokens": "reply tokens", "malformed": "malformed", "fallbacks": "fallbacks",
             "cut": "cut"}  # fmt: skip
    rows = [
        [stage, *(f"{counts.get(name, 0):,.0f}" for name in names)]
        for stage, counts in (*run.stages.items(), ("all", run.memory_calls))
    ]
    table = text_table(["calls of the memory", *names.values()], rows)
    return f"{table}\nasked of {run.memory_model}; kept ones were in the journal already"


def _spent(run: "StreamRun", prices: Prices | None) -> Iterator[str]:
    """Lines about time and money."""
    line = f"seconds of calls: {run.call_seconds:,.1f}"
    if run.stages:
        line += f", of which {run.memory_calls['seconds']:,.1f} of the memory"
    if run.wall_seconds is not None:
        line += f"; by the clock, about: {run.wall_seconds:,.0f}"
    yield line
    if prices is not None:
        line = f"dollars: {run_dollars(run, prices):,.2f}"
        if run.stages:
            line += f", of which {stage_dollars(run.memory_calls, prices):,.2f} of the memory"
        yield line
