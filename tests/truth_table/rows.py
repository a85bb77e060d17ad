"""Marks a test as a row of the truth table, for rules that speak of more than one history."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Test = TypeVar("Test", bound=Callable[..., None])


def row(*ids: str) -> Callable[[Test], Test]:
    """The test checks these rows: `R24-noise-leaves-the-plot`."""

    def mark(test: Test) -> Test:
        test.rows = ids  # type: ignore[attr-defined]  # read back by `rows_of`
        return test

    return mark


def rows_of(module: Any) -> list[str]:
    """The rows that a module's tests check."""
    return [id_ for test in vars(module).values() for id_ in getattr(test, "rows", ())]
