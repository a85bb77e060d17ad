from __future__ import annotations

from collections.abc import Iterator

import pytest

from supersede.corpus.instances import instance_key
from supersede.model.instance import Tier
from supersede.model.record import History
from supersede.prototypes import load_prototype, prototype_ids
from supersede.worlds.ledger import Ledger
from supersede.worlds.program import compile_specification
from supersede.worlds.replay import replay
from supersede.worlds.replayed_laws import broken_law
from supersede.worlds.sample import sample

WORLDS = sorted(prototype_ids())[::13]


def sampled(prototype: str) -> History:
    """A history of a prototype."""
    return sample(load_prototype(prototype), instance_key(prototype, Tier.MEDIUM))


def replayed(prototype: str, history: History) -> Ledger:
    """The ledger after a history of a prototype."""
    return replay(compile_specification(load_prototype(prototype)).world, history)


def broken(prototype: str, history: History) -> str | None:
    """What does not hold after a replay of a history."""
    spec = load_prototype(prototype)
    return broken_law(spec, replayed(prototype, history), history.blocks)


def changed(prototype: str, measure: str, by: int) -> Iterator[History]:
    """The history with each posting of a measure in force changed, one at a time."""
    history = sampled(prototype)
    ledger = replayed(prototype, history)
    for at, record in enumerate(history.records):
        if not ledger.counts[at] or at in ledger.amendment:
            continue
        for place, posting in enumerate(record.postings):
            if posting.measure == measure:
                postings, records = list(record.postings), list(history.records)
                postings[place] = posting._replace(delta=posting.delta + by)
                records[at] = record._replace(postings=tuple(postings))
                yield history._replace(records=tuple(records))


@pytest.mark.parametrize("prototype", WORLDS)
def test_what_was_sampled_keeps_every_law(prototype: str) -> None:
    assert broken(prototype, sampled(prototype)) is None


def test_a_bound_that_records_break_is_named() -> None:
    tried = 0
    for prototype in WORLDS:
        for name, measure in load_prototype(prototype).measures.items():
            if isinstance(measure.min, int):
                for history in changed(prototype, name, -(10**9)):
                    said = broken(prototype, history)
                    assert said is not None, (prototype, name)
                    tried += said == f"min of {name}"
    assert tried > 10


def test_an_invariant_that_records_break_is_named() -> None:
    histories = list(changed("expense-reconciliation", "bank", 1))
    assert len(histories) > 3
    for history in histories:
        said = broken("expense-reconciliation", history)
        assert said == "what left the account is on a card, a job or a slate"
