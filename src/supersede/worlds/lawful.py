"""Bounds and invariants, checked for the cells that the last record touched (S7, R21, R22)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product, starmap

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
        self._by_cell: dict[str, list[tuple[Callable[..., bool], tuple[str, ...]]]] = {}
        self._by_row: dict[str, list[tuple[Callable[..., bool], int, str]]] = {}
        self._by_member: dict[str, list[tuple[Callable[..., bool], str]]] = {}
        self._by_value: dict[str, list[Callable[..., bool]]] = {}
        self._by_entity: dict[str, list[tuple[Callable[..., bool], tuple[str, ...]]]] = {}
        """Entity type -> checks of cells over two types, of which it is one."""
        self._everywhere: dict[str, list[Callable[[], bool]]] = {}
        for check, function in self._checks:
            for name in check.reads:
                self._note(name, check, function)

    def _note(self, name: str, check: Check, function: Callable[..., bool]) -> None:
        """Note that a change under a name may break a check."""
        if check.how == "value":
            self._by_value.setdefault(name, []).append(function)
        elif check.how == "cell" and len(check.over) > 1 and name in check.over:
            self._by_entity.setdefault(name, []).append((function, check.over))
        elif check.how == "cell":
            self._by_cell.setdefault(name, []).append((function, check.over))
        elif check.how == "row":
            (kind,), place = check.over, check.at.get(name, 0)
            if place is None:
                self._by_member.setdefault(name, []).append((function, kind))
            else:
                self._by_row.setdefault(name, []).append((function, place, kind))
        else:
            whole = partial(self._whole, check, function)
            self._everywhere.setdefault(name, []).append(whole)

    def release(self) -> None:
        """Let go of all checks; none is made from here on."""
        self._checks = ()
        self._by_cell, self._by_row, self._by_member = {}, {}, {}
        self._by_value, self._by_entity, self._everywhere = {}, {}, {}

    def hold(self) -> bool:
        """Whether every check that the touched cells may break holds now."""
        state, by_cell = self._state, self._by_cell
        for name, key in state.touched:
            if name in by_cell:
                for function, kinds in by_cell[name]:
                    if not function(*key) and self._live(kinds, key):
                        return False
        if self._by_value:
            for name, value in state.moved:
                for function in self._by_value.get(name, ()):
                    if not function(value):
                        return False
        if (self._by_row or self._by_member) and not self._rows_hold():
            return False
        if self._by_entity and not self._new_cells_hold():
            return False
        return not self._everywhere or self._hold_everywhere()

    def _rows_hold(self) -> bool:
        """The checks of the entities that touched cells name, or that joined or left."""
        state = self._state
        rows: dict[tuple[Callable[..., bool], str], str] = {}
        for name, key in state.touched:
            for function, place, kind in self._by_row.get(name, ()):
                rows[function, key[place]] = kind
        for name, member in state.moved:
            for function, kind in self._by_member.get(name, ()):
                rows[function, str(member)] = kind
        return all(
            function(entity) or entity not in state.live[kind]
            for (function, entity), kind in rows.items()
        )

    def _new_cells_hold(self) -> bool:
        """The checks of the cells that a new entity makes with those of another type."""
        live = self._state.live
        for name, key in self._state.touched:
            if name in self._by_entity and key[0] in live[name]:
                for function, over in self._by_entity[name]:
                    for place in (n for n, kind in enumerate(over) if kind == name):
                        pools = [key if n == place else live[kind] for n, kind in enumerate(over)]
                        if not all(starmap(function, product(*pools))):
                            return False
        return True

    def _hold_everywhere(self) -> bool:
        """The checks that are evaluated in full, each once."""
        everywhere = self._everywhere
        names = [name for name, _ in self._state.touched if name in everywhere]
        wide = {function: None for name in names for function in everywhere[name]}
        return all(function() for function in wide)

    def _live(self, kinds: Sequence[str], key: Sequence[str]) -> bool:
        """Whether a cell belongs to live entities, of which alone a check speaks."""
        live = self._state.live
        return all(entity in live[kind] for kind, entity in zip(kinds, key, strict=True))

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
            return all(function(value) for value in state.holders(check.register or ""))
        return all(starmap(function, product(*(state.live[k] for k in check.over))))
