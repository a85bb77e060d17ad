"""Which books of a project a command is about."""

import sys
from collections.abc import Iterator, Sequence
from typing import TypeVar

import click

from supersede.errors import UsageError
from supersede.novels.project import Project

__all__ = ["chosen", "watched"]

Item = TypeVar("Item")


def chosen(project: Project, book: str | None) -> list[str]:
    """The ids of all books, or of the one that was named.

    Raises:
        UsageError: There is no such book, or none at all.
    """
    books = [project.card(book).id] if book else [card.id for card in project.books()]
    if not books:
        raise UsageError(
            "the project has no book",
            where=str(project.folder),
            mend=f"Prepare one: supersede novel prepare FILE -o {project.folder}",
        )
    return books


def watched(items: Sequence[Item], label: str, *, least: int) -> Iterator[Item]:
    """The items, with a progress bar that only a terminal shows.

    Args:
        items: What takes long.
        label: What is done with them.
        least: With fewer of them there is no bar.
    """
    if not sys.stderr.isatty() or len(items) < least:
        yield from items
        return
    with click.progressbar(items, label=label, file=sys.stderr) as bar:
        yield from bar
