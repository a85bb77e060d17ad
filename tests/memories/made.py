"""Documents with a marker in every chunk, and memories that have read them."""

from __future__ import annotations

from collections.abc import Callable

from supersede.memories import MemorySettings, Prompts, blanked, make_memory, memories
from supersede.memories.base import Base
from supersede.memories.rag import Rag
from supersede.memories.retrieval import make_retriever
from supersede.model.memory import Chunk, Memory
from supersede.model.stream import Evidence, Stream, StreamQuestion

NAMES = tuple(
    kind.name
    for kind in memories()
    if isinstance(kind.make, type) and issubclass(kind.make, (Base, Rag))
)
"""The memories that show chunks as they stand."""
PEOPLE = ("Ruvo", "Tamsin", "Belka", "Orlin", "Quen")
PLACES = ("hall", "cellar", "garden", "attic")


def marker(index: int) -> str:
    """A word that only one chunk has."""
    return f"marker{'abcdefghijklmnopqrstuvwxyz'[index // 26]}{chr(97 + index % 26)}"


def document(chunks: int = 40, questions: int = 5, name: str = "doc") -> Stream:
    """A document of equally long chunks, each with its marker and with one move."""
    texts = tuple(
        f"{marker(n)} rain fell on the roof. {PEOPLE[n % 5]} went to the {PLACES[n % 4]}."
        for n in range(chunks)
    )
    return Stream(
        name, texts, tuple(where(PEOPLE[n % 5], n, chunks) for n in range(questions)), "babi"
    )


def where(person: str, number: int, chunks: int) -> StreamQuestion:
    """Where someone is, answered from the chunks in which they moved."""
    moves = [n for n in range(chunks) if PEOPLE[n % 5] == person]
    last = [max((m for m in moves if m <= n), default=None) for n in range(chunks)]
    answers = tuple(("Unknown",) if m is None else (PLACES[m % 4],) for m in last)
    evidence = tuple(
        None if m is None else Evidence(m, f"{person} went to the {PLACES[m % 4]}.") for m in last
    )
    return StreamQuestion(f"q{number}", f"Where is {person}?", "tracking", answers, evidence)


def choice() -> StreamQuestion:
    """A question of multiple choice."""
    options = ("The cook", "The question cannot be answered yet", "A sailor")
    return StreamQuestion("c", "Who has the map?", "choice", (), (), options, 1)


def hashing(**settings: object) -> MemorySettings:
    """Settings whose retriever is quick."""
    return MemorySettings(retriever=make_retriever("hashing"), **settings)  # type: ignore[arg-type]


async def begun(
    name: str, given: Stream, settings: MemorySettings | None = None, upto: int = 0
) -> Memory:
    """A memory that has read the first chunks of a document."""
    memory = make_memory(name, settings or MemorySettings())
    await memory.start(given.id, blanked(given.questions))
    for index in range(upto):
        await memory.observe(Chunk(given.id, index, given.chunks[index]))
    return memory


async def told(
    memory: Memory, given: Stream, each: Callable[[int, StreamQuestion, str], None], first: int = 0
) -> None:
    """Read a document on from a chunk, and hand on every prompt's user message."""
    for index in range(first, len(given.chunks)):
        await memory.observe(Chunk(given.id, index, given.chunks[index]))
        for question in given.questions:
            prompt = Prompts().prompt(question, await memory.context(question))
            each(index, question, prompt.context + prompt.question)
