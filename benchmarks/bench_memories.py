"""What memories take over a long stream: CPU time and memory after 250, 500 and 1,000 chunks.

Each memory reads a document of short chunks in a process of its own and gives the context of every
question after every chunk, as in a run. A model by rule is asked in place of a real one: what it
says is short, right and soon said, so what is measured is the memory's own work. In each chunk
somebody who was there before goes somewhere, and somebody comes who never was: tables, graphs and
notes grow with the text, as they do in a novel.

CPU time is that of the process, which other work on the machine does not count into; memory is the
highest so far, less what it was before the first chunk. `/chunk` is how much more a chunk takes in
the second half than one in the first, 1 where time is a line in the chunks.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import re
import resource
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import NamedTuple

from supersede.evaluation.tables import text_table
from supersede.memories import MemorySettings, make_memory
from supersede.model.instance import Message
from supersede.model.memory import Chunk
from supersede.model.protocols import Completion
from supersede.model.stream import StreamQuestion

MEMORIES = (
    "none",
    "base",
    "window",
    "rag",
    "rag+window",
    "rag-latest",
    "state-store",
    "hipporag",
    "memagent",
    "memagent-shared",
    "amem",
)
AFTER = (250, 500, 1_000)
"""Chunks after which it is looked what they took."""
PEOPLE = ("Ruvo", "Tamsin", "Belka", "Orlin", "Quen", "Sill", "Marn", "Ivo", "Dask", "Hela")
PLACES = ("hall", "cellar", "garden", "attic", "mill", "pier", "tower", "yard", "barn", "kitchen")
_SYLLABLES = ("ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu")
_KIB = 1024 if sys.platform != "darwin" else 1
"""Bytes in which the system tells the highest memory so far."""


class Mark(NamedTuple):
    """What some chunks took together."""

    chunks: int
    seconds: float
    megabytes: float


def newcomer(number: int) -> str:
    """A name that nobody had before."""
    return "".join(_SYLLABLES[int(digit)] for digit in f"{number:04}").capitalize()


def text(number: int) -> str:
    """A chunk: two moves amid rain."""
    known, new = PEOPLE[number % 7 * 3 % 10], newcomer(number)
    one, other = PLACES[number * 7 % 10], PLACES[number * 3 % 10]
    rain = "Nobody could say why it rained on the old roof again. " * 3
    return f"{rain}{known} went to the {one}. {rain}{new} went to the {other}."


def asked(number: int) -> StreamQuestion:
    """A question about somebody who goes on and on."""
    name = PEOPLE[number % len(PEOPLE)]
    return StreamQuestion(f"q{number}", f"Where is {name}?", "tracking", ())


_MOVE = re.compile(r"([A-Z]\w+) went to the (\w+)\.")
_NOTE = re.compile(r"^## Note (\d+)\n.*?^Keywords: (.*?)$", re.M | re.S)
_NEW = re.compile(r"^## New note\n.*?^Keywords: (.*?)$", re.M | re.S)
_NOTED = re.compile(r"^(\w+): (\w+)$", re.M)
_PROBLEM = re.compile(r"<problem>\n(.*?)\n</problem>", re.S)


def _names(prompt: str) -> object:
    return {"names": [part for move in _MOVE.findall(prompt) for part in move]}


def _triples(prompt: str) -> object:
    return {"triples": [[who, "went to", where] for who, where in _MOVE.findall(prompt)]}


def _filter(prompt: str) -> object:
    question, _, facts = prompt.partition("\nFacts: ")
    return {"facts": [one for one in json.loads(facts) if one[0] in question.casefold()]}


def _analyse(prompt: str) -> object:
    words = [part for move in _MOVE.findall(prompt) for part in move]
    return {"keywords": words, "context": "Two go somewhere.", "tags": ["moves", "rain", "people"]}


def _evolve(prompt: str) -> object:
    new = _NEW.search(prompt)
    mine = set(new[1].split(", ")) if new else set()
    alike = [int(number) for number, keys in _NOTE.findall(prompt) if mine & set(keys.split(", "))]
    changed = [{"note": n, "context": "Older news.", "tags": ["older"]} for n in alike[:1]]
    return {"should_evolve": bool(alike), "links": alike, "tags": [], "updates": changed}


def _query(prompt: str) -> object:
    return {"keywords": [name for name in PEOPLE if name in prompt]}


def _state(prompt: str) -> object:
    piece = prompt.partition("# Next piece\n")[2]
    return {
        "rows": [
            {"key": f"{who} / place", "value": where, "source": f"{who} went to the {where}."}
            for who, where in _MOVE.findall(piece)
        ]
    }


def _update(prompt: str) -> str:
    problem = _PROBLEM.search(prompt)
    places = dict(_NOTED.findall(prompt))
    places.update(_MOVE.findall(prompt))
    wanted = [one for one in sorted(places) if problem is None or one in problem[1]]
    return "\n".join(f"{one}: {places[one]}" for one in wanted) or "Nobody."


RULES: dict[str, Callable[[str], object]] = {
    "names": _names,
    "triples": _triples,
    "filter": _filter,
    "analyse": _analyse,
    "evolve": _evolve,
    "query": _query,
    "state": _state,
    "update": _update,
}


async def by_rule(
    messages: Sequence[Message], *, stage: str = "", max_tokens: int | None = None, attempt: int = 0
) -> Completion:
    """A model that reads moves and nothing else."""
    said = RULES[stage](messages[-1].content)
    return Completion(said if isinstance(said, str) else json.dumps(said))


def measured(name: str, chunks: int, questions: int) -> list[Mark]:
    """What a memory takes to read a document, whole and in parts."""
    return asyncio.run(_read(name, chunks, questions))


async def _read(name: str, chunks: int, questions: int) -> list[Mark]:
    memory = make_memory(name, MemorySettings(generate=by_rule))
    everybody = tuple(map(asked, range(questions)))
    await memory.start("doc", everybody)
    await memory.observe(Chunk("doc", 0, text(0)))  # what is imported late is not counted
    await memory.start("doc", everybody)
    gc.collect()
    before, begin = _megabytes(), time.process_time()
    found = []
    for index in range(chunks):
        await memory.observe(Chunk("doc", index, text(index)))
        for question in everybody:
            context = await memory.context(question)
            assert name == "none" or context.text
        if index + 1 in AFTER or index + 1 == chunks:
            seconds = time.process_time() - begin
            found.append(Mark(index + 1, seconds, _megabytes() - before))
    return found


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _KIB / 1_000_000


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description="What memories take over a long stream.")
    parser.add_argument("--chunks", type=int, default=AFTER[-1])
    parser.add_argument("--questions", type=int, default=4)
    parser.add_argument("--memories", default=",".join(MEMORIES))
    given = parser.parse_args()
    rows, head = [], ["memory"]
    for name in given.memories.split(","):
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            marks = pool.submit(measured, name, given.chunks, given.questions).result()
        head = ["memory", *(f"{mark.chunks:,}" for mark in marks), "/chunk"]
        head += [f"MB at {mark.chunks:,}" for mark in marks]
        seconds = [f"{mark.seconds:.2f} s" for mark in marks]
        memory = [f"{mark.megabytes:.0f}" for mark in marks]
        rows.append([name, *seconds, f"{_growth(marks):.1f}", *memory])
        print(f"{name}: {', '.join(seconds)}", file=sys.stderr, flush=True)
    print(f"{given.questions} questions at each chunk; CPU seconds and highest memory so far")
    print(text_table(head, rows))


def _growth(marks: Sequence[Mark]) -> float:
    """Time of a chunk after the last mark but one, over that of one before it."""
    if len(marks) < 2:
        return float("nan")
    half, whole = marks[-2:]
    later = (whole.seconds - half.seconds) / (whole.chunks - half.chunks)
    return later / (half.seconds / half.chunks)


if __name__ == "__main__":
    main()
