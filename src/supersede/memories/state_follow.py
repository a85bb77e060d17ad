"""How a state store goes on as an earlier run began it: rows of the lengths that were written.

A row is about a fact of the table, or about a new one as often as the text still brings any.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from supersede.memories.follow import Heard, Novelty, by_document
from supersede.memories.replies import parsed
from supersede.memories.state_prompts import (
    Change,
    Changes,
    names_shown,
    occurs,
    piece_of,
)
from supersede.memories.state_table import fact_key
from supersede.model.instance import Message


class FollowState:
    """Rows for one document.

    Args:
        heard: Replies of the earlier run.
    """

    def __init__(self, heard: Sequence[Heard]) -> None:
        self._novelty = Novelty(
            by_document(heard, lambda one: (piece_of(one.asked), _keys(one.text)))
        )
        self._turn = 0

    def hear(self, asked: str, said: str) -> None:
        """Takes note of a reply of the document, given or made."""
        self._novelty.take(piece_of(asked), _keys(said))

    def reply(self, like: Heard, messages: Sequence[Message], now: int) -> str:
        """As many rows as in a reply that was given, in the words of the piece at hand."""
        rows = _rows(like.text)
        if not rows:
            return like.text
        asked = messages[-1].content
        piece, known = piece_of(asked), names_shown(asked)
        new = self._novelty.due(piece, len(rows))
        made, self._turn = [], self._turn + len(rows)
        for n, row in enumerate(rows):
            fresh = n < new or not known
            key = (
                _fresh(row.key, len(self._novelty.known) + n)
                if fresh
                else known[(self._turn + n) % len(known)]
            )
            source = _like_source(row, piece_of(like.asked), piece, n) if row.source else ""
            made.append({"key": key, "value": row.value, "source": source})
        return json.dumps({"rows": made}, ensure_ascii=False)


def _rows(said: str) -> list[Change]:
    """The rows of a reply that say something."""
    found = parsed(said, Changes)
    return [row for row in found.rows if fact_key(row.key) and row.value != ""] if found else []


def _keys(said: str) -> list[str]:
    return [fact_key(row.key) for row in _rows(said)]


def _fresh(key: str, number: int) -> str:
    """A name like another one, that no fact has."""
    first, *rest = key.split()
    return " ".join((f"{first}{number}", *rest))


def _like_source(row: Change, before: str, piece: str, number: int) -> str:
    """A quotation from the piece, as long as that of a row; empty where that was none."""
    if before and not occurs(row.source, before):
        return ""
    words, wanted = piece.split(), len(row.source.split())
    begin = (number * wanted) % max(1, len(words) - wanted)
    return " ".join(words[begin : begin + wanted])
