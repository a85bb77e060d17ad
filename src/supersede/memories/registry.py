"""The memories by name. A new memory is one module of this package; nothing else lists it."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from supersede.errors import UsageError, did_you_mean
from supersede.model.memory import Memory

if TYPE_CHECKING:
    from supersede.memories.chunks import MemorySettings

_Made = TypeVar("_Made", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class MemoryKind:
    """A memory that can be chosen."""

    name: str
    summary: str
    """One line for a person who chooses."""
    make: Callable[[MemorySettings], Memory]
    """A memory for one document."""


_kinds: dict[str, MemoryKind] = {}
_EXTRA = ("json_repair", "numpy", "scipy")
"""Packages of the extra `eval` that some memories need."""
_missing: set[str] = set()
"""Those that are not installed, as far as a memory asked for them."""


def memory(name: str, summary: str) -> Callable[[_Made], _Made]:
    """Register what makes a memory of `MemorySettings`.

    Args:
        name: What a user types.
        summary: One line for a person who chooses.
    """

    def register(made: _Made) -> _Made:
        if name in _kinds:
            raise ValueError(f"two memories are called {name!r}: {_kinds[name].make} and {made}")
        _kinds[name] = MemoryKind(name, summary, made)
        made.name = name  # type: ignore[attr-defined] # a class of memories has one
        return made

    return register


@lru_cache(maxsize=1)
def memories() -> tuple[MemoryKind, ...]:
    """Every memory, by name."""
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if not module.ispkg:
            _load(f"{__package__}.{module.name}")
    return tuple(sorted(_kinds.values(), key=lambda kind: kind.name))


def _load(module: str) -> None:
    """Imports a module, unless it needs what is not installed; others do without it."""
    try:
        importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name not in _EXTRA:
            raise
        _missing.add(error.name)


def memory_names() -> tuple[str, ...]:
    """The names of all memories."""
    return tuple(kind.name for kind in memories())


def make_memory(name: str, settings: MemorySettings) -> Memory:
    """The memory of a name, for one document at a time.

    Raises:
        UsageError: There is no such memory.
    """
    for kind in memories():
        if kind.name == name:
            return kind.make(settings)
    mend = did_you_mean(name, memory_names())
    if _missing:
        missing = " and ".join(sorted(_missing))
        mend = f"Some need {missing}: pip install 'supersede[eval]'. {mend}"
    raise UsageError(f"there is no memory {name!r}", mend=mend)
