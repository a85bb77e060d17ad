"""Verification of one file: each of its instances, and the whole against the manifest.

An instance is proved from its text alone, and made again from its key, which binds all that no
text shows to the key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from supersede.corpus.files import Entry, hash_of, read_texts
from supersede.corpus.kept import faults_of_gaps, faults_of_indices, faults_of_selection
from supersede.corpus.likeness import Print, print_of
from supersede.corpus.remade import difference_from_key
from supersede.corpus.selection import EVERYTHING, Selection
from supersede.corpus.specifications import specification_of
from supersede.corpus.text_proof import prove_instance
from supersede.errors import DataError, SpecError, UsageError, location
from supersede.model.instance import Instance, InstanceKey, Split, Tier
from supersede.model.serialize import CANARY, id_of_content, instance_from_json, key_to_json


class Failure(NamedTuple):
    """A check that failed."""

    where: str
    """`shard:line`, or the shard."""
    reason: str

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Verified:
    """What came out of verifying one file."""

    instances: int
    failures: tuple[Failure, ...]
    prints: tuple[Print, ...]
    """What each instance is compared by with all others, in the order of the lines."""
    proved: int = 0
    """Instances whose text alone gives the stored answer."""
    remade: int = 0
    """Instances that their key gives again, in every field."""
    notes: tuple[str, ...] = ()
    """What is no failure and yet must be said."""


@dataclass(frozen=True, slots=True)
class FileTask:
    """A file, and what the manifest says of it."""

    path: Path
    entry: Entry | None
    split: str | None
    own: Mapping[str, str]
    """Id -> YAML text of each specification that is not of the catalogue."""
    text_only: bool = False
    history: bool | None = None
    """Whether records go along, as the manifest says."""
    selection: Selection = EVERYTHING
    planned: int = 0
    """Instances of the shard before the selection."""


def verify_file(task: FileTask) -> Verified:
    """Check one file.

    Raises:
        DataError: A line cannot be read.
    """
    failures: list[Failure] = []
    prints: list[Print] = []
    notes: dict[str, None] = {}
    number = events = tokens = proved = remade = 0
    indices: list[int] = []
    nothing = task.entry is not None and not task.entry.instances
    for number, line, data in () if nothing else read_texts(task.path):
        where = location(task.path, number)
        try:
            instance = instance_from_json(data)
        except DataError as error:
            raise DataError(error.what, where=where, mend=error.mend) from None
        events += data["events"]
        tokens += data["tokens"] if type(data.get("tokens")) is int else 0
        checked = _check(data, instance, task, line)
        proved += checked.unproved is None
        remade += checked.unlike is None and not task.text_only
        notes.update(dict.fromkeys(checked.notes))
        faults = (
            None if checked.same_line else _fault_of_id(data),
            *_faults(data, instance, task, number),
            checked.unproved,
            checked.unlike,
        )
        failures += [Failure(where, fault) for fault in faults if fault]
        prints.append(print_of(data))
        indices.append(instance.key.index)
    notes.update(dict.fromkeys(_notes_on_tokens(task.selection)))
    if task.entry is not None:
        faults_of_file = (
            *_file_faults(task, number, events, tokens),
            *_faults_of_what_is_kept(task, indices),
        )
        failures += [Failure(str(task.path), fault) for fault in faults_of_file]
    elif number == 0:
        raise DataError("holds no instances", where=str(task.path))
    return Verified(number, tuple(failures), tuple(prints), proved, remade, tuple(notes))


class _Checked(NamedTuple):
    """What came out of the two checks of one instance."""

    unproved: str | None
    """Why the text does not prove the answer."""
    unlike: str | None
    """Where it is not what its key gives; None as well where that was not to be looked at, and
    empty where `unproved` says why it cannot be."""
    same_line: bool = False
    """Whether its line, id included, is the one that is written of what its key gives."""
    notes: tuple[str, ...] = ()


def _check(
    data: Mapping[str, Any], instance: Instance, task: FileTask, line: bytes | None
) -> _Checked:
    """Prove one instance from its text, and make it again from its key."""
    key = instance.key
    try:
        spec = specification_of(key.prototype, task.own)
    except (SpecError, UsageError) as error:
        return _Checked(str(error), "")
    if not task.text_only:
        unlike, same_line = difference_from_key(data, key, spec, line)
        return _Checked(prove_instance(instance, spec), unlike, same_line)
    notes: tuple[str, ...] = ()
    if key.prototype_version != spec.version:
        notes = (
            f"instances of version {key.prototype_version} of {spec.id} were read by version "
            f"{spec.version}, the one at hand",
        )
        instance = replace(instance, key=replace(key, prototype_version=spec.version))
    return _Checked(prove_instance(instance, spec), None, notes=notes)


_OUTSIDE_ID = ("id", "history", "tokens")


def _fault_of_id(data: Mapping[str, Any]) -> str | None:
    content = {name: value for name, value in data.items() if name not in _OUTSIDE_ID}
    right = data.get("id") == id_of_content(content)
    return None if right else "the id is not the hash of the instance"


def _notes_on_tokens(selection: Selection) -> Iterator[str]:
    counting = selection.counting
    if counting is not None and not counting.source:
        yield (
            f"tokens were not counted again: name the tokenizer {counting.name!r} with --tokenizer"
        )


def _faults_of_what_is_kept(task: FileTask, indices: Sequence[int]) -> Iterator[str]:
    """Where a file does not hold what the selection of its corpus keeps of it."""
    entry = task.entry
    if entry is None or task.split is None or task.selection.whole:
        return
    yield from faults_of_indices(indices, entry.first, task.planned)
    if not task.text_only:
        spec = specification_of(entry.prototype, task.own)
        yield from faults_of_gaps(
            indices, entry, task.planned, Split(task.split), task.selection, spec
        )


def _faults(
    data: Mapping[str, Any], instance: Instance, task: FileTask, number: int
) -> Iterator[str]:
    """What is wrong with one line, its id and its two checks aside."""
    yield from _faults_of_key(data, instance.key, task, number)
    if "history" in data and not instance.history.records and data["events"]:
        yield f"its history has no records, and it has {data['events']} events"
    for name in ("blocks", "events"):
        if data[name] != instance.realised.get(name):
            yield f"{name} is {data[name]}, realised {name} is {instance.realised.get(name)}"


def _faults_of_key(
    data: Mapping[str, Any], key: InstanceKey, task: FileTask, number: int
) -> Iterator[str]:
    """Where what a line says about itself does not fit its key, or its key not its place."""
    named = key_to_json(key)
    for name in ("prototype", "prototype_version", "tier", "split", "index"):
        if data.get(name) != named[name]:
            yield f"{name} is {data.get(name)!r} and the key says {named[name]!r}"
    if data.get("canary") != (CANARY if key.split is Split.HELDOUT else None):
        yield "the canary is missing or out of place"
    entry = task.entry
    if entry is None or task.split is None:
        return
    version = key.prototype_version
    index = entry.first + number - 1 if task.selection.whole else key.index
    if key != InstanceKey(entry.prototype, version, Tier(entry.tier), Split(task.split), index):
        yield "the key is of another place in the corpus"
    if ("history" in data) != task.history:
        yield f"it has {'a' if 'history' in data else 'no'} history, the manifest says otherwise"
    yield from faults_of_selection(data, task.selection)


def _file_faults(task: FileTask, lines: int, events: int, tokens: int) -> Iterator[str]:
    """Where a file is not what the manifest says."""
    entry = task.entry
    if entry is None:
        return
    if lines != entry.instances:
        yield f"holds {lines} instances, the manifest says {entry.instances}"
    if events != entry.events:
        yield f"holds {events} events, the manifest says {entry.events}"
    if tokens != (entry.tokens or 0):
        yield f"holds {tokens} tokens, the manifest says {entry.tokens}"
    if entry.instances == 0:
        return
    size = task.path.stat().st_size
    if hash_of(task.path) != entry.sha256:
        yield "its SHA-256 is not that of the manifest"
    elif size != entry.bytes:
        yield f"holds {size} bytes, the manifest says {entry.bytes}"
