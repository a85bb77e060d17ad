"""How single values are printed and read back: numbers, names, record ids, symbols.

A form is a pair of inverses. Reading is a dictionary that fills itself: `form.values[text]` is
the value that `text` prints, or None where `text` is not exactly what the form would print.
So one look-up both checks a text and reads it, and no second spelling of a value gets through.

Printed numbers (R36): ASCII `+` and `-`, no thousands separator, two places for a scale of 100,
and behind a whole 1 or -1 the unit in the singular: `+1 point`, but `1.00 crowns`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeAlias, TypeVar

from supersede.errors import SpecError
from supersede.questions.wording import singular_of

MEMORY = 20_000
"""Texts that a form remembers before it starts anew."""

DIGITS = 600
"""Digits of a number that is read, at most; Python turns some thousands into an integer."""

WHOLE = "(?:0|[1-9][0-9]*)"
"""A number without sign and leading zeros, as a regular expression."""

UNSET = "unset"
"""What an empty register cell is printed as."""

T = TypeVar("T")


class Values(dict[str, T | None], Generic[T]):
    """Text -> the value that it prints, None where it prints none; read on first sight."""

    def __init__(self, read: Callable[[str], T | None]) -> None:
        super().__init__()
        self._read = read

    def __missing__(self, text: str) -> T | None:
        if len(self) >= MEMORY:
            self.clear()
        value = self[text] = self._read(text)
        return value


class Texts(dict[int, str]):
    """Number -> how it is printed; formed on first sight."""

    def __init__(self, write: Callable[[int], str]) -> None:
        super().__init__()
        self._write = write

    def __missing__(self, number: int) -> str:
        if len(self) >= MEMORY:
            self.clear()
        text = self[number] = self._write(number)
        return text


class Number:
    """An integer in minor units, printed with its places and unit.

    Attributes:
        texts: Number -> text, such as `-12.50 USD` or `+3`.
        values: Text -> number.
        tails: What may stand behind the digits: the unit, and that of one where it differs.
    """

    def __init__(self, scale: int = 1, unit: str = "", *, signed: bool = False) -> None:
        """The form of a number.

        Args:
            scale: Minor units per printed unit, a power of ten.
            unit: Printed after a space; nothing where empty.
            signed: Whether a number from 0 up gets a plus sign.

        Raises:
            SpecError: The scale is no power of ten.
        """
        digits = str(scale)
        if digits.rstrip("0") != "1":
            raise SpecError(
                f"scale: {scale} does not give whole places", mend="Use 1, 10, 100 or 1000."
            )
        self.places = len(digits) - 1
        self.scale = scale
        self.unit = unit
        self._tail = f" {unit}" if unit else ""
        self._one = self._tail if self.places else singular_of(self._tail)
        self.tails = tuple(dict.fromkeys((self._tail, self._one)))
        self._plus = "+" if signed else ""
        part = rf"\.([0-9]{{{self.places}}})" if self.places else "()"
        self._fits = re.compile(
            rf"({re.escape(self._plus)}|-)({WHOLE}){part}({'|'.join(map(re.escape, self.tails))})"
        ).fullmatch
        self.texts = Texts(self._write)
        self.values: Values[int] = Values(self._read)

    def write(self, number: Any) -> str:
        """`number` as it is printed.

        Raises:
            TypeError: It is no integer.
        """
        text: str = self.texts[number]
        return text

    def samples(self) -> tuple[str, ...]:
        """One number that the form prints with each tail."""
        return tuple(self._write(number) for number in (7, 1)[: len(self.tails)])

    def _write(self, number: int) -> str:
        if not isinstance(number, int):
            raise TypeError(f"{number!r} is not an integer")
        sign = self._plus if number >= 0 else "-"
        if not self.places:
            return f"{sign}{abs(number)}{self._one if abs(number) == 1 else self._tail}"
        whole, part = divmod(abs(number), self.scale)
        return f"{sign}{whole}.{part:0{self.places}}{self._tail}"

    def _read(self, text: str) -> int | None:
        match = self._fits(text)
        if match is None:
            return None
        sign, whole, part, tail = match.groups()
        digits = whole + part
        if len(digits) > DIGITS:
            return None
        number = int(digits)
        if tail != (self._one if number == 1 else self._tail):
            return None
        if sign != "-":
            return number
        return -number if number else None  # nothing is printed as -0


class Names:
    """Names of a closed set, and names minted after a template.

    Attributes:
        names: The closed set, in the order given.
        pattern: A regular expression for the minted names; None where none are.
        values: Text -> the name itself.
    """

    def __init__(self, names: Iterable[str], minted: str | None = None) -> None:
        """The form of a name.

        Args:
            names: The closed set.
            minted: Template of minted names with `{n}`, such as `#{n}`, or of record ids with
                `{block}` and `{n}`.
        """
        self.names = tuple(names)
        self._minted = minted
        self._known = frozenset(self.names)
        self.pattern = None if minted is None else filled(minted, n=WHOLE, block=WHOLE)
        self._fits = None if self.pattern is None else re.compile(self.pattern).fullmatch
        self.values: Values[str] = Values(self._read)

    def write(self, name: object) -> str:
        """The name."""
        return str(name)

    def samples(self) -> tuple[str, ...]:
        """Every name of the closed set, and one minted name where there are such."""
        minted = () if self._minted is None else (self._minted.format(n=1, block=1),)
        return (*self.names, *minted)

    def _read(self, text: str) -> str | None:
        known = text in self._known or (self._fits is not None and self._fits(text))
        return text if known else None


Form: TypeAlias = Number | Names


def filled(template: str, **patterns: str) -> str:
    """A regular expression for what a template prints, each `{slot}` being its pattern."""
    pattern = re.escape(template)
    for slot, inner in patterns.items():
        pattern = pattern.replace(re.escape(f"{{{slot}}}"), inner)
    return pattern


def joined(names: Iterable[str]) -> str:
    """A list as people write it: `Ann`, `Ann and Bob`, `Ann, Bob and Cy`."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
