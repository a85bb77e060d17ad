"""`rag-latest`: what looks most like the question, without what has been superseded (X-028).

Chunks are retrieved as by `rag`. In them, short plain sentences that state a fact are read by their
form (`supersede.memories.facts`), and grouped by what the fact is about: an entity and a relation,
such as Sandra and her place, or a thing and its holder. Of each group with a sentence that names
what the question asks about, only the newest stays, and is marked with the chunk that it is from.
All else of the chunks stays as it stands, and so does everything where the question asks about the
course of things (how many, before, most often, Who was ...), since its answer needs what was
superseded.

What it can do: of sentences about where one entity is, who has one thing, or what one property
comes to, show the last alone, whatever their verbs and however far apart they stand. No model is
called, so it costs what `rag` costs, and what it does is the same for every model.

What it cannot do: read a fact from a sentence that says more (`Sandra, who was tired, went to the
hall`), from one that says *she* or *it*, from another language than English, or from relations
other than place, holder and property. Such sentences stay, old ones too. It takes a property for
something that has one value at a time, and an entity for the same where it has the same name. It
knows only what was retrieved: where the newest sentence was not, an older one is taken for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from supersede.memories import formats
from supersede.memories.asked import asked_about, asks_how_it_stands
from supersede.memories.budget import fitting
from supersede.memories.facts import Relation, Statement, Topic, statements
from supersede.memories.rag import Rag
from supersede.memories.registry import memory
from supersede.model.memory import Chunk, Context
from supersede.model.stream import StreamQuestion


class _Place(NamedTuple):
    """A statement in the document; a later one is greater."""

    chunk: int
    number: int
    """Among the statements of the chunk."""


class _Edits(NamedTuple):
    """What is changed in a chunk: numbers of its statements."""

    left_out: tuple[int, ...]
    marked: tuple[int, ...]


class _View(NamedTuple):
    """What a question is shown."""

    chunks: tuple[int, ...]
    """In the order shown."""
    edits: Mapping[int, _Edits]
    """Of the chunks that are changed."""
    left_out: int
    """Chunks that did not fit."""


_AS_IT_STANDS = _Edits((), ())


@memory("rag-latest", "rag without what has been superseded: of each fact asked about the newest")
class RagLatest(Rag):
    """Retrieved chunks, in which of each fact asked about only the newest statement is left."""

    def _begin(self, stream: str, questions: tuple[StreamQuestion, ...]) -> None:
        super()._begin(stream, questions)
        self._statements: list[tuple[Statement, ...]] = []
        self._views: dict[str, _View] = {}
        self._made: dict[tuple[int, _Edits], tuple[str, int]] = {}
        self._counters["statements_left_out"] = 0

    async def _take(self, chunk: Chunk) -> None:
        self._statements.append(statements(chunk.text))
        await self.retriever.add(chunk.index, chunk.text)
        rankings = await self._rank(self._questions)
        self._rankings = dict(zip((one.id for one in self._questions), rankings, strict=True))
        before, self._made = self._made, {}
        self._views = {
            one.id: self._view(one, self._rankings[one.id], before) for one in self._questions
        }
        cut = [view.left_out for view in self._views.values()]
        self._count_cut(sum(1 for n in cut if n), sum(cut))
        self._counters["statements_left_out"] += sum(map(_superseded, self._views.values()))

    async def context(self, question: StreamQuestion) -> Context:
        """What was retrieved for a question, without what has been superseded."""
        if not self._chunks:
            return Context("", shared=True)
        ranking = self._rankings.get(question.id)
        if ranking is None:
            (ranking,) = await self._rank([question])
        view = self._views.get(question.id) or self._view(question, ranking, {})
        made = [(n, *self._edited(n, view.edits.get(n, _AS_IT_STANDS), {})) for n in view.chunks]
        title = self.settings.budget.counter.count(formats.RETRIEVED) if made else 0
        return Context(
            formats.listing(formats.RETRIEVED, ((n, text) for n, text, _ in made)),
            chunks=view.chunks,
            head=self._head(question, len(self._chunks) - 1),
            shared=not view.edits and view.chunks == tuple(range(len(self._chunks))),
            truncated=view.left_out,
            notes={
                "tokens": sum(size for _, _, size in made) + title,
                "ranking": ranking,
                "superseded": _superseded(view),
            },
        )

    def _view(
        self,
        question: StreamQuestion,
        ranking: Sequence[int],
        before: Mapping[tuple[int, _Edits], tuple[str, int]],
    ) -> _View:
        """What a question is shown.

        Args:
            question: What is asked.
            ranking: All chunks, best first.
            before: Changed chunks of the interval before, to be used again.
        """
        wanted = self._wanted(ranking)
        edits = self._edits(question.text, wanted)
        made = {n: self._edited(n, edits.get(n, _AS_IT_STANDS), before) for n in wanted}
        shown = [n for n in wanted if made[n][0] or n not in edits]
        kept = fitting([made[n][1] for n in shown], self._left(formats.RETRIEVED))
        chosen = self._ordered(shown[:kept])
        known = {n: edits[n] for n in chosen if n in edits}
        return _View(chosen, known, len(shown) - kept)

    def _edits(self, question: str, chunks: Sequence[int]) -> dict[int, _Edits]:
        """What is changed in retrieved chunks."""
        if not asks_how_it_stands(question):
            return {}
        groups = self._groups(chunks)
        asked = asked_about(question)
        newest: set[_Place] = set()
        older: set[_Place] = set()
        for places in groups.values():
            if any(asked & self._at(place).words for place in places):
                newest.add(max(places))
                older.update(places)
        for place in older:  # who is said of several stays while it is the newest of one of them
            others = (groups.get(topic, [place]) for topic in self._at(place).topics)
            if any(max(places) == place for places in others):
                newest.add(place)
        older -= newest
        found: dict[int, _Edits] = {}
        for n in sorted({place.chunk for place in newest | older}):
            left_out = sorted(place.number for place in older if place.chunk == n)
            marked = sorted(place.number for place in newest if place.chunk == n)
            found[n] = _Edits(tuple(left_out), tuple(marked))
        return found

    def _groups(self, chunks: Sequence[int]) -> dict[Topic, list[_Place]]:
        """The statements of some chunks by what they are about."""
        places = [
            _Place(n, number) for n in sorted(chunks) for number in range(len(self._statements[n]))
        ]
        where = {self._at(place).place for place in places}
        groups: dict[Topic, list[_Place]] = {}
        for place in places:
            for topic in self._at(place).topics:
                if topic.relation is Relation.HOLDER and topic.about in where:
                    continue  # whoever left the kitchen did not drop it
                groups.setdefault(topic, []).append(place)
        return groups

    def _at(self, place: _Place) -> Statement:
        return self._statements[place.chunk][place.number]

    def _edited(
        self, chunk: int, edits: _Edits, before: Mapping[tuple[int, _Edits], tuple[str, int]]
    ) -> tuple[str, int]:
        """The text of a chunk with changes, and its tokens as shown; empty where none is left."""
        text = self._chunks[chunk]
        if edits == _AS_IT_STANDS:
            return text, self._sizes[chunk]
        key = chunk, edits
        made = self._made.get(key) or before.get(key)
        if made is None:
            text = _changed(text, self._statements[chunk], edits, chunk)
            shown = formats.indexed(chunk, text)
            made = text, self.settings.budget.counter.count(shown) + 1
        self._made[key] = made
        return made

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up the state of a snapshot."""
        super().restore(state)
        self._statements = [statements(text) for text in self._chunks]


def _superseded(view: _View) -> int:
    """Statements of the chunks shown that are left out."""
    return sum(len(edits.left_out) for edits in view.edits.values())


def mark(chunk: int) -> str:
    """What stands before the newest statement of a fact."""
    return f"[as of chunk {chunk}] "


def _changed(text: str, known: Sequence[Statement], edits: _Edits, chunk: int) -> str:
    """A chunk with some statements marked and some left out, with the space after them."""
    for number in sorted((*edits.left_out, *edits.marked), reverse=True):
        start, end = known[number].start, known[number].end
        before, after = text[:start], text[end:]
        if number in edits.marked:
            text = before + mark(chunk) + text[start:]
        elif not before or before[-1] == "\n":  # the beginning of a line, or all of it
            whole = not after.strip(" ") or after.lstrip(" ").startswith("\n")
            text = before + (after.lstrip() if whole else after.lstrip(" "))
        else:
            text = before.rstrip(" ") + after
    return text.strip() if edits.left_out else text
