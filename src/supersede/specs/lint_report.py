"""Findings of the lint: one line each, with the place, what is wrong and the mend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from supersede.errors import SpecError, location
from supersede.specs.expressions import ExpressionError
from supersede.specs.load import Loaded, Place, SchemaError
from supersede.specs.schema import Specification

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
            views, types, and `event.role` of each event. What uses one is not looked at, so that
            one mistake gives one finding.
    """

    def __init__(self, loaded: Loaded) -> None:
        self.spec: Specification = loaded.spec
        self.broken: set[str] = set()
        self._loaded = loaded
        self._found: dict[tuple[int, int, str], Finding] = {}

    def error(self, path: Place, what: str, mend: str = "") -> None:
        """Note a mistake in the value at a path."""
        self._note("error", path, what, mend)

    def warn(self, path: Place, what: str, mend: str = "") -> None:
        """Note something doubtful in the value at a path."""
        self._note("warning", path, what, mend)

    def refuse(self, path: Place, text: str | int, error: ExpressionError) -> None:
        """Note an expression that the language refuses, with the column of the offending node."""
        what, _, hint = error.message.partition(". Did you mean ")
        mend = f"Did you mean {hint}" if hint else ""
        if not mend:
            what, _, hint = error.message.partition(". Choose from ")
            mend = f"Choose from {hint}" if hint else "See Expressions in docs/specification.md."
        text = str(text)
        lead = len(text) - len(text.lstrip())
        offset = len(text.strip().encode()[: error.column].decode(errors="ignore"))
        self._note("error", path, what, mend, text, lead + offset)

    def _note(
        self,
        severity: Severity,
        path: Place,
        what: str,
        mend: str,
        text: str = "",
        offset: int | None = None,
    ) -> None:
        line, column = self._loaded.place(path, text, offset)
        where = location(self._loaded.source, line, column)
        self._found.setdefault((line, column, what), Finding(severity, where, what, mend))

    @property
    def failed(self) -> bool:
        """Whether there is an error among the findings."""
        return any(finding.severity == "error" for finding in self._found.values())

    def findings(self) -> list[Finding]:
        """All findings in file order."""
        return [self._found[key] for key in sorted(self._found)]


def listed(names: Sequence[str]) -> str:
    """Names in quotes, joined by commas."""
    return ", ".join(repr(name) for name in names)
