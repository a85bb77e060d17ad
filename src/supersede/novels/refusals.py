"""What a project refuses, so that whoever asked can be told what is there instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from supersede.errors import DataError, UsageError

__all__ = ["Forbidden", "StaleEdit"]


class StaleEdit(DataError):
    """An edit of something that has changed since it was looked at; nothing was written."""

    revision: int = 0
    """The revision that is there now; 0 where nothing is."""
    current: Mapping[str, Any] | None = None
    """What is there now; None where nothing is."""

    @classmethod
    def of(
        cls, kind: str, key: tuple[str | int, ...], revision: int, current: Mapping[str, Any] | None
    ) -> StaleEdit:
        """The refusal of an edit of one thing."""
        error = cls(
            f"the {kind} has changed since",
            where="/".join(map(str, key)),
            mend="Look at what is there now, and decide again.",
        )
        error.revision, error.current = revision, current
        return error


class Forbidden(UsageError):
    """Something that this person may not see or do."""
