"""`supersede novel draft`: a model writes the questions that people then answer."""

import asyncio
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from supersede.cli.groups import examples
from supersede.cli.novel_books import chosen
from supersede.cli.waiting import Far, waiting
from supersede.corpus.show import counted
from supersede.evaluation.launch import need_inspect
from supersede.evaluation.tables import text_table
from supersede.novels.drafting import DraftReport, DraftSettings, draft
from supersede.novels.project import Project

__all__ = ["draft_command"]

JOURNAL = "draft-journal.db"
"""Of the replies, beside the project's own file."""

_USUAL = DraftSettings()

Stages = Mapping[str, Mapping[str, float]]


@click.command(
    "draft",
    epilog=examples(
        "supersede novel draft project --model openai/gpt-4o",
        "supersede novel draft project the-time-machine --model smollm2 --entity Weena",
    ),
)
@click.argument("folder", metavar="PROJECT", type=click.Path(file_okay=False, path_type=Path))
@click.argument("book", required=False)
@click.option("--model", required=True, help="An embedded model, or any model of Inspect.")
@click.option(
    "--entities",
    type=click.IntRange(min=1),
    default=_USUAL.entities,
    show_default=True,
    help="Most people and things to ask about.",
)
@click.option(
    "--entity",
    "named",
    multiple=True,
    metavar="NAME",
    help="Whom or what to ask about, once or more; the model is not asked whom then.",
)
@click.option(
    "--questions",
    type=click.IntRange(min=1),
    default=_USUAL.questions,
    show_default=True,
    help="Most questions that one prompt asks for.",
)
@click.option(
    "--context-limit",
    type=click.IntRange(min=1),
    help="Tokens of prompt and reply together that the model reads.  [default: what is known]",
)
@click.option("--fresh", is_flag=True, help="Ask again what was asked already.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def draft_command(
    folder: Path,
    book: str | None,
    model: str,
    entities: int,
    named: tuple[str, ...],
    questions: int,
    context_limit: int | None,
    fresh: bool,
    as_json: bool,
) -> None:
    """Have a model draft questions about BOOK, or about every book of the project.

    It names whom and what a book is about, then writes questions about each of them, with answers
    and quoted sources. A book that is longer than its window is shown in parts. What is drafted is
    looked at, and kept with the reason where it is dropped; the others become questions of the
    project. Each reply is written down at once: after an interruption the same command goes on.
    """
    settings = DraftSettings(entities, questions, named)
    with Project(folder) as project:
        books = chosen(project, book)
        need_inspect()
        done = []
        for name in books:
            found = asyncio.run(_drafted(project, name, model, settings, context_limit, fresh))
            if not as_json:
                _show(*found)
            done.append(found)
    if as_json:
        data = [_data(report, stages) for report, stages in done]
        print(json.dumps(data, indent=2, ensure_ascii=False))


async def _drafted(
    project: Project,
    book: str,
    model: str,
    settings: DraftSettings,
    context_limit: int | None,
    fresh: bool,
) -> tuple[DraftReport, Stages]:
    from supersede.evaluation.asked_model import asked_model

    journal = project.folder / JOURNAL
    async with asked_model(
        model, journal, book, caller="novel draft", context_limit=context_limit, fresh=fresh
    ) as asked:
        told = ("", 0, 0)

        def progress(stage: str, done: int, total: int) -> None:
            nonlocal told
            told = (stage, done, total)

        def far() -> Far | None:
            stage, done, total = told
            if not stage:
                return None
            kept = asked.calls.stages({}).get(stage, {}).get("reused", 0)
            return Far(f"{book}, {stage}", done, total, int(kept))

        async with waiting(far, sys.stderr):
            report = await draft(
                project,
                book,
                asked.calls,
                model=asked.name,
                budget=asked.budget,
                settings=settings,
                progress=progress,
            )
        return report, asked.calls.stages(report.counters)


def _data(report: DraftReport, stages: Stages) -> dict[str, Any]:
    data = {key: value for key, value in asdict(report).items() if key != "counters"}
    return {**data, "calls": {name: dict(counts) for name, counts in stages.items()}}


def _show(report: DraftReport, stages: Stages) -> None:
    there = f", {report.known} of them there already" if report.known else ""
    print(
        f"{report.book}: {counted(report.drafted, 'draft')} about"
        f" {', '.join(report.entities)}{there}; {report.kept} kept"
    )
    if report.passed_over:
        print(f"  named in fewer than two chunks: {', '.join(report.passed_over)}")
    for reason, count in report.dropped.items():
        print(f"  dropped: {count} {reason}")
    names = ("calls", "reused", "input_tokens", "output_tokens", "malformed", "cut")
    rows = [
        [stage, *(f"{int(counts[name]):,}" for name in names)] for stage, counts in stages.items()
    ]
    print(text_table(["asked for", *(name.replace("_", " ") for name in names)], rows))
