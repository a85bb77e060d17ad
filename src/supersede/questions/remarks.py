"""Remarks beside an answer: which of them leave it the one that was given."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from supersede.model.question import Claim, ClaimKind
from supersede.model.text import fold
from supersede.questions.normalise import NUMBER_WORDS
from supersede.questions.units import UNIT_WORDS

_LONGEST = 400
_MOST_CUTS = 4
_REMARK = re.compile(
    r"(?:all )?(?:as|see) (?:(?:computed|calculated|shown|derived|determined|explained|stated|"
    r"listed|worked out|counted|given|noted|asked|requested) )?(?:above|before|below|here|earlier)|"
    r"as (?:computed|calculated|asked|requested)|"
    r"(?:based on|according to|as of|at the end of|from) the (?:valid )?(?:log|records)(?: above)?"
)
_HEDGES = frozenset(
    """
    actually almost alternatively although approximately around but cannot correction could
    dozen either else estimated except false guess half hundred if incorrect instead invalid likely
    may maybe might million minus negative neither no none nor not nothing or otherwise perhaps
    possibly presumably probably rather roughly someone somebody sorry though thousand twice unclear
    unknown unless unlikely unsure versus vs wait wrong
    """.split()  # noqa: SIM905
)
_TAKEN_BACK = frozenset(
    """
    actually alternatively correction either maybe not or otherwise perhaps possibly probably
    """.split()  # noqa: SIM905
)
_WORD = re.compile(r"[^\W_]+|[$\u20ac\u00a3\u00a5%]")
_CUT = re.compile(r"(?<=[\w)\]}\"'>%$])(?:(?P<stop>[.!;]\s+)|,\s+|\s+-+\s+)")
_SAYING = re.compile(r"(?:i|i'm|we|it|this|that|these|as|see|my|same|above|done|confirmed)\b")


def hedges(text: str) -> bool:
    """Whether the name of a slot takes something back or leaves it open: `or leader = Bob`."""
    return not _TAKEN_BACK.isdisjoint(_WORD.findall(fold(text[:_LONGEST])))


def is_remark(text: str) -> bool:
    """Whether a text only says where an answer comes from: `as computed above`."""
    return len(text) < _LONGEST and _REMARK.fullmatch(fold(text)) is not None


def leaves_alone(checklist: Sequence[Claim], claim: Claim | None, text: str) -> bool:
    """Whether a text behind the value of a claim names no number, unit or other candidate.

    Where a slot may hold names that nobody lists, only a fixed remark is known to name none.
    """
    if is_remark(text):
        return True
    if len(text) >= _LONGEST or any(_is_open(other) for other in checklist):
        return False
    said = fold(text)
    words = set(_WORD.findall(said))
    if not words.isdisjoint(_HEDGES | UNIT_WORDS | NUMBER_WORDS.keys()):
        return False
    if any(sign.isdigit() for sign in said):
        return False
    own = "" if claim is None else fold(claim.expected)
    names = {fold(name) for other in checklist for name in other.candidates} - {own}
    return not any(_names(said, name) for name in names)


def cuts(value: str) -> Iterator[tuple[str, str, bool]]:
    """A value without its last words, those words, and whether they are a sentence apart."""
    for n, found in enumerate(_CUT.finditer(value[: 100 * _LONGEST])):
        if n == _MOST_CUTS:
            break
        yield value[: found.start()], value[found.end() :], found["stop"] is not None


def tells(claim: Claim, value: str) -> bool:
    """Whether a value without its slot may be meant to answer a claim, right or wrong."""
    said = fold(value)
    if claim.number is not None:
        words = _WORD.findall(said)
        return any(sign.isdigit() for sign in said) or not NUMBER_WORDS.keys().isdisjoint(words)
    if claim.candidates:
        return any(_names(said, fold(name)) for name in (*claim.candidates, claim.expected))
    return _SAYING.match(said) is None


def _is_open(claim: Claim) -> bool:
    named = (ClaimKind.RANK, ClaimKind.WINNER, ClaimKind.REGISTER)
    return claim.number is None and claim.kind in named and not claim.candidates


def _names(said: str, name: str) -> bool:
    """Whether a text says a name as whole words."""
    at = said.find(name) if name else -1
    while at >= 0:
        end = at + len(name)
        if not (said[at - 1 : at].isalnum() or said[end : end + 1].isalnum()):
            return True
        at = said.find(name, at + 1)
    return False
