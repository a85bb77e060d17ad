"""The deterministic grader: one anchored answer line, exactly one candidate per claim."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from supersede.model.question import (
    Claim,
    ClaimKind,
    ErrorLabel,
    Family,
    Grade,
    Outcome,
    Question,
)
from supersede.questions.normalise import (
    Slot,
    answer_line,
    folded,
    id_set,
    number_in,
    refuses,
    slots,
    spoken,
)
from supersede.questions.wording import fixed

UNITS = frozenset(
    """
    usd eur gbp chf dollars dollar euros euro cents percent per cent points point units unit
    records record valid times in all of total net
    """.split()  # noqa: SIM905
)
"""Words that may stand beside a number without saying anything else."""

_LABELS = {
    ClaimKind.VALUE: ErrorLabel.NET_CHANGE,
    ClaimKind.COUNT: ErrorLabel.RETRIEVAL,
    ClaimKind.RANK: ErrorLabel.RANKING,
    ClaimKind.WINNER: ErrorLabel.VERDICT,
    ClaimKind.MARGIN: ErrorLabel.VERDICT,
    ClaimKind.RECORD_IDS: ErrorLabel.RETRIEVAL,
    ClaimKind.LATEST_RECORD: ErrorLabel.RETRIEVAL,
    ClaimKind.REGISTER: ErrorLabel.RETRIEVAL,
}
_AUDITED = frozenset({ClaimKind.COUNT, ClaimKind.RECORD_IDS, ClaimKind.LATEST_RECORD})


def error_label(claim: Claim, family: Family) -> ErrorLabel:
    """The category of an answer whose first failed claim this is (E-149 to E-155).

    A wrong set, number or decider of records in an audit is a matter of validity; elsewhere of
    retrieval. A wrong winner is a matter of ranking where places are asked for, and of the
    verdict where two things are compared.
    """
    if family is Family.AUDIT and claim.kind in (*_AUDITED, ClaimKind.WINNER):
        return ErrorLabel.INVALID_RECORD
    return _LABELS[claim.kind]


def grade(question: Question, checklist: Sequence[Claim], reply: str) -> Grade:
    """The grade of a reply; it is right only if every claim is satisfied.

    Only the last line that begins with `Answer:` is read, without thinking text. A reply that
    is empty or has no such line is unparsable, or refused where it says so.
    """
    text = spoken(reply)
    nothing = tuple(False for _ in checklist)
    line = answer_line(text)
    if line is None:
        if text and refuses(text):
            return Grade(Outcome.REFUSED, nothing, None, "the reply declines to answer")
        reason = "the reply has no line that begins with 'Answer:'" if text else "empty reply"
        return Grade(Outcome.UNPARSABLE, nothing, None, reason)
    values = _assigned(checklist, slots(line))
    if values is None:
        if refuses(line):
            return Grade(Outcome.REFUSED, nothing, None, "the answer line declines to answer")
        return Grade(Outcome.UNPARSABLE, nothing, None, f"no slot of the form in {line[:80]!r}")
    satisfied = tuple(
        len(given) == 1 and _satisfies(claim, given[0])
        for claim, given in zip(checklist, values, strict=True)
    )
    if all(satisfied):
        return Grade(Outcome.RIGHT, satisfied, None, "every claim is satisfied")
    failed = satisfied.index(False)
    claim, given = checklist[failed], values[failed]
    read = " / ".join(given) if given else "nothing"
    reason = f"{claim.slot}: read {read[:60]!r}, expected {claim.expected[:60]!r}"
    return Grade(Outcome.WRONG, satisfied, error_label(claim, question.family), reason)


def _assigned(checklist: Sequence[Claim], given: Sequence[Slot]) -> list[list[str]] | None:
    """The values given for every claim; None where the line follows the form nowhere."""
    names = [folded(claim.slot) for claim in checklist]
    found: list[list[str]] = [[] for _ in checklist]
    unnamed = [slot.value for slot in given if not slot.name]
    if given and len(unnamed) == len(given) == len(checklist):
        return [[value] for value in unnamed]
    if len(checklist) == 1 and len(given) == 1 and given[0].name not in names:
        value = given[0].value
        return [[value]] if not given[0].name else None
    for slot in given:
        if slot.name in names:
            found[names.index(slot.name)].append(slot.value)
    return found if any(found) else None


def _satisfies(claim: Claim, value: str) -> bool:
    if claim.number is not None:
        return _is_number(claim, value)
    if claim.kind is ClaimKind.RECORD_IDS:
        return id_set(value) == id_set(claim.expected)
    if _plain(value, claim) == folded(claim.expected):
        return True
    if claim.kind is ClaimKind.REGISTER and ", " in claim.expected:
        return id_set(value) == id_set(claim.expected)
    return False


def _is_number(claim: Claim, value: str) -> bool:
    """Whether a value is the exact number, or the decimal that is printed for it (R31)."""
    if claim.number is None:
        return False
    stated = number_in(value, _words(claim))
    exact = Fraction(*claim.number)
    return stated is not None and stated in (exact, Fraction(fixed(exact, claim.places)))


def _words(claim: Claim) -> list[str]:
    return [*UNITS, *re.findall(r"[^\W\d_]+", f"{claim.slot} {claim.text}".casefold())]


def _plain(value: str, claim: Claim) -> str:
    """A name without a remark in brackets, where that names no other candidate."""
    name = folded(value)
    if name == folded(claim.expected):
        return name
    bare = folded(re.sub(r"\s*\([^()]*\)\s*$", "", name))
    remark = name.removeprefix(bare)
    others = [folded(other) for other in claim.candidates if other != claim.expected]
    return name if any(other and other in remark for other in others) else bare
