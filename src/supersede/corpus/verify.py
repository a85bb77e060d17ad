"""Verification of corpora: every file, what is nearly the same across all, and the manifests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from supersede.corpus.files import MANIFEST, is_corpus, read_manifest
from supersede.corpus.layout import layout_of
from supersede.corpus.likeness import Likeness, Near
from supersede.corpus.plan import fingerprint
from supersede.corpus.pool import in_order
from supersede.corpus.selection import Counting, Selection
from supersede.corpus.specifications import copies_beside, copies_of, specification_of, texts_of
from supersede.corpus.verify_file import Failure, FileTask, Verified, verify_file
from supersede.errors import DataError, UsageError, location


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
    with closing(in_order(verify_file, tasks, workers)) as results:
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
) -> tuple[list[Failure], list[FileTask]]:
    """What is wrong with corpora as wholes, and their files, each once."""
    failures: list[Failure] = []
    tasks: dict[Path, FileTask] = {}
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
) -> tuple[list[Failure], list[FileTask]]:
    """What is wrong with a corpus as a whole, and its files.

    Raises:
        DataError: There is no such folder or file, or no sound manifest.
        UsageError: It was made from other specifications than those of the catalogue.
    """
    if not is_corpus(path):
        beside = {name: at.read_text(encoding="utf-8") for name, at in copies_beside(path).items()}
        return [], [FileTask(path, None, None, {**beside, **given}, text_only)]
    manifest = read_manifest(path)
    own = {**given, **copies_of(path, manifest.specifications)}
    if not text_only:
        _check_specifications(path, manifest.configuration.get("prototypes"), own)
    layout = layout_of(path, manifest, own)
    selection = _counted_by(layout.selection, counting, str(path / MANIFEST))
    split, history = manifest.configuration["split"], manifest.configuration["history"]
    planned = {shard.path: shard.size for shard in layout.shards}
    return [Failure(str(path / MANIFEST), fault) for fault in layout.faults], [
        FileTask(
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


def _check_specifications(path: Path, made_from: Any, own: Mapping[str, str]) -> None:
    where = str(path / MANIFEST)
    if not isinstance(made_from, Mapping):
        raise DataError("names no prototypes", where=where)
    for name, stamp in made_from.items():
        if fingerprint(specification_of(name, own)) != stamp:
            whose = "its copy" if name in own else "that of the catalogue"
            raise UsageError(
                f"was made from another specification of {name!r} than {whose}",
                where=where,
                mend="Verify it with the release of Supersede that built it, or its texts alone "
                "with --text-only.",
            )
