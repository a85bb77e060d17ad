from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from tests.corpus.small import built, lines_of, small, write_lines

from supersede.corpus.instances import instance_key, make_instance
from supersede.corpus.verify import Failure, prove_instance, verify
from supersede.errors import DataError, UsageError
from supersede.model.instance import Instance, Message, Tier
from supersede.model.record import History
from supersede.model.serialize import canonical, instance_from_json
from supersede.prototypes import prototype_ids

SHARD = "soccer-timeline/short-0000.jsonl"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return built(tmp_path / "corpus")


def failures_of(*paths: Path, workers: int = 1) -> list[Failure]:
    """What fails."""
    found: list[Failure] = []
    _, count = verify(paths, workers=workers, on_failure=found.append)
    assert count == len(found)
    return found


@pytest.mark.parametrize("tier", list(Tier))
@pytest.mark.parametrize("prototype", prototype_ids())
def test_the_text_alone_gives_every_answer(prototype: str, tier: Tier) -> None:
    for index in range(2 if tier in (Tier.LONG, Tier.VERY_LONG) else 6):
        assert prove_instance(make_instance(instance_key(prototype, tier, 100 + index))) is None


def test_an_instance_from_json_is_proved_as_well() -> None:
    data = json.loads(json.dumps(make_instance(instance_key("soccer-timeline")).to_json()))
    assert prove_instance(instance_from_json(data)) is None


def instance() -> Instance:
    return make_instance(instance_key("warehouse-inventory-ops", Tier.SHORT, 1))


def bare(one: Instance) -> Instance:
    """The instance without its records, as it is stored."""
    return replace(one, history=History(one.history.blocks, ()))


def with_message(one: Instance, number: int, edit: Callable[[str], str]) -> Instance:
    """The instance with one message edited."""
    messages = list(one.messages)
    message = messages[number]
    messages[number] = Message(message.role, edit(message.content))
    assert messages[number] != message
    return replace(one, messages=tuple(messages))


def without(line: str) -> Callable[[str], str]:
    """Takes a line out of a text."""
    return lambda text: text.replace(f"\n{line}", "", 1)


def test_every_line_that_is_lost_is_noticed() -> None:
    one = bare(instance())
    tried = 0
    for number, (role, content) in enumerate(one.messages):
        log = content.partition("\n\n")[0].splitlines()
        if role != "user" or len(log) < 3:
            continue
        for line in log[1:]:
            lost = with_message(one, number, without(line))
            assert prove_instance(lost) is not None, line
            tried += 1
    assert tried > 10


def test_a_line_that_is_damaged_is_named() -> None:
    damaged = with_message(bare(instance()), 1, lambda text: text.replace(" (", " [", 1))
    said = prove_instance(damaged)
    assert said is not None
    assert said.startswith("message 2, line ")


def test_an_amount_that_is_changed_changes_the_answer_or_a_stored_record() -> None:
    one = instance()
    for number, (role, content) in enumerate(one.messages):
        if role == "user" and " +" in content:
            changed = with_message(one, number, lambda text: text.replace(" +", " +1", 1))
            said = prove_instance(changed)
            assert said is not None
            assert "is stored in another way than it is shown" in said
            return
    pytest.fail("the instance shows no amount")


def test_a_text_that_breaks_a_bound_is_named_whatever_it_answers() -> None:
    one = bare(instance())
    said: list[str | None] = []
    for number, (role, content) in enumerate(one.messages):
        for amount in re.findall(r"; stock \S+ -(\d+);", content) if role == "user" else ():
            less = content.replace(f" -{amount};", f" -{amount}000;", 1)
            said.append(prove_instance(with_message(one, number, {content: less}.__getitem__)))
    assert said.count("'min of stock' does not hold at the end of the text") > 3


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda one: replace(one.answer, text="Answer: 1 = nobody"), "the answer from the text is"),
        (lambda one: replace(one.answer, checklist=()), "the checklist from the text is another"),
        (lambda one: replace(one.answer, evidence=()), "the evidence from the text is another"),
    ],
    ids=["answer", "checklist", "evidence"],
)
def test_a_stored_answer_that_does_not_follow_is_refused(
    change: Callable[[Instance], Any], said: str
) -> None:
    one = instance()
    found = prove_instance(replace(one, answer=change(one)))
    assert found is not None
    assert found.startswith(said)


def test_another_question_than_the_stored_one_is_refused() -> None:
    one = instance()
    other = replace(one, question=replace(one.question, text="What now?"))
    assert prove_instance(other) == "the last turn asks another question"


def test_a_question_without_its_parameters_is_refused() -> None:
    one = instance()
    said = prove_instance(replace(one, question=replace(one.question, parameters={})))
    assert said is not None
    assert said.startswith("the question cannot be answered from the text: KeyError")


def test_a_difficulty_that_the_text_does_not_show_is_refused() -> None:
    one = instance()
    other = replace(one, realised={**one.realised, "invalid": 0.99})
    said = prove_instance(other)
    assert said == f"realised invalid is 0.99, the text shows {one.realised['invalid']}"


def test_another_number_of_blocks_is_refused() -> None:
    one = instance()
    other = replace(one, history=one.history._replace(blocks=9))
    assert prove_instance(other) == f"shows {one.history.blocks} blocks and stores 9"


