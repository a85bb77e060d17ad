"""Corpora: every instance of a configuration, in memory or in files.

A corpus is a folder: one JSONL file for each shard, and a manifest that is written last. A build
that is cut short, however hard, is taken up where it was by the same command, and the bytes are
the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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
from supersede.corpus.plan import Configuration, Shard, configure
from supersede.corpus.pool import in_order
from supersede.corpus.shards import write_shard
from supersede.corpus.specifications import copy_path
from supersede.errors import UsageError
from supersede.model.instance import Instance, Split, Tier


def iter_corpus(
    split: Split | str = Split.TRAIN,
    *,
    tiers: Sequence[Tier | str] | None = None,
    prototypes: Sequence[str | PathLike[str]] | None = None,
    themes: Sequence[str] | None = None,
    families: Sequence[str] | None = None,
    max_tokens: int | None = None,
    tokenizer: Path | str | None = None,
    per_cell: int | None = None,
) -> Iterator[Instance]:
    """The instances of a corpus in order: by prototype, tier and index.

    Args:
        split: `train` or `heldout`.
        tiers: All of them where left out.
        prototypes: Ids, or paths of YAML files; the whole catalogue where left out.
        themes: Only prototypes of these, named as in the catalogue or as their folders.
        families: Only instances whose final question is of these, named like `ranking`.
        max_tokens: Only instances of so many tokens at most.
        tokenizer: What counts tokens: a file, a name, or `estimate`, which it is where left out.
        per_cell: Instances for each prototype and tier; 60 for training, 1 held out. What families
            and tokens leave out is not made up for.

    Raises:
        UsageError: A name is unknown, nothing is left, or a number is below 1.
        SpecError: A file is no specification, or one with errors.
        DataError: The tokenizer's file is none.
    """
    chosen = configure(
        split,
        tiers=tiers,
        prototypes=prototypes,
        themes=themes,
        families=families,
        max_tokens=max_tokens,
        tokenizer=tokenizer,
        per_cell=per_cell,
    )
    return _kept(chosen)


def _kept(configuration: Configuration) -> Iterator[Instance]:
    """The instances of a configuration that its selection keeps."""
    selection = configuration.selection
    for key in configuration.instance_keys():
        instance = make_instance(key, configuration.specification(key.prototype))
        tokens = None if selection.whole else selection.tokens(instance)
        if selection.keeps(instance.question.family, tokens):
            yield instance


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
    make = partial(write_shard, folder, configuration)
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
    manifest = _manifest_of(configuration, shards, entries, copies)
    if manifest.shards:
        manifest.write(folder)
    journal.remove()
    if not manifest.shards:
        raise UsageError(
            f"none of {manifest.left_out:,} instances is of these families and within the budget",
            where=str(folder),
            mend="Allow more tokens or more families, or ask for more --per-cell.",
        )
    return manifest


def _manifest_of(
    configuration: Configuration,
    shards: Sequence[Shard],
    entries: Sequence[Entry],
    copies: dict[str, str],
) -> Manifest:
    """What a corpus holds, and what its selection left out."""
    kept = sum(entry.instances for entry in entries)
    return Manifest(
        configuration.to_json(),
        tuple(entry for entry in entries if entry.instances),
        copies,
        tuple(entry.path for entry in entries if not entry.instances),
        None if configuration.selection.whole else sum(shard.size for shard in shards) - kept,
    )


def _write_copies(folder: Path, configuration: Configuration) -> dict[str, str]:
    """Write the specifications that are not of the catalogue: path -> SHA-256."""
    hashes: dict[str, str] = {}
    for prototype, text in configuration.own:
        path = folder / copy_path(prototype)
        path.parent.mkdir(exist_ok=True)
        hashes[copy_path(prototype)] = write_whole(path, [text.encode()]).sha256
    return hashes


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
    shards, whole = list(configuration.shards()), configuration.selection.whole
    known |= {shard.path: Entry.empty(shard) for shard in shards if shard.path in before.empty}
    return {
        shard.path: entry
        for shard in shards
        if (entry := known.get(shard.path))
        and entry.is_of(shard, whole=whole)
        and is_sound(folder, entry)
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
