"""How `hipporag` goes on as an earlier run began it: with as many facts, as many of them new."""

from __future__ import annotations

import json
from collections.abc import Sequence

from supersede.memories.follow import Heard, Novelty, by_document
from supersede.memories.hipporag_graph import Triple
from supersede.memories.hipporag_prompts import as_json, facts_shown, rehearsed
from supersede.memories.hipporag_replies import Kept, Triples, usable
from supersede.memories.replies import parsed
from supersede.model.instance import Message


class FollowTriples:
    """Triples for one document.

    Args:
        heard: Replies of the earlier run.
    """

    def __init__(self, heard: Sequence[Heard]) -> None:
        self._novelty = Novelty(by_document(heard, lambda one: (one.asked, _texts(one.text))))

    def hear(self, asked: str, said: str) -> None:
        """Takes note of a reply of the document, given or made."""
        self._novelty.take(asked, _texts(said))

    def reply(self, like: Heard, messages: Sequence[Message], now: int) -> str:
        """As many triples as in a reply that was given; new ones are of the passage's own words."""
        wanted = len(_triples(like.text))
        if not wanted:
            return like.text
        known = list(self._novelty.known)
        own = [one for one in _triples(rehearsed("triples", messages)) if as_json(one) not in known]
        new = own[: self._novelty.due(messages[-1].content, wanted)]
        old = [
            Triple(*json.loads(known[n % len(known)])) for n in range(wanted - len(new)) if known
        ]
        return as_json({"triples": [*new, *old]})


class FollowFilter:
    """Choices of the same share of the facts."""

    def hear(self, asked: str, said: str) -> None:
        """Nothing is to be noted."""

    def reply(self, like: Heard, messages: Sequence[Message], now: int) -> str:
        """The first of the facts, as many as were kept."""
        kept = parsed(like.text, Kept)
        if kept is None:
            return like.text
        return as_json({"facts": facts_shown(messages[-1].content)[: len(kept.facts)]})


def _triples(said: str) -> tuple[Triple, ...]:
    found = parsed(said, Triples)
    return usable(found.triples) if found else ()


def _texts(said: str) -> list[str]:
    return [as_json(one) for one in _triples(said)]
