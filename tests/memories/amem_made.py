"""A model by rule for `amem`: it reads bAbI's sentences from the same prompts as a real one."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from supersede.memories import MemorySettings
from supersede.memories.amem import Amem
from supersede.memories.facts import statements
from supersede.memories.words import names, words
from supersede.model.instance import Message
from supersede.model.memory import Chunk
from supersede.model.protocols import Completion
from supersede.model.stream import StreamQuestion

_PART = re.compile(r"^## (New note|Note \d+)\n(.*?)\nContext: .*?\nKeywords: (.*?)$", re.M | re.S)
Rule = Callable[[str, int], Completion | str | dict[str, Any]]


class ByRule:
    """Answers each stage by rule, and keeps what it was asked.

    Args:
        others: Stage -> what it says instead, made of the last message and the number of the call
            of that stage from 0.
    """

    def __init__(self, others: dict[str, Rule] | None = None) -> None:
        self.calls: list[tuple[str, int, int | None, Sequence[Message]]] = []
        """Stage, attempt, most tokens and prompt of each call."""
        self._others = others or {}

    async def __call__(
        self,
        messages: Sequence[Message],
        *,
        stage: str = "",
        max_tokens: int | None = None,
        attempt: int = 0,
    ) -> Completion:
        await asyncio.sleep(0)
        asked, before = messages[-1].content, self.counted()[stage]
        self.calls.append((stage, attempt, max_tokens, messages))
        said = self._others.get(stage, RULES[stage])(asked, before)
        if isinstance(said, dict):
            said = json.dumps(said)
        return said if isinstance(said, Completion) else Completion(said)

    def counted(self) -> Counter[str]:
        """Calls by stage."""
        return Counter(call[0] for call in self.calls)

    def prompts(self, stage: str) -> list[str]:
        """The last messages of the calls of a stage."""
        return [messages[-1].content for one, _, _, messages in self.calls if one == stage]


def analyse(asked: str, _: int) -> dict[str, Any]:
    """Who and what the facts of a passage name; no fact stands twice, as where it is counted."""
    told = [asked[one.start : one.end] for one in statements(asked)]
    named = [name for name in names(" ".join(told)) if name != "Passage"]
    objects = [words(one)[-1] for one in told]
    keys = dict.fromkeys((*named, *objects))
    return {
        "keywords": list(keys) or ["weather"],
        "context": f"It tells of {' and '.join(named) or 'the weather'}.",
        "tags": ["people", "places", "things"],
    }


def evolve(asked: str, _: int) -> dict[str, Any]:
    """Links notes that share a keyword, and says of the first of them that it is older."""
    (_, _, own), *near = _PART.findall(asked)
    mine = set(own.split(", "))
    alike = [int(title.split()[1]) for title, _, keys in near if mine & set(keys.split(", "))]
    updates = [{"note": n, "context": f"Before {own}.", "tags": ["older"]} for n in alike[:1]]
    return {"should_evolve": bool(alike), "links": alike, "tags": [], "updates": updates}


def query(asked: str, _: int) -> dict[str, Any]:
    """The names of a question, or its last word."""
    question = asked.removeprefix("Question: ")
    return {"keywords": list(names(question)) or [words(question)[-1]]}


RULES: dict[str, Rule] = {"analyse": analyse, "evolve": evolve, "query": query}


def where(person: str) -> StreamQuestion:
    """Where a person is."""
    return StreamQuestion(person, f"Where is {person}?", "tracking", ())


async def read(
    texts: Iterable[str],
    model: ByRule | None = None,
    questions: Sequence[StreamQuestion] = (),
    *,
    kind: type[Amem] = Amem,
    **settings: Any,
) -> Amem:
    """A memory that has read some chunks."""
    memory = kind(MemorySettings(generate=model or ByRule(), **settings))
    await memory.start("d", questions)
    for index, text in enumerate(texts):
        await memory.observe(Chunk("d", index, text))
    return memory


def notes_of(memory: Amem) -> list[dict[str, Any]]:
    """The notes of a memory, as a snapshot has them."""
    return list(memory.snapshot()["box"]["notes"])
