"""Findings of the lint: one line each, with the place, what is wrong and the mend."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from supersede.errors import SpecError, location
from supersede.specs.load import Loaded, Place, SchemaError
from supersede.specs.refused import ExpressionError
from supersede.specs.schema import Specification

_Key: TypeAlias = tuple[int, int, str]
"""Line, column and words of a finding."""

_MISSING = re.compile(r"unknown \w+ '(\w+)'|(\w+) has no attribute '(\w+)'|('\w+' takes )")

Severity: TypeAlias = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a specification, or doubtful."""

    severity: Severity
    where: str
    """`file:line:column`."""
    what: str
    mend: str = ""
    """What to do about it, as a sentence."""

    def __str__(self) -> str:
        what = f"{self.where}: {self.severity}: {self.what}"
        if not self.mend:
            return " ".join(what.split())
        stop = "" if what.endswith(("?", "!", ".")) else "."
        return " ".join(f"{what}{stop} {self.mend}".split())


def findings_of(error: SpecError) -> list[Finding]:
    """The findings that an error of the loader stands for."""
    complaints = error.complaints if isinstance(error, SchemaError) else (error,)
    return [Finding("error", e.where or "", e.what, e.mend or "") for e in complaints]


class Report:
    """Findings about one specification, gathered while it is looked through.

    Attributes:
        spec: The specification.
        broken: Names about which something was found: measures, registers, rosters, derived
            views, types, and attributes with a dot before them. What uses one is not looked at,
            so that one mistake gives one finding.
        role_types: Number of an event and role -> entity type, of all sound roles of one entity.
    """

    def __init__(self, loaded: Loaded) -> None:
        self.spec: Specification = loaded.spec
        self.broken: set[str] = set()
        self.role_types: dict[tuple[int, str], str] = {}
        self._loaded = loaded
        self._found: dict[_Key, Finding] = {}
        self._unknown: dict[str, _Key] = {}
        self._again: dict[_Key, list[int]] = {}

    def error(self, path: Place, what: str, mend: str = "", *, missing: str | None = None) -> None:
        """Note a mistake in the value at a path.

        Args:
            path: The place of the value.
            what: What is wrong.
            mend: What to do about it.
            missing: A name that is used and is not there: the next time, it only adds its line.
        """
        self._mistake(self._loaded.place(path), what, mend, missing)

    def warn(self, path: Place, what: str, mend: str = "") -> None:
        """Note something doubtful in the value at a path."""
        self._note("warning", self._loaded.place(path), what, mend)

    def refuse(self, path: Place, text: str | int, error: ExpressionError) -> None:
        """Note an expression that the language refuses, with the column of the offending node."""
        what, mend = error.message, "See Expressions in docs/specification.md."
        for lead in ("Did you mean ", "Choose from "):
            if f". {lead}" in what:
                what, _, hint = what.partition(f". {lead}")
                mend = lead + hint
        text = str(text)
        offset = len(text) - len(text.lstrip())
        offset += len(text.strip().encode()[: error.column].decode(errors="ignore"))
        place = self._loaded.place(path, text, offset)
        found = _MISSING.search(what)
        missing = found and (found[1] or found[4] or f"{found[2]}.{found[3]}")
        self._mistake(place, what, mend, missing)

    def _mistake(self, place: tuple[int, int], what: str, mend: str, missing: str | None) -> None:
        first = self._unknown.get(missing) if missing is not None else None
        if first is not None:
            self._again.setdefault(first, []).append(place[0])
            return
        key = self._note("error", place, what, mend)
        if missing is not None:
            self._unknown[missing] = key

    def _note(self, severity: Severity, place: tuple[int, int], what: str, mend: str) -> _Key:
        where = location(self._loaded.source, *place)
        key = (*place, what)
        self._found.setdefault(key, Finding(severity, where, what, mend))
        return key

    @property
    def failed(self) -> bool:
        """Whether there is an error among the findings."""
        return any(finding.severity == "error" for finding in self._found.values())

    def findings(self) -> list[Finding]:
        """All findings in file order."""
        found: list[Finding] = []
        for key in sorted(self._found):
            finding = self._found[key]
            lines = sorted({line for line in self._again.get(key, ()) if line != key[0]})
            if lines:
                word = "line" if len(lines) == 1 else "lines"
                also = f" (also {word} {', '.join(map(str, lines))})"
                finding = replace(finding, what=finding.what + also)
            found.append(finding)
        return found


def listed(names: Sequence[str]) -> str:
    """Names in quotes, joined by commas."""
    return ", ".join(repr(name) for name in names)


def an(noun: str) -> str:
    """A noun with its article."""
    return f"{'an' if noun[:1].lower() in tuple('aeiou') else 'a'} {noun}"
