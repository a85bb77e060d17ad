"""What a file of streams holds, beside the published figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from math import isnan
from statistics import fmean
from typing import Any

from supersede.model.stream import Stream
from supersede.streams.ladder import guessing_accuracy

SHORTEST_PASSAGE = 40
"""Characters of a paragraph that counts as a passage; shorter ones recur by nature."""


@dataclass(frozen=True, slots=True)
class Reuse:
    """How far documents share their background, by paragraphs without the facts in them."""

    passages: int
    """Different ones in all documents."""
    mean_documents: float
    """In how many documents one stands, on average."""
    most_documents: int
    repeated: int
    """Repetitions inside a document."""


@dataclass(frozen=True, slots=True)
class FactsInChunks:
    """How the facts lie in the chunks (O-186)."""

    mean: float
    most: int
    empty: float
    """Share of the chunks without a fact, 0 to 1."""


@dataclass(frozen=True, slots=True)
class StreamStatistics:
    """Counts over all documents; a change is a phase, as the published figures count them."""

    documents: int
    chunks: int
    questions: int
    types: dict[str, int]
    """Questions of each type."""
    facts_per_document: float
    changes_mean: float
    """Mean number of phases of a question; `transitions_mean` is one less."""
    changes_min: int
    changes_max: int
    transitions_mean: float
    transitions: int
    """In all questions together (O-184)."""
    changes_by_type: dict[str, float]
    """Mean number of phases of the questions of each type."""
    changes_histogram: dict[int, int]
    """Number of phases -> how many questions have it (O-016)."""
    facts_in_chunks: FactsInChunks
    guessing_accuracy: float
    """What guessing among the answers, or options, of each question scores (O-040)."""
    reuse: Reuse

    def to_json(self) -> dict[str, Any]:
        """The figures as plain JSON data."""
        return {
            "documents": self.documents,
            "chunks": self.chunks,
            "questions": self.questions,
            "types": self.types,
            "facts_per_document": self.facts_per_document,
            "changes_mean": self.changes_mean,
            "changes_min": self.changes_min,
            "changes_max": self.changes_max,
            "transitions_mean": self.transitions_mean,
            "transitions": self.transitions,
            "changes_by_type": self.changes_by_type,
            "changes_histogram": self.changes_histogram,
            "facts_in_chunks": asdict(self.facts_in_chunks),
            "guessing_accuracy": None if isnan(self.guessing_accuracy) else self.guessing_accuracy,
            "reuse": asdict(self.reuse),
        }


def statistics(streams: Sequence[Stream]) -> StreamStatistics:
    """The figures of one or more streams."""
    phases: dict[str, list[int]] = {}
    for stream in streams:
        for question in stream.questions:
            phases.setdefault(question.type, []).append(len(question.phases))
    every = [number for numbers in phases.values() for number in numbers]
    mean = fmean(every) if every else 0.0
    return StreamStatistics(
        len(streams),
        sum(len(stream.chunks) for stream in streams),
        len(every),
        {kind: len(numbers) for kind, numbers in phases.items()},
        round(fmean([len(stream.facts) for stream in streams]), 2) if streams else 0.0,
        round(mean, 3),
        min(every, default=0),
        max(every, default=0),
        round(mean - 1, 3) if every else 0.0,
        sum(every) - len(every),
        {kind: round(fmean(numbers), 3) for kind, numbers in phases.items()},
        dict(sorted(Counter(every).items())),
        _facts_in_chunks(streams),
        round(guessing_accuracy(streams), 4),
        reuse(streams),
    )


def _facts_in_chunks(streams: Sequence[Stream]) -> FactsInChunks:
    counts = [
        sum(fact.chunk == chunk for fact in stream.facts)
        for stream in streams
        for chunk in range(len(stream.chunks))
    ]
    if not counts:
        return FactsInChunks(0.0, 0, 0.0)
    return FactsInChunks(
        round(fmean(counts), 3), max(counts), round(counts.count(0) / len(counts), 4)
    )


def reuse(streams: Sequence[Stream]) -> Reuse:
    """How far the documents share their background."""
    documents: Counter[str] = Counter()
    repeated = 0
    for stream in streams:
        within = Counter(passages(stream))
        repeated += sum(times - 1 for times in within.values())
        documents.update(within.keys())
    mean = round(fmean(documents.values()), 3) if documents else 0.0
    return Reuse(len(documents), mean, max(documents.values(), default=0), repeated)


def passages(stream: Stream) -> Iterator[str]:
    """The paragraphs of a stream, without its facts and without the short ones."""
    facts: dict[int, list[str]] = {}
    for fact in stream.facts:
        facts.setdefault(fact.chunk, []).append(fact.text)
    for number, chunk in enumerate(stream.chunks):
        for fact_text in facts.get(number, ()):
            chunk = chunk.replace(fact_text, "", 1)
        for paragraph in chunk.split("\n\n"):
            text = " ".join(paragraph.split())
            if len(text) >= SHORTEST_PASSAGE:
                yield text


def statistics_table(found: StreamStatistics) -> Iterator[str]:
    """The figures as lines to read."""
    yield f"documents           {found.documents:>9,}"
    yield f"chunks              {found.chunks:>9,}"
    yield f"questions           {found.questions:>9,}"
    facts = found.facts_in_chunks
    if facts.most:
        yield f"facts per document  {found.facts_per_document:>9.1f}"
        yield (
            f"facts per chunk     {facts.mean:>9.2f}  at most {facts.most}; "
            f"{facts.empty:.1%} of the chunks have none"
        )
    yield f"changes (phases)    {found.changes_mean:>9.2f}  from {found.changes_min} to " + (
        f"{found.changes_max}; transitions {found.transitions_mean:.2f}, "
        f"{found.transitions:,} in all"
    )
    for kind, number in found.types.items():
        share = 100 * number / found.questions
        changes = found.changes_by_type[kind]
        yield f"  {kind:<18}{number:>9,}  {share:4.1f} %  changes {changes:.2f}"
    if found.questions:
        yield (
            f"guessed right       {100 * found.guessing_accuracy:>8.1f} %  at random among the "
            + ("answers or options of each question")
        )
    shared = found.reuse
    yield (
        f"passages            {shared.passages:>9,}  each in {shared.mean_documents:.2f} "
        f"{'document' if shared.mean_documents == 1 else 'documents'}, at most "
        f"{shared.most_documents}; {shared.repeated:,} repeated inside one"
    )
