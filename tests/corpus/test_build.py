from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.corpus.small import PROTOTYPES, built, bytes_of, lines_of, small

from supersede.corpus.build import build, iter_corpus
from supersede.corpus.files import (
    JOURNAL,
    MANIFEST,
    Entry,
    Written,
    read_journal,
    read_manifest,
    write_whole,
)
from supersede.corpus.instances import make_instance
from supersede.corpus.plan import Configuration, configure
from supersede.corpus.shards import instance_line
from supersede.errors import UsageError
from supersede.model.instance import Tier

HEED_CTRL_C = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
"""What is started from a job in the background inherits that Ctrl-C means nothing."""
COMMAND = [
    sys.executable, "-c", HEED_CTRL_C + "from supersede.cli.main import main; main()",
    "corpus", "build",
]  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("whole") / "corpus")


def test_files_hold_the_instances_of_the_keys_in_order(whole: Path) -> None:
    shown = [
        line
        for shard in small().shards()
        for line in (whole / shard.path).read_text(encoding="utf-8").splitlines()
    ]
    assert shown == [instance_line(make_instance(key)) for key in small().instance_keys()]


def test_a_corpus_in_memory_is_the_corpus_on_disk(whole: Path) -> None:
    instances = iter_corpus(tiers=["short"], prototypes=["soccer-timeline"], per_cell=2)
    stored = lines_of(whole / "soccer-timeline" / "short-0000.jsonl")
    assert [json.loads(json.dumps(one.to_json())) for one in instances] == stored


def test_workers_change_no_byte(whole: Path, tmp_path: Path) -> None:
    build(tmp_path / "corpus", small(), workers=4)
    assert bytes_of(tmp_path / "corpus") == bytes_of(whole)


def test_records_go_along_when_asked_for(whole: Path, tmp_path: Path) -> None:
    folder = built(tmp_path / "corpus", small(history=True))
    for shard in small().shards():
        for bare, full in zip(
            lines_of(whole / shard.path), lines_of(folder / shard.path), strict=True
        ):
            history = full.pop("history")
            assert full == bare
            assert len(history["records"]) == bare["events"]


def test_every_shard_is_told_of_in_order(tmp_path: Path) -> None:
    told: list[Entry] = []
    manifest = build(tmp_path / "corpus", small(), on_shard=told.append)
    assert tuple(told) == manifest.shards


def made_again(
    folder: Path, configuration: Configuration, monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    """The shards that a second build makes."""
    made: list[str] = []

    def watched(path: Path, parts: Iterable[bytes]) -> Written:
        made.append(path.relative_to(folder).as_posix())
        return write_whole(path, parts)

    monkeypatch.setattr("supersede.corpus.shards.write_whole", watched)
    build(folder, configuration)
    return made


def test_what_is_there_is_not_made_again(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "corpus"
    shutil.copytree(whole, folder)
    assert made_again(folder, small(), monkeypatch) == []
    assert bytes_of(folder) == bytes_of(whole)


@pytest.mark.parametrize("damage", ["changed", "cut", "gone"])
def test_only_a_damaged_shard_is_made_again(
    damage: str, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "corpus"
    shutil.copytree(whole, folder)
    path = folder / "soccer-timeline" / "short-0000.jsonl"
    content = path.read_bytes()
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(content[:-9] if damage == "cut" else content.replace(b"a", b"b", 1))
    assert made_again(folder, small(), monkeypatch) == ["soccer-timeline/short-0000.jsonl"]
    assert bytes_of(folder) == bytes_of(whole)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (small(3), "per_cell 2, not 3"),
        (small(split="heldout"), "split train, not heldout"),
        (small(history=True), "history False, not True"),
        (configure(tiers=["short"], prototypes=["soccer-timeline"], per_cell=2), "tiers very"),
        (
            configure(tiers=["very_short", "short"], prototypes=["soccer-timeline"], per_cell=2),
            "it has the prototype 'warehouse-inventory-ops'",
        ),
    ],
)
def test_a_corpus_of_another_configuration_is_left_alone(
    other: Configuration, said: str, whole: Path
) -> None:
    before = bytes_of(whole)
    with pytest.raises(UsageError) as raised:
        build(whole, other)
    assert f"holds a corpus of another configuration: {said}" in str(raised.value)
    assert str(raised.value).count("\n") == 0
    assert bytes_of(whole) == before


def test_a_corpus_of_another_specification_is_left_alone(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    shutil.copytree(whole, folder)
    manifest = json.loads((folder / MANIFEST).read_bytes())
    manifest["prototypes"]["soccer-timeline"]["sha256"] = "0" * 64
    (folder / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(UsageError, match="specification of 'soccer-timeline' was another"):
        build(folder, small())


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    mine = tmp_path / "thesis.tex"
    mine.write_text("mine")
    with pytest.raises(UsageError, match=r"holds 'thesis.tex' and no corpus"):
        build(tmp_path, small())
    with pytest.raises(UsageError, match="is a file"):
        build(mine, small())
    assert list(tmp_path.iterdir()) == [mine]


def begun(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """A build in a process group of its own, once its first shard is done."""
    process = subprocess.Popen(
        [*COMMAND, str(folder), *arguments],
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        journal = read_journal(folder)
        if journal is not None and journal.shards:
            return process
        time.sleep(0.02)
    process.kill()
    pytest.fail(f"no shard was finished: {process.communicate()}")


CUT_SHORT = (
    "--per-cell", "30", "--tiers", "very_short,short,medium",
    "--prototypes", "soccer-timeline,warehouse-inventory-ops",
)  # fmt: skip
UNCUT = configure(tiers=list(Tier)[:3], prototypes=PROTOTYPES, per_cell=30)


@pytest.fixture(scope="module")
def uncut(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("uncut") / "corpus", UNCUT)


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("ended_by", [signal.SIGKILL, signal.SIGINT], ids=["kill -9", "Ctrl-C"])
def test_a_build_that_is_cut_short_goes_on_to_the_same_bytes(
    ended_by: signal.Signals, workers: str, uncut: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "corpus"
    process = begun(folder, *CUT_SHORT, "--workers", workers)
    if ended_by is signal.SIGKILL:
        process.kill()  # the parent alone: its workers must end by themselves
    else:
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    out, err = process.communicate(timeout=60)  # workers that live on would hold the pipes open
    if ended_by is signal.SIGINT:
        assert (process.returncode, out, err.strip()) == (130, "", "error: interrupted")
    assert not (folder / MANIFEST).exists()
    left = read_journal(folder)
    assert left is not None
    assert 0 < len(left.shards) < 6
    build(folder, UNCUT)
    assert not (folder / JOURNAL).exists()
    assert bytes_of(folder) == bytes_of(uncut)
    assert read_manifest(folder).instances == 180
