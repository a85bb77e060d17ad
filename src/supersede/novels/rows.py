"""All that was said about books as rows: JSONL that holds everything, CSV that holds the answers.

JSONL has rows of the kinds `book`, `chunk`, `question`, `timeline`, `ruling`, `flag`, `review`,
`draft` and `work`, and reads back as it was. A timeline lists the cells where something is so that
is not merely carried there. CSV has a row for each answer at each chunk, and one more for every
further passage of its evidence; offsets are code points, and each passage stands beside them with
the hash of its chunk.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import Any

from supersede.errors import DataError
from supersede.novels.annotations import (
    BookAnnotations,
    Cell,
    Draft,
    DraftAnswer,
    Flag,
    FlagReason,
    Option,
    OptionRole,
    Question,
    Reformulation,
    Review,
    Span,
    Timeline,
    Work,
)
from supersede.novels.book import digest
from supersede.novels.importing import AnswerFile, Quote, Said

__all__ = [
    "COLUMNS",
    "annotations_of",
    "answer_rows",
    "answers_of",
    "answers_of_rows",
    "json_rows",
    "timelines_of",
]

COLUMNS = (
    "book",
    "question",
    "text",
    "annotator",
    "chunk",
    "option",
    "answer",
    "confirmed",
    "changed",
    "note",
    "quote",
    "start",
    "end",
    "chunk_sha256",
)
"""Of the CSV form; `annotator` is empty where adjudication decided."""


_DIGITS = 9


def json_rows(said: BookAnnotations) -> Iterator[dict[str, Any]]:
    """Everything about a book, a row for each thing."""
    yield {"kind": "book", "book": said.book, "title": said.title}
    place = {"book": said.book}
    for number, text in enumerate(said.chunks):
        yield {"kind": "chunk", **place, "chunk": number, "sha256": digest(text), "text": text}
    for question in said.questions:
        yield {"kind": "question", **place, **asdict(question)}
    for kind, lines in (("timeline", said.timelines), ("ruling", said.adjudicated)):
        for line in lines:
            cells = list(_told(line))
            head = {"question": line.question, "annotator": line.annotator}
            yield {"kind": kind, **place, **head, "chunks": len(line.cells), "cells": cells}
    for flag in said.flags:
        yield {"kind": "flag", **place, **asdict(flag)}
    for review in said.reviews:
        yield {"kind": "review", **place, **asdict(review)}
    for draft in said.drafts:
        yield {"kind": "draft", **place, **asdict(draft)}
    for work in said.work:
        yield {"kind": "work", **place, **asdict(work)}


def _told(line: Timeline) -> Iterator[dict[str, Any]]:
    carried: str | None = None
    for chunk, cell in enumerate(line.cells):
        if cell != Cell(carried):
            yield {"chunk": chunk, **asdict(cell)}
        carried = cell.option


def annotations_of(
    rows: Iterator[tuple[int, Mapping[str, Any]]], where: str
) -> tuple[BookAnnotations, ...]:
    """The books of the JSONL form, with everything about them.

    Args:
        rows: Number of the line and its data.
        where: The file, for messages.

    Raises:
        DataError: A row is of no kind, lacks something, or a chunk is not what its hash says.
    """
    found: dict[str, dict[str, list[Any]]] = {}
    for number, row in rows:
        kind, name = row.get("kind"), row.get("book")
        try:
            if kind == "book":
                if str(name) in found:
                    raise DataError(f"a second row of the book {name!r}")
                found[str(name)] = {"title": [str(row["title"])]}
                continue
            parts = found[str(name)]
            _in_order(str(kind), row, len(parts.get("chunk", ())))
            parts.setdefault(str(kind), []).append(_READERS[str(kind)](row))
        except (KeyError, TypeError, ValueError, DataError) as error:
            why = error.what if isinstance(error, DataError) else f"{type(error).__name__} {error}"
            raise DataError(
                f"no row of a book: {why}", where=f"{where}:{number}", mend="Export it again."
            ) from None
    return tuple(_book(name, parts) for name, parts in found.items())


def _book(name: str, parts: Mapping[str, list[Any]]) -> BookAnnotations:
    def of(kind: str) -> tuple[Any, ...]:
        return tuple(parts.get(kind, ()))

    return BookAnnotations(
        name,
        parts["title"][0],
        of("chunk"),
        of("question"),
        of("timeline"),
        of("ruling"),
        of("flag"),
        of("review"),
        of("draft"),
        of("work"),
    )


def _in_order(kind: str, row: Mapping[str, Any], chunks: int) -> None:
    """Refuses a chunk that is not the next one, and answers about more chunks or fewer."""
    if kind == "chunk" and row["chunk"] != chunks:
        raise DataError(f"chunk {row['chunk']!r} where chunk {chunks} is due")
    if kind in ("timeline", "ruling") and row["chunks"] != chunks:
        raise DataError(f"answers at {row['chunks']!r} chunks of {chunks}")


_TYPES: Mapping[str, tuple[type, ...]] = {
    "str": (str,),
    "str | None": (str, type(None)),
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
}
"""What JSON has for the fields of our data; the others are read by hand."""


def _given(row: Mapping[str, Any], kind: type) -> dict[str, Any]:
    """The fields of a kind that a row has.

    Raises:
        DataError: One is of another type.
    """
    found = {field.name: row[field.name] for field in fields(kind)}
    for field in fields(kind):
        value, wanted = found[field.name], _TYPES.get(str(field.type))
        odd = isinstance(value, bool) and wanted != (bool,)
        if wanted is not None and (odd or not isinstance(value, wanted)):
            raise DataError(f"{field.name}={reprlib.repr(value)} is no {field.type}")
    return found


def _chunk(row: Mapping[str, Any]) -> str:
    text = str(row["text"])
    if digest(text) != row["sha256"]:
        raise DataError(f"the text of chunk {row['chunk']} is not the one of its hash")
    return text


def _question(row: Mapping[str, Any]) -> Question:
    options = tuple(
        Option(**{**_given(o, Option), "role": OptionRole(o["role"])}) for o in row["options"]
    )
    kind = Reformulation(row["reformulation"])
    return Question(**{**_given(row, Question), "options": options, "reformulation": kind})


def _timeline(row: Mapping[str, Any]) -> Timeline:
    told: dict[int, Mapping[str, Any]] = {}
    for cell in row["cells"]:
        chunk = cell["chunk"]
        if type(chunk) is not int or not 0 <= chunk < row["chunks"]:
            raise DataError(f"a cell of chunk {chunk!r} of {row['chunks']}")
        if chunk in told:
            raise DataError(f"two cells of chunk {chunk}")
        told[chunk] = cell
    cells: list[Cell] = []
    carried: str | None = None
    for chunk in range(row["chunks"]):
        if chunk in told:
            data = _given(told[chunk], Cell)
            cells.append(Cell(**{**data, "evidence": tuple(map(_span, data["evidence"]))}))
        else:
            cells.append(Cell(carried))
        carried = cells[-1].option
    return Timeline(**{**_given(row, Timeline), "cells": tuple(cells)})


def _span(data: Mapping[str, Any]) -> Span:
    return Span(**_given(data, Span))


def _draft(row: Mapping[str, Any]) -> Draft:
    answers = tuple(
        DraftAnswer(**{**_given(one, DraftAnswer), "span": one["span"] and _span(one["span"])})
        for one in row["answers"]
    )
    return Draft(**{**_given(row, Draft), "answers": answers})


_READERS: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "chunk": _chunk,
    "question": _question,
    "timeline": _timeline,
    "ruling": _timeline,
    "flag": lambda row: Flag(**{**_given(row, Flag), "reason": FlagReason(row["reason"])}),
    "review": lambda row: Review(**_given(row, Review)),
    "draft": _draft,
    "work": lambda row: Work(**_given(row, Work)),
}


def answer_rows(said: BookAnnotations) -> Iterator[list[str]]:
    """The rows of the CSV form, without its header: every answer at every chunk."""
    texts = {question.id: question for question in said.questions}
    for line in (*said.timelines, *said.adjudicated):
        question = texts[line.question]
        for chunk, cell in enumerate(line.cells):
            option = question.option(cell.option or "")
            head = [said.book, question.id, question.text, line.annotator, str(chunk)]
            head += [cell.option or "", option.text if option else ""]
            head += [_bit(cell.confirmed), _bit(cell.changed), cell.note]
            for span in cell.evidence:
                yield [*head, span.quote, str(span.start), str(span.end), span.chunk_sha256]
            if not cell.evidence:
                yield [*head, "", "", "", digest(said.chunks[chunk])]


def _bit(value: bool) -> str:
    return "yes" if value else "no"


def timelines_of(rows: Sequence[Sequence[str]], where: str) -> dict[str, tuple[Timeline, ...]]:
    """The timelines of the CSV form, by book, in their order.

    Args:
        rows: Those of the file, its header first.
        where: The file, for messages.

    Raises:
        DataError: The header is another one, a row lacks something, two rows of a chunk differ,
            or there is no row for a chunk.
    """
    lines: dict[tuple[str, str, str], dict[int, Cell]] = {}
    for number, row in _named(rows, where):
        place = (row["book"], row["question"], row["annotator"])
        try:
            chunk = _number(row["chunk"])
            confirmed, changed = _said(row["confirmed"]), _said(row["changed"])
            spans = (
                (
                    Span(
                        chunk, int(row["start"]), int(row["end"]), row["quote"], row["chunk_sha256"]
                    ),
                )
                if row["start"]
                else ()
            )
        except ValueError as error:
            raise DataError(f"no row of answers: {error}", where=f"{where}:{number}") from None
        cells = lines.setdefault(place, {})
        cell = Cell(row["option"] or None, confirmed, changed, spans, row["note"])
        before = cells.get(chunk)
        if before is not None:
            if replace(before, evidence=()) != replace(cell, evidence=()):
                raise DataError(
                    f"chunk {chunk} of {row['question']} has two rows that differ",
                    where=f"{where}:{number}",
                    mend="Keep one.",
                )
            cell = replace(cell, evidence=(*before.evidence, *spans))
        cells[chunk] = cell
    found: dict[str, list[Timeline]] = {}
    for (book, question, annotator), cells in lines.items():
        gap = next((n for n, chunk in enumerate(sorted(cells)) if n != chunk), None)
        if gap is not None:
            raise DataError(
                f"there is no row for chunk {gap}",
                where=f"{where}, {book}/{question}",
                mend="Put it back: an empty option says that nothing was said.",
            )
        ordered = tuple(cells[chunk] for chunk in sorted(cells))
        found.setdefault(book, []).append(Timeline(annotator, question, ordered))
    return {book: tuple(timelines) for book, timelines in found.items()}


def _number(cell: str) -> int:
    """The number of a chunk.

    Raises:
        ValueError: It is none.
    """
    if not cell.isdecimal() or len(cell) > _DIGITS:
        raise ValueError(f"{cell[:20]!r} is no number of a chunk")
    return int(cell)


def _said(cell: str) -> bool:
    """What a cell says, yes or no.

    Raises:
        ValueError: It says neither.
    """
    if cell not in ("yes", "no"):
        raise ValueError(f"{cell[:20]!r} is neither yes nor no")
    return cell == "yes"


def _named(rows: Sequence[Sequence[str]], where: str) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows by column, with the numbers of their lines."""
    header = [name.strip() for name in rows[0]] if rows else []
    missing = [name for name in COLUMNS if name not in header]
    if missing:
        raise DataError(
            f"has no column {missing[0]!r}", where=where, mend="Its header names the columns."
        )
    for number, row in enumerate(rows[1:], 2):
        if any(row):
            yield number, dict(zip(header, [*row, *[""] * len(header)], strict=False))


