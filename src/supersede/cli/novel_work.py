"""`supersede novel work`: hours and pay of annotators."""

import json
from dataclasses import asdict
from pathlib import Path

import click

from supersede.cli.groups import examples
from supersede.cli.novel_books import chosen
from supersede.errors import UsageError
from supersede.evaluation.tables import text_table
from supersede.novels.project import Project

__all__ = ["work_command"]


@click.command(
    "work",
    epilog=examples(
        "supersede novel work project the-mill ann --hours 14 --pay 280 --currency USD",
        "supersede novel work project",
    ),
)
@click.argument("project", type=click.Path(file_okay=False, path_type=Path))
@click.argument("book", required=False)
@click.argument("annotator", required=False)
@click.option("--hours", type=click.FloatRange(min=0), help="In all, in place of what is noted.")
@click.option("--pay", type=click.FloatRange(min=0), default=0.0, help="In all, for those hours.")
@click.option("--currency", default="", metavar="CODE", help="Of the pay, as USD.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def work_command(
    project: Path,
    book: str | None,
    annotator: str | None,
    hours: float | None,
    pay: float,
    currency: str,
    as_json: bool,
) -> None:
    """Note how long somebody worked on a book, and what it was paid; else print what is noted.

    Hours and pay are those of the whole book, and replace what was noted before. The sums stand in
    `supersede novel stats`.
    """
    if hours is None and (annotator or pay or currency):
        raise UsageError("--hours is missing", mend="Say them, or name no annotator.")
    if hours is not None and not (book and annotator):
        raise UsageError("--hours is of a book and an annotator", mend="Name both.")
    if bool(pay) != bool(currency):
        raise UsageError("--pay and --currency go together")
    with Project(project) as opened:
        if book and annotator and hours is not None:
            opened.card(book)
            opened.annotator(annotator)
            opened.note_work(book, annotator, hours, pay, currency)
        books = chosen(opened, book)
        noted = [(name, work) for name in books for work in opened.work(name)]
    if as_json:
        print(json.dumps([{"book": name, **asdict(work)} for name, work in noted], indent=2))
        return
    rows = [
        [name, one.annotator, f"{one.hours:,.1f}", f"{one.pay:,.2f} {one.currency}" * bool(one.pay)]
        for name, one in noted
    ]
    print(text_table(["book", "annotator", "hours", "pay"], rows, left=2))
