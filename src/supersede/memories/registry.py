"""The memories by name. A new memory is one module of this package; nothing else lists it.

Memories of other packages stand beside ours (`supersede.memories.plugins`).
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from supersede.errors import UsageError, did_you_mean
from supersede.memories.plugins import Plugin, plugins, refused
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
    package: str | None = None
    """The package that it is from; None for ours."""

    @property
    def uses(self) -> frozenset[str]:
        """Of `retriever`, `embedder` and `shown` those that change what it does.

        All of them where a memory of another package does not say.

        Raises:
            UsageError: It is of another package and cannot be used.
        """
        found: frozenset[str] | None = getattr(self._made, "uses", None)
        return frozenset(EVERY_USE) if found is None else frozenset(found)

    @property
    def shown(self) -> int | None:
        """Chunks or notes that it shows unless told otherwise; None where it does not say."""
        return getattr(self._made, "shown", None)

    @property
    def asks(self) -> bool:
        """Whether it asks a model while it reads; a memory of another package may."""
        return self.package is not None or bool(getattr(self._made, "stages", ()))

    @property
    def _made(self) -> Any:
        """What makes it, imported."""
        return self.make.load() if isinstance(self.make, Plugin) else self.make


EVERY_USE = ("retriever", "embedder", "shown")
"""Settings that a memory may use or leave alone."""

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
    """Every memory, by name; those of other packages are not imported for it."""
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if not module.ispkg:
            _load(f"{__package__}.{module.name}")
    found = {**_kinds}
    given: dict[str, list[Plugin]] = {}
    for plugin in plugins():
        given.setdefault(plugin.name, []).append(plugin)
    for name, rivals in given.items():
        packages = [one.package for one in rivals]
        taken = name in _kinds or len(rivals) > 1
        make = refused(name, packages) if taken else rivals[0]
        summary = f"of the package {' and '.join(packages)}"
        found[name] = MemoryKind(name, summary, make, packages[0])
    return tuple(sorted(found.values(), key=lambda kind: kind.name))


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
        UsageError: There is no such memory, or it is of another package and cannot be used.
    """
    return memory_kind(name).make(settings)


def memory_kind(name: str) -> MemoryKind:
    """What is known of the memory of a name.

    Raises:
        UsageError: There is no such memory.
    """
    for kind in memories():
        if kind.name == name:
            return kind
    mend = did_you_mean(name, memory_names())
    if _missing:
        missing = " and ".join(sorted(_missing))
        mend = f"Some need {missing}: pip install 'supersede[eval]'. {mend}"
    raise UsageError(f"there is no memory {name!r}", mend=mend)
