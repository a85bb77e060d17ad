"""Corpus files: written whole or not at all, read line by line."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from supersede.corpus.parquet import read_parquet
from supersede.corpus.plan import Configuration, Shard
from supersede.errors import DataError, location
from supersede.model.instance import Tier

MANIFEST = "manifest.json"
"""Written last: a folder with it holds a whole corpus."""
JOURNAL = "manifest.partial"
"""The configuration, then one line for each finished shard, while a corpus is being built."""
BOM = b"\xef\xbb\xbf"
"""The byte-order mark of UTF-8, which some editors put before a text."""
TEMPORARY = ".tmp"
"""How the name of a file ends until it is whole."""


class Written(NamedTuple):
    """What has been written to a file."""

    bytes: int
    sha256: str


NOTHING = Written(0, sha256().hexdigest())
"""What is written of a shard that holds nothing."""


@dataclass(slots=True)
class Tally:
    """What has been put into a shard so far."""

    instances: int = 0
    events: int = 0
    tokens: int | None = None
    """None where they are not counted."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A finished shard, as the manifest lists it."""

    path: str
    """Relative to the folder of the corpus, with forward slashes."""
    prototype: str
    tier: str
    first: int
    """Index of its first instance."""
    instances: int
    events: int
    bytes: int
    sha256: str
    tokens: int | None = None
    """None where they are not counted."""

    @classmethod
    def of(cls, shard: Shard, tally: Tally, written: Written) -> Entry:
        """The entry of a shard that has just been written."""
        where = (shard.path, shard.prototype, shard.tier.value, shard.first)
        return cls(*where, tally.instances, tally.events, *written, tally.tokens)

    @classmethod
    def empty(cls, shard: Shard) -> Entry:
        """The entry of a shard of which the selection leaves nothing, so that it has no file."""
        return cls.of(shard, Tally(), NOTHING)

    def to_json(self) -> dict[str, Any]:
        """It as plain JSON data; without tokens where they are not counted."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @classmethod
    def from_json(cls, data: Any) -> Entry:
        """The entry in plain JSON data.

        Raises:
            DataError: A field is missing, unknown or of the wrong kind.
        """
        try:
            entry = cls(**data)
            Tier(entry.tier)
            kinds: dict[Any, tuple[object, ...]]
            kinds = {int: (entry.first, entry.instances, entry.events, entry.bytes)}
            kinds |= {str: (entry.path,), int | None: (entry.tokens,)}
            right = all(isinstance(value, kind) for kind in kinds for value in kinds[kind])
        except (TypeError, ValueError):
            right = False
        if not right:
            raise DataError(f"{data!r} is no entry of a shard")
        return entry

    def is_of(self, shard: Shard, *, whole: bool) -> bool:
        """Whether it lists this shard, all of it where nothing is left out."""
        fits = self.instances == shard.size if whole else 0 <= self.instances <= shard.size
        return (self.path, self.first) == (shard.path, shard.first) and fits


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a corpus holds."""

    configuration: dict[str, Any]
    """`Configuration.to_json`."""
    shards: tuple[Entry, ...]
    """Those that hold anything."""
    specifications: dict[str, str] = field(default_factory=dict)
    """Path of the copy of each specification that is not of the catalogue -> its SHA-256."""
    empty: tuple[str, ...] = ()
    """Paths of the shards of which the selection leaves nothing; they have no files."""
    left_out: int | None = None
    """Instances that the selection leaves out; None where it leaves out none by its nature."""

    @property
    def instances(self) -> int:
        """How many instances there are."""
        return sum(entry.instances for entry in self.shards)

    @property
    def events(self) -> int:
        """How many records they have."""
        return sum(entry.events for entry in self.shards)

    @property
    def tokens(self) -> int | None:
        """How many tokens they have; None where they are not counted."""
        counts = [entry.tokens for entry in self.shards if entry.tokens is not None]
        return sum(counts) if counts else None

    def write(self, folder: Path) -> None:
        """Write it to the folder of the corpus."""
        counted = {"tokens": self.tokens, "left_out": self.left_out}
        data = {
            **self.configuration,
            "instances": self.instances,
            "events": self.events,
            **{name: value for name, value in counted.items() if value is not None},
            **({"specifications": self.specifications} if self.specifications else {}),
            "shards": [entry.to_json() for entry in self.shards],
            **({"empty": list(self.empty)} if self.empty else {}),
        }
        text = json.dumps(data, indent=1, ensure_ascii=False) + "\n"
        write_whole(folder / MANIFEST, [text.encode()])


