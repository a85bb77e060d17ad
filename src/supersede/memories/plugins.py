"""Memories of other packages, found by the entry-point group `supersede.memories`.

A package names what makes its memory of `MemorySettings`, a class as a rule:

::

    [project.entry-points."supersede.memories"]
    newest = "my_package:Newest"

It is imported when its memory is chosen, so one that is broken is in nobody's way until then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

from supersede.errors import SupersedeError, UsageError
from supersede.memories.guarded import Guarded, Watched

if TYPE_CHECKING:
    from supersede.memories.chunks import MemorySettings
    from supersede.model.memory import Memory

GROUP = "supersede.memories"
"""The entry-point group."""
_METHODS = ("start", "observe", "context", "counters", "snapshot", "restore")


class Plugin:
    """Makes the memory of another package, which is imported the first time."""

    def __init__(self, point: EntryPoint) -> None:
        self.name = point.name
        self.package = point.dist.name if point.dist else point.module
        """The package as pip knows it."""
        self._point = point

    def load(self) -> Callable[[MemorySettings], Memory]:
        """What the entry point names.

        Raises:
            UsageError: It cannot be imported, or is nothing that makes a memory.
        """
        try:
            made: Any = self._point.load()
        except (Exception, SystemExit) as error:  # whatever goes wrong in somebody else's package
            raise self._broken(f"{type(error).__name__}: {error}") from error
        if not callable(made):
            raise self._broken(f"{self._point.value} is {made!r} and makes no memory")
        return made  # type: ignore[no-any-return] # checked as far as it can be

    def __call__(self, settings: MemorySettings) -> Memory:
        """A memory for one document, which is named wherever it breaks.

        Raises:
            UsageError: It cannot be imported or made.
        """
        make = self.load()
        model = None if settings.generate is None else Watched(settings.generate)
        try:
            made: Any = make(replace(settings, generate=model))
        except SupersedeError:
            raise
        except (Exception, SystemExit) as error:  # as above
            raise self._broken(f"{type(error).__name__}: {error}") from error
        if not all(callable(getattr(made, method, None)) for method in _METHODS):
            raise self._broken(f"{self._point.value} makes {made!r}, which is no memory")
        made.name = self.name
        return Guarded(made, self.name, self._broken, model)

    def _broken(self, why: str) -> UsageError:
        return UsageError(
            f"memory {self.name!r} ({self._point.value}) of the package {self.package} cannot be "
            f"used: {why}",
            mend="Tell its makers, or uninstall it.",
        )


def plugins() -> Iterator[Plugin]:
    """The memories of other packages, by name."""
    for point in sorted(entry_points(group=GROUP), key=lambda one: (one.name, one.value)):
        yield Plugin(point)


def refused(name: str, packages: list[str]) -> Callable[[MemorySettings], Memory]:
    """What stands for a name that more than one memory has: it makes none.

    Args:
        name: The name.
        packages: Those that have a memory of it, beside ours if we have one.
    """

    def make(settings: MemorySettings) -> Memory:
        who = " and ".join(packages)
        raise UsageError(
            f"memory {name!r} of the package {who} is refused: the name is taken",
            mend="Uninstall it, or give its memory a name of its own.",
        )

    return make
