"""Rows are what was built, or named."""

import json
import re
import shutil
from hashlib import sha256
from pathlib import Path

import pytest
from tests.training.exports.made import corpus, lines

from supersede.corpus.build import build
from supersede.corpus.plan import configure
from supersede.errors import DataError
from supersede.model.serialize import CANARY, canonical
from supersede.prototypes import prototype_files
from supersede.training.exports.chat import export_chat
from supersede.training.exports.samples import export_samples
from supersede.training.exports.source import own_specifications, rows_of


def test_rows_come_in_the_order_of_the_corpora_and_files_are_told_of(corpora: list[Path]) -> None:
    read: list[Path] = []
    rows = list(rows_of(corpora, read.append))
    assert [row.data["split"] for row in rows] == ["train"] * 12 + ["heldout"] * 6
    assert len(read) == 12
    assert {row.data["canary"] for row in rows[12:]} == {CANARY}
    assert [json.loads(row.line) for row in rows] == [row.data for row in rows]


def test_records_do_not_go_along(tmp_path: Path) -> None:
    made = configure("train", tiers=["very_short"], prototypes=["soccer-timeline"], per_cell=1,
                     history=True)  # fmt: skip
    build(tmp_path / "corpus", made)
    (row,) = rows_of([tmp_path / "corpus"])
    assert "history" not in row.data


def one_file(tmp_path: Path, corpora: list[Path]) -> Path:
    path = tmp_path / "lone.jsonl"
    shutil.copy(corpora[1] / "soccer-timeline/short-0000.jsonl", path)
    return path


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("answer", "Answer: nobody", "the hash of its fields is"),
        ("canary", None, "the hash of its fields is"),
        ("tier", "huge", "the hash of its fields is"),
        ("messages", 3, "'messages' is no list"),
        ("id", None, "'id' is no text"),
    ],
)
def test_a_changed_row_is_named(
    field: str, value: object, said: str, tmp_path: Path, corpora: list[Path]
) -> None:
    path = one_file(tmp_path, corpora)
    (row,) = lines(path)
    path.write_text(json.dumps({**row, field: value}) + "\n", encoding="utf-8")
    with pytest.raises(DataError, match=said) as raised:
        list(rows_of([path]))
    assert raised.value.where == f"{path}:1"


def test_a_held_out_row_without_its_canary_is_refused_even_under_a_fresh_id(
    tmp_path: Path, corpora: list[Path]
) -> None:
    path = one_file(tmp_path, corpora)
    (row,) = lines(path)
    content = {**row, "canary": None}
    del content["id"]
    name = sha256(canonical(content).encode()).hexdigest()[:32]
    path.write_text(json.dumps({"id": name, **content}) + "\n", encoding="utf-8")
    with pytest.raises(DataError, match="its canary is None"):
        list(rows_of([path]))


def test_a_row_that_is_there_twice_is_named(tmp_path: Path, corpora: list[Path]) -> None:
    path = one_file(tmp_path, corpora)
    with pytest.raises(DataError, match="is here a second time; it is also at"):
        list(rows_of([corpora[1], path]))


def test_a_shard_that_was_changed_or_lost_is_named(tmp_path: Path) -> None:
    corpus(tmp_path / "corpus", "train")
    path = tmp_path / "corpus" / "soccer-timeline" / "short-0000.jsonl"
    content = path.read_bytes()
    path.write_bytes(content.replace(b"o", b"0", 1))
    with pytest.raises(DataError, match="its SHA-256 is another") as raised:
        list(rows_of([tmp_path / "corpus"]))
    assert raised.value.where == str(path)
    path.unlink()
    with pytest.raises(DataError, match="lacks this file"):
        list(rows_of([tmp_path / "corpus"]))


def test_nothing_to_export_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.touch()
    with pytest.raises(DataError, match="there are no instances here"):
        list(rows_of([path]))
    with pytest.raises(DataError, match="no such folder"):
        list(rows_of([tmp_path / "nowhere"]))


def test_worlds_of_ones_own_go_along_and_may_not_disagree(tmp_path: Path) -> None:
    text = prototype_files()["soccer-timeline"].read_text(encoding="utf-8")
    mine = text.replace("id: soccer-timeline", "id: my-match", 1)
    for folder, said in (("a", mine), ("b", mine + "\n# other\n")):
        world = tmp_path / folder / "my-match.yaml"
        world.parent.mkdir()
        world.write_text(said, encoding="utf-8")
        made = configure(tiers=["very_short"], prototypes=[world], per_cell=1)
        build(tmp_path / folder / "corpus", made)
    assert own_specifications([tmp_path / "a" / "corpus"]) == {"my-match": mine}
    with pytest.raises(DataError, match="another world of the id 'my-match'"):
        own_specifications([tmp_path / "a" / "corpus", tmp_path / "b" / "corpus"])


def counted_by(folder: Path, tokenizer: str | None, split: str = "train") -> Path:
    """A corpus of two rows with their tokens, or without."""
    build(folder, configure(split, tiers=["very_short"], prototypes=["soccer-timeline"],
                            per_cell=2, tokenizer=tokenizer))  # fmt: skip
    return folder


def test_counts_of_tokens_go_along(tmp_path: Path) -> None:
    folder = counted_by(tmp_path / "corpus", "estimate")
    stored = lines(folder / "soccer-timeline/very_short-0000.jsonl")
    rows = list(rows_of([folder]))
    assert [row.data["tokens"] for row in rows] == [line["tokens"] for line in stored]
    assert {row.tokenizer for row in rows} == {"estimate"}
    assert [json.loads(row.line) for row in rows] == [row.data for row in rows]
    export_chat([folder], tmp_path / "chat.jsonl")
    said = lines(tmp_path / "chat.jsonl")
    assert [row["tokens"] for row in said] == [str(line["tokens"]) for line in stored]
    assert {row["tokenizer"] for row in said} == {"estimate"}
    export_samples([folder], tmp_path / "samples.jsonl")
    known = [row["metadata"] for row in lines(tmp_path / "samples.jsonl")]
    assert [one["tokens"] for one in known] == [line["tokens"] for line in stored]


def test_rows_with_and_without_counts_do_not_mix(tmp_path: Path) -> None:
    folders = [counted_by(tmp_path / "a", "estimate"), counted_by(tmp_path / "b", None, "heldout")]
    with pytest.raises(DataError, match="tokens are not counted here, other than in rows before"):
        list(rows_of(folders))
    with pytest.raises(DataError, match="tokens are counted here"):
        list(rows_of(folders[::-1]))


def test_counts_of_two_tokenizers_do_not_mix(tmp_path: Path) -> None:
    folders = [counted_by(tmp_path / "a", "estimate"),
               counted_by(tmp_path / "b", "estimate", "heldout")]  # fmt: skip
    path = folders[1] / "manifest.json"
    said = path.read_text(encoding="utf-8").replace('"name": "estimate"', '"name": "words"')
    path.write_text(said, encoding="utf-8")
    with pytest.raises(DataError, match="were counted by 'words', those of"):
        list(rows_of(folders))
    path.write_text(re.sub(r'"tokenizer": {[^}]*}', '"tokenizer": 3', said), encoding="utf-8")
    with pytest.raises(DataError, match="names no tokenizer: 3"):
        list(rows_of(folders))
