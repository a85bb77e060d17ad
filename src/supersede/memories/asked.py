"""What a question asks about: how something stands now, or how it came; and about what."""

from __future__ import annotations

from supersede.memories.words import EVERYWHERE, names, telling, words

_COURSE = frozenset(
    """
    after all always average been before began between both change changed changes count did
    different directly distinct during each earlier earliest every ever fewer fewest first formerly
    frequently from greater greatest had last least less list long longer longest many more most
    much net never number often oldest order original originally previous previously recent
    recently second since sum suppose than then third time times total until used was were when why
    without would
    """.split()  # noqa: SIM905 - a table of words
)
"""Words of questions about the course of things: they are answered from what is past as well."""
_PERFECT = frozenset({"has", "have"})
_OWNED = frozenset(
    """
    a an any her his its my no our some that the their this what which your
    """.split()  # noqa: SIM905 - a table of words
)
"""What follows `has` where it means to own, and not that something has been done."""
_HANDLING = frozenset(
    """
    carries carry carrying currently held hold holder holding holds keep keeping keeps latest live
    lives located location object owned owner owns person place possess possesses present presently
    stand stands state status
    """.split()  # noqa: SIM905 - a table of words
)
"""Words that say what is asked of a thing, not of which."""


def asks_how_it_stands(question: str) -> bool:
    """Whether only the latest state answers a question.

    Where a word counts, compares, orders or asks of the past, it does not: `How many`, `before`,
    `most recently`, `Who was`, `Has she moved`.
    """
    said = [one.casefold() for one in words(question)]
    if not _COURSE.isdisjoint(said):
        return False
    pairs = zip(said, [*said[1:], ""], strict=True)
    return not any(one in _PERFECT and after and after not in _OWNED for one, after in pairs)


def asked_about(question: str) -> frozenset[str]:
    """Words in small letters of what is asked about: the names, or else the other telling words."""
    found = [one.casefold() for one in names(question)]
    if not found:
        found = [one for one in telling(question) if one not in _HANDLING]
    return frozenset(found) - EVERYWHERE
