"""Times of day and record ids: strictly rising in a block, so no two records tie (R14)."""

from __future__ import annotations

from supersede.specs.schema import Clock as ClockPart
from supersede.worlds.streams import Draw, between

_MIDNIGHT = 24 * 60
UNTIMED_LATE = 100_000
"""In a world without times a late entry comes after all that its block already holds."""


class Clock:
    """Gives the next id and time; `next` proposes, `keep` makes the proposal final."""

    def __init__(self, part: ClockPart, draw: Draw) -> None:
        """A clock before the first block."""
        self._part = part
        self._draw = draw
        self._timed = part.time is not None
        self._start = _minutes(part.time) if part.time is not None else 0
        self._block = 0
        self._number = 0
        self._minute = 0
        self._used: dict[int, set[int]] = {}
        self._proposed = (0, 0)

    def begin(self, block: int) -> None:
        """Start a block at its first minute."""
        self._block = block
        self._number = 0
        self._minute = self._start
        self._used[block] = set()
        before, _, after = self._part.record.partition("{n}")
        self._before = before.replace("{block}", str(block))
        self._after = after.replace("{block}", str(block))

    def next(self, occurred: int, position: int) -> tuple[str, int]:
        """Id and clock of the next record, which takes place in block `occurred`."""
        record_id = f"{self._before}{self._number + 1}{self._after}"
        if not self._timed:
            late = occurred != self._block
            clock = UNTIMED_LATE + position if late else self._number + 1
        elif occurred == self._block:
            clock = self._rising()
        else:
            clock = self._free(occurred)
        self._proposed = (occurred, clock)
        return record_id, clock

    def keep(self) -> None:
        """Make the last proposal final."""
        occurred, clock = self._proposed
        self._number += 1
        if self._timed:
            self._used[occurred].add(clock)
            if occurred == self._block:
                self._minute = clock

    def _rising(self) -> int:
        if not self._number:
            return self._start
        step = between(self._draw, *self._part.step)
        room = _MIDNIGHT - 1 - self._minute
        minute = self._minute + min(step, max(1, room // 12))
        while minute in self._used[self._block]:
            minute += 1
        return minute

    def _free(self, occurred: int) -> int:
        """A minute of an earlier block that no record has taken."""
        used = self._used[occurred]
        last = max(used, default=self._start)
        minute = between(self._draw, self._start, max(last, self._start + 60))
        while minute in used:
            minute += 1
        return minute


def _minutes(time: str) -> int:
    hours, minutes = time.split(":")
    return int(hours) * 60 + int(minutes)
