"""Output that appears whole or not at all, and never over anything."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from supersede.corpus.files import MANIFEST, TEMPORARY
from supersede.errors import UsageError


@contextmanager
def fresh(out: Path, corpora: Sequence[Path]) -> Iterator[Path]:
    """Gives a path beside `out` to write to, which takes its name when the block ends well.

    Whatever ends the block otherwise leaves nothing of it behind.

    Args:
        out: The file or folder to be; folders above it are made.
        corpora: What is read, which it must not lie in.

    Raises:
        UsageError: There is something of that name, or it would lie in a corpus.
    """
    _refuse(out, corpora)
    out.parent.mkdir(parents=True, exist_ok=True)
    temporary = out.with_name(f".{out.name}.{os.getpid()}{TEMPORARY}")
    _remove(temporary)
    try:
        yield temporary
        _refuse(out, corpora)  # another process may have been quicker
        temporary.rename(out)
    finally:
        _remove(temporary)


def _refuse(out: Path, corpora: Sequence[Path]) -> None:
    if os.path.lexists(out):
        raise UsageError(
            "exists already", where=str(out), mend="Name a new one, or remove it first."
        )
    above = out.resolve().parents
    for corpus in corpora:
        if corpus.resolve() in above and (corpus / MANIFEST).exists():
            raise UsageError(
                f"lies in the corpus {corpus}, which holds its own files alone",
                where=str(out),
                mend="Name a place outside it.",
            )


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
