"""How much of a held-out instance's log stands in training: runs of 13 words, compared as sets.

Only lines of records are compared, values included: system messages, questions, rules and noise
are the same words in every instance of a world and say nothing of its facts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from supersede.corpus.files import read_lines
from supersede.corpus.pool import in_order
from supersede.errors import DataError, UsageError, location
from supersede.model.instance import Split

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Hashes = NDArray[np.uint64]

WORDS = 13
"""Words of a run."""
LIMIT = 0.1
"""Most that a held-out instance may share with a training instance, as a Jaccard index."""

_MULTIPLIER = 0x9E3779B97F4A7C15
_RECORD = re.compile(r"(?=\S*\d)\S+(?: [^():]+)?(?: \([^()]+\))?: .+\.")
_RULE = re.compile(r'; status "[^"]*"[^;]*\bcounts?\b[^;]*\.$')


class Nearest(NamedTuple):
    """The training instance that shares most with a held-out one."""

    id: str
    """Of the held-out instance."""
    training: str
    """Id of the training instance; empty where none shares a run."""
    jaccard: float
    """Shared runs by runs of either; 0 to 1."""


@dataclass(frozen=True, slots=True)
class _Task:
    """A file of training instances, and where the held-out runs lie."""

    path: Path
    index: Path


def overlap(
    files: Sequence[Path], *, workers: int = 1, on_file: Callable[[Path], None] | None = None
) -> list[Nearest]:
    """The nearest training instance of each held-out one, in the order of the files.

    Args:
        files: JSONL files of both splits.
        workers: Processes.
        on_file: Told of every file that is done.

    Raises:
        UsageError: The files hold no training instances or no held-out ones, or NumPy is missing.
        DataError: A file cannot be read.
    """
    np = _numpy()
    split = {path: _split_of(path) for path in files}
    training = [path for path in files if split[path] is Split.TRAIN]
    heldout = [path for path in files if split[path] is Split.HELDOUT]
    if not training or not heldout:
        missing = "training" if not training else "held-out"
        raise UsageError(
            f"--overlap finds no {missing} instances",
            mend="Name a corpus of each split: data/train data/heldout.",
        )
    ids: list[str] = []
    runs: list[Hashes] = []
    for path in heldout:
        for instance_id, hashes in _hashed(path):
            ids.append(instance_id)
            runs.append(hashes)
        if on_file is not None:
            on_file(path)
    best = [Nearest(instance_id, "", 0.0) for instance_id in ids]
    with TemporaryDirectory() as folder:
        index = Path(folder) / "heldout.npz"
        owners = np.repeat(np.arange(len(runs)), [len(hashes) for hashes in runs])
        together = np.concatenate(runs)
        order = np.argsort(together, kind="stable")
        sizes = np.array([len(hashes) for hashes in runs])
        np.savez(index, hashes=together[order], owners=owners[order], sizes=sizes)
        tasks = [_Task(path, index) for path in training]
        with closing(in_order(_compare, tasks, workers)) as results:
            for task, found in zip(tasks, results, strict=True):
                for owner, (jaccard, instance_id) in found.items():
                    if jaccard > best[owner].jaccard:
                        best[owner] = Nearest(ids[owner], instance_id, jaccard)
                if on_file is not None:
                    on_file(task.path)
    return best


def _numpy() -> Any:
    try:
        import numpy as np
    except ImportError:
        raise UsageError(
            "--overlap needs NumPy", mend="Install it with: pip install 'supersede[corpus]'"
        ) from None
    return np


def _split_of(path: Path) -> Split:
    for number, data in read_lines(path):
        try:
            return Split(data["split"])
        except (KeyError, TypeError, ValueError):
            raise DataError("not an instance: no split", where=location(path, number)) from None
    raise DataError("holds no instances", where=str(path))


def _compare(task: _Task) -> Mapping[int, tuple[float, str]]:
    """Number of a held-out instance -> the nearest instance of a training file, if one is near."""
    np = _numpy()
    hashes, owners, sizes = _index(task.index)
    best: dict[int, tuple[float, str]] = {}
    for instance_id, mine in _hashed(task.path):
        first = np.searchsorted(hashes, mine, "left")
        count = np.searchsorted(hashes, mine, "right") - first
        hit = count > 0
        if not hit.any():
            continue
        first, count = first[hit], count[hit]
        offsets = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        shared = np.bincount(owners[np.repeat(first, count) + offsets], minlength=len(sizes))
        for owner in np.flatnonzero(shared):
            jaccard = float(shared[owner] / (len(mine) + sizes[owner] - shared[owner]))
            if jaccard > best.get(int(owner), (0.0, ""))[0]:
                best[int(owner)] = (jaccard, instance_id)
    return best


@lru_cache(maxsize=1)
def _index(path: Path) -> tuple[Any, Any, Any]:
    np = _numpy()
    with np.load(path) as arrays:
        return arrays["hashes"], arrays["owners"], arrays["sizes"]


def _hashed(path: Path) -> Iterator[tuple[str, Hashes]]:
    """Id of each instance of a file, and the hashes of its runs."""
    for number, data in read_lines(path):
        try:
            texts = [m["content"] for m in data["messages"] if m["role"] == "user"]
            yield str(data["id"]), hashes_of(record_lines(texts))
        except (KeyError, TypeError, AttributeError) as error:
            raise DataError(f"not an instance: {error!r}", where=location(path, number)) from None


def record_lines(texts: Iterable[str]) -> Iterator[str]:
    """The lines of records in user turns: no question, no rule, no noise."""
    for text in texts:
        log, _, _ = text.partition("\n\n")
        for line in log.splitlines():
            if _RECORD.fullmatch(line) and not ('; status "' in line and _RULE.search(line)):
                yield line


class _Words(dict[str, int]):
    """Word -> a number of 64 bits that every process gives it."""

    def __missing__(self, word: str) -> int:
        if len(self) > 1_000_000:
            self.clear()
        number = int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "big")
        self[word] = number
        return number


_WORDS = _Words()


def hashes_of(lines: Iterable[str]) -> Hashes:
    """The distinct hashes of all runs of 13 words that lie within a line, rising."""
    np = _numpy()
    numbers: list[int] = []
    lengths: list[int] = []
    for line in lines:
        words = line.split()
        numbers += map(_WORDS.__getitem__, words)
        lengths.append(len(words))
    total = len(numbers) - WORDS + 1
    if total < 1:
        empty: Hashes = np.zeros(0, dtype=np.uint64)
        return empty
    words_of = np.array(numbers, dtype=np.uint64)
    ends = np.repeat(np.cumsum(lengths), lengths)[:total]
    runs = np.zeros(total, dtype=np.uint64)
    for n in range(WORDS):  # a polynomial modulo 2**64
        runs = runs * np.uint64(_MULTIPLIER) + words_of[n : n + total]
    found: Hashes = np.unique(runs[np.arange(total) + WORDS <= ends])
    return found
