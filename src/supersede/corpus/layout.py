"""Whether a corpus is whole: its manifest says what its configuration gives, and no file is over.

What a manifest claims is never taken from it: the shards are worked out again from split, tiers,
prototypes and instances for each cell.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from supersede.corpus.files import MANIFEST, Entry, Manifest
from supersede.corpus.instances import member
from supersede.corpus.plan import Configuration, Format, Shard
from supersede.corpus.selection import Selection, selection_from_json
from supersede.errors import DataError, UsageError
from supersede.model.instance import Split, Tier

_FREE = ("supersede", "prototypes")
"""What of a configuration may differ: the release, and the fingerprints, which have their check."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What a corpus ought to hold, and where it does not."""

    shards: tuple[Shard, ...]
    """Those that its configuration gives."""
    entries: tuple[Entry, ...]
    """Those of the manifest that are of these shards, each once; of the empty ones too."""
    faults: tuple[str, ...]
    selection: Selection


def layout_of(folder: Path, manifest: Manifest, own: Mapping[str, str]) -> Layout:
    """What the configuration of a corpus gives, beside what its manifest lists.

    Args:
        folder: That of the corpus.
        manifest: Its manifest.
        own: Id -> YAML text of each specification that is not of the catalogue.

    Raises:
        DataError: The manifest holds no configuration of a corpus.
    """
    configuration = _configuration(folder, manifest, own)
    shards = {shard.path: shard for shard in configuration.shards()}
    listed = {entry.path: entry for entry in reversed(manifest.shards)}
    faults = (
        *_faults_of_configuration(manifest.configuration, configuration.to_json()),
        *_faults_of_totals(folder, manifest, _left_out(configuration, manifest, shards)),
        *_faults_of_list(manifest, shards, whole=configuration.selection.whole),
        *_faults_of_empty(manifest, shards),
        *_faults_of_files(folder, shards, manifest),
    )
    empty = {path: Entry.empty(shards[path]) for path in manifest.empty if path in shards}
    every = {**empty, **listed}
    entries = tuple(every[path] for path in shards if path in every)
    return Layout(tuple(shards.values()), entries, faults, configuration.selection)


def _configuration(folder: Path, manifest: Manifest, own: Mapping[str, str]) -> Configuration:
    given = manifest.configuration
    where = str(folder / MANIFEST)
    kinds = {"split": str, "tiers": list, "per_cell": int, "history": bool, "prototypes": dict}
    for name, kind in kinds.items():
        value = given.get(name)
        if type(value) is not kind or value in ([], {}):
            raise DataError(
                f"names no {name}" if not value else f"{name} is {value!r}",
                where=where,
                mend="Remove the folder and build it again with the same command.",
            )
    if given["per_cell"] < 1:
        raise DataError(f"per_cell is {given['per_cell']}", where=where)
    names = sorted(given["prototypes"])
    try:
        chosen = {member(Tier, tier) for tier in given["tiers"]}
        return Configuration(
            member(Split, given["split"]),
            tuple(names),
            tuple(tier for tier in Tier if tier in chosen),
            given["per_cell"],
            given["history"],
            tuple((name, own[name]) for name in names if name in own),
            "parquet" if given.get("format") == "parquet" else "jsonl",
            selection_from_json(given, where),
        )
    except UsageError as error:
        raise DataError(error.what, where=where, mend=error.mend) from None


def _faults_of_configuration(given: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    for name in {**now, **given}:
        if name not in _FREE and given.get(name) != now.get(name):
            yield f"{name} is {given.get(name)!r}, a corpus like this has {now.get(name)!r}"


def _left_out(
    configuration: Configuration, manifest: Manifest, shards: Mapping[str, Shard]
) -> int | None:
    """How many instances the selection left out; None where it keeps all."""
    if configuration.selection.whole:
        return None
    return sum(shard.size for shard in shards.values()) - manifest.instances


def _faults_of_totals(folder: Path, manifest: Manifest, left_out: int | None) -> Iterator[str]:
    said = json.loads((folder / MANIFEST).read_bytes())
    totals = {
        "instances": manifest.instances,
        "events": manifest.events,
        "tokens": manifest.tokens,
        "left_out": left_out,
    }
    for name, total in totals.items():
        if said.get(name) != total or type(said.get(name)) is not type(total):
            yield f"says {said.get(name)!r} {name}, its shards have {total}"


def _faults_of_list(
    manifest: Manifest, shards: Mapping[str, Shard], *, whole: bool
) -> Iterator[str]:
    """Where the manifest does not list the shards, each once and in order."""
    counts = Counter(entry.path for entry in manifest.shards)
    lost = [path for path in shards if path not in counts and path not in manifest.empty]
    if lost:
        more = f" and {len(lost) - 1} more" if len(lost) > 1 else ""
        yield f"does not list {lost[0]}{more}, which its configuration gives"
    for path, count in counts.items():
        if path not in shards:
            yield f"lists {path}, which its configuration does not give"
        elif count > 1:
            yield f"lists {path} {count} times"
    for entry in manifest.shards:
        shard = shards.get(entry.path)
        if shard is None:
            continue
        left = shard.size if whole else max(1, min(entry.instances, shard.size))
        for name, said, given in (
            ("prototype", entry.prototype, shard.prototype),
            ("tier", entry.tier, shard.tier.value),
            ("first", entry.first, shard.first),
            ("instances", entry.instances, left),
        ):
            if said != given:
                yield f"{name} of {entry.path} is {said!r}, its configuration gives {given!r}"
    order = [path for path in counts if path in shards]
    if order != [path for path in shards if path in counts]:
        yield "lists its shards in another order than its configuration gives"


def _faults_of_empty(manifest: Manifest, shards: Mapping[str, Shard]) -> Iterator[str]:
    """Where the shards of which nothing is left are none of its own, or hold something."""
    if manifest.empty and manifest.left_out is None:
        yield f"says that {manifest.empty[0]} is empty, and its configuration leaves nothing out"
    listed = {entry.path for entry in manifest.shards}
    for path in manifest.empty:
        if path not in shards or path in listed:
            yield f"says that {path} is empty, which its shards do not bear out"


def _faults_of_files(
    folder: Path, shards: Mapping[str, Shard], manifest: Manifest
) -> Iterator[str]:
    """Files like shards that are no part of the corpus, although they lie in its folder."""
    named = {entry.path for entry in manifest.shards}
    known = (named | shards.keys()) - (set(manifest.empty) - named)
    for path in sorted(p for form in get_args(Format) for p in folder.rglob(f"*.{form}")):
        name = path.relative_to(folder).as_posix()
        if name not in known:
            yield f"the folder holds {name}, which is no part of the corpus"
