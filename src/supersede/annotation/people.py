"""Who annotates a project: one person alone, or a team with tokens."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from supersede.errors import UsageError
from supersede.novels.project import Annotator, Project

__all__ = ["Alone", "alone", "assign_books", "let_in"]

FIRST = "annotator"
"""Id of whom the first start makes."""

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


@dataclass(frozen=True, slots=True)
class Alone:
    """The one person of a project."""

    person: Annotator
    created: bool
    """Whether there was nobody before."""
    assigned: tuple[str, ...]
    """Books that are theirs from now on."""


def alone(project: Project) -> Alone | None:
    """The only annotator of a project, who is made where there is nobody; None for a team.

    An annotator who is alone annotates all books: those that came in since are assigned. An
    adjudicator gets none, as `let_in` says.

    Raises:
        UsageError: Whom the first start made is shut out, and nobody else may come in.
    """
    everybody = project.annotators()
    people = [person for person in everybody if person.active]
    if len(people) > 1:
        return None
    if not people and FIRST in [person.id for person in everybody]:
        raise UsageError(
            "everybody is shut out",
            where=str(project.folder),
            mend=f"Let somebody in again: --new-token {FIRST}",
        )
    if not people:
        project.add_annotator(FIRST, "Annotator")
    person = people[0] if people else project.annotator(FIRST)
    annotates = person.role == "annotator"
    return Alone(person, not people, assign_books(project, person.id) if annotates else ())


def let_in(project: Project, name: str, role: str, books: Sequence[str] = ()) -> str:
    """Adds somebody and gives their token, which is kept nowhere.

    An annotator gets books to annotate; an adjudicator none, since whoever annotates a book is
    blind on it and cannot decide about it.

    Args:
        project: The project.
        name: Their id: small letters, digits and dashes.
        role: `annotator` or `adjudicator`.
        books: Ids of their books; all of the project where there are none.

    Raises:
        UsageError: The id is taken or is none, or there is no such book.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is no id", mend="Use small letters, digits and dashes, at most 40."
        )
    if name in [person.id for person in project.annotators()]:
        raise UsageError(
            f"there is an annotator {name!r}",
            mend=f"A new token for them: --new-token {name}",
        )
    with project.store.transaction():
        token = project.add_annotator(name, name, role)
        if role == "annotator" or books:
            assign_books(project, name, books)
    return token


def assign_books(project: Project, name: str, books: Sequence[str] = ()) -> tuple[str, ...]:
    """Gives somebody books to annotate; all where none is named. Returns those that are new.

    Raises:
        UsageError: There is no such person or book.
    """
    project.annotator(name)
    wanted = [project.card(book).id for book in books] or [card.id for card in project.books()]
    new = tuple(book for book in wanted if name not in project.assigned(book))
    with project.store.transaction():
        for book in new:
            project.assign(book, name)
    return new
