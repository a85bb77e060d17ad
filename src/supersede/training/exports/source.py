"""The rows of corpora, each proved to be what it was when it was built."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from supersede.corpus.files import hash_of, is_corpus, read_lines, read_manifest
from supersede.corpus.specifications import copies_of
from supersede.errors import DataError, location
from supersede.model.instance import Instance, Split, Tier
from supersede.model.serialize import CANARY, canonical, instance_from_json

OnFile = Callable[[Path], None]
"""Told of every file once it has been read."""


@dataclass(frozen=True, slots=True)
class Row:
    """An instance as it is stored, without its machine-readable records."""

    data: Mapping[str, Any]
    """Its fields, as `instance_to_json` writes them."""
    line: str
    """The same as one line of JSON text, without its end."""
    instance: Instance

    @property
    def id(self) -> str:
        """The id of the instance."""
        return str(self.data["id"])


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export holds."""

    cells: Mapping[tuple[Split, Tier], int]
    """Rows of each split and tier."""
    graded: int
    """Replies that the self-tests had graded, all as they should be."""

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return sum(self.cells.values())


class Tally:
    """Counts the rows of an export as they pass."""

    def __init__(self) -> None:
        self.cells: Counter[tuple[Split, Tier]] = Counter()

    def add(self, row: Row) -> None:
        """Count a row."""
        self.cells[row.instance.key.split, row.instance.key.tier] += 1


def files_in(corpora: Sequence[Path]) -> list[tuple[Path, str | None]]:
    """The files of corpora in order, each with the SHA-256 that its manifest gives.

    Raises:
        DataError: There is no such folder or file, or a corpus is not finished.
    """
    found: list[tuple[Path, str | None]] = []
    for path in corpora:
        if is_corpus(path):
            entries = read_manifest(path).shards
            found += [(path / entry.path, entry.sha256) for entry in entries]
        else:
            found.append((path, None))
    return found


def rows_of(corpora: Sequence[Path], on_file: OnFile | None = None) -> Iterator[Row]:
    """The rows of corpora in order, held one at a time.

    Args:
        corpora: Folders of corpora, and JSONL or Parquet files of instances.
        on_file: Told of every file that has been read.

    Raises:
        DataError: A file or row is not what was built (its hash or its id is another), is there
            twice, or lacks the canary of held-out data; or there is no row at all.
    """
    seen: dict[str, str] = {}
    for path, digest in files_in(corpora):
        if digest is not None and _hash(path) != digest:
            raise DataError(
                "is not the file that the manifest lists: its SHA-256 is another",
                where=str(path),
                mend="Build the corpus again with the same command, which mends this file alone.",
            )
        for number, data in read_lines(path):
            where = location(path, number)
            row = _row(data, where)
            if row.id in seen:
                raise DataError(
                    f"instance {row.id} is here a second time; it is also at {seen[row.id]}",
                    where=where,
                    mend="Name each corpus once.",
                )
            seen[row.id] = where
            yield row
        if on_file is not None:
            on_file(path)
    if not seen:
        raise DataError(
            "there are no instances here", where=", ".join(map(str, corpora)), mend=_BUILD
        )


_BUILD = "Build some: supersede corpus build data/heldout --split heldout"


def _hash(path: Path) -> str:
    if not path.is_file():
        raise DataError(
            "the corpus lacks this file",
            where=str(path),
            mend="Build the corpus again with the same command, which adds this file alone.",
        )
    return hash_of(path)


def _row(data: Mapping[str, Any], where: str) -> Row:
    """A row, without its records.

    Raises:
        DataError: It is no instance, its id is not a hash of the rest, or its canary is wrong.
    """
    try:
        instance = instance_from_json({k: v for k, v in data.items() if k != "history"})
    except DataError as error:
        raise DataError(error.what, where=where) from None
    content = {name: value for name, value in data.items() if name not in ("id", "history")}
    text = canonical(content)
    name = sha256(text.encode()).hexdigest()[:32]
    if data["id"] != name:
        raise DataError(
            f"its id is {data['id']!r}, but the hash of its fields is {name!r}: it was changed",
            where=where,
            mend="Build it again with the command that made it.",
        )
    canary = CANARY if instance.key.split is Split.HELDOUT else None
    if content.get("canary") != canary:
        raise DataError(
            f"its canary is {content.get('canary')!r}, not {canary!r}",
            where=where,
            mend="Build it again with the command that made it.",
        )
    return Row({"id": name, **content}, f'{{"id":"{name}",{text[1:-1]}}}', instance)


def own_specifications(corpora: Sequence[Path]) -> dict[str, str]:
    """Id -> YAML text of the worlds that corpora carry because the catalogue lacks them.

    Raises:
        DataError: A copy is missing or changed, or two corpora have two worlds of one id.
    """
    found: dict[str, str] = {}
    for corpus in corpora:
        if not is_corpus(corpus):
            continue
        for name, text in copies_of(corpus, read_manifest(corpus).specifications).items():
            if found.setdefault(name, text) != text:
                raise DataError(
                    f"has another world of the id {name!r} than a corpus named before it",
                    where=str(corpus),
                    mend="Export them apart.",
                )
    return found
