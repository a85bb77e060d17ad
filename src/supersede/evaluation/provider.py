"""Our provider of models for Inspect: `supersede/oracle`, other baselines, `supersede/smollm2`."""

from __future__ import annotations

import atexit
from collections.abc import Sequence
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    Model,
    ModelAPI,
    ModelCall,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from supersede.errors import ModelError
from supersede.evaluation.baselines import BASELINES, asked_in
from supersede.evaluation.effort import Speed
from supersede.evaluation.fit import REPLY_TOKENS
from supersede.evaluation.local_model import LocalServer, local_model
from supersede.evaluation.weights import find_weights
from supersede.model.instance import Message

__all__ = ["BaselineAPI", "LocalAPI"]


class BaselineAPI(ModelAPI):
    """A reader without a language model."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 - as in the base class; frozen use
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        self._reads_as = model_name

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """The baseline's reply; usage is in words, since there are no tokens."""
        messages = [Message(message.role, message.text) for message in input]
        text = BASELINES[self._reads_as](messages, asked_in(input[-1].metadata))
        output = ModelOutput.from_content(self.model_name, text)
        read, written = sum(len(m.content.split()) for m in messages), len(text.split())
        output.usage = ModelUsage(
            input_tokens=read, output_tokens=written, total_tokens=read + written
        )
        return output


class LocalAPI(ModelAPI):
    """An embedded model: its server starts when it is first needed and stops with the run.

    A server that dies in mid-run is a `ModelError` that says how, and ends the run.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 - as in the base class; frozen use
        **server: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        find_weights(model_name)
        self.server = LocalServer(model_name, **server)
        self._model: Model | None = None

    def window(self) -> int:
        """Tokens of prompt and reply together."""
        return self.server.context

    def prompt_tokens(self, messages: Sequence[Message]) -> int:
        """Tokens of a prompt as the model sees it."""
        self._started()
        return self.server.count_tokens([message._asdict() for message in messages])

    def speed(self, messages: Sequence[Message]) -> Speed:
        """Tokens a second, measured on the beginning of a prompt."""
        self._started()
        return self.server.speed([message._asdict() for message in messages])

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput | tuple[ModelOutput | Exception, ModelCall]:
        """The reply of the model."""
        model = self._started()
        try:
            return await model.api.generate(input, tools, tool_choice, config)
        except Exception:
            self.server.check()  # where the server is gone, that is the error
            raise

    def should_retry(self, ex: Exception) -> Any:
        """Whether asking again may help, as the client of the server judges it."""
        if isinstance(ex, ModelError) or self._model is None:
            return False
        return self._model.api.should_retry(ex)

    def max_tokens(self) -> int:
        """Most tokens of a reply, unless Inspect is told otherwise."""
        return REPLY_TOKENS

    def max_connections(self) -> int:
        """As many requests at a time as the server computes."""
        return self.server.n_parallel

    def connection_key(self) -> str:
        """Each server has connections of its own."""
        return str(id(self.server))

    async def aclose(self) -> None:
        """Stops the server; the next request starts it again."""
        model, self._model = self._model, None
        if model is not None:
            await model.api.aclose()
            atexit.unregister(self.server.stop)
        self.server.stop()

    def _started(self) -> Model:
        """The model of the running server."""
        if self._model is None:
            self.server.__enter__()
            atexit.register(self.server.stop)
            self._model = local_model(self.server)
        return self._model
