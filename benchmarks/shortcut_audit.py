"""How far careless readers get: the shortcut audit over every prototype and tier.

    python benchmarks/shortcut_audit.py [--histories N] [--tiers medium,long] [--check] [--json]
    python benchmarks/shortcut_audit.py --histories 20,20,20,20,6 --check
    python benchmarks/shortcut_audit.py --drawn --split heldout --histories 1

Every operator of a prototype is asked once of each history, so that an operator has many answers
for the reader that always gives the most common one. Printed are, per tier and family, the number
of questions and the share of them that each careless reader answers right in all claims. The
constant reader answers what is right most often for the other histories of the same prototype and
tier; it is judged where an operator could be asked of five or more. The last columns are for
readers that overlook late entries or rule changes: the share of questions that they can get wrong
at all, and how many of those they get right.

With `--drawn` each history is asked the one question that its instance in a corpus asks.

With `--check` the limits are held. From medium on, each reader of the first four columns answers at
most 35 % in every family, and those of the last columns at most 35 % of what they can touch. One or
both of these can touch at least 15 % of the questions of every tier, and each of them does so from
medium on: in the shorter tiers a history has one late entry, or none, at the rates of the tiers.
What breaks a limit is listed, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping

from supersede.errors import SampleError
from supersede.model.instance import InstanceKey, Split, Tier
from supersede.prototypes import load_prototype, prototype_ids
from supersede.questions import Asked, ask, audit, operators_for
from supersede.questions.shortcuts import ALL, BASE, CONSTANT, EITHER, TOUCHING, Row
from supersede.worlds.sample import Sampler
from supersede.worlds.streams import stream

Table = Mapping[tuple[str, str], Row]

READERS = (*[reader.value for reader in BASE], CONSTANT)
TOUCHED = tuple(reader.value for reader in TOUCHING)
MOST = 0.35
"""The most that a careless reader may get right."""
LEAST = 0.15
"""The least share of a tier's questions that late entries, or rules, must be able to touch."""
SHORT = (Tier.VERY_SHORT.value, Tier.SHORT.value)
"""Tiers in which too little happens for every family to be closed to shortcuts."""


def questions(
    histories: Mapping[Tier, int], split: Split = Split.TRAIN, drawn: bool = False
) -> Iterator[Asked]:
    """Every operator asked of every history, as the corpus asks it.

    Args:
        histories: Per prototype, for each tier.
        split: Of which split.
        drawn: Ask only what the instance of the corpus asks.
    """
    for tier, number in histories.items():
        for prototype in prototype_ids():
            spec = load_prototype(prototype)
            if list(Tier).index(tier) > list(Tier).index(Tier(spec.difficulty.longest)):
                continue
            for index in range(number):
                key = InstanceKey(spec.id, spec.version, tier, split, index)
                sampler = Sampler(spec, key)
                for _ in sampler.blocks():
                    pass
                blocks = sampler.history().blocks
                world, depth = sampler.program.world, int(sampler.dials.depth)
                names = ["*"] if drawn else [one.name for one in operators_for(spec, world)]
                for name in names:
                    rnd = stream(f"{sampler.seed}/{name}", "question")
                    try:
                        question, _ = ask(
                            spec, world, sampler.ledger, rnd, name, depth, blocks=blocks
                        )
                    except SampleError:  # this history has nothing for this operator
                        continue
                    yield Asked(prototype, tier.value, world, sampler.ledger, question, blocks)


def main() -> int:
    """Print the audit table; 1 where a limit is to be held and is broken."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument(
        "--histories", default="10", help="per prototype: one number, or one for each tier"
    )
    parser.add_argument("--tiers", default=",".join(tier.value for tier in Tier))
    parser.add_argument("--split", choices=list(Split), default=Split.TRAIN.value)
    parser.add_argument(
        "--drawn", action="store_true", help="ask each history what its instance asks"
    )
    parser.add_argument("--check", action="store_true", help="exit with 1 if a limit is broken")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    tiers = [Tier(name) for name in options.tiers.split(",")]
    numbers = [int(number) for number in options.histories.split(",")]
    if len(numbers) not in (1, len(tiers)):
        parser.error(f"--histories needs 1 number or {len(tiers)}, one for each tier")
    histories = dict(zip(tiers, numbers * len(tiers), strict=False))
    table = audit(questions(histories, Split(options.split), options.drawn))
    print(json.dumps(as_json(table), indent=2) if options.json else as_text(table))
    found = broken(table) if options.check else []
    print("\n".join(found), file=sys.stderr if options.json else sys.stdout)
    return 1 if found else 0


def broken(table: Table) -> list[str]:
    """The limits that do not hold, one line each."""
    found: list[str] = []
    for (tier, family), row in table.items():
        cell = f"{tier}, {family}"
        for reader in () if tier in SHORT or family == ALL else READERS:
            if row.share(reader) > MOST:
                asked = row.repeated if reader == CONSTANT else row.questions
                found.append(f"{cell}: {reader} answers {row.share(reader):.0%} of {asked}")
        for reader in TOUCHED if family == ALL else ():
            share = row.share_of_touched(reader)
            if share > MOST and tier not in SHORT:
                found.append(f"{cell}: {reader} answers {share:.0%} of {row.touched[reader]}")
        for reader in (EITHER, *(() if tier in SHORT else TOUCHED)) if family == ALL else ():
            if not row.touched_share(reader) >= LEAST:
                found.append(f"{cell}: {reader} can touch {row.touched_share(reader):.0%}")
    return [f"broken: {line}" for line in found]


def as_text(table: Table) -> str:
    """The table for people: shares in percent, the constant reader's with its own number."""
    heads = [*READERS[:-1], f"{CONSTANT} / n", *(f"{r}: touched / right / n" for r in TOUCHED)]
    lines = [f"{'tier':<11}{'family':<22}{'n':>6}  " + "  ".join([*heads, f"{EITHER} touched"])]
    for (tier, family), row in sorted(table.items(), key=_place):
        cells = [percent(row.share(reader)) for reader in READERS[:-1]]
        cells.append(f"{percent(row.share(CONSTANT))} / {row.repeated}")
        cells += [
            f"{percent(row.touched_share(r))} / {percent(row.share_of_touched(r))} / "
            f"{row.touched[r]}"
            for r in TOUCHED
        ]
        cells.append(percent(row.touched_share(EITHER)))
        padded = [
            f"{c:>{len(h)}}" for c, h in zip(cells, [*heads, f"{EITHER} touched"], strict=True)
        ]
        lines.append(f"{tier:<11}{family:<22}{row.questions:>6}  " + "  ".join(padded))
    return "\n".join(lines)


def _place(cell: tuple[tuple[str, str], Row]) -> tuple[int, bool, str]:
    """Tiers in their order, families by name, and the sum of a tier last."""
    (tier, family), _ = cell
    return list(Tier).index(Tier(tier)), family == ALL, family


def percent(share: float) -> str:
    """A share in percent; NaN as it is."""
    return f"{100 * share:.0f}"


def as_json(table: Table) -> list[dict[str, object]]:
    """The table for scripts; shares are between 0 and 1."""
    return [
        {
            "tier": tier,
            "family": family,
            "questions": row.questions,
            "repeated": row.repeated,
            "right": {name: row.share(name) for name in READERS},
            "touched": {name: row.touched_share(name) for name in (*TOUCHED, EITHER)},
            "right_of_touched": {name: row.share_of_touched(name) for name in TOUCHED},
        }
        for (tier, family), row in table.items()
    ]


if __name__ == "__main__":
    sys.exit(main())
