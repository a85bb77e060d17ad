"""One question to one model: an answer, a failed call, or the end of the run.

Two ways lead to a model. `Model.generate` is the one of Inspect, with its retries, limits, usage
and records of calls. The lean way calls the provider itself, ten times as fast, and leaves no
record but ours; it is for baselines and scripted models.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator
from typing import Any, Protocol, runtime_checkable

from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    Model,
    ModelAPI,
    ModelOutput,
)
from inspect_ai.model._generate_config import (
    active_generate_config,  # what --temperature and others set; no public name has it
)
from inspect_ai.model._model import AttemptTimeoutError  # no public name has it
from inspect_ai.util import LimitExceededError
from pydantic import ValidationError

from supersede.errors import ModelError
from supersede.evaluation.stream_confidence import answer_probability
from supersede.evaluation.stream_journal import Answer
from supersede.model.stream import Stream
from supersede.model.text import whole

__all__ = ["ATTEMPT_SECONDS", "PATIENCE", "RETRIES", "Asker", "KnowsStream", "request_defaults"]

RETRIES = 4
"""Attempts after the first unless Inspect is told otherwise: some 45 s of waiting in all."""

ATTEMPT_SECONDS = 600
"""How long one attempt may take unless Inspect is told otherwise; then it is made again."""

PATIENCE = 10
"""Failed calls in a row after which the run stops: the next thousand would fail as well."""

_STOPS = (401, 403, 404)  # HTTP: a wrong key or model name, which no other call will survive either
_FILTERED = (403, 404)  # among answers it is about the one prompt, as where a provider filters them

_LONGEST = 500
"""Characters of an error that are kept."""

_WRAPPERS = ("RetryError", "ModelGenerateError")
"""Errors of Inspect around the one that says what happened; the second quotes the whole request."""

_UNREADABLE = (ValueError, LookupError, AttributeError, TypeError)
"""What clients raise over a body that is not of their protocol."""

_NOT_IN_ANSWER = {
    "max_retries",
    "timeout",
    "attempt_timeout",
    "stream_idle_timeout",
    "max_connections",
    "adaptive_connections",
    "cache",
    "batch",
}
"""Settings that change how a call is made, but not what comes of it."""


@runtime_checkable
class KnowsStream(Protocol):
    """A model without a language model, which is told the stream beside its text."""

    def tell(self, stream: Stream) -> None:
        """Takes note of a stream before its first question."""
        ...


def request_defaults() -> GenerateConfig:
    """How calls are made where nobody says otherwise."""
    return GenerateConfig(max_retries=RETRIES, attempt_timeout=ATTEMPT_SECONDS)


class Asker:
    """Asks one model, in one way.

    Args:
        model: The model of the task.
        lean: Whether to ask its provider directly; by default for our own baselines only.
        config: How it generates; left out, as the model of the task does.
    """

    def __init__(
        self, model: Model, lean: bool | None = None, config: GenerateConfig | None = None
    ) -> None:
        self._model = model
        self.lean = isinstance(model.api, KnowsStream) if lean is None else lean
        self._config = config or model.config.merge(active_generate_config())
        self._failed = 0
        self._answered = False

    @property
    def api(self) -> ModelAPI:
        """The provider."""
        return self._model.api

    @property
    def width(self) -> int:
        """How many calls may wait for the model at a time."""
        return self._config.max_connections or self.api.max_connections()

    def settings(self) -> dict[str, Any]:
        """All that decides what this model answers to a prompt."""
        generate = self._config.model_dump(mode="json", exclude_none=True, exclude=_NOT_IN_ANSWER)
        return {
            "model": str(self._model),
            "base_url": self.api.base_url or "",
            "generate": generate,
        }

    def name(self) -> str:
        """The model with a digest of its settings."""
        text = json.dumps(self.settings(), sort_keys=True)
        return f"{self._model}#{hashlib.sha256(text.encode()).hexdigest()[:12]}"

    @property
    def wants_logprobs(self) -> bool:
        """Whether it gives the probabilities of its words, and of no others beside them."""
        return bool(self._config.logprobs) and self._config.top_logprobs is None

    @property
    def seed(self) -> int:
        """The seed of its draws; 0 where it is not set."""
        return self._config.seed or 0

    async def ask(
        self, messages: list[ChatMessage], config: GenerateConfig | None = None
    ) -> Answer:
        """What comes of a prompt; a call that fails is an answer with an error.

        Args:
            messages: The prompt.
            config: What of the settings differs for this call.

        Raises:
            ModelError: No other call can succeed either.
            LimitExceededError: A limit of Inspect ends the sample.
        """
        begin = time.monotonic()
        try:
            output = await self._output(messages, config)
        except (LimitExceededError, ModelError):
            raise
        except Exception as error:  # providers raise what they like; all of it is noted
            answer = Answer(None, self._said(error))
        else:
            answer = answer_of(output, time.monotonic() - begin)
        self._count(answer)
        return answer

    async def _output(
        self, messages: list[ChatMessage], config: GenerateConfig | None
    ) -> ModelOutput:
        if config is None and not self.lean:
            return await self._model.generate(messages)
        settings = self._config.merge(config) if config else self._config
        if not self.lean:
            return await self._model.generate(messages, config=settings)
        found = await self.api.generate(messages, [], "auto", settings)
        output = found[0] if isinstance(found, tuple) else found
        if isinstance(output, Exception):
            raise output
        return output

    def _said(self, error: Exception) -> str:
        """The words of an error.

        Raises:
            ModelError: It ends the run.
        """
        causes = list(_causes(error))
        text = whole(" ".join(self._worded(causes[-1]).split()))[:_LONGEST]
        if any(self._ends_the_run(cause) for cause in causes):
            raise ModelError(f"{self._model} cannot be asked: {text}") from error
        return text

    def _worded(self, error: BaseException) -> str:
        """What a person is told of an error: its kind, and its own words where they help."""
        kind = type(error).__name__
        if isinstance(error, AttemptTimeoutError):
            return f"no reply within {self._config.attempt_timeout} s"
        if isinstance(error, ValidationError):
            return f"the reply cannot be read: {kind}: {error.errors()[0]['msg']}"
        if isinstance(error, _UNREADABLE):
            return f"the reply cannot be read: {kind}: {error}"
        if _lost(error):
            why, where = error.__cause__ or error, self.api.base_url or "the provider"
            broke = f"the connection to {where} broke off" if _broke_off(error) else ""
            return f"{broke or f'no connection to {where}'}: {type(why).__name__}: {why}"
        return f"{kind}: {error}"

    def _ends_the_run(self, error: BaseException) -> bool:
        """Whether no other call can succeed either: nobody answers, or nobody lets us in."""
        status = getattr(error, "status_code", None)
        refused = status in _STOPS and not (self._answered and status in _FILTERED)
        return refused or (_lost(error) and not _broke_off(error))

    def _count(self, answer: Answer) -> None:
        """Counts failures in a row.

        Raises:
            ModelError: There were too many.
        """
        self._failed = self._failed + 1 if answer.error else 0
        self._answered = self._answered or not answer.error
        if self._failed >= PATIENCE:
            raise ModelError(f"{self._failed} calls in a row failed, the last with {answer.error}")


def answer_of(output: ModelOutput, seconds: float) -> Answer:
    """What a model's output comes to."""
    usage = output.usage
    read = usage.input_tokens_cache_read if usage else None
    written = (usage.input_tokens_cache_write or 0) if usage else 0
    error = output.error
    if error is None and not output.choices:
        error = "the reply is empty"
    if error is None and output.stop_reason == "model_length":
        error = "the prompt does not fit the context window"
    return Answer(
        completion=whole(output.completion) if error is None else None,
        error=error,
        stop=output.stop_reason if output.choices else "",
        prompt_tokens=usage.input_tokens + (read or 0) + written if usage else 0,
        cached_tokens=read,
        output_tokens=usage.output_tokens if usage else 0,
        seconds=round(seconds, 4),
        created=round(time.time(), 3),
        probability=answer_probability(output) if error is None else None,
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error and what it wraps, up to the client's own words for it."""
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__ if type(seen).__name__ in _WRAPPERS else None


def _lost(error: BaseException) -> bool:
    """Whether the connection failed.

    The clients of providers name that alike, without a class in common.
    """
    names = {kind.__name__ for kind in type(error).__mro__}
    lost = names & {"APIConnectionError", "ConnectError"} and "APITimeoutError" not in names
    return bool(lost) or isinstance(error, ConnectionError)


def _broke_off(error: BaseException) -> bool:
    """Whether there was a connection, and only this reply did not come whole."""
    return type(error.__cause__).__name__ in ("RemoteProtocolError", "ReadError")
