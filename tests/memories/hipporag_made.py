"""A model by rule for `hipporag`: it reads what happens from the same prompts as a real one."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from supersede.memories import MemorySettings
from supersede.memories.hipporag import HippoRag
from supersede.memories.retrieval.embedder import Kind, Vectors
from supersede.model.instance import Message
from supersede.model.memory import Chunk, Context
from supersede.model.protocols import Completion
from supersede.model.stream import StreamQuestion
from supersede.streams.babi.verbs import VERBS

_VERBS = "|".join(verb for group in VERBS.values() for verb in group)
_MOVE = re.compile(rf"([A-Z]\w+) ((?:{_VERBS})(?: to)?) the (\w+)")


class ByRule:
    """Answers each stage by rule.

    Args:
        others: Stage -> what it says instead, made of the number of the call from 0.
        keep: Whether the filter keeps a fact of a question; left out, when its subject is named.
    """

    def __init__(
        self,
        others: dict[str, Callable[[int], Completion | str]] | None = None,
        keep: Callable[[str, list[str]], bool] | None = None,
    ) -> None:
        self.calls: list[tuple[str, int, int | None, Sequence[Message]]] = []
        """Stage, attempt, most tokens and prompt of each call."""
        self._others = others or {}
        self._keep = keep or (lambda question, fact: fact[0] in question.lower())

    async def __call__(
        self,
        messages: Sequence[Message],
        *,
        stage: str = "",
        max_tokens: int | None = None,
        attempt: int = 0,
    ) -> Completion:
        before = self.counted()[stage]
        self.calls.append((stage, attempt, max_tokens, messages))
        if stage in self._others:
            said = self._others[stage](before)
            return said if isinstance(said, Completion) else Completion(said)
        asks = messages[-1].content
        if stage == "filter":
            question, _, facts = asks.removeprefix("Question: ").partition("\nFacts: ")
            kept = [fact for fact in json.loads(facts) if self._keep(question, fact)]
            return Completion(json.dumps({"facts": kept}))
        found = _MOVE.findall(asks)
        if stage == "names":
            names = dict.fromkeys(name for who, _, where in found for name in (who, where))
            return Completion(json.dumps({"names": list(names)}))
        assert stage == "triples"
        return Completion(json.dumps({"triples": found}))

    def counted(self) -> Counter[str]:
        """Calls by stage."""
        return Counter(call[0] for call in self.calls)


def settings(model: ByRule | None = None, **others: object) -> MemorySettings:
    """Settings with a model by rule."""
    return MemorySettings(generate=model or ByRule(), **others)  # type: ignore[arg-type] # tests know them


def where(person: str) -> StreamQuestion:
    """Where a person is."""
    return StreamQuestion(person, f"Where is {person}?", "tracking", ())


def moves(*pairs: str) -> tuple[str, ...]:
    """Texts of one move each: `Ruvo hall` for `Ruvo went to the hall.`"""
    return tuple("{} went to the {}.".format(*pair.split()) for pair in pairs)


async def reads(
    texts: Iterable[str],
    questions: Sequence[StreamQuestion] = (),
    given: MemorySettings | None = None,
    kind: type[HippoRag] = HippoRag,
) -> HippoRag:
    """A memory that has read some texts."""
    memory = kind(given or settings())
    await memory.start("doc", questions)
    for index, text in enumerate(texts):
        await memory.observe(Chunk("doc", index, text))
    return memory


RUVO, QUEN = where("Ruvo"), where("Quen")
BELKA = where("Belka")
STORY = moves("Ruvo hall", "Belka cellar", "Ruvo garden", "Tamsin attic", "Quen barn", "Quen hall")


def run(
    texts: Sequence[str],
    questions: Sequence[StreamQuestion] = (RUVO, QUEN),
    given: MemorySettings | None = None,
    kind: type[HippoRag] = HippoRag,
) -> tuple[HippoRag, list[Context]]:
    """A memory that has read some texts, and the contexts of its questions."""

    async def read() -> tuple[HippoRag, list[Context]]:
        memory = await reads(texts, questions, given, kind)
        return memory, [await memory.context(one) for one in questions]

    return asyncio.run(read())


def dense_order(questions: Sequence[StreamQuestion]) -> list[tuple[int, ...]]:
    """What likeness alone gives: nothing is ever a triple."""
    nothing = ByRule({"triples": lambda _: '{"triples": []}'})
    memory, contexts = run(STORY, questions, settings(nothing))
    assert nothing.counted()["filter"] == 0
    assert memory.counters()["facts"] == 0
    return [one.notes["ranking"] for one in contexts]


class Nowhere:
    """An embedder to which nothing is like anything."""

    name = "nowhere"
    limit = 100

    def count(self, text: str) -> int:
        return len(text.split())

    async def embed(self, texts: Sequence[str], kind: Kind) -> Vectors:
        return np.zeros((len(texts), 4), dtype=np.float32)
