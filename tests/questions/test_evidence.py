"""Evidence is exactly what an answer or its proof cannot lose, in any soup of records."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.questions.removal import GONE, evidence_by_removal, judged, without
from tests.truth_table.toy import WORLD
from tests.worlds.soups import assumptions, soups

from supersede.model.question import Question
from supersede.model.record import Exclusion, History, Kind
from supersede.questions import all_operators, answer
from supersede.questions.draw import Draw
from supersede.questions.facts import Facts
from supersede.questions.index import Index
from supersede.questions.reading import settled, true_reading, variant_reading
from supersede.questions.validity import AS_IS, AWAY, Variant
from supersede.worlds.replay import replay

ANY = replace(
    WORLD,
    events={
        name: replace(event, measures=tuple(WORLD.measures), registers=tuple(WORLD.registers))
        for name, event in WORLD.events.items()
    },
    types={
        **WORLD.types,
        "person": replace(
            WORLD.types["person"],
            names=("Ann", "Bob", "Cat", "Dan"),
            attributes=("team",),
            values={"Ann": ("red",), "Bob": ("blue",), "Cat": ("red",), "Dan": ("blue",)},
        ),
    },
)
"""The toy world, in whose soups any event may post to any measure, with people in teams."""


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


def indexed(history: History) -> Index:
    return Index(Facts(ANY), history.records, history.blocks)


def under(index: Index, change: Variant) -> list[int]:
    """The sources under a change, derived at once and asked one by one: both must agree."""
    source = variant_reading(index, settled(index), change).source
    validity = index.validity
    assert source == [
        validity.source(i, change) if i in set(validity.entries) else AWAY
        for i in range(len(index.records))
    ]
    return source


@settings(max_examples=150, deadline=None)
@given(history=soups(changing_roles=True))
def test_validity_asked_locally_is_the_validity_of_the_ledger(history: History) -> None:
    ledger = replay(ANY, history)
    index = indexed(history)
    assert settled(index).source == true_reading(index, ledger).source
    for i in index.validity.entries:
        assert index.validity.reason(i, AS_IS) == ledger.reason(i)


@settings(max_examples=150, deadline=None)
@given(history=soups(changing_roles=True), assume=assumptions())
def test_so_it_is_where_labels_are_taken_to_count_or_not(
    history: History, assume: dict[str, bool]
) -> None:
    ledger = replay(ANY, history, assume=assume)
    index = indexed(history)
    change = Variant(assume=assume)
    assert under(index, change) == true_reading(index, ledger).source
    for i in index.validity.entries:
        assert index.validity.reason(i, change) == ledger.reason(i)


@settings(max_examples=150, deadline=None)
@given(history=soups(changing_roles=True), cut=st.integers(0, 6))
def test_so_it_is_at_every_cut(history: History, cut: int) -> None:
    ledger = replay(ANY, history, cut=cut)
    index = indexed(history)
    known = len(ledger.records)
    source = under(index, Variant(cut=cut))
    assert source[known:] == [AWAY] * (len(history.records) - known)
    assert source[:known] == true_reading(indexed(history.cut(cut)), ledger).source
    for i in index.validity.entries:
        if i < known:
            assert index.validity.reason(i, Variant(cut=cut)) == ledger.reason(i)


@settings(max_examples=150, deadline=None)
@given(history=soups(changing_roles=True), seed=st.integers(0, 10**6))
def test_so_it_is_without_a_record(history: History, seed: int) -> None:
    record = history.records[seed % len(history.records)]
    left = without(history, record)
    ledger = replay(replace(ANY, statuses={**ANY.statuses, GONE: False}), left)
    index = indexed(history)
    found = under(index, Variant(without=frozenset([record.position])))
    ids = [r.id for r in history.records]
    expected = dict.fromkeys(ids, "")
    for i, r in enumerate(left.records):
        if ledger.counts[i]:
            expected[r.id] = left.records[ledger.amendment.get(i, i)].id
    told = {name: ids[s] if s >= 0 else "" for name, s in zip(ids, found, strict=True)}
    assert told == expected


@settings(max_examples=300, deadline=None)
@given(history=soups(changing_roles=True), seed=st.integers(0, 10**6))
def test_so_it_is_where_whole_records_are_dropped_with_what_stands_on_them(
    history: History, seed: int
) -> None:
    index = indexed(history)
    entries = [i for i in index.validity.entries if index.records[i].kind is not Kind.REPOST]
    chosen = (
        {entries[(seed // 7**n) % len(entries)] for n in range(1 + seed % 3)} if entries else ()
    )
    dropped = frozenset((row[0], row[1]) for row in index.contents() if row[0] in chosen)
    exclude = Exclusion(ids=(*(index.records[i].id for i in chosen), "-"), dependants="cascade")
    ledger = replay(ANY, history, exclude=exclude)
    assert under(index, Variant(dropped=dropped)) == true_reading(index, ledger).source
