"""The operators: one function each, registered by a decorator, found by family module."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TypeAlias

from supersede.errors import UsageError, did_you_mean
from supersede.model.question import Family, Parameter
from supersede.model.world import World
from supersede.questions.draw import Draw, Parameters
from supersede.questions.facts import Facts
from supersede.questions.forms import Line
from supersede.questions.operators import MODULES
from supersede.questions.view import View
from supersede.questions.wording import (
    article,
    called,
    decimal,
    during,
    held_phrase,
    listed,
    measure_phrase,
    plural_of,
    start_note,
    window_phrase,
)

FAMILIES: Mapping[str, Family] = {
    "ranking": Family.RANKING,
    "comparison": Family.COMPARISON,
    "profile": Family.PROFILE,
    "window": Family.WINDOW,
    "audit": Family.AUDIT,
    "counterfactual": Family.COUNTERFACTUAL,
    "hotspot": Family.HOTSPOT,
}
"""First part of an operator's name -> family."""

WHOLE = (
    "Whole records go: a replacement that is dropped no longer voids what it replaced, "
    "which counts again unless something else keeps it out."
)


class Given:
    """The parameters of a question, read by type."""

    __slots__ = ("values",)

    def __init__(self, values: Mapping[str, Parameter]) -> None:
        self.values = values

    def text(self, name: str) -> str:
        """A parameter that is a name."""
        return str(self.values[name])

    def number(self, name: str) -> int:
        """A parameter that is a number."""
        value = self.values[name]
        return value if isinstance(value, int) else int(str(value))

    def names(self, name: str) -> tuple[str, ...]:
        """A parameter that is a list of names."""
        value = self.values[name]
        return value if isinstance(value, tuple) else (str(value),)


Solve: TypeAlias = Callable[[View, Given], list[Line]]
Parametrise: TypeAlias = Callable[[Draw], Parameters | None]
Needs: TypeAlias = Callable[[Facts], bool]


@dataclass(frozen=True, slots=True)
class Operator:
    """A named kind of question.

    Attributes:
        name: Family and name: `ranking/event-type-actor-leaderboard`.
        family: One of seven.
        summary: What it asks, in a line.
        needs: Whether a world has what it asks about.
        draw: Gives parameters for a history; None where it has nothing to ask about.
        solve: Computes the answer's lines on one reading.
        phrasings: Three or more wordings, with holes for the parameters.
        single: The wordings where `n` is 1; none where it never is.
        notes: What one must know to answer, with the same holes: order, ties, empty cases.
    """

    name: str
    family: Family
    summary: str
    needs: Needs
    draw: Parametrise
    solve: Solve
    phrasings: tuple[str, ...]
    single: tuple[str, ...]
    notes: tuple[str, ...]

    def wordings(self, given: Mapping[str, Parameter]) -> tuple[str, ...]:
        """The wordings that fit the parameters in number."""
        return self.single if self.single and given["n"] == 1 else self.phrasings


_OPERATORS: dict[str, Operator] = {}


def operator(
    name: str,
    *,
    needs: Needs,
    draw: Parametrise,
    phrasings: tuple[str, str, str],
    single: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
) -> Callable[[Solve], Solve]:
    """Register the decorated function as an operator.

    Raises:
        ValueError: The name is taken, or its first part is no family.
    """

    def register(solve: Solve) -> Solve:
        family = FAMILIES[name.split("/")[0]]
        if name in _OPERATORS:
            raise ValueError(f"operator {name!r} is registered twice")
        summary = (inspect.getdoc(solve) or "").split("\n")[0]
        _OPERATORS[name] = Operator(
            name, family, summary, needs, draw, solve, phrasings, single, notes
        )
        return solve

    return register


def all_operators() -> Mapping[str, Operator]:
    """Every operator by name, family by family; loads their modules on the first call."""
    _load()
    return _OPERATORS


