"""What writer and reader agree on beside wordings: marks, empty blocks, brackets, clocks."""

from __future__ import annotations

from typing import NamedTuple

from supersede.model.world import World

INTERIM = "Question: "
"""Opens a question in the middle of the log."""
FINAL = "Final question: "
"""Opens the question that ends the last user turn."""
NOTHING = "Nothing was entered."
"""The line of a block without lines."""
LATE_CLOCK = 100_000
"""Where no times are shown, a late entry's clock is this and its position: the end of its block."""

TIMES = tuple(f"{minute // 60:02}:{minute % 60:02}" for minute in range(48 * 60))
"""Minutes since midnight -> `08:30`; a day that runs on past midnight counts on."""


class Meta(NamedTuple):
    """What stands in brackets behind a record's id."""

    occurred: int | None
    """The block in which it took place, where that is not its own."""
    clock: int | None
    """Minutes since midnight; None where no time is shown."""
    status: str | None


def bracket(world: World, meta: Meta) -> str:
    """The text in brackets: `08:30, settled`, `Day 3 10:42, settled`, or nothing."""
    parts = [] if meta.occurred is None else [f"{world.block} {meta.occurred}"]
    if meta.clock is not None:
        parts.append(TIMES[meta.clock])
    text = " ".join(parts)
    if meta.status is None:
        return text
    return f"{text}, {meta.status}" if text else meta.status
