"""Model profiles: what a model can read, how it is asked, and where that is written.

The table holds the fourteen published configurations (O-106 to O-113, O-127 to O-138) and those
that run here. `profile_of` finds the first row with a pattern that fits a model's name.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Literal

from supersede.errors import UsageError

_K = 1024
OURS = "ours"
"""Source of what no publication states."""


@dataclass(frozen=True, slots=True)
class Decoding:
    """How replies are drawn; None leaves it to the server."""

    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None


DEFAULT = Decoding(0.7, 0.8, 20, 0.0)
"""For all models without settings of their own (O-132)."""
SHARPER = Decoding(0.6, 0.95, 20)
"""Qwen3-Next-80B and Qwen3-30B-Thinking (O-133, O-134)."""
GEMINI = Decoding(0.0, 0.95, 40)
"""Gemini 2.5 (O-135)."""


@dataclass(frozen=True, slots=True)
class Profile:
    """One model, or one way of running it."""

    name: str
    """As tables call it; of a model that is not in the table, its own name."""
    patterns: tuple[str, ...]
    """Shell patterns of names in lower case."""
    context_limit: int | None
    """Tokens of prompt and reply together; None where there is no limit."""
    source: str
    """Where the limit is from: requirements that state it, or `ours`."""
    native_limit: int | None = None
    """What the model reads without expansion, where that differs."""
    decoding: Decoding = DEFAULT
    max_tokens: int | None = 4096
    """Most tokens of an answer (O-136); None leaves it to the model."""
    thinking: bool = False
    """Whether it thinks before it answers."""
    thinking_tokens: int | None = None
    """Most tokens of thinking where these are counted apart from the answer (O-138)."""
    size: str | None = None
    """Billions of parameters, as `30B`."""
    active: str | None = None
    """Of these, active ones, where experts are mixed."""
    architecture: Literal["dense", "moe", "hybrid moe"] | None = None
    """`hybrid moe`: Gated DeltaNet with Gated Attention."""
    note: str = ""

    @property
    def reserve(self) -> int:
        """Tokens that the window must keep for the reply."""
        return (self.max_tokens or 0) + (self.thinking_tokens or 0)

    @property
    def yarn_factor(self) -> float | None:
        """How far YaRN stretches the native window (O-107); None where nothing is stretched."""
        if not self.native_limit or not self.context_limit:
            return None
        factor = self.context_limit / self.native_limit
        return factor if factor > 1 else None


_BIG, _YARN = 256 * _K, 128 * _K

PROFILES: tuple[Profile, ...] = (
    Profile("Qwen3-4B", ("*qwen3-4b*",), _BIG, "O-106", size="4B", architecture="dense",
            note="the releases of 2507; for earlier ones give --context-limit"),
    Profile("Qwen3-8B", ("*qwen3-8b*",), _YARN, "O-107, C-015", native_limit=32 * _K, size="8B",
            architecture="dense"),
    Profile("Qwen3-30B-Thinking", ("*qwen3-30b*thinking*",), _BIG, "O-106", decoding=SHARPER,
            thinking=True, size="30B", active="3B", architecture="moe"),
    Profile("Qwen3-30B", ("*qwen3-30b*",), _BIG, "O-106", size="30B", active="3B",
            architecture="moe", note="the releases of 2507"),
    Profile("Qwen3-Next-80B", ("*qwen3-next-80b*", "*qwen3-80b*"), _BIG, OURS, decoding=SHARPER,
            size="80B", active="3B", architecture="hybrid moe", note="its native window (O-112)"),
    Profile("Qwen3-235B", ("*qwen3-235b*",), 133_000, "O-108, C-016", native_limit=_BIG,
            size="235B", active="22B", architecture="moe",
            note="capped by the memory of eight H100"),
    Profile("Qwen2.5-7B", ("*qwen2.5-7b*",), _YARN, "O-107", native_limit=32 * _K, size="7B",
            architecture="dense"),
    Profile("GPT-OSS-20B", ("*gpt-oss-20b*", "*gpt-oss:20b*"), _YARN, "O-109", size="20B",
            active="3.6B", architecture="moe"),
    Profile("GPT-OSS-120B", ("*gpt-oss-120b*", "*gpt-oss:120b*"), _YARN, "O-109", size="120B",
            active="5.1B", architecture="moe"),
    Profile("Gemma 3-4B", ("*gemma-3-4b*", "*gemma3:4b*"), _YARN, "O-110", size="4B",
            architecture="dense"),
    Profile("Gemma 3-27B", ("*gemma-3-27b*", "*gemma3:27b*"), _YARN, "O-110", size="27B",
            architecture="dense"),
    Profile("Gemini 2.5 Flash", ("*gemini-2.5-flash*",), 1_000_000, "O-111", decoding=GEMINI,
            thinking=True, thinking_tokens=8192),
    Profile("Gemini 2.5 Pro", ("*gemini-2.5-pro*",), 1_000_000, "O-111", decoding=GEMINI,
            thinking=True, thinking_tokens=8192),
    Profile("Gemini 3 Pro", ("*gemini-3-pro*",), 1_000_000, "O-111", decoding=Decoding(),
            max_tokens=32_768, thinking=True, thinking_tokens=8192,
            note="no decoding is published: the provider's own"),
    Profile("SmolLM2-135M", ("supersede/smollm2",), 8 * _K, OURS, decoding=Decoding(0.0),
            max_tokens=256, size="135M", architecture="dense"),
    Profile("baseline", ("supersede/*", "mockllm/*", "none/*"), None, OURS, decoding=Decoding(),
            max_tokens=None, note="no language model: reads everything"),
)  # fmt: skip
"""The table; of rows whose patterns fit, the first counts."""

PUBLISHED = PROFILES[:14]
"""The configurations that were measured (O-127)."""


def find_profile(model: str) -> Profile | None:
    """The row of a model's name, whatever provider it goes through; None where there is none."""
    name = model.casefold()
    for profile in PROFILES:
        if any(fnmatchcase(name, pattern) for pattern in profile.patterns):
            return profile
    return None


