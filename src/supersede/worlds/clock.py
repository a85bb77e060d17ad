"""Times of day and record ids: strictly rising in a block, so no two records tie (R14)."""

from __future__ import annotations

from supersede.specs.schema import Clock as ClockPart
from supersede.worlds.streams import Draw, between

_MIDNIGHT = 24 * 60
_EVENING = 20 * 60
"""From here on steps shrink, so that a long block still ends on its day."""
UNTIMED_LATE = 100_000
"""In a world without times a late entry comes after all that its block already holds."""


class Clock:
    """Gives each record its id and time; `undo` takes the last one back."""

    def __init__(self, part: ClockPart, draw: Draw) -> None:
        """A clock before the first block."""
        self._part = part
        self._draw = draw
        self._timed = part.time is not None
        self._start = _minutes(part.time) if part.time is not None else 0
        self._block = 0
        self._number = 0
        self._minute = 0
        self._before_last = 0
        self._used: list[list[int]] = [[]]
        """Minutes given out in each block."""
        self._least = part.step[0]
        self._span = part.step[1] - part.step[0] + 1
        self._prefix = self._suffix = ""

    def begin(self, block: int) -> None:
        """Start a block at its first minute."""
        self._block = block
        self._number = 0
        self._minute = self._start
        self._used.append([])
        before, _, after = self._part.record.partition("{n}")
        self._prefix = before.replace("{block}", str(block))
        self._suffix = after.replace("{block}", str(block))

    def next(self, occurred: int, position: int) -> tuple[str, int]:
        """Id and clock of the next record, which takes place in block `occurred`."""
        self._number = number = self._number + 1
        self._before_last = self._minute
        if not self._timed:
            clock = number if occurred == self._block else UNTIMED_LATE + position
        elif occurred != self._block:
            clock = self._free(occurred)
            self._used[occurred].append(clock)
        else:
            if number == 1:
                clock = self._start
            else:
                clock = self._minute + self._least + int(self._draw() * self._span)
                if clock > _EVENING:
                    room = max(1, min(clock, _MIDNIGHT) - 1 - self._minute)
                    clock = self._minute + room // 12 + 1
            self._minute = clock
            self._used[occurred].append(clock)
        return f"{self._prefix}{number}{self._suffix}", clock

    def undo(self, occurred: int) -> None:
        """Take the last id and time back."""
        self._number -= 1
        self._minute = self._before_last
        if self._timed:
            self._used[occurred].pop()

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
