"""Same key, same bytes; other keys, other instances."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from itertools import islice

import pytest

from supersede.corpus.instances import instance_key, make_instance
from supersede.corpus.shards import instance_line
from supersede.errors import SampleError
from supersede.model.instance import Instance, InstanceKey, Split, Tier
from supersede.model.serialize import canonical, history_to_json, key_to_json
from supersede.prototypes import load_prototype, prototype_ids
from supersede.questions import operators_for
from supersede.worlds.program import compile_specification

CHILD = """
import json, sys
from hashlib import sha256
from supersede.corpus.shards import instance_line
from supersede.corpus.instances import make_instance
from supersede.model.serialize import key_from_json
for data in json.load(sys.stdin):
    line = instance_line(make_instance(key_from_json(data)), history=True)
    print(sha256(line.encode()).hexdigest())
"""


def digest(instance: Instance) -> str:
    """A hash of all that is written of an instance."""
    return sha256(instance_line(instance, history=True).encode()).hexdigest()


def keys() -> list[InstanceKey]:
    """A short and a medium key of every prototype."""
    return [
        instance_key(name, tier, 3)
        for name in prototype_ids()
        for tier in (Tier.SHORT, Tier.MEDIUM)
    ]


def digests_of_a_new_process(keys: Iterable[InstanceKey], hash_seed: str) -> list[str]:
    """The hashes of instances that another Python makes."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD],
        input=json.dumps([key_to_json(key) for key in keys]),
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_every_process_and_order_gives_the_same_bytes() -> None:
    here = [digest(make_instance(key)) for key in keys()]
    assert digests_of_a_new_process(keys(), "1") == here
    backwards = digests_of_a_new_process(reversed(keys()), "2")
    assert backwards == here[::-1]


def histories(count: int) -> Iterator[tuple[str, str]]:
    """Key, and a hash of all lines that the log of an instance shows, for the shortest tier."""
    cells = [(name, split) for name in prototype_ids() for split in Split]
    for number in range(count):
        name, split = cells[number % len(cells)]
        instance = make_instance(
            instance_key(name, Tier.VERY_SHORT, number // len(cells), split=split)
        )
        log = [message.content.partition("\n\n")[0] for message in instance.messages[1:]]
        yield f"{name} {split} {number // len(cells)}", sha256(canonical(log).encode()).hexdigest()


def doubles(count: int) -> list[str]:
    """Which instances show a log that was there before."""
    seen: dict[str, str] = {}
    return [
        f"{key} = {seen[mark]}"
        for key, mark in histories(count)
        if seen.setdefault(mark, key) != key
    ]


def test_no_two_indices_or_splits_give_the_same_log() -> None:
    assert doubles(600) == []


@pytest.mark.slow
def test_no_two_of_ten_thousand_give_the_same_log() -> None:
    assert doubles(10_000) == []


def asked_in_turn(prototype: str) -> Iterator[Instance]:
    """One history under one operator after the other, as far as they find something to ask."""
    spec = load_prototype(prototype)
    for operator in operators_for(spec, compile_specification(spec).world)[::9]:
        with suppress(SampleError):
            yield make_instance(instance_key(prototype, Tier.MEDIUM, 1, operator=operator.name))


@pytest.mark.parametrize("prototype", prototype_ids())
def test_another_operator_leaves_every_record_unchanged(prototype: str) -> None:
    first, *others = islice(asked_in_turn(prototype), 4)
    records = canonical(history_to_json(first.history))
    assert others
    for other in others:
        assert other.question.operator != first.question.operator
        assert canonical(history_to_json(other.history)) == records
        assert other.messages[:-1] == first.messages[:-1]
        assert log_of(other) == log_of(first)


def log_of(instance: Instance) -> str:
    """What the last turn shows before the question."""
    return instance.messages[-1].content.partition("\n\n")[0]


@pytest.mark.parametrize("prototype", prototype_ids())
def test_more_noise_leaves_every_record_unchanged(prototype: str) -> None:
    plain = make_instance(instance_key(prototype, Tier.MEDIUM, 2))
    noisy = make_instance(instance_key(prototype, Tier.MEDIUM, 2, dials={"noise": 1.5}))
    assert len(noisy.history.noise) > len(plain.history.noise) + 20
    assert noisy.history.records == plain.history.records
    lines = {line for message in noisy.messages for line in message.content.splitlines()}
    for message in plain.messages[1:]:
        shown = message.content.partition("\n\n")[0].splitlines()
        assert [line for line in shown if "): " in line and line not in lines] == []


def test_a_split_is_part_of_the_seed() -> None:
    train, heldout = (
        make_instance(instance_key("soccer-timeline", split=split)) for split in Split
    )
    assert train.history.records != heldout.history.records
    assert train.to_json()["canary"] is None
    assert "not for training" in heldout.to_json()["canary"]


@pytest.mark.parametrize("prototype", ["apartment-chores-chat", "chess-like-match-log"])
def test_an_instance_is_let_go_of_without_the_collector(prototype: str) -> None:
    make_instance(instance_key(prototype))
    gc.collect()
    gc.disable()
    try:
        make_instance(instance_key(prototype, index=1))
        assert gc.collect() == 0
    finally:
        gc.enable()


@pytest.mark.parametrize("sign", [chr(n) for n in (*range(0x100), 0x20AC, 0xD800, 0x1F600)])
def test_canonical_text_escapes_what_json_must_and_nothing_else(sign: str) -> None:
    data = {"b": [f"x{sign}", 1.5, None], "a": sign}
    plain = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert canonical(data) == plain
