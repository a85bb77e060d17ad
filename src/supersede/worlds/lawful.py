"""Bounds and invariants, checked for the cells that the last record touched (S7, R21, R22)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from supersede.worlds.checks import Check
from supersede.worlds.program import Program
from supersede.worlds.state import State


class Laws:
    """The compiled checks of a specification, bound to one state."""

    def __init__(
        self, program: Program, state: State, functions: Sequence[Callable[..., bool]]
    ) -> None:
        """Checks of `program` over `state`, in the program's order."""
        self._state = state
        self._checks = tuple(zip(program.checks, functions, strict=True))
        self._by_cell: dict[str, list[tuple[Check, Callable[..., bool]]]] = {}
        self._by_value: dict[str, list[Callable[..., bool]]] = {}
        self._everywhere: dict[str, list[Callable[..., bool]]] = {}
        for check, function in self._checks:
            for name in check.reads:
                if check.how == "cell":
                    self._by_cell.setdefault(name, []).append((check, function))
                elif check.how == "value":
                    self._by_value.setdefault(name, []).append(function)
                else:
                    self._everywhere.setdefault(name, []).append(function)

    def hold(self) -> bool:
        """Whether every check that the touched cells may break holds now."""
        state = self._state
        everywhere = self._everywhere
        wide: list[Callable[..., bool]] = []
        for name, key in state.touched:
            for check, function in self._by_cell.get(name, ()):
                if len(key) == len(check.over) and not function(*key) and self._live(check, key):
                    return False
            if name in everywhere:
                wide += [function for function in everywhere[name] if function not in wide]
        if self._by_value:
            for name, value in state.moved:
                for function in self._by_value.get(name, ()):
                    if not function(value):
                        return False
        return all(function() for function in wide)

    def _live(self, check: Check, key: Sequence[str]) -> bool:
        """Whether a cell belongs to live entities, of which alone a check speaks."""
        live = self._state.live
        return all(entity in live[kind] for kind, entity in zip(check.over, key, strict=True))

    def broken(self) -> str | None:
        """The name of a check that does not hold somewhere, all cells considered; else None."""
        state = self._state
        for check, function in self._checks:
            if check.how == "all":
                fine = function()
            elif check.how == "value":
                fine = all(function(value) for value in state.held[check.register or ""])
            else:
                cells = product(*(state.live[kind] for kind in check.over))
                fine = all(function(*cell) for cell in cells)
            if not fine:
                return check.name
        return None