def answers_of_rows(
    rows: Sequence[Sequence[str]], where: str, annotator: str
) -> tuple[AnswerFile, ...]:
    """What the CSV form says for one annotator, to be imported.

    Raises:
        DataError: As `timelines_of`; or it has answers of others alone.
    """
    found = timelines_of(rows, where)
    texts = {
        (row["book"], row["question"], row["option"]): row["answer"]
        for _, row in _named(rows, where)
    }
    hashes: dict[str, dict[int, str]] = {}
    for number, row in _named(rows, where):
        chunk, sha256 = int(row["chunk"]), row["chunk_sha256"]
        if hashes.setdefault(row["book"], {}).setdefault(chunk, sha256) != sha256:
            raise DataError(
                f"chunk {chunk} has two hashes",
                where=f"{where}:{number}",
                mend="Export it again.",
            )
    return tuple(
        answers_of(book, lines, {key[1:]: t for key, t in texts.items() if key[0] == book},
                   hashes[book], where, annotator)
        for book, lines in found.items()
    )  # fmt: skip


def answers_of(
    book: str,
    lines: Sequence[Timeline],
    texts: Mapping[tuple[str, str], str],
    hashes: Mapping[int, str],
    where: str,
    annotator: str,
) -> AnswerFile:
    """What some timelines say for one annotator, to be imported.

    Args:
        book: Id of the book.
        lines: Of one person or several.
        texts: How an option of a question reads.
        hashes: Of the chunks.
        where: The file, for messages.
        annotator: Whose; a file with one person's answers is theirs, whatever it calls them.

    Raises:
        DataError: There are several people, none of whom is the annotator; an answer is no option,
            or not at every chunk.
    """
    people = {line.annotator for line in lines}
    if annotator not in people and len(people) > 1:
        raise DataError(
            f"has answers of {', '.join(sorted(filter(None, people)))}, not of {annotator}",
            where=where,
            mend="Name one of them, or export one person's answers.",
        )
    mine = [line for line in lines if len(people) == 1 or line.annotator == annotator]
    for line in mine:
        lost = [o for o in line.answers if o is not None and (line.question, o) not in texts]
        if lost or len(line.cells) != len(hashes):
            what = (
                f"{lost[0]!r} is no option"
                if lost
                else f"there are answers at {len(line.cells)} chunks of {len(hashes)}"
            )
            raise DataError(what, where=f"{where}, {book}/{line.question}", mend="Export it again.")
    said = [
        Said(
            line.question,
            chunk,
            texts[line.question, cell.option],
            tuple(Quote(span.quote, span.start) for span in cell.evidence),
            cell.note,
            cell.option,
            where,
        )
        for line in mine
        for chunk, cell in enumerate(line.cells)
        if cell.option is not None and cell.confirmed
    ]
    questions = tuple(line.question for line in mine)
    return AnswerFile(book, tuple(said), questions, hashes, complete=True)
