"""Worlds of one's own in corpora: checked before use, and kept beside the instances.

A corpus carries a copy of every specification that the catalogue does not have, in the folder
`specifications`, under its id; the manifest holds the copies' hashes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from os import PathLike
from pathlib import Path

from supersede.corpus.examine import examine
from supersede.errors import DataError, UsageError
from supersede.model.identity import Same
from supersede.prototypes import (
    adopt,
    is_file_name,
    load_file,
    load_prototype,
    parsed,
    prototype_files,
    refuse_errors,
)
from supersede.specs.lint_report import Finding
from supersede.specs.load import Loaded
from supersede.specs.schema import Specification

FOLDER = "specifications"
"""Folder of a corpus with the specifications that are not of the catalogue."""


def checked_specification(name: str | PathLike[str]) -> Specification:
    """The specification of an id, or of a file in which `supersede spec check` finds no error.

    Raises:
        UsageError: There is no such prototype, or the file takes an id of the catalogue.
        SpecError: The file is no specification, or one with errors.
    """
    if not is_file_name(name):
        return load_prototype(name)
    loaded = load_file(name)
    refuse_errors(_findings(Same(loaded)), loaded.source)
    return adopt(loaded)


@lru_cache(maxsize=64)
def _findings(same: Same[Loaded]) -> tuple[Finding, ...]:
    return tuple(examine(same.value))


def copy_path(prototype: str) -> str:
    """Where a corpus keeps the copy of a specification, relative to its folder."""
    return f"{FOLDER}/{prototype}.yaml"


def specification_in(text: str, prototype: str) -> Specification:
    """The specification that a corpus keeps as that text: the same object for the same text."""
    return parsed(text, copy_path(prototype)).spec


def specification_of(prototype: str, own: Mapping[str, str]) -> Specification:
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


def copies_of(folder: Path, hashes: Mapping[str, str]) -> dict[str, str]:
    """Id -> text of the specifications that a corpus carries.

    Args:
        folder: That of the corpus.
        hashes: Path of each copy -> SHA-256, as the manifest says.

    Raises:
        DataError: A copy is missing, or is not the one that the manifest lists.
    """
    found: dict[str, str] = {}
    for name, digest in hashes.items():
        path = folder / name
        if not path.is_file():
            raise DataError(
                "the corpus lacks a specification that it was made from",
                where=str(path),
                mend="Copy the whole folder, or build it again.",
            )
        content = path.read_bytes()
        if sha256(content).hexdigest() != digest:
            raise DataError(
                "its SHA-256 is not that of the manifest",
                where=str(path),
                mend="Copy the whole folder again, or build it again.",
            )
        found[path.stem] = content.decode()
    return found


def copies_beside(data: Path) -> dict[str, Path]:
    """Id -> file of the specifications that lie with instances, by the names of the files.

    Args:
        data: A folder with corpora, a file of a corpus, or a file beside a folder
            `specifications`.
    """
    if data.is_dir():
        found = sorted(data.rglob(f"{FOLDER}/*.yaml"))
    else:
        homes = (data.parent.parent, data.parent)
        found = [path for home in homes for path in sorted((home / FOLDER).glob("*.yaml"))]
    return {path.stem: path for path in found}


def adopt_copies(data: Path, prototypes: Iterable[str]) -> None:
    """Let the specifications of prototypes that lie with instances be found by id from now on.

    Raises:
        SpecError: One of them is no specification.
        UsageError: One has an id of the catalogue and says something else.
    """
    beside = copies_beside(data)
    for prototype in sorted(set(prototypes).intersection(beside)):
        adopt(load_file(beside[prototype]))


def texts_of(paths: Sequence[Path]) -> dict[str, str]:
    """Id -> text of the specifications in files, each checked; not of those of the catalogue.

    Raises:
        UsageError, SpecError: As `checked_specification`.
    """
    specs = [(path, checked_specification(path)) for path in paths]
    return {
        spec.id: load_file(path).places.text
        for path, spec in specs
        if spec.id not in prototype_files()
    }
