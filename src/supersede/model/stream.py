"""Streams: documents revealed chunk by chunk, with the right answer at every interval."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby


class QuestionType(StrEnum):
    """The four types of OAKS-BABI questions; streams from elsewhere may use other words."""

    TRACKING = "tracking"
    COUNTING = "counting"
    BRIDGE = "bridge"
    COMPARISON = "comparison"


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where an answer comes from."""

    chunk: int
    """Zero-based index of the chunk that it stands in; never later than the interval."""
    text: str
    """The exact sentence or line, as it stands in that chunk."""


@dataclass(frozen=True, slots=True)
class StreamQuestion:
    """One question, asked at every interval."""

    id: str
    """Unique in its stream."""
    text: str
    type: str
    """A `QuestionType`, or the operator family of a world stream."""
    answers: tuple[tuple[str, ...], ...]
    """Accepted answers at each interval, the annotated one first; one entry per chunk."""
    evidence: tuple[Evidence | None, ...] = ()
    """Support of the answer at each interval; None where nothing supports it yet (Unknown)."""
    options: tuple[str, ...] = ()
    """Options of a multiple-choice question, in the order of their letters; else empty."""
    catch_all: int | None = None
    """Index of the option that says that the question cannot be answered yet."""
    sources: tuple[tuple[Evidence, ...], ...] = ()
    """For each option its supporting passages, in order of their chunks; empty where unknown."""

    @property
    def phases(self) -> tuple[int, ...]:
        """Lengths of the maximal runs of intervals with the same annotated answer (O-015)."""
        return tuple(sum(1 for _ in run) for _, run in groupby(a[0] for a in self.answers))


@dataclass(frozen=True, slots=True)
class Stream:
    """One document with its questions."""

    id: str
    chunks: tuple[str, ...]
    questions: tuple[StreamQuestion, ...]
    source: str
    """`babi`, `novel`, `world` or `oaks`."""
    facts: tuple[Evidence, ...] = ()
    """The facts hidden in the chunks, in story order, where the source knows them."""
    meta: Mapping[str, str | int | float] = field(default_factory=dict)
    """How it was made: seed, tokenizer, chunk size, prototype, tier and so on."""


class Reply(StrEnum):
    """What a reply gave, before it is compared with anything."""

    ANSWERED = "answered"
    UNPARSABLE = "unparsable"
    REFUSED = "refused"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Prediction:
    """One model's answer to one question at one interval."""

    stream: str
    question: str
    interval: int
    """Zero-based index of the last chunk revealed."""
    reply: Reply
    answer: str | None
    """The extracted answer; None unless `reply` is `answered`."""
    confidence: float | None = None
    """The model's own confidence in it, 0 to 1, where the run recorded one."""


@dataclass(frozen=True, slots=True)
class Trace:
    """All that metrics need of one question of one run: what was right, and what was said."""

    stream: str
    question: str
    type: str
    phases: tuple[int, ...]
    """Lengths of the ground-truth phases; they sum to the number of intervals."""
    truth: tuple[str, ...]
    """The annotated answer at each interval, normalised as for matching."""
    said: tuple[str | None, ...]
    """The predicted answer at each interval, normalised; None where none could be read."""
    right: tuple[bool, ...]
    """The matcher's verdict at each interval."""
    replies: tuple[Reply, ...]
    accepted: tuple[tuple[str, ...], ...] = ()
    """Every normalised answer accepted in each phase, sorted; empty where `truth` is all."""
