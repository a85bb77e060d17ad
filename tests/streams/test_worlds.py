"""Worlds told block by block: every answer is that of the history cut off there."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import pytest

from supersede.corpus.instances import instance_key, make_instance
from supersede.errors import SampleError, UsageError
from supersede.model.instance import InstanceKey
from supersede.model.question import Question
from supersede.model.record import History, Record
from supersede.model.stream import Evidence, Stream
from supersede.prototypes import load_prototype, prototype_ids
from supersede.questions import answer
from supersede.rendering.lines import FINAL, INTERIM
from supersede.specs.world import world_of
from supersede.streams import telling
from supersede.streams.serialize import stream_from_json, stream_to_json
from supersede.streams.telling import Telling, Told
from supersede.streams.validate import violations
from supersede.streams.worlds import world_stream
from supersede.worlds.sample import sample

KEYS = [
    instance_key("warehouse-inventory-ops", "short", 1),
    instance_key("soccer-timeline", "medium", 0),
    instance_key("library-lending-records", "short", 2),
    instance_key("travel-group-discussion", "very_short", 0),
]


@cache
def made(key: InstanceKey) -> Stream:
    return world_stream(key)


@pytest.mark.parametrize("key", KEYS, ids=[key.prototype for key in KEYS])
def test_chunks_are_the_user_turns_without_questions(key: InstanceKey) -> None:
    turns = [m.content for m in make_instance(key).messages if m.role == "user"]
    blocks = [turn.split(f"\n\n{FINAL}")[0].split(f"\n\n{INTERIM}")[0] for turn in turns]
    assert list(made(key).chunks) == blocks


@pytest.mark.parametrize("key", KEYS, ids=[key.prototype for key in KEYS])
def test_every_stream_keeps_every_rule(key: InstanceKey) -> None:
    stream = made(key)
    assert list(violations([stream])) == []
    assert len(stream.questions) == 12
    assert "Which records count" in str(stream.meta["system"])


def asked_of(key: InstanceKey) -> list[Told]:
    """The questions of a stream as the library put them."""
    stream, told = asking(key)
    assert stream == made(key)
    return told


def asking(
    key: InstanceKey, blocks_per_chunk: int = 1, questions: int = 12
) -> tuple[Stream, list[Told]]:
    """A stream, and its questions as the library put them."""
    noted: list[Told] = []
    whole = Telling.evidence

    def noting(self: Telling, told: list[Told]) -> list[tuple[Evidence | None, ...]]:
        noted.extend(told)
        return whole(self, told)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Telling, "evidence", noting)
        stream = world_stream(key, blocks_per_chunk=blocks_per_chunk, questions=questions)
    return stream, noted


def answered(key: InstanceKey, history: History, told: Told) -> str:
    """The answer to a question on a history, as a stream words it."""
    world = world_of(load_prototype(key.prototype))
    claims = answer(world, history, told.question).checklist
    if len(claims) == 1:
        return claims[0].expected
    return "; ".join(f"{claim.slot} = {claim.expected}" for claim in claims)


@pytest.mark.parametrize("key", KEYS, ids=[key.prototype for key in KEYS])
def test_answers_are_those_of_the_history_cut_off(key: InstanceKey) -> None:
    history = sample(load_prototype(key.prototype), key)
    known = 0
    for told, question in zip(asked_of(key), made(key).questions, strict=True):
        for interval, accepted in enumerate(question.answers):
            if accepted != telling.UNKNOWN:
                assert accepted[0] == answered(key, history.cut(interval + 1), told)
                known += 1
    assert known > 20


@pytest.mark.slow
@pytest.mark.parametrize("prototype", prototype_ids())
def test_answers_of_every_world_are_those_of_the_history_cut_off(prototype: str) -> None:
    asked = set()
    for tier, index in (("short", 3), ("medium", 1)):
        key = instance_key(prototype, tier, index)
        history = sample(load_prototype(prototype), key)
        for per_chunk in (1, 3):
            stream, told = asking(key, blocks_per_chunk=per_chunk, questions=60)
            ends = [*range(per_chunk, history.blocks, per_chunk), history.blocks]
            for one, question in zip(told, stream.questions, strict=True):
                asked.add(one.question.operator)
                for end, accepted in zip(ends, question.answers, strict=True):
                    if accepted != telling.UNKNOWN:
                        assert accepted[0] == answered(key, history.cut(end), one)
    assert len(asked) >= 20


def introduces(record: Record, question: Question) -> bool:
    """Whether a record brings in something that the question names."""
    named = {record.id, *(mint.entity for mint in record.mints)}
    values = question.parameters.values()
    given = {v for value in values for v in (value if isinstance(value, tuple) else (value,))}
    return bool(named & given)


@pytest.mark.parametrize("key", KEYS, ids=[key.prototype for key in KEYS])
def test_the_line_of_evidence_changed_the_answer(key: InstanceKey) -> None:
    history = sample(load_prototype(key.prototype), key)
    place = {record.id: record.position for record in history.records}
    checked = 0
    for told, question in zip(asked_of(key), made(key).questions, strict=True):
        for interval, evidence in enumerate(question.evidence):
            name = "" if evidence is None else evidence.text.split(" ")[0].rstrip(":")
            if name in place and not introduces(history.records[place[name]], told.question):
                before, after = (
                    answered(key, History(interval + 1, history.records[:end]), told)
                    for end in (place[name], place[name] + 1)
                )
                assert before != after
                checked += 1
    assert checked > 5


@pytest.mark.parametrize("key", KEYS, ids=[key.prototype for key in KEYS])
def test_a_new_answer_rests_on_a_line_of_its_chunk(key: InstanceKey) -> None:
    for question in made(key).questions:
        for interval in range(1, len(question.answers)):
            evidence = question.evidence[interval]
            if question.answers[interval] != question.answers[interval - 1]:
                assert evidence is not None
                assert evidence.chunk == interval
            if question.answers[interval] == telling.UNKNOWN:
                assert evidence is None


def test_several_blocks_may_make_a_chunk() -> None:
    key = KEYS[1]
    stream = world_stream(key, blocks_per_chunk=3)
    blocks = made(key).chunks
    assert stream.chunks[0] == "\n\n".join(blocks[:3])
    assert len(stream.chunks) == -(-len(blocks) // 3)
    assert list(violations([stream])) == []


def test_a_stream_is_a_function_of_its_key() -> None:
    text = json.dumps(stream_to_json(made(KEYS[3])))
    assert stream_from_json(json.loads(text)) == made(KEYS[3])
    assert world_stream(KEYS[0]) == made(KEYS[0])
    other = instance_key("warehouse-inventory-ops", "short", 2)
    assert made(other).chunks != made(KEYS[0]).chunks


def test_an_operator_narrows_what_is_asked() -> None:
    key = instance_key("warehouse-inventory-ops", "medium", 0, operator="window/*")
    assert {question.type for question in made(key).questions} == {"Window & range"}


@pytest.mark.parametrize(
    ("key", "more", "said"),
    [
        (instance_key("soccer-timeline", operator="windo/*"), {}, "unknown operator 'windo"),
        (instance_key("soccer-timeline"), {"blocks_per_chunk": 0}, "is below 1"),
        (instance_key("soccer-timeline"), {"questions": 0}, "is below 1"),
        (replace(KEYS[1], prototype_version=99), {}, "not 99"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line(key: InstanceKey, more: dict[str, int], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        world_stream(
            key,
            blocks_per_chunk=more.get("blocks_per_chunk", 1),
            questions=more.get("questions", 12),
        )


def test_a_history_in_one_chunk_changes_nothing() -> None:
    with pytest.raises(SampleError, match="no answer changes over 1 chunks"):
        world_stream(KEYS[0], blocks_per_chunk=100)
