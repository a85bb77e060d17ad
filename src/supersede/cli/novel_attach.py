"""`supersede novel attach`: questions and answers that came without the text."""

from pathlib import Path

import click

from supersede.cli.groups import examples
from supersede.corpus.show import counted
from supersede.novels.asked import Asked, ask, load_attachable
from supersede.novels.detached import attach
from supersede.novels.project import Project

__all__ = ["attach_command"]


@click.command(
    "attach",
    epilog=examples(
        "supersede novel attach project the-time-machine.yaml",
        "supersede novel attach project the-time-machine.yaml --book time-machine-2k",
        "supersede novel attach project questions.yaml --book the-mill",
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
def attach_command(folder: Path, file: Path, book: str) -> None:
    """Put questions and answers that came without the text on a prepared book.

    A file with answers names the chunks by hash: a book whose text is another one is refused, with
    the chunk where it begins to be. It may hold reviews: `reviewers` beside the annotator, and
    `reviews` at a question. A file of questions alone has `format: 1` and `questions`, each with
    `id`, `text` and `options`: text, and role: answer, distractor or catch-all.
    """
    detached = load_attachable(file)
    with Project(folder) as project:
        if isinstance(detached, Asked):
            asked = ask(project, detached, book).id
            print(f"{asked}: {counted(len(detached.questions), 'question')}, not answered yet")
            return
        name = attach(project, detached, book).id
    changes = [question.changes for question in detached.questions]
    span = f"{min(changes)} to {max(changes)}" if min(changes) < max(changes) else f"{changes[0]}"
    print(
        f"{name}: {counted(len(changes), 'question')} answered at"
        f" {counted(len(detached.book.chunks), 'chunk')} by {detached.annotator.id},"
        f" {span} changes each"
    )
    print(f"  {' '.join(detached.annotator.how.split())}")
    for person in detached.reviewers:
        print(f"  {person.id}: {' '.join(person.how.split())}")
