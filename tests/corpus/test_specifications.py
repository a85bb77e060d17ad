"""A world of one's own goes wherever one of the catalogue goes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.corpus.small import bytes_of
from tests.specs.shop import spoilt

from supersede.corpus.build import build, iter_corpus
from supersede.corpus.files import MANIFEST, read_manifest
from supersede.corpus.instances import instance_key, make_instance
from supersede.corpus.plan import Configuration, configure
from supersede.corpus.specifications import adopt_copies
from supersede.corpus.text_proof import prove_instance
from supersede.corpus.verify import verify
from supersede.errors import DataError, SpecError, UsageError
from supersede.prototypes import load_prototype, prototype_files

OWN = "my-desk"
COPY = f"specifications/{OWN}.yaml"
SHARD = f"{OWN}/short-0000.jsonl"


def write(path: Path, *changes: tuple[str, str]) -> Path:
    """A world of one's own in a file."""
    path.write_text(spoilt(("id: returns-desk", f"id: {OWN}"), *changes), encoding="utf-8")
    return path


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    return write(tmp_path / "world.yaml")


def chosen(mine: Path, per_cell: int = 2) -> Configuration:
    return configure(tiers=["short"], prototypes=[mine, "soccer-timeline"], per_cell=per_cell)


@pytest.fixture
def corpus(tmp_path: Path, mine: Path) -> Path:
    build(tmp_path / "corpus", chosen(mine))
    return tmp_path / "corpus"


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process that has read no file."""
    monkeypatch.setattr("supersede.prototypes._OWN", {})


def test_a_path_is_taken_wherever_an_id_is(mine: Path) -> None:
    spec = load_prototype(mine)
    assert spec is load_prototype(str(mine)) is load_prototype(OWN)
    key = instance_key(str(mine), "short", 1)
    assert (key.prototype, key.prototype_version) == (OWN, 1)
    instance = make_instance(key)
    assert prove_instance(instance) is None
    (_, again) = iter_corpus(tiers=["short"], prototypes=[mine], per_cell=2)
    assert again == instance


def test_the_key_alone_does_not_find_the_file_in_another_process(
    mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = instance_key(mine)
    instance = make_instance(key)
    forget(monkeypatch)
    with pytest.raises(UsageError, match="by the path of its YAML file"):
        make_instance(key)
    assert make_instance(key, load_prototype(mine)) == instance


def test_a_file_that_changed_is_read_again(mine: Path) -> None:
    assert load_prototype(mine).title == "Returns desk"
    write(mine, ("title: Returns desk", "title: Another desk"))
    assert load_prototype(mine).title == load_prototype(OWN).title == "Another desk"


def test_an_id_of_the_catalogue_is_refused_for_another_world(tmp_path: Path) -> None:
    copy = tmp_path / "copy.yaml"
    shutil.copy(prototype_files()["soccer-timeline"], copy)
    assert load_prototype(copy) is load_prototype("soccer-timeline")
    copy.write_text(f"{copy.read_text(encoding='utf-8')}\n# a remark changes nothing\n")
    assert configure(prototypes=[copy]).own == ()
    write(copy, (f"id: {OWN}", "id: soccer-timeline"))
    for take in (load_prototype, instance_key, lambda path: configure(prototypes=[path])):
        with pytest.raises(UsageError, match=r"copy\.yaml: the catalogue has another .* its own"):
            take(copy)


def test_two_worlds_of_one_id_are_refused(tmp_path: Path, mine: Path) -> None:
    other = write(tmp_path / "other.yaml", ("title: Returns desk", "title: Another desk"))
    with pytest.raises(UsageError, match="two specifications have the id 'my-desk'"):
        configure(prototypes=[mine, other])


def test_a_file_with_errors_is_refused_with_its_line(tmp_path: Path) -> None:
    wrong = write(tmp_path / "wrong.yaml", ("setting: Follow", "extra: x\nsetting: Follow"))
    for take in (load_prototype, instance_key, lambda path: configure(prototypes=[path])):
        with pytest.raises(SpecError, match=r"wrong\.yaml:\d+:\d+: unknown key 'extra'"):
            take(wrong)


def test_a_corpus_carries_its_specification_and_is_verified_by_it(
    corpus: Path, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (corpus / COPY).read_bytes() == mine.read_bytes()
    assert list(read_manifest(corpus).specifications) == [COPY]
    assert not (corpus / "specifications" / "soccer-timeline.yaml").exists()
    mine.unlink()
    forget(monkeypatch)
    assert verify([corpus]) == (4, 0)
    assert verify([corpus / SHARD]) == (2, 0)


def test_what_lies_with_instances_is_known_to_the_baselines(
    corpus: Path, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine.unlink()
    for data in (corpus, corpus.parent, corpus / SHARD):
        forget(monkeypatch)
        adopt_copies(data, ["soccer-timeline", OWN])
        assert load_prototype(OWN).title == "Returns desk"
    forget(monkeypatch)
    adopt_copies(corpus, ["soccer-timeline"])
    with pytest.raises(UsageError, match="unknown prototype"):
        load_prototype(OWN)


def test_workers_and_a_second_build_change_no_byte(
    corpus: Path, mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(tmp_path / "again", chosen(mine), workers=2)
    assert bytes_of(tmp_path / "again") == bytes_of(corpus)
    (corpus / COPY).unlink()
    (corpus / MANIFEST).unlink()
    with pytest.raises(UsageError, match="and no corpus"):
        build(corpus, chosen(mine))
    forget(monkeypatch)
    assert verify([tmp_path / "again"], workers=2) == (4, 0)


def test_a_build_goes_on_and_writes_a_lost_copy_again(corpus: Path, mine: Path) -> None:
    before = bytes_of(corpus)
    (corpus / COPY).unlink()
    build(corpus, chosen(mine))
    assert bytes_of(corpus) == before


def test_another_world_of_that_id_leaves_a_corpus_alone(corpus: Path, mine: Path) -> None:
    write(mine, ("title: Returns desk", "title: Another desk"))
    with pytest.raises(UsageError, match="specification of 'my-desk' was another"):
        build(corpus, chosen(mine))


@pytest.mark.parametrize("damage", ["gone", "edited", "exchanged"])
def test_a_damaged_copy_is_no_ground_to_verify_on(damage: str, corpus: Path) -> None:
    path = corpus / COPY
    if damage == "gone":
        path.unlink()
    elif damage == "edited":
        write(path, ("title: Returns desk", "title: Another desk"))
    else:
        manifest = json.loads((corpus / MANIFEST).read_bytes())
        manifest["prototypes"][OWN]["sha256"] = "0" * 64
        (corpus / MANIFEST).write_text(json.dumps(manifest))
    said = {
        "gone": (DataError, "lacks a specification"),
        "edited": (DataError, "its SHA-256 is not that of the manifest"),
        "exchanged": (UsageError, "another specification of 'my-desk' than its copy"),
    }
    kind, words = said[damage]
    with pytest.raises(kind, match=words):
        verify([corpus])


def test_a_lone_file_is_verified_by_a_specification_that_is_named(
    corpus: Path, mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lone = tmp_path / "alone" / "far" / "lone.jsonl"
    lone.parent.mkdir(parents=True)
    shutil.copy(corpus / SHARD, lone)
    forget(monkeypatch)
    failures: list[str] = []
    assert verify([lone], on_failure=lambda f: failures.append(f.reason)) == (2, 2)
    assert all("unknown prototype 'my-desk'" in reason for reason in failures)
    assert all("--spec" in reason for reason in failures)
    assert verify([lone], specifications=[mine]) == (2, 0)
