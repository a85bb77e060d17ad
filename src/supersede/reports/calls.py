"""What only a log knows: evidence and retrieval, tokens and cache, settings."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from supersede.memories.plan import Prices
from supersede.reports.figures import percent
from supersede.reports.markup import NOTHING, Html, element, join
from supersede.reports.runs import Run
from supersede.reports.tables import table

if TYPE_CHECKING:
    from supersede.evaluation.stream_results import StreamRun

__all__ = [
    "cost",
    "dollars",
    "evidence",
    "memory_calls",
    "pass_at",
    "run_command",
    "run_dollars",
    "settings",
    "stage_dollars",
]

_KS = (1, 2, 3, 5, 10, 20)
_MILLION = 1_000_000
_BM25 = "(bm25"
_STAGE = {
    "calls": "Calls",
    "reused": "From the journal",
    "input_tokens": "Prompt tokens",
    "output_tokens": "Reply tokens",
    "malformed": "Malformed",
    "fallbacks": "Fallbacks",
    "cut": "Cut",
}
"""What is counted of a stage of a memory -> how a table calls it."""
_AWARE = {True: "yes", False: "no", None: "not told"}


def pass_at(ranks: Mapping[str, int], k: int) -> float:
    """The share of rankings that have the evidence among their first k.

    Args:
        ranks: One-based rank of the evidence -> rankings; 0 where it was not ranked.
        k: How many chunks are taken.
    """
    found = sum(n for rank, n in ranks.items() if 1 <= int(rank) <= k)
    total = sum(ranks.values())
    return found / total if total else float("nan")


def evidence(runs: Sequence[Run]) -> Html:
    """Whether the contexts held the evidence, and how highly it was ranked."""
    rows = []
    for run in runs:
        if run.log is None:
            continue
        needed, ranks = run.log.evidence.get("needed", 0), run.log.evidence.get("ranks", {})
        shown = run.log.evidence.get("shown", 0)
        at_k = [percent(pass_at(ranks, k)) if ranks else "" for k in _KS]
        held = percent(shown / needed) if needed else "not known"
        aware = _AWARE[run.log.question_aware_writes]
        rows.append([run.name, run.log.memory, aware, held, *at_k])
    if not rows:
        return _nothing("Files of predictions do not say what was retrieved; logs do.")
    caption = (
        "Contexts that show the evidence of the answer, of those that have any; and Pass@k: how "
        "often a retriever ranks it among its first k chunks. A memory that writes knowing the "
        "questions keeps what they need, and has it easier than one that does not."
    )
    header = [
        "Run",
        "Memory",
        "Writes knowing the questions",
        "Evidence shown",
        *(f"Pass@{k}" for k in _KS),
    ]
    found = table(caption, header, rows)
    if not any(run.log is not None and _BM25 in run.log.memory for run in runs):
        return found
    note = "bm25 searches by words; the published results of rag are of a dense retriever."
    return join([found, element("p", note, class_="quiet")])


def cost(runs: Sequence[Run], prices: Prices | None) -> Html:
    """Tokens, the share that the server had in its cache, time, and dollars where prices are named.

    What memories asked for themselves has a table of its own.
    """
    rows = []
    for run in runs:
        if run.log is None:
            continue
        calls, cached = run.log.calls, run.log.cached_share
        memory = run.log.memory_calls
        rows.append(
            [
                run.name,
                f"{calls.get('prompt_tokens', 0):,}",
                "not told" if cached is None else percent(cached),
                f"{calls.get('output_tokens', 0):,}",
                f"{calls.get('cut', 0):,}",
                f"{calls.get('truncated', 0):,}",
                f"{memory.get('calls', 0):,.0f}",
                _seconds(run.log.call_seconds),
                "not told" if run.log.wall_seconds is None else f"{run.log.wall_seconds:,.0f}",
                *([] if prices is None else [f"{run_dollars(run.log, prices):,.2f}"]),
                _own_counts(run.log),
            ]
        )
    if not rows:
        return _nothing("Files of predictions do not say what they cost; logs do.")
    caption = (
        "Tokens of all answers. Cached are prompt tokens that the server had computed before, of "
        "those calls whose server tells. Seconds of calls count each call by itself, those of the "
        "memory and of earlier runs too; by the clock is this run from start to end, in "
        "whole seconds."
        f"{'' if prices is None else ' Dollars are for all calls, those of the memory too.'}"
    )
    header = ["Run", "Prompt tokens", "Cached", "Reply tokens", "Replies cut", "Contexts cut"]
    header += ["Memory calls", "Seconds of calls", "By the clock"]
    header += [*([] if prices is None else ["Dollars"]), "The memory's own counts"]
    return join([table(caption, header, rows), memory_calls(runs, prices)])


def _seconds(number: float) -> str:
    return f"{number:,.1f}"


def _own_counts(log: StreamRun) -> str:
    """The counts of a memory that stand in no other table."""
    told = {
        f"{stage}_{name}" for stage, counts in log.stages.items() for name in (*counts, "calls")
    }
    return ", ".join(
        f"{name} {n:g}" for name, n in sorted(log.counters.items()) if name not in told
    )


def memory_calls(runs: Sequence[Run], prices: Prices | None) -> Html:
    """What memories asked a model for while they read; nothing where none did."""
    rows = [
        [
            run.name,
            stage,
            *(f"{counts.get(name, 0):,.0f}" for name in _STAGE),
            _seconds(counts.get("seconds", 0)),
            *([] if prices is None else [f"{stage_dollars(counts, prices):,.2f}"]),
            run.log.memory_model,
        ]
        for run in runs
        if run.log is not None
        for stage, counts in run.log.stages.items()
    ]
    if not rows:
        return NOTHING
    caption = (
        "What memories asked a model for while they read, by stage. Malformed replies could not "
        "be used and were asked for once more; fallbacks are what the memory went on without."
    )
    header = ["Run", "Stage", *_STAGE.values(), "Seconds"]
    header += [*([] if prices is None else ["Dollars"]), "Model"]
    return table(caption, header, rows)


def run_dollars(log: StreamRun, prices: Prices) -> float:
    """What all calls of a run cost, those of the memory too."""
    return dollars(log.calls, prices) + stage_dollars(log.memory_calls, prices)


def dollars(calls: Mapping[str, int], prices: Prices) -> float:
    """What the answers cost."""
    read, written = calls.get("prompt_tokens", 0), calls.get("output_tokens", 0)
    return _dollars(read, calls.get("cached_tokens", 0), written, prices)


def stage_dollars(counts: Mapping[str, float], prices: Prices) -> float:
    """What the calls of a stage of a memory cost, or of several together."""
    read, written = counts.get("input_tokens", 0), counts.get("output_tokens", 0)
    return _dollars(read, counts.get("cached_tokens", 0), written, prices)


def _dollars(read: float, cached: float, written: float, prices: Prices) -> float:
    for_cached = prices.input if prices.cached is None else prices.cached
    paid = (read - cached) * prices.input + cached * for_cached + written * prices.output
    return paid / _MILLION


def _nothing(why: str) -> Html:
    return element("p", why, class_="quiet")


def run_command(log: StreamRun) -> str:
    """The command of Inspect that does what a run did; files without their folders."""
    words = ["inspect", "eval", "supersede/stream", "--model", log.model]
    for flag, part in (("-M", "provider"), ("-T", "task")):
        for name, value in log.settings.get(part, {}).items():
            words += [flag, f"{name}={_plain(value)}"]
    for name, value in log.settings.get("generate", {}).items():
        if isinstance(value, int | float | str):
            words += [f"--{name.replace('_', '-')}", str(value)]
    return shlex.join(words)


def settings(run: Run) -> Html:
    """What produced a run."""
    rows: list[tuple[str, str]] = [("file", run.source)]
    more: list[Html] = []
    if run.log is not None:
        rows += [("model", run.log.model), ("memory", run.log.memory)]
        rows += [("status", run.log.status), ("epochs", str(run.log.epochs))]
        if run.log.error:
            rows.append(("ended by", run.log.error))
        for part, given in run.log.settings.items():
            rows += [(f"{part}: {name}", _plain(value)) for name, value in dict(given).items()]
        more.append(element("pre", element("code", run_command(run.log))))
    title = element("h3", run.name)
    return join([title, table(f"Settings of {run.name}", ["Setting", "Value"], rows), *more])


def _plain(value: Any) -> str:
    """A setting in a line; of a file its name alone, since folders are nobody else's business."""
    if isinstance(value, str):
        return PurePath(value).name if PurePath(value).is_absolute() else value
    return json.dumps(value, ensure_ascii=False, default=str)
