"""`supersede novel attach`: questions and answers that came without the text."""

import json
from pathlib import Path
from typing import Any

import click

from supersede.cli.groups import examples
from supersede.corpus.show import counted
from supersede.novels.asked import Asked, ask, load_attachable
from supersede.novels.book import Book
from supersede.novels.detached import Detached, attach
from supersede.novels.project import Project

__all__ = ["attach_command"]


@click.command(
    "attach",
    epilog=examples(
        "supersede novel attach project the-time-machine.yaml",
        "supersede novel attach project the-time-machine.yaml --book time-machine-2k",
        "supersede novel attach project questions.yaml --book the-mill",
        "supersede novel attach project questions.yaml --json | jq .questions",
    ),
)
@click.argument("folder", metavar="PROJECT", type=click.Path(file_okay=False, path_type=Path))
@click.argument(
    "file", metavar="FILE", type=click.Path(dir_okay=False, exists=True, path_type=Path)
)
@click.option(
    "--book",
    default="",
    metavar="ID",
    help="Id of the book in the project; the one with the same text where left out, or, for "
    "questions alone, the only one.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def attach_command(folder: Path, file: Path, book: str, as_json: bool) -> None:
    """Put questions and answers that came without the text on a prepared book.

    A file with answers names the chunks by hash: a book whose text is another one is refused, with
    the chunk where it begins to be. It may hold reviews: `reviewers` beside the annotator, and
    `reviews` at a question. A file of questions alone has `format: 1` and `questions`, each with
    `id`, `text` and `options`: text, and role: answer, distractor or catch-all.
    """
    found = load_attachable(file)
    with Project(folder) as project:
        if isinstance(found, Asked):
            there = ask(project, found, book)
        else:
            there = attach(project, found, book)
    if as_json:
        print(json.dumps(_data(there, found), indent=2, ensure_ascii=False))
    elif isinstance(found, Asked):
        print(f"{there.id}: {counted(len(found.questions), 'question')}, not answered yet")
    else:
        _show(there, found)


def _data(book: Book, found: Asked | Detached) -> dict[str, Any]:
    """What was attached: `changes` of a question is null where the file has no answers."""
    if isinstance(found, Detached):
        annotator, reviewers = found.annotator.id, [one.id for one in found.reviewers]
        asked = [{"id": one.id, "changes": one.changes} for one in found.questions]
    else:
        annotator, reviewers = None, []
        asked = [{"id": one.id, "changes": None} for one in found.questions]
    return {
        "book": book.id,
        "chunks": len(book.chunks),
        "annotator": annotator,
        "reviewers": reviewers,
        "questions": asked,
    }


def _show(book: Book, found: Detached) -> None:
    changes = [question.changes for question in found.questions]
    span = f"{min(changes)} to {max(changes)}" if min(changes) < max(changes) else f"{changes[0]}"
    print(
        f"{book.id}: {counted(len(changes), 'question')} answered at"
        f" {counted(len(book.chunks), 'chunk')} by {found.annotator.id}, {span} changes each"
    )
    print(f"  {' '.join(found.annotator.how.split())}")
    for person in found.reviewers:
        print(f"  {person.id}: {' '.join(person.how.split())}")
