"""Short plain sentences of English prose that state how something stands, and what they are about.

Three kinds of fact are read, all by the form of the sentence alone:

- a place: who or what went or is somewhere; about whoever it is;
- a holder: who took, has, gave or left a thing; about the thing;
- a value: what the price, the captain, the colour of something is, or who is its captain; about
  that property.

A sentence is read only where all of it is such a statement, so that one that is read tells nothing
else. What says more, as by a second clause, or says it of *she*, *his hat* or *a dog*, is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from supersede.memories.words import EVERYWHERE, words
from supersede.streams.prose import sentences


class Relation(StrEnum):
    """What kind of fact a sentence states."""

    PLACE = "place"
    HOLDER = "holder"
    VALUE = "value"


class Topic(NamedTuple):
    """What a fact is about; of two sentences with one topic the later one holds."""

    relation: Relation
    about: str
    """In small letters, without article."""


class Statement(NamedTuple):
    """A sentence that states facts and nothing else."""

    start: int
    """Where it stands in its text."""
    end: int
    topics: tuple[Topic, ...]
    """Several where the same is said of several: `Ann and Tom went to the barn.`"""
    place: str
    """Where, of a place; else empty."""
    words: frozenset[str]
    """All its words in small letters."""


_LONGEST = 22
"""Words of a sentence that is looked at."""
_WORD = r"[^\W_][\w.'\u2019-]*"
_THE = r"(?:[Tt]he|[Hh]is|[Hh]er|[Tt]heir|[Ii]ts|[Oo]ur|[Mm]y|[Yy]our)"
_OPENING = (
    r"(?:(?:Then|Later|Afterwards|After that|Now|Next|Meanwhile|Finally|Today|Soon|At last|And|But|"
    r"So),? )?"
)
_SUBJECT = rf"(?P<subject>(?:{_THE} )?{_WORD}(?:,? (?:and |of (?:the )?|the )?{_WORD}){{0,5}}?)"
_BE = r"(?:is|are|was|were|stays|stayed|remains|remained)"
_STILL = r"(?: (?:now|still|again|back|once more|already))?"
_END = r"(?: (?:again|there|back|now|today|once more|instead))?[.!]"
_NAME = r"[^\W\d_a-z][\w'\u2019-]*(?: [^\W\d_a-z][\w'\u2019-]*)*"
_SOME = rf"(?:(?:{_THE}|an?) )?{_WORD}(?: {_WORD}){{0,4}}?"

_GO = (
    r"went|goes|travell?ed|travell?s|journey(?:ed|s)|mov(?:ed|es)|walk(?:ed|s)|ran|runs|return(?:ed|s)"
    r"|came|comes|drove|drives|rode|rides|flew|flies|sail(?:ed|s)|hurri(?:ed|es)|climb(?:ed|s)|"
    r"march(?:ed|es)|wander(?:ed|s)|stroll(?:ed|s)|crept"
)
_GET = (
    r"(?:picked|picks) up|(?:put|puts) down|took|takes|got|gets|grabb?ed|grabs|dropp?ed|drops|"
    r"discard(?:ed|s)|left|leaves|lost|loses|bought|buys|sold|sells|stole|steals|receiv(?:ed|es)|"
    r"has|holds|held|is (?:now |still )?(?:holding|carrying|keeping)|carri(?:ed|es)|kept|keeps|"
    r"own(?:ed|s)|found|finds|hid|hides|gave|gives|hand(?:ed|s)(?: over)?|pass(?:ed|es)|lent|lends"
)
_HELD = (
    r"(?:is|was|are|were)(?: now| still)? (?:held|taken|carried|owned|kept|bought|sold|stolen|lost|"
    r"found|dropped)(?: by)?|belong(?:s|ed) to"
)
_THING = rf"(?P<thing>(?:{_THE} {_WORD}(?: {_WORD}){{0,2}}?|{_NAME}))"
_SPOT = rf"(?P<place>(?:(?:{_THE}|an?) )?{_WORD}(?: {_WORD}){{0,3}}?)"
_SURE_SPOT = (
    rf"(?P<place>(?:{_THE}|an?) {_WORD}(?: {_WORD}){{0,3}}?|{_NAME}|home|school|work|sea|church)"
)
_OF = rf" of (?:the )?{_WORD}(?: {_WORD}){{0,2}}?"
_FORMS: tuple[tuple[Relation, re.Pattern[str]], ...] = tuple(
    (relation, re.compile(_OPENING + form + _END))
    for relation, form in (
        (
            Relation.PLACE,
            rf"{_SUBJECT} (?:{_GO})(?: back| on| over| straight| away)?(?: from {_SOME})?"
            rf" (?:to|into|onto|towards?) {_SPOT}",
        ),
        (Relation.PLACE, rf"{_SUBJECT} (?:enter(?:ed|s)|reach(?:ed|es)) {_SURE_SPOT}"),
        (Relation.PLACE, rf"{_SUBJECT} (?:arriv(?:ed|es)) (?:at|in) {_SURE_SPOT}"),
        (Relation.PLACE, rf"{_SUBJECT} {_BE}{_STILL} (?:in|at|on|inside|near|by) {_SURE_SPOT}"),
        (
            Relation.HOLDER,
            rf"{_SUBJECT} (?:{_GET})(?: {_NAME})? {_THING}(?: (?:to|from) {_SOME})?(?: up| down)?",
        ),
        (Relation.HOLDER, rf"{_THING} (?:{_HELD})(?: {_SOME})?"),
        (
            Relation.VALUE,
            rf"(?P<property>{_THE} {_WORD}(?: {_WORD})?{_OF}|"
            rf"(?:{_THE} )?{_WORD}(?: {_WORD})?['\u2019]s {_WORD}(?: {_WORD})?)"
            rf" (?:{_BE}|became|becomes){_STILL} {_SOME}",
        ),
        (
            Relation.VALUE,
            rf"{_NAME} (?:{_BE}|became|becomes){_STILL}"
            rf" (?P<property>the {_WORD}(?: {_WORD})?{_OF})",
        ),
    )
)
_MORE = frozenset(
    """
    i you he she it we they him them this that these those there who whom whose which where when
    why how what if because while although though as since until but or nor not never no nobody
    nothing than with without before after for
    """.split()  # noqa: SIM905 - a table of words
)
"""Words with which a sentence says more than one fact, denies it, or says it of nobody by name."""
_HOLLOW = EVERYWHERE - frozenset(
    "first good great last little long of other own the".split()  # noqa: SIM905 - as above
)
"""Words that are in no name of anything: of a part of a sentence, or of nobody by name."""
_ARTICLE = re.compile(r"^the ", re.I)
_BARE_THE = re.compile(r"(?<!\bof) the ")
_WRAPPED = re.compile(r"(?<=[^\n.!?:;\"\u201d\u2019)])\n(?=[^\s])")
"""The end of a line that is no end of a sentence or paragraph."""
_JOINT = re.compile(r",? and |, ")


def statements(text: str) -> tuple[Statement, ...]:
    """The sentences of a text that state facts, in its order."""
    found = (_read(start, sentence) for start, sentence in _sentences(text))
    return tuple(one for one in found if one is not None)


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    """Sentences with their places; a line that only goes on with the last one is joined to it."""
    text = _WRAPPED.sub(" ", text)
    start = 0
    for line in text.splitlines(keepends=True):
        place = start
        for sentence in sentences(line.strip()):
            if sentence:
                place = text.index(sentence, place)
                yield place, sentence
                place += len(sentence)
        start += len(line)


def _read(start: int, sentence: str) -> Statement | None:
    """What a sentence states; None where that is no fact, or more than facts of one kind."""
    if sentence[0].islower() or sentence.count(" ") >= _LONGEST:
        return None
    if not _MORE.isdisjoint(sentence.casefold().split()):
        return None
    for relation, form in _FORMS:
        parts = form.fullmatch(sentence)
        if parts is None:
            continue
        named = parts.groupdict()
        if relation is Relation.PLACE:
            about = [_bare(one) for one in _JOINT.split(named["subject"])]
        else:
            about = [_bare(named["thing" if relation is Relation.HOLDER else "property"])]
        if not all(map(_names_something, about)):
            return None
        topics = tuple(Topic(relation, one) for one in dict.fromkeys(about))
        place = _bare(named.get("place") or "")
        told = frozenset(one.casefold() for one in words(sentence))
        return Statement(start, start + len(sentence), topics, place, told)
    return None


def _names_something(about: str) -> bool:
    """Whether a phrase may be the name of something, and is not a part of some sentence."""
    return bool(about) and _HOLLOW.isdisjoint(about.split()) and not _BARE_THE.search(about)


def _bare(phrase: str) -> str:
    """A phrase as it is compared: without its article, in small letters."""
    return _ARTICLE.sub("", phrase.strip()).casefold()
