"""The spreadsheet of the paper (O-086): a row for each chunk, three columns for each question.

::

    book      ID      made for ann   q1                        (evidence)  (note)  q2 ...
    question  title                  Where does Anna live now?
    options                          A. In the mill
                                     B. At the inn ...
    chunk     chapter sha256         answer                    evidence    note
    0         I       sha256:3f2a..  A                         Anna lived in the mill.
    1         I       sha256:77b0..  A

A letter at a chunk is an answer; the same as above it confirms, an empty cell says nothing, and
anything that is no letter is a new option. Where the answer becomes another one, its sentence
stands beside it; several stand apart by a line `[and]`, and a sentence that stands in the chunk
more than once is followed by `[at N]`, its first code point.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from string import ascii_uppercase

from supersede.errors import DataError, location
from supersede.novels.annotations import BookAnnotations, Cell, Question, Span
from supersede.novels.answers import offered, settled, shuffled
from supersede.novels.book import Book, digest
from supersede.novels.importing import AnswerFile, Quote, Said
from supersede.novels.spreadsheet import read_csv, read_excel

__all__ = ["HEAD", "INSTRUCTIONS", "WIDTHS", "is_sheet", "read_sheet", "sheet_rows"]

HEAD = 4
"""Rows before the first chunk."""
WIDTHS = (8, 16, 10)
"""Of the first columns, in signs; then follow those of `QUESTION_WIDTHS` for each question."""
QUESTION_WIDTHS = (24, 48, 20)
_SHOWN = 80
_FIRST = 3
_EACH = 3
_HASH = 12
_HASHED = "sha256:"  # or a program might take the hash for a number
_AND = "\n[and]\n"
_PARTS = re.compile(r"\r?\n\[and\]\r?\n")
_EXACT = "[exact] "  # passages in which the marks of this form stand, as JSON
_AT = re.compile(r"(.*) \[at (\d+)\]", re.DOTALL)
_LETTER = re.compile(r"([A-Za-z])[.)]?")
_LETTERED = re.compile(r"\s*([A-Za-z])[.)]\s+(.*)", re.DOTALL)

INSTRUCTIONS = """\
# How to annotate {title}

You have a sheet, `{sheet}`, and the chunks of the book, `chunks/0000.txt` and so on. Read the
chunks in order, and do not read ahead: an answer is what a reader knows who has come so far.

1. At each chunk give each question the letter of the option that is right now. If no option is,
   write your own answer into the cell: it becomes a new option.
2. Where an answer is another one than at the chunk before, copy the sentence that tells it into
   the column `evidence` beside it: word for word, and from this very chunk. Several sentences
   stand in lines of their own with a line `[and]` between them. Only the option that says that the
   question cannot be answered yet needs no sentence.
3. Where nothing changes, repeat the letter: it says that you looked. An empty cell says nothing.
4. Say in `note` what is wrong with a question: several options are right at once; an option is
   supported nowhere; or one chunk alone answers it.
5. Distractors are wrong everywhere, and plausible all the same: somebody who read without care
   should be taken in by them. Where a question has fewer than five options, add some in a line of
   their own in its cell of `options`, with the next letters.

