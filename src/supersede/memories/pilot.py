"""What an earlier run says of a plan: its replies, and what others to come will be like.

Where the memory of the plan asks what was asked before, it has the reply that was given. For what
is asked later, one of the replies that were given to that stage stands in, as the memory's own
`follow` says: of the length that replies have come to by then, with as many new facts as the text
still brings. All of that is measured on the earlier run; nothing is assumed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from supersede.corpus.tokens import TokenCounter
from supersede.memories.budget import prompt_tokens
from supersede.memories.follow import AsHeard, Follow, Heard
from supersede.memories.rehearsal import Rehearsed, StagePlan
from supersede.model.instance import Message
from supersede.model.memory import Memory
from supersede.model.protocols import Completion

Recall = Callable[[str, Sequence[Message], str, int | None, int], Completion | None]
"""From a document, a prompt, its stage, most tokens and attempt to the reply that was given."""

_ALIKE = 8
"""Replies of about the same place in a document from which one is taken."""


class Call(NamedTuple):
    """What replies can stand in for."""

    stage: str
    attempt: int


@dataclass(frozen=True, slots=True)
class Lessons:
    """What was learnt of an earlier run."""

    heard: Mapping[Call, tuple[Heard, ...]] = field(default_factory=dict)
    """Replies, in the order in which they were given."""
    unit: float = 1.0
    """Tokens of prompts as the server counted them, for one as we do."""
    chunks: int = 0
    """Most chunks of a document that were read; 0 where prompts were others, so none is known."""

    @property
    def replies(self) -> int:
        """How many replies there are."""
        return sum(map(len, self.heard.values()))

    def stage(self, name: str) -> tuple[Heard, ...]:
        """First replies to a stage."""
        return self.heard.get(Call(name, 0), ())


@dataclass(frozen=True, slots=True)
class Pilot:
    """An earlier run, as a plan goes by it."""

    recall: Recall
    lessons: Lessons


class Listening(Rehearsed):
    """`Generate` that gives the replies of an earlier run, and rehearsed ones beside them.

    Args:
        counter: Counts tokens.
        recall: Knows what was said.
        thinking: Tokens that a model may think before each reply.
    """

    def __init__(self, counter: TokenCounter, recall: Recall, thinking: int = 0) -> None:
        super().__init__(counter, thinking)
        self._recall = recall
        self.heard: list[tuple[Call, Heard]] = []
        self.asked = 0
        """Calls so far."""
        self._counted = 0
        self._told = 0

    async def __call__(
        self,
        messages: Sequence[Message],
        *,
        stage: str = "",
        max_tokens: int | None = None,
        attempt: int = 0,
    ) -> Completion:
        """What was said, or else would commonly be."""
        self.asked += 1
        said = self._recall(self.stream, messages, stage, max_tokens, attempt)
        if said is None:
            return await super().__call__(
                messages, stage=stage, max_tokens=max_tokens, attempt=attempt
            )
        heard = Heard(
            self.stream,
            said.text,
            self.counter.count(said.text),
            said.output_tokens,
            self.now,
            messages[-1].content,
        )
        self.heard.append((Call(stage, attempt), heard))
        if said.input_tokens:
            self._counted += prompt_tokens(messages, self.counter)
            self._told += said.input_tokens
        return said

    @property
    def tokens(self) -> tuple[int, int]:
        """Of the prompts that were known: as we count, and as the server did."""
        return self._counted, self._told


class Following(Rehearsed):
    """`Generate` that goes on as an earlier run went.

    Args:
        counter: Counts tokens.
        pilot: The earlier run.
        thinking: Tokens that a model may think before each reply.
    """

    def __init__(self, counter: TokenCounter, pilot: Pilot, thinking: int = 0) -> None:
        super().__init__(counter, thinking)
        self._pilot = pilot
        self._follows: dict[str, Follow] = {}
        self._taken: Counter[Call] = Counter()
        self._make: Callable[[str, Sequence[Heard]], Follow] = _as_heard
        self.unit = pilot.lessons.unit

    def of(self, memory: Memory) -> None:
        """Replies are from now on those of a memory."""
        super().of(memory)
        self._make = getattr(memory, "follow", None) or _as_heard

    async def __call__(
        self,
        messages: Sequence[Message],
        *,
        stage: str = "",
        max_tokens: int | None = None,
        attempt: int = 0,
    ) -> Completion:
        """What was said, or what would be said by then."""
        said = self._pilot.recall(self.stream, messages, stage, max_tokens, attempt)
        known = self._pilot.lessons.stage(stage)
        if not known and said is None:
            return await super().__call__(
                messages, stage=stage, max_tokens=max_tokens, attempt=attempt
            )
        follow = self._follows.get(stage)
        if follow is None:
            follow = self._follows[stage] = self._make(stage, known)
        read = round(prompt_tokens(messages, self.counter) * self.unit)
        if said is None:
            like = self._like(Call(stage, attempt))
            text = follow.reply(like, messages, self.now)
            size = self.counter.count(text)
            written = round(like.written * size / like.tokens) if like.tokens else like.written
            said = Completion(text, False, read, written)
        follow.hear(messages[-1].content, said.text)
        most = said.output_tokens if max_tokens is None else max_tokens + self.thinking
        self.add(stage, StagePlan(1, said.input_tokens or read, most, said.output_tokens))
        return said

    def _like(self, call: Call) -> Heard:
        """A reply that was given to such a call when about as much had been read."""
        heard = self._pilot.lessons.heard
        known = about(heard.get(call) or heard[Call(call.stage, 0)], self.now)
        self._taken[call] += 1
        return known[(self._taken[call] - 1) % len(known)]


def about(heard: Sequence[Heard], now: int) -> Sequence[Heard]:
    """The replies that were given when about as much had been read, some at least.

    Where more has been read than in any of them, those of the later half.
    """
    dated = [one.now for one in heard if one.now is not None]
    if not dated:
        return heard
    last = max(dated)
    if now > last:
        later = [one for one in heard if one.now is not None and 2 * one.now >= last]
        if len(later) >= _ALIKE:
            return later
    far = [abs((one.now or 0) - min(now, last)) for one in heard]
    reach = sorted(far)[min(_ALIKE, len(far)) - 1]
    return [one for one, distance in zip(heard, far, strict=True) if distance <= reach]


def _as_heard(stage: str, heard: Sequence[Heard]) -> Follow:
    """Replies as they were."""
    return AsHeard()
