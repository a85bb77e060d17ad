"""What is won and lost by leaving out what has been superseded: `rag`, `rag-latest` read by rule.

    python benchmarks/bench_rag_latest.py
    python benchmarks/bench_rag_latest.py --documents 12      # as many as are published

Three readers without a model answer OAKS-BABI from what a memory shows. The attentive one takes the
facts in the order shown and works the answer out; it is right wherever the evidence is there, so it
tells whether something was lost. The first believes the first answer that the text gives, and the
commonest the one that it gives most often, as models do that are drawn to old statements; they tell
what there is to win. The latter two are asked only how things stand: where somebody or something
is, and who holds it.
"""

from __future__ import annotations

import argparse
import asyncio
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from supersede.corpus.tokens import Estimate
from supersede.memories import MemorySettings, blanked, make_memory
from supersede.model.memory import Chunk
from supersede.model.stream import Stream
from supersede.streams.babi.build import Recipe, babi_streams
from supersede.streams.babi.extract import extract
from supersede.streams.babi.questions import candidate
from supersede.streams.babi.templates import BEFORE, TEMPLATES, Accepted, Template
from supersede.streams.background import BUILT_IN, open_library

MEMORIES = ("rag", "rag-latest")
STANDING = ("place_of_person", "holder_of_object", "place_of_object")
"""Templates of questions about how things stand."""


def attentive(told: Sequence[Accepted], before: Accepted) -> Accepted:
    """The answer after the last fact."""
    return told[-1] if told else before


def first(told: Sequence[Accepted], before: Accepted) -> Accepted:
    """The first answer that there is."""
    return next((one for one in told if one != before), before)


def commonest(told: Sequence[Accepted], before: Accepted) -> Accepted:
    """The answer that is come to most often; of equals the first."""
    phases = Counter(one for one, _ in groupby(told) if one != before)
    return max(phases, key=phases.__getitem__, default=before)


READERS: dict[str, Callable[[Sequence[Accepted], Accepted], Accepted]] = {
    "attentive": attentive,
    "first": first,
    "commonest": commonest,
}


class Score(NamedTuple):
    """How often a reader is right with a memory."""

    right: int
    asked: int

    @property
    def percent(self) -> float:
        """Of 100."""
        return 100 * self.right / self.asked


class Compared(NamedTuple):
    """What reading with both memories came to."""

    scores: dict[tuple[str, str, str], Score]
    """Memory, reader, and `standing` or `other` questions -> score."""
    tokens: dict[str, int]
    """Memory -> tokens of all contexts."""
    left_out: int
    """Statements that `rag-latest` left out, over all contexts."""


async def compare(
    streams: Iterable[Stream], settings: MemorySettings, memories: Sequence[str] = MEMORIES
) -> Compared:
    """Reads streams with some memories."""
    right: Counter[tuple[str, str, str]] = Counter()
    asked: Counter[tuple[str, str, str]] = Counter()
    tokens: Counter[str] = Counter()
    left_out = 0
    for given in streams:
        kinds = [_kind(question.text) for question in given.questions]
        texts = sorted({fact.text for fact in given.facts}, key=len, reverse=True)
        known = re.compile("|".join(map(re.escape, texts)))
        solved: dict[tuple[str, ...], dict[int, list[Accepted]]] = defaultdict(dict)
        for name in memories:
            memory = make_memory(name, settings)
            await memory.start(given.id, blanked(given.questions))
            for interval, text in enumerate(given.chunks):
                await memory.observe(Chunk(given.id, interval, text))
                for number, question in enumerate(given.questions):
                    context = await memory.context(question)
                    tokens[name] += int(context.notes["tokens"])
                    facts = tuple(known.findall(context.text))
                    template, names = kinds[number]
                    done = solved[facts]
                    if number not in done:
                        done[number] = list(candidate(extract(facts), template, names).timeline)
                    standing = "standing" if template.id in STANDING else "other"
                    for reader, read in READERS.items():
                        if standing == "other" and reader != "attentive":
                            continue
                        said = read(done[number], BEFORE[template.type])
                        place = name, reader, standing
                        right[place] += said[0] in question.answers[interval]
                        asked[place] += 1
            left_out += int(memory.counters().get("statements_left_out", 0))
    scores = {place: Score(right[place], number) for place, number in asked.items()}
    return Compared(scores, dict(tokens), left_out)


def _kind(question: str) -> tuple[Template, tuple[str, ...]]:
    """The template of a question, and the names in its slots; the one that says most of it."""
    found = []
    for template in TEMPLATES.values():
        form = re.sub(r"\\\{\d\\\}", r"(\\w+)", re.escape(template.text))
        match = re.fullmatch(form, question)
        if match is not None:
            found.append((len(template.text), template, match.groups()))
    _, template, names = max(found, key=lambda one: one[0])
    return template, names


def made(recipe: Recipe) -> Iterator[Stream]:
    """The documents of a recipe, in made-up prose."""
    counter = Estimate()
    library = open_library(BUILT_IN, counter, longest=recipe.longest, need=recipe.need)
    return babi_streams(recipe, library, counter)


def main() -> None:
    """Prints what both memories come to."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--documents", type=int, default=1)
    parser.add_argument("--chunks", type=int, default=65)
    parser.add_argument("--shown", type=int, default=30)
    given = parser.parse_args()
    recipe = Recipe(documents=given.documents, chunks=given.chunks)
    found = asyncio.run(compare(made(recipe), MemorySettings(top_k=given.shown)))
    for (memory, reader, kind), score in found.scores.items():
        print(f"{memory:11} {reader:10} {kind:9} {score.percent:6.2f} % of {score.asked:,}")
    for memory, tokens in found.tokens.items():
        print(f"{memory:11} {tokens:,} tokens of contexts")
    print(f"statements left out: {found.left_out:,}")


if __name__ == "__main__":
    main()
