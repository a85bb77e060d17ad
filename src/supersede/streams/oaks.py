"""The official OAKS form: one JSON array, an element for each document.

::

    {"meta": {"bid", "num_chunks", "num_qas", ...},
     "data": {"chunks": {"0": text, ...},
              "facts": {"0": [sentence, ...], ...},
              "qas": {question text: {"question_id", "chunk_to_answer": {"0": answer, ...},
                                      "options", "option_sources", "question_type"}}}}

Chunk numbers are zero-based. An open question's answer is a list of accepted texts, a multiple
choice's one the option itself. The form has no place for evidence of open questions; what else a
stream has goes into `meta`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from supersede.errors import DataError
from supersede.model.stream import Evidence, QuestionType, Stream, StreamQuestion
from supersede.streams.serialize import SOURCES, shared

CATCH_ALLS = (
    "The question cannot be answered at this point in the story",
    "We cannot answer this question at this point",
)
"""How the option reads that is right before the facts are told (O-029); ours is the first."""

CHOICE = "multiple-choice"
"""Type of a question of the official form that names none."""

_TYPES = {QuestionType.TRACKING.value: "simple_facts"}
"""Types of ours that the official form calls otherwise."""
_TYPES_BACK = {theirs: ours for ours, theirs in _TYPES.items()}


def to_oaks(stream: Stream) -> dict[str, Any]:
    """A stream as an element of the official array.

    Raises:
        DataError: Two questions have the same text, by which the form keys them.
    """
    texts = [question.text for question in stream.questions]
    if len(set(texts)) < len(texts):
        twice = next(text for text in texts if texts.count(text) > 1)
        raise DataError(
            f"two questions read {twice!r}",
            where=f"stream {stream.id}",
            mend="The official form keys questions by their text: change one of them.",
        )
    meta = {"bid": stream.id, "num_chunks": len(stream.chunks), "num_qas": len(texts)}
    named = {} if stream.source == "oaks" else {"source": stream.source}
    data: dict[str, Any] = {"chunks": {str(n): text for n, text in enumerate(stream.chunks)}}
    if stream.facts:
        data["facts"] = _by_chunk(stream.facts)
    data["qas"] = {question.text: _qa(question) for question in stream.questions}
    return {"meta": {**meta, **stream.meta, **named}, "data": data}


def is_catch_all(option: str) -> bool:
    """Whether an option says that the question cannot be answered yet."""
    return option.strip().rstrip(".").casefold() in {text.casefold() for text in CATCH_ALLS}


def _qa(question: StreamQuestion) -> dict[str, Any]:
    qa: dict[str, Any] = {
        "question_id": question.id,
        "chunk_to_answer": {
            str(n): accepted[0] if question.options and len(accepted) == 1 else list(accepted)
            for n, accepted in enumerate(question.answers)
        },
    }
    if question.options:
        qa["options"] = list(question.options)
        qa["option_sources"] = {
            option: _by_chunk(found)
            for option, found in zip(question.options, _sources(question), strict=True)
            if found
        }
    if question.type != CHOICE:
        qa["question_type"] = _TYPES.get(question.type, question.type)
    return qa


def _sources(question: StreamQuestion) -> Sequence[Sequence[Evidence]]:
    """The passages of each option: those known, or the evidence of the intervals it is right at."""
    if question.sources:
        return question.sources
    found: dict[str, dict[Evidence, None]] = {option: {} for option in question.options}
    for accepted, evidence in zip(question.answers, question.evidence, strict=False):
        if evidence is not None and accepted[0] in found:
            found[accepted[0]][evidence] = None
    return [list(found[option]) for option in question.options]


def _by_chunk(pieces: Sequence[Evidence]) -> dict[str, list[str]]:
    chunks: dict[str, list[str]] = {}
    for piece in pieces:
        chunks.setdefault(str(piece.chunk), []).append(piece.text)
    return chunks


def from_oaks(data: Any, where: str) -> tuple[Stream, ...]:
    """The streams of an official array.

    Args:
        data: The parsed JSON.
        where: The file, for messages.

    Raises:
        DataError: It is laid out otherwise; names the document and the field.
    """
    if not isinstance(data, list):
        raise DataError("is no array of documents", where=where)
    streams = []
    for number, item in enumerate(data):
        try:
            streams.append(_stream(item))
        except DataError as error:
            raise DataError(
                f"document {number}: {error}",
                where=where,
                mend="The README of OAKS describes the form.",
            ) from None
    return tuple(streams)


def _stream(item: Any) -> Stream:
    meta = dict(_object(_object(item, "the document").get("meta"), "meta"))
    data = _object(item.get("data"), "data")
    if not isinstance(meta.get("bid"), str):
        raise DataError("meta has no text 'bid'")
    chunks = _numbered(data.get("chunks"), "chunks")
    base = min(chunks, default=0)
    if sorted(chunks) != list(range(base, base + len(chunks))) or base not in (0, 1):
        raise DataError("the numbers of 'chunks' have a gap, or do not start at 0")
    texts = [chunks[number] for number in sorted(chunks)]
    if not all(isinstance(text, str) for text in texts):
        raise DataError("'chunks' holds something that is no text")
    qas = _object(data.get("qas"), "qas")
    source = meta.pop("source") if meta.get("source") in SOURCES else "oaks"
    for name, value in (("num_chunks", len(texts)), ("num_qas", len(qas))):
        if meta.pop(name, value) != value:
            raise DataError(f"meta says another {name!r} than the {value} that there are")
    return Stream(
        meta.pop("bid"),
        tuple(texts),
        tuple(_question(text, _object(qa, text), len(texts), base) for text, qa in qas.items()),
        source,
        _pieces(data.get("facts", {}), "facts", base),
        {name: _scalar(value) for name, value in meta.items()},
    )


def _question(text: str, qa: Mapping[str, Any], chunks: int, base: int) -> StreamQuestion:
    if not isinstance(qa.get("question_id"), str):
        raise DataError(f"question {text!r} has no text 'question_id'")
    found = _numbered(qa.get("chunk_to_answer"), f"chunk_to_answer of {text!r}")
    missing = [n for n in range(base, base + chunks) if n not in found]
    if missing or len(found) != chunks:
        which = f"lacks chunk {missing[0]}" if missing else "has chunks that there are not"
        raise DataError(f"chunk_to_answer of {text!r} {which}")
    answers = shared(_accepted(found[n], text) for n in range(base, base + chunks))
    options = qa.get("options") or []
    if not isinstance(options, list) or not all(isinstance(option, str) for option in options):
        raise DataError(f"options of {text!r} are no list of texts")
    named = _object(qa.get("option_sources") or {}, f"option_sources of {text!r}")
    unknown = [option for option in named if option not in options]
    if unknown:
        raise DataError(f"option_sources of {text!r} has {unknown[0]!r}, which is no option")
    sources = tuple(
        _pieces(named.get(option, {}), f"option_sources of {text!r}", base) for option in options
    )
    catch_alls = [n for n, option in enumerate(options) if is_catch_all(option)]
    kind = qa.get("question_type") or CHOICE
    if not isinstance(kind, str):
        raise DataError(f"question_type of {text!r} is no text")
    return StreamQuestion(
        qa["question_id"],
        text,
        _TYPES_BACK.get(kind, kind),
        answers,
        _evidence(answers, options, sources) if any(sources) else (),
        tuple(options),
        catch_alls[0] if catch_alls else None,
        sources if any(sources) else (),
    )


def _accepted(value: Any, text: str) -> tuple[str, ...]:
    values = value if isinstance(value, list) else [value]
    if not values or not all(map(_is_plain, values)):
        raise DataError(f"chunk_to_answer of {text!r} has {value!r}, which is no answer")
    return tuple(str(item) for item in values)


def _evidence(
    answers: Sequence[tuple[str, ...]],
    options: Sequence[str],
    sources: Sequence[Sequence[Evidence]],
) -> tuple[Evidence | None, ...]:
    """For each interval the last passage so far for the option that is right there."""
    of = dict(zip(options, sources, strict=True))
    return tuple(
        next((e for e in reversed(of.get(accepted[0], ())) if e.chunk <= interval), None)
        for interval, accepted in enumerate(answers)
    )


def _pieces(value: Any, name: str, base: int) -> tuple[Evidence, ...]:
    pieces: list[Evidence] = []
    for number, texts in sorted(_numbered(value, name).items()):
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise DataError(f"{name} of chunk {number} is no list of texts")
        pieces += [Evidence(number - base, text) for text in texts]
    return tuple(pieces)


def _numbered(value: Any, name: str) -> dict[int, Any]:
    try:
        return {int(number): item for number, item in _object(value, name).items()}
    except ValueError:
        raise DataError(f"{name} has a key that is no number of a chunk") from None


def _object(value: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise DataError(f"{name!r} is missing or no object")
    return value


def _scalar(value: Any) -> str | int | float:
    """A value of `meta`; what is neither text nor finite number is kept as JSON text."""
    plain = _is_plain(value) and not isinstance(value, bool)
    return value if plain else json.dumps(value, ensure_ascii=False)


def _is_plain(value: Any) -> bool:
    """Whether a value is text, or a number that JSON can say."""
    return isinstance(value, str | int) or (isinstance(value, float) and isfinite(value))
