"""Bounds and invariants, checked for the cells that the last record touched (S7, R21, R22)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from supersede.worlds.program import Check, Program
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
        for name, key in state.touched:
            for check, function in self._by_cell.get(name, ()):
                if not function(*key) and self._concerns(check, key):
                    return False
            for function in self._everywhere.get(name, ()):
                if not function():
                    return False
        if self._by_value:
            for name, value in state.moved:
                for function in self._by_value.get(name, ()):
                    if not function(value):
                        return False
        return True

    def _concerns(self, check: Check, key: tuple[str, ...]) -> bool:
        """Whether a cell belongs to the live entities that a check speaks of."""
        return check.over is None or key[0] in self._state.live[check.over]

    def broken(self) -> str | None:
        """The name of a check that does not hold somewhere, all cells considered; else None."""
        state = self._state
        world = state.world
        for check, function in self._checks:
            if check.how == "all":
                fine = function()
            elif check.how == "value":
                fine = all(function(v) for v in state.held[check.reads[0]])
            elif check.over is not None:
                fine = all(function(entity) for entity in state.live[check.over])
            else:
                first, second = (state.live[t] for t in world.measures[check.reads[0]].per)
                fine = all(function(a, b) for a in first for b in second)
            if not fine:
                return check.name
        return None
