"""What counts as the answer to a question, and which options are offered with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from supersede.novels.annotations import (
    BookAnnotations,
    Cell,
    Option,
    Question,
    Timeline,
)
from supersede.worlds.streams import stream

__all__ = ["canonical", "offered", "seen_by", "settled", "shuffled"]


def canonical(question: Question, line: Timeline) -> Timeline:
    """A timeline whose options are read through `same_as`."""
    cells: list[Cell] = []
    before: str | None = None
    for cell in line.cells:
        option = None if cell.option is None else question.canonical(cell.option)
        cells.append(replace(cell, option=option, changed=option != before))
        before = option
    return replace(line, cells=tuple(cells))


def settled(said: BookAnnotations, question: Question, annotator: str = "") -> Timeline | None:
    """What counts as the answer, read through `same_as`; None where nothing does.

    That is the ruling where there is one; else what the only annotator says, or what all of them
    say who agree at every chunk, with everybody's evidence.

    Args:
        said: The book.
        question: The question.
        annotator: Somebody whose own answers count instead.
    """
    lines = [canonical(question, line) for line in said.of(question.id)]
    if annotator:
        return next((line for line in lines if line.annotator == annotator), None)
    decided = said.decided(question.id)
    if decided is not None:
        return canonical(question, decided)
    if not lines or any(line.answers != lines[0].answers for line in lines):
        return None
    cells = [_together([line.cells[n] for line in lines]) for n in range(len(lines[0].cells))]
    return Timeline("", question.id, tuple(cells))


def _together(cells: Sequence[Cell]) -> Cell:
    """The cells of people who say the same."""
    spans = {span: None for cell in cells for span in cell.evidence}
    notes = {cell.note: None for cell in cells if cell.note}
    return replace(
        cells[0],
        confirmed=any(cell.confirmed for cell in cells),
        evidence=tuple(sorted(spans, key=lambda span: (span.start, span.end))),
        note="\n".join(notes),
    )


def offered(question: Question, line: Timeline | None, annotator: str = "") -> tuple[Option, ...]:
    """The options that stand with a question: those for everybody, own ones, and what is chosen.

    Args:
        question: The question.
        line: What is answered, read through `same_as`.
        annotator: Whose own options stand too.
    """
    used = set(line.answers) if line else set()
    return tuple(
        option
        for option in question.options
        if question.canonical(option.id) == option.id
        and (option.shared or option.id in used or (annotator and option.author == annotator))
    )


def shuffled(options: Sequence[Option], seed: int, book: str, question: str) -> tuple[Option, ...]:
    """Options in the order of their letters (O-097): the same for a seed, a book and a question."""
    draw = stream(f"{seed}/{book}/{question}", "options")
    order = list(options)
    for last in range(len(order) - 1, 0, -1):
        other = int(draw() * (last + 1))
        order[last], order[other] = order[other], order[last]
    return tuple(order)


def seen_by(said: BookAnnotations, annotator: str) -> BookAnnotations:
    """What one annotator said, without anything that others did."""
    return replace(
        said,
        questions=tuple(
            replace(
                question,
                options=tuple(o for o in question.options if o.shared or o.author == annotator),
            )
            for question in said.questions
        ),
        timelines=tuple(line for line in said.timelines if line.annotator == annotator),
        adjudicated=(),
        flags=tuple(flag for flag in said.flags if flag.annotator == annotator),
        reviews=tuple(review for review in said.reviews if review.annotator == annotator),
        drafts=(),
        work=tuple(work for work in said.work if work.annotator == annotator),
    )
