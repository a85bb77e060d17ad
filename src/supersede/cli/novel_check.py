"""`supersede novel check`: what a project's questions must keep to."""

import json
from pathlib import Path

import click

from supersede.cli.groups import examples
from supersede.cli.novel_books import chosen
from supersede.corpus.files import write_whole
from supersede.corpus.show import counted
from supersede.errors import CheckFailed, DataError, UsageError, did_you_mean
from supersede.novels.check_page import check_data, check_page
from supersede.novels.checking import RULES, Level, findings
from supersede.novels.project import Project
from supersede.novels.proving import prove, prove_log
from supersede.streams.files import check_output

__all__ = ["check_command"]


@click.command(
    "check",
    epilog=examples(
        "supersede novel check project",
        "supersede novel check project --book the-mill --annotator ann --skip two-reviewers",
        "supersede novel check project -o check.html",
        "supersede novel check project --json | jq .findings",
    ),
)
@click.argument("project", type=click.Path(file_okay=False, path_type=Path))
@click.option("--book", metavar="ID", help="Only this book.")
@click.option(
    "--annotator",
    default="",
    metavar="ID",
    help="Whose answers; those that count where left out.",
)
@click.option("--skip", multiple=True, metavar="RULE", help="A rule to leave out; may be repeated.")
@click.option("--strict", is_flag=True, help="Fail on what is worth a look too.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="PAGE",
    help="Also write a page with each question, what breaks a rule, and what was said.",
)
@click.option(
    "--rebuild",
    is_flag=True,
    help="First make the tables again from the log, where another program has changed them.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def check_command(
    project: Path,
    book: str | None,
    annotator: str,
    skip: tuple[str, ...],
    strict: bool,
    output: Path | None,
    rebuild: bool,
    as_json: bool,
) -> None:
    """Check questions against the rules of verification.

    The four rules: one answer at every chunk; evidence in the text, in the chunk where the answer
    was chosen; five or more options with a distractor and a catch-all. The filters: two answers or
    more over time, not both told in one chunk. Two people went over each question, and it asks for
    the state now. Before that, the project's file must be as it was written. Prints one line for
    each finding; the exit code is 1 where one fails. Chunks are counted from 0: chunk 2 is the
    third, which the page of `annotate` calls 3.
    """
    for rule in skip:
        if rule not in RULES:
            raise UsageError(
                f"--skip {rule}: there is no such rule", mend=did_you_mean(rule, RULES)
            )
    if output is not None:
        check_output(output)
    with Project(project) as opened:
        if rebuild:
            prove_log(opened.store)
            opened.store.rebuild()
        prove(opened.store)
        if annotator:
            opened.annotator(annotator)
        books = chosen(opened, book)
        said = [opened.annotations(name) for name in books]
    found = [f for one in said for f in findings(one, annotator) if f.rule not in skip]
    data = check_data(said, found, strict=strict)
    fails = data["fails"]
    if not data["questions"]:
        raise DataError(
            "there is no question to check",
            where=str(project),
            mend="Draft some, add them in `supersede annotate`, or attach a file of them.",
        )
    if output is not None:
        write_whole(output, [check_page(said, found, skip, strict=strict).encode()])
    if as_json:
        print(json.dumps(data, indent=2, ensure_ascii=False))
    else:
        for finding in found:
            print(finding if strict or finding.level is Level.FAILS else f"look: {finding}")
        looked = f"{counted(len(books), 'book')}, {counted(data['questions'], 'question')}"
        print(f"{looked}: {counted(fails, 'failure')}, {len(found) - fails:,} worth a look")
        if output is not None:
            print(f"{output}: the page")
    if fails:
        raise CheckFailed(f"{counted(fails, 'failure')} of rules", where=str(project))
