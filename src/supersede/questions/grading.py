"""The deterministic grader: one anchored answer line, exactly one candidate per claim."""

from __future__ import annotations

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
from supersede.model.text import fold
from supersede.questions.normalise import (
    Slot,
    answer_lines,
    declines,
    id_set,
    number_in,
    refuses,
    slots,
    spoken,
)
from supersede.questions.remarks import cuts, hedges, is_remark, leaves_alone, tells
from supersede.questions.units import beside
from supersede.questions.wording import fixed

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

    Only the last line that begins with `Answer:` and gives a value for a slot, or declines to, is
    read, without thinking text. A reply that is empty or has no such line is unparsable, or
    refused where it says so. No reply raises, and time grows with its length alone.
    """
    text = spoken(reply)
    nothing = tuple(False for _ in checklist)
    refused = Grade(Outcome.REFUSED, nothing, None, "the answer line declines to answer")
    lines: list[str] = []
    said: list[list[list[str]]] = []
    for line in answer_lines(text):
        lines.append(line)
        values = _assigned(checklist, line)
        if declines(line) if values is None else _declined(checklist, values):
            return refused
        if values is not None:
            said.append(values)
            if any(tells(c, v) for c, given in zip(checklist, values, strict=True) for v in given):
                return _graded(question, checklist, values)
    if said:
        return _graded(question, checklist, said[0])
    if any(map(refuses, lines)):
        return refused
    if lines:
        return Grade(Outcome.UNPARSABLE, nothing, None, f"no slot of the form in {lines[0][:80]!r}")
    if text and refuses(text):
        return Grade(Outcome.REFUSED, nothing, None, "the reply declines to answer")
    reason = "the reply has no line that begins with 'Answer:'" if text else "empty reply"
    return Grade(Outcome.UNPARSABLE, nothing, None, reason)


def _graded(question: Question, checklist: Sequence[Claim], values: list[list[str]]) -> Grade:
    satisfied = tuple(
        bool(given) and all(_accepts(checklist, claim, value) for value in dict.fromkeys(given))
        for claim, given in zip(checklist, values, strict=True)
    )
    if all(satisfied):
        return Grade(Outcome.RIGHT, satisfied, None, "every claim is satisfied")
    failed = satisfied.index(False)
    claim, given = checklist[failed], values[failed]
    read = " / ".join(value[:60] for value in given[:4]) if given else "nothing"
    reason = f"{claim.slot}: read {read[:60]!r}, expected {claim.expected[:60]!r}"
    return Grade(Outcome.WRONG, satisfied, error_label(claim, question.family), reason)


def _assigned(checklist: Sequence[Claim], line: str) -> list[list[str]] | None:
    """The values given for every claim; None where the line follows the form nowhere.

    What stands between the slots and may name a second candidate stays with the slot before it.
    """
    names = {fold(claim.slot): n for n, claim in enumerate(checklist)}
    given = [slot for slot in slots(line) if slot.name or not is_remark(slot.value)]
    if not any(slot.name in names for slot in given):
        return _bare(len(checklist), given)
    found: list[list[str]] = [[] for _ in checklist]
    at, before = -1, ""
    for name, value in given:
        if name in names:
            at = names[name]
            found[at].append(before + value)
            before = ""
        elif hedges(name) or not (name or leaves_alone(checklist, checklist[at], value)):
            if at < 0:
                before = f"{before}{name} {value}; "
            else:
                found[at][-1] += f"; {name} {value}"
    return found


def _bare(claims: int, given: Sequence[Slot]) -> list[list[str]] | None:
    """Values without slots, one per claim in order; more of them stay with the last."""
    values = [slot.value for slot in given]
    if not claims or len(values) < claims or any(slot.name for slot in given):
        return None
    return [[value] for value in [*values[: claims - 1], "; ".join(values[claims - 1 :])]]


def _declined(checklist: Sequence[Claim], values: list[list[str]]) -> bool:
    """Whether no slot says more than that it has no value, where none of this is a value."""
    return all(
        declines(value) and not _is_allowed(claim, value)
        for claim, given in zip(checklist, values, strict=True)
        for value in given
    )


def _is_allowed(claim: Claim, value: str) -> bool:
    if claim.kind is ClaimKind.RECORD_IDS and id_set(value) == ():
        return True
    return fold(value) in {fold(name) for name in (claim.expected, *claim.candidates)}


def _accepts(checklist: Sequence[Claim], claim: Claim, value: str) -> bool:
    """Whether a value, or a value with a remark that leaves it alone, satisfies a claim."""
    if _satisfies(claim, value) or _with_bracket(checklist, claim, value):
        return True
    return any(
        (leaves_alone(checklist, claim, rest) if apart else is_remark(rest))
        and (_satisfies(claim, first) or _with_bracket(checklist, claim, first))
        for first, rest, apart in cuts(value)
    )


def _with_bracket(checklist: Sequence[Claim], claim: Claim, value: str) -> bool:
    """Whether a value satisfies a claim, and the bracket behind it only repeats what is right."""
    first, bracket, rest = value.strip().rstrip(".").rpartition("(")
    if not bracket or not rest.endswith(")") or not _satisfies(claim, first):
        return False
    numbers = [other for other in checklist if other.number is not None]
    return any(_satisfies(other, rest[:-1]) for other in (claim, *numbers))


def _satisfies(claim: Claim, value: str) -> bool:
    if claim.number is not None:
        return _is_number(claim, value)
    if fold(value) == fold(claim.expected):
        return True
    if claim.kind is ClaimKind.RECORD_IDS or (
        claim.kind is ClaimKind.REGISTER and ", " in claim.expected
    ):
        return id_set(value) is not None and id_set(value) == id_set(claim.expected)
    return False


def _is_number(claim: Claim, value: str) -> bool:
    """Whether a value is the exact number, or the decimal that is printed for it (R31)."""
    if claim.number is None:
        return False
    stated = number_in(value, beside(claim))
    exact = Fraction(*claim.number)
    return stated is not None and stated in (exact, Fraction(fixed(exact, claim.places)))
