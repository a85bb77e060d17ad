"""The card of a data set: the YAML that the Hub reads, and the text that people do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from supersede import __version__
from supersede.corpus.show import counted
from supersede.model.instance import InstanceKey, Split, Tier
from supersede.model.serialize import CANARY
from supersede.training.exports.shards import Shard, splits_of, tiers_of
from supersede.training.exports.source import Exported

LICENSES: Mapping[str, str] = {
    "apache-2.0": "https://spdx.org/licenses/Apache-2.0.html",
    "mit": "https://spdx.org/licenses/MIT.html",
    "cc0-1.0": "https://spdx.org/licenses/CC0-1.0.html",
    "cc-by-4.0": "https://spdx.org/licenses/CC-BY-4.0.html",
    "cc-by-sa-4.0": "https://spdx.org/licenses/CC-BY-SA-4.0.html",
    "cc-by-nc-4.0": "https://spdx.org/licenses/CC-BY-NC-4.0.html",
    "odc-by": "https://spdx.org/licenses/ODC-By-1.0.html",
    "odbl": "https://spdx.org/licenses/ODbL-1.0.html",
}
"""Name of a licence on the Hub -> its page."""

SIZES = (
    *("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B"),
    *("1B<n<10B", "10B<n<100B", "100B<n<1T", "n>1T"),
)
"""The Hub's vocabulary for sizes: each holds below ten times what the one before it does."""

PLACE = "ORG/NAME"
"""Stands for the place on the Hub until it is known."""

ABOUT = (
    "Logs in which later records revise, revoke or outdate earlier ones, with a question at the "
    "end whose answer is the state after replay and not the last mention. Every log, question, "
    "answer and checklist was computed by code; nothing in them is of real people or events."
)
"""What the data is, in a paragraph."""


@dataclass(frozen=True, slots=True)
class Card:
    """What the rows do not say of a data set."""

    name: str = "Supersede"
    """For people to read."""
    license: str = "apache-2.0"
    """One of `LICENSES`."""
    repo: str | None = None
    """Its place on the Hub, as `ORG/NAME`."""
    creator: str | None = None
    """Who publishes it."""
    date: str | None = None
    """When it was published, as `2026-11-30`."""

    @property
    def place(self) -> str:
        """Its place on the Hub, or what stands for it."""
        return self.repo or PLACE

    @property
    def url(self) -> str | None:
        """Its page, where it is known."""
        return self.repo and f"https://huggingface.co/datasets/{self.repo}"


def card_text(card: Card, exported: Exported, shards: Sequence[Shard]) -> str:
    """The text of `README.md`."""
    front = yaml.safe_dump(_front(card, exported, shards), sort_keys=False, allow_unicode=True)
    parts = [
        f"---\n{front}---",
        f"# {card.name}",
        ABOUT,
        _sizes(exported, shards),
        _use(card, shards),
        _columns(exported),
        _evaluation(card, exported),
    ]
    if Split.HELDOUT in splits_of(shards):
        parts.append(_CANARY)
    parts.append(_ORIGIN.format(version=__version__, dataset=_dataset_version()))
    return "\n\n".join(parts) + "\n"


def _front(card: Card, exported: Exported, shards: Sequence[Shard]) -> dict[str, Any]:
    return {
        "language": ["en"],
        "license": card.license,
        "pretty_name": card.name,
        "size_categories": [size_category(exported.rows)],
        "task_categories": ["question-answering", "text-generation"],
        "tags": ["synthetic", "long-context", "knowledge-update", "information-evolution"],
        "annotations_creators": ["machine-generated"],
        "language_creators": ["machine-generated"],
        "multilinguality": ["monolingual"],
        "source_datasets": ["original"],
        "configs": [
            {"config_name": "default", "default": True, "data_files": _files(shards, None)},
            *(
                {"config_name": tier.value, "data_files": _files(shards, tier)}
                for tier in tiers_of(shards)
            ),
        ],
    }


def _files(shards: Sequence[Shard], tier: Tier | None) -> list[dict[str, str]]:
    """Patterns of the files of each split: of all tiers, or of one."""
    there = [shard for shard in shards if tier in (None, shard.tier)]
    return [
        {"split": split.value, "path": f"data/{tier or '*'}/{split}-*.parquet"}
        for split in splits_of(there)
    ]


def size_category(rows: int) -> str:
    """The word of the Hub for a number of rows."""
    return SIZES[min(max(len(str(rows)) - 3, 0), len(SIZES) - 1)]


