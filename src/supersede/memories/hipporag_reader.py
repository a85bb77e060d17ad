"""How `hipporag` asks its model: prompts cut to the window, replies checked, all of it counted."""

from __future__ import annotations

from collections.abc import Sequence

from supersede.memories.asking import MemoryModel, Stage
from supersede.memories.budget import Budget
from supersede.memories.hipporag_graph import Triple
from supersede.memories.hipporag_prompts import (
    Messages,
    as_json,
    filter_prompt,
    names_prompt,
    triples_prompt,
)
from supersede.memories.hipporag_replies import Kept, Names, Triples, chosen, usable
from supersede.memories.lengths import beginning, call_room

NAMES = Stage("names", 2048)
TRIPLES = Stage("triples", 2048)
FILTER = Stage("filter", 512)


class Reader:
    """Asks for names, triples and facts that help.

    Args:
        model: Who is asked.
        budget: Of the model.
        ascii_only: Whether phrases keep no letters but those from a to z.
    """

    def __init__(self, model: MemoryModel, budget: Budget, *, ascii_only: bool = False) -> None:
        self._model = model
        self._budget = budget
        self._count = budget.counter.count
        self._ascii_only = ascii_only

    async def triples(self, text: str) -> tuple[Triple, ...]:
        """The triples of a chunk, by two calls that depend on its text alone.

        Counts `names_inputs_cut` and `triples_inputs_cut` where the window is too short for the
        text, and `triples_dropped` for items of a reply that are no triples.

        Raises:
            UsageError: The window is too short for any text.
        """
        names = await self._names(text)
        stage, room = self._room(TRIPLES, triples_prompt("", ()))
        guide, passage = names, text
        if room is not None:
            while guide and self._count(as_json(guide)) > room // 2:
                guide = guide[: len(guide) // 2]
            passage = beginning(text, room - self._count(as_json(guide)), self._budget.counter)
        if guide != names or passage != text:
            self._model.count(TRIPLES, "inputs_cut")
        cut = self._cut_replies()
        found = await self._model.data(stage, triples_prompt(passage, guide), Triples)
        rows = found.triples if found else ()
        if self._cut_replies() > cut:
            rows = rows[:-1]  # what the reply broke off in
        kept = usable(rows, ascii_only=self._ascii_only)
        dropped = rows.count(None) + len({row for row in rows if row}) - len(kept)
        if dropped:
            self._model.count(TRIPLES, "dropped", dropped)
        return kept

    async def _names(self, text: str) -> tuple[str, ...]:
        stage, room = self._room(NAMES, names_prompt(""))
        passage = text if room is None else beginning(text, room, self._budget.counter)
        if passage != text:
            self._model.count(NAMES, "inputs_cut")
        found = await self._model.data(stage, names_prompt(passage), Names)
        return found.names if found else ()

    def _cut_replies(self) -> float:
        return self._model.counters().get(f"{TRIPLES.name}_cut", 0)

    async def kept(self, question: str, facts: Sequence[Triple]) -> tuple[int, ...]:
        """Places of the facts that help with a question; none where the reply says nothing.

        Counts `filter_inputs_cut` where the window is too short for the longest of them, and
        `filter_unknown` for facts of a reply that were not given.

        Raises:
            UsageError: The window is too short for the question.
        """
        stage, room = self._room(FILTER, filter_prompt(question, ()))
        shown = list(facts)
        while room is not None and shown and self._count(as_json(shown)) > room:
            shown.remove(max(shown, key=lambda fact: len(fact.text)))
        if len(shown) < len(facts):
            self._model.count(FILTER, "inputs_cut")
        if not shown:
            return ()
        found = await self._model.data(stage, filter_prompt(question, shown), Kept)
        if found is None:
            return ()
        places, unknown = chosen(found.facts, shown)
        if unknown:
            self._model.count(FILTER, "unknown", unknown)
        return tuple(facts.index(shown[place]) for place in places)

    def _room(self, stage: Stage, fixed: Messages) -> tuple[Stage, int | None]:
        """A stage with a reply that leaves room, and the tokens that a prompt may add."""
        prompt = sum(self._count(message.content) for message in fixed)
        reply, room = call_room(self._budget, prompt, stage.max_tokens)
        return stage._replace(max_tokens=reply), room
