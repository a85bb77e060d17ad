"""What a project holds, as files in the forms that others read; and the files that come back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from supersede.corpus.files import read_lines, write_whole
from supersede.errors import DataError, UsageError
from supersede.novels.annotations import BookAnnotations
from supersede.novels.answers import seen_by
from supersede.novels.as_stream import book_stream, split_questions, stream_answers
from supersede.novels.book import digest
from supersede.novels.importing import AnswerFile
from supersede.novels.label_studio import configuration, read_tasks, tasks
from supersede.novels.project import Project
from supersede.novels.rows import (
    COLUMNS,
    annotations_of,
    answer_rows,
    answers_of,
    answers_of_rows,
    json_rows,
)
from supersede.novels.sheet import (
    HEAD,
    INSTRUCTIONS,
    QUESTION_WIDTHS,
    WIDTHS,
    is_sheet,
    read_sheet,
    sheet_rows,
)
from supersede.novels.spreadsheet import csv_bytes, excel_bytes, read_csv
from supersede.streams.files import check_output, load_streams, write_streams

__all__ = ["FORMATS", "export_rows", "export_sheets", "export_streams", "export_tasks", "read_any"]

FORMATS = ("stream", "oaks", "jsonl", "csv", "label-studio", "sheet", "xlsx")
"""What a project may be exported as."""


def export_streams(
    said: Sequence[BookAnnotations],
    output: Path,
    form: str,
    *,
    annotator: str = "",
    seed: int = 0,
    most: int = 0,
    leave_out: bool = False,
) -> tuple[int, tuple[str, ...]]:
    """Writes streams; gives how many, and why each question that was left out is.

    Args:
        said: The books.
        output: The file.
        form: `stream` or `oaks`.
        annotator: Whose answers; what counts as the answer where left out.
        seed: Of the order of the options.
        most: Most questions of a stream; 0 for no limit.
        leave_out: Whether to leave out questions that no stream can hold.

    Raises:
        Unfit: There is such a question.
    """
    check_output(output)
    made = [book_stream(one, annotator=annotator, seed=seed, leave_out=leave_out) for one in said]
    streams = [
        part for stream, _ in made for part in (split_questions(stream, most) if most else [stream])
    ]
    write_streams(output, streams, "oaks" if form == "oaks" else "supersede")
    return len(streams), tuple(why for _, out in made for why in out)


def export_rows(
    said: Sequence[BookAnnotations], output: Path, form: str, annotator: str = ""
) -> int:
    """Writes rows, everybody's or one annotator's; gives how many.

    Args:
        said: The books.
        output: The file.
        form: `jsonl` for everything, `csv` for the answers.
        annotator: Who, if one alone.
    """
    check_output(output)
    mine = [seen_by(one, annotator) if annotator else one for one in said]
    if form == "csv":
        rows = [row for one in mine for row in answer_rows(one)]
        write_whole(output, [csv_bytes([COLUMNS, *rows])])
        return len(rows)
    lines = [json.dumps(row, ensure_ascii=False) for one in mine for row in json_rows(one)]
    write_whole(output, (f"{line}\n".encode() for line in lines))
    return len(lines)


def export_tasks(
    said: BookAnnotations, output: Path, *, annotator: str = "", seed: int = 0
) -> Path:
    """Writes the tasks of a book for Label Studio; gives the configuration written beside them."""
    check_output(output)
    beside = output.with_name(f"{output.name}.config.xml")
    made = json.dumps(tasks(said, annotator=annotator), ensure_ascii=False, indent=1)
    write_whole(beside, [configuration(said, annotator=annotator, seed=seed).encode()])
    write_whole(output, [f"{made}\n".encode()])
    return beside


def export_sheets(
    project: Project, books: Sequence[str], output: Path, form: str, *, annotator: str = "",
    seed: int = 0,
) -> Iterator[Path]:  # fmt: skip
    """Writes for each book what an annotator needs; gives the sheets.

    A folder for each book holds its sheet, its chunks as text files, and what to do.

    Args:
        project: The project.
        books: Ids.
        output: The folder; made where it is not there.
        form: `sheet` for CSV, `xlsx` for Excel.
        annotator: For whom.
        seed: Of the order of the options.
    """
    for name in books:
        book, said = project.book(name), project.annotations(name)
        if annotator:
            said = seen_by(said, annotator)
        only = project.assigned(name).get(annotator, ())
        asked = [q for q in said.questions if not q.dropped and (not only or q.id in only)]
        rows = sheet_rows(said, book, annotator=annotator, seed=seed, questions=asked)
        widths = [*WIDTHS, *QUESTION_WIDTHS * len(asked)]
        excel = form == "xlsx"
        data = excel_bytes(rows, name, widths, HEAD) if excel else csv_bytes(rows)
        folder = output / name
        (folder / "chunks").mkdir(parents=True, exist_ok=True)
        for chunk in book.chunks:
            write_whole(folder / "chunks" / f"{chunk.index:04}.txt", [f"{chunk.text}\n".encode()])
        sheet = folder / f"{name}.{'xlsx' if excel else 'csv'}"
        told = INSTRUCTIONS.format(title=book.title, sheet=sheet.name)
        write_whole(folder / "README.md", [told.encode()])
        write_whole(sheet, [data])
        yield sheet


def read_any(path: Path, annotator: str) -> tuple[AnswerFile, ...]:
    """What a file of any form says for an annotator, to be imported.

    Args:
        path: A sheet, a CSV or JSONL file of ours, streams, or tasks of Label Studio.
        annotator: Who.

    Raises:
        DataError: The file is of another form, or says what cannot be read.
        OSError: It cannot be read.
    """
    found = _read(path, annotator)
    if not any(one.questions for one in found):
        raise DataError("holds no answers", where=str(path), mend="Name another file.")
    return found


def _read(path: Path, annotator: str) -> tuple[AnswerFile, ...]:
    """What a file of any form says, by its name and its beginning."""
    kind = path.suffix.lower()
    if kind == ".xlsx":
        return (read_sheet(path),)
    if kind == ".csv":
        rows = read_csv(path)
        if is_sheet(rows):
            return (read_sheet(path),)
        return answers_of_rows(rows, str(path), annotator)
    if kind == ".jsonl" and _is_rows(path):
        said = annotations_of(read_lines(path), str(path))
        return tuple(_answers(one, path, annotator) for one in said)
    if kind == ".json" and not _is_oaks(path):
        return read_tasks(path)
    if kind in (".jsonl", ".json"):
        return stream_answers(load_streams(path), str(path))
    raise UsageError(
        f"{kind} is none of .csv, .xlsx, .jsonl and .json"
        if kind
        else "has no ending that tells what it is: .csv, .xlsx, .jsonl or .json",
        where=str(path),
        mend="Name a sheet, rows or tasks that `supersede novel export` can write.",
    )


def _is_rows(path: Path) -> bool:
    """Whether the first line of a JSONL file is a row of ours, and no stream."""
    return any("kind" in row for _, row in islice(read_lines(path), 1))


def _is_oaks(path: Path) -> bool:
    """Whether a JSON file is in the official form."""
    try:
        found = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError):
        return False  # the reader of tasks says what is wrong
    first = found[0] if isinstance(found, list) and found else None
    return isinstance(first, dict) and "meta" in first


def _answers(said: BookAnnotations, path: Path, annotator: str) -> AnswerFile:
    if not said.timelines:
        raise DataError(f"has no answers about {said.book}", where=str(path), mend="Name another.")
    texts = {(q.id, o.id): o.text for q in said.questions for o in q.options}
    hashes = {number: digest(text) for number, text in enumerate(said.chunks)}
    return answers_of(said.book, said.timelines, texts, hashes, str(path), annotator)
