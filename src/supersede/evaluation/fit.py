"""Which instances fit the context window of a model: none is ever cut (E-098)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, nan
from statistics import fmean
from typing import ClassVar, Protocol, runtime_checkable

from inspect_ai.model import Model

from supersede.evaluation.evolve_data import Item
from supersede.model.instance import Message, Tier

__all__ = [
    "CHARACTERS_PER_TOKEN",
    "REPLY_TOKENS",
    "Fitting",
    "LeftOut",
    "Windowed",
    "fitting_items",
]

CHARACTERS_PER_TOKEN = 2.5
"""For a model whose tokenizer we cannot ask. SmolLM2 has 3.0 to 3.7 characters to a token of a
whole context and 2.6 in its record lines, tokenizers with larger vocabularies have more."""

REPLY_TOKENS = 256
"""Room for a reply where nothing else is said: the longest answer forms take about 150."""


@runtime_checkable
class Windowed(Protocol):
    """A model that knows its context window and counts tokens, without a network."""

    def window(self) -> int:
        """Tokens of prompt and reply together."""
        ...

    def prompt_tokens(self, messages: Sequence[Message]) -> int:
        """Tokens of a prompt, the chat template included."""
        ...


@dataclass(frozen=True, slots=True)
class Fitting:
    """The instances that a model is asked, and what they take of it."""

    items: Sequence[Item]
    left_out: LeftOut
    prompt_tokens: float
    """Of a prompt, in the mean; NaN where they were not counted."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How many instances are too long for a model."""

    by_tier: Mapping[str, int]
    """Tier -> instances left out; tiers with none are absent."""
    window: int
    """Tokens that the model takes; 0 where that is not known."""

    KEY: ClassVar[str] = "left_out"
    """Under which a log keeps `by_tier`."""

    @property
    def total(self) -> int:
        """Instances left out of all tiers."""
        return sum(self.by_tier.values())

    def __str__(self) -> str:
        tiers = ", ".join(f"{n} {tier}" for tier, n in self.by_tier.items())
        return (
            f"{self.total} instances do not fit {self.window:,} tokens and are left out "
            f"({tiers}), since none may be cut"
        )


def fitting_items(items: Sequence[Item], model: Model, context: int | None) -> Fitting:
    """The instances that fit, in order, and how many do not.

    A prompt fits if it leaves room for a reply. Tokens are counted by the model where it can
    and estimated from the number of characters otherwise.

    Args:
        items: Instances.
        model: Who is to answer.
        context: Tokens of its window; where left out, what the model itself says, and without
            that everything fits.
    """
    reply = model.config.max_tokens or REPLY_TOKENS
    api = model.api
    window = context or (api.window() if isinstance(api, Windowed) else 0)
    if not window:
        return Fitting(items, LeftOut({}, 0), nan)
    fitting: list[Item] = []
    counted: list[int] = []
    left_out = dict.fromkeys(Tier, 0)
    for item in items:
        messages = item.instance.messages
        tokens = api.prompt_tokens(messages) if isinstance(api, Windowed) else _estimate(messages)
        if tokens + reply <= window:
            fitting.append(item)
            counted.append(tokens)
        else:
            left_out[item.tier] += 1
    return Fitting(
        fitting,
        LeftOut({tier.value: n for tier, n in left_out.items() if n}, window),
        fmean(counted) if counted else nan,
    )


def _estimate(messages: Sequence[Message]) -> int:
    return ceil(sum(len(message.content) for message in messages) / CHARACTERS_PER_TOKEN)
