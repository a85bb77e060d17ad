"""The model that a memory asks while it reads: journalled, counted by stage, never scored.

A memory's call goes through Inspect as an answer's does, to the model of the role `memory` or else
to that of the run. One call is made once: where the same is asked again, in this run or in one
that goes on with it, the journal has the reply, so a memory comes out the same however often its
run was stopped. A call that fails ends the run; a memory that lacks a reply would be another one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import anyio
from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    Model,
    get_model,
)
from inspect_ai.model._generate_config import (
    active_generate_config,  # what --temperature and others set; no public name has it
)

from supersede.corpus.tokens import TokenCounter
from supersede.errors import ModelError
from supersede.evaluation.chat import chat_message
from supersede.evaluation.stream_ask import Asker, KnowsStream
from supersede.evaluation.stream_journal import Journal, MemoryReply, RunKey, call_sha
from supersede.evaluation.stream_memory import decoding
from supersede.evaluation.stream_role import ROLE
from supersede.memories.budget import prompt_tokens
from supersede.memories.profiles import find_profile
from supersede.model.instance import Message
from supersede.model.protocols import Completion

__all__ = ["MemoryCalls", "memory_asker"]

_WAYS = ("max_connections", "adaptive_connections", "max_retries", "timeout", "attempt_timeout")
"""Settings of a run that hold for each of its models."""


def memory_asker(model: Model, lean: bool | None) -> Asker:
    """Asks the model of memories: that of the role, or the run's own with the run's settings.

    Args:
        model: The model of the run.
        lean: Whether to ask its provider directly.
    """
    found = get_model(role=ROLE, default=model)
    if found.api is model.api:
        return Asker(found, lean)
    profile = find_profile(str(found))
    usual = decoding(profile) if profile else GenerateConfig()
    active = active_generate_config()
    ways = GenerateConfig(**{name: getattr(active, name) for name in _WAYS})
    return Asker(found, lean, usual.merge(found.config).merge(ways))


class MemoryCalls:
    """`Generate` for the memory of one document.

    Args:
        asker: Who is asked.
        journal: Where replies are kept.
        stream: The document.
        run: The memory, the model of the answers and the epoch.
        counter: Counts tokens where the server does not say how many there were.
        fresh: Whether replies of earlier runs are asked for again.
        caller: Who asks, in the words of an error.
        thinking: Tokens that may be thought before each reply, beside the reply's own.
    """

    def __init__(
        self,
        asker: Asker,
        journal: Journal,
        stream: str,
        run: RunKey,
        counter: TokenCounter,
        *,
        fresh: bool = False,
        caller: str = "the memory",
        thinking: int = 0,
    ) -> None:
        self._asker = asker
        self._journal = journal
        self._stream = stream
        self.model = asker.name()
        """The model that is asked, with a digest of its settings."""
        self._run = run._replace(model=self.model)
        self._counter = counter
        self._fresh = fresh
        self._caller = caller
        self._thinking = thinking
        self._asked: set[bytes] = set()
        self._locks: dict[bytes, anyio.Lock] = {}
        self._width = anyio.Semaphore(asker.width)
        self._stages: dict[str, Counter[str]] = {}
        self._seconds: dict[str, float] = {}

    async def __call__(
        self,
        messages: Sequence[Message],
        *,
        stage: str = "",
        max_tokens: int | None = None,
        attempt: int = 0,
    ) -> Completion:
        """The model's reply; that of the journal where the same was asked before.

        Raises:
            ModelError: The call failed.
        """
        if max_tokens is not None:
            max_tokens += self._thinking
        sha = call_sha(messages, stage, max_tokens, attempt)
        lock = self._locks.setdefault(sha, anyio.Lock())  # of two that ask the same, one waits
        async with lock:
            reply = None
            if not self._fresh or sha in self._asked:
                reply = self._journal.memory_reply(self._stream, self._run, sha)
            kept = reply is not None
            if reply is None:
                async with self._width:
                    reply = await self._reply(messages, stage, max_tokens, attempt)
                self._journal.write_memory_reply(self._stream, self._run, sha, stage, reply)
            self._asked.add(sha)
        self._locks.pop(sha, None)
        self._count(stage, reply, kept=kept)
        return Completion(reply.text, reply.cut, reply.input_tokens, reply.output_tokens)

    async def _reply(
        self, messages: Sequence[Message], stage: str, max_tokens: int | None, attempt: int
    ) -> MemoryReply:
        if isinstance(self._asker.api, KnowsStream):
            raise ModelError(
                f"memory {self._run.memory!r} asks a model while it reads, and "
                f"{self.model.partition('#')[0]} only knows the answers; give the memory a model: "
                "-- --model-role memory=MODEL"
            )
        seed = self._asker.seed + attempt if attempt else None
        logprobs = False if self._asker.wants_logprobs else None  # only answers need them
        config = GenerateConfig(max_tokens=max_tokens, seed=seed, logprobs=logprobs)
        answer = await self._asker.ask(_chat(messages, stage), config)
        if answer.error is not None:
            raise ModelError(f"a call of {self._caller} failed ({stage}): {answer.error}")
        text = answer.completion or ""
        return MemoryReply(
            text,
            answer.stop == "max_tokens",
            answer.prompt_tokens or prompt_tokens(messages, self._counter),
            answer.cached_tokens,
            answer.output_tokens or self._counter.count(text),
            answer.seconds,
            answer.created,
        )

    def _count(self, stage: str, reply: MemoryReply, *, kept: bool) -> None:
        self._stages.setdefault(stage, Counter()).update(
            calls=1,
            reused=int(kept),
            input_tokens=reply.input_tokens,
            cached_tokens=reply.cached_tokens or 0,
            output_tokens=reply.output_tokens,
            cut=int(reply.cut),
        )
        self._seconds[stage] = self._seconds.get(stage, 0.0) + reply.seconds

    def stages(self, counters: Mapping[str, float]) -> dict[str, dict[str, float]]:
        """What the calls of each stage came to, in the order in which stages were first asked.

        Args:
            counters: The memory's own, which know the replies that it could not use.

        Returns:
            Stage -> `calls`, `reused` (from the journal), `input_tokens`, `cached_tokens`,
            `output_tokens`, `cut`, `malformed`, `fallbacks` and `seconds`.
        """
        return {
            stage: {
                **counts,
                "malformed": counters.get(f"{stage}_malformed", 0),
                "fallbacks": counters.get(f"{stage}_fallbacks", 0),
                "seconds": round(self._seconds[stage], 4),
            }
            for stage, counts in self._stages.items()
        }


def _chat(messages: Sequence[Message], stage: str) -> list[ChatMessage]:
    """Messages as Inspect has them; the last one bears the stage."""
    chat = [chat_message(message) for message in messages]
    chat[-1].metadata = {"stage": stage}
    return chat
