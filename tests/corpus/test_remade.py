from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.corpus.test_verify import stamped

from supersede.corpus.instances import instance_key, make_instance
from supersede.corpus.remade import difference_from_key
from supersede.corpus.shards import instance_line
from supersede.corpus.verify import verify
from supersede.model.instance import Tier
from supersede.model.question import Family
from supersede.model.serialize import CANARY, instance_from_json, instance_to_line
from supersede.prototypes import load_prototype

Data = dict[str, Any]


def stored(*, history: bool = False, **dials: float) -> Data:
    """An instance as it lies in a file."""
    key = instance_key("warehouse-inventory-ops", Tier.SHORT, 3, dials=dials)
    data: Data = json.loads(instance_to_line(make_instance(key), history=history))
    return data


def said(data: Data) -> str | None:
    """What the comparison says of the data."""
    key = instance_from_json(data).key
    return difference_from_key(data, key, load_prototype("warehouse-inventory-ops")).difference


@pytest.mark.parametrize("history", [False, True])
def test_what_was_made_is_made_again(history: bool) -> None:
    assert said(stored(history=history)) is None


@pytest.mark.parametrize("history", [False, True])
@pytest.mark.parametrize("tokens", [None, 7])
def test_only_the_line_that_is_written_is_the_same_line(history: bool, tokens: int | None) -> None:
    spec = load_prototype("warehouse-inventory-ops")
    key = instance_key("warehouse-inventory-ops", Tier.SHORT, 3)
    line = instance_line(make_instance(key), history=history, tokens=tokens).encode() + b"\n"
    assert difference_from_key(json.loads(line), key, spec, line) == (None, True)
    for other in (line.replace(b'{"id":"', b'{"id":"0'), line.replace(b",", b", ", 1)):
        assert difference_from_key(json.loads(other), key, spec, other) == (None, False)


def test_whole_numbers_for_dials_are_made_again() -> None:
    assert said(stored(blocks=4, void=0.2)) is None


def to(**fields: object) -> Callable[[Data], Data]:
    """Sets fields."""
    return lambda data: {**data, **fields}


def in_key(**fields: object) -> Callable[[Data], Data]:
    """Sets fields of the key."""
    return lambda data: {**data, "key": {**data["key"], **fields}}


def inside(name: str, **fields: object) -> Callable[[Data], Data]:
    """Sets fields of an object."""
    return lambda data: {**data, name: {**data[name], **fields}}


def with_content(role: str, edit: Callable[[str], str]) -> Callable[[Data], Data]:
    """Edits the first message of a role."""

    def change(data: Data) -> Data:
        messages = [dict(message) for message in data["messages"]]
        message = next(m for m in messages if m["role"] == role)
        message["content"] = edit(message["content"])
        return {**data, "messages": messages}

    return change


def asking_otherwise(data: Data) -> Data:
    """Another wording of the question, in both places."""
    text = data["question"]
    messages = [dict(message) for message in data["messages"]]
    messages[-1]["content"] = messages[-1]["content"].replace(text, f"Please: {text}")
    return {**data, "question": f"Please: {text}", "messages": messages}


def of_another_family(data: Data) -> Data:
    """A family that is not that of the operator."""
    families = [Family.HOTSPOT.value, Family.AUDIT.value]
    return {**data, "family": next(f for f in families if f != data["family"])}


def as_heldout(data: Data) -> Data:
    """A training instance that calls itself held out."""
    return {**in_key(split="heldout")(data), "split": "heldout", "canary": CANARY}


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (asking_otherwise, "messages["),
        (with_content("system", lambda text: f"{text} Ignore the voids."), "messages[0].content"),
        (with_content("assistant", lambda text: f"{text}1"), "messages["),
        (of_another_family, "family is '"),
        (to(theme="Sports"), "theme is 'Sports'"),
        (to(macro_group="Games"), "macro_group is 'Games'"),
        (to(blocks=7), "blocks is 7"),
        (to(events=99), "events is 99"),
        (to(canary=CANARY), "canary is 'supersede held-out data"),
        (to(more=1), "more is 1; made again from its key it is missing"),
        (inside("realised", interleaving=0.0101), "realised.interleaving is 0.0101"),
        (inside("requested", noise=0.9), "requested.noise is 0.9"),
        (in_key(operator="ranking/event-type-actor-leaderboard"), "messages["),
        (in_key(dials={"blocks": 3.0}), "messages["),
        (in_key(tier="medium"), "tier is 'short'"),
        (in_key(index=4), "index is 3"),
        (in_key(index=-1), "the index of its key is -1"),
        (in_key(index="3"), "key.index is '3'; made again from its key it is 3"),
        (in_key(dataset_version=2), "its key is of data set version 2, this release makes 1"),
        (in_key(operator="ranking/no-such"), "cannot be made again from its key: "),
        (as_heldout, "messages["),
    ],
)  # fmt: skip
def test_the_first_field_that_the_key_does_not_give_is_named(
    change: Callable[[Data], Data], where: str
) -> None:
    found = said(change(stored()))
    assert found is not None
    assert found.startswith(where)
    assert len(found.splitlines()) == 1


def test_a_long_text_is_cut_to_what_differs() -> None:
    change = with_content("system", lambda text: text[:300] + "#" + text[301:])
    found = said(change(stored()))
    assert found is not None
    assert "#" in found
    assert len(found) < 250


@pytest.mark.parametrize(
    "change",
    [
        lambda history: history["records"][0].update(parameters={"more": 1}),
        lambda history: history.update(noise=[]),
        lambda history: history.update(records=[]),
        lambda history: history.update(blocks=9),
    ],
    ids=["parameters", "noise", "records", "blocks"],
)
def test_a_history_is_compared_in_full(change: Callable[[Data], None]) -> None:
    data = stored(history=True)
    change(data["history"])
    found = said(data)
    assert found is not None
    assert found.startswith("history.")


def written(path: Path, *lines: Data) -> Path:
    """A file of instances."""
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path


def test_what_the_text_proves_and_the_key_does_not_give_fails_once(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", stamped({**stored(), "theme": "Sports"}))
    told: list[str] = []
    counts: list[tuple[int, int]] = []
    verify(
        [path],
        on_failure=lambda failure: told.append(failure.reason),
        on_file=lambda _, found: counts.append((found.proved, found.remade)),
    )
    assert told == ["theme is 'Sports'; made again from its key it is 'Logistics & mfg.'"]
    assert counts == [(1, 0)]


def test_text_only_reads_the_text_of_another_version_and_says_so(tmp_path: Path) -> None:
    key = replace(instance_from_json(stored()).key, prototype_version=99)
    data = {**stored(), "prototype_version": 99}
    data["key"] = {**data["key"], "prototype_version": key.prototype_version}
    path = written(tmp_path / "a.jsonl", stamped(data))
    assert verify([path])[1] > 0
    notes: list[str] = []
    found = verify([path], text_only=True, on_file=lambda _, file: notes.extend(file.notes))
    assert found == (1, 0)
    (note,) = notes
    assert note.startswith("instances of version 99 of warehouse-inventory-ops were read by")
