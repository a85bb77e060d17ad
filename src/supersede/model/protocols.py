"""What code asks of its partners: a model that generates, a simulator that can be gated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from supersede.model.instance import InstanceKey, Message
from supersede.model.question import Answer, Question
from supersede.model.record import Exclusion, History, Value


class Completion(NamedTuple):
    """One reply of a language model."""

    text: str
    """All that it wrote; empty where it refused or a filter took it."""
    cut: bool = False
    """Whether it stopped because it had written the most tokens that it may."""
    input_tokens: int = 0
    """Tokens of the prompt; 0 where the server does not say."""
    output_tokens: int = 0
    """Tokens of the reply, thinking included; 0 where the server does not say."""


class Generate(Protocol):
    """Asks a language model; the only thing that code outside `evaluation` needs of one."""

    async def __call__(
        self,
        messages: Sequence[Message],
        *,
        stage: str = "",
        max_tokens: int | None = None,
        attempt: int = 0,
    ) -> Completion:
        """The model's reply.

        Args:
            messages: The prompt.
            stage: What the call is for, for logs and counts.
            max_tokens: Most tokens of the reply; what the model is set to where left out.
            attempt: 0, or how often the same was asked before: a seeded model then draws anew.

        Raises:
            ModelError: The call failed. A reply that is empty or makes no sense is a reply.
        """
        ...


class Replayed(Protocol):
    """The outcome of a replay, as far as the gate compares it."""

    def counting(self) -> tuple[str, ...]:
        """Ids of the records that count, in posted order."""
        ...

    def cells(self) -> Mapping[str, Value]:
        """Every cell that differs from its start, by a printable name."""
        ...


class Simulator(Protocol):
    """An executable world (E-035, E-036), built in or written from a specification.

    `Exec(P; seed) = (context, question, answer, checklist)` is `render(sample(key), ...)`,
    `ask` and `answer` in this order, all of them pure functions of the key.
    """

    def sample(self, key: InstanceKey) -> History:
        """The history of a key: legal by the guards and invariants of the world."""
        ...

    def replay(
        self, history: History, *, cut: int | None = None, exclude: Exclusion | None = None
    ) -> Replayed:
        """The state that the counting records of a history add up to."""
        ...

    def render(self, history: History, question: Question, key: InstanceKey) -> tuple[Message, ...]:
        """The chat messages that show the history and end with the question."""
        ...

    def ask(self, history: History, key: InstanceKey) -> Question:
        """The final question of a key."""
        ...

    def answer(self, history: History, question: Question) -> Answer:
        """The reference answer and its checklist, computed by replay."""
        ...
