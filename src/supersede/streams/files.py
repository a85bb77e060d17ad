"""Stream files: ours, one stream a line, or the official OAKS JSON; both are read everywhere."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from supersede.corpus.files import BOM, read_lines, refuse_halves, write_whole
from supersede.errors import DataError, UsageError, did_you_mean, location
from supersede.model.stream import Stream
from supersede.streams.oaks import from_oaks, to_oaks
from supersede.streams.serialize import stream_from_json, stream_to_json

FORMATS = ("oaks", "supersede")
"""What `write_streams` may write."""


def load_streams(path: Path | str) -> tuple[Stream, ...]:
    """All streams of a file, in its order.

    Args:
        path: A JSONL file of ours, or a file in the official OAKS form.

    Raises:
        DataError: The file is cut short, of another kind, or has no stream.
        OSError: It cannot be read.
    """
    path = Path(path)
    whole = _whole(path)
    streams = _ours(path) if whole is None else from_oaks(whole, str(path))
    if not streams:
        raise DataError("holds no stream", where=str(path), mend="Build one: supersede stream babi")
    return streams


def load_stream(path: Path | str, name: str | None = None) -> Stream:
    """One stream of a file.

    Args:
        path: A JSONL file of ours, or a file in the official OAKS form.
        name: The stream's id; may be left out where the file has only one.

    Raises:
        DataError: The file is cut short, of another kind, or has no stream.
        UsageError: It has no stream of that id, or several and none is named.
        OSError: It cannot be read.
    """
    streams = {stream.id: stream for stream in load_streams(path)}
    if name is None and len(streams) == 1:
        return next(iter(streams.values()))
    if name is None:
        raise UsageError(
            f"holds {len(streams)} streams", where=str(path), mend=did_you_mean("", streams)
        )
    if name not in streams:
        raise UsageError(
            f"holds no stream {name!r}", where=str(path), mend=did_you_mean(name, streams)
        )
    return streams[name]


def write_streams(path: Path, streams: Iterable[Stream], form: str = "supersede") -> None:
    """Write a file that appears whole or not at all.

    Args:
        path: The file; one of that name is replaced.
        streams: What it holds; taken one by one.
        form: `supersede` or `oaks`.

    Raises:
        DataError: The official form cannot hold a stream.
        UsageError: There is no such form, or no such folder.
    """
    if form not in FORMATS:
        raise UsageError(f"unknown form {form!r}", mend=did_you_mean(form, FORMATS))
    check_output(path)
    if form == "oaks":
        text = json.dumps([to_oaks(s) for s in streams], ensure_ascii=False, indent=1)
        write_whole(path, [f"{text}\n".encode()])
        return
    write_whole(
        path,
        (f"{json.dumps(stream_to_json(s), ensure_ascii=False)}\n".encode() for s in streams),
    )


_DATABASE = b"SQLite format 3\0"


def check_output(path: Path) -> None:
    """Refuse a file whose folder is not there, before anything is made for it, or a database.

    Projects of books and journals of replies are databases: nobody means to lose one for a page.

    Raises:
        UsageError: There is no such folder, or a database of that name.
    """
    if not path.parent.is_dir():
        raise UsageError("the folder does not exist", where=str(path.parent), mend="Make it first.")
    if path.is_file():
        with path.open("rb") as file:
            if file.read(len(_DATABASE)) == _DATABASE:
                raise UsageError(
                    "is a database, and would be lost",
                    where=str(path),
                    mend="Give the output another name.",
                )


def _ours(path: Path) -> tuple[Stream, ...]:
    streams: list[Stream] = []
    for number, data in read_lines(path):
        try:
            streams.append(stream_from_json(data))
        except DataError as error:
            raise DataError(
                f"no stream: {error}",
                where=location(path, number),
                mend="Make the file again, or see: supersede stream convert --help",
            ) from None
    return tuple(streams)


def _whole(path: Path) -> Any:
    """The JSON of a file that is one array; None for any other file.

    Raises:
        DataError: It begins like an array and is none, or an object in it names a key twice.
    """
    with path.open("rb") as file:
        head = file.read(64).removeprefix(BOM).lstrip()
    if not head.startswith(b"["):
        return None
    mend = "Copy the file again."
    try:
        text = path.read_bytes()
        whole = json.loads(text.decode("utf-8-sig"), object_pairs_hook=_once)
        refuse_halves(text, whole)
    except ValueError as error:
        raise DataError(f"not JSON: {error}", where=str(path), mend=mend) from None
    except RecursionError:
        raise DataError("nested too deep", where=str(path), mend=mend) from None
    except DataError as error:
        raise DataError(
            error.what, where=str(path), mend="Two questions of a document need two texts."
        ) from None
    return whole


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, which names nothing twice: the official form keys questions by text.

    Raises:
        DataError: It does; the second would silently take the place of the first.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        name, count = Counter(name for name, _ in pairs).most_common(1)[0]
        raise DataError(f"an object has {count} entries {name!r}")
    return found
