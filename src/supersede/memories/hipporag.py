"""`hipporag`: passages found by walking a graph of what they tell (HippoRAG 2; O-125).

For each chunk the model is asked for names and, with these, for triples of subject, relation and
object. Phrases and passages make a graph (`hipporag_graph`). For a question, the facts most like it
are shown to the model, which keeps those that help; a walk that begins at their phrases, and a
little at every passage that is like the question, ranks the passages (`pagerank`). Where no fact is
kept, they are ranked by likeness alone.

All questions are ranked when a chunk comes in: the model filters facts for all of them side by
side, then one walk is worked out for all. Contexts are only read afterwards, so neither their
number nor their order changes anything. The model is asked about a question again only when other
facts are most like it.

Different from the published code, besides its faults: a fact that the model made up is dropped
instead of taken for the nearest one; a chunk too long for the embedder counts as much as its best
window instead of its beginning; questions are embedded once, since an embedder has one instruction
for queries; phrases keep the letters of all scripts; passages stand in the order in which they
came, with their indices.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from supersede.memories import formats
from supersede.memories.budget import fitting
from supersede.memories.follow import AsHeard, Follow, Heard
from supersede.memories.hipporag_follow import FollowFilter, FollowTriples
from supersede.memories.hipporag_graph import PhraseGraph, Triple
from supersede.memories.hipporag_prompts import rehearsed
from supersede.memories.hipporag_rank import LINKED, phrase_seeds, scaled, walked
from supersede.memories.hipporag_reader import FILTER, NAMES, TRIPLES, Reader
from supersede.memories.hipporag_vectors import Embedded
from supersede.memories.model_memory import ModelMemory
from supersede.memories.ranking import best
from supersede.memories.registry import memory
from supersede.memories.retrieval.embedder import Vectors
from supersede.memories.side_by_side import side_by_side
from supersede.memories.vectors import VectorTable
from supersede.model.instance import Message
from supersede.model.memory import Chunk, Context
from supersede.model.stream import StreamQuestion


class Ranking(NamedTuple):
    """What was found for a question."""

    chunks: tuple[int, ...]
    """All chunks, best first."""
    facts: tuple[str, ...]
    """What the model kept; empty where chunks are ranked by likeness alone."""


@memory("hipporag", "the 5 chunks that a walk on a graph of the model's own making reaches most")
class HippoRag(ModelMemory):
    """The chunks that personalised PageRank ranks highest, among those revealed."""

    stages = (NAMES, TRIPLES, FILTER)
    uses: ClassVar[frozenset[str]] = frozenset({"embedder", "shown"})
    shown: ClassVar[int] = 5
    """Chunks that it shows."""
    ascii_only: ClassVar[bool] = False
    """Whether phrases keep no letters but those from a to z, as in the published code."""

    @staticmethod
    def rehearse(stage: str, messages: Sequence[Message]) -> str:
        """A well-formed reply of common length, for plans: no model is asked."""
        return rehearsed(stage, messages)

    @staticmethod
    def follow(stage: str, heard: Sequence[Heard]) -> Follow:
        """As many names and facts as an earlier run found, as many of these new, and kept."""
        if stage == TRIPLES.name:
            return FollowTriples(heard)
        return FollowFilter() if stage == FILTER.name else AsHeard()

    def _begin(self, stream: str, questions: tuple[StreamQuestion, ...]) -> None:
        super()._begin(stream, questions)
        self._counters["dense_fallbacks"] = 0
        self._reader = Reader(self.model, self.settings.budget, ascii_only=self.ascii_only)
        self._embedded = Embedded(self.settings.embedder)
        self._triples: list[tuple[Triple, ...]] = []
        self._graph = PhraseGraph()
        self._kept: dict[tuple[str, tuple[int, ...]], tuple[int, ...]] = {}
        self._rankings: dict[str, Ranking] = {}
        self._one_at_a_time = asyncio.Lock()

    async def start(self, stream: str, questions: Sequence[StreamQuestion]) -> None:
        """Forget everything and begin a document."""
        await super().start(stream, questions)
        await self._embedded.ask([one.text for one in questions])

    async def _take(self, chunk: Chunk) -> None:
        triples = await self._reader.triples(chunk.text)
        vectors = await self._embedded.take(
            chunk.text,
            self._graph.new_phrases(triples),
            [fact.text for fact in self._graph.new_facts(triples)],
        )
        self._add(triples, vectors)
        texts = list(dict.fromkeys(one.text for one in self._questions))
        self._rankings = dict(zip(texts, await self._rank(texts), strict=True))
        rankings = [self._rankings[one.text] for one in self._questions]
        cut = [self._choose(one.chunks)[1] for one in rankings]
        self._count_cut(sum(1 for n in cut if n), sum(cut))
        self._counters["dense_fallbacks"] += sum(1 for one in rankings if not one.facts)

    def _add(self, triples: tuple[Triple, ...], vectors: Vectors) -> None:
        self._triples.append(triples)
        self._graph.add(triples, vectors)

    async def _rank(self, questions: Sequence[str]) -> list[Ranking]:
        """What is found for some questions, by their texts."""
        if not questions:
            return []
        await self._embedded.ask(questions)
        likeness = self._embedded.passages_like(questions)
        facts = self._embedded.facts_like(questions)
        linked = [tuple(sorted(best(row, LINKED))) for row in facts]
        await self._filter(list(zip(questions, linked, strict=True)))
        kept = [self._kept[one, given] for one, given in zip(questions, linked, strict=True)]
        seeds = [
            phrase_seeds(self._graph, [self._graph.facts[n] for n in found], scaled(row, found))
            for found, row in zip(kept, facts, strict=True)
        ]
        walking = [place for place, begins in enumerate(seeds) if begins]
        scores = list(likeness)
        walks = walked(self._graph, [seeds[n] for n in walking], [likeness[n] for n in walking])
        for place, walk in zip(walking, walks, strict=True):
            scores[place] = walk
        return [
            Ranking(
                best(row),
                tuple(self._graph.facts[n].text for n in found) if begins else (),
            )
            for row, found, begins in zip(scores, kept, seeds, strict=True)
        ]

    async def _filter(self, linked: Sequence[tuple[str, tuple[int, ...]]]) -> None:
        """Sees to it that the model has said for each question which of its facts help."""

        async def ask(question: str, given: tuple[int, ...]) -> tuple[int, ...]:
            places = await self._reader.kept(question, [self._graph.facts[n] for n in given])
            return tuple(given[place] for place in places)

        new = [one for one in linked if one not in self._kept]
        found = await side_by_side(ask(*one) for one in new)
        self._kept.update(zip(new, found, strict=True))

    async def context(self, question: StreamQuestion) -> Context:
        """The chunks that were found for a question."""
        if not self._chunks:
            return Context("", shared=True)
        async with self._one_at_a_time:
            if question.text not in self._rankings:
                (self._rankings[question.text],) = await self._rank([question.text])
        ranking = self._rankings[question.text]
        shown, cut = self._choose(ranking.chunks)
        tokens = self.settings.budget.counter.count(formats.RETRIEVED) if shown else 0
        return Context(
            formats.listing(formats.RETRIEVED, ((n, self._chunks[n]) for n in shown)),
            chunks=shown,
            head=self._head(question, len(self._chunks) - 1),
            shared=shown == tuple(range(len(self._chunks))),
            truncated=cut,
            notes={
                "tokens": tokens + sum(self._sizes[n] for n in shown),
                "ranking": ranking.chunks,
                "facts": ranking.facts,
            },
        )

    def _choose(self, ranking: Sequence[int]) -> tuple[tuple[int, ...], int]:
        """Chunks in the order shown, and how many more did not fit."""
        now, most = len(self._chunks) - 1, self.settings.shown or self.shown
        first = ranking[: most + 1]  # of which the latest may have to go
        wanted = [n for n in first if n != now or self.settings.retrieve_current][:most]
        room = self._room
        if room is not None:
            room -= self.settings.budget.counter.count(formats.RETRIEVED)
        kept = fitting([self._sizes[n] for n in wanted], room)
        chosen = wanted[:kept]
        ordered = sorted(chosen) if self.settings.order == "index" else chosen
        return tuple(ordered), len(wanted) - kept

    def _shown(self, chunk: Chunk) -> str:
        return formats.indexed(chunk.index, chunk.text)

    def _head(self, question: StreamQuestion, index: int) -> str | None:
        return formats.query(index, question.text)

    def counters(self) -> Mapping[str, float]:
        """Those of every memory with a model, embeddings, and the size of the graph."""
        return {
            **super().counters(),
            **self._embedded.counters(),
            "phrases": len(self._graph.phrases),
            "facts": len(self._graph.facts),
            "edges": self._graph.size,
        }

    def snapshot(self) -> dict[str, Any]:
        """All state as JSON data."""
        return {
            **super().snapshot(),
            "embedded": self._embedded.snapshot(),
            "phrases": self._graph.vectors.snapshot(),
            "triples": [[list(one) for one in triples] for triples in self._triples],
            "kept": [[text, list(given), list(kept)] for (text, given), kept in self._kept.items()],
            "rankings": [
                [text, list(one.chunks), list(one.facts)] for text, one in self._rankings.items()
            ],
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up the state of a snapshot."""
        super().restore(state)
        self._embedded.restore(state["embedded"])
        phrases = VectorTable()
        phrases.restore(state["phrases"])
        for rows in state["triples"]:
            triples = tuple(Triple(*row) for row in rows)
            first = len(self._graph.phrases)
            new = len(self._graph.new_phrases(triples))
            self._add(triples, phrases.rows[first : first + new])
        self._kept = {(text, tuple(given)): tuple(kept) for text, given, kept in state["kept"]}
        self._rankings = {
            text: Ranking(tuple(chunks), tuple(facts)) for text, chunks, facts in state["rankings"]
        }


@memory("hipporag-30", "hipporag with as many chunks as rag shows, 30")
class HippoRag30(HippoRag):
    """`hipporag` with the budget of `rag`."""

    shown: ClassVar[int] = 30
