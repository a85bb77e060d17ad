"""`amem`: notes that are linked, and that a new note may change (A-Mem; O-126).

Each passage becomes a note. The model names its keywords, a context in one sentence and tags; then
it sees the new note with the five most like it and may link them, change the new one's tags, and
reword context and tags of the five. Passages themselves never change. For a question, the model
names keywords once in a document; the notes most like these are shown, and after them the notes
that they link to, hit by hit, until all is as long as the notes of 30 chunks.

Calls of a document: one `analyse` for each note, one `evolve` for each but the first, one `query`
for each question, made beside each other with the first chunk. A note is a chunk, or some 200
tokens of one with `amem-paragraph`.

Different from the published code, where neighbours are known by their rank and links by words that
no note has: neighbours are numbered from 1 in the prompt and known by their place in the code;
other numbers are dropped and counted; links go both ways, and a note is shown once. A changed
neighbour is embedded anew at once, not with the next hundred. A vector holds the whole passage and
the card in equal parts, not what an embedder reads of the beginning. A reply that cannot be used is
asked for once more; then words of the passage itself stand for an analysis, the note is kept
without evolution, or the question's own words are looked for; each is counted. Prompts fit the
model's window: passages are shortened, neighbours evenly.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supersede.errors import UsageError
from supersede.memories import formats
from supersede.memories.amem_fit import ANALYSE, EVOLVE, QUERY, analysis, evolution, query
from supersede.memories.amem_follow import FollowCard, FollowEvolution
from supersede.memories.amem_prompts import (
    Asked,
    Card,
    Evolution,
    rehearsed,
)
from supersede.memories.budget import fitting
from supersede.memories.chunks import MemorySettings
from supersede.memories.follow import AsHeard, Follow, Heard
from supersede.memories.model_memory import ModelMemory
from supersede.memories.notes import Note, NoteBox, averaged, clipped
from supersede.memories.passages import first_sentence, passages
from supersede.memories.ranking import best
from supersede.memories.registry import memory
from supersede.memories.retrieval.embedder import HashingEmbedder, Vectors
from supersede.memories.retrieval.split import split
from supersede.memories.side_by_side import side_by_side
from supersede.memories.vectors import VectorTable
from supersede.memories.words import keywords
from supersede.model.instance import Message
from supersede.model.memory import Chunk, Context
from supersede.model.stream import StreamQuestion

NEIGHBOURS = 5
"""Notes that a new one is seen with."""
WORTH = 30
"""Chunks' worth of notes that links fill a context up to: as much as `rag` shows of chunks."""
_GUESSED = 5
"""Keywords that are taken from a passage where the model named none."""


class _Selection(NamedTuple):
    """What is shown for a question."""

    notes: tuple[int, ...]
    """Places of notes, hits first."""
    linked: int
    """Those of them that are there for a link."""
    cut: int
    """Notes that did not fit the model's window."""
    ranking: tuple[int, ...]
    """All chunks, that with the best note first."""


