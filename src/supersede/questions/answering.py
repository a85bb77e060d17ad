"""Answers: an operator solved on the true reading, with its checklist and evidence."""

from __future__ import annotations

from supersede.model.question import Answer, Question
from supersede.model.record import History
from supersede.model.world import World
from supersede.questions.closing import claims
from supersede.questions.evidence import evidence, prove
from supersede.questions.facts import facts_of
from supersede.questions.forms import Line, answer_text
from supersede.questions.index import Index
from supersede.questions.reading import Reading, true_reading
from supersede.questions.registry import Given, Operator, find_operator
from supersede.questions.trace import Trace
from supersede.questions.view import View
from supersede.worlds.ledger import Ledger
from supersede.worlds.replay import replay


def answer(
    world: World, history: History | Ledger, question: Question, *, blocks: int | None = None
) -> Answer:
    """The answer to a question on a history.

    Args:
        world: The world of the history.
        history: The records, or the ledger that has replayed them.
        question: The question; only its operator and parameters matter.
        blocks: Number of blocks of a ledger's history, if its last ones are empty.

    Raises:
        UsageError: The question's operator does not exist.
    """
    if isinstance(history, History):
        ledger, blocks = replay(world, history), history.blocks
    else:
        ledger = history
    index = Index(facts_of(world), ledger.records, blocks, ledger)
    operator, given = find_operator(question.operator), Given(question.parameters)
    trace, true = Trace(), true_reading(index, ledger)
    lines = operator.solve(View(index, true, trace), given)
    return proven(operator, given, index, true, lines, trace)


def proven(
    operator: Operator,
    given: Given,
    index: Index,
    reading: Reading,
    lines: list[Line],
    trace: Trace,
) -> Answer:
    """The answer that lines give, with its evidence; `trace` is that of their computation."""

    def solve(view: View) -> list[Line]:
        return operator.solve(view, given)

    proof = prove(lines, trace, index)
    found = evidence(index, reading, solve, trace, proof)
    records = index.records
    return Answer(
        answer_text(lines),
        claims(lines, given.values, index),
        tuple([records[i][0] for i in sorted(proof.contributing)]),
        tuple([records[i][0] for i in sorted(proof.excluded)]),
        tuple([records[i][0] for i in found]),
    )
