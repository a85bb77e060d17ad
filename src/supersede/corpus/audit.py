"""An audit by people: a sample of instances as texts and a form, the answers kept apart (E-041).

The folder of an audit holds `texts/`, one file for each instance with its messages and nothing of
the answer; `form.csv`, one row for each; and `sealed/`, which is for afterwards: the stored answer,
the records and how the state went, and the instances from which forms are scored.
"""

from __future__ import annotations

import csv
import json
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import NamedTuple

from supersede.corpus.files import is_corpus, read_lines, read_manifest, write_whole
from supersede.corpus.show import evolution, heading, solution, turns
from supersede.corpus.specifications import adopt_copies
from supersede.corpus.text_proof import reader_of
from supersede.errors import DataError, SupersedeError, UsageError, location
from supersede.model.instance import Instance
from supersede.model.serialize import instance_from_json
from supersede.prototypes import load_prototype
from supersede.specs.world import world_of

SAMPLE = 117
"""Instances of the published audit (E-041)."""
FORM = "form.csv"
FIELDS = (
    *("number", "id", "prototype", "tier"),
    *("natural", "conventions", "answer", "agrees", "remarks"),
)
"""Columns of a form; those from `natural` on are the reader's."""
TEXTS, SEALED = "texts", "sealed"
INSTANCES = f"{SEALED}/instances.jsonl"
_GUIDE = f"""# Audit of {{count}} instances

For each row of `{FORM}`, which any spreadsheet opens:

1. Read `{TEXTS}/<number>.txt`, work the answer out by hand, and write it into `answer` as the
   question asks for it; without a spreadsheet, in double quotes where it has a comma. Open nothing
   in `{SEALED}/` before.
2. `natural`: yes, or no if a sentence sounds wrong. `conventions`: yes, or no if something that one
   must know to answer is not said, or if the question can be read in two ways. What it is goes into
   `remarks`.
3. When all your answers stand, let them be graded:

       supersede corpus audit --read FOLDER

4. Where yours is another than the stored one, open `{SEALED}/<number>.txt`: the stored answer,
   every record with whether it counts and why not, and the state after each block. `agrees`: yes if
   the stored answer is right and yours was a slip; no if it is wrong. Where both are the same,
   `agrees` may stay empty. Then read the forms back again.

Several readers each take a copy of the form, before anybody writes into it, and name it
`form-<name>.csv`. An instance that one of them finds wrong is an error.
"""


class _Place(NamedTuple):
    """Where an instance lies."""

    path: Path
    number: int
    """One-based line or row."""
    prototype: str
    mark: bytes
    """What decides whether it is drawn."""


def export_audit(paths: Sequence[Path], folder: Path, *, count: int = SAMPLE, seed: int = 0) -> int:
    """Write a sample of instances for readers.

    Args:
        paths: Folders of corpora, or single files of instances.
        folder: Where the audit goes; new or empty.
        count: How many instances, spread evenly over the prototypes.
        seed: Another one draws other instances.

    Returns:
        How many prototypes they are of.

    Raises:
        UsageError: The folder holds something, the corpora hold fewer instances, or a prototype is
            unknown.
        DataError: A file cannot be read, or an instance's records cannot be read from its text.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError("is there already", where=str(folder), mend="Name a new folder.")
    places = sorted(_drawn(paths, count, seed), key=lambda place: (place.path, place.number))
    rows: list[dict[str, object]] = []
    kept: list[bytes] = []
    for home in (folder / TEXTS, folder / SEALED):
        home.mkdir(parents=True, exist_ok=True)
    for number, (place, data) in enumerate(_read(places), start=1):
        adopt_copies(place.path, [place.prototype])
        instance = instance_from_json(data)
        name = f"{number:03d}"
        where = location(place.path, place.number)
        _write(folder / TEXTS / f"{name}.txt", (f"{name}: {heading(instance)}", *turns(instance)))
        _write(folder / SEALED / f"{name}.txt", _sealed(name, instance, where))
        known = {"number": name, "id": data["id"], "prototype": place.prototype}
        rows.append({**known, "tier": instance.key.tier.value})
        kept.append(json.dumps(data, ensure_ascii=False).encode() + b"\n")
    write_whole(folder / INSTANCES, kept)
    write_whole(folder / FORM, [_form(rows).encode()])
    write_whole(folder / "README.md", [_GUIDE.format(count=len(rows)).encode()])
    return len({place.prototype for place in places})


def _drawn(paths: Sequence[Path], count: int, seed: int) -> Iterator[_Place]:
    """A sample, one from each prototype in turn."""
    by_prototype: dict[str, list[_Place]] = {}
    for path in paths:
        for place in _places(path, seed):
            by_prototype.setdefault(place.prototype, []).append(place)
    total = sum(map(len, by_prototype.values()))
    if total < count:
        raise UsageError(
            f"there are {total:,} instances, {count:,} are asked for",
            where=", ".join(map(str, paths)),
            mend="Ask for fewer with --n, or name another corpus too.",
        )
    queues = [deque(sorted(places, key=lambda one: one.mark)) for places in by_prototype.values()]
    waiting = deque(sorted(queues, key=lambda queue: queue[0].mark))
    for _ in range(count):
        queue = waiting.popleft()
        yield queue.popleft()
        if queue:
            waiting.append(queue)


def _places(path: Path, seed: int) -> Iterator[_Place]:
    """Where the instances of a corpus or a file lie, of a corpus by its manifest alone."""
    if is_corpus(path):
        for entry in read_manifest(path).shards:
            for number in range(1, entry.instances + 1):
                mark = sha256(f"{seed}/{entry.path}/{number}".encode()).digest()
                yield _Place(path / entry.path, number, entry.prototype, mark)
        return
    for number, data in read_lines(path):
        mark = sha256(f"{seed}/{data.get('id')}".encode()).digest()
        yield _Place(path, number, str(data.get("prototype")), mark)


def _read(places: Sequence[_Place]) -> Iterator[tuple[_Place, dict[str, object]]]:
    """The instances at places, which come in the order of files and lines."""
    waiting = deque(places)
    while waiting:
        path = waiting[0].path
        for number, data in read_lines(path):
            if waiting and waiting[0][:2] == (path, number):
                yield waiting.popleft(), data
        if waiting and waiting[0].path == path:
            raise DataError(f"lacks instance {waiting[0].number}", where=str(path))


def _sealed(name: str, instance: Instance, where: str) -> Iterator[str]:
    """The lines of what is opened afterwards; the records are those that the text shows."""
    spec = load_prototype(instance.key.prototype)
    try:
        history = reader_of(spec).read(instance.messages)
    except SupersedeError as error:
        raise DataError(f"its records cannot be read: {error}", where=where) from None
    shown = replace(instance, history=history)
    yield f"{name}: {heading(instance)}"
    yield f"asked by the operator {instance.question.operator} ({instance.question.family})"
    yield from ("", instance.question.text)
    yield from solution(instance)
    yield from evolution(shown, world_of(spec))


def _write(path: Path, lines: Sequence[str] | Iterator[str]) -> None:
    write_whole(path, (f"{line}\n".encode() for line in lines))


def _form(rows: Sequence[dict[str, object]]) -> str:
    text = StringIO(newline="")
    writer = csv.DictWriter(text, FIELDS, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
