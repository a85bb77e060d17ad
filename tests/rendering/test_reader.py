"""What the reader refuses, and that it says where."""

from __future__ import annotations

import pytest
from tests.rendering.depot import history, reader, written

from supersede.errors import DataError
from supersede.model.instance import Message

HEAD = "D1-R1 (08:30, signed): "
NOTED = "D1-R1 inspection (08:30, signed): "
NOTE = "the inspector walks through"


def log(*turns: str) -> tuple[Message, ...]:
    *first, last = turns
    return (
        Message("system", "Follow the log."),
        *(Message("user", turn) for turn in first),
        Message("user", f"{last}\n\nFinal question: Who?"),
    )


def test_a_line_is_named_by_message_and_line() -> None:
    with pytest.raises(DataError, match=r"message 3, line 2: .*is no line of this log"):
        reader().read(log(f"Day 1\n{NOTED}{NOTE}.", "Day 2\nD2-R1 (08:30, signed): it rains."))


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("D2-R1 inspection (08:30, signed): " + NOTE + ".", "no id of Day 1"),
        ("D1-R1 inspection (08:30, lost): " + NOTE + ".", "no line of this log"),
        ("D1-R1 inspection (8:30, signed): " + NOTE + ".", "no line of this log"),
        ("D1-R1 inspection (08:30 signed): " + NOTE + ".", "no line of this log"),
        ("D1-R1 inspection (08:30, ): " + NOTE + ".", "no line of this log"),
        ("D1-R1 inspection (signed): " + NOTE + ".", "no line of this log"),
        ("D1-R1 inspection: " + NOTE + ".", "no line of this log"),
        (NOTED + NOTE, "no line of this log"),
        (NOTED + NOTE + "; moves Bay 4, Bay 12 +1.", "no line of this log"),
        (NOTED + NOTE + "; stock Bay 4 +1.", "no line of this log"),
        (NOTED + NOTE + "; moves 1.", "no line of this log"),
        (NOTED + NOTE + "; moves -0.", "no line of this log"),
        (NOTED + NOTE + "; cash box +1 EUR.", "no line of this log"),
        (NOTED + NOTE + "; cash box +1.000 EUR.", "no line of this log"),
        (NOTED + NOTE + "; state C-7 = lost.", "no line of this log"),
        (NOTED + NOTE + "; keys Bay 4 = unset.", "no line of this log"),
        (NOTED + NOTE + "; keys = unset; moves +1.", "no line of this log"),
        (NOTED + NOTE + "; Bay 4 joins crew.", "no line of this log"),
        (NOTED + NOTE + "; Chen Li joins waiting line.", "no line of this log"),
        (NOTED + NOTE + "; new crate C-7 (rug).", "no line of this log"),
        (NOTED + NOTE + "; new crate C-07 (content rug, weight 1.00 kg, seal wax).", "no line"),
        (
            "D1-R1 loan (08:30, signed): Chen Li lends Chen Li 5.00; owed Chen Li +5.00.",
            "no line of this log",
        ),
        (HEAD + "D1-R9 is struck.", "D1-R9, which is not above it"),
        (HEAD + "D1-R1 is struck.", "D1-R1, which is not above it"),
        (
            "D1-R1 refund (08:30, signed): Chen Li settles D1-R7; cash box +1.00 EUR.",
            "D1-R7, which is not above it",
        ),
        (NOTED + "missed on Day 1, booked now: " + NOTE + ".", "names no earlier block"),
        ("D1-R1 inspection (Day 1 08:30, signed): " + NOTE + ".", "no late entry"),
        (
            "D1-R1 arrival (08:30, signed): C-7 (rug) is unloaded by Chen Li.",
            "names C-7, which no record has brought in",
        ),
        (
            "D1-R1 arrival (08:30, signed): C-7 (rug) is unloaded by Chen Li"
            "; new crate C-7 (content tent, weight 1.00 kg, seal wax).",
            "an attribute that the log gives otherwise",
        ),
    ],
)
def test_what_no_writer_writes_is_refused(line: str, complaint: str) -> None:
    with pytest.raises(DataError, match=complaint):
        reader().read(log(f"Day 1\n{line}"))


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (
            "D2-R1 inspection (Day 1 08:30, signed): missed on Day 2, booked now: " + NOTE + ".",
            "two blocks",
        ),
        (
            "D2-R1 inspection (Day 2 08:30, signed): missed on Day 2, booked now: " + NOTE + ".",
            "no earlier",
        ),
        (
            "D2-R1 inspection (Day 0 08:30, signed): missed on Day 0, booked now: " + NOTE + ".",
            "no earlier",
        ),
    ],
)
def test_a_late_entry_says_its_block_twice_alike(line: str, complaint: str) -> None:
    with pytest.raises(DataError, match=complaint):
        reader().read(log("Day 1\nBay 4 needs sweeping", f"Day 2\n{line}"))


