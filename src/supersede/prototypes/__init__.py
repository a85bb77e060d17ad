"""The catalogue: one YAML specification for each prototype, in a folder for each theme.

Beside it stand the worlds of one's own: a path of a YAML file is taken wherever the id of a
prototype is. From then on, and in this process, its id names it as well, so that keys, which hold
ids, find it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from os import PathLike, fspath
from pathlib import Path

from supersede.errors import SpecError, UsageError, did_you_mean
from supersede.specs.lint import lint
from supersede.specs.lint_report import Finding
from supersede.specs.load import Loaded, load_specification, parse_specification
from supersede.specs.schema import Specification

_FOLDER = Path(__file__).parent

_OWN: dict[str, Loaded] = {}
"""Id -> the specification of that id that was last read from a file which is not ours."""


def slug(name: str) -> str:
    """A catalogue name as id or folder: lower case, other characters than a-z0-9 one dash."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


@cache
def prototype_files() -> Mapping[str, Path]:
    """Prototype id -> its file, in alphabetical order of ids."""
    return {path.stem: path for path in sorted(_FOLDER.glob("*/*.yaml"), key=lambda p: p.stem)}


def prototype_ids() -> tuple[str, ...]:
    """All prototype ids, in alphabetical order."""
    return tuple(prototype_files())


def load_prototype(name: str | PathLike[str]) -> Specification:
    """The specification of a prototype, read once.

    Args:
        name: An id of the catalogue, or the path of a YAML file. A file is read again when it has
            changed. Its id is known from then on; one that the catalogue has may only name the
            same specification.

    Raises:
        UsageError: No prototype has that id (the nearest one is named), or the file says
            something else under an id of the catalogue.
        SpecError: The file is wrong.
    """
    if is_file_name(name):
        loaded = load_file(name)
        refuse_errors(lint(loaded), loaded.source)
        return adopt(loaded)
    name = fspath(name)
    own = _OWN.get(name)
    return own.spec if own is not None else _of_catalogue(name)


@cache
def _of_catalogue(name: str) -> Specification:
    files = prototype_files()
    if name not in files:
        raise UsageError(
            f"unknown prototype {name!r}",
            mend=f"{did_you_mean(name, files)} List them with: supersede prototypes; "
            "name a world of your own by the path of its YAML file.",
        )
    return load_specification(files[name]).spec


def is_file_name(name: str | PathLike[str]) -> bool:
    """Whether a name means a file, not an id: it ends in .yaml or .yml, or there is such a file."""
    text = fspath(name)
    if text.endswith((".yaml", ".yml")):
        return True
    return text not in prototype_files() and Path(text).is_file()


def load_file(path: str | PathLike[str]) -> Loaded:
    """The specification in a file, parsed once for each content.

    Raises:
        SpecError: The file cannot be read or is no specification.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return load_specification(fspath(path))  # raises, and says why in our words
    return parsed(text, fspath(path))


@lru_cache(maxsize=64)
def parsed(text: str, source: str) -> Loaded:
    """The specification in a text: the same object for the same text.

    Raises:
        SpecError: It is none.
    """
    return parse_specification(text, source)


def adopt(loaded: Loaded) -> Specification:
    """Let a specification from a file be found by its id, in this process.

    Returns:
        It; or that of the catalogue where it is the same.

    Raises:
        UsageError: The catalogue has another specification of that id.
    """
    spec = loaded.spec
    if spec.id not in prototype_files():
        _OWN[spec.id] = loaded
        return spec
    published = _of_catalogue(spec.id)
    if spec != published:
        raise UsageError(
            f"the catalogue has another specification of the id {spec.id!r}",
            where=loaded.source,
            mend="Give your world an id of its own.",
        )
    return published


def own_text(name: str) -> str | None:
    """The YAML text of a specification that is not of the catalogue; None for one that is."""
    own = _OWN.get(name)
    return None if own is None else own.places.text


def refuse_errors(findings: Iterable[Finding], source: str) -> None:
    """Refuse a specification in which errors were found.

    Raises:
        SpecError: The first error, and how many more there are.
    """
    errors = [finding for finding in findings if finding.severity == "error"]
    if errors:
        first, more = errors[0], len(errors) - 1
        rest = f" {more} more: supersede spec check {source}" if more else ""
        raise SpecError(first.what, where=first.where, mend=f"{first.mend}{rest}".strip())
