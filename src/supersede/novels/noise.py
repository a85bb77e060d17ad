"""What errors of annotation do to the metrics of a stream (X-013).

An annotator sees a change a chunk too late or too early. What then of a model that is right? Every
change point of the annotated answers is moved by up to d chunks, at random, and the same answers of
the same model are scored against what comes out. The difference is the bias that such noise gives
AL, DS and PM.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby
from math import fsum, nan, sqrt

from supersede.metrics.decomposition import Decomposition, decompose
from supersede.model.stream import Reply, Stream, Trace
from supersede.streams.ladder import LADDER
from supersede.streams.scoring import score_predictions
from supersede.worlds.streams import Draw, between, stream

__all__ = ["MEASURES", "READERS", "Noise", "moved", "noise", "reader_traces"]

MEASURES = ("accuracy", "al", "ds", "pm")
READERS = ("oracle", "stale-by-one")
"""Fake models whose scores are known: always right, and one chunk late."""


@dataclass(frozen=True, slots=True)
class Noise:
    """What moving change points does to one model's scores."""

    reader: str
    distance: int
    """Most chunks that a change point is moved by; 0 for none."""
    moved: float
    """Share of the chunks whose annotated answer is another one."""
    scores: dict[str, float]
    """Mean over the repetitions, by the names of `MEASURES`."""
    bias: dict[str, float]
    """How much more that is than without noise."""
    spread: dict[str, float]
    """Standard deviation over the repetitions; NaN for one."""


def noise(
    reader: str,
    traces: Sequence[Trace],
    distances: Iterable[int],
    *,
    repeats: int = 100,
    seed: int = 0,
) -> Iterator[Noise]:
    """The scores of one model under noise of some sizes.

    Args:
        reader: Its name.
        traces: What it said, and what was right; multiple choice.
        distances: Most chunks that a change point is moved by.
        repeats: How often the noise is drawn.
        seed: Of the noise.
    """
    clean = _scores(decompose(traces))
    for distance in distances:
        draw = stream(f"{seed}/{distance}", "noise")
        runs: list[dict[str, float]] = []
        shares: list[float] = []
        for _ in range(repeats if distance else 1):
            shaken = [_shaken(trace, distance, draw) for trace in traces]
            runs.append(_scores(decompose(shaken)))
            shares.append(_share_moved(traces, shaken))
        means = {name: fsum(run[name] for run in runs) / len(runs) for name in MEASURES}
        yield Noise(
            reader,
            distance,
            fsum(shares) / len(shares),
            means,
            {name: means[name] - clean[name] for name in MEASURES},
            {name: _deviation([run[name] for run in runs]) for name in MEASURES},
        )


def moved(phases: Sequence[int], distance: int, draw: Draw) -> tuple[int, ...]:
    """Lengths of phases whose borders were each moved by up to some chunks either way.

    Borders keep their order, and every phase keeps a chunk: a border that meets the one before it,
    or the end, stops beside it.

    Args:
        phases: Lengths of the phases.
        distance: Most chunks that a border is moved.
        draw: The random stream.
    """
    borders = [0, *accumulate(phases)]
    end = borders.pop()
    left = len(borders) - 1
    for place in range(1, len(borders)):
        wanted = borders[place] + between(draw, -distance, distance)
        borders[place] = min(max(wanted, borders[place - 1] + 1), end - left)
        left -= 1
    return tuple(after - before for before, after in zip(borders, [*borders[1:], end], strict=True))


def _shaken(trace: Trace, distance: int, draw: Draw) -> Trace:
    answers = [answer for answer, _ in groupby(trace.truth)]
    phases = moved(trace.phases, distance, draw)
    truth = tuple(a for a, length in zip(answers, phases, strict=True) for _ in range(length))
    right = tuple(said == answer for said, answer in zip(trace.said, truth, strict=True))
    return replace(trace, phases=phases, truth=truth, right=right)


def _share_moved(before: Sequence[Trace], after: Sequence[Trace]) -> float:
    chunks = sum(len(trace.truth) for trace in before)
    other = sum(
        a != b
        for one, two in zip(before, after, strict=True)
        for a, b in zip(one.truth, two.truth, strict=True)
    )
    return other / chunks if chunks else nan


def _scores(found: Decomposition) -> dict[str, float]:
    return {"accuracy": found.accuracy, "al": found.al, "ds": found.ds, "pm": found.pm}


def _deviation(values: Sequence[float]) -> float:
    if len(values) < 2:
        return nan
    mean = fsum(values) / len(values)
    return sqrt(fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def reader_traces(streams: Sequence[Stream], reader: str) -> tuple[Trace, ...]:
    """What one of `READERS` says about some streams."""
    said = [prediction for one in streams for prediction in LADDER[reader](one)]
    traces = score_predictions(streams, said).traces
    return tuple(trace for trace in traces if Reply.ERROR not in trace.replies)
