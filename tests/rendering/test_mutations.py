"""A text that was changed reads as another history or is refused, never silently the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

import pytest
from tests.rendering.depot import depot, history, reader, written

from supersede.errors import DataError
from supersede.model.instance import Message
from supersede.model.record import History
from supersede.rendering.lines import NOTHING

Change = Callable[[str], Iterator[str]]


@cache
def messages() -> tuple[Message, ...]:
    return written(history())


@cache
def original() -> History:
    return reader().read(messages())


def with_line(turn: int, line: int, *new: str) -> tuple[Message, ...]:
    """The messages with one line replaced by none, one or more."""
    text, gap, question = messages()[turn].content.partition("\n\n")
    lines = text.split("\n")
    lines[line : line + 1] = new
    changed = Message("user", "\n".join(lines) + gap + question)
    return (*messages()[:turn], changed, *messages()[turn + 1 :])


def read_or_refused(changed: tuple[Message, ...]) -> History | None:
    try:
        return reader().read(changed)
    except DataError:
        return None


def lines() -> Iterator[tuple[int, int, str]]:
    for turn, message in enumerate(messages()[1:], start=1):
        for number, line in enumerate(message.content.partition("\n\n")[0].split("\n")):
            if number and line != NOTHING:
                yield turn, number, line


def other_digits(line: str) -> Iterator[str]:
    for match in re.finditer("[0-9]", line):
        digit = str((int(match[0]) + 1) % 10)
        yield line[: match.start()] + digit + line[match.end() :]


def other_names(line: str) -> Iterator[str]:
    for kind in depot()[1].types.values():
        for name, other in zip(kind.names, (*kind.names[1:], *kind.names[:1]), strict=True):
            for match in re.finditer(re.escape(name), line):
                yield line[: match.start()] + other + line[match.end() :]


def other_words(line: str) -> Iterator[str]:
    for match in re.finditer(r"[a-z]{2,}", line):
        yield line[: match.start()] + "qx" + line[match.end() :]


def other_labels(line: str) -> Iterator[str]:
    head, colon, rest = line.partition("): ")
    record_id, _, bracket = head.partition(" (")
    if bracket and re.match(r"D\d+-R\d+", record_id):
        bare, *_ = record_id.split(" ")
        for label in ("", *(f" {event.label}" for event in depot()[0].events)):
            if f"{bare}{label}" != record_id:
                yield f"{bare}{label} ({bracket}{colon}{rest}"


def other_signs(line: str) -> Iterator[str]:
    for old, new in ((" +", " -"), (" -", " +"), (" = ", " + "), (" joins ", " leaves ")):
        if old in line:
            yield line.replace(old, new, 1)


def missing_effects(line: str) -> Iterator[str]:
    parts = line.removesuffix(".").split("; ")
    for at in range(1, len(parts)):
        yield "; ".join(parts[:at] + parts[at + 1 :]) + "."
        yield "; ".join(parts[:at]) + "."


def doubled_effects(line: str) -> Iterator[str]:
    parts = line.removesuffix(".").split("; ")
    for at in range(1, len(parts)):
        yield "; ".join([*parts[: at + 1], *parts[at:]]) + "."


def cut_short(line: str) -> Iterator[str]:
    for end in range(1, len(line)):
        yield line[:end]


def other_spellings(line: str) -> Iterator[str]:
    for old, new in (
        (".", ".."), (" ", "  "), ("+", "+0"), ("; ", ";"), ("; ", ", "), (": ", ":"), ("(", "( "),
        (",", ""), ("Day", "day"), (" EUR", ""), (")", ", )"),
    ):  # fmt: skip
        if old in line:
            yield line.replace(old, new, 1)


@pytest.mark.parametrize(
    "change",
    [
        other_digits,
        other_names,
        other_words,
        other_labels,
        other_signs,
        missing_effects,
        doubled_effects,
        cut_short,
        other_spellings,
    ],
)
def test_no_change_of_a_line_goes_unseen(change: Change) -> None:
    changes = [(t, n, changed) for t, n, line in lines() for changed in change(line)]
    assert len(changes) > 15
    for turn, number, changed in changes:
        assert read_or_refused(with_line(turn, number, changed)) != original(), changed


def test_a_record_that_stands_twice_is_refused() -> None:
    for turn, number, line in lines():
        read = read_or_refused(with_line(turn, number, line, line))
        if read is not None:  # only talk may be repeated, and then it is there twice
            assert len(read.noise) == len(original().noise) + 1, line


def test_a_line_that_is_gone_does_not_go_unseen() -> None:
    for turn, number, line in lines():
        assert read_or_refused(with_line(turn, number)) != original(), line


def test_two_lines_that_change_places_do_not_go_unseen() -> None:
    for turn, message in enumerate(messages()[1:], start=1):
        text, gap, question = message.content.partition("\n\n")
        block = text.split("\n")
        for at in range(1, len(block) - 1):
            moved = [*block[:at], block[at + 1], block[at], *block[at + 2 :]]
            changed = Message("user", "\n".join(moved) + gap + question)
            read = read_or_refused((*messages()[:turn], changed, *messages()[turn + 1 :]))
            assert read != original(), block[at]


def test_a_refusal_names_the_line() -> None:
    for turn, number, line in lines():
        with pytest.raises(DataError, match=f"^message {turn + 1}, line {number + 1}: "):
            reader().read(with_line(turn, number, f"{line}."))
