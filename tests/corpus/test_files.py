import errno
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path

import pytest
from tests.corpus.small import built, small

from supersede.corpus.files import (
    JOURNAL,
    MANIFEST,
    Entry,
    Journal,
    hash_of,
    is_sound,
    read_journal,
    read_lines,
    read_manifest,
    write_whole,
)
from supersede.errors import DataError

ENTRY = Entry("a/short-0000.jsonl", "a", "short", 0, 2, 50, 3, sha256(b"abc").hexdigest())


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "a"
    assert write_whole(path, [b"ab", b"c"]) == (3, sha256(b"abc").hexdigest())
    assert path.read_bytes() == b"abc"
    assert hash_of(path) == sha256(b"abc").hexdigest()


def test_a_file_that_cannot_be_finished_leaves_the_old_one_and_nothing_else(tmp_path: Path) -> None:
    def parts() -> Iterator[bytes]:
        yield b"new"
        raise KeyboardInterrupt

    path = tmp_path / "a"
    path.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt):
        write_whole(path, parts())
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_shard_is_sound_only_with_its_own_bytes(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    path = tmp_path / ENTRY.path
    assert not is_sound(tmp_path, ENTRY)
    path.write_bytes(b"abc")
    assert is_sound(tmp_path, ENTRY)
    path.write_bytes(b"abd")
    assert not is_sound(tmp_path, ENTRY)
    path.write_bytes(b"abcd")
    assert not is_sound(tmp_path, ENTRY)


def test_a_journal_forgets_only_a_line_that_was_cut_short(tmp_path: Path) -> None:
    assert read_journal(tmp_path) is None
    journal = Journal(tmp_path, small(), [ENTRY])
    second = replace(ENTRY, path="a/short-0001.jsonl", first=2)
    journal.add(second)
    read = read_journal(tmp_path)
    assert read is not None
    assert read.configuration == small().to_json()
    assert read.shards == (ENTRY, second)
    path = tmp_path / JOURNAL
    path.write_bytes(path.read_bytes()[:-5])
    read = read_journal(tmp_path)
    assert read is not None
    assert read.shards == (ENTRY,)


def test_a_manifest_comes_back_as_it_was_written(tmp_path: Path) -> None:
    folder = built(tmp_path / "c")
    manifest = read_manifest(folder)
    assert manifest.configuration == small().to_json()
    assert manifest.instances == 8
    data = json.loads((folder / MANIFEST).read_bytes())
    assert data["instances"] == 8
    assert data["events"] == manifest.events == sum(entry["events"] for entry in data["shards"])


def test_a_folder_without_a_manifest_is_no_finished_corpus(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no manifest\.json"):
        read_manifest(tmp_path)


@pytest.mark.parametrize(
    "text",
    ["{", "[]", "{}", '{"shards": 3, "instances": 0, "events": 0}', '{"shards": [{"path": 1}]}'],
)
def test_a_damaged_manifest_is_one_line(text: str, tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(DataError, match=r"manifest\.json: is damaged"):
        read_manifest(tmp_path)


def test_an_entry_needs_every_field_of_its_kind() -> None:
    good = asdict(ENTRY)
    assert Entry.from_json(good) == ENTRY
    for bad in ({**good, "bytes": "3"}, {**good, "more": 1}, {**good, "tier": "shrt"}, {}, None):
        with pytest.raises(DataError, match="is no entry"):
            Entry.from_json(bad)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"a": 1}\n{"a": 2', "a.jsonl:2: the file ends in the middle of a line"),
        (b'{"a": 1}\n{"a": \n', "a.jsonl:2: not JSON"),
        (b"[1]\n", "a.jsonl:1: not a JSON object"),
        (b'{"a": 1}\n\n', "a.jsonl:2: not JSON"),
        (b'{"a": "\xff"}\n', "a.jsonl:1: not JSON"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(content: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    with pytest.raises(DataError) as raised:
        list(read_lines(path))
    assert said in str(raised.value)


def test_behind_a_link_the_target_is_written_and_the_link_stays(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link, target = tmp_path / "link.jsonl", tmp_path / "real" / "a.jsonl"
    link.symlink_to(target)
    for content in (b"first", b"second"):
        write_whole(link, [content])
        assert link.is_symlink()
        assert target.read_bytes() == content
    assert [path.name for path in target.parent.iterdir()] == ["a.jsonl"]


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        written = write_whole(pipe, [b"one ", b"two"])
        assert os.read(reading, 100) == b"one two"
    finally:
        os.close(reading)
    assert pipe.is_fifo()
    assert written.bytes == 7


def test_what_the_system_refuses_is_said_of_the_file_that_was_asked_for(tmp_path: Path) -> None:
    def full() -> Iterator[bytes]:
        yield b"some"
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))  # as a write says it: without a name

    for path, parts in ((tmp_path / "a.jsonl", full()), (tmp_path / ("x" * 250), iter([b"a"]))):
        with pytest.raises(OSError, match=r"No space left|name too long") as raised:
            write_whole(path, parts)
        assert raised.value.filename == str(path)
    assert list(tmp_path.iterdir()) == []