Leave the other columns as they are; they tell which text the sheet is about.
"""
"""What annotators are told (O-087 to O-089, O-096); title and name of the sheet are filled in."""


def sheet_rows(
    said: BookAnnotations,
    book: Book,
    *,
    annotator: str = "",
    seed: int = 0,
    questions: Sequence[Question] | None = None,
) -> list[list[str]]:
    """The cells of a book's sheet.

    Args:
        said: What was said about it.
        book: The book.
        annotator: Whose answers stand in it; what counts as the answer where left out.
        seed: Of the order of the options.
        questions: Which; all that are in where left out.

    Raises:
        DataError: A question has more options than there are letters.
    """
    rows: list[list[str]] = [
        ["book", book.id, f"for {annotator}" if annotator else ""],
        ["question", book.title, ""],
        ["options", "", ""],
        ["chunk", "chapter", "sha256"],
    ]
    rows += [[str(c.index), c.chapter, f"{_HASHED}{digest(c.text)[:_HASH]}"] for c in book.chunks]
    asked = [q for q in said.questions if not q.dropped] if questions is None else questions
    for question in asked:
        for row, cells in zip(rows, _columns(said, question, annotator, seed), strict=True):
            row += cells
    return rows


def _columns(
    said: BookAnnotations, question: Question, annotator: str, seed: int
) -> Iterator[tuple[str, str, str]]:
    line = settled(said, question, annotator)
    options = shuffled(offered(question, line, annotator), seed, said.book, question.id)
    if len(options) > len(ascii_uppercase):
        raise DataError(
            f"{len(options)} options are more than there are letters",
            where=f"{said.book}, {question.id}",
            mend="Merge options that say the same.",
        )
    letters = {option.id: letter for option, letter in zip(options, ascii_uppercase, strict=False)}
    listed = [f"{letters[o.id]}. {' '.join(o.text.split())}" for o in options]
    yield question.id, "", ""
    yield question.text, "", ""
    yield "\n".join(listed), "", ""
    yield "answer", "evidence", "note"
    for number, text in enumerate(said.chunks):
        yield _cells(line.cells[number], text, letters) if line else ("", "", "")


def _cells(cell: Cell, text: str, letters: dict[str, str]) -> tuple[str, str, str]:
    if cell.option is None or not cell.confirmed:
        return "", "", ""
    return letters[cell.option], _evidence(cell.evidence, text), cell.note


def _evidence(spans: Sequence[Span], text: str) -> str:
    """The passages as a cell holds them."""
    if any(mark in span.quote for span in spans for mark in (_AND.strip(), _EXACT)):
        return _EXACT + json.dumps([[span.quote, span.start] for span in spans], ensure_ascii=False)
    return _AND.join(_quoted(span, text) for span in spans)


def _quoted(span: Span, text: str) -> str:
    first = text.find(span.quote.strip()) == span.start and span.quote == span.quote.strip()
    plain = first and not _AT.fullmatch(span.quote)
    return span.quote if plain else f"{span.quote} [at {span.start}]"


def _quotes(cell: str) -> tuple[Quote, ...]:
    """The passages that a cell holds."""
    if cell.startswith(_EXACT):
        return tuple(Quote(str(text), int(at)) for text, at in json.loads(cell[len(_EXACT) :]))
    return tuple(_quote(part) for part in _PARTS.split(cell) if part.strip())


def is_sheet(rows: Sequence[Sequence[str]]) -> bool:
    """Whether some cells are those of a sheet."""
    heads = [row[0].strip().casefold() if row else "" for row in rows[:HEAD]]
    return heads == ["book", "question", "options", "chunk"]


def read_sheet(path: Path) -> AnswerFile:
    """What a sheet says.

    Raises:
        DataError: It is no sheet of ours, or a cell says what cannot be read; with its place.
        OSError: It cannot be read.
    """
    rows = read_excel(path) if path.suffix.lower() == ".xlsx" else read_csv(path)
    if not is_sheet(rows) or len(rows[0]) < 2:
        raise DataError(
            "is no sheet: its first rows are not book, question, options and chunk",
            where=str(path),
            mend="Make one with: supersede novel export PROJECT --format sheet -o FOLDER",
        )
    width = max(map(len, rows))
    rows = [[*row, *[""] * (width - len(row))] for row in rows]
    questions = {
        column: rows[0][column].strip()
        for column in range(_FIRST, width, _EACH)
        if rows[0][column].strip()
    }
    for column in range(_FIRST, width, _EACH):
        if column not in questions and any(row[column].strip() for row in rows[HEAD:]):
            raise DataError(
                f"answers in column {column + 1}, and no question above them",
                where=str(path),
                mend="Put the id of the question back into its first row.",
            )
    options = {column: _listed(rows[2][column]) for column in questions}
    hashes: dict[int, str] = {}
    said: list[Said] = []
    for number, row in enumerate(rows[HEAD:], HEAD + 1):
        if not any(cell.strip() for cell in row):
            continue
        chunk = _number(row[0], path, number)
        if chunk in hashes:
            raise DataError(f"chunk {chunk} has two rows", where=location(path, number))
        hashes[chunk] = row[2].strip().casefold().removeprefix(_HASHED)
        for column, name in questions.items():
            answer, quotes, note = (*row[column : column + _EACH], "", "")[:_EACH]
            if not answer.strip():
                if quotes.strip() or note.strip():
                    what = "evidence" if quotes.strip() else "a note"
                    raise DataError(
                        f"{what} for {name} at chunk {chunk}, and no answer",
                        where=location(path, number),
                        mend="Write the letter beside it.",
                    )
                continue
            text = _answer(answer.strip(), options[column], name, path, number)
            where = location(path, number)
            try:
                found = _quotes(quotes)
            except (ValueError, TypeError, RecursionError):
                mend = "Copy the sentence alone, or export the sheet again."
                shown = quotes if len(quotes) <= _SHOWN else f"{quotes[:_SHOWN]}..."
                raise DataError(f"{shown!r} is no evidence", where=where, mend=mend) from None
            said.append(Said(name, chunk, text, found, note, "", where))
    return AnswerFile(
        rows[0][1].strip(),
        tuple(said),
        tuple(questions.values()),
        hashes,
        {questions[column]: tuple(listed.values()) for column, listed in options.items()},
        complete=True,
    )


def _number(cell: str, path: Path, row: int) -> int:
    if not cell.strip().isdecimal():
        raise DataError(
            f"{cell!r} is no number of a chunk",
            where=location(path, row),
            mend="Chunks count from 0.",
        )
    return int(cell)


def _listed(cell: str) -> dict[str, str]:
    """The options of a cell by their letters; a line that continues one belongs to it."""
    found: dict[str, str] = {}
    letter = ""
    for text in cell.splitlines():
        match = _LETTERED.fullmatch(text)
        if match and match[1].upper() not in found:
            letter = match[1].upper()
            found[letter] = match[2].strip()
        elif letter and text.strip():
            found[letter] += f" {text.strip()}"
    return found


def _answer(cell: str, options: dict[str, str], question: str, path: Path, row: int) -> str:
    """The text of an option that a cell names by its letter, or that of a new one."""
    alone = _LETTER.fullmatch(cell)
    if alone and alone[1].upper() in options:
        return options[alone[1].upper()]
    if alone:
        raise DataError(
            f"{question} has no option {cell!r}",
            where=location(path, row),
            mend=f"It has {', '.join(options) or 'none'}; write a new answer in full.",
        )
    spelled = _LETTERED.fullmatch(cell)
    if spelled and options.get(spelled[1].upper(), "").casefold() == spelled[2].casefold():
        return options[spelled[1].upper()]
    return cell


def _quote(part: str) -> Quote:
    placed = _AT.fullmatch(part)
    return Quote(placed[1], int(placed[2])) if placed else Quote(part)
