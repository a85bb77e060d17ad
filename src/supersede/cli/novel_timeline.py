"""`supersede novel timeline` and `stats`: what a project holds."""

import json
from dataclasses import asdict
from pathlib import Path

import click

from supersede.cli.groups import examples
from supersede.cli.novel_books import chosen
from supersede.corpus.show import counted
from supersede.errors import UsageError, did_you_mean
from supersede.novels.annotations import BookAnnotations, Question, Timeline
from supersede.novels.answers import canonical, settled
from supersede.novels.overview import PUBLISHED, statistics, statistics_table, timeline_lines
from supersede.novels.project import Project

__all__ = ["stats_command", "timeline_command"]

_PROJECT = click.argument("project", type=click.Path(file_okay=False, path_type=Path))
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.command(
    "timeline",
    epilog=examples(
        "supersede novel timeline project the-mill",
        "supersede novel timeline project the-mill --question q1",
    ),
)
@_PROJECT
@click.argument("book")
@click.option("--question", metavar="ID", help="Only this question.")
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Of the letters, as for `export`."
)
@_JSON
def timeline_command(
    project: Path, book: str, question: str | None, seed: int, as_json: bool
) -> None:
    """Show the answers to a book's questions, chunk by chunk.

    Each question comes with its options, the chunks at which each answer holds and what tells it;
    and with everybody's answers, a letter for each chunk, where several people gave some.
    """
    with Project(project) as opened:
        said = opened.annotations(opened.card(book).id)
    asked = {one.id: one for one in said.questions}
    if question is not None and question not in asked:
        raise UsageError(f"{book} has no question {question!r}", mend=did_you_mean(question, asked))
    shown = [one for one in said.questions if question in (None, one.id)]
    if as_json:
        print(json.dumps([_data(said, one) for one in shown], indent=2, ensure_ascii=False))
        return
    print(f"{said.book}: {said.title}, {counted(len(said.chunks), 'chunk')}")
    if not asked:
        print("no question yet: write some in `supersede annotate`, or by novel attach or draft")
    for one in shown:
        print()
        for line in timeline_lines(said, one, seed):
            print(line)


def _data(said: BookAnnotations, question: Question) -> dict[str, object]:
    line = settled(said, question)
    return {
        "id": question.id,
        "text": question.text,
        "type": question.type,
        "dropped": question.dropped,
        "options": [asdict(option) for option in question.options],
        "answers": None if line is None else _answers(line),
        "annotators": {
            one.annotator: _answers(canonical(question, one)) for one in said.of(question.id)
        },
    }


def _answers(line: Timeline) -> list[dict[str, object]]:
    return [
        {
            "chunk": number,
            "option": cell.option,
            "confirmed": cell.confirmed,
            "changed": cell.changed,
            "evidence": [asdict(span) for span in cell.evidence],
        }
        for number, cell in enumerate(line.cells)
    ]


@click.command(
    "stats",
    epilog=examples(
        "supersede novel stats project",
        "supersede novel stats project --json | jq .changes",
    ),
)
@_PROJECT
@click.option("--book", metavar="ID", help="Only this book.")
@_JSON
def stats_command(project: Path, book: str | None, as_json: bool) -> None:
    """Count books, questions, options and changes, beside the published figures.

    A change is a phase of the answers that count, as the published figures count them.
    """
    with Project(project) as opened:
        names = chosen(opened, book)
        found = statistics(
            [opened.book(name) for name in names], [opened.annotations(name) for name in names]
        )
    if as_json:
        print(json.dumps({**found.to_json(), "published": PUBLISHED}, indent=2))
        return
    for line in statistics_table(found):
        print(line)
