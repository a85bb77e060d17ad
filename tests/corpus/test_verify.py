from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from tests.corpus.small import built, lines_of, small, write_lines

from supersede.corpus.instances import instance_key, make_instance
from supersede.corpus.verify import verify
from supersede.corpus.verify_file import Failure
from supersede.errors import DataError, UsageError
from supersede.model.instance import Tier
from supersede.model.serialize import canonical

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


def test_a_history_without_its_records_is_named_from_the_text_alone(tmp_path: Path) -> None:
    one = make_instance(instance_key("warehouse-inventory-ops", Tier.SHORT, 1))
    data = one.to_json(history=True)
    data["history"]["records"] = []
    path = tmp_path / "a.jsonl"
    write_lines(path, [data])
    told: list[str] = []
    verify([path], text_only=True, on_failure=lambda failure: told.append(failure.reason))
    assert told == [f"its history has no records, and it has {data['events']} events"]


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
