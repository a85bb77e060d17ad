"""Traces written by hand: truth and answers as words of one letter."""

from itertools import groupby

from supersede.model.stream import Reply, Trace


def trace(truth: str, said: str, stream: str = "d1", question: str = "q", kind: str = "k") -> Trace:
    """A trace whose truth and answers are single letters, a dot for no answer."""
    answers = tuple(None if letter == "." else letter for letter in said)
    return Trace(
        stream,
        question,
        kind,
        tuple(len(list(run)) for _, run in groupby(truth)),
        tuple(truth),
        answers,
        tuple(a == b for a, b in zip(truth, said, strict=True)),
        tuple(Reply.UNPARSABLE if answer is None else Reply.ANSWERED for answer in answers),
    )
