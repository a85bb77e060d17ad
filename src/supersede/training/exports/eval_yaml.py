"""`eval.yaml`: the tasks that `inspect eval hf/ORG/NAME` runs, with a scorer that Inspect has.

Inspect takes none but its own scorers there. `pattern` fits: the regular expression finds the last
answer line, which has to be the reference answer, letter case and marks of emphasis aside. That is
stricter than our grader, which reads `1,234.50 USD` for `1234.5`: a reply that `pattern` calls
right is right, one that it calls wrong may yet be. For scores to publish there is
`supersede eval evolve` on the same folder.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from supersede.model.instance import Split, Tier
from supersede.training.exports.source import Exported

PATTERN = r"(?ms)\A(?:.*\n)?[^\w\n]*((answer:[^\n]*?)\.?)[ \t\r*_`.]*$"
"""The last line that begins with `Answer:`, with its stop and without, less marks of emphasis.

A name may end with a stop, so that both are held against the reference. The first sign of the text
is bound, or a long reply without such a line would take time in the square of its length.
"""

METADATA = (
    *("id", "prototype", "tier", "split", "family", "operator", "events", "blocks", "question"),
    *("checklist", "canary"),
)
"""Columns that go along into the log."""


def eval_text(exported: Exported) -> str:
    """The text of `eval.yaml`: a task for each tier, on held-out data where there is any.

    Each tier has its own, so that running all of them asks each question once and still says how
    a model fares by tier.
    """
    splits = {split for split, _ in exported.cells}
    split = Split.HELDOUT if Split.HELDOUT in splits else Split.TRAIN
    tiers = [tier for tier in Tier if (split, tier) in exported.cells]
    return yaml.safe_dump(
        {"tasks": [_task(split, tier) for tier in tiers]}, sort_keys=False, allow_unicode=True
    )


def _task(split: Split, tier: Tier) -> dict[str, Any]:
    return {
        "id": tier.value,
        "config": tier.value,
        "split": split.value,
        "field_spec": {"input": "messages", "target": "answer", "metadata": list(METADATA)},
        "solvers": [{"name": "generate"}],
        "scorers": [{"name": "pattern", "args": {"pattern": PATTERN}}],
    }


def pattern_accepts(target: str, reply: str) -> bool:
    """Whether Inspect's scorer `pattern` calls a reply right, with the arguments of `eval.yaml`.

    Args:
        target: The reference answer.
        reply: All that the model wrote.
    """
    found = re.search(PATTERN, reply, re.IGNORECASE)
    return found is not None and target.lower() in (group.lower() for group in found.groups())
