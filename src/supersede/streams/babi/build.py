"""Documents of OAKS-BABI, one after another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from supersede.corpus.tokens import TokenCounter
from supersede.errors import UsageError
from supersede.model.stream import Evidence, Stream, StreamQuestion
from supersede.streams.babi.choose import Asked, choose
from supersede.streams.babi.document import Typesetter, spread
from supersede.streams.babi.extract import extract
from supersede.streams.babi.names import cast
from supersede.streams.babi.questions import (
    FEWEST_PHASES,
    MOST_PHASES,
    discretised,
    phases_of,
    synthesise,
)
from supersede.streams.babi.story import tell
from supersede.streams.babi.templates import BEFORE, CONVENTIONS
from supersede.streams.background import Library
from supersede.streams.serialize import shared
from supersede.worlds.streams import between, stream

PUBLISHED_FACTS, PUBLISHED_CHUNKS = 87, 65
LONGEST_SENTENCE = 2
"""A sentence may take at most one part in so many of a chunk."""
FEWEST_TOKENS = 100
"""Of a chunk: room for some prose beside its facts."""
_FACT_TOKENS = 24
"""Room that is kept for a fact when facts are spread over chunks."""
_SPREAD = 12
"""A document may have one part in so many more or fewer facts than the mean."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How documents are made; with the library it decides every byte."""

    documents: int = 12
    chunks: int = 65
    chunk_tokens: int = 2000
    questions: int = 102
    """For each document."""
    facts: int | None = None
    """Mean for each document; in the published proportion to the chunks where left out."""
    seed: int = 0

    @property
    def mean_facts(self) -> int:
        """Facts of a document on average."""
        scaled = -(-self.chunks * PUBLISHED_FACTS // PUBLISHED_CHUNKS)
        return self.facts if self.facts is not None else scaled

    @property
    def facts_in_chunk(self) -> int:
        """Most facts of a chunk: at most half of it is facts."""
        return max(1, self.chunk_tokens // 2 // _FACT_TOKENS)

    @property
    def most_facts(self) -> int:
        """Highest mean number of facts for which every document has the room."""
        room = self.chunks * self.facts_in_chunk
        facts = room * _SPREAD // (_SPREAD + 1)
        return facts + 1 if _most_of(facts + 1) <= room else facts

    @property
    def need(self) -> int:
        """Tokens of prose that a document may take."""
        return self.chunks * self.chunk_tokens

    @property
    def longest(self) -> int:
        """Tokens of the longest sentence of prose that may stay."""
        return self.chunk_tokens // LONGEST_SENTENCE

    def check(self) -> None:
        """Refuse what no document can hold.

        Raises:
            UsageError: A number is too small, or there are more facts than room for them.
        """
        for name, value, least in (
            ("documents", self.documents, 1),
            ("chunks", self.chunks, 2),
            ("chunk_tokens", self.chunk_tokens, FEWEST_TOKENS),
            ("questions", self.questions, 1),
            ("facts", self.mean_facts, 2),
        ):
            if value < least:
                mend = f"Ask for {least} or more."
                raise UsageError(f"{name}={value} is below {least}", mend=mend)
        if self.mean_facts > self.most_facts:
            raise UsageError(
                f"{self.mean_facts:,} facts do not fit into {self.chunks:,} chunks of "
                f"{self.chunk_tokens:,} tokens",
                mend=f"Ask for at most {self.most_facts:,}, or for larger or more chunks.",
            )


def babi_streams(
    recipe: Recipe, library: Library, counter: TokenCounter, *, first: int = 0
) -> Iterator[Stream]:
    """The documents of a recipe.

    Args:
        recipe: How many, how long and so on.
        library: The prose that the facts are hidden in.
        counter: Counts tokens.
        first: Index of the first document.

    Raises:
        UsageError: The recipe asks for more than a document can hold.
    """
    recipe.check()
    for index in range(first, first + recipe.documents):
        yield document(recipe, library, counter, index)


def document(recipe: Recipe, library: Library, counter: TokenCounter, index: int) -> Stream:
    """One document; a function of the recipe, the library and its index alone."""
    seed = f"babi/{recipe.seed}/{index}"
    about = stream(seed, "size")
    slack = recipe.mean_facts // _SPREAD
    length = between(about, recipe.mean_facts - slack, recipe.mean_facts + slack)
    small = length < 40
    who = cast(stream(seed, "names"), *((3, 4, 3) if small else (5, 6, 5)), taken=library.words)
    told = tell(stream(seed, "story"), who, length)
    chunk_of = spread(stream(seed, "chunks"), length, recipe.chunks, recipe.facts_in_chunk)
    facts = [Evidence(chunk, text) for chunk, text in zip(chunk_of, told, strict=True)]
    prose = library.shuffled(stream(seed, "passages"), 5 * recipe.chunk_tokens)
    setter = Typesetter(prose, counter, recipe.chunk_tokens, stream(seed, "places"))
    chunks = tuple(
        setter.chunk([fact.text for fact in facts if fact.chunk == number])
        for number in range(recipe.chunks)
    )
    possible = _possible(told, chunk_of, recipe.chunks)
    asked = choose(stream(seed, "questions"), possible, recipe.questions)
    name = f"babi-{recipe.seed}-{index:02d}"
    return Stream(
        name,
        chunks,
        tuple(_question(f"{name}_q{n}", one, facts) for n, one in enumerate(asked)),
        "babi",
        tuple(facts),
        {
            "seed": recipe.seed,
            "index": index,
            "background": library.name,
            "tokenizer": counter.name,
            "chunk_tokens": recipe.chunk_tokens,
            "system": CONVENTIONS,
        },
    )


def _most_of(mean: int) -> int:
    """Most facts of a document when documents have so many on average."""
    return mean + mean // _SPREAD


def _possible(told: list[str], chunk_of: list[int], chunks: int) -> list[Asked]:
    """All questions whose answers change over the chunks, neither too seldom nor too often."""
    found: list[Asked] = []
    for one in synthesise(extract(told)):
        intervals = discretised(one, chunk_of, chunks)
        phases = phases_of(intervals)
        if FEWEST_PHASES <= phases <= MOST_PHASES:
            found.append(Asked(one, intervals, phases))
    return found


def _question(name: str, asked: Asked, facts: list[Evidence]) -> StreamQuestion:
    before = BEFORE[asked.candidate.template.type]
    return StreamQuestion(
        name,
        asked.candidate.text,
        asked.candidate.template.type.value,
        shared(before if i.fact is None else i.accepted for i in asked.intervals),
        tuple(None if i.fact is None else facts[i.fact] for i in asked.intervals),
    )
