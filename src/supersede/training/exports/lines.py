"""Formats of one JSON object a line: written whole, read back, and every row tried."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from supersede.corpus.files import read_lines, write_whole
from supersede.training.exports.fresh import fresh
from supersede.training.exports.source import Exported, OnFile, Row, Tally, rows_of


def export_lines(
    corpora: Sequence[Path],
    out: Path,
    on_file: OnFile | None,
    *,
    line: Callable[[Row], Mapping[str, Any]],
    tried: Callable[[Mapping[str, Any]], int],
) -> Exported:
    """Write corpora as lines of JSON.

    Args:
        corpora: Folders of corpora, and files of instances.
        out: The file to be.
        on_file: Told of every file that has been read.
        line: The fields of a row.
        tried: Tries the format's grader on a row as it was read back; how many replies it graded.

    Raises:
        UsageError: There is something of that name, or it lies in a corpus.
        DataError: A corpus is damaged, or has no instances.
        CheckFailed: A row that was written is not graded as it should be.
    """
    tally = Tally()

    def content() -> Iterator[bytes]:
        for row in rows_of(corpora, on_file):
            tally.add(row)
            yield f"{json.dumps(line(row), ensure_ascii=False)}\n".encode()

    with fresh(out, corpora) as temporary:
        write_whole(temporary, content())
        graded = sum(tried(row) for _, row in read_lines(temporary))
    return tally.exported(graded)
