"""Corpora: every instance of a configuration, in memory or in files.

A corpus is a folder: one JSONL file for each shard, and a manifest that is written last. A build
that is cut short, however hard, is taken up where it was by the same command, and the bytes are
the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from supersede.corpus.files import (
    JOURNAL,
    MANIFEST,
    Entry,
    Journal,
    Manifest,
    is_sound,
    read_journal,
    read_manifest,
    remove_temporaries,
    write_whole,
)
from supersede.corpus.instances import make_instance
from supersede.corpus.lock import locked
from supersede.corpus.parquet import parquet_bytes
from supersede.corpus.plan import Configuration, Shard, configure
from supersede.corpus.pool import in_order
from supersede.corpus.specifications import copy_path
from supersede.errors import UsageError
from supersede.model.instance import Instance, InstanceKey, Split, Tier
from supersede.model.serialize import instance_to_line


def iter_corpus(
    split: Split | str = Split.TRAIN,
    *,
    tiers: Sequence[Tier | str] | None = None,
    prototypes: Sequence[str | PathLike[str]] | None = None,
    per_cell: int | None = None,
) -> Iterator[Instance]:
    """The instances of a corpus in order: by prototype, tier and index.

    Args:
        split: `train` or `heldout`.
        tiers: All of them where left out.
        prototypes: Ids, or paths of YAML files; the whole catalogue where left out.
        per_cell: Instances for each prototype and tier; 60 for training, 1 held out.

    Raises:
        UsageError: A name is unknown, or `per_cell` is below 1.
        SpecError: A file is no specification, or one with errors.
    """
    chosen = configure(split, tiers=tiers, prototypes=prototypes, per_cell=per_cell)
    return (
        make_instance(key, chosen.specification(key.prototype)) for key in chosen.instance_keys()
    )


def instance_line(instance: Instance, *, history: bool = False) -> str:
    """An instance as one line of JSON, without its end."""
    return instance_to_line(instance, history=history)


def build(
    folder: Path,
    configuration: Configuration,
    *,
    workers: int = 1,
    on_shard: Callable[[Entry], None] | None = None,
) -> Manifest:
    """Write a corpus, or what is missing of it.

    Args:
        folder: Where it goes: new, empty, or with a corpus of the same configuration.
        configuration: What it holds.
        workers: Processes.
        on_shard: Told of every shard, in order, once it is there.

    Returns:
        What the corpus holds.

    Raises:
        UsageError: The folder holds something else, or another build is at work in it.
        SampleError: A world cannot go on.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError("is a file", where=str(folder), mend="Name a folder for the corpus.")
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder):
        return _build(folder, configuration, workers, on_shard)


def _build(
    folder: Path,
    configuration: Configuration,
    workers: int,
    on_shard: Callable[[Entry], None] | None,
) -> Manifest:
    """Write a corpus, or what is missing of it, in a folder that nobody else builds in."""
    sound = _sound_entries(folder, configuration)
    shards = list(configuration.shards())
    remove_temporaries(folder)
    journal = Journal(folder, configuration, sound.values())
    copies = _write_copies(folder, configuration)
    missing = [shard for shard in shards if shard.path not in sound]
    make = partial(_make_shard, folder, configuration)
    entries: list[Entry] = []
    with closing(in_order(make, missing, workers)) as made:
        for shard in shards:
            entry = sound.get(shard.path)
            if entry is None:
                entry = next(made)
                journal.add(entry)
            entries.append(entry)
            if on_shard is not None:
                on_shard(entry)
    manifest = Manifest(configuration.to_json(), tuple(entries), copies)
    manifest.write(folder)
    journal.remove()
    return manifest


def _write_copies(folder: Path, configuration: Configuration) -> dict[str, str]:
    """Write the specifications that are not of the catalogue: path -> SHA-256."""
    hashes: dict[str, str] = {}
    for prototype, text in configuration.own:
        path = folder / copy_path(prototype)
        path.parent.mkdir(exist_ok=True)
        hashes[copy_path(prototype)] = write_whole(path, [text.encode()]).sha256
    return hashes


def _make_shard(folder: Path, configuration: Configuration, shard: Shard) -> Entry:
    """Write one shard."""
    spec = configuration.specification(shard.prototype)
    split, history = configuration.split, configuration.history
    events = 0

    def lines() -> Iterator[str]:
        nonlocal events
        for index in range(shard.first, shard.first + shard.size):
            key = InstanceKey(spec.id, spec.version, shard.tier, split, index)
            instance = make_instance(key, spec)
            events += len(instance.history.records)
            yield instance_line(instance, history=history)

    path = folder / shard.path
    path.parent.mkdir(exist_ok=True)
    if configuration.format == "parquet":
        content: Iterable[bytes] = [parquet_bytes(lines(), history=history)]
    else:
        content = (f"{line}\n".encode() for line in lines())
    written = write_whole(path, content)
    return Entry.of(shard, events, written)


def _sound_entries(folder: Path, configuration: Configuration) -> dict[str, Entry]:
    """Path -> entry of the shards that are there already, whole and unchanged.

    Raises:
        UsageError: The folder holds something else.
    """
    before = _before(folder)
    if before is None:
        return {}
    difference = _difference(before.configuration, configuration.to_json())
    if difference:
        raise UsageError(
            f"holds a corpus of another configuration: {difference}",
            where=str(folder),
            mend="Name another folder, or remove this one.",
        )
    known = {entry.path: entry for entry in before.shards}
    return {
        shard.path: entry
        for shard in configuration.shards()
        if (entry := known.get(shard.path)) and entry.is_of(shard) and is_sound(folder, entry)
    }


def _before(folder: Path) -> Manifest | None:
    """What an earlier build wrote or began; None for an empty folder.

    Raises:
        UsageError: The folder holds files of another kind.
    """
    if (folder / MANIFEST).exists():
        return read_manifest(folder)
    begun = read_journal(folder)
    if begun is None:
        foreign = sorted(p.name for p in folder.iterdir() if not p.name.startswith(f".{JOURNAL}"))
        if foreign:
            raise UsageError(
                f"holds {foreign[0]!r} and no corpus",
                where=str(folder),
                mend="Name a new or an empty folder.",
            )
    return begun


def _difference(before: dict[str, Any], now: dict[str, Any]) -> str:
    """The first thing in which two configurations differ, in words; empty where in none."""
    for name in {**now, **before}:
        if before.get(name) != now.get(name):
            old, new = before.get(name), now.get(name)
            if name == "prototypes" and isinstance(old, dict) and isinstance(new, dict):
                return _difference_of_prototypes(old, new)
            return f"{name} {_shown(old)}, not {_shown(new)}"
    return ""


def _difference_of_prototypes(old: dict[str, Any], new: dict[str, Any]) -> str:
    for name in sorted(old.keys() | new.keys()):
        if name not in new:
            return f"it has the prototype {name!r}"
        if name not in old:
            return f"it lacks the prototype {name!r}"
        if old[name] != new[name]:
            return f"the specification of {name!r} was another"
    return "prototypes in another order"


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