@pytest.mark.parametrize(
    ("head", "complaint"),
    [
        ("D1-R1 (08:30, signed)", "is labelled nothing, and its words call for inspection"),
        ("D1-R1 loan (08:30, signed)", "is labelled loan, and its words call for inspection"),
        ("D1-R1 Inspection (08:30, signed)", "is labelled Inspection"),
        ("D1-R1 move inspection (08:30, signed)", "is labelled move inspection"),
        ("D1-R1 inspection  (08:30, signed)", "is labelled inspection "),
        ("D1-R1 (08:30, signed) inspection", "no line of this log"),
    ],
)
def test_a_line_is_labelled_as_the_kind_that_its_words_give(head: str, complaint: str) -> None:
    with pytest.raises(DataError, match=complaint):
        reader().read(log(f"Day 1\n{head}: {NOTE}."))


def test_what_is_no_event_of_its_own_has_no_label() -> None:
    void = "D1-R1 is struck."
    assert reader().read(log(f"Day 1\n{NOTED}{NOTE}.\nD1-R2 (08:40): {void}")).records[1].refs
    with pytest.raises(DataError, match="labelled inspection, and its words call for nothing"):
        reader().read(log(f"Day 1\n{NOTED}{NOTE}.\nD1-R2 inspection (08:40): {void}"))


def test_a_rule_says_in_words_what_its_effect_says() -> None:
    words = "D1-R1 (08:30, signed): From now on pencil is enough; status "
    assert reader().read(log(f'Day 1\n{words}"in pencil" counts from here on.'))
    for effect in (
        '"in pencil" does not count from here on',
        '"drill" counts from here on',
        '"in pencil" counts, earlier records included',
        '"in pencil" counts from here on, for records that name Bay 4',
    ):
        with pytest.raises(DataError, match="no line of this log"):
            reader().read(log(f"Day 1\n{words}{effect}."))


@pytest.mark.parametrize(
    "messages",
    [
        (),
        (Message("user", "Day 1\nBay 4 needs sweeping\n\nFinal question: Who?"),),
        (Message("system", "Follow."),),
        log("Day 2\nBay 4 needs sweeping"),
        log("Day 1"),
        log("Day 1\n"),
        log("Day 1\nBay 4 needs sweeping\nNothing was entered."),
        log("Day 1\nBay 4 needs sweeping\n\nWho?", "Day 2\nBay 4 needs sweeping"),
        log("Day 1\nBay 4 needs sweeping\n\nQuestion: Who?", "Day 2\nBay 4 needs sweeping"),
        log("Day 1\nBay 4 needs sweeping\n\nFinal question: Who?", "Day 2\nBay 4 needs sweeping"),
        (*log("Day 1\nBay 4 needs sweeping"), Message("assistant", "Chen Li")),
        (Message("system", "Follow."), Message("user", "Day 1\nBay 4 needs sweeping")),
    ],
)
def test_messages_out_of_place_are_refused(messages: tuple[Message, ...]) -> None:
    with pytest.raises(DataError):
        reader().read(messages)


HUGE = "9" * 5000


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ([NOTED + NOTE + "; moves +1; moves +1."], "line 2: D1-R1 changes moves twice"),
        ([NOTED + NOTE + "; keys = unset; keys = unset."], "line 2: D1-R1 changes keys twice"),
        (
            [NOTED + NOTE + "; Chen Li joins crew; Chen Li leaves crew."],
            "line 2: D1-R1 changes crew of Chen Li twice",
        ),
        ([NOTED + NOTE + "; state C-7 = in transit."], "line 2: D1-R1 names C-7, which no record"),
        (
            [f"{NOTED}{NOTE}.", f"D1-R2 inspection (08:29, signed): {NOTE}."],
            "line 3: D1-R2 is no later than",
        ),
        (
            [f"{NOTED}{NOTE}.", f"D1-R2 inspection (08:30, signed): {NOTE}."],
            "line 3: D1-R2 is no later than",
        ),
        ([f"D1-R2 inspection (08:30, signed): {NOTE}."], "line 2: D1-R2 is out of order: D1-R1"),
        (
            [f"{NOTED}{NOTE}.", f"D1-R3 inspection (08:40, signed): {NOTE}."],
            "line 3: D1-R3 is out of order: D1-R2",
        ),
        ([f"{NOTED}{NOTE}.", f"{NOTED}{NOTE}."], "line 3: D1-R1 stands in the log twice"),
        ([f"D1-R1 inspection (Day {HUGE} 08:30, signed): {NOTE}."], "line 2: .* is no line"),
        ([f"{NOTED}missed on Day {HUGE}, booked now: {NOTE}."], "line 2: .* is no line"),
        ([f"{NOTED}{NOTE}; moves +{HUGE}."], "line 2: .* is no line"),
    ],
)
def test_a_record_that_cannot_follow_is_refused(lines: list[str], complaint: str) -> None:
    with pytest.raises(DataError, match=f"message 2, {complaint}"):
        reader().read(log("\n".join(["Day 1", *lines])))


def test_a_log_cut_after_any_message_is_refused() -> None:
    whole = written(history())
    for end in range(len(whole)):
        with pytest.raises(DataError):
            reader().read(whole[:end])
