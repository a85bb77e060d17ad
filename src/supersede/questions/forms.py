"""Forms: how computed values become the lines of an answer.

A line is one slot of the answer form and one claim of the checklist. Slots depend on the
parameters of a question only, never on its answer, so that the question can print the form.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from supersede.model.question import Claim, ClaimKind
from supersede.model.record import Value
from supersede.model.world import Register
from supersede.questions.wording import NONE, ORDINALS, decimal, digits, fixed, shown

_COUNTED = frozenset({ClaimKind.VALUE, ClaimKind.COUNT})
_MEASURED = _COUNTED | {ClaimKind.MARGIN}
_NOTHING = frozenset({NONE, "unset", "tie"})


class Line(NamedTuple):
    """One slot of an answer, with what it is filled with."""

    kind: ClaimKind
    slot: str
    expected: str
    text: str
    """What the slot states, as the left side of an English sentence."""
    number: tuple[int, int] | None = None
    places: int = 0
    hint: str = "number"
    """What the form shows in the place of the value."""
    candidates: tuple[str, ...] = ()
    unit: str = ""

    def claim(self) -> Claim:
        """The claim that the line makes."""
        return Claim(
            self.kind,
            self.slot,
            f"{self.text} = {self.expected}",
            self.expected,
            self.number,
            self.places,
            self.candidates,
            self.unit,
        )


def value(
    slot: str, number: int, text: str, scale: int = 1, kind: ClaimKind = ClaimKind.VALUE
) -> Line:
    """A line with a number of minor units."""
    if scale == 1:
        return Line(kind, slot, str(number), text, (number, 1))
    places = digits(scale)
    hint = f"number with {places} decimal{'' if places == 1 else 's'}"
    return Line(kind, slot, decimal(number, scale), text, (number, scale), places, hint)


def count(slot: str, number: int, text: str) -> Line:
    """A line with a number of records or entities."""
    return Line(ClaimKind.COUNT, slot, str(number), text, (number, 1))


def margin(slot: str, number: int, text: str, scale: int = 1) -> Line:
    """A line with a difference."""
    return value(slot, number, text, scale, ClaimKind.MARGIN)


def ratio(slot: str, numerator: int, denominator: int, places: int, text: str) -> Line:
    """A line with a fraction at fixed places; `none` where the denominator is 0 (R31)."""
    if denominator == 0:
        return Line(ClaimKind.VALUE, slot, NONE, text)
    exact = Fraction(numerator, denominator)
    parts = (exact.numerator, exact.denominator)
    return Line(ClaimKind.VALUE, slot, fixed(exact, places), text, parts, places)


def named(
    slot: str,
    name: str | None,
    text: str,
    hint: str,
    kind: ClaimKind = ClaimKind.WINNER,
    candidates: Sequence[str] = (),
) -> Line:
    """A line with a name, or `none`."""
    return Line(kind, slot, NONE if name is None else name, text, None, 0, hint, tuple(candidates))


def record_ids(slot: str, ids: Sequence[str], text: str) -> Line:
    """A line with a set of record ids, or `none`."""
    return Line(ClaimKind.RECORD_IDS, slot, ", ".join(ids) or NONE, text, hint="record ids or none")


def latest_record(slot: str, record_id: str | None, text: str) -> Line:
    """A line with one record id, or `none`."""
    return Line(ClaimKind.LATEST_RECORD, slot, record_id or NONE, text, hint="record id or none")


def held(slot: str, printed: str, text: str, hint: str, candidates: Sequence[str] = ()) -> Line:
    """A line with what a register or roster holds, as printed."""
    return Line(ClaimKind.REGISTER, slot, printed, text, None, 0, hint, tuple(candidates))


def state(slot: str, now: Value, what: str, register: Register, noun: str) -> Line:
    """A line with the value that a register holds; `unset` for None (S5).

    Args:
        slot: The slot.
        now: The value.
        what: What the value is of, as a noun phrase.
        register: The register.
        noun: Noun for a block, which numbers of blocks are printed with in the log.
    """
    hint = f"{noun} number" if register.block else register.label
    line = held(slot, shown(now, register.scale), what, f"{hint} or unset")
    if not isinstance(now, int):
        return line
    places = 0 if register.scale == 1 else digits(register.scale)
    text = f"{what} ({noun} number)" if register.block else what
    return line._replace(number=(now, register.scale), places=places, text=text)


def names_set(slot: str, names: Iterable[str], text: str, hint: str) -> Line:
    """A line with a set of names, or `none`."""
    return held(slot, ", ".join(names) or NONE, text, f"{hint}, comma between, or none")


def block(slot: str, number: int | None, text: str, kind: ClaimKind = ClaimKind.WINNER) -> Line:
    """A line with the number of a block, or `none`."""
    if number is None:
        return named(slot, None, text, "number", kind)
    return Line(kind, slot, str(number), text, (number, 1))


def ranked(values: Mapping[str, int]) -> list[str]:
    """Names by value, largest first; equal ones stay in declared order (R33)."""
    return sorted(values, key=values.__getitem__, reverse=True)


def leader(values: Mapping[str, int]) -> str | None:
    """The first by value; None where all are at zero (R33)."""
    best = max(values, key=values.__getitem__, default=None)
    return best if best is not None and any(values.values()) else None


def top(
    values: Mapping[str, int],
    n: int,
    by: str,
    hint: str,
    scale: int = 1,
    kind: ClaimKind = ClaimKind.VALUE,
    numbered: bool = False,
) -> list[Line]:
    """Lines for the first `n` places, name and value each; `none` beyond the last candidate.

    Args:
        values: Candidate -> value, in the order that breaks ties.
        n: How many places.
        by: What is ranked by, as a noun phrase.
        hint: What the form shows for a candidate.
        scale: Minor units per printed unit of the values.
        kind: Claim of the values: `VALUE` or `COUNT`.
        numbered: Whether candidates are block numbers.
    """
    order = ranked(values)
    lines: list[Line] = []
    for place in range(n):
        ordinal = ORDINALS[place]
        name = order[place] if place < len(order) else None
        line = named(ordinal, name, f"{ordinal} by {by}", hint, ClaimKind.RANK)
        if numbered and name is not None:
            line = line._replace(number=(int(name), 1))
        lines.append(line)
        slot, text = f"{ordinal} value", f"{by} of the {ordinal}"
        if name is None:
            lines.append(Line(kind, slot, NONE, text))
        else:
            lines.append(value(slot, values[name], text, scale, kind))
    return lines


def winner_of_two(
    slot: str, first: str, second: str, difference: int, text: str, hint: str
) -> Line:
    """A line with the one that has more, or `tie`."""
    name = "tie" if difference == 0 else first if difference > 0 else second
    return named(slot, name, text, f"{hint} or tie", candidates=(first, second, "tie"))


def tells(lines: Sequence[Line]) -> bool:
    """Whether an answer has something to tell: a value or count other than 0, or else a name.

    A ranking of zeros tells nothing, nor do `none`, `unset`, a tie, and a name that has stood
    from the start, beside 0 records.
    """
    if any(line.number[0] for line in lines if line.number and line.kind in _MEASURED):
        return True
    if any(line.kind in _COUNTED for line in lines):
        return False
    return any(line.expected not in _NOTHING for line in lines if line.kind not in _MEASURED)


def answer_text(lines: Sequence[Line]) -> str:
    """The answer in its form: `Answer: 1st = Ann; 1st value = 12`."""
    return "Answer: " + "; ".join(f"{line.slot} = {line.expected}" for line in lines)


def form_text(lines: Sequence[Line]) -> str:
    """The form of an answer with a hint in every blank."""
    return "Answer: " + "; ".join(f"{line.slot} = <{line.hint}>" for line in lines)
