"""The catalogue: one YAML specification for each prototype, in a folder for each theme."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from supersede.errors import UsageError, did_you_mean
from supersede.specs.load import load_specification
from supersede.specs.schema import Specification

_FOLDER = Path(__file__).parent


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


@cache
def load_prototype(name: str) -> Specification:
    """The specification of a prototype, read once.

    Raises:
        UsageError: No prototype has that id; the nearest one is named.
        SpecError: Its file is wrong.
    """
    files = prototype_files()
    if name not in files:
        raise UsageError(
            f"unknown prototype {name!r}",
            mend=f"{did_you_mean(name, files)} List them with: supersede prototypes",
        )
    return load_specification(files[name]).spec
