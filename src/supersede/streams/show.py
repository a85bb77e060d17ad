"""A stream as lines to read: each question with its answers over the intervals."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import shorten

from supersede.corpus.show import counted
from supersede.model.stream import Evidence, Stream, StreamQuestion

_RULE = 100
_BAR = 65
"""Most columns of the bar that shows a question's phases."""


def overview(stream: Stream, *, texts: bool = False) -> Iterator[str]:
    """Lines that show a stream.

    Args:
        stream: What to show.
        texts: Whether the chunks themselves are printed too, and what a reader is told.
    """
    made = ", ".join(f"{k} {v}" for k, v in stream.meta.items() if len(str(v)) <= 40)
    yield f"{stream.id}  ({stream.source}{': ' + made if made else ''})"
    parts = [(stream.chunks, "chunk"), (stream.facts, "fact"), (stream.questions, "question")]
    yield ", ".join(counted(len(some), noun) for some, noun in parts if some)
    if texts:
        if "system" in stream.meta:
            yield ""
            yield "---- what a reader is told ".ljust(_RULE, "-")
            yield str(stream.meta["system"])
        for number, chunk in enumerate(stream.chunks):
            yield ""
            yield f"---- chunk {number} ".ljust(_RULE, "-")
            yield chunk
    for question in stream.questions:
        yield ""
        yield from timeline(question)


def timeline(question: StreamQuestion) -> Iterator[str]:
    """A question's phases: a bar over the intervals, then one line for each phase."""
    phases = question.phases
    yield f"{question.id}  [{question.type}, {len(phases)} phases]"
    for line in question.text.split("\n"):
        yield f"  {line}"
    for letter, option in zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", question.options, strict=False):
        yield f"    {letter}. {option}"
    if len(question.answers) <= _BAR:
        marks = "".join("#="[n % 2] * length for n, length in enumerate(phases))
        yield f"  |{marks}|"
    first = 0
    for length in phases:
        accepted = question.answers[first]
        also = f" (or {', '.join(accepted[1:])})" if len(accepted) > 1 else ""
        span = f"{first}" if length == 1 else f"{first}-{first + length - 1}"
        found = question.evidence[first] if first < len(question.evidence) else None
        yield f"  {span:>7}  {accepted[0]}{also}{_because(found)}"
        first += length


def _because(evidence: Evidence | None) -> str:
    if evidence is None:
        return ""
    return f"   <- chunk {evidence.chunk}: {shorten(evidence.text, 90, placeholder=' ...')}"
