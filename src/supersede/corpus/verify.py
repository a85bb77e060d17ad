"""Verification: each instance is proved from its text alone, and made again from its key.

An instance is proved when the records read back from its messages, by a reader that is denied
the specification's effects, give the stored answer, checklist, evidence and difficulty once more.
That uses nothing of what wrote it. Making it again then binds all the rest to its key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from supersede.corpus.files import (
    MANIFEST,
    Entry,
    hash_of,
    is_corpus,
    read_manifest,
    read_texts,
)
from supersede.corpus.kept import faults_of_gaps, faults_of_indices, faults_of_selection
from supersede.corpus.layout import layout_of
from supersede.corpus.likeness import Likeness, Near, Print, print_of
from supersede.corpus.plan import fingerprint
from supersede.corpus.pool import in_order
from supersede.corpus.realised import realised
from supersede.corpus.remade import difference_from_key
from supersede.corpus.selection import EVERYTHING, Counting, Selection
from supersede.corpus.specifications import (
    copies_beside,
    copies_of,
    specification_in,
    texts_of,
)
from supersede.errors import DataError, SpecError, SupersedeError, UsageError, location
from supersede.model.instance import Instance, InstanceKey, Split, Tier
from supersede.model.question import Answer, Outcome
from supersede.model.record import History
from supersede.model.serialize import CANARY, id_of_content, instance_from_json, key_to_json
from supersede.model.world import World
from supersede.prototypes import load_prototype
from supersede.questions import answer, grade
from supersede.rendering.lines import FINAL
from supersede.rendering.reader import Reader
from supersede.specs.schema import Specification
from supersede.worlds.ledger import Ledger
from supersede.worlds.program import compile_specification
from supersede.worlds.replay import replay
from supersede.worlds.replayed_laws import broken_law


def prove_instance(instance: Instance, spec: Specification | None = None) -> str | None:
    """Why the text of an instance does not prove its answer; None where it does.

    Args:
        instance: What is to be proved; of its records nothing is used to find the answer.
        spec: Its specification, where that is neither of the catalogue nor read from a file by
            this process.
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
        broken = broken_law(spec, ledger, history.blocks)
    except SupersedeError as error:
        return str(error)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        return f"the question cannot be answered from the text: {error!r}"
    return (
        _difference_of_records(instance.history, history)
        or (None if broken is None else f"{broken!r} does not hold at the end of the text")
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
    if stored.blocks != read.blocks:
        return f"shows {read.blocks} blocks and stores {stored.blocks}"
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
    prints: tuple[Print, ...]
    """What each instance is compared by with all others, in the order of the lines."""
    proved: int = 0
    """Instances whose text alone gives the stored answer."""
    remade: int = 0
    """Instances that their key gives again, in every field."""
    notes: tuple[str, ...] = ()
    """What is no failure and yet must be said."""


@dataclass(frozen=True, slots=True)
class _Task:
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


def verify(
    paths: Sequence[Path],
    *,
    specifications: Sequence[Path] = (),
    workers: int = 1,
    on_failure: Callable[[Failure], None] | None = None,
    on_file: Callable[[Path, Verified], None] | None = None,
    on_near: Callable[[Near], None] | None = None,
    text_only: bool = False,
    tokenizer: Path | str | None = None,
) -> tuple[int, int]:
    """Check corpora: files, ids, duplicates, every answer from the text, every field from its key.

    Args:
        paths: Folders of corpora, or single JSONL files. Duplicates are looked for across all.
        specifications: YAML files of worlds that the catalogue does not have, for JSONL files
            that do not lie in a corpus; a corpus carries its own.
        workers: Processes.
        on_failure: Told of every failure, in the order of the corpora.
        on_file: Told of every file that is done.
        on_near: Told of every instance that is nearly the same as an earlier one; that is no
            failure.
        text_only: Make nothing again: for data whose specifications are not at hand in the
            version that made it. The text is then read by those that are.
        tokenizer: That by which the tokens of the corpora were counted, to count them again; the
            estimate needs no naming.

    Returns:
        How many instances there are, and how many failures.

    Raises:
        DataError: A file cannot be read, or has no manifest.
        UsageError: The catalogue has other specifications than the corpus was made from, or the
            tokenizer is another.
        SpecError: A file is no specification, or one with errors.
    """
    given = texts_of(specifications)
    counting = None if tokenizer is None else Counting.of(tokenizer)
    faults, tasks = _plan(paths, given, text_only, counting)
    if on_failure is not None:
        for fault in faults:
            on_failure(fault)
    seen = Likeness()
    instances, failures = 0, len(faults)
    with closing(in_order(_verify_file, tasks, workers)) as results:
        for task, found in zip(tasks, results, strict=True):
            same: list[Failure] = []
            for number, mark in enumerate(found.prints, start=1):
                where = location(task.path, number)
                same += (Failure(where, reason) for reason in seen.same(where, mark))
                for near in seen.near(where, mark):
                    if on_near is not None:
                        on_near(near)
            for failure in (*found.failures, *same):
                failures += 1
                if on_failure is not None:
                    on_failure(failure)
            instances += found.instances
            if on_file is not None:
                on_file(task.path, found)
    return instances, failures


def _plan(
    paths: Sequence[Path],
    given: Mapping[str, str],
    text_only: bool,
    counting: Counting | None,
) -> tuple[list[Failure], list[_Task]]:
    """What is wrong with corpora as wholes, and their files, each once."""
    failures: list[Failure] = []
    tasks: dict[Path, _Task] = {}
    for path in paths:
        faults, found = _tasks(path, given, text_only, counting)
        failures += faults
        again = [task.path for task in found if task.path.resolve() in tasks]
        if again:
            more = f" and {len(again) - 1} more" if len(again) > 1 else ""
            failures.append(Failure(str(path), f"brings {again[0]}{more} in a second time"))
        for task in found:
            tasks.setdefault(task.path.resolve(), task)
    return failures, list(tasks.values())


def _tasks(
    path: Path, given: Mapping[str, str], text_only: bool, counting: Counting | None
) -> tuple[list[Failure], list[_Task]]:
    """What is wrong with a corpus as a whole, and its files.

    Raises:
        DataError: There is no such folder or file, or no sound manifest.
        UsageError: It was made from other specifications than those of the catalogue.
    """
    if not is_corpus(path):
        beside = {name: at.read_text(encoding="utf-8") for name, at in copies_beside(path).items()}
        return [], [_Task(path, None, None, {**beside, **given}, text_only)]
    manifest = read_manifest(path)
    own = {**given, **copies_of(path, manifest.specifications)}
    if not text_only:
        _check_specifications(path, manifest.configuration.get("prototypes"), own)
    layout = layout_of(path, manifest, own)
    selection = _counted_by(layout.selection, counting, str(path / MANIFEST))
    split, history = manifest.configuration["split"], manifest.configuration["history"]
    planned = {shard.path: shard.size for shard in layout.shards}
    return [Failure(str(path / MANIFEST), fault) for fault in layout.faults], [
        _Task(
            path / entry.path, entry, split, own, text_only, history, selection, planned[entry.path]
        )
        for entry in layout.entries
    ]


def _counted_by(selection: Selection, counting: Counting | None, where: str) -> Selection:
    """The selection of a corpus, with the tokenizer that was named for it.

    Raises:
        UsageError: The corpus was counted by another.
    """
    if counting is None or selection.counting is None:
        return selection
    if selection.counting[:2] != counting[:2]:
        raise UsageError(
            f"its tokens were counted by {selection.counting.name!r}, in another version or kind "
            f"than {counting.name!r} is",
            where=where,
            mend="Name the tokenizer that built it, or none.",
        )
    return replace(selection, counting=counting)


def _specification(prototype: str, own: Mapping[str, str]) -> Specification:
    """The specification of a prototype: its own text where there is one, else the catalogue's.

    Raises:
        UsageError: There is neither.
        SpecError: The text is no specification.
    """
    text = own.get(prototype)
    if text is not None:
        return specification_in(text, prototype)
    try:
        return load_prototype(prototype)
    except UsageError as error:
        raise UsageError(
            error.what, mend="If it is a world of your own, name its file with --spec."
        ) from None


def _check_specifications(path: Path, made_from: Any, own: Mapping[str, str]) -> None:
    where = str(path / MANIFEST)
    if not isinstance(made_from, Mapping):
        raise DataError("names no prototypes", where=where)
    for name, stamp in made_from.items():
        if fingerprint(_specification(name, own)) != stamp:
            whose = "its copy" if name in own else "that of the catalogue"
            raise UsageError(
                f"was made from another specification of {name!r} than {whose}",
                where=where,
                mend="Verify it with the release of Supersede that built it, or its texts alone "
                "with --text-only.",
            )


def _verify_file(task: _Task) -> Verified:
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
    data: Mapping[str, Any], instance: Instance, task: _Task, line: bytes | None
) -> _Checked:
    """Prove one instance from its text, and make it again from its key."""
    key = instance.key
    try:
        spec = _specification(key.prototype, task.own)
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


