"""The ladder of fake predictors as models: `supersede/oracle` and others, asked like any model.

They say what `supersede.streams.ladder` says, so what comes out at the other end of the pipeline
is known beforehand. A baseline is told the stream beside its text, and a prompt only names what
is asked; nothing of that is in the text of a prompt.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo

from supersede.errors import ModelError, UsageError, did_you_mean
from supersede.evaluation.baselines import BASELINES
from supersede.evaluation.boundary import user_errors
from supersede.evaluation.evolve import PROVIDER
from supersede.evaluation.provider import BaselineAPI, LocalAPI
from supersede.evaluation.weights import EMBEDDED_MODELS
from supersede.model.stream import Stream
from supersede.streams.ladder import LADDER

__all__ = ["StreamBaselineAPI", "supersede"]


@modelapi(name=PROVIDER)
def supersede() -> Any:
    """The provider: a baseline of either task or an embedded model, by name."""
    return _named


def _named(model_name: str, **settings: Any) -> ModelAPI:
    with user_errors():
        if model_name in LADDER:
            return StreamBaselineAPI(model_name, **settings)
        if model_name in BASELINES:
            return BaselineAPI(model_name, **settings)
        if model_name in EMBEDDED_MODELS:
            return LocalAPI(model_name, **settings)
        mend = did_you_mean(model_name, [*LADDER, *BASELINES, *EMBEDDED_MODELS])
        raise UsageError(f"there is no model supersede/{model_name}", mend=mend)


class StreamBaselineAPI(ModelAPI):
    """A fake predictor; where the task `supersede/evolve` has one of its name, that one too."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 - as in the base class; frozen use
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        self._predict = LADDER[model_name]
        self._said: dict[tuple[str, str, int], str] = {}
        self._reader = (
            BaselineAPI(model_name, base_url, api_key, config) if model_name in BASELINES else None
        )

    def tell(self, stream: Stream) -> None:
        """Works out what it will say to a stream's questions."""
        for row in self._predict(stream):
            self._said[row.stream, row.question, row.interval] = row.answer or ""

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """What the predictor says to the question that the last message names."""
        place = _place(input[-1].metadata)
        if place is not None:
            return ModelOutput.from_content(self.model_name, f"## Answer: {self._said[place]}")
        if self._reader is None:
            raise ModelError(
                f"supersede/{self.model_name} answers the questions of streams only",
                mend=f"Others are: {', '.join(BASELINES)}.",
            )
        return await self._reader.generate(input, tools, tool_choice, config)


def _place(metadata: Mapping[str, Any] | None) -> tuple[str, str, int] | None:
    """Stream, question and interval that ride along with a message of a stream."""
    asked = (metadata or {}).get("asked")
    if not isinstance(asked, list):
        return None
    stream, question, interval = asked
    return stream, question, interval
