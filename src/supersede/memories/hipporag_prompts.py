"""What `hipporag` asks its model: names, triples, and which facts help with a question."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from supersede.memories.hipporag_graph import Triple
from supersede.model.instance import Message

_NAMES = """\
List the names in a passage: people, animals, places, groups, things, titles, dates and numbers \
that matter. Write each name once, as the passage has it.
Reply with JSON alone: {"names": ["...", "..."]}"""

_TRIPLES = """\
Take a passage apart into facts of three parts: subject, relation, object.
Each fact has one of the listed names in it, or better two. Write the name in place of he, she, it \
or they. Keep the parts short, in the passage's words, and leave no fact out.
Reply with JSON alone: {"triples": [["subject", "relation", "object"], ...]}"""

_FILTER = """\
A search found facts that may help to answer a question. Keep those that do, word for word; where \
several tell of one thing at different times, keep them all. Keep none if none helps.
Reply with JSON alone: {"facts": [["subject", "relation", "object"], ...]}"""

_PASSAGE = "Odile Marr took the brass key to Fenwick Mill in May. Then she sold it to Bram."
_FOUND = ("Odile Marr", "brass key", "Fenwick Mill", "May", "Bram")
_SAID = (
    Triple("Odile Marr", "went to", "Fenwick Mill"),
    Triple("Odile Marr", "took to Fenwick Mill", "brass key"),
    Triple("Odile Marr", "sold brass key to", "Bram"),
)
_GIVEN = (
    Triple("odile marr", "went to", "fenwick mill"),
    Triple("bram", "is brother of", "tove"),
    Triple("odile marr", "sold brass key to", "bram"),
)

Messages = tuple[Message, ...]


def names_prompt(passage: str) -> Messages:
    """Asks for the names in a passage."""
    return _prompt(_NAMES, _asked(_PASSAGE), {"names": _FOUND}, _asked(passage))


def triples_prompt(passage: str, names: Sequence[str]) -> Messages:
    """Asks for the facts of a passage."""
    example = _asked(_PASSAGE, names=_FOUND)
    return _prompt(_TRIPLES, example, {"triples": _SAID}, _asked(passage, names=names))


def filter_prompt(question: str, facts: Sequence[Triple]) -> Messages:
    """Asks which of some facts help with a question."""
    example = _choice("Who has the brass key?", _GIVEN)
    return _prompt(_FILTER, example, {"facts": _GIVEN[2:]}, _choice(question, facts))


def _prompt(rules: str, asked: str, said: object, asks: str) -> Messages:
    return (
        Message("system", rules),
        Message("user", asked),
        Message("assistant", as_json(said)),
        Message("user", asks),
    )


def _asked(passage: str, *, names: Sequence[str] | None = None) -> str:
    listed = "" if names is None else f"\n\nNames: {as_json(names)}"
    return f"Passage:\n{passage}{listed}"


def _choice(question: str, facts: Sequence[Triple]) -> str:
    return f"Question: {question}\nFacts: {as_json(facts)}"


def as_json(data: object) -> str:
    """Names, facts or a reply as the prompts have them."""
    return json.dumps(data, ensure_ascii=False)


_NAME = re.compile(r"\b[^\W\d_a-z]\w+(?: [^\W\d_a-z]\w+)*")
_SENTENCE = re.compile(r"[^.!?\n]+")


def facts_shown(asked: str) -> list[list[str]]:
    """The facts that a prompt lets choose from."""
    found: list[list[str]] = json.loads(asked.partition("\nFacts: ")[2])
    return found


def rehearsed(stage: str, messages: Sequence[Message]) -> str:
    """A reply of common length, by rule: for plans, which ask no model."""
    asks = messages[-1].content
    if stage == "filter":
        return as_json({"facts": facts_shown(asks)[:3]})
    passage = asks.removeprefix("Passage:\n").rpartition("\n\nNames: ")[0] or asks[9:]
    if stage == "names":
        return as_json({"names": list(dict.fromkeys(_NAME.findall(passage)))})
    triples = []
    for sentence in _SENTENCE.findall(passage):
        name, rest = _NAME.search(sentence), sentence.split()
        if name is not None and len(rest) > 2:
            triples.append([name[0], " ".join(rest[1:3]), rest[-1]])
    return as_json({"triples": triples})
