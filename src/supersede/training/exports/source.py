"""The rows of corpora, each proved to be what it was when it was built."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from supersede.corpus.files import (
    MANIFEST,
    Manifest,
    hash_of,
    is_corpus,
    read_lines,
    read_manifest,
)
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
    tokenizer: str | None = None
    """What counted its `tokens`, where the corpus says so."""

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
    counted: bool = False
    """Whether the rows have `tokens`."""
    tokenizer: str | None = None
    """What counted them, where a corpus says so."""

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return sum(self.cells.values())


class Tally:
    """Counts the rows of an export as they pass."""

    def __init__(self) -> None:
        self._cells: Counter[tuple[Split, Tier]] = Counter()
        self._last: Row | None = None

    def add(self, row: Row) -> None:
        """Count a row."""
        self._cells[row.instance.key.split, row.instance.key.tier] += 1
        self._last = row

    def exported(self, graded: int) -> Exported:
        """What has passed, with so many replies graded."""
        counted = self._last is not None and _TOKENS in self._last.data
        tokenizer = self._last.tokenizer if counted and self._last else None
        return Exported(dict(self._cells), graded, counted, tokenizer)


class File(NamedTuple):
    """A file of rows, and what its manifest says of it."""

    path: Path
    sha256: str | None
    """None for a file that is named by itself."""
    counting: Mapping[str, str] | None
    """Name, and hash if it has one, of what counted tokens; None where nothing or nobody knows."""


def files_in(corpora: Sequence[Path]) -> list[File]:
    """The files of corpora in order.

    Raises:
        DataError: There is no such folder or file, or a corpus is not finished.
    """
    found: list[File] = []
    for path in corpora:
        if is_corpus(path):
            manifest = read_manifest(path)
            counting = _counting(path, manifest)
            found += [File(path / one.path, one.sha256, counting) for one in manifest.shards]
        else:
            found.append(File(path, None, None))
    return found


def rows_of(corpora: Sequence[Path], on_file: OnFile | None = None) -> Iterator[Row]:
    """The rows of corpora in order, held one at a time.

    Args:
        corpora: Folders of corpora, and JSONL or Parquet files of instances.
        on_file: Told of every file that has been read.

    Raises:
        DataError: A file or row is not what was built (its hash or its id is another), is there
            twice, or lacks the canary of held-out data; tokens are counted in some rows alone, or
            by two tokenizers; or there is no row at all.
    """
    seen: dict[str, str] = {}
    files = files_in(corpora)
    _refuse_two_tokenizers(files)
    counted: bool | None = None
    for path, digest, counting in files:
        if digest is not None and _hash(path) != digest:
            raise DataError(
                "is not the file that the manifest lists: its SHA-256 is another",
                where=str(path),
                mend="Build the corpus again with the same command, which mends this file alone.",
            )
        for number, data in read_lines(path):
            where = location(path, number)
            row = _row(data, where, counting)
            if counted not in (None, _TOKENS in row.data):
                said = "are not" if counted else "are"
                what = f"tokens {said} counted here, other than in rows before"
                raise DataError(what, where=where, mend=_COUNT)
            counted = _TOKENS in row.data
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


_TOKENS = "tokens"
_OUTSIDE_ID = ("id", "history", _TOKENS)
"""Fields that the id is no hash of."""
_COUNT = "Build them all with the same --tokenizer, or export them apart."
_BUILD = "Build some: supersede corpus build data/heldout --split heldout"


def _counting(folder: Path, manifest: Manifest) -> Mapping[str, str] | None:
    said = manifest.configuration.get("tokenizer")
    if said is None:
        return None
    if not isinstance(said, dict) or not isinstance(said.get("name"), str):
        raise DataError(
            f"names no tokenizer: {said!r}",
            where=str(folder / MANIFEST),
            mend="Build the corpus again with the same command.",
        )
    return said


def _refuse_two_tokenizers(files: Sequence[File]) -> None:
    """Refuse counts that do not compare.

    Raises:
        DataError: Two corpora were counted by two tokenizers.
    """
    first: File | None = None
    for file in files:
        if file.counting is None:
            continue
        first = first or file
        if first.counting is not None and file.counting != first.counting:
            raise DataError(
                f"its tokens were counted by {file.counting['name']!r}, those of {first.path} by "
                f"{first.counting['name']!r}",
                where=str(file.path),
                mend=_COUNT,
            )


def _hash(path: Path) -> str:
    if not path.is_file():
        raise DataError(
            "the corpus lacks this file",
            where=str(path),
            mend="Build the corpus again with the same command, which adds this file alone.",
        )
    return hash_of(path)


def _row(data: Mapping[str, Any], where: str, counting: Mapping[str, str] | None) -> Row:
    """A row, without its records.

    Raises:
        DataError: It is no instance, its id is not a hash of the rest, or its canary is wrong.
    """
    try:
        instance = instance_from_json({k: v for k, v in data.items() if k != "history"})
    except DataError as error:
        raise DataError(error.what, where=where) from None
    content = {name: value for name, value in data.items() if name not in _OUTSIDE_ID}
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
    length = {_TOKENS: data[_TOKENS]} if _TOKENS in data else {}
    if length and type(data[_TOKENS]) is not int:
        raise DataError(f"its tokens are {data[_TOKENS]!r}, which is no number", where=where)
    more = f',"{_TOKENS}":{data[_TOKENS]}' if length else ""
    line = f'{{"id":"{name}",{text[1:-1]}{more}}}'
    tokenizer = counting["name"] if counting else None
    return Row({"id": name, **content, **length}, line, instance, tokenizer)


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
