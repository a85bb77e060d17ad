"""How a memory asks a model: stages, counts, and one more try where a reply cannot be used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from supersede.errors import UsageError
from supersede.memories.replies import Data, parsed
from supersede.model.instance import Message
from supersede.model.protocols import Completion, Generate

RETRIES = 1
"""Times that a reply which cannot be used is asked for again."""


class Stage(NamedTuple):
    """What a memory asks a model for."""

    name: str
    """As counters and logs have it: `triples`."""
    max_tokens: int
    """Most tokens of a reply."""


Rehearsal: TypeAlias = Callable[[str, Sequence[Message]], str]
"""A well-formed reply of common length to a stage's prompt, for plans: no model is asked."""


class MemoryModel:
    """Asks the model on behalf of one memory.

    Args:
        generate: The model; None where the memory is only looked at.
    """

    def __init__(self, generate: Generate | None) -> None:
        self._generate = generate
        self._counts: Counter[str] = Counter()

    def clear(self) -> None:
        """Count from nothing."""
        self._counts.clear()

    async def text(
        self, stage: Stage, messages: Sequence[Message], *, attempt: int = 0
    ) -> Completion:
        """The model's reply, counted.

        Raises:
            ModelError: The call failed.
            UsageError: There is no model.
        """
        if self._generate is None:
            raise UsageError("this memory asks a model, and there is none")
        reply = await self._generate(
            messages, stage=stage.name, max_tokens=stage.max_tokens, attempt=attempt
        )
        self._counts[f"{stage.name}_calls"] += 1
        self._counts[f"{stage.name}_input_tokens"] += reply.input_tokens
        self._counts[f"{stage.name}_output_tokens"] += reply.output_tokens
        if reply.cut:
            self._counts[f"{stage.name}_cut"] += 1
        return reply

    async def data(
        self, stage: Stage, messages: Sequence[Message], schema: type[Data]
    ) -> Data | None:
        """What the model's reply says; None where it makes no sense, asked twice.

        Raises:
            ModelError: The call failed.
            UsageError: There is no model.
        """
        for attempt in range(RETRIES + 1):
            reply = await self.text(stage, messages, attempt=attempt)
            found = parsed(reply.text, schema)
            if found is not None:
                return found
            self.count(stage, "malformed")
        self.count(stage, "fallbacks")
        return None

    def count(self, stage: Stage, what: str, number: int = 1) -> None:
        """Counts something of a stage: `fallbacks`, `malformed`, or what the memory names."""
        self._counts[f"{stage.name}_{what}"] += number

    def counters(self) -> Mapping[str, float]:
        """Of each stage asked: calls, input and output tokens, replies cut and malformed.

        `fallbacks` counts what the memory went on without.
        """
        return dict(self._counts)

    def restore(self, counters: Mapping[str, float]) -> None:
        """Go on from these counts."""
        self._counts = Counter({name: int(number) for name, number in counters.items()})
