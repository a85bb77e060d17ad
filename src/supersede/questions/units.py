"""Units: which words and signs may stand beside a number that a claim expects."""

from __future__ import annotations

import re
from functools import lru_cache

from supersede.model.question import Claim, ClaimKind
from supersede.questions.wording import singular_of

_SPELLINGS = (
    "usd $ us dollar dollars",
    "eur \u20ac euro euros",
    "gbp \u00a3 pound pounds sterling",
    "chf franc francs",
    "jpy \u00a5 yen",
    "percent % per cent pct",
    "min mins minute minutes",
    "h hr hrs hour hours",
    "s sec secs second seconds",
    "km kilometre kilometres kilometer kilometers kms",
    "m metre metres meter meters",
    "kg kgs kilogram kilograms kilo kilos",
    "t tonne tonnes",
    "l litre litres liter liters",
    "\u00b0c \u00b0 c celsius degree degrees",
    "point points pt pts",
)
_GROUPS = [frozenset(group.split()) for group in _SPELLINGS]
_SIGN_OF = {sign: group for group in _GROUPS for sign in group if not sign.isalpha()}
UNIT_WORDS = frozenset().union(*_GROUPS, {"cent", "cents"}) - {"per"}
"""Words and signs that say what a number is measured in."""
_NEUTRAL = frozenset("a all are exactly in is net of the total was".split())  # noqa: SIM905
_COUNTED = frozenset("record records time times valid".split())  # noqa: SIM905
_WORD = re.compile(r"[^\W\d_]+")


@lru_cache(maxsize=4096)
def beside(claim: Claim) -> frozenset[str]:
    """Words and signs that may stand beside the number of a claim: its own and neutral ones."""
    text = f"{claim.slot} {claim.text} {claim.unit}".casefold()
    own = set(_WORD.findall(text)) | {sign for sign in _SIGN_OF if sign in text}
    unit = {claim.unit.casefold(), singular_of(claim.unit).casefold()}
    unit |= {word for form in tuple(unit) for word in _WORD.findall(form)}
    for word in tuple(unit):
        own |= {word, f"{word}s", word.removesuffix("s")}
    for group in _GROUPS:
        # `c`, `s` or `per` is a unit only where the claim says so by its unit.
        if group & unit or any(word in own for word in group - {"per", "cent"} if len(word) > 1):
            own |= group
    kinds = _COUNTED if claim.kind is ClaimKind.COUNT else frozenset()
    if not claim.unit:
        kinds |= {"unit", "units"}
    return frozenset(own | _NEUTRAL | kinds) - {""}