@lru_cache(maxsize=1)
def _load() -> None:
    """Import all operators, and put them in one order: instances depend on it.

    A module that somebody imported before would otherwise stand first.
    """
    names = [f"supersede.questions.operators.{module}" for module in MODULES]
    for name in names:
        importlib.import_module(name)
    place = {name: n for n, name in enumerate(names)}
    ordered = sorted(_OPERATORS.items(), key=lambda item: place[item[1].solve.__module__])
    _OPERATORS.clear()
    _OPERATORS.update(ordered)


def find_operator(name: str) -> Operator:
    """The operator of a name.

    Raises:
        UsageError: There is no such operator.
    """
    known = all_operators()
    if name not in known:
        raise UsageError(
            f"unknown operator {name!r}",
            mend=did_you_mean(name, known, see="supersede operators"),
        )
    return known[name]


def matching(patterns: Sequence[str]) -> tuple[Operator, ...]:
    """The operators that match one of the patterns (`ranking/*`), in registry order."""
    return _matching(tuple(patterns), len(all_operators()))


@lru_cache(maxsize=256)
def _matching(patterns: tuple[str, ...], _registered: int) -> tuple[Operator, ...]:
    return tuple(
        op
        for op in all_operators().values()
        if any(fnmatchcase(op.name, pattern) for pattern in patterns)
    )


def holes(world: World, given: Mapping[str, Parameter]) -> dict[str, str]:
    """What fills the holes of phrasings and notes: labels for the parameters of a question."""
    filled: dict[str, str] = {
        "in_": world.preposition,
        "In_": world.preposition.capitalize(),
        "block_noun": world.block,
        "a_block_noun": article(world.block),
        "block_nouns": plural_of(world.block),
        "whole": WHOLE,
        "standing": _standing(world),
    }
    for name, value in given.items():
        stem = name.rstrip("23")
        number = name[len(stem) :]
        if stem == "type":
            filled[name] = world.types[str(value)].label
            filled[f"a_{name}"] = article(filled[name])
            filled[f"types{number}"] = world.types[str(value)].plural
        elif stem == "event":
            filled[name] = world.events[str(value)].label
            filled[f"events{number}"] = world.events[str(value)].plural
        elif stem in ("measure", "derived"):
            filled[name] = measure_phrase(world, str(value))
            filled["start_note"] = start_note(world, str(value))
        elif stem == "register":
            register = world.registers[str(value)]
            filled[name] = register.label
            filled[f"a_{name}"] = article(register.label)
            filled["holders"] = world.types[register.on[0]].plural if register.on else ""
        elif stem == "roster":
            filled[name] = world.rosters[str(value)].label
        elif stem == "first":
            first, last = int(str(value)), int(str(given[f"last{number}"]))
            within = during(world, first, last)
            filled[f"window{number}"] = window_phrase(world, first, last)
            filled[f"in_window{number}"] = within
            filled[f"In_window{number}"] = within[:1].upper() + within[1:]
        elif stem == "block":
            filled[name] = f"{world.block} {value}"
        elif stem == "limit":
            filled[name] = decimal(int(str(value)), world.measures[str(given["measure"])].scale)
        elif stem == "attribute":
            filled[name] = str(value).replace("_", " ")
        elif stem == "value":
            filled[name] = held_phrase(world, world.registers[str(given["register"])], str(value))
        elif name == "key" and isinstance(value, tuple):
            unkeyed = [r.label for r in world.registers.values() if not r.on]
            names = [called(world, entity) for entity in value]
            filled["key_phrase"] = listed(names or unkeyed)
            filled["key_suffix"] = f" of {listed(names)}" if value else ""
        elif isinstance(value, tuple):
            filled[name] = listed([called(world, entity) for entity in value])
        else:
            filled[name] = called(world, str(value))
    return filled


def _standing(world: World) -> str:
    """What becomes of records that stand on a dropped one, as a sentence that follows others."""
    stood_on: list[str] = []
    if any(event.records for event in world.events.values()):
        stood_on.append("its id")
    if any(kind.minted is not None for kind in world.types.values()):
        stood_on.append("what it brought in")
    if not stood_on:
        return ""
    return (
        " What stands on a dropped record goes as well, and so on: a record that, in saying what "
        f"happened, names {' or '.join(stood_on)}. A replacement of a dropped record stays."
    )
