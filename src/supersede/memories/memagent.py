"""`memagent`: notes of bounded length, written anew at every chunk (MemAgent; O-125).

For every question there is a memory of its own. At each chunk the model is shown the question, the
memory and the chunk, and its whole reply is the new memory; the answer is given from the memory
alone. A memory is brought up to date when its question is asked: all chunks that it has not seen
yet are folded in then, in order, one call each. So a question that comes late reads everything
from the start, and one that is asked at every interval takes one call an interval.

The writer knows the question, which no retrieval and no graph does: logs and reports say so
(`question_aware_writes`). `memagent-shared` is not the published system: one memory for all
questions of a document, written once at each chunk, longer the more questions there are.

There is no preset with the budget of `rag`: 30 chunks are more than models write in one reply.

Other than in the published code: a reply that is empty keeps the memory that was, a memory that was
cut is carried on but marked, thinking and an echoed heading do not become memory, a call that fails
fails the run in place of dropping the sample, and where a chunk does not fit the window its middle
is left out and counted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, NamedTuple

from supersede.memories.asking import Stage
from supersede.memories.budget import fitting
from supersede.memories.follow import Follow, Heard
from supersede.memories.lengths import beginning, call_room, ends
from supersede.memories.memagent_follow import FollowNotes
from supersede.memories.memagent_prompts import (
    NO_MEMORY,
    Style,
    memory_of,
    problem_of,
    problem_of_all,
    rehearsed,
    update_prompt,
)
from supersede.memories.model_memory import ModelMemory
from supersede.memories.registry import memory
from supersede.model.instance import Message
from supersede.model.memory import Chunk, Context
from supersede.model.stream import StreamQuestion

MEMORY_TOKENS = 1_024
"""Most tokens of a memory, as published."""
MORE_FOR_EACH = 32
"""Tokens by which a shared memory grows for each question."""
SHARED_TOKENS = 4_096
"""Most tokens of a shared memory."""
UPDATE = Stage("update", MEMORY_TOKENS)
UPDATE_SHARED = Stage("update", SHARED_TOKENS)
_TITLE = (
    "Notes on the text, taken while it was read chunk by chunk; they are all that there is of it:\n"
)


@dataclass(slots=True)
class Notes:
    """A memory."""

    text: str = ""
    folded: int = 0
    """Chunks that it has seen."""
    cut: bool = False
    """Whether the reply that it is was longer than it may be."""


class Problem(NamedTuple):
    """What a memory is kept for."""

    text: str
    cut: bool = False
    """Whether not all of it fits the window."""


class Rewritten(ModelMemory):
    """A memory whose notes are replaced at each chunk by what the model makes of both."""

    style: ClassVar[Style] = "upstream"
    question_aware_writes: ClassVar[bool] = True

    @staticmethod
    def rehearse(stage: str, messages: Sequence[Message]) -> str:
        """A memory of common length, from the section's own words."""
        return rehearsed(messages)

    @staticmethod
    def follow(stage: str, heard: Sequence[Heard]) -> Follow:
        """Notes as long as an earlier run wrote them, longer where they grew."""
        return FollowNotes(heard)

    async def _fold(self, notes: Notes, problem: Problem) -> None:
        """Brings notes up to date by one chunk; they change at once, when the reply is there."""
        section = self._chunks[notes.folded]
        stage, room = self._limits(problem.text)
        if room is not None:
            left = room - self.settings.budget.counter.count(notes.text or NO_MEMORY)
            section = ends(section, left, self.settings.budget.counter)
        if problem.cut or section != self._chunks[notes.folded]:
            self.model.count(stage, "inputs_cut")
        prompt = update_prompt(self.style, problem.text, notes.text, section, notes.folded)
        reply = await self.model.text(stage, prompt)
        notes.folded += 1
        found = memory_of(reply.text)
        if not found:
            self.model.count(stage, "malformed")
            self.model.count(stage, "fallbacks")
            return
        notes.text = beginning(found, stage.max_tokens, self.settings.budget.counter)
        shortened = notes.text != found
        notes.cut = reply.cut or shortened
        if shortened:
            self.model.count(stage, "shortened")

    def _limits(self, problem: str) -> tuple[Stage, int | None]:
        """The call, with the most tokens of a memory, and how much fits beside the problem."""
        (stage,) = self.stages
        counter = self.settings.budget.counter
        (fixed,) = update_prompt(self.style, problem, "", "", 9_999)
        most, room = call_room(
            self.settings.budget, counter.count(fixed.content), self._most_tokens()
        )
        if self._room is not None:
            most = max(1, min(most, self._room - counter.count(_TITLE)))
        return stage._replace(max_tokens=most), room

    def _most_tokens(self) -> int:
        """Most tokens of a memory where the window is long enough."""
        return MEMORY_TOKENS

    def _shown_notes(self, notes: Notes, *, shared: bool) -> Context:
        text = _TITLE + (notes.text or NO_MEMORY)
        counter = self.settings.budget.counter
        if self._room is not None:
            text = beginning(text, self._room, counter)
        return Context(
            text,
            shared=shared,
            notes={
                "tokens": counter.count(text),
                "style": self.style,
                "memory_cut": notes.cut,
            },
        )