def _faults_of_what_is_kept(task: _Task, indices: Sequence[int]) -> Iterator[str]:
    """Where a file does not hold what the selection of its corpus keeps of it."""
    entry = task.entry
    if entry is None or task.split is None or task.selection.whole:
        return
    yield from faults_of_indices(indices, entry.first, task.planned)
    if not task.text_only:
        spec = _specification(entry.prototype, task.own)
        yield from faults_of_gaps(
            indices, entry, task.planned, Split(task.split), task.selection, spec
        )


def _faults(data: Mapping[str, Any], instance: Instance, task: _Task, number: int) -> Iterator[str]:
    """What is wrong with one line, its id and its two checks aside."""
    yield from _faults_of_key(data, instance.key, task, number)
    if "history" in data and not instance.history.records and data["events"]:
        yield f"its history has no records, and it has {data['events']} events"
    for name in ("blocks", "events"):
        if data[name] != instance.realised.get(name):
            yield f"{name} is {data[name]}, realised {name} is {instance.realised.get(name)}"


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
    if entry is None or task.split is None:
        return
    version = key.prototype_version
    index = entry.first + number - 1 if task.selection.whole else key.index
    if key != InstanceKey(entry.prototype, version, Tier(entry.tier), Split(task.split), index):
        yield "the key is of another place in the corpus"
    if ("history" in data) != task.history:
        yield f"it has {'a' if 'history' in data else 'no'} history, the manifest says otherwise"
    yield from faults_of_selection(data, task.selection)


def _file_faults(task: _Task, lines: int, events: int, tokens: int) -> Iterator[str]:
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