def profile_of(model: str, *, context_limit: int | None = None) -> Profile:
    """The profile of a model.

    Args:
        model: Its name, with or without a provider.
        context_limit: Tokens of its window, where the user or its server says so; it overrides
            the table.

    Raises:
        UsageError: The model is not in the table and no limit is given, or the limit is below 1.
    """
    if context_limit is not None and context_limit < 1:
        raise UsageError(f"context_limit={context_limit} is below 1", mend="Give its tokens.")
    found = find_profile(model)
    if found is None:
        if context_limit is None:
            raise UsageError(
                f"how much {model!r} can read is not known",
                mend="Say how many tokens its window has: --context-limit 32768.",
            )
        return Profile(model, (model.casefold(),), context_limit, "given")
    if context_limit is None or context_limit == found.context_limit:
        return found
    return replace(found, context_limit=context_limit, source="given")


def expanded(native: int, needed: int, *, yarn_limit: int | None) -> int:
    """The window to run a model with, for contexts of a length (O-113).

    Args:
        native: Tokens that it reads as it comes.
        needed: Tokens of the longest prompt and reply.
        yarn_limit: Tokens that it reads with YaRN; None where it has no YaRN.

    Returns:
        The native window where that is enough or all there is, else the window with YaRN.
    """
    return native if needed <= native or yarn_limit is None else max(native, yarn_limit)


def vllm_flags(profile: Profile) -> tuple[str, ...]:
    """Options of `vllm serve` that give a model the window of its profile."""
    if profile.context_limit is None:
        return ()
    flags = ["--max-model-len", str(profile.context_limit), "--enable-prefix-caching"]
    if profile.yarn_factor is not None:
        rope = {
            "rope_type": "yarn",
            "factor": profile.yarn_factor,
            "original_max_position_embeddings": profile.native_limit,
        }
        flags += ["--hf-overrides", json.dumps({"rope_parameters": rope})]
    return tuple(flags)
