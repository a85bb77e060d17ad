"""Times of day and record ids: strictly rising in a block, so no two records tie (R14)."""

from __future__ import annotations

from supersede.specs.schema import Clock as ClockPart
from supersede.worlds.streams import Draw

_MIDNIGHT = 24 * 60
_EVENING = 20 * 60
"""From here on steps shrink, so that a long block still ends on its day."""
UNTIMED_LATE = 100_000
"""In a world without times a late entry comes after all that its block already holds."""


class Clock:
    """Gives each record its id and time, which are spent only once the record is posted.

    Attributes:
        upcoming: The clock of the next record that takes place in its own block.
    """

    def __init__(self, part: ClockPart, draw: Draw) -> None:
        """A clock before the first block."""
        self._part = part
        self._draw = draw
        self._timed = part.time is not None
        self._start = _minutes(part.time) if part.time is not None else 1
        self._block = 0
        self._number = 1
        self.upcoming = self._start
        self._used: list[list[int]] = [[]]
        """Minutes given out in each block to all other records."""
        self._plot: list[list[int]] = [[]]
        """Minutes given out in each block to the plot's own records in their own block, rising."""
        self._plot_now = self._plot[0]
        self._least = part.step[0]
        self._span = part.step[1] - part.step[0] + 1
        self._prefix = self._suffix = ""

    def begin(self, block: int) -> None:
        """Start a block at its first minute."""
        self._block = block
        self._number = 1
        self.upcoming = self._start
        self._used.append([])
        self._plot_now = []
        self._plot.append(self._plot_now)
        before, _, after = self._part.record.partition("{n}")
        self._prefix = before.replace("{block}", str(block))
        self._suffix = after.replace("{block}", str(block))

    def record_id(self) -> str:
        """The id of the next record."""
        return f"{self._prefix}{self._number}{self._suffix}"

    def late(self, occurred: int, position: int, share: float) -> int:
        """The clock of the next record if it took place in an earlier block.

        Args:
            occurred: The block in which it took place.
            position: Its position in the history.
            share: 0 to 1: after which part of the plot of that block. Distractors do not matter,
                so more of them leave the order of the plot as it is (R24).
        """
        if not self._timed:
            return UNTIMED_LATE + position
        plot, used = self._plot[occurred], self._used[occurred]
        clock = plot[int(share * len(plot))] if plot else self._start
        while clock in plot or clock in used:
            clock += 1
        return clock

    def spend(self, occurred: int, clock: int) -> None:
        """Go on after a record has been posted.

        Args:
            occurred: The block in which it took place.
            clock: Its clock.
        """
        self._number = number = self._number + 1
        if not self._timed:
            self.upcoming = number
            return
        self._used[occurred].append(clock)
        if occurred == self._block:
            self.upcoming = self._after(clock)

    def spend_in_plot(self, occurred: int, clock: int) -> str:
        """The id of a record of the plot that is posted now, and on to the next.

        Args:
            occurred: The block in which it took place.
            clock: Its clock.
        """
        number = self._number
        self._number = number + 1
        if not self._timed:
            self.upcoming = number + 1
        elif occurred == self._block:
            self._plot_now.append(clock)
            following = clock + self._least + int(self._draw() * self._span)
            self.upcoming = following if following <= _EVENING else _late_hour(clock, following)
        else:
            self._used[occurred].append(clock)
        return f"{self._prefix}{number}{self._suffix}"

    def _after(self, clock: int) -> int:
        """The minute of the record that follows one of this minute."""
        following = clock + self._least + int(self._draw() * self._span)
        return following if following <= _EVENING else _late_hour(clock, following)

    def of_plot(self, clock: int) -> None:
        """Note that the last record, in its own block, is one of the plot."""
        self._plot_now.append(clock)


def _late_hour(clock: int, following: int) -> int:
    """The minute after one late in the day, where `following` would come soon to midnight."""
    return clock + max(1, min(following, _MIDNIGHT) - 1 - clock) // 12 + 1


def _minutes(time: str) -> int:
    hours, minutes = time.split(":")
    return int(hours) * 60 + int(minutes)
