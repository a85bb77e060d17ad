"""A small corpus, and a model whose replies a test writes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

import supersede.evaluation.registry  # noqa: F401 - what Inspect would find by entry point
from supersede.corpus.instances import instance_key, make_instance
from supersede.model.instance import Instance, Split, Tier

PROTOTYPES = ("warehouse-inventory-ops", "soccer-timeline", "library-lending-records")
TIERS = (Tier.VERY_SHORT, Tier.SHORT)


Write = Callable[[list[ChatMessage]], str]


def write_corpus(path: Path, instances: list[Instance]) -> Path:
    path.write_text("".join(json.dumps(instance.to_json()) + "\n" for instance in instances))
    return path


@pytest.fixture(scope="session")
def instances() -> list[Instance]:
    """Three prototypes, two tiers, two instances of each."""
    return [
        make_instance(instance_key(prototype, tier, index, split=Split.HELDOUT))
        for tier in TIERS
        for prototype in PROTOTYPES
        for index in range(2)
    ]


@pytest.fixture(scope="session")
def corpus(instances: list[Instance], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus") / "all.jsonl", instances)


class Scripted(ModelAPI):
    """A model without a network: `write` is its mind."""

    write: Write

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 - as in the base class
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        output = ModelOutput.from_content(self.model_name, type(self).write(input))
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output


@modelapi(name="scripted")
def scripted_provider() -> type[ModelAPI]:
    return Scripted


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Callable[[Write], None]:
    """Sets what the model `scripted/model` writes."""

    def set_write(write: Write) -> None:
        monkeypatch.setattr(Scripted, "write", staticmethod(write), raising=False)

    return set_write


Evaluate = Callable[..., EvalLog]


@pytest.fixture
def evaluate(tmp_path: Path) -> Evaluate:
    """Runs `supersede/evolve` in this process; keywords are options of the task."""

    def run(
        data: Path, *, model: str = "scripted/model", epochs: int = 1, **options: Any
    ) -> EvalLog:
        (log,) = inspect_eval(
            "supersede/evolve",
            model=model,
            task_args={"data": str(data), **options},
            epochs=epochs,
            log_dir=str(tmp_path / "logs"),
            display="none",
            log_level="error",
            log_realtime=False,
            max_samples=1,
        )
        return log

    return run
