"""A model for plans: it says what a memory says would be a common reply, and counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from supersede.corpus.tokens import TokenCounter
from supersede.errors import UsageError
from supersede.memories.asking import Rehearsal
from supersede.memories.budget import prompt_tokens
from supersede.model.instance import Message
from supersede.model.memory import Memory
from supersede.model.protocols import Completion


@dataclass(frozen=True, slots=True)
class StagePlan:
    """What the calls of one stage of a memory take."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    """At most: calls times the most tokens of a reply."""
    likely_tokens: int = 0
    """Of replies that are like those of an earlier run; at most so many where there is none."""

    def __add__(self, other: StagePlan) -> StagePlan:
        """Both."""
        return StagePlan(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.likely_tokens + other.likely_tokens,
        )


def together(one: Mapping[str, StagePlan], other: Mapping[str, StagePlan]) -> dict[str, StagePlan]:
    """Two plans by stage as one."""
    nothing = StagePlan()
    names = dict.fromkeys((*one, *other))
    return {name: one.get(name, nothing) + other.get(name, nothing) for name in names}


class Rehearsed:
    """`Generate` without a model.

    Args:
        counter: Counts tokens.
        thinking: Tokens that a model may think before each reply.
    """

    def __init__(self, counter: TokenCounter, thinking: int = 0) -> None:
        self.counter = counter
        self.thinking = thinking
        self.unit = 1.0
        """Tokens as the model's server counts them, for one as we do."""
        self.stream = ""
        """The document that is read."""
        self.now = 0
        """Index of the chunk that came last."""
        self._rehearse: Rehearsal | None = None
        self.stages: dict[str, StagePlan] = {}
        """What was asked so far, by stage."""

    def of(self, memory: Memory) -> None:
        """Replies are from now on those of a memory."""
        self._rehearse = getattr(memory, "rehearse", None)

    async def __call__(
        self,
        messages: Sequence[Message],
        *,
        stage: str = "",
        max_tokens: int | None = None,
        attempt: int = 0,
    ) -> Completion:
        """A common reply, counted.

        Raises:
            UsageError: The memory does not say what one looks like.
        """
        if self._rehearse is None:
            raise UsageError(
                "the memory asks a model and has no method `rehearse`, so that nobody knows what "
                "a run takes",
                mend="Run it on a few chunks instead: --limit 1 --limit-chunks 3",
            )
        text = self._rehearse(stage, messages)
        read, written = prompt_tokens(messages, self.counter), self.counter.count(text)
        most = written if max_tokens is None else max_tokens + self.thinking
        self.add(stage, StagePlan(1, round(read * self.unit), most, most))
        return Completion(text, False, read, written)

    def add(self, stage: str, plan: StagePlan) -> None:
        """Counts a call of a stage."""
        self.stages = together(self.stages, {stage: plan})
