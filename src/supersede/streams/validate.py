"""What a stream must keep to, rule by rule; a violation names its rule and its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite

from supersede.errors import DataError
from supersede.model.stream import Evidence, Stream, StreamQuestion
from supersede.streams.matching import answer_key, canonical
from supersede.streams.oaks import is_catch_all

FEWEST_OPTIONS = 5
MOST_OPTIONS = 26  # each has a letter

RULES = {
    "unique-stream-id": "no two streams of a file have the same id",
    "meta-types": "meta holds texts and finite numbers under texts",
    "has-chunks": "a stream has at least one chunk, and none is empty",
    "has-questions": "a stream has at least one question",
    "unique-question-id": "no two questions of a stream have the same id",
    "unique-question-text": "no two questions of a stream have the same text",
    "one-answer-per-interval": "a question has one entry for each chunk",
    "no-empty-answer": "every entry accepts at least one text, and none is empty or mere marks",
    "two-phases": "the answer changes at least once",
    "evidence-per-interval": "evidence is left out, or has one entry for each chunk",
    "evidence-in-chunk": "evidence stands word for word in the chunk that it names",
    "evidence-not-later": "evidence comes from no later chunk than the interval",
    "no-empty-evidence": "neither evidence nor a fact nor a source is empty",
    "facts-in-chunk": "a fact stands word for word in the chunk that it names",
    "facts-in-order": "facts come in the order of the story",
    "answer-is-option": "the right answer of a multiple choice is one of its options",
    "unique-options": "no two options are the same",
    "five-options": "a multiple choice has at least five options, and a letter for each",
    "one-catch-all": "exactly one option says that the question cannot be answered yet",
    "catch-all-first": "that option is never right again once another has been",
    "sources-per-option": "sources are left out, or there is a list for each option",
    "sources-in-chunk": "a source stands word for word in the chunk that it names",
}
"""Every rule by name, as a sentence."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One place that breaks one rule."""

    rule: str
    """A name of `RULES`."""
    stream: str
    question: str | None
    """The question's id; None where the stream itself is wrong."""
    what: str

    def __str__(self) -> str:
        place = self.stream if self.question is None else f"{self.stream}, {self.question}"
        return f"{place}: {self.rule}: {self.what}"


def violations(streams: Iterable[Stream]) -> Iterator[Violation]:
    """Everything in a file's streams that breaks a rule, in order."""
    seen: set[str] = set()
    for stream in streams:
        if stream.id in seen:
            yield Violation("unique-stream-id", stream.id, None, "stands twice in the file")
        seen.add(stream.id)
        yield from _of_stream(stream)


def check_askable(streams: Iterable[Stream], where: str | None = None) -> None:
    """Refuse streams that cannot be asked and scored; all else is for `violations` to tell.

    Args:
        streams: Those of a file.
        where: The file, for messages.

    Raises:
        DataError: Two questions of a stream have one id, or one has no readable answer at every
            interval, evidence for some intervals only, or more options than there are letters.
    """
    for stream in streams:
        ids = Counter(question.id for question in stream.questions)
        for question in stream.questions:
            wrong = _unaskable(question, len(stream.chunks))
            if wrong is None and ids[question.id] > 1:
                wrong = f"{ids[question.id]} questions have this id"
            if wrong is not None:
                raise DataError(
                    f"{stream.id}, {question.id}: {wrong}",
                    where=where,
                    mend=f"See: supersede stream validate {where or 'FILE'}",
                )


def _unaskable(question: StreamQuestion, chunks: int) -> str | None:
    """Why a question can be neither asked nor scored; None where it can."""
    if not question.answers:
        return "the list of answers is empty"
    if not all(question.answers):
        return "an interval has no answer"
    for name, found in (("answers", question.answers), ("evidence", question.evidence)):
        if found and len(found) != chunks:
            return f"{name} at {len(found)} intervals, for {chunks} chunks"
    if len(question.options) > MOST_OPTIONS:
        return f"{len(question.options)} options are more than there are letters"
    try:
        answer_key(question)
    except ValueError as error:
        return str(error)
    return None


def _of_stream(stream: Stream) -> Iterator[Violation]:
    for rule, what in _whole(stream):
        yield Violation(rule, stream.id, None, what)
    for question in stream.questions:
        checks = (_answers, _evidence, _options) if question.options else (_answers, _evidence)
        for check in checks:
            for rule, what in check(question, stream.chunks):
                yield Violation(rule, stream.id, question.id, what)


