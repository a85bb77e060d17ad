"""A model that is asked outside of an evaluation: each reply is written down when it is there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from inspect_ai.model import GenerateConfig, get_model

from supersede.errors import UsageError
from supersede.evaluation.launch import model_name, need_place
from supersede.evaluation.stream_ask import Asker, KnowsStream, request_defaults
from supersede.evaluation.stream_journal import Journal, RunKey
from supersede.evaluation.stream_memory import budget_of, decoding, known_profile
from supersede.evaluation.stream_memory_model import MemoryCalls
from supersede.memories.budget import Budget

__all__ = ["AskedModel", "asked_model"]

ATTEMPT_SECONDS = 3_600
"""How long one attempt may take: a reply of some thousand tokens is slow where there is no GPU, and
one that is given up is asked for again from its beginning."""


@dataclass(frozen=True, slots=True)
class AskedModel:
    """A model, ready to be asked."""

    name: str
    """As Inspect names it."""
    calls: MemoryCalls
    """The model as `Generate`: what was asked before is not asked again."""
    budget: Budget
    """Its window, in its own tokens where it counts them."""


@asynccontextmanager
async def asked_model(
    name: str,
    journal: Path,
    about: str,
    *,
    caller: str,
    context_limit: int | None = None,
    fresh: bool = False,
) -> AsyncIterator[AskedModel]:
    """Opens a model; where it is an embedded one, its server stops at the end.

    It generates as its profile says.

    Args:
        name: An embedded model, or any of Inspect.
        journal: File of the replies.
        about: What it is asked about, under which replies are kept.
        caller: Who asks: under this, too, and in the words of errors.
        context_limit: Tokens of prompt and reply together; what is known of it where left out.
        fresh: Whether to ask again what was asked in earlier runs.

    Raises:
        UsageError: There is no such model, it is no language model, or nobody knows its window.
        ModelError: It cannot be had.
    """
    full = model_name(name)
    need_place(full, journal.parent, ())
    model = get_model(full, memoize=False)
    try:
        if isinstance(model.api, KnowsStream):
            raise UsageError(f"{full} is no language model: {caller} asks one")
        profile = known_profile(model, context_limit)
        ways = request_defaults().merge(GenerateConfig(attempt_timeout=ATTEMPT_SECONDS))
        usual = ways.merge(decoding(profile)).merge(model.config)
        asker = Asker(model, False, usual)
        budget = budget_of(profile, model)
        with Journal(journal) as opened:
            key = RunKey(caller, asker.name(), 0)
            calls = MemoryCalls(
                asker, opened, about, key, budget.counter, fresh=fresh, caller=caller
            )
            yield AskedModel(full, calls, budget)
    finally:
        await model.api.aclose()
