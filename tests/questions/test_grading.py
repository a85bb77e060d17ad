"""The grader's table: what replies look like, and what becomes of them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supersede.corpus.instances import instance_key, make_instance
from supersede.errors import SampleError
from supersede.model.instance import Tier
from supersede.model.question import (
    Claim,
    ClaimKind,
    ErrorLabel,
    Family,
    Outcome,
    Question,
)
from supersede.prototypes import load_prototype, prototype_ids
from supersede.questions import error_label, grade, operators_for
from supersede.worlds.program import compile_specification

VALUE = Claim(
    ClaimKind.VALUE, "inbound", "net inbound = 1234.50", "1234.50", (123450, 100), 2, (), "USD"
)
RANK = Claim(ClaimKind.RANK, "1st", "1st by inbound = East Dock", "East Dock")
IDS = Claim(ClaimKind.RECORD_IDS, "invalid", "invalid = W1-R2, W2-R2", "W1-R2, W2-R2")
NO_IDS = Claim(ClaimKind.RECORD_IDS, "invalid", "invalid = none", "none")
COUNT = Claim(ClaimKind.COUNT, "number", "number of valid picks = 3", "3", (3, 1))
SHARE = Claim(
    ClaimKind.VALUE, "share", "share in percent = 33.3", "33.3", (100, 3), 1, unit="percent"
)
RATIO = Claim(ClaimKind.VALUE, "mean", "mean of picks per Day = 0.33", "0.33", (33, 100), 2)
DEBT = Claim(ClaimKind.VALUE, "debt", "net debt = -12.50", "-12.50", (-1250, 100), 2, unit="USD")
TOTAL = Claim(ClaimKind.VALUE, "total", "net total = 1234", "1234", (1234, 1))
HEAT = Claim(ClaimKind.VALUE, "heat", "net heat = 3", "3", (3, 1), unit="\u00b0C")
WAIT = Claim(ClaimKind.VALUE, "wait", "net waiting time = 3", "3", (3, 1), unit="min")
FIRST = Claim(
    ClaimKind.RANK,
    "1st",
    "1st = East Dock",
    "East Dock",
    candidates=("East Dock", "West Dock", "none"),
)
STATE = Claim(ClaimKind.REGISTER, "state", "state = unknown", "unknown")
PENDING = Claim(ClaimKind.REGISTER, "state", "state = open", "open", candidates=("open", "unknown"))
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
    "a bracket that repeats another claim": Case(
        "Answer: 1st = East Dock (1,234.50 USD); inbound = 1234.50", TWO, Outcome.RIGHT
    ),
    "a bracket that says something else": Case(
        "Answer: 1st = East Dock (four records); inbound = 1234.50",
        TWO,
        Outcome.WRONG,
        (False, True),
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
    "winner with a remark": Case("Answer: leader = Ann (by far)", (WINNER,), Outcome.WRONG),
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


LONG = {
    "more digits than any number has": Case(
        "Answer: total = " + "1" * 4301, (TOTAL,), Outcome.WRONG
    ),
    "a fraction of that many": Case("Answer: total = 1/" + "1" * 4301, (TOTAL,), Outcome.WRONG),
    "a fraction of nothing": Case("Answer: total = 1/0", (TOTAL,), Outcome.WRONG),
    "a number of many zeros": Case("Answer: total = 1234." + "0" * 90, (TOTAL,), Outcome.RIGHT),
    "a power of ten": Case("Answer: total = 1.234e3", (TOTAL,), Outcome.RIGHT),
    "a power beyond reason": Case("Answer: total = 1e999999999", (TOTAL,), Outcome.WRONG),
    "lone surrogates": Case("Answer: total = \ud800 1234", (TOTAL,), Outcome.WRONG),
}
HEDGES = {
    "another candidate in brackets": Case(
        "Answer: 1st = East Dock (or Somebody Else, not sure)", (FIRST,), Outcome.WRONG
    ),
    "the same without candidates": Case(
        "Answer: 1st = East Dock (or Somebody Else, not sure)", (RANK,), Outcome.WRONG
    ),
    "taken back in brackets": Case("Answer: leader = Ann (wrong)", (WINNER,), Outcome.WRONG),
    "a number taken back in brackets": Case(
        "Answer: total = 1234 (wrong)", (TOTAL,), Outcome.WRONG
    ),
    "another number in brackets": Case(
        "Answer: total = 1234 (1235 before)", (TOTAL,), Outcome.WRONG
    ),
    "a number repeated in brackets": Case("Answer: total = 1234 (1,234)", (TOTAL,), Outcome.RIGHT),
    "a name repeated in brackets": Case("Answer: leader = Ann (Ann)", (WINNER,), Outcome.RIGHT),
    "the unit in brackets": Case("Answer: debt = -12.50 (USD)", (DEBT,), Outcome.RIGHT),
    "another candidate behind a semicolon": Case(
        "Answer: leader = Ann; or Bob", (WINNER,), Outcome.WRONG
    ),
    "another candidate as a slot": Case(
        "Answer: leader = Ann; or leader = Bob", (WINNER,), Outcome.WRONG
    ),
    "another candidate in a sentence": Case(
        "Answer: leader = Ann. Bob comes close.", (WINNER,), Outcome.WRONG
    ),
    "doubt in a sentence": Case("Answer: leader = Ann. Maybe wrong.", (WINNER,), Outcome.WRONG),
    "where it comes from, before": Case(
        "Answer: as computed above; leader = Ann", (WINNER,), Outcome.RIGHT
    ),
    "where it comes from, behind a semicolon": Case(
        "Answer: leader = Ann; as computed above.", (WINNER,), Outcome.RIGHT
    ),
    "where it comes from, behind a comma": Case(
        "Answer: total = 1234, as computed above", (TOTAL,), Outcome.RIGHT
    ),
    "a sentence that names nobody": Case(
        "Answer: leader = Ann. This is the final result.", (WINNER,), Outcome.RIGHT
    ),
    "a sentence where names are open": Case(
        "Answer: place = Riverside Hotpot. Harbour Grill.", (PLACE,), Outcome.WRONG
    ),
    "a sentence with another unit": Case(
        "Answer: debt = -12.50. In cents.", (DEBT,), Outcome.WRONG
    ),
}
UNITS = {
    "percent of a number that is none": Case("Answer: mean = 0.33%", (RATIO,), Outcome.WRONG),
    "a number without percent": Case("Answer: mean = 0.33", (RATIO,), Outcome.RIGHT),
    "cents for dollars": Case("Answer: debt = -12.50 cents", (DEBT,), Outcome.WRONG),
    "percent for dollars": Case("Answer: debt = -12.50%", (DEBT,), Outcome.WRONG),
    "pounds for dollars": Case("Answer: debt = -12.50 GBP", (DEBT,), Outcome.WRONG),
    "a euro sign for dollars": Case("Answer: debt = -\u20ac12.50", (DEBT,), Outcome.WRONG),
    "degrees for dollars": Case("Answer: debt = -12.50 \u00b0C", (DEBT,), Outcome.WRONG),
    "dollars": Case("Answer: debt = -12.50 dollars", (DEBT,), Outcome.RIGHT),
    "a dollar sign behind minus": Case("Answer: debt = -$12.50", (DEBT,), Outcome.RIGHT),
    "a dollar sign before minus": Case("Answer: debt = $-12.50", (DEBT,), Outcome.RIGHT),
    "percent in words": Case("Answer: share = 33.3 per cent", (SHARE,), Outcome.RIGHT),
    "a unit without a claim to it": Case("Answer: total = 1234 USD", (TOTAL,), Outcome.WRONG),
    "units of what has no unit": Case("Answer: total = 1234 units", (TOTAL,), Outcome.RIGHT),
    "units of what has one": Case("Answer: debt = -12.50 units", (DEBT,), Outcome.WRONG),
    "degrees": Case("Answer: heat = 3 \u00b0C", (HEAT,), Outcome.RIGHT),
    "minutes": Case("Answer: wait = 3 minutes", (WAIT,), Outcome.RIGHT),
    "hours for minutes": Case("Answer: wait = 3 hours", (WAIT,), Outcome.WRONG),
}
DRESS = {
    "angle brackets": Case("Answer: total = <1234>", (TOTAL,), Outcome.RIGHT),
    "the next line": Case("Answer:\ntotal = 1234", (TOTAL,), Outcome.RIGHT),
    "the line after the next": Case("Answer:\n\ntotal = 1234", (TOTAL,), Outcome.RIGHT),
    "a code fence": Case("Answer:\n```text\ntotal = 1234\n```\nDone.", (TOTAL,), Outcome.RIGHT),
    "a numbered line": Case("1. Answer: total = 1234", (TOTAL,), Outcome.RIGHT),
    "a row of a table": Case("| Answer: total = 1234 |", (TOTAL,), Outcome.RIGHT),
    "a bullet": Case("- Answer: total = 1234", (TOTAL,), Outcome.RIGHT),
    "a heading in bold": Case("## **Final Answer**: total = 1234", (TOTAL,), Outcome.RIGHT),
    "inline mathematics": Case("Answer: \\(total = 1234\\)", (TOTAL,), Outcome.RIGHT),
    "dollars of mathematics": Case("Answer: total = $1234$", (TOTAL,), Outcome.RIGHT),
    "all of it mathematics": Case("Answer: $total = 1234$", (TOTAL,), Outcome.RIGHT),
    "a box": Case("Answer: total = \\boxed{1234}", (TOTAL,), Outcome.RIGHT),
    "a box around all": Case("Answer: \\boxed{total = 1234}", (TOTAL,), Outcome.RIGHT),
    "boxes in a box": Case("Answer: \\boxed{\\text{total} = 1234}", (TOTAL,), Outcome.RIGHT),
    "the same twice": Case("Answer: total = 1234; total = 1,234.0", (TOTAL,), Outcome.RIGHT),
    "a comma of thousands": Case("Answer: total = 1,234", (TOTAL,), Outcome.RIGHT),
    "a space of thousands": Case("Answer: total = 1 234", (TOTAL,), Outcome.RIGHT),
    "a thin space of thousands": Case("Answer: total = 1\u202f234", (TOTAL,), Outcome.RIGHT),
    "a closing remark": Case(
        "Answer: total = 1234\n\n**Final Answer:** I stand by it", (TOTAL,), Outcome.RIGHT
    ),
    "a full stop": Case("Answer: total = 1234.", (TOTAL,), Outcome.RIGHT),
    "direction marks": Case("Answer: \u200etotal = \u20661234\u2069", (TOTAL,), Outcome.RIGHT),
    "a row of a table with two slots": Case(
        "| Answer: 1st = East Dock | inbound = 1234.50 |",
        (
            RANK,
            VALUE,
        ),
        Outcome.RIGHT,
    ),
    "a point without a nought": Case("Answer: mean = .33", (RATIO,), Outcome.RIGHT),
    "minus in words": Case("Answer: debt = minus 12.50", (DEBT,), Outcome.RIGHT),
    "different twice": Case("Answer: total = 1234; total = 1235", (TOTAL,), Outcome.WRONG),
    "a later wrong value without its slot": Case(
        "Answer: total = 1234\nAnswer: 1235", (TOTAL,), Outcome.WRONG
    ),
    "a later wrong name without its slot": Case(
        "Answer: leader = Ann\nAnswer: Bob", (WINNER,), Outcome.WRONG
    ),
    "digits set apart wrongly": Case("Answer: total = 12 34", (TOTAL,), Outcome.WRONG),
    "a name in bold and a kind of dash": Case(
        "Answer: place = **Riverside** Hotpot", (PLACE,), Outcome.RIGHT
    ),
}
REFUSALS = {
    "cannot be determined": Case("Answer: total = cannot be determined", (TOTAL,), Outcome.REFUSED),
    "unknown": Case("Answer: total = unknown", (TOTAL,), Outcome.REFUSED),
    "I do not know": Case("Answer: I do not know.", (TOTAL,), Outcome.REFUSED),
    "n/a": Case("Answer: total = N/A", (TOTAL,), Outcome.REFUSED),
    "all slots unknown": Case(
        "Answer: 1st = unknown; inbound = n/a",
        (
            RANK,
            VALUE,
        ),
        Outcome.REFUSED,
    ),
    "one slot unknown": Case(
        "Answer: 1st = East Dock; inbound = unknown",
        (
            RANK,
            VALUE,
        ),
        Outcome.WRONG,
    ),
    "unknown where it is right": Case("Answer: state = unknown", (STATE,), Outcome.RIGHT),
    "unknown where it may be right": Case("Answer: state = unknown", (PENDING,), Outcome.WRONG),
    "n/a where there may be none": Case("Answer: invalid = n/a", (IDS,), Outcome.WRONG),
    "none is a value": Case("Answer: total = none", (TOTAL,), Outcome.WRONG),
    "an answer that was taken back": Case(
        "Answer: total = 1234\nAnswer: I do not know", (TOTAL,), Outcome.REFUSED
    ),
    "a number after a refusal": Case(
        "Answer: I do not know\nAnswer: total = 1234", (TOTAL,), Outcome.RIGHT
    ),
}
CASES |= {**LONG, **HEDGES, **UNITS, **DRESS, **REFUSALS}


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


PIECES = st.sampled_from(
    [
        "Answer:", "answer is:", "total", "1st", "=", ";", "(", ")", "<think>", "</think>", "\n",
        "\r", "\u2028", " ", "  ", "**", "```", "|", "$", "\\boxed{", "}", "{", ".", ", ", "-",
        "minus ", "/", "e9", "East Dock", "or", "unknown", "1", "9" * 4301, "\ud800", "\u0301",
        "\u200f", "\u0130", "\u00b2", "\u0663", "%", "USD",
    ]
)  # fmt: skip
ANY = st.lists(
    st.one_of(PIECES, st.text(st.characters(exclude_categories=()), max_size=8)), max_size=30
).map("".join)


@settings(max_examples=300, deadline=None)
@given(ANY, st.sampled_from(["", "Answer: ", "Answer: total = ", "Answer: 1st = "]))
def test_no_reply_raises(text: str, lead: str) -> None:
    question = Question("x/y", Family.RANKING, {}, "")
    for checklist in ((TOTAL,), (RANK, VALUE), (WINNER,), (IDS, SHARE), (MEMBERS, LATEST)):
        grade(question, checklist, lead + text)
        grade(question, checklist, f"{text}\n{lead}{text}")


@pytest.mark.parametrize(
    "piece",
    [
        "a", "9", " ", "\n", "\r\n", "(", ")", "<think>", "</think>", "<think", "Answer:",
        "\nAnswer:", "\nAnswer: total = 1;", "\nAnswer: I stand by it", "answer ", "total = 1; ",
        "; or", ". ", ", ", "1 ", "1,", "12.", "-", "$", "|", "| ", "\\boxed{", "\\", "{", "`", "=",
        "\u0301\u0323", "\u200f", "\ud800", "the ", "minus ", "1/",
    ],
)  # fmt: skip
def test_time_grows_with_the_length_of_a_reply_alone(piece: str) -> None:
    question = Question("x/y", Family.RANKING, {}, "")
    long = piece * (1_000_000 // len(piece))
    for lead in ("", "Answer: ", "Answer: 1st = East Dock; total = "):
        before = process_time()
        grade(question, (FIRST, TOTAL), lead + long)
        assert process_time() - before < 1.0, lead


def test_ten_megabytes_take_less_than_two_seconds() -> None:
    question = Question("x/y", Family.RANKING, {}, "")
    before = process_time()
    found = grade(question, (TOTAL,), "so 1 + 2 = 3\n" * 800_000 + "Answer: total = 1234")
    assert found.outcome is Outcome.RIGHT
    assert process_time() - before < 2.0


@pytest.mark.parametrize("prototype", prototype_ids())
def test_stored_answers_are_right_and_spoilt_ones_are_not(prototype: str) -> None:
    spec = load_prototype(prototype)
    every = operators_for(spec, compile_specification(spec).world)
    usable = every[prototype_ids().index(prototype) % 4 :: 4]
    made = [make_instance(instance_key(prototype, tier)) for tier in Tier]
    for operator in usable:
        with suppress(SampleError):  # It may have nothing to ask about in this history.
            key = instance_key(prototype, Tier.MEDIUM, 1, operator=operator.name)
            made.append(make_instance(key))
    assert len(made) > len(usable) // 2
    for found in made:
        question, checklist = found.question, found.answer.checklist
        assert grade(question, checklist, found.answer.text).outcome is Outcome.RIGHT
        assert grade(question, checklist, "").outcome is Outcome.UNPARSABLE
        for claim in checklist:
            named = claim.kind in (ClaimKind.RANK, ClaimKind.WINNER) and claim.number is None
            assert claim.expected in claim.candidates or not (named or claim.candidates), claim
            others = [f"{other.slot} = {other.expected}" for other in checklist if other != claim]
            spoilt = "; ".join([f"{claim.slot} = {_spoilt(claim)}", *others])
            assert grade(question, checklist, f"Answer: {spoilt}").outcome is Outcome.WRONG, spoilt


def _spoilt(claim: Claim) -> str:
    """Another value of the same kind."""
    if claim.number is not None:
        return str(claim.number[0] // claim.number[1] + 2)
    others = [name for name in claim.candidates if name != claim.expected]
    return others[0] if others else f"{claim.expected}, X9"
