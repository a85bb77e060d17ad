"""What is asked of a history, and what is a right answer.

`ask` draws a question that careless readers get wrong, `answer` computes a question's answer
with its checklist and evidence, `grade` reads a model's reply, `intermediate` asks about the
state while a history is posted, `audit` says how far shortcuts get.
"""

from supersede.questions.answering import answer
from supersede.questions.asking import ask, operators_for
from supersede.questions.conventions import conventions
from supersede.questions.grading import error_label, grade
from supersede.questions.intermediate import intermediate
from supersede.questions.registry import Operator, all_operators, find_operator, operator
from supersede.questions.shortcuts import Asked, audit

__all__ = [
    "Asked",
    "Operator",
    "all_operators",
    "answer",
    "ask",
    "audit",
    "conventions",
    "error_label",
    "find_operator",
    "grade",
    "intermediate",
    "operator",
    "operators_for",
]
