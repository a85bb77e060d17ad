"""Measures how fast corpora are built, with one worker and with two, by processes and by Ray.

    python benchmarks/bench_build.py --per-cell 6
    python benchmarks/bench_build.py --per-cell 2 --rounds 3 --engines process,ray

A corpus of all prototypes and tiers is built into a temporary folder; the time includes starting
the workers, writing and hashing. Each round builds once by every engine with every number of
workers, so that ratios compare runs of the same minutes. The bytes must not depend on either.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import NamedTuple

from supersede.corpus.build import Engine, build
from supersede.corpus.files import Manifest
from supersede.corpus.plan import Configuration, configure


class Run(NamedTuple):
    """One build."""

    seconds: float
    """Wall time."""
    cpu: float
    """CPU seconds of this process and of children that have ended; without Ray's workers."""


def timed(configuration: Configuration, engine: Engine, workers: int) -> tuple[Manifest, Run]:
    """The manifest of a fresh build, and what it took."""
    with TemporaryDirectory() as folder:
        before, begin = os.times(), perf_counter()
        manifest = build(Path(folder) / "corpus", configuration, workers=workers, engine=engine)
        seconds, after = perf_counter() - begin, os.times()
        return manifest, Run(seconds, sum(after[:4]) - sum(before[:4]))


def main() -> int:
    """Print all figures; 1 where the bytes differ."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--per-cell", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--engines", default="process", help="process, ray, or both with a comma")
    parser.add_argument("--prototypes", help="only these, with commas; else all of them")
    options = parser.parse_args()
    prototypes = options.prototypes.split(",") if options.prototypes else None
    configuration = configure(per_cell=options.per_cell, prototypes=prototypes)
    engines: dict[str, Engine] = {"process": "process", "ray": "ray"}
    cases = [(engines[name], n) for name in options.engines.split(",") for n in (1, 2)]
    manifests: list[Manifest] = []
    runs: dict[tuple[Engine, int], list[Run]] = {case: [] for case in cases}
    for _ in range(options.rounds):
        for case in cases:
            manifest, run = timed(configuration, *case)
            manifests.append(manifest)
            runs[case].append(run)
    first = manifests[0]
    size = sum(entry.bytes for entry in first.shards)
    print(f"{first.instances:,} instances, {first.events:,} events, {size / 1e6:.1f} MB")
    base = median(run.seconds for run in runs[cases[0]])
    for (engine, workers), took in runs.items():
        seconds = median(run.seconds for run in took)
        print(
            f"{engine}, {workers} worker{'s' * (workers > 1)}: {seconds:.1f} s wall "
            f"({min(took).seconds:.1f} to {max(took).seconds:.1f}), "
            f"{median(run.cpu for run in took):.1f} s CPU, {first.events / seconds:,.0f} events/s, "
            f"{base / seconds:.2f} times the first"
        )
    mine = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"peak memory: {mine:.0f} MB in the process that builds, {most:.0f} MB in a worker")
    same = all(manifest == first for manifest in manifests)
    print("same bytes" if same else "the bytes differ")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
