"""Changes to a project, made from the data that they are about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from supersede.novels.annotations import (
    Draft,
    DraftAnswer,
    Flag,
    Mark,
    MarkKind,
    Option,
    OptionRole,
    Question,
    Reformulation,
    Review,
    Span,
)
from supersede.novels.log import Change, Row
from supersede.novels.tables import Value

__all__ = [
    "draft_change",
    "draft_of",
    "flag_change",
    "mark_change",
    "mark_of",
    "option_change",
    "option_of",
    "question_change",
    "question_changes",
    "question_of",
    "review_change",
    "ruling_change",
]


def question_change(book: str, question: Question, base: int = 0) -> Change:
    """That a question reads so; its options are changes of their own."""
    value = {
        "text": question.text,
        "original": question.original,
        "reformulation": str(question.reformulation),
        "entity": question.entity,
        "type": question.type,
        "dropped": question.dropped,
        "author": question.author,
    }
    return Change("question", (book, question.id), value, base)


def option_change(book: str, question: str, option: Option, base: int = 0) -> Change:
    """That an option of a question reads so."""
    value = {
        "text": option.text,
        "role": str(option.role),
        "author": option.author,
        "shared": option.shared,
        "same_as": option.same_as,
    }
    return Change("option", (book, question, option.id), value, base)


def question_changes(book: str, question: Question) -> tuple[Change, ...]:
    """A new question with all its options."""
    options = (option_change(book, question.id, option) for option in question.options)
    return (question_change(book, question), *options)


def mark_change(book: str, question: str, annotator: str, mark: Mark, base: int = 0) -> Change:
    """What an annotator says at a chunk."""
    return Change("mark", (book, question, annotator, mark.chunk), _mark_value(mark), base)


def ruling_change(book: str, question: str, mark: Mark, base: int = 0) -> Change:
    """What adjudication says at a chunk."""
    return Change("adjudication", (book, question, mark.chunk), _mark_value(mark), base)


def flag_change(book: str, flag: Flag, base: int = 0) -> Change:
    """That a flag is up."""
    key = (book, flag.question, flag.annotator, flag.chunk, str(flag.reason))
    return Change("flag", key, {"note": flag.note}, base)


def review_change(book: str, review: Review, base: int = 0) -> Change:
    """That somebody went over a question."""
    value = {"agreed": review.agreed, "note": review.note}
    return Change("review", (book, review.question, review.annotator), value, base)


def draft_change(book: str, draft: Draft, base: int = 0) -> Change:
    """That a model drafted a question, and what became of it."""
    value = {
        "entity": draft.entity,
        "text": draft.text,
        "answers": [
            {
                "answer": one.answer,
                "source": one.source,
                "span": None if one.span is None else asdict(one.span),
            }
            for one in draft.answers
        ],
        "outcome": "kept" if draft.kept else "dropped",
        "reason": draft.reason,
        "question": draft.question,
        "model": draft.model,
    }
    return Change("draft", (book, draft.id), value, base)


def draft_of(name: str, row: Row) -> Draft:
    """The draft of a row."""
    value = row.value
    answers = tuple(
        DraftAnswer(one["answer"], one["source"], one["span"] and _span(one["span"]))
        for one in value["answers"]
    )
    return Draft(
        name,
        value["entity"],
        value["text"],
        answers,
        value["outcome"] == "kept",
        value["reason"],
        value["question"],
        value["model"],
    )


def question_of(name: str, row: Row, options: Sequence[Option]) -> Question:
    """The question of a row."""
    value = {**row.value, "reformulation": Reformulation(row.value["reformulation"])}
    return Question(id=name, options=tuple(options), **value)


def option_of(name: str, row: Row) -> Option:
    """The option of a row."""
    return Option(id=name, **{**row.value, "role": OptionRole(row.value["role"])})


def mark_of(chunk: int, value: Value) -> Mark:
    """The mark of a row of `mark` or `adjudication`."""
    evidence = tuple(_span(item) for item in value["evidence"])
    return Mark(chunk, MarkKind(value["kind"]), value["option"], evidence, value["note"])


def _mark_value(mark: Mark) -> dict[str, Any]:
    return {
        "kind": str(mark.kind),
        "option": mark.option,
        "evidence": [asdict(span) for span in mark.evidence],
        "note": mark.note,
    }


def _span(item: Mapping[str, Any]) -> Span:
    return Span(**item)
