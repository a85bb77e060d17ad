"""What is asked of a history and what a right answer claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

Parameter: TypeAlias = str | int | tuple[str, ...]


class Family(StrEnum):
    """The seven families of operators (Table 6)."""

    RANKING = "Ranking / Top-N"
    COMPARISON = "Comparison & leader"
    PROFILE = "Profile & summary"
    WINDOW = "Window & range"
    AUDIT = "Audit & exclusion"
    COUNTERFACTUAL = "Counterfactual"
    HOTSPOT = "Hotspot & peak"


class ErrorLabel(StrEnum):
    """The five error categories of a failed answer (E-150 to E-154)."""

    INVALID_RECORD = "invalid-record handling"
    RETRIEVAL = "retrieval & counting"
    NET_CHANGE = "net-change aggregation"
    RANKING = "ranking & tie-breaking"
    VERDICT = "comparison verdict"


class ClaimKind(StrEnum):
    """What a claim states, and so how it is graded."""

    VALUE = "value"
    """A number: a net change, total or level."""
    COUNT = "count"
    """How many records or entities."""
    RANK = "rank"
    """The entity at one place of a ranking."""
    WINNER = "winner"
    """Who or what leads."""
    MARGIN = "margin"
    """By how much."""
    RECORD_IDS = "record_ids"
    """A set of record ids; order does not matter."""
    LATEST_RECORD = "latest_record"
    """One record id."""
    REGISTER = "register"
    """A symbol, an entity or a number that a register holds, or a set of members."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One atomic, independently verifiable part of an answer (E-114)."""

    kind: ClaimKind
    slot: str
    """Names the blank of the answer form that this claim fills: `1`, `inbound`, `leader`."""
    text: str
    """An English sentence for a judge: `1st by inbound units = East Dock Receiving`."""
    expected: str
    """The expected value as it is printed: `-12.50`, `Ann`, `W1-R2, W2-R2`, `none`."""
    number: tuple[int, int] | None = None
    """Numerator and denominator of the exact value, for numeric claims (R31)."""
    places: int = 0
    """Decimal places of the printed value."""
    candidates: tuple[str, ...] = ()
    """The closed set that the expected value is one of, when there is one."""
    unit: str = ""
    """What a number is measured in, when it has a unit: `USD`, `percent`."""


@dataclass(frozen=True, slots=True)
class Question:
    """One operator with its parameters, put into words."""

    operator: str
    """Operator name, such as `ranking/actor-leaderboard`."""
    family: Family
    parameters: Mapping[str, Parameter]
    """What the operator needs to be answered again from any history of the world."""
    text: str
    """The question as it is asked, answer form included."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What code computed for a question on one history."""

    text: str
    """The reference answer as one line in the answer form."""
    checklist: tuple[Claim, ...]
    contributing: tuple[str, ...]
    """Ids of the records whose effects the answer folds, amends in force included."""
    excluded: tuple[str, ...] = ()
    """Ids that the answer names as not counting (audit questions)."""
    evidence: tuple[str, ...] = ()
    """Ids without any one of which the answer or its proof changes, in posted order."""


class Outcome(StrEnum):
    """What became of a reply: five outcomes, never merged."""

    RIGHT = "right"
    WRONG = "wrong"
    UNPARSABLE = "unparsable"
    REFUSED = "refused"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Grade:
    """The grade of one reply."""

    outcome: Outcome
    satisfied: tuple[bool, ...]
    """One per claim of the checklist, in order; all False where nothing could be read."""
    label: ErrorLabel | None
    """The category of the first failed claim; only for a wrong answer (E-149)."""
    reason: str
    """One line: what was read and what was expected."""
