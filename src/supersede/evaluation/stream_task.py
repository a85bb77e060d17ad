"""The Inspect task `supersede/stream`: one sample per document and epoch.

Every question is asked at every interval (O-007), once (O-012), independently of what the model
said before (O-011).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import Model, get_model

from supersede import __version__
from supersede.evaluation.boundary import user_errors
from supersede.evaluation.stream_ask import request_defaults
from supersede.evaluation.stream_data import StreamOptions, chosen_streams, stream_options
from supersede.evaluation.stream_memory import (
    budget_of,
    decoding,
    memory_maker,
    memory_title,
    model_profile,
    prompts_of,
    thinking_tokens,
)
from supersede.evaluation.stream_role import ROLE
from supersede.evaluation.stream_scorer import stream_scorer
from supersede.evaluation.stream_solver import StreamSettings, stream_solver
from supersede.metrics.subsets import bins_for
from supersede.model.stream import Stream

__all__ = ["stream", "stream_task"]


@task
def stream(**options: Any) -> Task:
    """Questions about a text that arrives chunk by chunk, asked after each.

    Args:
        **options: Those of `StreamOptions`; an unknown one is refused.
    """
    with user_errors():
        parsed = stream_options(options)
        model = get_model()
        return stream_task(chosen_streams(parsed), parsed, model)


def stream_task(streams: Sequence[Stream], options: StreamOptions, model: Model) -> Task:
    """The task over given streams.

    Args:
        streams: What is asked.
        options: How.
        model: Who is asked.
    """
    profile = model_profile(options, model)
    reader = get_model(role=ROLE, default=model)
    thinking = thinking_tokens(options, str(reader), profile.context_limit)
    budget = budget_of(profile, model, thinking)
    settings = StreamSettings(
        memory=memory_title(options),
        new_memory=memory_maker(options, budget),
        prompts_of=partial(prompts_of, options=options),
        journal=options.journal,
        fresh=options.fresh,
        lean=options.lean,
        expected=sum(len(one.chunks) * len(one.questions) for one in streams),
        counter=budget.counter,
        thinking=thinking,
    )
    by_id = {one.id: one for one in streams}
    return Task(
        dataset=MemoryDataset([_sample(one) for one in streams], name="stream"),
        solver=stream_solver(by_id, settings),
        scorer=stream_scorer(by_id, options.max_error_rate),
        config=request_defaults().merge(decoding(profile)),
        version=__version__,
        metadata={
            "memory": settings.memory,
            "calls": settings.expected,
            "max_error_rate": options.max_error_rate,
            "bins": list(bins_for(streams)),
            "profile": {
                "name": profile.name,
                "context_limit": profile.context_limit,
                "source": profile.source,
            },
        },
    )


def _sample(given: Stream) -> Sample:
    """The sample of a stream; its text is with the solver, and in the log by its prompts."""
    chunks, questions = len(given.chunks), len(given.questions)
    return Sample(
        id=given.id,
        input=f"{chunks} chunks, {questions} questions after each",
        metadata={"source": given.source, "chunks": chunks, "questions": questions},
    )
