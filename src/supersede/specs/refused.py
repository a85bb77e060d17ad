"""How an expression is refused: where, and which name was meant."""

from __future__ import annotations

from collections.abc import Sequence

from supersede.errors import did_you_mean


class ExpressionError(Exception):
    """An expression that the language refuses, with the column of the offending node."""

    def __init__(self, message: str, column: int = 0) -> None:
        """An error at a zero-based column of the expression's text."""
        super().__init__(message)
        self.message = message
        self.column = column


def hint(name: str, choices: Sequence[str]) -> str:
    """A sentence to append that leads from a mistyped name to the right one, or nothing."""
    sentence = did_you_mean(name, choices)
    return f". {sentence}" if sentence else ""
