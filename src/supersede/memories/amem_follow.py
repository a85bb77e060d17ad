"""How the notes of `amem` go on as an earlier run began them: cards, links and changes."""

from __future__ import annotations

import json
from collections.abc import Sequence

from supersede.memories.amem_prompts import Card, Evolution, neighbours_shown, passage_of
from supersede.memories.follow import Heard
from supersede.memories.replies import parsed
from supersede.memories.words import keywords
from supersede.model.instance import Message


class FollowCard:
    """Cards as long as they were, with as many keywords of the passage at hand."""

    def hear(self, asked: str, said: str) -> None:
        """Nothing is to be noted."""

    def reply(self, like: Heard, messages: Sequence[Message], now: int) -> str:
        """A card that was written, about another passage."""
        card = parsed(like.text, Card)
        if card is None:
            return like.text
        own = keywords(passage_of(messages[-1].content), len(card.keywords))
        data = {"keywords": own, "context": card.context, "tags": card.tags}
        return json.dumps(data, ensure_ascii=False)


class FollowEvolution:
    """Evolutions that link and change the same share of the neighbours, the likest first.

    Args:
        heard: Replies of the earlier run.
    """

    def __init__(self, heard: Sequence[Heard]) -> None:
        read = [(parsed(one.text, Evolution), len(neighbours_shown(one.asked))) for one in heard]
        known = [(one, shown) for one, shown in read if one is not None and shown]
        shown = sum(number for _, number in known)
        links = sum(len(set(one.links)) for one, _ in known if one.should_evolve)
        changes = sum(len(one.updates) for one, _ in known if one.should_evolve)
        self._links = links / shown if shown else None
        self._changes = changes / shown if shown else 0.0
        self._owed = [0.0, 0.0]

    def hear(self, asked: str, said: str) -> None:
        """Nothing is to be noted."""

    def reply(self, like: Heard, messages: Sequence[Message], now: int) -> str:
        """An evolution in the words of one that was given, for the neighbours that there are."""
        given = parsed(like.text, Evolution)
        if given is None or self._links is None:
            return like.text
        shown = neighbours_shown(messages[-1].content)
        links = self._due(0, self._links * len(shown))
        changes = self._due(1, self._changes * len(shown)) if given.updates else 0
        evolution = {
            "should_evolve": bool(links or changes) or given.should_evolve,
            "links": shown[:links],
            "tags": given.tags,
            "updates": [
                {"note": number, "context": one.context, "tags": one.tags}
                for n, number in enumerate(shown[:changes])
                for one in (given.updates[n % len(given.updates)],)
            ],
        }
        return json.dumps(evolution, ensure_ascii=False)

    def _due(self, kind: int, share: float) -> int:
        """A whole number of neighbours, in the long run as many as their share."""
        self._owed[kind] += share
        whole = int(self._owed[kind])
        self._owed[kind] -= whole
        return whole