def _whole(stream: Stream) -> Iterator[tuple[str, str]]:
    for name, value in stream.meta.items():
        kinds = (type(name), type(value))
        if kinds not in ((str, str), (str, int), (str, float)) or (
            isinstance(value, float) and not isfinite(value)
        ):
            yield "meta-types", f"{name!r} is {value!r}"
    if not stream.chunks:
        yield "has-chunks", "there is none"
    for number, chunk in enumerate(stream.chunks):
        if not chunk.strip():
            yield "has-chunks", f"chunk {number} is empty"
    if not stream.questions:
        yield "has-questions", "there is none"
    for rule, counts in (
        ("unique-question-id", Counter(question.id for question in stream.questions)),
        ("unique-question-text", Counter(question.text for question in stream.questions)),
    ):
        for value, times in counts.items():
            if times > 1:
                yield rule, f"{value!r} stands {times} times"
    for fact in stream.facts:
        if not fact.text.strip():
            yield "no-empty-evidence", f"a fact of chunk {fact.chunk}"
        elif not _stands(fact, stream.chunks):
            yield "facts-in-chunk", f"chunk {fact.chunk} lacks {fact.text!r}"
    for before, after in pairwise(stream.facts):
        if after.chunk < before.chunk:
            yield "facts-in-order", f"{after.text!r} comes after one of chunk {before.chunk}"


def _answers(question: StreamQuestion, chunks: Sequence[str]) -> Iterator[tuple[str, str]]:
    if len(question.answers) != len(chunks):
        yield "one-answer-per-interval", f"{len(question.answers)} for {len(chunks)} chunks"
    for interval, accepted in enumerate(question.answers):
        if not accepted or not all(_says(question, text) for text in accepted):
            yield "no-empty-answer", f"interval {interval} accepts {list(accepted)!r}"
            return
    if question.answers and len(question.phases) < 2:
        yield "two-phases", f"it is {question.answers[0][0]!r} all along"


def _says(question: StreamQuestion, answer: str) -> bool:
    """Whether an accepted answer has anything that a reply could be compared with."""
    return bool(answer.strip() if question.options else canonical(question, answer))


def _evidence(question: StreamQuestion, chunks: Sequence[str]) -> Iterator[tuple[str, str]]:
    if question.evidence and len(question.evidence) != len(chunks):
        yield "evidence-per-interval", f"{len(question.evidence)} for {len(chunks)} chunks"
    told: set[Evidence] = set()
    for interval, evidence in enumerate(question.evidence):
        if evidence is None:
            continue
        if evidence.chunk > interval:
            yield "evidence-not-later", f"interval {interval} rests on chunk {evidence.chunk}"
        if evidence in told:
            continue
        told.add(evidence)
        if not evidence.text.strip():
            yield "no-empty-evidence", f"interval {interval} rests on an empty text"
        elif not _stands(evidence, chunks):
            yield "evidence-in-chunk", f"chunk {evidence.chunk} lacks {evidence.text!r}"


def _options(question: StreamQuestion, chunks: Sequence[str]) -> Iterator[tuple[str, str]]:
    options = question.options
    if len(set(options)) < len(options):
        yield "unique-options", f"{len(options)} options, {len(set(options))} different ones"
    if not FEWEST_OPTIONS <= len(options) <= MOST_OPTIONS:
        yield "five-options", f"there are {len(options)}"
    catch_alls = [n for n, option in enumerate(options) if is_catch_all(option)]
    if len(catch_alls) != 1 or question.catch_all != catch_alls[0]:
        yield "one-catch-all", f"there are {len(catch_alls)}, and {question.catch_all} is marked"
    valid = False
    for interval, accepted in enumerate(question.answers):
        answer = accepted[0] if accepted else ""
        if answer not in options:
            yield "answer-is-option", f"interval {interval} has {answer!r}"
            return
        if not is_catch_all(answer):
            valid = True
        elif valid:
            yield "catch-all-first", f"interval {interval} has it after another answer"
            break
    if question.sources and len(question.sources) != len(options):
        yield "sources-per-option", f"{len(question.sources)} for {len(options)} options"
    for source in (source for found in question.sources for source in found):
        if not source.text.strip():
            yield "no-empty-evidence", f"a source of chunk {source.chunk}"
        elif not _stands(source, chunks):
            yield "sources-in-chunk", f"chunk {source.chunk} lacks {source.text!r}"


def _stands(evidence: Evidence, chunks: Sequence[str]) -> bool:
    return 0 <= evidence.chunk < len(chunks) and evidence.text in chunks[evidence.chunk]
