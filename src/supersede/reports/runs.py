"""What a report is about: runs, read from files of predictions or from logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import is_zipfile

from supersede.errors import DataError, UsageError
from supersede.evaluation.launch import need_inspect
from supersede.metrics.stream_report import StreamReport, score_traces
from supersede.metrics.subsets import Bins, bins_for
from supersede.model.stream import Reply, Stream, Trace
from supersede.streams.scoring import MAX_ERROR_RATE, score_file

if TYPE_CHECKING:
    from supersede.evaluation.stream_results import StreamRun

__all__ = ["Run", "Source", "named_sources", "read_runs"]

_LOG = ".eval"
_PREDICTIONS = ".predictions"


@dataclass(frozen=True, slots=True)
class Source:
    """A file that holds a run."""

    path: Path
    name: str | None = None
    """What the report calls it; made from the file where left out."""
    found: bool = False
    """Whether it lay in a folder that was named: a log of another task is then no mistake."""

    @property
    def is_log(self) -> bool:
        """Whether it is a log of Inspect, and no file of predictions."""
        return self.path.suffix == _LOG


@dataclass(frozen=True)
class Run:
    """A run as the report shows it."""

    name: str
    source: str
    """The file that it was read from, as it was named."""
    traces: tuple[Trace, ...] = field(repr=False)
    bins: Bins
    left_out: int
    """Questions with a failed or missing answer."""
    expected: int
    """Answers that were asked for."""
    errors: int
    missing: int
    replies: Mapping[Reply, int]
    """Replies by kind, those of left-out questions too."""
    max_error_rate: float
    """Share of failed or missing answers above which the run does not count."""
    log: StreamRun | None = field(default=None, repr=False)
    """What only a log knows."""

    @property
    def error_rate(self) -> float:
        """Failed and missing answers over expected ones."""
        return (self.errors + self.missing) / self.expected if self.expected else 0.0

    @property
    def failed(self) -> bool:
        """Whether too many answers are lacking, or the run did not come to its end."""
        unfinished = self.log is not None and self.log.status != "success"
        return unfinished or self.error_rate > self.max_error_rate

    @cached_property
    def report(self) -> StreamReport:
        """All metrics."""
        return score_traces(self.traces, self.bins)


def named_sources(given: Sequence[str]) -> tuple[Source, ...]:
    """Files as a person names them: `path`, `name=path`, or a folder with all its logs.

    Raises:
        UsageError: Two have one name, or a folder has no log, or several for one name.
    """
    sources = tuple(source for each in given for source in _sources(each))
    names = [source.name for source in sources if source.name is not None]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two runs have the name {name!r}", mend="Give each its own.")
    return sources


def _sources(given: str) -> tuple[Source, ...]:
    name, equals, path = given.partition("=")
    named = bool(equals and name) and not Path(given).exists()
    place = Path(path if named else given)
    if not place.is_dir():
        return (Source(place, name if named else None),)
    logs = sorted(place.glob(f"*{_LOG}"))
    if not logs:
        raise UsageError(
            f"holds no {_LOG} file",
            where=str(place),
            mend="Name the folder of --log-dir, or files.",
        )
    if not named:
        return tuple(Source(log, found=True) for log in logs)
    if len(logs) > 1:
        raise UsageError(
            f"holds {len(logs)} {_LOG} files for the one name {name!r}",
            where=str(place),
            mend="Name one of them, or the folder without a name.",
        )
    return (Source(logs[0], name),)


def read_runs(
    sources: Sequence[Source],
    streams: Sequence[Stream] | None,
    max_error_rate: float | None = None,
) -> tuple[Run, ...]:
    """The runs of some files, in their order.

    Args:
        sources: Files of predictions and logs of `supersede/stream`.
        streams: All that was asked; logs do without.
        max_error_rate: Share of lacking answers above which a run is marked as failed; that of
            the log where left out, else the default.

    Raises:
        UsageError: Predictions without streams, or a file that is not there.
        DataError: A file does not fit the streams, or is no log of `supersede/stream`.
    """
    runs: list[Run] = []
    for source in sources:
        if not source.path.is_file():
            raise UsageError("there is no such file", where=str(source.path), mend="Check its name")
        run = (
            _from_log(source, max_error_rate)
            if source.is_log
            else _from_predictions(source, streams, max_error_rate)
        )
        if run is not None:
            runs.append(_renamed(run, {each.name for each in runs}))
    if sources and not runs:
        raise DataError(
            "no log of the task supersede/stream",
            where=str(sources[0].path.parent),
            mend="Only streams have a report: supersede eval stream",
        )
    return tuple(runs)


def _from_predictions(
    source: Source, streams: Sequence[Stream] | None, max_error_rate: float | None
) -> Run:
    if streams is None:
        raise UsageError(
            "predictions cannot be scored without the streams that were asked",
            where=str(source.path),
            mend="Name them: --stream FILE",
        )
    scored = score_file(streams, source.path)
    return Run(
        name=source.name or source.path.stem.removesuffix(_PREDICTIONS),
        source=str(source.path),
        traces=scored.traces,
        bins=bins_for(streams),
        left_out=len(scored.left_out),
        expected=scored.expected,
        errors=scored.errors,
        missing=scored.missing,
        replies=scored.replies,
        max_error_rate=MAX_ERROR_RATE if max_error_rate is None else max_error_rate,
    )


def _from_log(source: Source, max_error_rate: float | None) -> Run | None:
    """The run of a log; None for a log of another task that lay in a folder."""
    need_inspect()
    if not is_zipfile(source.path):
        raise DataError(
            "no log of Inspect, or one that was cut short",
            where=str(source.path),
            mend="Copy it again, or use the predictions beside it.",
        )
    from supersede.evaluation.stream_results import read_stream_run

    log = read_stream_run(source.path)
    if not log.memory and source.found:
        return None
    if not log.memory:
        raise DataError(
            "no log of the task supersede/stream",
            where=str(source.path),
            mend="Only streams have a report: supersede eval stream",
        )
    calls = log.calls
    return Run(
        name=source.name or f"{log.model}, {log.memory}",
        source=str(source.path),
        traces=log.traces,
        bins=log.bins,
        left_out=log.left_out,
        expected=calls.get("expected", 0),
        errors=calls.get("errors", 0),
        missing=calls.get("missing", 0),
        replies={
            reply: calls.get("errors" if reply is Reply.ERROR else reply.value, 0)
            for reply in Reply
        },
        max_error_rate=log.max_error_rate if max_error_rate is None else max_error_rate,
        log=log,
    )


def _renamed(run: Run, taken: set[str]) -> Run:
    """A run with a name that no other has."""
    name, number = run.name, 2
    while name in taken:
        name, number = f"{run.name} ({number})", number + 1
    return replace(run, name=name)
