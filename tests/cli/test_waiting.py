"""The line on the terminal that says how far something is."""

from __future__ import annotations

import asyncio
import io
import os

import pytest

from supersede.cli import waiting
from supersede.cli.waiting import AFTER_SECONDS, TICK_SECONDS, Far


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    """Time that stands still until a test moves it."""

    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_what_the_line_says() -> None:
    assert Far("mill, names", 0, 4, 0).line(59.6) == "mill, names [          ] 0/4, 0:01:00"
    assert Far("m", 3, 4, 1).line(100) == "m [########  ] 3/4, 1 kept, 0:01:40, 0:00:50 left"
    assert Far("m", 2, 4, 2).line(3) == "m [#####     ] 2/4, 2 kept, 0:00:03"
    assert Far("m", 1_200, 1_200, 0).line(4_000) == "m [##########] 1,200/1,200, 1:06:40"
    assert Far("m", 0, 0, 0).line(0) == "m [          ] 0/0, 0:00:00"
    longest = Far("the-time-machine, questions", 12, 40, 10).line(930)
    assert longest.endswith("] 12/40, 10 kept, 0:15:30, 3:37:00 left")
    assert len(longest) < 80


async def shown(stream: io.StringIO, ticks: int, clock: Clock, fars: list[Far | None]) -> None:
    def far() -> Far | None:
        clock.seconds += 1
        return fars.pop(0) if len(fars) > 1 else fars[0]

    async with waiting.waiting(far, stream, clock):
        for _ in range(ticks):
            await asyncio.sleep(0)


def test_it_is_written_over_and_cleared_and_each_label_has_its_own_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(waiting, "AFTER_SECONDS", 0)
    monkeypatch.setattr(waiting, "TICK_SECONDS", 0)
    stream = Terminal()
    first, second = Far("a", 0, 1, 0), Far("b", 0, 2, 0)
    asyncio.run(shown(stream, 9, Clock(), [None, first, first, second, second]))
    empty, *lines, end = stream.getvalue().split("\r\x1b[K")
    assert (empty, end) == ("", "")
    assert [(line[0], line[-7:]) for line in lines[:4]] == [
        ("a", "0:00:02"),
        ("a", "0:00:03"),
        ("b", "0:00:00"),
        ("b", "0:00:01"),
    ]


def test_a_long_label_is_cut_to_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "AFTER_SECONDS", 0)
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((40, 24)))
    stream = Terminal()
    asyncio.run(shown(stream, 3, Clock(), [Far("m" * 99, 0, 1, 0)]))
    assert stream.getvalue() == f"\r\x1b[K{'m' * 39}\r\x1b[K"


def test_nothing_is_written_before_two_seconds_nor_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert AFTER_SECONDS == 2
    assert TICK_SECONDS <= 1
    stream = Terminal()
    asyncio.run(shown(stream, 9, Clock(), [Far("m", 0, 1, 0)]))
    assert stream.getvalue() == ""
    monkeypatch.setattr(waiting, "AFTER_SECONDS", 0)
    plain = io.StringIO()
    asyncio.run(shown(plain, 9, Clock(), [Far("m", 0, 1, 0)]))
    assert plain.getvalue() == ""
