"""Inspect samples as JSONL: what `json_dataset` reads, with what the scorer of `evolve` needs.

A row is the sample that the task `supersede/evolve` makes of the same instance, so that
`supersede/evolve_scorer` grades it in anybody's task. It is written without Inspect.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from supersede.errors import UsageError
from supersede.model.question import Family, Grade, Outcome, Question
from supersede.model.serialize import checklist_from_json
from supersede.questions import grade
from supersede.training.exports.lines import export_lines
from supersede.training.exports.selftest import try_row
from supersede.training.exports.source import Exported, OnFile, Row

_METADATA = (
    *("prototype", "prototype_version", "theme", "tier", "split", "index", "family", "operator"),
    *("events", "blocks", "question", "query", "checklist", "evidence", "canary"),
)


def export_samples(corpora: Sequence[Path], out: Path, on_file: OnFile | None = None) -> Exported:
    """Write corpora as samples of Inspect, one a line.

    Args:
        corpora: Folders of corpora, and files of instances.
        out: The file to be, whose name ends in `.jsonl`, by which Inspect knows lines of JSON.
        on_file: Told of every file that has been read.

    Raises:
        UsageError: There is something of that name, it lies in a corpus, or ends otherwise.
        DataError: A corpus is damaged, or has no instances.
        CheckFailed: A row that was written is not graded as it should be.
    """
    if out.suffix != ".jsonl":
        raise UsageError(
            "Inspect reads lines of JSON from a file whose name ends in .jsonl",
            where=str(out),
            mend=f"Name it {out.name}.jsonl.",
        )
    return export_lines(corpora, out, on_file, line=sample_row, tried=_tried)


def sample_row(row: Row) -> dict[str, Any]:
    """The fields of a sample: `id`, `input`, `target` and `metadata`."""
    return {
        "id": row.id,
        "input": [dict(message) for message in row.data["messages"]],
        "target": row.data["answer"],
        "metadata": {
            **{name: row.data[name] for name in _METADATA},
            **({"tokens": row.data["tokens"]} if "tokens" in row.data else {}),
            **({"tokenizer": row.tokenizer} if row.tokenizer else {}),
        },
    }


def grade_sample(sample: Mapping[str, Any], reply: str) -> Grade:
    """The grade of a reply to a sample, as `supersede/evolve_scorer` gives it.

    Args:
        sample: A row, as it was read.
        reply: All that the model wrote.

    Raises:
        DataError: The checklist is none.
    """
    known = sample["metadata"]
    asked = Question(known["operator"], Family(known["family"]), known["query"], known["question"])
    return grade(asked, checklist_from_json(known["checklist"]), reply)


def _is_right(sample: Mapping[str, Any], reply: str) -> bool:
    return grade_sample(sample, reply).outcome is Outcome.RIGHT


def _tried(sample: Mapping[str, Any]) -> int:
    checklist = checklist_from_json(sample["metadata"]["checklist"])
    return try_row(sample["id"], partial(_is_right, sample), sample["target"], checklist)
