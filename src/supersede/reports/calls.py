"""What only a log knows: evidence and retrieval, tokens and cache, settings."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from supersede.memories.plan import Prices
from supersede.reports.figures import percent
from supersede.reports.markup import Html, element, join
from supersede.reports.runs import Run
from supersede.reports.tables import table

if TYPE_CHECKING:
    from supersede.evaluation.stream_results import StreamRun

__all__ = ["cost", "dollars", "evidence", "pass_at", "run_command", "settings"]

_KS = (1, 2, 3, 5, 10, 20)
_MILLION = 1_000_000
_BM25 = "(bm25"


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
        rows.append([run.name, run.log.memory, held, *at_k])
    if not rows:
        return _nothing("Files of predictions do not say what was retrieved; logs do.")
    caption = (
        "Contexts that show the evidence of the answer, of those that have any; and Pass@k: how "
        "often a retriever ranks it among its first k chunks."
    )
    header = ["Run", "Memory", "Evidence shown", *(f"Pass@{k}" for k in _KS)]
    found = table(caption, header, rows)
    if not any(run.log is not None and _BM25 in run.log.memory for run in runs):
        return found
    note = "bm25 searches by words; the published results of rag are of a dense retriever."
    return join([found, element("p", note, class_="quiet")])


def cost(runs: Sequence[Run], prices: Prices | None) -> Html:
    """Tokens, the share that the server had in its cache, and dollars where prices are named."""
    rows = []
    for run in runs:
        if run.log is None:
            continue
        calls, cached = run.log.calls, run.log.cached_share
        counters = ", ".join(f"{name} {n:g}" for name, n in sorted(run.log.counters.items()))
        rows.append(
            [
                run.name,
                f"{calls.get('prompt_tokens', 0):,}",
                "not told" if cached is None else percent(cached),
                f"{calls.get('output_tokens', 0):,}",
                f"{calls.get('cut', 0):,}",
                f"{calls.get('truncated', 0):,}",
                *([] if prices is None else [f"{dollars(calls, prices):,.2f}"]),
                counters,
            ]
        )
    if not rows:
        return _nothing("Files of predictions do not say what they cost; logs do.")
    caption = (
        "Tokens of all calls. Cached are prompt tokens that the server had computed before, of "
        "those calls whose server tells."
    )
    header = ["Run", "Prompt tokens", "Cached", "Reply tokens", "Replies cut", "Contexts cut"]
    header += (
        ["The memory's own counts"] if prices is None else ["Dollars", "The memory's own counts"]
    )
    return table(caption, header, rows)


def dollars(calls: Mapping[str, int], prices: Prices) -> float:
    """What the calls cost."""
    cached = calls.get("cached_tokens", 0)
    for_cached = prices.input if prices.cached is None else prices.cached
    fresh = calls.get("prompt_tokens", 0) - cached
    output = calls.get("output_tokens", 0)
    return (fresh * prices.input + cached * for_cached + output * prices.output) / _MILLION


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