def is_corpus(path: Path) -> bool:
    """Whether a path is the folder of a corpus; if not, it is a file of instances.

    Raises:
        DataError: It is neither; says what it is.
    """
    if path.is_dir():
        _refuse_part(path)
        return True
    where, mend = str(path), "Name the folder of a corpus."
    if not path.exists():
        raise DataError("no such folder", where=where, mend=mend)
    if not path.is_file():
        raise DataError("is neither a folder nor a plain file", where=where, mend=mend)
    if path.name in (MANIFEST, JOURNAL):
        what = "the manifest of a corpus" if path.name == MANIFEST else "the journal of a build"
        raise DataError(f"is {what}", where=where, mend=f"Name its folder, {path.parent}.")
    if path.suffix not in (".jsonl", ".parquet"):
        with path.open("rb") as file:
            if file.read(1) not in (b"{", b""):
                mend = "Name the folder of a corpus, or a JSONL or Parquet file of instances."
                raise DataError("is no file of instances", where=where, mend=mend)
    return False


def _refuse_part(folder: Path) -> None:
    """Refuse a folder inside that of a corpus."""
    if not (folder / MANIFEST).exists() and (folder.resolve().parent / MANIFEST).is_file():
        raise DataError(
            "is a part of a corpus",
            where=str(folder),
            mend=f"Name the folder of the corpus, {folder.resolve().parent}, or one of its files.",
        )


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a corpus.

    Raises:
        DataError: There is none, or it is damaged.
    """
    path = folder / MANIFEST
    if path.is_dir():
        raise DataError("is a folder", where=str(path), mend="Remove it and build again.")
    if not path.is_file():
        raise DataError(
            f"no {MANIFEST}",
            where=str(folder),
            mend="It holds no corpus, or one that is not finished: build it with the same command.",
        )
    try:
        data = json.loads(path.read_bytes())
        shards = tuple(Entry.from_json(item) for item in data.pop("shards"))
        del data["instances"], data["events"]
        data.pop("tokens", None)
        empty, left_out = tuple(map(str, data.pop("empty", ()))), data.pop("left_out", None)
        specifications = {str(k): str(v) for k, v in data.pop("specifications", {}).items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, DataError) as error:
        raise DataError(
            f"is damaged: {error}",
            where=str(path),
            mend=f"Remove the folder {folder} and build it again with the same command.",
        ) from None
    return Manifest(data, shards, specifications, empty, left_out)


def read_journal(folder: Path) -> Manifest | None:
    """What an unfinished build has done so far; None where nothing has begun.

    A last line that was cut short is left out.

    Raises:
        DataError: The journal is not one.
    """
    path = folder / JOURNAL
    if not path.is_file():
        return None
    *lines, _ = path.read_bytes().split(b"\n")
    try:
        items = [json.loads(line) for line in lines]
        return Manifest(items[0], tuple(Entry.from_json(item) for item in items[1:]))
    except IndexError:
        return None
    except (ValueError, DataError) as error:
        raise DataError(
            f"is damaged: {error}", where=str(path), mend="Remove the folder and build again."
        ) from None


class Journal:
    """The record of a build that goes on, kept on disk line by line."""

    def __init__(self, folder: Path, configuration: Configuration, done: Iterable[Entry]) -> None:
        """A journal that holds what is done already."""
        self._path = folder / JOURNAL
        lines = [configuration.to_json(), *(entry.to_json() for entry in done)]
        write_whole(self._path, [_line(item) for item in lines])

    def add(self, entry: Entry) -> None:
        """Keep a finished shard."""
        with self._path.open("ab") as file:
            file.write(_line(entry.to_json()))
            file.flush()
            os.fsync(file.fileno())

    def remove(self) -> None:
        """Remove it once the manifest is written."""
        self._path.unlink()


def _line(data: object) -> bytes:
    return json.dumps(data, ensure_ascii=False).encode() + b"\n"


def write_whole(path: Path, parts: Iterable[bytes]) -> Written:
    """Write a file that appears whole or not at all, and is there after a power cut.

    Args:
        path: The file; a file of that name is replaced. Behind a link its target is, and a device
            or a pipe (`/dev/null`, `/dev/stdout`) is written to and stays what it is.
        parts: Its content; taken one by one.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        with path.open("wb") as file:
            return _write(file, parts)
    path = path.resolve()
    temporary = path.with_name(f".{path.name}.{os.getpid()}{TEMPORARY}")
    try:
        with temporary.open("wb") as file:
            written = _write(file, parts)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError) and error.filename in (None, str(temporary)):
            error.filename = str(path)  # what was asked for, not its other name until it is whole
        raise
    _sync_folder(path.parent)
    return written


