"""How much of the past a model can be shown: its window, less the prompt and the answer (O-105)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, takewhile

from supersede.corpus.tokens import Estimate, TokenCounter
from supersede.errors import UsageError
from supersede.model.instance import Message

TEMPLATE_TOKENS = 32
"""What a chat template adds to a prompt, at most."""
ESTIMATE_MARGIN = 0.1
"""Share of a window that stays free where tokens are only estimated: so far is the estimate off."""


@dataclass(frozen=True, slots=True)
class Budget:
    """A model's window, and how texts are measured against it."""

    limit: int | None = None
    """Tokens of prompt and answer together; None where there is no limit."""
    answer: int = 0
    """Tokens kept for the answer, thinking included."""
    counter: TokenCounter = field(default_factory=Estimate)
    margin: float | None = None
    """Share of the window kept free; left out, a tenth with an estimate and else nothing."""
    thinking: int = 0
    """Tokens that a model may think before each reply to a memory, beside the reply's own."""

    def room(self, prompt: int) -> int | None:
        """Tokens of context that fit beside a prompt; None where all do.

        Args:
            prompt: Tokens of the rest of the prompt.

        Raises:
            UsageError: Nothing fits, not even without context.
        """
        if self.limit is None:
            return None
        margin = self.margin
        if margin is None:
            margin = ESTIMATE_MARGIN if isinstance(self.counter, Estimate) else 0.0
        room = int(self.limit * (1 - margin)) - self.answer - prompt - TEMPLATE_TOKENS
        if room < 1:
            raise UsageError(
                f"a window of {self.limit:,} tokens has no room for any text beside a prompt of "
                f"{prompt:,} and an answer of {self.answer:,}",
                mend="Take a model with a longer window or allow a shorter answer.",
            )
        return room


def fitting(sizes: Sequence[int], room: int | None) -> int:
    """How many of the first sizes fit together."""
    if room is None:
        return len(sizes)
    return sum(1 for _ in takewhile(lambda total: total <= room, accumulate(sizes)))


def prompt_tokens(messages: Sequence[Message], counter: TokenCounter) -> int:
    """Tokens of a prompt, with what a chat template adds at most."""
    return sum(counter.count(message.content) for message in messages) + TEMPLATE_TOKENS
