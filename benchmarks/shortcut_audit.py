"""How far careless readers get: the shortcut audit over every prototype and tier.

    python benchmarks/shortcut_audit.py [--per-cell N] [--tiers medium,long] [--json]

Prints, per tier and family, the share of questions that each careless reader answers right in
all claims. The last columns are for readers that overlook late entries or rule changes: the
share of questions that they can get wrong at all, and of those the share that they get right.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping

from supersede.model.instance import InstanceKey, Split, Tier
from supersede.prototypes import load_prototype, prototype_ids
from supersede.questions import Asked, ask, audit
from supersede.questions.shortcuts import BASE, CONSTANT, TOUCHING, Row
from supersede.worlds.sample import Sampler
from supersede.worlds.streams import stream

READERS = (*[reader.value for reader in BASE], CONSTANT)


def questions(tiers: list[Tier], per_cell: int) -> Iterator[Asked]:
    """One question per history, asked as the corpus asks it."""
    for tier in tiers:
        for prototype in prototype_ids():
            spec = load_prototype(prototype)
            for index in range(per_cell):
                key = InstanceKey(spec.id, spec.version, tier, Split.TRAIN, index)
                sampler = Sampler(spec, key)
                for _ in sampler.blocks():
                    pass
                blocks = sampler.history().blocks
                rnd = stream(f"{sampler.seed}/*", "question")
                world, depth = sampler.program.world, int(sampler.dials.depth)
                question, _ = ask(spec, world, sampler.ledger, rnd, depth=depth, blocks=blocks)
                yield Asked(prototype, tier.value, world, sampler.ledger, question, blocks)


def main() -> None:
    """Print the audit table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--per-cell", type=int, default=30, help="histories per prototype and tier")
    parser.add_argument("--tiers", default=",".join(tier.value for tier in Tier))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    tiers = [Tier(name) for name in options.tiers.split(",")]
    table = audit(questions(tiers, options.per_cell))
    print(json.dumps(as_json(table), indent=2) if options.json else as_text(table))


def as_text(table: Mapping[tuple[str, str], Row]) -> str:
    """The table for people."""
    heads = [*READERS, *[f"{reader.value}: touched / right" for reader in TOUCHING]]
    lines = [f"{'tier':<11}{'family':<22}{'n':>5}  " + "  ".join(heads)]
    for (tier, family), row in table.items():
        cells = [f"{100 * row.share(name):>{len(name)}.0f}" for name in READERS]
        for reader in TOUCHING:
            name = reader.value
            pair = f"{100 * row.touched_share(name):.0f} / {100 * row.share_of_touched(name):.0f}"
            cells.append(f"{pair:>{len(name) + 17}}")
        lines.append(f"{tier:<11}{family:<22}{row.questions:>5}  " + "  ".join(cells))
    return "\n".join(lines)


def as_json(table: Mapping[tuple[str, str], Row]) -> list[dict[str, object]]:
    """The table for scripts; shares are between 0 and 1."""
    return [
        {
            "tier": tier,
            "family": family,
            "questions": row.questions,
            "right": {name: row.share(name) for name in READERS},
            "touched": {reader.value: row.touched_share(reader.value) for reader in TOUCHING},
            "right_of_touched": {
                reader.value: row.share_of_touched(reader.value) for reader in TOUCHING
            },
        }
        for (tier, family), row in table.items()
    ]


if __name__ == "__main__":
    main()
