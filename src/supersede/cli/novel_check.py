"""`supersede novel check`: what a project's questions must keep to."""

import json
from dataclasses import asdict
from pathlib import Path

import click

from supersede.cli.groups import examples
from supersede.corpus.show import counted
from supersede.errors import CheckFailed, UsageError, did_you_mean
from supersede.novels.checking import RULES, Finding, Level, findings
from supersede.novels.project import Project

__all__ = ["check_command"]


@click.command(
    "check",
    epilog=examples(
        "supersede novel check project",
        "supersede novel check project --book the-mill --annotator ann --skip two-reviewers",
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
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def check_command(
    project: Path,
    book: str | None,
    annotator: str,
    skip: tuple[str, ...],
    strict: bool,
    as_json: bool,
) -> None:
    """Check questions against the rules of verification.

    The four rules: one answer at every chunk; evidence in the text, in the chunk where the answer
    was chosen; five or more options with a distractor and a catch-all. The filters: two answers or
    more over time, not both told in one chunk. Two people went over each question, and it asks for
    the state now. Prints one line for each finding; the exit code is 1 where one fails.
    """
    for rule in skip:
        if rule not in RULES:
            raise UsageError(
                f"--skip {rule}: there is no such rule", mend=did_you_mean(rule, RULES)
            )
    with Project(project) as opened:
        if annotator:
            opened.annotator(annotator)
        books = [opened.card(book).id] if book else [card.id for card in opened.books()]
        said = [opened.annotations(name) for name in books]
    found = [f for one in said for f in findings(one, annotator) if f.rule not in skip]
    fails = [f for f in found if strict or f.level is Level.FAILS]
    questions = sum(not question.dropped for one in said for question in one.questions)
    if as_json:
        data = {
            "books": books,
            "questions": questions,
            "fails": len(fails),
            "findings": [_described(finding) for finding in found],
        }
        print(json.dumps(data, indent=2, ensure_ascii=False))
    else:
        for finding in found:
            print(finding if finding.level is Level.FAILS else f"look: {finding}")
        looks = len(found) - len(fails)
        print(
            f"{counted(len(books), 'book')}, {counted(questions, 'question')}: "
            f"{counted(len(fails), 'failure')}, {looks:,} worth a look"
        )
    if fails:
        raise CheckFailed(f"{counted(len(fails), 'failure')} of rules", where=str(project))


def _described(finding: Finding) -> dict[str, object]:
    return {**asdict(finding), "level": finding.level, "mend": finding.mend}
