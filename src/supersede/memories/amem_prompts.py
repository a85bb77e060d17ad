"""What `amem` asks its model, and how its replies are read.

Neighbours are shown with numbers from 1 on; what they stand for is known to the code alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias

from pydantic import BeforeValidator

from supersede.memories.replies import ReplyData, Sentence, Words
from supersede.memories.words import keywords
from supersede.model.instance import Message

Messages: TypeAlias = tuple[Message, ...]

_ANALYSE = """\
Make an index card for a passage. Reply with one JSON object and nothing else:
{"keywords": ["...", "..."], "context": "...", "tags": ["...", "..."]}
keywords: at least three names and words of the passage that tell what it is about, the most \
important first; neither speakers nor dates.
context: one sentence that says what the passage tells of.
tags: at least three broad subjects under which one would look for it."""

_EVOLVE = """\
A new note comes into a box of notes. You see it with the notes most like it, numbered. Decide \
whether the box has to change, and reply with one JSON object and nothing else:
{"should_evolve": true, "links": [1], "tags": ["..."], \
"updates": [{"note": 1, "context": "...", "tags": ["..."]}]}
should_evolve: false if nothing has to change; the other fields then do not count.
links: numbers of the notes that belong together with the new one.
tags: all tags that the new note is to have from now on; empty to keep its own.
updates: for each numbered note that reads differently now that the new one is known, its number, \
a new context in one sentence, and its new tags. Leave out notes that stay as they are."""

_QUERY = """\
Which words should one look for to find the passages that answer a question? Give names first, \
then words for what is asked. Reply with one JSON object and nothing else:
{"keywords": ["...", "..."]}"""


def _flag(given: Any) -> Any:
    """Yes or no, also in words."""
    if isinstance(given, str):
        return given.strip().casefold() in ("true", "yes", "1")
    return bool(given)


_DIGITS = re.compile(r"\d+")


def _number(given: Any) -> int | None:
    """The number of a note as a model writes it: 2, 2.0, "2" or "note 2"; else None."""
    if isinstance(given, bool):
        return None
    if isinstance(given, int | float):
        return int(given) if given == given // 1 else None
    if isinstance(given, str) and "-" not in given:
        found = _DIGITS.findall(given)
        return int(found[0]) if len(found) == 1 and len(found[0]) < 6 else None
    return None


def _numbers(given: Any) -> tuple[int | None, ...]:
    """Numbers of notes, None for each entry that is none; text with commas is taken apart."""
    if isinstance(given, str):
        given = [one for one in given.split(",") if one.strip()]
    if not isinstance(given, list | tuple):
        given = [] if given is None else [given]
    return tuple(_number(one) for one in given)


Flag = Annotated[bool, BeforeValidator(_flag)]
Number = Annotated[int | None, BeforeValidator(_number)]
Numbers = Annotated[tuple[int | None, ...], BeforeValidator(_numbers)]


class Card(ReplyData):
    """What a note is about."""

    keywords: Words
    context: Sentence = ""
    tags: Words = ()


class Update(ReplyData):
    """A neighbour as it reads now."""

    note: Number = None
    context: Sentence = ""
    tags: Words = ()


def _updates(given: Any) -> Any:
    """A list of updates; what is none is left out, one alone is one, `{"1": {...}}` has numbers."""
    if isinstance(given, dict):
        keyed = all(isinstance(one, dict) for one in given.values())
        given = [{"note": key, **one} for key, one in given.items()] if keyed else [given]
    return [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []


class Evolution(ReplyData):
    """What a new note changes."""

    should_evolve: Flag
    links: Numbers = ()
    tags: Words = ()
    updates: Annotated[tuple[Update, ...], BeforeValidator(_updates)] = ()


class Asked(ReplyData):
    """What to look for to answer a question."""

    keywords: Words


def analyse_prompt(passage: str) -> Messages:
    """Asks what a passage is about."""
    return (Message("system", _ANALYSE), Message("user", f"Passage:\n{passage}"))


_NEIGHBOUR = "Note {}"


def note_part(title: str, content: str, context: str, keywords: Sequence[str]) -> str:
    """A note as it is shown for its evolution."""
    return f"## {title}\n{content}\nContext: {context}\nKeywords: {', '.join(keywords)}"


def neighbour_part(
    number: int, content: str, context: str, keywords: Sequence[str], tags: Sequence[str]
) -> str:
    """A neighbour as it is shown, with its number."""
    shown = note_part(_NEIGHBOUR.format(number), content, context, keywords)
    return f"{shown}\nTags: {', '.join(tags)}"


def evolve_prompt(new: str, neighbours: Sequence[str]) -> Messages:
    """Asks what a new note changes.

    Args:
        new: The new note as a part.
        neighbours: Its neighbours as parts, number 1 first.
    """
    return (Message("system", _EVOLVE), Message("user", "\n\n".join((new, *neighbours))))


def query_prompt(question: str) -> Messages:
    """Asks what to look for to answer a question."""
    return (Message("system", _QUERY), Message("user", f"Question: {question}"))


_PART = re.compile(
    r"^## (?:New note|" + _NEIGHBOUR.format(r"(\d+)") + r")$.*?^Keywords: (.*?)$", re.M | re.S
)


def neighbours_shown(asked: str) -> list[int]:
    """Numbers of the neighbours that a prompt for an evolution shows.

    Those that share most keywords with the new note come first, and then the nearest.
    """
    if not (found := _PART.findall(asked)):
        return []
    (_, own), *near = found
    mine = set(own.split(", "))
    shared = {int(number): len(mine.intersection(keys.split(", "))) for number, keys in near}
    return sorted(shared, key=lambda number: (-shared[number], number))


def passage_of(asked: str) -> str:
    """The passage that a prompt for an index card shows."""
    return asked.partition("\n")[2]


_CARD_CONTEXT = (
    "The passage tells where the people in it are and what they do there, who has which things, "
    "and what becomes of them."
)
_CARD_TAGS = ("people", "places", "things", "daily life")


def rehearsed(stage: str, messages: Sequence[Message]) -> str:
    """A reply of common length, by rule: for plans, which ask no model."""
    text = messages[-1].content.partition("\n" if stage == "analyse" else ": ")[2]
    if stage == "analyse":
        card = {"keywords": keywords(text, 6), "context": _CARD_CONTEXT, "tags": _CARD_TAGS}
        return json.dumps(card, ensure_ascii=False)
    if stage == "query":
        return json.dumps({"keywords": keywords(text, 4)}, ensure_ascii=False)
    (_, own), *near = _PART.findall(messages[-1].content)
    mine = {one for one in own.split(", ") if not one.islower()}
    alike = [int(number) for number, keys in near if not mine.isdisjoint(keys.split(", "))]
    update = {"context": _CARD_CONTEXT, "tags": _CARD_TAGS}
    evolution = {
        "should_evolve": True,
        "links": alike,
        "tags": _CARD_TAGS,
        "updates": [{"note": number, **update} for number in alike[:2]],
    }
    return json.dumps(evolution)