@memory("amem", "10 linked notes and what they link to, up to 30 chunks' worth; asks a model")
class Amem(ModelMemory):
    """Notes that evolve, one for each chunk."""

    uses: ClassVar[frozenset[str]] = frozenset({"embedder", "shown"})
    shown: ClassVar[int] = 10
    stages = (ANALYSE, EVOLVE, QUERY)
    note_tokens: ClassVar[int | None] = None
    """About how long a note is; None where it is a chunk."""

    def __init__(self, settings: MemorySettings) -> None:
        self._embedder = settings.embedder or HashingEmbedder()
        super().__init__(settings)

    def _begin(self, stream: str, questions: tuple[StreamQuestion, ...]) -> None:
        super()._begin(stream, questions)
        self._box = NoteBox()
        self._note_sizes: list[int] = []
        self._notes_of: list[int] = []
        self._places: dict[str, int] = {}
        self._sought: list[str] = []
        self._queries = VectorTable()
        self._asking = asyncio.Lock()
        self._selected: dict[str, _Selection] = {}
        names = ("notes", "links", "notes_evolved", "neighbours_changed")
        self._counters.update(dict.fromkeys(names, 0))

    @staticmethod
    def rehearse(stage: str, messages: Sequence[Message]) -> str:
        """A well-formed reply of common length, for plans: no model is asked."""
        return rehearsed(stage, messages)

    @staticmethod
    def follow(stage: str, heard: Sequence[Heard]) -> Follow:
        """Cards and keywords as an earlier run had them, and as many links among neighbours."""
        if stage == ANALYSE.name:
            return FollowCard()
        return FollowEvolution(heard) if stage == EVOLVE.name else AsHeard()

    async def _take(self, chunk: Chunk) -> None:
        count = self.settings.budget.counter.count
        texts = passages(chunk.text, self.note_tokens, count)
        made = [await self._analysed(chunk.index, text, count(text)) for text in texts]
        contents = await self._embedded(texts)
        for note, content in zip(made, contents, strict=True):
            await self._keep(note, content)
        self._notes_of.append(len(texts))
        await self._ask_for(self._questions)
        self._selected = {one.id: self._select(one.id) for one in self._questions}
        cut = [one.cut for one in self._selected.values()]
        self._count_cut(sum(1 for n in cut if n), sum(cut))

    async def _analysed(self, chunk: int, text: str, size: int) -> Note:
        """A new note: its passage with what the model, or else a rule, says of it."""
        call = analysis(self.settings.budget, text)
        if call.cut:
            self.model.count(ANALYSE, "inputs_cut")
        found = await self.model.data(call.stage, call.prompt, Card)
        if found is not None and not (found.keywords and found.context and found.tags):
            self.model.count(ANALYSE, "filled")
        guessed = keywords(text, _GUESSED)
        given = found or Card(keywords=guessed)
        words = given.keywords or guessed
        card, cut = clipped(
            Card(
                keywords=words,
                context=given.context or first_sentence(text),
                tags=given.tags or tuple(one.casefold() for one in words[:_GUESSED]),
            )
        )
        if cut and found is not None:
            self.model.count(ANALYSE, "clipped")
        return Note(chunk, text, size, card.keywords, card.context, card.tags)

    async def _keep(self, note: Note, content: NDArray[np.float32]) -> None:
        """Puts a new note into the box and lets it change its neighbours."""
        new, near = len(self._box), self._box.nearest(content, NEIGHBOURS)
        self._box.add(note, content, np.zeros_like(content))
        self._note_sizes.append(0)
        self._counters["notes"] += 1
        changed = await self._evolved(new, near) if near else ()
        places = (new, *changed)
        cards = await self._embedded([self._box.notes[place].card() for place in places])
        for place, card in zip(places, cards, strict=True):
            self._box.put_card(place, card)
            shown = self._box.notes[place].shown()
            self._note_sizes[place] = self.settings.budget.counter.count(shown) + 1

    async def _evolved(self, new: int, near: Sequence[int]) -> tuple[int, ...]:
        """Asks what a new note changes and does it; the places of changed neighbours."""
        notes = self._box.notes
        call = evolution(self.settings.budget, notes[new], [notes[place] for place in near])
        if call.cut:
            self.model.count(EVOLVE, "inputs_cut" if call.shown else "skipped")
        reply = await self.model.data(call.stage, call.prompt, Evolution) if call.shown else None
        if reply is None:
            return ()
        done = self._box.evolve(new, near[: call.shown], reply)
        self._counters["links"] += done.linked
        self._counters["notes_evolved"] += reply.should_evolve
        self._counters["neighbours_changed"] += len(done.changed)
        if done.dropped:
            self.model.count(EVOLVE, "numbers_dropped", done.dropped)
        if done.cut:
            self.model.count(EVOLVE, "clipped")
        return done.changed

    async def _embedded(self, texts: Sequence[str]) -> Vectors:
        """A vector of length one for each text, whatever its length; asked for in one batch."""
        embedder = self._embedder
        windows = [split(text, embedder.limit, embedder.count).texts for text in texts]
        rows = await embedder.embed([one for of_text in windows for one in of_text], "passage")
        return averaged(rows, [len(of_text) for of_text in windows])

    async def _ask_for(self, questions: Sequence[StreamQuestion]) -> None:
        """Has keywords named for the questions that have none yet."""
        async with self._asking:
            new = [one for one in questions if one.id not in self._places]
            if not new:
                return
            sought = await side_by_side(self._keywords(one) for one in new)
            limit, count = self._embedder.limit, self._embedder.count
            texts = [split(one, limit, count).texts[0] for one in sought]
            self._queries.add(await self._embedder.embed(texts, "query"))
            first = len(self._places)
            self._places.update((one.id, place) for place, one in enumerate(new, start=first))
            self._sought += sought

    async def _keywords(self, question: StreamQuestion) -> str:
        """What to look for to answer a question."""
        call = query(self.settings.budget, question.text)
        found = await self.model.data(call.stage, call.prompt, Asked)
        if found is not None and found.keywords:
            return ", ".join(clipped(Card(keywords=found.keywords)).card.keywords)
        if found is not None:
            self.model.count(QUERY, "fallbacks")
        return question.text

    def _select(self, question: str) -> _Selection:
        """Hits, then what they link to, best first, while there is room."""
        scores = self._box.scores(self._queries.rows[self._places[question]])
        order = best(scores)
        hits = order[: self.settings.shown or self.shown]
        chosen, sizes = dict.fromkeys(hits), self._note_sizes
        total, most = sum(sizes[place] for place in hits), self._worth()
        for place in self._linked(hits, scores):
            if total + sizes[place] > most:
                break
            chosen[place] = None
            total += sizes[place]
        room = self._room
        if room is not None:
            room -= self.settings.budget.counter.count(formats.RETRIEVED)
        kept = fitting([sizes[place] for place in chosen], room)
        ranking = tuple(dict.fromkeys(self._box.notes[place].chunk for place in order))
        shown = tuple(chosen)[:kept]
        return _Selection(shown, max(0, kept - len(hits)), len(chosen) - kept, ranking)

    def _linked(self, hits: Sequence[int], scores: NDArray[np.float32]) -> list[int]:
        """Notes that hits link to, hit by hit, each once, and of one hit the best first."""
        found = dict.fromkeys(hits)
        for hit in hits:
            links = self._box.notes[hit].links
            found.update(dict.fromkeys(sorted(links, key=lambda n: (-scores[n], -n))))
        return list(found)[len(hits) :]

    def _worth(self) -> float:
        """Tokens of notes up to which links are shown: those of so many chunks of common length."""
        return WORTH * sum(self._note_sizes) / len(self._chunks)

    async def context(self, question: StreamQuestion) -> Context:
        """The notes of a question."""
        if not self._chunks:
            return Context("", shared=True)
        await self._ask_for([question])
        found = self._selected.get(question.id) or self._select(question.id)
        places = sorted(found.notes) if self.settings.order == "index" else found.notes
        notes = [self._box.notes[place] for place in places]
        whole: dict[int, int] = {}
        for one in notes:
            whole[one.chunk] = whole.get(one.chunk, 0) + 1
        tokens = sum(self._note_sizes[place] for place in places)
        title = self.settings.budget.counter.count(formats.RETRIEVED)
        return Context(
            formats.RETRIEVED + formats.LINE_BREAK.join(one.shown() for one in notes),
            chunks=tuple(chunk for chunk, n in whole.items() if n == self._notes_of[chunk]),
            head=self._head(question, len(self._chunks) - 1),
            truncated=found.cut,
            notes={
                "tokens": tokens + title,
                "ranking": found.ranking,
                "notes": len(notes),
                "linked": found.linked,
                "keywords": self._sought[self._places[question.id]],
            },
        )

    def _head(self, question: StreamQuestion, index: int) -> str | None:
        return formats.query(index, question.text)

    def snapshot(self) -> dict[str, Any]:
        """All state as JSON data."""
        return {
            **super().snapshot(),
            "embedder": self._embedder.name,
            "box": self._box.snapshot(),
            "note_sizes": list(self._note_sizes),
            "notes_of": list(self._notes_of),
            "asked": list(self._places),
            "sought": list(self._sought),
            "queries": self._queries.snapshot(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up the state of a snapshot.

        Raises:
            UsageError: It was made with another embedder.
        """
        super().restore(state)
        if state["embedder"] != self._embedder.name:
            raise UsageError(
                f"the snapshot was made with {state['embedder']!r}, not {self._embedder.name!r}",
                mend="Resume with the embedder that the run began with.",
            )
        self._box.restore(state["box"])
        self._note_sizes = list(state["note_sizes"])
        self._notes_of = list(state["notes_of"])
        self._places = {one: place for place, one in enumerate(state["asked"])}
        self._sought = list(state["sought"])
        self._queries.restore(state["queries"])


@memory("amem-30", "30 linked notes, as long as the 30 chunks of rag; asks a model")
class Amem30(Amem):
    """As much text as `rag` shows."""

    shown: ClassVar[int] = 30


@memory("amem-paragraph", "amem with notes of some 200 tokens: ten times the calls")
class AmemParagraph(Amem):
    """Notes that evolve, several for each chunk."""

    note_tokens: ClassVar[int | None] = 200
