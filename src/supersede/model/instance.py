"""An instance: a rendered history, its question, answer, checklist and evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from supersede.model.question import Answer, Question
from supersede.model.record import History


class Split(StrEnum):
    """Which part of the data an instance belongs to; the parts never share a seed (E-081)."""

    TRAIN = "train"
    HELDOUT = "heldout"


class Tier(StrEnum):
    """The five difficulty tiers, easiest first (E-047)."""

    VERY_SHORT = "very_short"
    SHORT = "short"
    MEDIUM = "medium"
    LONG = "long"
    VERY_LONG = "very_long"


@dataclass(frozen=True, slots=True)
class InstanceKey:
    """Everything that an instance is a function of."""

    prototype: str
    """Prototype id."""
    prototype_version: int
    tier: Tier
    split: Split
    index: int
    """Zero-based."""
    operator: str = "*"
    """Operator name, or `*`: drawn from those that the prototype lists."""
    dials: tuple[tuple[str, float], ...] = ()
    """Overrides of single difficulty dials, sorted by name."""
    dataset_version: int = 1


class Message(NamedTuple):
    """One chat message."""

    role: str
    """`system`, `user` or `assistant`."""
    content: str


@dataclass(frozen=True, slots=True)
class Instance:
    """One verifiable example."""

    key: InstanceKey
    theme: str
    macro_group: str
    messages: tuple[Message, ...]
    """System message, then one user turn per block; the last one ends with the question."""
    question: Question
    answer: Answer
    history: History
    realised: Mapping[str, float]
    """Difficulty as measured on the finished instance, named like the dials."""
    requested: Mapping[str, float] = field(default_factory=dict)
    """Difficulty as asked for: tier preset and overrides."""

    @property
    def id(self) -> str:
        """The id that the instance has in JSON: a hash of all of it but the records.

        Same key, same id; any other byte of the text, the answer or the key, another id.
        """
        from supersede.model.serialize import instance_id

        return instance_id(self)

    def to_json(self, *, history: bool = False) -> dict[str, Any]:
        """The instance as plain JSON data, `id` and `canary` included.

        Args:
            history: Whether the machine-readable records go along.
        """
        from supersede.model.serialize import instance_to_json

        return instance_to_json(self, history=history)
