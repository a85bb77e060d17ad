"""A corpus that is not whole, or that says of itself what is not so, fails."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.corpus.small import built, small

from supersede.corpus.verify import verify
from supersede.errors import DataError

SHARD = "soccer-timeline/short-0000.jsonl"
Manifest = dict[str, Any]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("whole") / "corpus", small(1))


@pytest.fixture
def corpus(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "corpus"))


def failing(*paths: Path) -> list[str]:
    """The failures, without the folder."""
    told: list[str] = []
    verify(paths, on_failure=lambda failure: told.append(str(failure)))
    return [line.replace(f"{paths[0]}/", "") for line in told]


def edit(corpus: Path, change: Callable[[Manifest], object]) -> Path:
    """The corpus with its manifest changed."""
    path = corpus / "manifest.json"
    data = json.loads(path.read_bytes())
    change(data)
    path.write_text(json.dumps(data), encoding="utf-8")
    return corpus


def in_first(**fields: object) -> Callable[[Manifest], object]:
    """Changes the first shard."""
    return lambda data: data["shards"][0].update(fields)


FIRST = "soccer-timeline/very_short-0000.jsonl"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data.update(shards=[], instances=0, events=0),
         f"manifest.json: does not list {FIRST} and 3 more, which its configuration gives"),
        (lambda data: data["shards"].pop(1), f"manifest.json: does not list {SHARD}, which"),
        (lambda data: data["shards"].append(data["shards"][0]),
         f"manifest.json: lists {FIRST} 2 times"),
        (lambda data: data["shards"].reverse(), "manifest.json: lists its shards in another order"),
        (lambda data: data.update(per_cell=2),
         f"manifest.json: instances of {FIRST} is 1, its configuration gives 2"),
        (lambda data: data.update(tiers=["short"]),
         f"manifest.json: lists {FIRST}, which its configuration does not give"),
        (lambda data: data.update(tiers=["short", "very_short"]), "manifest.json: tiers is"),
        (lambda data: data.update(tiers=["very_short", "short", "medium"]),
         "manifest.json: tiers is|does not list"),
        (lambda data: data.update(instances=5), "says 5 instances, its shards have 4"),
        (lambda data: data.update(events=1), "manifest.json: says 1 events, its shards have"),
        (lambda data: data.update(history=True), f"{FIRST}:1: it has no history"),
        (lambda data: data.update(split="heldout"), f"{FIRST}:1: the key is of another place"),
        (lambda data: data.update(dataset_version=2), "manifest.json: dataset_version is 2"),
        (lambda data: data.update(more=1), "manifest.json: more is 1"),
        (in_first(instances=2), f"manifest.json: instances of {FIRST} is 2"),
        (in_first(events=1), f"{FIRST}: holds "),
        (in_first(bytes=1), f"{FIRST}: holds "),
        (in_first(sha256="0"), f"{FIRST}: its SHA-256 is not that of the manifest"),
        (in_first(tier="short"), f"manifest.json: tier of {FIRST} is 'short'"),
        (in_first(path="../x.jsonl"), "manifest.json: lists ../x.jsonl, which"),
    ],
)  # fmt: skip
def test_a_manifest_that_says_what_is_not_so_fails(
    change: Callable[[Manifest], object], said: str, corpus: Path
) -> None:
    found = failing(edit(corpus, change))
    assert [line for line in found for part in said.split("|") if part in line], found
    assert all(len(line.splitlines()) == 1 for line in found)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data.update(prototypes={}), "names no prototypes"),
        (lambda data: data.update(prototypes=["soccer-timeline"]), "names no prototypes"),
        (lambda data: data.update(tiers=[]), "names no tiers"),
        (lambda data: data.update(tiers=["shrt"]), "unknown tier 'shrt'"),
        (lambda data: data.update(per_cell=0), "per_cell is 0"),
        (lambda data: data.update(per_cell="1"), "per_cell is '1'"),
        (lambda data: data.pop("split"), "names no split"),
    ],
)
def test_a_manifest_without_a_configuration_is_refused(
    change: Callable[[Manifest], object], said: str, corpus: Path
) -> None:
    with pytest.raises(DataError, match=said):
        verify([edit(corpus, change)])


def test_a_file_that_is_no_part_of_the_corpus_fails(corpus: Path) -> None:
    shutil.copy(corpus / SHARD, corpus / "soccer-timeline" / "more.jsonl")
    assert failing(corpus) == [
        "manifest.json: the folder holds soccer-timeline/more.jsonl, which is no part of the corpus"
    ]


def test_what_is_named_twice_fails_and_counts_once(corpus: Path) -> None:
    assert verify([corpus, corpus]) == (4, 1)
    assert failing(corpus, corpus) == [
        f"{corpus}: brings {FIRST} and 3 more in a second time".replace(f"{corpus}/", "")
    ]
    assert verify([corpus / SHARD, corpus]) == (4, 1)
    assert verify([corpus, corpus / ".." / corpus.name / SHARD]) == (4, 1)


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"")
    with pytest.raises(DataError, match="holds no instances"):
        verify([path])


def test_what_is_no_corpus_is_called_what_it_is(corpus: Path, tmp_path: Path) -> None:
    spec = tmp_path / "world.yaml"
    spec.write_text("id: world\n", encoding="utf-8")
    for path, said in (
        (corpus / "manifest.json", "is the manifest of a corpus. Name its folder"),
        (corpus / "soccer-timeline", "is a part of a corpus. Name the folder of the corpus"),
        (spec, "is no file of instances"),
        (tmp_path / "nowhere", "no such folder"),
        (Path("/dev/null"), "is neither a folder nor a plain file"),
    ):
        with pytest.raises(DataError) as raised:
            verify([path])
        assert str(raised.value).startswith(f"{path}: {said}")
