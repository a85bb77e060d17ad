"""Whether any two operators give the same answer on every history that both can be asked of.

    python benchmarks/operator_answers.py [--histories 200] [--tier medium]

Histories are taken from the prototypes in turn. Each is asked everything that its world allows,
the prototype's own list or not. Printed are the number of pairs that met on one history or more,
those that never did, and every pair that never differed; the exit code is 1 where there is one.
"""

from __future__ import annotations

import argparse
import sys
from itertools import combinations

import numpy as np

from supersede.errors import SampleError
from supersede.model.instance import InstanceKey, Split, Tier
from supersede.prototypes import load_prototype, prototype_ids
from supersede.questions import all_operators, ask
from supersede.questions.facts import facts_of
from supersede.worlds.sample import Sampler
from supersede.worlds.streams import stream


def answers(prototype: str, tier: Tier, index: int) -> dict[str, tuple[tuple[str, str], ...]]:
    """What each operator that a world allows answers on one history: claims without wording."""
    spec = load_prototype(prototype)
    key = InstanceKey(spec.id, spec.version, tier, Split.TRAIN, index)
    sampler = Sampler(spec, key)
    for _ in sampler.blocks():
        pass
    blocks = sampler.history().blocks
    world, depth = sampler.program.world, int(sampler.dials.depth)
    facts = facts_of(world, spec)
    found = {}
    for operator in all_operators().values():
        if not operator.needs(facts):
            continue
        rnd = stream(f"{sampler.seed}/{operator.name}", "question")
        try:
            _, answer = ask(spec, world, sampler.ledger, rnd, operator.name, depth, blocks=blocks)
        except SampleError:  # this history has nothing for this operator
            continue
        found[operator.name] = tuple((one.kind.value, one.expected) for one in answer.checklist)
    return found


def main() -> int:
    """Print what was found; 1 where two operators never differed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--histories", type=int, default=200)
    parser.add_argument("--tier", type=Tier, choices=list(Tier), default=Tier.MEDIUM)
    options = parser.parse_args()
    names = list(all_operators())
    place = {name: n for n, name in enumerate(names)}
    met = np.zeros((len(names), len(names)), dtype=int)
    differed = np.zeros_like(met)
    prototypes = prototype_ids()
    for number in range(options.histories):
        turn, which = divmod(number, len(prototypes))
        found = answers(prototypes[which], options.tier, turn)
        for (one, said), (other, too) in combinations(found.items(), 2):
            cell = place[one], place[other]
            met[cell] += 1
            differed[cell] += said != too
    pairs = list(combinations(range(len(names)), 2))
    same = [(a, b) for a, b in pairs if met[a, b] and not differed[a, b]]
    print(f"{len(names)} operators, {options.histories} histories of tier {options.tier}")
    print(f"{len(pairs):,} pairs, of which {sum(met[p] > 0 for p in pairs):,} met")
    for a, b in same:
        print(f"same on all {met[a, b]}: {names[a]}, {names[b]}")
    print(f"pairs that never differed: {len(same)}")
    return 1 if same else 0


if __name__ == "__main__":
    sys.exit(main())
