"""The content of a shard: its instances as lines or as a Parquet file, wherever it is made."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from itertools import chain
from pathlib import Path

from supersede.corpus.files import Entry, Tally, Written, write_whole
from supersede.corpus.instances import make_instance
from supersede.corpus.parquet import parquet_bytes
from supersede.corpus.plan import Configuration, Shard
from supersede.model.instance import Instance, InstanceKey
from supersede.model.serialize import instance_to_line


def instance_line(instance: Instance, *, history: bool = False, tokens: int | None = None) -> str:
    """An instance as one line of JSON, without its end.

    Args:
        instance: What to write.
        history: Whether the machine-readable records go along.
        tokens: Its tokens, which go along as `tokens` and are no part of the id.
    """
    line = instance_to_line(instance, history=history)
    return line if tokens is None else f'{line[:-1]},"tokens":{tokens}}}'


def write_shard(folder: Path, configuration: Configuration, shard: Shard) -> Entry:
    """Write one shard into the folder of a corpus; no file where nothing of it is kept."""
    tally = Tally()
    parts = _parts(configuration, shard, tally)
    first = next(parts, None)
    if first is None:
        return Entry.empty(shard)
    path = folder / shard.path
    path.parent.mkdir(exist_ok=True)
    return Entry.of(shard, tally, write_whole(path, chain((first,), parts)))


def shard_bytes(configuration: Configuration, shard: Shard) -> tuple[Entry, bytes]:
    """The entry of one shard and its content, for who writes it elsewhere."""
    tally = Tally()
    content = b"".join(_parts(configuration, shard, tally))
    written = Written(len(content), sha256(content).hexdigest())
    return Entry.of(shard, tally, written) if content else Entry.empty(shard), content


def _parts(configuration: Configuration, shard: Shard, tally: Tally) -> Iterator[bytes]:
    """The content of a shard, none where nothing of it is kept; the tally grows with it."""
    lines = _lines(configuration, shard, tally)
    if configuration.format == "jsonl":
        yield from (f"{line}\n".encode() for line in lines)
        return
    rows = list(lines)
    if rows:
        yield parquet_bytes(rows, history=configuration.history)


def _lines(configuration: Configuration, shard: Shard, tally: Tally) -> Iterator[str]:
    spec = configuration.specification(shard.prototype)
    selection, history = configuration.selection, configuration.history
    for index in range(shard.first, shard.first + shard.size):
        key = InstanceKey(spec.id, spec.version, shard.tier, configuration.split, index)
        instance = make_instance(key, spec)
        tokens = selection.tokens(instance)
        if not selection.keeps(instance.question.family, tokens):
            continue
        tally.instances += 1
        tally.events += len(instance.history.records)
        if tokens is not None:
            tally.tokens = (tally.tokens or 0) + tokens
        yield instance_line(instance, history=history, tokens=tokens)
