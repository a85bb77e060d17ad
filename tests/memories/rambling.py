"""Readers of bAbI whose replies are as long as chance has it, drawn from the prompt alone."""

from __future__ import annotations

import json
import random
import re
from hashlib import blake2b
from typing import Any

from tests.memories.scripted import RULES, Scripted

from supersede.memories.words import telling
from supersede.model.protocols import Completion

_SENTENCE = re.compile(r"[A-Z][^.\n]*\.")


class Rambling(Scripted):
    """Says what the scripted model says, and more: from nothing to some dozen things at each call.

    What it adds is from the prompt's own text, as with models that write down what they read.
    """

    async def __call__(self, messages: Any, *, stage: str = "", **given: Any) -> Completion:
        await super().__call__(messages, stage=stage, **given)
        asked = messages[-1].content
        said = RULES[stage](asked)
        drawn = random.Random(int.from_bytes(blake2b(f"{stage} {asked}".encode()).digest()[:8]))
        return Completion(rambled(stage, asked, said, drawn))


def rambled(stage: str, asked: str, said: str, drawn: random.Random) -> str:
    """A reply with more in it."""
    told = _SENTENCE.findall(_text_of(stage, asked)) or [asked[-80:]]
    some = [drawn.choice(told) for _ in range(drawn.randint(0, 12))]
    words = list(telling(" ".join(some)))[: drawn.randint(3, 12)] or ["rain"]
    if stage == "update":
        return "\n".join((said, *some))
    data = json.loads(said)
    if stage == "state":
        data["rows"] += [
            {
                "key": f"{drawn.choice(telling(one) or ('it',))} / mood",
                "value": "noted",
                "source": one,
            }
            for one in some
        ]
    elif stage == "names":
        data["names"] += [one.split()[-1].strip(".") for one in some]
    elif stage == "triples":
        data["triples"] += [[one.split()[0], "is told of with", one.split()[-1]] for one in some]
    elif stage == "analyse":
        data["keywords"] += words
        data["context"] += f" {' '.join(some)}"
    elif stage == "query":
        data["keywords"] += words
    elif stage == "evolve":
        near = len(re.findall(r"^## Note \d+$", asked, re.M))
        data["links"] = [n for n in range(1, near + 1) if drawn.random() < 0.3]
        data["should_evolve"] = True
        data["updates"] = [
            {"note": n, "context": " ".join(some) or "News.", "tags": words}
            for n in range(1, near + 1)
            if drawn.random() < 0.3
        ]
    return json.dumps(data, ensure_ascii=False)


def _text_of(stage: str, asked: str) -> str:
    """What of a prompt is a piece of the text."""
    if stage == "update":
        return asked.rpartition("<section")[2].rpartition("</section>")[0]
    if stage == "state":
        return asked.partition("# Next piece\n")[2]
    return asked
