"""Measures how fast corpora are built, with one worker and with two.

    python benchmarks/bench_build.py --per-cell 6

A corpus of all prototypes and tiers is built into a temporary folder; the time includes starting
the workers, writing and hashing. The bytes must not depend on the number of workers.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from supersede.corpus.build import build
from supersede.corpus.files import Manifest
from supersede.corpus.plan import Configuration, configure


def timed(configuration: Configuration, workers: int) -> tuple[Manifest, float]:
    """The manifest of a fresh build, and its wall seconds."""
    with TemporaryDirectory() as folder:
        begin = perf_counter()
        manifest = build(Path(folder) / "corpus", configuration, workers=workers)
        return manifest, perf_counter() - begin


def main() -> int:
    """Print all figures; 1 where the bytes differ."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--per-cell", type=int, default=6)
    options = parser.parse_args()
    configuration = configure(per_cell=options.per_cell)
    manifests = []
    for workers in (1, 2):
        manifest, seconds = timed(configuration, workers)
        manifests.append(manifest)
        size = sum(entry.bytes for entry in manifest.shards)
        print(
            f"{workers} workers: {manifest.instances:,} instances, {manifest.events:,} events, "
            f"{size / 1e6:.1f} MB in {seconds:.1f} s: {manifest.instances / seconds:.1f} "
            f"instances/s, {manifest.events / seconds:,.0f} events/s"
        )
    same = manifests[0] == manifests[1]
    print("same bytes" if same else "the bytes differ")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
