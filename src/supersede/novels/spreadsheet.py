"""Rows of cells as CSV and Excel files, written so that they read back as they were.

A cell that begins like a formula would be run as one by the programs that open CSV files. It gets
an apostrophe in front, which reading takes off again. Excel files mark their cells as texts.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from supersede.errors import DataError, UsageError

__all__ = ["csv_bytes", "excel_bytes", "read_csv", "read_excel"]

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_GUARDED = re.compile(r"'+[=+\-@\t\r]")
_CODE = re.compile(r"_x([0-9A-Fa-f]{4})_")
_LIKE_CODE = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")
_LONGEST_CELL = 32_767
_LONGEST_TITLE = 31
csv.field_size_limit(1 << 24)


def csv_bytes(rows: Sequence[Sequence[str]]) -> bytes:
    """A CSV file in UTF-8, with the mark by which Excel knows it."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerows([f"'{c}" if _FORMULA.match(c) else c for c in row] for row in rows)
    return text.getvalue().encode("utf-8-sig")


def read_csv(path: Path) -> list[list[str]]:
    """The cells of a CSV file, with commas, semicolons or tabs between them.

    Raises:
        DataError: It is not in UTF-8, or cut short.
        OSError: It cannot be read.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
        first = text.split("\n", 1)[0]
        between = max(",;\t", key=first.count)
        rows = list(csv.reader(StringIO(text, newline=""), delimiter=between, strict=True))
    except UnicodeDecodeError:
        mend = "Save it as CSV UTF-8."
        raise DataError("is not in UTF-8", where=str(path), mend=mend) from None
    except csv.Error as error:
        raise DataError(f"no CSV: {error}", where=str(path), mend="Copy the file again.") from None
    return [[c[1:] if _GUARDED.match(c) else c for c in row] for row in rows]


def excel_bytes(
    rows: Sequence[Sequence[str]], title: str, widths: Sequence[int], head: int
) -> bytes:
    """An Excel file with one sheet, all of it texts that wrap.

    Args:
        rows: The cells.
        title: Of the sheet.
        widths: Of the columns, in signs.
        head: Rows at the top that stay in sight.

    Raises:
        DataError: A cell has more than Excel holds, or signs that it cannot hold.
        UsageError: The package openpyxl is not installed.
    """
    openpyxl = _openpyxl()
    from openpyxl.styles import Alignment, Font

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = re.sub(r"[\\/*?:\[\]]", "-", title)[:_LONGEST_TITLE] or "book"
    for number, row in enumerate(rows, 1):
        for column, text in enumerate(row, 1):
            if len(text) > _LONGEST_CELL:
                raise DataError(f"a cell of {len(text):,} signs", mend="Write CSV, which holds it.")
            cell = sheet.cell(number, column)
            try:
                cell.value = _coded(text)
            except openpyxl.utils.exceptions.IllegalCharacterError:
                raise DataError(
                    f"{text[:40]!r} has signs that Excel cannot hold", mend="Write CSV."
                ) from None
            if text:
                cell.data_type = "s"  # a text, whatever it begins with
            cell.alignment = Alignment(wrap_text=True, vertical="top")
            if number <= head:
                cell.font = Font(bold=number == 1)
    for column, width in enumerate(widths, 1):
        sheet.column_dimensions[openpyxl.utils.get_column_letter(column)].width = width
    sheet.freeze_panes = sheet.cell(head + 1, 4)
    made = BytesIO()
    book.save(made)
    return made.getvalue()


def read_excel(path: Path) -> list[list[str]]:
    """The cells of the first sheet of an Excel file, numbers as whole as they are.

    Raises:
        DataError: It is no such file.
        UsageError: The package openpyxl is not installed.
        OSError: It cannot be read.
    """
    openpyxl = _openpyxl()
    try:
        with path.open("rb") as file:
            sheet = openpyxl.load_workbook(file, data_only=True).worksheets[0]
            found = [[_plain(c) for c in row] for row in sheet.iter_rows(values_only=True)]
    except (BadZipFile, KeyError, ValueError, openpyxl.utils.exceptions.InvalidFileException):
        raise DataError("is no Excel file", where=str(path), mend="Save it as .xlsx.") from None
    return found


def _plain(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return _CODE.sub(lambda match: chr(int(match[1], 16)), str(value))


def _coded(text: str) -> str:
    """A text as Excel files hold it, whose breaks of lines are all one sign."""
    return _LIKE_CODE.sub("_x005F_", text).replace("\r", "_x000D_")


def _openpyxl() -> Any:
    try:
        import openpyxl
        import openpyxl.utils.exceptions
    except ImportError:
        raise UsageError(
            "Excel files need the package openpyxl",
            mend="Install it: pip install 'supersede[sheets]'; or use CSV.",
        ) from None
    return openpyxl
