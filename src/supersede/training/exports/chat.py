"""Chat JSONL: messages that end with the user's turn, a reference answer, flat fields of text.

That is what reinforcement tuning services and most graders take. No field but `messages` is
nested, and all of them are text, the same ones in every row: a grader's template reaches each by
its name, and a service that takes nothing but text takes these.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from supersede.model.question import Family, Grade, Outcome, Question
from supersede.model.serialize import canonical, checklist_from_json
from supersede.questions import grade
from supersede.training.exports.lines import export_lines
from supersede.training.exports.selftest import try_row
from supersede.training.exports.source import Exported, OnFile, Row

_COPIED = (
    *("id", "prototype", "theme", "macro_group", "tier", "split", "family", "operator"),
    "question",
)
"""Fields of text that go over as they are."""
_PRINTED = ("prototype_version", "index", "blocks", "events")
"""Numbers, which become text."""
_JSON = ("checklist", "query", "evidence")
"""What is nested becomes JSON text."""


def export_chat(corpora: Sequence[Path], out: Path, on_file: OnFile | None = None) -> Exported:
    """Write corpora as chat JSONL.

    Args:
        corpora: Folders of corpora, and files of instances.
        out: The JSONL file to be.
        on_file: Told of every file that has been read.

    Raises:
        UsageError: There is something of that name, or it lies in a corpus.
        DataError: A corpus is damaged, or has no instances.
        CheckFailed: A row that was written is not graded as it should be.
    """
    return export_lines(corpora, out, on_file, line=chat_row, tried=_tried)


def chat_row(row: Row) -> dict[str, Any]:
    """The fields of a row: `messages`, `reference_answer`, and flat text.

    `canary` is empty in training rows; `tokens` and `tokenizer` are there where a corpus has them.
    """
    data = row.data
    return {
        "messages": [dict(message) for message in data["messages"]],
        "reference_answer": data["answer"],
        **{name: data[name] for name in _COPIED},
        **{name: str(data[name]) for name in _PRINTED},
        **{name: canonical(data[name]) for name in _JSON},
        "canary": data["canary"] or "",
        **({"tokens": str(data["tokens"])} if "tokens" in data else {}),
        **({"tokenizer": row.tokenizer} if row.tokenizer else {}),
    }


def grade_chat(row: Mapping[str, Any], reply: str) -> Grade:
    """The grade of a reply to a row of chat JSONL.

    Args:
        row: As it was read, or as a grader is handed it: `operator`, `family`, `question`, `query`
            and `checklist` are looked at.
        reply: All that the model wrote.

    Raises:
        DataError: The checklist is none.
    """
    asked = Question(
        row["operator"], Family(row["family"]), json.loads(row["query"]), row["question"]
    )
    return grade(asked, checklist_from_json(json.loads(row["checklist"])), reply)


def _is_right(row: Mapping[str, Any], reply: str) -> bool:
    return grade_chat(row, reply).outcome is Outcome.RIGHT


def _tried(row: Mapping[str, Any]) -> int:
    checklist = checklist_from_json(json.loads(row["checklist"]))
    return try_row(row["id"], partial(_is_right, row), row["reference_answer"], checklist)
