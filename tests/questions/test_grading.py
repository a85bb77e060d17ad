"""The grader's table: what replies look like, and what becomes of them."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from supersede.model.question import (
    Claim,
    ClaimKind,
    ErrorLabel,
    Family,
    Outcome,
    Question,
)
from supersede.questions import error_label, grade

VALUE = Claim(ClaimKind.VALUE, "inbound", "net inbound = 1234.50", "1234.50", (123450, 100), 2)
RANK = Claim(ClaimKind.RANK, "1st", "1st by inbound = East Dock", "East Dock")
IDS = Claim(ClaimKind.RECORD_IDS, "invalid", "invalid = W1-R2, W2-R2", "W1-R2, W2-R2")
NO_IDS = Claim(ClaimKind.RECORD_IDS, "invalid", "invalid = none", "none")
COUNT = Claim(ClaimKind.COUNT, "number", "number of valid picks = 3", "3", (3, 1))
SHARE = Claim(ClaimKind.VALUE, "share", "share in percent = 33.3", "33.3", (100, 3), 1)
LATEST = Claim(ClaimKind.LATEST_RECORD, "latest", "latest valid record = D3-R2", "D3-R2")
PLACE = Claim(ClaimKind.REGISTER, "place", "place = Riverside Hotpot", "Riverside Hotpot")
WINNER = Claim(ClaimKind.WINNER, "leader", "leader = Ann", "Ann", candidates=("Ann", "Bob", "tie"))
MEMBERS = Claim(ClaimKind.REGISTER, "members", "members = Ann, Bob", "Ann, Bob")
BLOCK = Claim(ClaimKind.RANK, "Day", "Day with the most valid picks = 3", "3", (3, 1))


@dataclass(frozen=True)
class Case:
    reply: str
    checklist: tuple[Claim, ...]
    outcome: Outcome
    satisfied: tuple[bool, ...] = ()


TWO = (RANK, VALUE)
CASES = {
    "the form itself": Case("Answer: 1st = East Dock; inbound = 1234.50", TWO, Outcome.RIGHT),
    "after thinking": Case(
        "<think>Answer: 1st = X; inbound = 1</think>Answer: 1st = East Dock; inbound = 1234.50",
        TWO,
        Outcome.RIGHT,
    ),
    "after unopened thinking": Case(
        "so Answer: no</think>\nAnswer: 1st = East Dock; inbound = 1234.5", TWO, Outcome.RIGHT
    ),
    "thinking that never ends": Case("<think>Answer: number = 3", (COUNT,), Outcome.UNPARSABLE),
    "the last answer line is read": Case(
        "Answer: number = 4\nNo, wait.\nAnswer: number = 3", (COUNT,), Outcome.RIGHT
    ),
    "and the first is not": Case("Answer: number = 3\nAnswer: number = 4", (COUNT,), Outcome.WRONG),
    "bold": Case("**Answer:** 1st = **East Dock**; inbound = **1234.50**.", TWO, Outcome.RIGHT),
    "markdown heading and capitals": Case(
        "### FINAL ANSWER: 1ST = EAST DOCK; INBOUND = 1234.50", TWO, Outcome.RIGHT
    ),
    "another order": Case("Answer: inbound = 1234.50; 1st = East Dock", TWO, Outcome.RIGHT),
    "one slot a line": Case("Answer:\n- 1st = East Dock\n- inbound = 1234.50", TWO, Outcome.RIGHT),
    "values without slots": Case("Answer: East Dock; 1234.50", TWO, Outcome.RIGHT),
    "thousands and currency": Case(
        "Answer: 1st = East Dock; inbound = $1,234.50", TWO, Outcome.RIGHT
    ),
    "unit and plus": Case("Answer: 1st = East Dock; inbound = +1234.5 USD", TWO, Outcome.RIGHT),
    "article and quotes": Case(
        'Answer: 1st = "the East Dock"; inbound = 1234.50', TWO, Outcome.RIGHT
    ),
    "a remark in brackets": Case(
        "Answer: 1st = East Dock (four records); inbound = 1234.50", TWO, Outcome.RIGHT
    ),
    "wrong number": Case(
        "Answer: 1st = East Dock; inbound = 1234", TWO, Outcome.WRONG, (True, False)
    ),
    "wrong name": Case(
        "Answer: 1st = West Dock; inbound = 1234.50", TWO, Outcome.WRONG, (False, True)
    ),
    "part of a name": Case(
        "Answer: 1st = East; inbound = 1234.50", TWO, Outcome.WRONG, (False, True)
    ),
    "more than the name": Case(
        "Answer: 1st = not East Dock; inbound = 1234.50", TWO, Outcome.WRONG, (False, True)
    ),
    "two names": Case(
        "Answer: 1st = East Dock or West Dock; inbound = 1234.50", TWO, Outcome.WRONG, (False, True)
    ),
    "two slots": Case(
        "Answer: 1st = East Dock; 1st = West Dock; inbound = 1234.50",
        TWO,
        Outcome.WRONG,
        (False, True),
    ),
    "two numbers": Case("Answer: number = 3 or 4", (COUNT,), Outcome.WRONG),
    "a range": Case("Answer: number = 3-4", (COUNT,), Outcome.WRONG),
    "about a number": Case("Answer: number = about 3", (COUNT,), Outcome.WRONG),
    "more than a number": Case("Answer: number = > 3", (COUNT,), Outcome.WRONG),
    "a sum": Case("Answer: number = 1 + 2", (COUNT,), Outcome.WRONG),
    "a missing slot": Case("Answer: 1st = East Dock", TWO, Outcome.WRONG, (True, False)),
    "a number word": Case("Answer: number = three valid picks", (COUNT,), Outcome.RIGHT),
    "a lone value": Case("Answer: 3", (COUNT,), Outcome.RIGHT),
    "a float of an integer": Case("Answer: 3.0", (COUNT,), Outcome.RIGHT),
    "minus sign": Case(
        "Answer: \u22123",
        (Claim(ClaimKind.VALUE, "net", "net = -3", "-3", (-3, 1)),),
        Outcome.RIGHT,
    ),
    "ids in another order": Case("Answer: invalid = w2-r2, W1-R2", (IDS,), Outcome.RIGHT),
    "ids with and": Case("Answer: invalid = W1-R2 and W2-R2.", (IDS,), Outcome.RIGHT),
    "an id too few": Case("Answer: invalid = W1-R2", (IDS,), Outcome.WRONG),
    "an id too many": Case("Answer: invalid = W1-R2, W2-R2, W3-R2", (IDS,), Outcome.WRONG),
    "an id twice": Case("Answer: invalid = W1-R2, W2-R2, W2-R2", (IDS,), Outcome.WRONG),
    "no ids": Case("Answer: invalid = None.", (NO_IDS,), Outcome.RIGHT),
    "ids where there are none": Case("Answer: invalid = W1-R2", (NO_IDS,), Outcome.WRONG),
    "rounded share": Case("Answer: share = 33.3%", (SHARE,), Outcome.RIGHT),
    "exact share": Case("Answer: share = 100/3", (SHARE,), Outcome.RIGHT),
    "more places than asked": Case("Answer: share = 33.33", (SHARE,), Outcome.WRONG),
    "fewer places than asked": Case("Answer: share = 33", (SHARE,), Outcome.WRONG),
    "record id": Case("Answer: latest = d3-r2", (LATEST,), Outcome.RIGHT),
    "a longer record id": Case("Answer: latest = D3-R21", (LATEST,), Outcome.WRONG),
    "place": Case("Answer: place = the Riverside Hotpot", (PLACE,), Outcome.RIGHT),
    "winner with its rival in brackets": Case(
        "Answer: leader = Ann (ahead of Bob)", (WINNER,), Outcome.WRONG
    ),
    "winner with a remark": Case("Answer: leader = Ann (by far)", (WINNER,), Outcome.RIGHT),
    "members in another order": Case("Answer: members = Bob, Ann", (MEMBERS,), Outcome.RIGHT),
    "a member too few": Case("Answer: members = Ann", (MEMBERS,), Outcome.WRONG),
    "block with its noun": Case("Answer: Day = Day 3", (BLOCK,), Outcome.RIGHT),
    "block as a word": Case("Answer: Day = three", (BLOCK,), Outcome.RIGHT),
    "empty": Case("", TWO, Outcome.UNPARSABLE),
    "only thinking": Case("<think>hm</think>", TWO, Outcome.UNPARSABLE),
    "no answer line": Case("East Dock leads with 1234.50.", TWO, Outcome.UNPARSABLE),
    "none of the slots": Case("Answer: foo = 3; bar = 4; baz = 5", TWO, Outcome.UNPARSABLE),
    "empty answer line": Case("Answer:", TWO, Outcome.UNPARSABLE),
    "the form copied": Case("Answer: number = <number>", (COUNT,), Outcome.WRONG),
    "refusal": Case("I'm sorry, but I cannot help with that.", TWO, Outcome.REFUSED),
    "not enough to go by": Case("There is not enough information.", TWO, Outcome.REFUSED),
    "refusal in the answer line": Case(
        "Answer: it cannot be determined from the log", TWO, Outcome.REFUSED
    ),
}


@pytest.mark.parametrize("name", list(CASES))
def test_reply_gets_its_outcome(name: str) -> None:
    case = CASES[name]
    question = Question("x/y", Family.RANKING, {}, "")
    found = grade(question, case.checklist, case.reply)
    assert (found.outcome, name) == (case.outcome, name), found
    if case.satisfied:
        assert found.satisfied == case.satisfied
    assert (found.label is not None) == (case.outcome is Outcome.WRONG)
    assert len(found.satisfied) == len(case.checklist)


@pytest.mark.parametrize(
    ("claim", "family", "label"),
    [
        (IDS, Family.AUDIT, ErrorLabel.INVALID_RECORD),
        (COUNT, Family.AUDIT, ErrorLabel.INVALID_RECORD),
        (VALUE, Family.AUDIT, ErrorLabel.NET_CHANGE),
        (IDS, Family.WINDOW, ErrorLabel.RETRIEVAL),
        (COUNT, Family.HOTSPOT, ErrorLabel.RETRIEVAL),
        (LATEST, Family.PROFILE, ErrorLabel.RETRIEVAL),
        (PLACE, Family.PROFILE, ErrorLabel.RETRIEVAL),
        (VALUE, Family.RANKING, ErrorLabel.NET_CHANGE),
        (RANK, Family.RANKING, ErrorLabel.RANKING),
        (RANK, Family.HOTSPOT, ErrorLabel.RANKING),
        (WINNER, Family.COMPARISON, ErrorLabel.VERDICT),
        (
            Claim(ClaimKind.MARGIN, "margin", "margin = 3", "3", (3, 1)),
            Family.COMPARISON,
            ErrorLabel.VERDICT,
        ),
    ],
)
def test_first_failed_claim_gives_the_error_label(
    claim: Claim, family: Family, label: ErrorLabel
) -> None:
    assert error_label(claim, family) is label


def test_label_is_that_of_the_first_failed_claim() -> None:
    question = Question("x/y", Family.RANKING, {}, "")
    both_wrong = grade(question, TWO, "Answer: 1st = X; inbound = 1")
    second_wrong = grade(question, TWO, "Answer: 1st = East Dock; inbound = 1")
    assert both_wrong.label is ErrorLabel.RANKING
    assert second_wrong.label is ErrorLabel.NET_CHANGE
