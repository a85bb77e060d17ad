"""Proves instances over all prototypes, tiers and operators from their text alone.

    python benchmarks/round_trip.py --instances 20000 --workers 2

Every instance is written, read back by a reader that is denied the specification's effects,
replayed and asked again: records, answer, checklist and evidence must be the same. The last line
is `mismatches: 0`; the exit code is 1 where it is not.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from time import perf_counter
from typing import NamedTuple

from supersede.corpus.instances import make_instance
from supersede.corpus.pool import in_order
from supersede.corpus.text_proof import prove_instance
from supersede.errors import SampleError
from supersede.model.instance import InstanceKey, Split, Tier
from supersede.model.serialize import key_to_json
from supersede.prototypes import load_prototype, prototype_ids
from supersede.questions import operators_for
from supersede.worlds.program import compile_specification

CHUNK = 20


class Chunk(NamedTuple):
    """Some instances of one prototype and tier."""

    prototype: str
    tier: Tier
    turn: int
    """Whose turn it is among the operators at index 0: another in every cell."""
    first: int
    size: int


class Outcome(NamedTuple):
    """What came of a chunk."""

    tier: Tier
    events: int
    operators: Counter[str]
    """Operator -> instances that were proved or not."""
    nothing: int
    """Keys whose operator found nothing to ask about in its history."""
    mismatches: list[str]


def chunks(instances: int) -> Iterator[Chunk]:
    """Chunks in turn over prototypes and tiers, `instances` keys in all."""
    cells = [(name, tier) for tier in Tier for name in prototype_ids()]
    each, more = divmod(instances, len(cells))
    for first in range(0, each + 1, CHUNK):
        for number, (name, tier) in enumerate(cells):
            size = min(CHUNK, each + (number < more) - first)
            if size > 0:
                yield Chunk(name, tier, number * each, first, size)


def prove(chunk: Chunk) -> Outcome:
    """Make and prove the instances of a chunk; the operators take turns."""
    spec = load_prototype(chunk.prototype)
    operators = operators_for(spec, compile_specification(spec).world)
    outcome = Outcome(chunk.tier, 0, Counter(), 0, [])
    for index in range(chunk.first, chunk.first + chunk.size):
        operator = operators[(chunk.turn + index) % len(operators)].name
        key = InstanceKey(spec.id, spec.version, chunk.tier, Split.TRAIN, index, operator)
        try:
            instance = make_instance(key, spec)
        except SampleError:
            outcome = outcome._replace(nothing=outcome.nothing + 1)
            continue
        outcome.operators[operator] += 1
        outcome = outcome._replace(events=outcome.events + len(instance.history.records))
        reason = prove_instance(instance, spec)
        if reason is not None:
            outcome.mismatches.append(f"{json.dumps(key_to_json(key))}: {reason}")
    return outcome


def main() -> int:
    """Run it; 1 where an instance is not proved."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--instances", type=int, default=20_000)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    begin = perf_counter()
    tiers: Counter[str] = Counter()
    operators: Counter[str] = Counter()
    events = nothing = mismatches = 0
    for outcome in in_order(prove, chunks(options.instances), options.workers):
        for line in outcome.mismatches:
            print(line)
        tiers[outcome.tier] += outcome.operators.total()
        operators += outcome.operators
        events += outcome.events
        nothing += outcome.nothing
        mismatches += len(outcome.mismatches)
    proved = ", ".join(f"{tier} {tiers[tier]:,}" for tier in Tier)
    print(f"{tiers.total():,} instances ({proved}), {events:,} events, {len(operators)} operators")
    print(f"{nothing:,} keys whose operator found nothing to ask about in their history")
    print(f"{perf_counter() - begin:.0f} s with {options.workers} workers")
    print(f"mismatches: {mismatches}")
    return 1 if mismatches or not tiers else 0


if __name__ == "__main__":
    sys.exit(main())
