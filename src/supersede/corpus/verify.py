"""Verification: every answer is derived again from the text alone, every file and id checked.

An instance is proved when the records read back from its messages, by a reader that is denied
the specification's effects, give the stored answer, checklist, evidence and difficulty once more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from supersede.corpus.files import MANIFEST, Entry, hash_of, read_lines, read_manifest
from supersede.corpus.instances import realised
from supersede.corpus.plan import fingerprint
from supersede.corpus.pool import in_order
from supersede.errors import DataError, SupersedeError, UsageError, location
from supersede.model.instance import Instance, InstanceKey, Split
from supersede.model.question import Answer, Outcome
from supersede.model.record import History
from supersede.model.serialize import CANARY, canonical, instance_from_json, key_to_json
from supersede.model.world import World
from supersede.prototypes import load_prototype
from supersede.questions import answer, grade
from supersede.rendering.lines import FINAL
from supersede.rendering.reader import Reader
from supersede.specs.schema import Specification
from supersede.worlds.ledger import Ledger
from supersede.worlds.program import compile_specification
from supersede.worlds.replay import replay


def prove_instance(instance: Instance, spec: Specification | None = None) -> str | None:
    """Why the text of an instance does not prove its answer; None where it does.

    Args:
        instance: What is to be proved; of its records nothing is used to find the answer.
        spec: Its specification, where that is not one of the catalogue.
    """
    key = instance.key
    spec = load_prototype(key.prototype) if spec is None else spec
    if spec.version != key.prototype_version:
        return f"is of version {key.prototype_version} of {spec.id}, which is at {spec.version}"
    try:
        world = _world(spec)
        history = reader_of(spec).read(instance.messages)
        ledger = replay(world, history)
        again = answer(world, ledger, instance.question, blocks=history.blocks)
    except SupersedeError as error:
        return str(error)
    except (LookupError, TypeError, ValueError) as error:
        return f"the question cannot be answered from the text: {error!r}"
    return (
        _difference_of_records(instance.history, history)
        or _difference_of_answers(instance.answer, again)
        or _difference_of_difficulty(instance, history, ledger)
        or _fault_of_question(instance)
    )


_READERS: dict[int, tuple[Specification, Reader]] = {}
"""Identity of a specification -> itself, held so that no other takes its place, and its reader."""


def reader_of(spec: Specification) -> Reader:
    """The reader of a specification, built once."""
    held = _READERS.get(id(spec))
    if held is None:
        held = _READERS[id(spec)] = (spec, Reader(spec, _world(spec)))
    return held[1]


def _world(spec: Specification) -> World:
    return compile_specification(spec).world


def _difference_of_records(stored: History, read: History) -> str | None:
    """Where stored records, if there are any, are not those that the text shows.

    Parameters are left out: what matters of them is printed as effects.
    """
    if not stored.records:
        return None
    if len(stored.records) != len(read.records):
        return f"shows {len(read.records)} records and stores {len(stored.records)}"
    for one, other in zip(stored.records, read.records, strict=True):
        if one._replace(parameters={}) != other._replace(parameters={}):
            return f"record {one.id} is stored in another way than it is shown"
    return None if stored.noise == read.noise else "stores other noise than it shows"


def _difference_of_answers(stored: Answer, found: Answer) -> str | None:
    if stored.text != found.text:
        return f"the answer from the text is {found.text!r}, not {stored.text!r}"
    if stored.checklist != found.checklist:
        return "the checklist from the text is another"
    if stored.evidence != found.evidence:
        return "the evidence from the text is another"
    return None


def _difference_of_difficulty(instance: Instance, read: History, ledger: Ledger) -> str | None:
    """Where the stored measures of difficulty are not those of the text.

    Interleaving is left out: it looks at the role that was drawn first, which no text shows.
    """
    asked = sum(message.role == "assistant" for message in instance.messages)
    for name, value in realised(read, ledger, asked).items():
        if name != "interleaving" and instance.realised.get(name) != value:
            return f"realised {name} is {instance.realised.get(name)}, the text shows {value}"
    return None


def _fault_of_question(instance: Instance) -> str | None:
    """Whether the question is not what is asked, or its answer is not graded right."""
    _, _, asked = instance.messages[-1].content.partition("\n\n")
    if asked != f"{FINAL}{instance.question.text}":
        return "the last turn asks another question"
    graded = grade(instance.question, instance.answer.checklist, instance.answer.text)
    if graded.outcome is not Outcome.RIGHT:
        return f"the answer is graded {graded.outcome}: {graded.reason}"
    return None


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
    prints: tuple[tuple[bytes, bytes], ...]
    """Of each instance a hash of its id and one of its messages, in the order of the lines."""


@dataclass(frozen=True, slots=True)
class _Task:
    """A file, and what the manifest says of it."""

    path: Path
    entry: Entry | None
    split: str | None


def verify(
    paths: Sequence[Path],
    *,
    workers: int = 1,
    on_failure: Callable[[Failure], None] | None = None,
    on_file: Callable[[Path, Verified], None] | None = None,
) -> tuple[int, int]:
    """Check corpora: files, ids, duplicates, and every answer from the text.

    Args:
        paths: Folders of corpora, or single JSONL files. Duplicates are looked for across all.
        workers: Processes.
        on_failure: Told of every failure, in the order of the corpora.
        on_file: Told of every file that is done.

    Returns:
        How many instances there are, and how many failures.

    Raises:
        DataError: A file cannot be read, or has no manifest.
        UsageError: The catalogue has other specifications than the corpus was made from.
    """
    tasks = [task for path in paths for task in _tasks(path)]
    seen: dict[bytes, str] = {}
    instances = failures = 0
    with closing(in_order(_verify_file, tasks, workers)) as results:
        for task, found in zip(tasks, results, strict=True):
            for failure in (*found.failures, *_duplicates(task.path, found, seen)):
                failures += 1
                if on_failure is not None:
                    on_failure(failure)
            instances += found.instances
            if on_file is not None:
                on_file(task.path, found)
    return instances, failures


def _tasks(path: Path) -> list[_Task]:
    """The files of a corpus.

    Raises:
        DataError: There is no such folder or file, or no sound manifest.
        UsageError: It was made from other specifications than those of the catalogue.
    """
    if path.is_file() and path.name != MANIFEST:
        return [_Task(path, None, None)]
    if not path.is_dir():
        raise DataError("no such folder", where=str(path), mend="Name the folder of a corpus.")
    manifest = read_manifest(path)
    _check_specifications(path, manifest.configuration.get("prototypes"))
    split = str(manifest.configuration.get("split"))
    return [_Task(path / entry.path, entry, split) for entry in manifest.shards]


def _check_specifications(path: Path, made_from: Any) -> None:
    where = str(path / MANIFEST)
    if not isinstance(made_from, Mapping):
        raise DataError("names no prototypes", where=where)
    for name, stamp in made_from.items():
        if fingerprint(load_prototype(name)) != stamp:
            raise UsageError(
                f"was made from another specification of {name!r} than that of the catalogue",
                where=where,
                mend="Verify it with the release of Supersede that built it.",
            )


def _verify_file(task: _Task) -> Verified:
    """Check one file.

    Raises:
        DataError: A line cannot be read.
    """
    failures: list[Failure] = []
    prints: list[tuple[bytes, bytes]] = []
    number = 0
    for number, data in read_lines(task.path):
        where = location(task.path, number)
        try:
            instance = instance_from_json(data)
        except DataError as error:
            raise DataError(error.what, where=where, mend=error.mend) from None
        failures += [Failure(where, fault) for fault in _faults(data, instance, task, number)]
        prints.append((_print(data["id"]), _print(data["messages"])))
    if task.entry is not None:
        failures += [Failure(str(task.path), fault) for fault in _file_faults(task, number)]
    return Verified(number, tuple(failures), tuple(prints))


def _faults(data: Mapping[str, Any], instance: Instance, task: _Task, number: int) -> Iterator[str]:
    """What is wrong with one line."""
    bare = {name: value for name, value in data.items() if name not in ("id", "history")}
    if data.get("id") != sha256(canonical(bare).encode()).hexdigest()[:32]:
        yield "the id is not the hash of the instance"
    yield from _faults_of_key(data, instance.key, task, number)
    try:
        fault = prove_instance(instance)
    except UsageError as error:
        fault = str(error)
    if fault is not None:
        yield fault


def _faults_of_key(
    data: Mapping[str, Any], key: InstanceKey, task: _Task, number: int
) -> Iterator[str]:
    """Where what a line says about itself does not fit its key, or its key not its place."""
    named = key_to_json(key)
    for name in ("prototype", "prototype_version", "tier", "split", "index"):
        if data.get(name) != named[name]:
            yield f"{name} is {data.get(name)!r} and the key says {named[name]!r}"
    if data.get("canary") != (CANARY if key.split is Split.HELDOUT else None):
        yield "the canary is missing or out of place"
    entry = task.entry
    if entry is not None:
        place = (entry.prototype, entry.tier, task.split, entry.first + number - 1)
        if (key.prototype, key.tier.value, key.split.value, key.index) != place:
            yield "the key is of another place in the corpus"


def _file_faults(task: _Task, lines: int) -> Iterator[str]:
    """Where a file is not what the manifest says."""
    entry = task.entry
    if entry is None:
        return
    if lines != entry.instances:
        yield f"holds {lines} instances, the manifest says {entry.instances}"
    if hash_of(task.path) != entry.sha256:
        yield "its SHA-256 is not that of the manifest"


def _print(data: object) -> bytes:
    return sha256(canonical(data).encode()).digest()[:16]


def _duplicates(path: Path, found: Verified, seen: dict[bytes, str]) -> Iterable[Failure]:
    """Instances whose id or messages stand elsewhere already; notes the others as seen."""
    for number, prints in enumerate(found.prints, start=1):
        where = location(path, number)
        for name, mark in zip(("id", "messages"), prints, strict=True):
            before = seen.setdefault(mark, where)
            if before != where:
                yield Failure(where, f"has the {name} of {before}")
