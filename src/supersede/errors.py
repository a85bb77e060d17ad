"""Every error that Supersede raises on purpose.

::

    SupersedeError            something a person can mend; one line says what, where and how
    ├── UsageError            a wrong name, option or value in a call or on the command line
    ├── SpecError             a specification that is wrong
    ├── SampleError           a specification that is well formed but cannot go on legally
    ├── DataError             a file or record that is truncated, foreign or inconsistent
    ├── ModelError            weights that cannot be had, or a model server that does not answer
    └── CheckFailed           nothing is wrong with the input: the check that was asked for failed

A mistake in our own code is no `SupersedeError`: it keeps its traceback.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from os import PathLike, fspath
from typing import ClassVar

__all__ = [
    "CheckFailed",
    "DataError",
    "ModelError",
    "SampleError",
    "SpecError",
    "SupersedeError",
    "UsageError",
    "did_you_mean",
    "location",
]

_LISTED_CHOICES = 8


class SupersedeError(Exception):
    """One line: where, what and the mend.

    Args:
        what: What is wrong, with the offending value (`weight=-1 is negative`).
        where: The place: a file, `file:line:column` (see `location`), a record or a key.
        mend: What to do about it, as a sentence.
    """

    exit_code: ClassVar[int] = 2
    """What the command line returns for it."""

    def __init__(self, what: str, *, where: str | None = None, mend: str | None = None) -> None:
        super().__init__(what)  # the only positional argument, so that pickling works
        self.what = what
        self.where = where
        self.mend = mend

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        line = f"{place}{self.what}"
        if self.mend:
            line = f"{line.rstrip('.')}{'' if line.endswith(('?', '!')) else '.'} {self.mend}"
        return " ".join(line.split())


class UsageError(SupersedeError):
    """A wrong name, option or value in a call or on the command line."""


class SpecError(SupersedeError):
    """A specification that is wrong: `where` names its file and line."""


class SampleError(SupersedeError):
    """A well-formed specification that cannot go on legally; no history was emitted."""


class DataError(SupersedeError):
    """A file or record that is truncated, not of our making, or inconsistent."""


class ModelError(SupersedeError):
    """Weights that cannot be had, or a model server that does not start or answer."""


class CheckFailed(SupersedeError):
    """The check that was asked for failed; its input was sound."""

    exit_code: ClassVar[int] = 1


def location(path: str | PathLike[str], line: int | None = None, column: int | None = None) -> str:
    """`path`, `path:line` or `path:line:column`, as editors understand it; both one-based."""
    parts = [fspath(path)]
    if line is not None:
        parts.append(str(line))
        if column is not None:
            parts.append(str(column))
    return ":".join(parts)


def did_you_mean(
    name: str, choices: Iterable[str], *, in_order: bool = False, see: str = ""
) -> str:
    """A sentence that leads from a mistyped name to the right one.

    Args:
        name: What was typed.
        choices: What there is.
        in_order: Whether the order of the choices says something; else they are listed by name.
        see: The command that lists all choices, named where the list is cut.

    Returns:
        `Did you mean 'inventory'?` where a choice is near, otherwise a list of the choices,
        cut after eight; empty where there are none.
    """
    listing = list(dict.fromkeys(choices))
    known = sorted(listing)
    folded = {choice.casefold(): choice for choice in reversed(known)}
    near = get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    if not near:
        # A long name is often typed by its first word alone: `warehose`.
        firsts = {choice.replace("_", "-").split("-")[0]: choice for choice in reversed(folded)}
        words = get_close_matches(name.casefold(), firsts, n=1, cutoff=0.75)
        near = [firsts[word] for word in words]
    if near:
        return f"Did you mean {folded[near[0]]!r}?"
    if not known:
        return ""
    shown = listing if in_order else known
    listed = ", ".join(shown[:_LISTED_CHOICES])
    more = len(shown) - _LISTED_CHOICES
    if more <= 0:
        return f"Choose from {listed}."
    return f"Choose from {listed} and {more} more{f': {see}' if see else '.'}"
