"""The shortcut audit: how often a careless reader still lands on the right answer.

A question counts as answered only if all its claims are right. Where a reader can get nothing
wrong because the question does not touch what it overlooks, it is counted apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from supersede.model.question import Question
from supersede.model.world import World
from supersede.questions.evidence import Proof, prove
from supersede.questions.facts import facts_of
from supersede.questions.index import Index
from supersede.questions.reading import Reading, Shortcut, shortcut_reading, true_reading
from supersede.questions.registry import Given, find_operator
from supersede.questions.trace import Trace
from supersede.questions.view import View
from supersede.worlds.ledger import Ledger

CONSTANT = "constant"
"""The reader that answers what was right most often when an operator was asked of other histories
of the same prototype and tier."""

EITHER = "either"
"""Places or rules: a question that one of the two readers of `TOUCHING` can get wrong."""

ENOUGH = 5
"""How many histories an operator must have been asked of for the constant reader to have a say."""

ALL = "all"
"""Stands for all families in the audit table."""

BASE = (Shortcut.EVERYTHING, Shortcut.NO_REVISIONS, Shortcut.LAST_MENTION)
TOUCHING = (Shortcut.NO_BACKFILL, Shortcut.NO_RULES)


@dataclass(frozen=True, slots=True)
class Asked:
    """One question to audit."""

    prototype: str
    tier: str
    world: World
    ledger: Ledger
    question: Question
    blocks: int | None = None


@dataclass(slots=True)
class Row:
    """The audit of the questions of one tier and family.

    Attributes:
        questions: How many.
        repeated: How many of them have an operator asked of enough histories of their prototype.
        right: Reader -> how many of them it answers right; the constant one: of the repeated.
        touched: Reader of places or rules, or either -> how many it can touch at all.
        touched_right: The same -> how many of those it answers right.
    """

    questions: int = 0
    repeated: int = 0
    right: Counter[str] = field(default_factory=Counter)
    touched: Counter[str] = field(default_factory=Counter)
    touched_right: Counter[str] = field(default_factory=Counter)

    def share(self, reader: str) -> float:
        """The share of questions that a reader answers right; NaN without questions."""
        asked = self.repeated if reader == CONSTANT else self.questions
        return self.right[reader] / asked if asked else float("nan")

    def touched_share(self, reader: str) -> float:
        """The share of questions that a reader can touch; NaN without questions."""
        return self.touched[reader] / self.questions if self.questions else float("nan")

    def share_of_touched(self, reader: str) -> float:
        """The share of the touched questions that a reader answers right; NaN without any."""
        touched = self.touched[reader]
        return self.touched_right[reader] / touched if touched else float("nan")


def audit(asked: Iterable[Asked]) -> Mapping[tuple[str, str], Row]:
    """The audit table: (tier, family) -> row; the family `ALL` sums a tier up."""
    table: dict[tuple[str, str], Row] = {}
    answers: dict[tuple[str, str, str], Counter[tuple[str, ...]]] = {}
    kept: list[tuple[tuple[str, str, str], str, tuple[str, ...]]] = []
    for one in asked:
        family = one.question.family.value
        truth, results = readers(one)
        for row in (table.setdefault((one.tier, name), Row()) for name in (family, ALL)):
            row.questions += 1
            for reader, (right, touched) in results.items():
                row.right[reader] += right
                row.touched[reader] += touched
                row.touched_right[reader] += touched and right
            row.touched[EITHER] += any(results[reader.value][1] for reader in TOUCHING)
        same = (one.tier, one.prototype, one.question.operator)
        answers.setdefault(same, Counter())[truth] += 1
        kept.append((same, family, truth))
    for same, family, truth in kept:
        if answers[same].total() >= ENOUGH:
            for name in (family, ALL):
                table[same[0], name].repeated += 1
                table[same[0], name].right[CONSTANT] += _guessed(answers[same], truth)
    return table


def _guessed(answers: Counter[tuple[str, ...]], truth: tuple[str, ...]) -> bool:
    """Whether a right answer is the most common one among all the others."""
    others = answers - Counter([truth])
    return others.most_common(1)[0][0] == truth


def readers(one: Asked) -> tuple[tuple[str, ...], Mapping[str, tuple[bool, bool]]]:
    """The true values of a question, and per reader whether it is right and can be touched."""
    index = Index(facts_of(one.world), one.ledger.records, one.blocks)
    true = true_reading(index, one.ledger)
    proof, by_block, by_order = _proof(one.question, index, true)
    results: dict[str, tuple[bool, bool]] = {}
    for shortcut in Shortcut:
        reading = shortcut_reading(index, true, shortcut)
        seen, _, _ = _proof(one.question, index, reading)
        right = seen.values == proof.values
        touched = not right or seen.contributing != proof.contributing
        touched = touched or seen.excluded != proof.excluded
        if shortcut is Shortcut.NO_BACKFILL and not touched:
            touched = _moved(index, true, reading, proof, by_block=by_block, by_order=by_order)
        results[shortcut.value] = (right, touched)
    return proof.values, results


def _proof(question: Question, index: Index, reading: Reading) -> tuple[Proof, bool, bool]:
    trace = Trace()
    operator = find_operator(question.operator)
    lines = operator.solve(View(index, reading, trace), Given(question.parameters))
    return prove(lines, trace, index), trace.by_block, trace.by_order


def _moved(
    index: Index, true: Reading, other: Reading, proof: Proof, *, by_block: bool, by_order: bool
) -> bool:
    """Whether blocks or order that the answer goes by differ between two readings."""
    counted = sorted(proof.contributing)
    if by_block and any(true.blocks[i] != other.blocks[i] for i in counted):
        return True
    ranks = [sorted(counted, key=reading.order.__getitem__) for reading in (true, other)]
    return by_order and ranks[0] != ranks[1]