def _write(file: BinaryIO, parts: Iterable[bytes]) -> Written:
    digest, size = sha256(), 0
    for part in parts:
        digest.update(part)
        size += file.write(part)
    return Written(size, digest.hexdigest())


def _sync_folder(folder: Path) -> None:
    """Make a rename last, where the system can."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def remove_temporaries(folder: Path) -> None:
    """Remove what a build that was killed left unfinished."""
    for path in [*folder.glob(f".*{TEMPORARY}"), *folder.glob(f"*/.*{TEMPORARY}")]:
        path.unlink(missing_ok=True)


def is_sound(folder: Path, entry: Entry) -> bool:
    """Whether a shard is there and has the bytes that its entry says."""
    if entry.instances == 0:
        return True
    path = folder / entry.path
    if not path.is_file() or path.stat().st_size != entry.bytes:
        return False
    return hash_of(path) == entry.sha256


def hash_of(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def read_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """One-based number and JSON object of each line of a file, or row of a Parquet file.

    A byte-order mark, and a last line that is whole but for its end, are read past.

    Raises:
        DataError: A line is cut short or no JSON object; with its number.
        OSError: The file cannot be read.
    """
    for number, _, data in read_texts(path):
        yield number, data


def read_texts(path: Path) -> Iterator[tuple[int, bytes | None, dict[str, Any]]]:
    """As `read_lines`, with the bytes of each line between; None for a row of a Parquet file.

    Raises:
        DataError: As `read_lines`.
        OSError: As `read_lines`.
    """
    if path.suffix == ".parquet":
        for number, data in read_parquet(path):
            yield number, None, data
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            where = location(path, number)
            try:
                data = _parsed(line.removeprefix(BOM) if number == 1 else line)
            except ValueError as error:
                what = f"not JSON: {error}"
                if not line.endswith(b"\n"):
                    what = "the file ends in the middle of a line"
                raise DataError(what, where=where, mend=_mend_of(path)) from None
            except RecursionError:
                raise DataError("nested too deep", where=where, mend=_mend_of(path)) from None
            if not isinstance(data, dict):
                raise DataError("not a JSON object", where=where, mend=_mend_of(path))
            yield number, line, data


def _parsed(line: bytes) -> Any:
    """The data in a line of JSON, all of whose text can be written again.

    Raises:
        ValueError: It is not JSON, or is half of a character.
        RecursionError: It is nested too deep.
    """
    data = json.loads(line.decode(), parse_constant=_refuse_constant)
    refuse_halves(line, data)
    return data


def refuse_halves(text: bytes, data: Any) -> None:
    """Refuse data with half of a character, which JSON can say and no file can hold.

    Args:
        text: The JSON.
        data: What it says.

    Raises:
        ValueError: There is one.
    """
    if rb"\ud" in text or rb"\uD" in text:
        json.dumps(data, ensure_ascii=False).encode()


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _mend_of(path: Path) -> str:
    return f"Copy {path.name} again, or build it anew with the command that made it."