def test_a_history_without_its_records_is_named_from_the_text_alone(tmp_path: Path) -> None:
    data = instance().to_json(history=True)
    data["history"]["records"] = []
    path = tmp_path / "a.jsonl"
    write_lines(path, [data])
    told: list[str] = []
    verify([path], text_only=True, on_failure=lambda failure: told.append(failure.reason))
    assert told == [f"its history has no records, and it has {data['events']} events"]


def test_another_version_of_the_prototype_is_refused() -> None:
    one = instance()
    key = replace(one.key, prototype_version=99)
    said = prove_instance(replace(one, key=key))
    assert said is not None
    assert said.startswith("is of version 99 of warehouse-inventory-ops")


def test_a_sound_corpus_has_no_failures(corpus: Path) -> None:
    assert verify([corpus]) == (8, 0)
    assert verify([corpus], workers=2) == (8, 0)
    assert verify([corpus / SHARD]) == (2, 0)


def stamped(data: dict[str, Any]) -> dict[str, Any]:
    """The instance under the id that its content has now."""
    plain = {name: value for name, value in data.items() if name not in ("id", "history")}
    return {**data, "id": sha256(canonical(plain).encode()).hexdigest()[:32]}


def edited(corpus: Path, edit: Callable[[dict[str, Any]], None], *, stamp: bool = True) -> Path:
    """The corpus with the second instance of a shard edited."""
    path = corpus / SHARD
    first, second = lines_of(path)
    edit(second)
    write_lines(path, [first, stamped(second) if stamp else second])
    return corpus


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("answer", "Answer: nobody", "the answer from the text is"),
        ("tier", "long", "tier is 'long' and the key says 'short'"),
        ("index", 7, "index is 7 and the key says 1"),
        ("canary", "tweet", "the canary is missing or out of place"),
        ("evidence", ["X"], "the evidence from the text is another"),
    ],
)
def test_an_edited_instance_is_named_by_shard_and_line(
    name: str, value: object, said: str, corpus: Path
) -> None:
    found = failures_of(edited(corpus, lambda data: data.update({name: value})))
    (where,) = {failure.where for failure in found if failure.reason.startswith(said)}
    assert where == f"{corpus / SHARD}:2"
    assert Failure(str(corpus / SHARD), "its SHA-256 is not that of the manifest") in found


def test_an_instance_under_a_wrong_id_is_named(corpus: Path) -> None:
    edited(corpus, lambda data: data.update(theme="Sport"), stamp=False)
    assert Failure(f"{corpus / SHARD}:2", "the id is not the hash of the instance") in failures_of(
        corpus
    )


def test_an_instance_in_the_place_of_another_is_named(corpus: Path) -> None:
    path = corpus / SHARD
    write_lines(path, lines_of(path)[::-1])
    found = failures_of(corpus)
    for number in (1, 2):
        assert Failure(f"{path}:{number}", "the key is of another place in the corpus") in found


def test_a_shard_that_lacks_an_instance_is_named(corpus: Path) -> None:
    path = corpus / SHARD
    write_lines(path, lines_of(path)[:1])
    assert Failure(str(path), "holds 1 instances, the manifest says 2") in failures_of(corpus)


def test_an_instance_that_stands_twice_is_named(corpus: Path, tmp_path: Path) -> None:
    path = corpus / SHARD
    copy = tmp_path / "copy.jsonl"
    write_lines(copy, lines_of(path)[1:])
    assert failures_of(corpus, copy) == [
        Failure(f"{copy}:1", f"has the id of {path}:2"),
        Failure(f"{copy}:1", f"has the messages of {path}:2"),
    ]


def test_a_held_out_instance_with_the_messages_of_a_training_one_is_named(
    corpus: Path, tmp_path: Path
) -> None:
    heldout = built(tmp_path / "heldout", small(split="heldout"))
    assert verify([corpus, heldout]) == (16, 0)
    train, held = lines_of(corpus / SHARD)[1], lines_of(heldout / SHARD)[1]
    leaked = stamped({**train, "key": held["key"], "split": "heldout", "canary": held["canary"]})
    write_lines(heldout / SHARD, [lines_of(heldout / SHARD)[0], leaked])
    (found,) = (f for f in failures_of(corpus, heldout) if f.reason.startswith("has the messages"))
    assert found == Failure(f"{heldout / SHARD}:2", f"has the messages of {corpus / SHARD}:2")


@pytest.mark.parametrize("workers", [1, 2])
def test_a_truncated_file_is_named_with_its_line(workers: int, corpus: Path) -> None:
    path = corpus / SHARD
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(DataError) as raised:
        verify([corpus], workers=workers)
    assert str(raised.value).startswith(f"{path}:2: the file ends in the middle of a line")


def test_a_line_that_is_no_instance_is_named(corpus: Path) -> None:
    path = corpus / SHARD
    write_lines(path, [{"id": "a"}])
    with pytest.raises(DataError, match=r"short-0000\.jsonl:1: not an instance: 'key' is"):
        verify([corpus])


def test_what_is_no_corpus_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such folder"):
        verify([tmp_path / "nowhere"])
    with pytest.raises(DataError, match=r"no manifest\.json"):
        verify([tmp_path])


def test_a_corpus_of_another_specification_is_not_verified(corpus: Path) -> None:
    path = corpus / "manifest.json"
    path.write_text(re.sub(r'"version": \d+', '"version": 0', path.read_text(), count=1))
    with pytest.raises(UsageError, match="was made from another specification of 'soccer-timeline"):
        verify([corpus])
