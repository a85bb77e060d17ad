"""Intermediate questions on the town's history as known at the end of day 3, by hand."""

from __future__ import annotations

from random import Random

from tests.questions.town import HISTORY, TOWN

from supersede.prototypes import load_prototype
from supersede.questions import intermediate
from supersede.worlds.replay import replay

KNOWN = "As known at the end of Day 3: "
ENTERED = "Over the valid records entered in Day 3, what is the net change of "
EXPECTED = {
    # 3 + 7 + 4 + 2 + 8, with d9, d10 and d13 already entered
    f"{KNOWN}what is the net change of stock (in boxes) over all valid records?": "stock = 24",
    f"{KNOWN}what is the net change of cash (in EUR) over all valid records?": "cash = 2.00",
    f"{KNOWN}what is the net change of stock (in boxes) for apple so far?": "stock = 20",
    f"{KNOWN}what is the net change of stock (in boxes) for pear so far?": "stock = 4",
    # the late d16 is not yet there
    "Give the venue, as known at the end of Day 3.": "venue = park",
    f'{KNOWN}who is on the list "going"?': "members = Ann; number = 1",
    # d12 and d15
    "Of the records entered in Day 3, late ones included, how many are valid at its end?": (
        "valid = 2"
    ),
    f"{ENTERED}stock (in boxes), and which person added most? If none added any, answer none.": (
        "stock = 10; top = Cat"
    ),
    f"{ENTERED}stock (in boxes), and which item added most? If none added any, answer none.": (
        "stock = 10; top = apple"
    ),
    f"{ENTERED}cash (in EUR), and which person added most? If none added any, answer none.": (
        "cash = 1.00; top = Cat"
    ),
    f"{ENTERED}cash (in EUR), and which item added most? If none added any, answer none.": (
        "cash = 1.00; top = apple"
    ),
}


def test_every_question_that_can_be_drawn_has_the_answer_worked_out_by_hand() -> None:
    spec = load_prototype("warehouse-inventory-ops")  # only says which names lines print twice
    ledger = replay(TOWN, HISTORY, cut=3)
    drawn: dict[str, str] = {}
    for seed in range(400):
        text, given = intermediate(spec, TOWN, ledger, 3, Random(seed).random)
        drawn[text.split("\n")[0]] = given.removeprefix("Answer: ")
    assert drawn == EXPECTED
