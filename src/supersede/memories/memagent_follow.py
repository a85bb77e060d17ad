"""How notes of `memagent` go on as an earlier run began them: as long as they have come to be."""

from __future__ import annotations

from collections.abc import Sequence

from supersede.memories.follow import Heard, growth, resized
from supersede.memories.memagent_prompts import memory_of
from supersede.model.instance import Message


class FollowNotes:
    """Notes, longer by as much as they grew with the chunks.

    Args:
        heard: Replies of the earlier run.
    """

    def __init__(self, heard: Sequence[Heard]) -> None:
        self._growth = growth((one.now, one.tokens) for one in heard if one.now is not None)

    def hear(self, asked: str, said: str) -> None:
        """Nothing is to be noted."""

    def reply(self, like: Heard, messages: Sequence[Message], now: int) -> str:
        """Notes that were written, made longer where later ones are."""
        if like.now is None:
            return like.text
        factor = self._growth.factor(like.now, now)
        found = memory_of(like.text)
        return resized(found, factor) if found and factor != 1 else like.text
