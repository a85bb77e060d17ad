"""One build, or one run of a kind, in a folder at a time."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from supersede.corpus.files import JOURNAL
from supersede.errors import UsageError

LOCK = f".{JOURNAL}.lock"
"""Holds the process id of the build that goes on."""


@contextmanager
def locked(folder: Path, name: str = LOCK, *, work: str = "build") -> Iterator[None]:
    """Keeps other work of its kind out of a folder.

    The system drops the lock of a process that dies, so the file that it leaves binds nobody.

    Args:
        folder: It is there.
        name: Of the file that is the lock.
        work: What goes on, for the message.

    Raises:
        UsageError: Another process is at the same work in it.
    """
    path = folder / name
    handle = _opened(path, work)
    try:
        os.ftruncate(handle, 0)
        os.write(handle, f"{os.getpid()}\n".encode())
        yield
    finally:
        _remove(path, handle)


def _opened(path: Path, work: str) -> int:
    """The lock file, locked, as it lies in the folder."""
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        if not _take(handle):
            holder = os.read(handle, 20).decode("ascii", "replace").strip()
            os.close(handle)
            raise UsageError(
                f"another {work} is at work here{f', process {holder}' if holder else ''}",
                where=str(path.parent),
                mend="Wait until it is done, or name another folder.",
            )
        if _lies_at(path, handle):
            return handle
        os.close(handle)  # its holder was done, and removed it, between the opening and the lock


def _lies_at(path: Path, handle: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False


if sys.platform == "win32":
    import msvcrt

    def _take(handle: int) -> bool:
        os.lseek(handle, 1024, os.SEEK_SET)  # behind the process id, which others may read
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(handle, 0, os.SEEK_SET)
        return True

    def _remove(path: Path, handle: int) -> None:
        os.close(handle)
        try:
            path.unlink(missing_ok=True)
        except PermissionError:  # the next build has opened it already
            return

else:
    import fcntl

    def _take(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _remove(path: Path, handle: int) -> None:
        path.unlink(missing_ok=True)  # before the lock goes: nobody else may hold it yet
        os.close(handle)
