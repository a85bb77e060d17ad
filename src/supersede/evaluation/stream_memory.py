"""Which memory a stream run uses, how much of a model's window it may fill, and what that takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from supersede.corpus.tokens import Estimate, TokenCounter
from supersede.evaluation.stream_data import StreamOptions
from supersede.memories import Budget, MemorySettings, Prompts, make_memory
from supersede.memories.profiles import Profile, find_profile, profile_of
from supersede.memories.registry import memory_kind
from supersede.memories.retrieval.choose import embedder_maker, make_retriever
from supersede.memories.server_limit import server_limit
from supersede.model.instance import Message
from supersede.model.memory import Memory
from supersede.model.protocols import Generate
from supersede.model.stream import Stream

if TYPE_CHECKING:
    from inspect_ai.model import GenerateConfig, Model

    from supersede.evaluation.fit import Windowed

__all__ = [
    "MakeMemory",
    "MakeSettings",
    "budget_of",
    "decoding",
    "known_profile",
    "memory_maker",
    "memory_title",
    "model_profile",
    "prompts_of",
    "settings_maker",
    "thinking_tokens",
]

MakeMemory = Callable[[Stream, Generate | None], Memory]
"""Makes the memory of a document that is not begun yet, with the model that it may ask."""
MakeSettings = Callable[[Stream], MemorySettings]
"""Makes the settings of the memory of a document."""


def prompts_of(given: Stream, options: StreamOptions) -> Prompts:
    """What is said around the contexts of a stream."""
    return Prompts(
        preamble=str(given.meta.get("system", "")), stated=options.confidence == "stated"
    )


def memory_title(options: StreamOptions) -> str:
    """The memory as reports and the journal name it: `rag (bm25)`, `window (4 chunks)`.

    It names what changes what the memory does, and nothing else.

    Raises:
        UsageError: There is no such memory.
    """
    kind = memory_kind(options.memory)
    chosen = {"retriever": options.retriever, "embedder": options.embedder}
    details = [
        value
        for name, value in chosen.items()
        if name in kind.uses
        and (kind.package is None or value != StreamOptions.model_fields[name].default)
    ]
    if "shown" in kind.uses and options.shown not in (None, kind.shown):
        details.append(f"{options.shown} chunks")
    if options.thinking_tokens is not None and kind.asks:
        details.append(f"{options.thinking_tokens:,} tokens of thinking")
    if options.confidence == "stated":
        details.append("stated confidence")
    return f"{options.memory} ({', '.join(details)})" if details else options.memory


def settings_maker(options: StreamOptions, budget: Budget) -> MakeSettings:
    """What makes the settings of the memory of each document.

    Raises:
        UsageError: There is no such memory, retriever or embedder.
    """
    kind = memory_kind(options.memory)
    retriever = make_retriever(options.retriever)  # a model of embeddings is loaded once
    embedder = embedder_maker(options.embedder)
    sized = replace(_sized(options.shown), budget=budget, retriever=retriever)

    def settings(given: Stream) -> MemorySettings:
        found = embedder() if "embedder" in kind.uses else None
        return replace(sized, prompts=prompts_of(given, options), embedder=found)

    return settings


def _sized(shown: int | None) -> MemorySettings:
    """How many chunks a memory shows."""
    if shown is None:
        return MemorySettings()
    recent = shown // 2
    return MemorySettings(
        window=shown, top_k=shown, retrieved=shown - recent, recent=recent, shown=shown
    )


def memory_maker(options: StreamOptions, budget: Budget) -> MakeMemory:
    """What makes the memory of each document.

    Raises:
        UsageError: There is no such memory, retriever or embedder.
    """
    settings = settings_maker(options, budget)
    make_memory(options.memory, _sized(options.shown))  # one that cannot be made shows now

    def new_memory(given: Stream, generate: Generate | None) -> Memory:
        return make_memory(options.memory, replace(settings(given), generate=generate))

    return new_memory


def model_profile(options: StreamOptions, model: Model) -> Profile:
    """What is known of the model: from the caller, itself, our table, or its server.

    Raises:
        UsageError: Nobody knows how much it reads.
    """
    return known_profile(model, options.context_limit)


def known_profile(model: Model, context_limit: int | None) -> Profile:
    """What is known of a model: from the caller, itself, our table, or its server.

    Args:
        model: The model.
        context_limit: Tokens of prompt and reply together, where the caller says.

    Raises:
        UsageError: Nobody knows how much it reads.
    """
    from supersede.evaluation.fit import Windowed

    name, limit = str(model), context_limit
    if limit is None and isinstance(model.api, Windowed):
        limit = model.api.window()
    if limit is None and find_profile(name) is None and model.api.base_url:
        limit = server_limit(model.api.base_url, model.api.model_name, model.api.api_key)
    return profile_of(name, context_limit=limit)


_THINKING_SHARE = 4
"""Thinking before a reply gets no more than one in so many tokens of a window, unless told so."""


def thinking_tokens(options: StreamOptions, reader: str, limit: int | None) -> int:
    """Tokens that the model of a memory may think before each reply, beside the reply's own.

    Args:
        options: Which may say so.
        reader: The model that the memory asks.
        limit: Tokens of the window; None where there is no limit.

    Returns:
        What the options say; else, of a model that is known to think, as much as its answers may
        have: its tokens of thinking where these are counted apart, or its longest answer; of
        others 0.
    """
    if options.thinking_tokens is not None:
        return options.thinking_tokens
    profile = find_profile(reader)
    if profile is None or not profile.thinking:
        return 0
    usual = profile.thinking_tokens or profile.max_tokens or 0
    return usual if limit is None else min(usual, limit // _THINKING_SHARE)


def budget_of(profile: Profile, model: Model, thinking: int = 0) -> Budget:
    """The window of a model, less its reply, in its own tokens where it counts them."""
    from supersede.evaluation.fit import Windowed

    answer = model.config.max_tokens or profile.reserve
    api = model.api
    counter: TokenCounter = ModelCounter(api) if isinstance(api, Windowed) else Estimate()
    return Budget(profile.context_limit, answer, counter, thinking=thinking)


class ModelCounter:
    """Counts tokens as a model does that can be asked.

    Each text is counted as a message of its own, so a sum of counts is never too small.

    Args:
        model: Who counts.
    """

    name = "model"

    def __init__(self, model: Windowed) -> None:
        self._ask = lru_cache(maxsize=4096)(
            lambda text: model.prompt_tokens([Message("user", text)])
        )

    def count(self, text: str) -> int:
        """How many tokens a text has, with what the chat template adds."""
        return self._ask(text) if text else 0


def decoding(profile: Profile) -> GenerateConfig:
    """How a model generates unless Inspect is told otherwise."""
    from inspect_ai.model import GenerateConfig

    known = profile.decoding
    return GenerateConfig(
        temperature=known.temperature,
        top_p=known.top_p,
        top_k=known.top_k,
        extra_body={"min_p": known.min_p} if known.min_p else None,
        max_tokens=profile.max_tokens,
    )
