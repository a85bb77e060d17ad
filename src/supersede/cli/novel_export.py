"""`supersede novel export` and `import`: annotations in the forms that others read."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from supersede.cli.groups import examples
from supersede.cli.novel_books import chosen
from supersede.corpus.show import counted
from supersede.errors import DataError, UsageError
from supersede.novels.annotations import BookAnnotations
from supersede.novels.exporting import (
    FORMATS,
    export_rows,
    export_sheets,
    export_streams,
    export_tasks,
    read_any,
)
from supersede.novels.importing import Imported, Problem, import_answers, prepared
from supersede.novels.project import Project

__all__ = ["export_command", "import_command"]

_CONFIGURATION = "configuration"

_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_PROJECT = click.argument("project", type=click.Path(file_okay=False, path_type=Path))


@dataclass(frozen=True, slots=True)
class _Written:
    """A file that was written, and how many of what it holds."""

    path: Path
    count: int
    holds: str
    """In the singular."""

    def __str__(self) -> str:
        if self.holds == _CONFIGURATION:
            return f"{self.path}: the labelling configuration"
        return f"{self.path}: {counted(self.count, self.holds)}"


@click.command(
    "export",
    epilog=examples(
        "supersede novel export project --format stream -o novels.jsonl",
        "supersede novel export project --format oaks -o oaks-n.json --split-questions 20",
        "supersede novel export project --format sheet -o sheets --annotator ann",
        "supersede novel export project --format csv -o answers.csv --json | jq .files",
    ),
)
@_PROJECT
@click.option("--format", "form", type=click.Choice(FORMATS), required=True, help="The form.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="The file; for sheets a folder.",
)
@click.option("--book", metavar="ID", help="Only this book.")
@click.option(
    "--annotator",
    default="",
    metavar="ID",
    help="Whose answers; those that count where left out.",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Another one, another order of options."
)
@click.option(
    "--split-questions",
    "most",
    type=click.IntRange(min=1),
    metavar="N",
    help="Most questions of a stream; a book with more becomes several.",
)
@click.option(
    "--leave-out", is_flag=True, help="Leave out, and name, the questions that no stream can hold."
)
@_JSON
def export_command(
    project: Path,
    form: str,
    output: Path,
    book: str | None,
    annotator: str,
    seed: int,
    most: int | None,
    leave_out: bool,
    as_json: bool,
) -> None:
    """Write annotated books as streams, rows, tasks or sheets.

    stream and oaks are what `supersede eval stream` asks about: options in a drawn order, the
    seed in their meta. jsonl holds everything, csv every answer, label-studio tasks and their
    configuration, sheet and xlsx a spreadsheet for an annotator with chunks and instructions; all
    of them are read back by `supersede novel import`.
    """
    streams = form in ("stream", "oaks")
    if (most or leave_out) and not streams:
        option = "--split-questions" if most else "--leave-out"
        raise UsageError(f"{option} is for streams", mend="Use it with --format stream or oaks.")
    with Project(project) as opened:
        if annotator:
            opened.annotator(annotator)
        books = chosen(opened, book)
        out: tuple[str, ...] = ()
        if form in ("sheet", "xlsx"):
            sheets = export_sheets(opened, books, output, form, annotator=annotator, seed=seed)
            files = [_Written(one, opened.card(one.parent.name).chunks, "chunk") for one in sheets]
        else:
            said = [opened.annotations(name) for name in books]
    if streams:
        count, out = export_streams(
            said,
            output,
            form,
            annotator=annotator,
            seed=seed,
            most=most or 0,
            leave_out=leave_out,
        )
        files = [_Written(output, count, "stream")]
    elif form == "label-studio":
        files = _tasks(project, said, output, annotator, seed)
    elif form in ("jsonl", "csv"):
        files = [_Written(output, export_rows(said, output, form, annotator), "row")]
    if as_json:
        listed = [{**asdict(one), "path": str(one.path)} for one in files]
        _print_json({"files": listed, "left_out": out})
        return
    for why in out:
        print(f"left out: {why}")
    for one in files:
        print(one)


def _tasks(
    project: Path, said: Sequence[BookAnnotations], output: Path, annotator: str, seed: int
) -> list[_Written]:
    if len(said) != 1:
        raise UsageError(
            f"the project has {counted(len(said), 'book')}",
            where=str(project),
            mend="Name one with --book: a project of Label Studio has one configuration.",
        )
    beside = export_tasks(said[0], output, annotator=annotator, seed=seed)
    tasks = _Written(output, len(said[0].chunks), "task")
    return [tasks, _Written(beside, 1, _CONFIGURATION)]


@click.command(
    "import",
    epilog=examples(
        "supersede novel import project sheets/the-mill/the-mill.csv --annotator ann",
        "supersede novel import project tasks.json --annotator ann --assign",
        "supersede novel import project tasks.json --annotator ann --json",
    ),
)
@_PROJECT
@click.argument("file", type=click.Path(dir_okay=False, exists=True, path_type=Path))
@click.option("--annotator", required=True, metavar="ID", help="Whose answers they are.")
@click.option(
    "--assign",
    is_flag=True,
    help="Let them in and give them the book, where that is not so yet.",
)
@_JSON
def import_command(project: Path, file: Path, annotator: str, assign: bool, as_json: bool) -> None:
    """Read answers that were given elsewhere into a project.

    Takes sheets, and the other forms that `export` writes. They replace what the annotator said
    before about the same questions, as one action that can be undone; answers that are no option
    become new ones. A change without evidence, with evidence that is not in its chunk, or of
    another text is refused: every such place is printed, and nothing is written.
    """
    with Project(project) as opened, opened.store.transaction():
        found = read_any(file, annotator)
        if assign:
            _let_in(opened, annotator, [one.book for one in found])
        elif annotator not in {person.id for person in opened.annotators()}:
            raise UsageError(f"there is no annotator {annotator!r}", mend="--assign lets them in.")
        problems = [
            problem for one in found for problem in prepared(opened, one, annotator).problems
        ]
        if problems:
            _say_problems(problems, as_json)
            raise DataError(
                f"{counted(len(problems), 'place')} cannot be taken", where=str(file),
                mend="Nothing was written."
            )  # fmt: skip
        done = [import_answers(opened, one, annotator) for one in found]
    if as_json:
        _print_json({"books": [_data(one) for one in done], "problems": []})
        return
    for book in done:
        print(
            f"{book.book}: {counted(book.answers, 'answer')} of {annotator}, "
            f"{counted(book.changed, 'change')}"
        )
        for question, text in book.options:
            print(f"  new option of {question}: {text}")


def _say_problems(problems: Sequence[Problem], as_json: bool) -> None:
    if as_json:
        _print_json({"books": [], "problems": [asdict(problem) for problem in problems]})
        return
    for problem in problems:
        print(problem)


def _data(one: Imported) -> dict[str, object]:
    return {
        "book": one.book,
        "answers": one.answers,
        "changes": one.changed,
        "options": [{"question": question, "text": text} for question, text in one.options],
    }


def _print_json(data: Mapping[str, object]) -> None:
    print(json.dumps(data, indent=2, ensure_ascii=False))


def _let_in(project: Project, annotator: str, books: list[str]) -> None:
    if annotator not in {person.id for person in project.annotators()}:
        project.add_annotator(annotator, annotator)
    for book in books:
        project.card(book)
        if annotator not in project.assigned(book):
            project.assign(book, annotator)
