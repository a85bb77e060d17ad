"""Notes of `amem`: what stands on them, how they are linked, and how a new one changes others.

A note is known by its place in the order in which notes were made, which never changes. Its vector
is that of its passage and that of its card (context, keywords, tags) in equal parts, so a passage
longer than the embedder reads counts whole, and its card does not drown in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supersede.memories import formats
from supersede.memories.amem_prompts import Card, Evolution
from supersede.memories.ranking import best
from supersede.memories.retrieval.embedder import Vectors
from supersede.memories.vectors import VectorTable, unit

MOST_WORDS = 12
"""Keywords, and tags, that a note has at most."""
_PHRASE_LETTERS = 80
_CONTEXT_LETTERS = 400
_DIGITS = 6
"""Digits of cosines that count, so that equally alike notes stay in one order on every machine."""


@dataclass(slots=True)
class Note:
    """A passage with what was noted about it."""

    chunk: int
    content: str
    """The passage as it stands; it never changes."""
    size: int
    """Tokens of the passage."""
    keywords: tuple[str, ...]
    context: str
    tags: tuple[str, ...]
    links: list[int] = field(default_factory=list)
    """Places of notes that belong together with it, oldest link first; they link back."""

    def shown(self) -> str:
        """The note as contexts show it."""
        card = f"about: {self.context} | keywords: {', '.join(self.keywords)}"
        return f"{formats.indexed(self.chunk, self.content)}\n{card} | tags: {', '.join(self.tags)}"

    def card(self) -> str:
        """What was noted about the passage."""
        return "\n".join((self.context, ", ".join(self.keywords), ", ".join(self.tags)))


class Clipped(NamedTuple):
    """Something of a reply, made short enough to be kept."""

    card: Card
    cut: bool
    """Whether it was too long."""


def clipped(card: Card) -> Clipped:
    """A card that cannot flood later prompts, however long a model wrote it."""
    short = Card(
        keywords=tuple(one[:_PHRASE_LETTERS] for one in card.keywords[:MOST_WORDS]),
        context=card.context[:_CONTEXT_LETTERS],
        tags=tuple(one[:_PHRASE_LETTERS] for one in card.tags[:MOST_WORDS]),
    )
    return Clipped(short, short != card)


class Changes(NamedTuple):
    """What an evolution came to."""

    changed: tuple[int, ...]
    """Places of neighbours that read differently now, each once."""
    linked: int
    """New links."""
    dropped: int
    """Numbers that stood for none of the notes shown, or for one that was named before."""
    cut: bool
    """Whether something was too long."""


class NoteBox:
    """All notes of a document with their vectors."""

    def __init__(self) -> None:
        self.notes: list[Note] = []
        self._contents = VectorTable()
        self._vectors = VectorTable()

    def __len__(self) -> int:
        return len(self.notes)

    def add(self, note: Note, content: NDArray[np.float32], card: NDArray[np.float32]) -> None:
        """Adds a note; its place is the number of those before it.

        Args:
            note: The note.
            content: Vector of its passage, of length one.
            card: Vector of its card, of length one.
        """
        self.notes.append(note)
        self._contents.add(content[None, :])
        self._vectors.add((self._contents.rows[-1] + card)[None, :])

    def put_card(self, place: int, card: NDArray[np.float32]) -> None:
        """Takes a new card into the vector of a note."""
        self._vectors.put(place, self._contents.rows[place] + card)

    def vector(self, place: int) -> NDArray[np.float32]:
        """The vector of a note, of length one."""
        row: NDArray[np.float32] = self._vectors.rows[place].copy()
        return row

    def scores(self, query: NDArray[np.float32]) -> NDArray[np.float32]:
        """Cosine of a text's vector with each note."""
        found: NDArray[np.float32] = np.round(self._vectors.cosines(query[None, :])[0], _DIGITS)
        return found

    def nearest(self, query: NDArray[np.float32], most: int) -> tuple[int, ...]:
        """Places of the notes most like a text, the nearest first."""
        return best(self.scores(query), most)

    def link(self, one: int, other: int) -> bool:
        """Links two notes both ways; whether that is new."""
        if one == other or other in self.notes[one].links:
            return False
        self.notes[one].links.append(other)
        self.notes[other].links.append(one)
        return True

    def evolve(self, new: int, shown: Sequence[int], reply: Evolution) -> Changes:
        """Does what a reply says of a new note and of those that were shown with it.

        Args:
            new: Place of the new note.
            shown: Places of the notes shown; the first had number 1.
            reply: What is to change.
        """
        if not reply.should_evolve:
            return Changes((), 0, 0, False)
        known = dict(enumerate(shown, start=1))
        linked, dropped, changed, named = 0, 0, [], set()
        for number in dict.fromkeys(reply.links):
            place = known.get(number or 0)
            dropped += place is None
            linked += place is not None and self.link(new, place)
        long = self._revise(new, "", reply.tags)[1]
        for update in reply.updates:
            place = known.get(update.note or 0)
            if place is None or place in named:
                dropped += 1
                continue
            named.add(place)
            differs, cut = self._revise(place, update.context, update.tags)
            long = long or cut
            if differs:
                changed.append(place)
        return Changes(tuple(changed), linked, dropped, long)

    def _revise(self, place: int, context: str, tags: Sequence[str]) -> tuple[bool, bool]:
        """Whether a note reads differently then, and whether something was too long.

        What is empty overwrites nothing.
        """
        note = self.notes[place]
        (given, cut) = clipped(Card(keywords=(), context=context, tags=tuple(tags)))
        before = note.context, note.tags
        note.context, note.tags = given.context or note.context, given.tags or note.tags
        return (note.context, note.tags) != before, cut

    def snapshot(self) -> dict[str, Any]:
        """All state as JSON data."""
        notes = [
            {
                "chunk": one.chunk,
                "content": one.content,
                "size": one.size,
                "keywords": list(one.keywords),
                "context": one.context,
                "tags": list(one.tags),
                "links": list(one.links),
            }
            for one in self.notes
        ]
        return {
            "notes": notes,
            "contents": self._contents.snapshot(),
            "vectors": self._vectors.snapshot(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up the state of a snapshot."""
        self.notes = [
            Note(
                one["chunk"],
                one["content"],
                one["size"],
                tuple(one["keywords"]),
                one["context"],
                tuple(one["tags"]),
                list(one["links"]),
            )
            for one in state["notes"]
        ]
        self._contents.restore(state["contents"])
        self._vectors.restore(state["vectors"])


def averaged(rows: Vectors, lengths: Sequence[int]) -> Vectors:
    """One vector of length one for each text, from those of its windows.

    Args:
        rows: Vectors of all windows, text by text.
        lengths: How many windows each text has.
    """
    ends = np.cumsum(lengths)
    parts = (unit(rows[end - n : end]).mean(axis=0) for end, n in zip(ends, lengths, strict=True))
    return unit(np.stack(list(parts)).astype(np.float32))
