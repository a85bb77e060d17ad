from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.corpus.small import built, small

from supersede.corpus.build import build
from supersede.corpus.lock import LOCK, locked
from supersede.errors import UsageError

HOLDER = """
import sys, time
from pathlib import Path
from supersede.corpus.lock import locked
with locked(Path(sys.argv[1])):
    print("locked", flush=True)
    time.sleep(60)
"""


def test_a_second_build_is_one_line_that_names_the_first(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "locked\n"
        with pytest.raises(UsageError) as raised:
            build(tmp_path, small(1))
        said = f"{tmp_path}: another build is at work here, process {holder.pid}."
        assert str(raised.value).startswith(said)
        assert sorted(path.name for path in tmp_path.iterdir()) == [LOCK]
        holder.kill()
    built(tmp_path, small(1))  # the lock of a dead process binds nobody
    assert not (tmp_path / LOCK).exists()


def test_a_lock_file_without_a_holder_is_taken_over(tmp_path: Path) -> None:
    (tmp_path / LOCK).write_text("999999999 and more\n")
    with locked(tmp_path):
        assert (tmp_path / LOCK).read_text() == f"{os.getpid()}\n"
    assert list(tmp_path.iterdir()) == []


def test_one_process_does_not_build_twice_at_once(tmp_path: Path) -> None:
    with locked(tmp_path), pytest.raises(UsageError, match="another build"), locked(tmp_path):
        pytest.fail("locked twice")


def test_a_build_that_fails_gives_the_lock_back(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    with pytest.raises(UsageError, match="holds 'mine' and no corpus"):
        build(tmp_path, small(1))
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