def _sizes(exported: Exported, shards: Sequence[Shard]) -> str:
    splits = splits_of(shards)
    lines = [f"| tier | {' | '.join(splits)} |", f"|---|{'---:|' * len(splits)}"]
    for tier in tiers_of(shards):
        numbers = " | ".join(f"{exported.cells.get((split, tier), 0):,}" for split in splits)
        lines.append(f"| {tier} | {numbers} |")
    return "\n".join(lines)


def _use(card: Card, shards: Sequence[Shard]) -> str:
    split, tier = splits_of(shards)[-1], tiers_of(shards)[0]
    return "\n".join(
        [
            "## Reading it",
            "",
            "```python",
            "import json",
            "",
            "from datasets import load_dataset",
            "",
            f'rows = load_dataset("{card.place}", "{tier}", split="{split}")',
            'rows[0]["messages"]  # ends with the question',
            'rows[0]["answer"]',
            'json.loads(rows[0]["checklist"])',
            "```",
            "",
            f"The config `default` has all tiers; {_listed(tiers_of(shards))} have one each.",
        ]
    )


def _listed(tiers: Sequence[Tier]) -> str:
    return ", ".join(f"`{tier}`" for tier in tiers)


COLUMNS: Mapping[str, str] = {
    "id": "hash of the row",
    "messages": "the conversation: system rules, a user turn for each block of the log, answered "
    "questions in between; the last turn ends with the question",
    "question": "the final question alone, with the form of its answer",
    "answer": "the reference answer, one line",
    "checklist": "JSON: the claims of a right answer, each with a sentence and its value",
    "evidence": "ids of the records without which the answer or its proof changes",
    "operator": "the kind of question",
    "family": "which of seven families the operator is of",
    "query": "JSON: parameters of the operator, from which the question is answered again",
    "prototype": "the world",
    "prototype_version": "version of its specification",
    "theme": "theme of the world",
    "macro_group": "group of themes",
    "tier": "difficulty, by length",
    "split": "`train` or `heldout`",
    "index": "number of the instance in its world, tier and split",
    "blocks": "blocks of the log",
    "events": "records in the log",
    "realised": "JSON: difficulty as measured on the log",
    "requested": "JSON: difficulty as asked for",
    "key": "JSON: all that the row is a function of",
    "canary": "on held-out rows, the text by which leaked data is found; null in training",
}
"""Column of every data set -> what it holds."""


def columns(exported: Exported) -> dict[str, str]:
    """Column -> what it holds, `tokens` included where they are counted."""
    by = f" by `{exported.tokenizer}`" if exported.tokenizer else ""
    tokens = f"length of the messages in tokens, counted{by} without a chat template"
    return {**COLUMNS, **({"tokens": tokens} if exported.counted else {})}


def _columns(exported: Exported) -> str:
    lines = [f"| `{name}` | {what} |" for name, what in columns(exported).items()]
    return "\n".join(
        [
            "## Columns",
            "",
            "| column | what it holds |",
            "|---|---|",
            *lines,
            "",
            "What differs in shape from row to row is JSON text: Arrow would pad it with nulls.",
        ]
    )


def _evaluation(card: Card, exported: Exported) -> str:
    lines = [
        "## Evaluating with it",
        "",
        "```console",
        f"$ inspect eval hf/{card.place} --model MODEL",
        "```",
        "",
        "runs `eval.yaml`, a task for each tier. Its scorer is one that Inspect has: the last line "
        "that begins with `Answer:` has to be the reference answer as it is printed, so that a "
        "right answer in other words is called wrong. To score as Supersede does, claim by claim, "
        "clone the data set and run",
        "",
        "```console",
        "$ pip install 'supersede[corpus,eval]'",
        "$ supersede eval evolve FOLDER --model MODEL",
        "```",
        "",
        f"Before this folder appeared, {exported.graded:,} replies were graded: on each of "
        f"{counted(exported.rows, 'row')}, by both graders, the reference answer came out right, "
        "and nothing at all and an answer with any one claim changed did not.",
    ]
    return "\n".join(lines)


_CANARY = f"""## Held-out rows

They are for evaluation and not for training. Each carries this canary in the column `canary`, so \
that leaked data can be found:

    {CANARY}"""

_ORIGIN = """## Where it comes from

Made by Supersede {version}, data set version {dataset}. Every row is a function of its `key`: the \
same release makes the same bytes again, and `supersede corpus verify` does so and proves every \
answer from the text alone. Training and held-out rows share no seed."""


def _dataset_version() -> str:
    return str(InstanceKey.__dataclass_fields__["dataset_version"].default)
