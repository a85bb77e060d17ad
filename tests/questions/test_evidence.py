"""Evidence is exactly what an answer or its proof cannot lose, in any soup of records."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.questions.removal import evidence_by_removal, judged
from tests.truth_table.toy import WORLD
from tests.worlds.soups import soups

from supersede.model.question import Question
from supersede.model.record import History
from supersede.questions import all_operators, answer
from supersede.questions.draw import Draw
from supersede.questions.facts import Facts
from supersede.questions.index import Index
from supersede.questions.reading import settled, true_reading
from supersede.questions.validity import AS_IS
from supersede.worlds.replay import replay

ANY = replace(
    WORLD,
    events={
        name: replace(event, measures=tuple(WORLD.measures), registers=tuple(WORLD.registers))
        for name, event in WORLD.events.items()
    },
)
"""The toy world, in whose soups any event may post to any measure."""


def drawn_question(name: str, history: History, seed: int) -> Question | None:
    """A question of an operator with parameters drawn from the history, or None."""
    operator = all_operators()[name]
    index = Index(Facts(ANY), history.records, history.blocks)
    rnd = Random(seed)
    focus = history.records[int(rnd.random() * len(history.records))] if seed % 3 else None
    if focus is not None and focus.event is None:
        focus = None
    given = operator.draw(Draw(index, settled(index), rnd.random, focus, depth=2))
    return None if given is None else Question(name, operator.family, given, "")


def check(name: str, history: History, seed: int) -> None:
    question = drawn_question(name, history, seed)
    if question is None:
        return
    known = answer(ANY, history, question)
    staged = {r.id for r in history.records if judged(history, r, question)}
    found = evidence_by_removal(ANY, history, question, known)
    assert set(known.evidence) & staged == found & staged
    order = [record.id for record in history.records]
    assert list(known.evidence) == [name for name in order if name in known.evidence]


@settings(max_examples=250, suppress_health_check=list(HealthCheck), deadline=None)
@given(
    history=soups(changing_roles=True),
    name=st.sampled_from(list(all_operators())),
    seed=st.integers(0, 10**6),
)
def test_evidence_is_what_removal_of_single_records_finds(
    history: History, name: str, seed: int
) -> None:
    check(name, history, seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(all_operators()))
@settings(max_examples=100, suppress_health_check=list(HealthCheck), deadline=None)
@given(history=soups(changing_roles=True), seed=st.integers(0, 10**6))
def test_evidence_of_every_operator_is_what_removal_finds(
    name: str, history: History, seed: int
) -> None:
    check(name, history, seed)


@settings(max_examples=150, deadline=None)
@given(history=soups(changing_roles=True))
def test_validity_asked_locally_is_the_validity_of_the_ledger(history: History) -> None:
    ledger = replay(ANY, history)
    index = Index(Facts(ANY), history.records, history.blocks)
    assert settled(index).source == true_reading(index, ledger).source
    for i in index.validity.entries:
        assert index.validity.reason(i, AS_IS) == ledger.reason(i)