@memory("memagent", "notes of its own for each question, written anew at each chunk (MemAgent)")
class MemAgent(Rewritten):
    """One memory for each question, folded over the chunks when the question is asked."""

    stages: ClassVar[tuple[Stage, ...]] = (UPDATE,)

    def _begin(self, stream: str, questions: tuple[StreamQuestion, ...]) -> None:
        super()._begin(stream, questions)
        self._notes: dict[str, Notes] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    async def _take(self, chunk: Chunk) -> None:
        """Nothing yet: what is worth keeping depends on the question."""

    async def context(self, question: StreamQuestion) -> Context:
        """The memory of a question, first brought up to date."""
        if not self._chunks:
            return Context("")
        async with self._locks.setdefault(question.id, asyncio.Lock()):
            notes = self._notes.setdefault(question.id, Notes())
            problem = Problem(problem_of(question, self.settings.prompts.preamble))
            while notes.folded < len(self._chunks):
                await self._fold(notes, problem)
        return self._shown_notes(notes, shared=False)

    def snapshot(self) -> dict[str, Any]:
        """All state as JSON data."""
        notes = {name: asdict(one) for name, one in sorted(self._notes.items())}
        return {**super().snapshot(), "notes": notes}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up the state of a snapshot."""
        super().restore(state)
        self._notes = {name: Notes(**one) for name, one in state["notes"].items()}


@memory("memagent-tracking", "as memagent, told that later chunks outweigh earlier ones")
class MemAgentTracking(MemAgent):
    """The same with prompts that speak of change, and of the chunk in which it came."""

    style: ClassVar[Style] = "tracking"


@memory("memagent-shared", "one memory for all questions, one call a chunk; not as published")
class MemAgentShared(Rewritten):
    """One memory for each document."""

    stages: ClassVar[tuple[Stage, ...]] = (UPDATE_SHARED,)

    def _begin(self, stream: str, questions: tuple[StreamQuestion, ...]) -> None:
        super()._begin(stream, questions)
        self._shared = Notes()

    def _most_tokens(self) -> int:
        return min(SHARED_TOKENS, MEMORY_TOKENS + MORE_FOR_EACH * len(self._questions))

    async def _take(self, chunk: Chunk) -> None:
        await self._fold(self._shared, self._problem())

    def _problem(self) -> Problem:
        """All questions, as far as a third of the window takes them."""
        asked = [one.text for one in self._questions]
        _, room = self._limits(problem_of_all((), self.settings.prompts.preamble))
        counter = self.settings.budget.counter
        sizes = [counter.count(f"- {text}\n") for text in asked]
        kept = fitting(sizes, None if room is None else room // 3)
        return Problem(
            problem_of_all(asked[:kept], self.settings.prompts.preamble), kept < len(asked)
        )

    async def context(self, question: StreamQuestion) -> Context:
        """The memory of the document, the same for every question."""
        if not self._chunks:
            return Context("", shared=True)
        return self._shown_notes(self._shared, shared=True)

    def snapshot(self) -> dict[str, Any]:
        """All state as JSON data."""
        return {**super().snapshot(), "notes": asdict(self._shared)}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up the state of a snapshot."""
        super().restore(state)
        self._shared = Notes(**state["notes"])
