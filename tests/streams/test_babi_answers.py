"""Every answer of OAKS-BABI, computed a second time by brute force."""

from __future__ import annotations

from functools import cache

import pytest
from tests.streams.brute import RULES, answer, rule_of

from supersede.corpus.tokens import Estimate
from supersede.model.stream import QuestionType, Stream
from supersede.streams.babi.build import Recipe, babi_streams
from supersede.streams.babi.extract import extract
from supersede.streams.babi.names import cast
from supersede.streams.babi.questions import discretised, synthesise
from supersede.streams.babi.story import tell
from supersede.streams.babi.templates import TEMPLATES
from supersede.streams.background import open_library
from supersede.worlds.streams import stream


@cache
def streams() -> tuple[Stream, ...]:
    recipe = Recipe(documents=2, chunks=40, chunk_tokens=150, facts=80, questions=100, seed=3)
    counter = Estimate()
    library = open_library("builtin", counter, longest=recipe.longest, need=recipe.need)
    return tuple(babi_streams(recipe, library, counter))


@pytest.mark.parametrize("seed", ["a", "b", "c"])
def test_every_template_agrees_with_brute_force_after_every_fact(seed: str) -> None:
    who = cast(stream(seed, "names"), 4, 4, 3, taken=())
    told = tell(stream(seed, "story"), who, 45)
    asked = synthesise(extract(told))
    for one in asked:
        assert len(one.timeline) == len(told)
        for time, accepted in enumerate(one.timeline):
            assert accepted[0] == answer(one.text, told[: time + 1]), (one.text, time)
    assert {one.template.id for one in asked} == TEMPLATES.keys()
    assert {rule_of(one.text) for one in asked} == set(range(len(RULES)))


def test_every_entry_of_built_documents_agrees_with_brute_force() -> None:
    entries = 0
    for document in streams():
        for question in document.questions:
            for interval, accepted in enumerate(question.answers):
                told = [fact.text for fact in document.facts if fact.chunk <= interval]
                assert accepted[0] == answer(question.text, told), (question.text, interval)
                entries += 1
    assert entries == 2 * 100 * 40


def test_evidence_is_the_fact_that_changed_the_answer_last() -> None:
    for document in streams():
        for question in document.questions[::33]:
            for interval, evidence in enumerate(question.evidence):
                told = [fact for fact in document.facts if fact.chunk <= interval]
                values = [
                    answer(question.text, [fact.text for fact in told[:n]])
                    for n in range(len(told) + 1)
                ]
                changes = [n for n in range(1, len(values)) if values[n] != values[n - 1]]
                assert evidence == (told[changes[-1] - 1] if changes else None)


def test_unknown_accepts_zero_for_counts_and_same_for_comparisons() -> None:
    also = {
        QuestionType.TRACKING: ("Unknown",),
        QuestionType.COUNTING: ("Unknown", "0"),
        QuestionType.BRIDGE: ("Unknown",),
        QuestionType.COMPARISON: ("Unknown", "Same"),
    }
    seen = {
        (question.type, accepted)
        for document in streams()
        for question in document.questions
        for accepted in question.answers
        if accepted[0] == "Unknown"
    }
    assert seen == {(kind.value, accepted) for kind, accepted in also.items()}


def test_a_tie_after_evidence_is_same_and_nothing_else() -> None:
    told = ["Ann went to the Attic.", "Ben moved to the Cellar.", "Ann walked to the Cellar."]
    asked = {one.text: one for one in synthesise(extract(told))}
    timeline = asked["Has Ann or Ben visited more distinct places?"].timeline
    assert timeline == (("Ann",), ("Same",), ("Ann",))


@pytest.mark.parametrize(
    ("chunk_of", "answers"),
    [
        ([0, 0, 0], ["Hall", "Hall", "Hall"]),
        ([0, 1, 2], ["Attic", "Cellar", "Hall"]),
        ([1, 1, 2], ["Unknown", "Cellar", "Hall"]),
        ([2, 2, 2], ["Unknown", "Unknown", "Hall"]),
    ],
)
def test_a_chunk_has_the_answer_after_its_last_fact(
    chunk_of: list[int], answers: list[str]
) -> None:
    told = ["Ann went to the Attic.", "Ann moved to the Cellar.", "Ann walked to the Hall."]
    one = next(one for one in synthesise(extract(told)) if one.text == "Where is Ann?")
    intervals = discretised(one, chunk_of, 3)
    assert [interval.accepted[0] for interval in intervals] == answers


def test_a_question_that_never_changes_is_not_asked() -> None:
    told = ["Ann went to the Attic.", "Ben went to the Attic."]
    for one in synthesise(extract(told)):
        assert len(set(one.timeline)) > 1
    assert not [one for one in synthesise(extract(told)) if one.text == "Where is Ann?"]
