"""Bounds and invariants, checked for the cells that the last record touched (S7, R21, R22)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
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
        self._by_cell: dict[str, list[tuple[Callable[..., bool], Check]]] = {}
        self._by_value: dict[str, list[Callable[..., bool]]] = {}
        self._everywhere: dict[str, list[Callable[[], bool]]] = {}
        for check, function in self._checks:
            for name in check.reads:
                if check.how == "value":
                    self._by_value.setdefault(name, []).append(function)
                elif check.how == "cell" and (len(check.over) == 1 or name not in check.over):
                    self._by_cell.setdefault(name, []).append((function, check))
                else:
                    whole = partial(self._whole, check, function)
                    self._everywhere.setdefault(name, []).append(whole)

    def hold(self) -> bool:
        """Whether every check that the touched cells may break holds now."""
        state, by_cell = self._state, self._by_cell
        for name, key in state.touched:
            if name in by_cell:
                for function, check in by_cell[name]:
                    if not function(*key) and self._live(check, key):
                        return False
        if self._by_value:
            for name, value in state.moved:
                for function in self._by_value.get(name, ()):
                    if not function(value):
                        return False
        return not self._everywhere or self._hold_everywhere()

    def _hold_everywhere(self) -> bool:
        """The checks that are evaluated in full, each once."""
        everywhere = self._everywhere
        names = [name for name, _ in self._state.touched if name in everywhere]
        wide = {function: None for name in names for function in everywhere[name]}
        return all(function() for function in wide)

    def _live(self, check: Check, key: Sequence[str]) -> bool:
        """Whether a cell belongs to live entities, of which alone a check speaks."""
        live = self._state.live
        return all(entity in live[kind] for kind, entity in zip(check.over, key, strict=True))

    def broken(self) -> str | None:
        """The name of a check that does not hold somewhere, all cells considered; else None."""
        for check, function in self._checks:
            if not self._whole(check, function):
                return check.name
        return None

    def _whole(self, check: Check, function: Callable[..., bool]) -> bool:
        """One check over everything of which it speaks."""
        state = self._state
        if check.how == "all":
            return function()
        if check.how == "value":
            return all(function(value) for value in state.held[check.register or ""])
        return all(function(*cell) for cell in product(*(state.live[k] for k in check.over)))
