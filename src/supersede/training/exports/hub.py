"""A data set as the Hugging Face Hub wants it: shards, card, Croissant and what Inspect runs.

::

    README.md                                    card: YAML, then text
    croissant.json                               Croissant with its responsible-AI fields
    eval.yaml                                    `inspect eval hf/ORG/NAME`
    data/short/heldout-00000-of-00001.parquet    a folder for each tier, shards for each split
    specifications/my-world.yaml                 worlds of one's own

The rows are those of a Parquet corpus, column for column, so that `supersede corpus verify` proves
a shard and `supersede eval evolve` takes the folder.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from supersede.corpus.files import read_lines, write_whole
from supersede.corpus.parquet import parquet_bytes
from supersede.corpus.specifications import copy_path
from supersede.model.instance import Split, Tier
from supersede.model.question import Outcome
from supersede.model.serialize import instance_from_json
from supersede.questions import grade
from supersede.training.exports.card import Card, card_text
from supersede.training.exports.croissant import croissant_text
from supersede.training.exports.eval_yaml import eval_text, pattern_accepts
from supersede.training.exports.fresh import fresh
from supersede.training.exports.selftest import try_row
from supersede.training.exports.shards import Shard
from supersede.training.exports.source import (
    Exported,
    OnFile,
    Row,
    Tally,
    own_specifications,
    rows_of,
)

SHARD_CHARACTERS = 32_000_000
"""Characters of text after which a shard is closed: what is held in memory of each tier."""


class _Part(NamedTuple):
    """A shard that has been written, before it is known how many there are."""

    split: Split
    tier: Tier
    number: int
    rows: int
    bytes: int
    sha256: str

    @property
    def name(self) -> str:
        return f"data/{self.tier}/{self.split}-{self.number:05d}.parquet"


def export_hub(
    corpora: Sequence[Path], out: Path, card: Card | None = None, on_file: OnFile | None = None
) -> Exported:
    """Write corpora as a data set folder for the Hub.

    Args:
        corpora: Folders of corpora, and files of instances.
        out: The folder to be.
        card: What the card says of the data set that the rows do not.
        on_file: Told of every file that has been read.

    Raises:
        UsageError: There is something of that name, it lies in a corpus, or PyArrow is missing.
        DataError: A corpus is damaged, or has no instances.
        CheckFailed: A row that was written is not graded as it should be.
    """
    parquet_bytes([], history=False)  # says that PyArrow is missing before anything is read
    tally, card = Tally(), card or Card()
    with fresh(out, corpora) as folder:
        copies = own_specifications(corpora)
        parts = list(_write_parts(folder, rows_of(corpora, on_file), tally))
        shards = list(_numbered(folder, parts))
        for name, text in copies.items():
            _write(folder / copy_path(name), text)
        exported = tally.exported(sum(_try(folder / shard.path) for shard in shards))
        _write(folder / "README.md", card_text(card, exported, shards))
        _write(folder / "croissant.json", croissant_text(card, exported, shards))
        _write(folder / "eval.yaml", eval_text(exported))
    return exported


def _write_parts(folder: Path, rows: Iterator[Row], tally: Tally) -> Iterator[_Part]:
    """Write rows to shards of their split and tier, in the order in which they come."""
    held: dict[tuple[Split, Tier], list[str]] = defaultdict(list)
    size: dict[tuple[Split, Tier], int] = defaultdict(int)
    numbers: dict[tuple[Split, Tier], int] = defaultdict(int)

    def close(cell: tuple[Split, Tier]) -> _Part:
        lines = held.pop(cell)
        content = parquet_bytes(lines, history=False)
        part = _Part(*cell, numbers[cell], len(lines), 0, "")
        path = folder / part.name
        path.parent.mkdir(parents=True, exist_ok=True)
        written = write_whole(path, [content])
        numbers[cell] += 1
        size[cell] = 0
        return part._replace(bytes=written.bytes, sha256=written.sha256)

    for row in rows:
        tally.add(row)
        cell = row.instance.key.split, row.instance.key.tier
        held[cell].append(row.line)
        size[cell] += len(row.line)
        if size[cell] >= SHARD_CHARACTERS:
            yield close(cell)
    for cell in list(held):
        yield close(cell)


def _numbered(folder: Path, parts: Sequence[_Part]) -> Iterator[Shard]:
    """Give shards their names, which say how many there are, easiest tier first."""
    totals: dict[tuple[Split, Tier], int] = defaultdict(int)
    for part in parts:
        totals[part.split, part.tier] += 1
    order = list(Tier)
    for part in sorted(parts, key=lambda p: (p.split, order.index(p.tier), p.number)):
        total = totals[part.split, part.tier]
        shard = Shard(part.split, part.tier, part.number, total, part.rows, part.bytes, part.sha256)
        (folder / part.name).rename(folder / shard.path)
        yield shard


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, [text.encode()])


def _try(path: Path) -> int:
    """Try both graders of the data set on every row of a shard."""
    graded = 0
    for _, row in read_lines(path):
        instance = instance_from_json(row)
        checklist, answer = instance.answer.checklist, instance.answer.text

        def by_checklist(reply: str, row: Mapping[str, object] = row) -> bool:
            asked = instance_from_json(row)
            return grade(asked.question, asked.answer.checklist, reply).outcome is Outcome.RIGHT

        graded += try_row(row["id"], by_checklist, answer, checklist)
        graded += try_row(row["id"], partial(pattern_accepts, answer), answer, checklist)
    return graded
