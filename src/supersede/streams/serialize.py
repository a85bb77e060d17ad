"""Streams as plain JSON data and back: the lines of our own files.

Answers stand one for each interval. Evidence repeats over many intervals, so a question lists each
piece once, under `support`, and gives its place in that list, or null, for each interval.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from supersede.errors import DataError
from supersede.model.stream import Evidence, Stream, StreamQuestion

SOURCES = ("babi", "novel", "world", "oaks")
"""What `Stream.source` may be."""


def stream_to_json(stream: Stream) -> dict[str, Any]:
    """A stream as plain JSON data."""
    return {
        "id": stream.id,
        "source": stream.source,
        "meta": dict(stream.meta),
        "chunks": list(stream.chunks),
        "facts": [_evidence_to_json(fact) for fact in stream.facts],
        "questions": [_question_to_json(question) for question in stream.questions],
    }


def stream_from_json(data: Mapping[str, Any]) -> Stream:
    """The stream in plain JSON data.

    Raises:
        DataError: A field is missing or of the wrong kind; names it.
    """
    source = text_of(data, "source")
    if source not in SOURCES:
        raise DataError(f"source={source!r} is none of {', '.join(SOURCES)}")
    return Stream(
        text_of(data, "id"),
        tuple(_texts(data, "chunks")),
        tuple(_question_from_json(item) for item in _objects(data, "questions")),
        source,
        tuple(_evidence_from_json(item) for item in _objects(data, "facts")),
        _meta(data.get("meta", {})),
    )


def text_of(data: Mapping[str, Any], name: str) -> str:
    """A field that must be a text.

    Raises:
        DataError: It is missing or something else.
    """
    value = data.get(name)
    if not isinstance(value, str):
        raise DataError(f"{name!r} is {'missing' if name not in data else 'no text'}")
    return value


def shared(answers: Iterable[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """The same answers, with one object for equal ones: a stream repeats few over and over."""
    known: dict[tuple[str, ...], tuple[str, ...]] = {}
    return tuple(known.setdefault(answer, answer) for answer in answers)


def _question_to_json(question: StreamQuestion) -> dict[str, Any]:
    support: dict[Evidence, int] = {}
    places = [
        None if evidence is None else support.setdefault(evidence, len(support))
        for evidence in question.evidence
    ]
    data: dict[str, Any] = {
        "id": question.id,
        "text": question.text,
        "type": question.type,
        "answers": [list(accepted) for accepted in question.answers],
        "support": [_evidence_to_json(evidence) for evidence in support],
        "evidence": places,
    }
    if question.options:
        data["options"] = list(question.options)
        data["catch_all"] = question.catch_all
        data["sources"] = [[_evidence_to_json(e) for e in found] for found in question.sources]
    return data


def _question_from_json(data: Mapping[str, Any]) -> StreamQuestion:
    support = [_evidence_from_json(item) for item in _objects(data, "support")]
    places = _list(data, "evidence")
    for place in places:
        if place is not None and not (isinstance(place, int) and 0 <= place < len(support)):
            raise DataError(f"'evidence' has {place!r}, which is no place in 'support'")
    answers = _list(data, "answers")
    for accepted in answers:
        if not isinstance(accepted, list) or not all(isinstance(text, str) for text in accepted):
            raise DataError(f"'answers' has {accepted!r}, which is no list of texts")
    catch_all = data.get("catch_all")
    if catch_all is not None and not isinstance(catch_all, int):
        raise DataError(f"'catch_all' is {catch_all!r}, no index of an option")
    return StreamQuestion(
        text_of(data, "id"),
        text_of(data, "text"),
        text_of(data, "type"),
        shared(tuple(accepted) for accepted in answers),
        tuple(None if place is None else support[place] for place in places),
        tuple(_texts(data, "options")),
        catch_all,
        tuple(tuple(map(_evidence_from_json, found)) for found in _list(data, "sources")),
    )


def _evidence_to_json(evidence: Evidence) -> dict[str, Any]:
    return {"chunk": evidence.chunk, "text": evidence.text}


def _evidence_from_json(data: Any) -> Evidence:
    if not isinstance(data, dict) or not isinstance(data.get("chunk"), int):
        raise DataError(f"{data!r} is no piece of evidence: it needs 'chunk' and 'text'")
    return Evidence(data["chunk"], text_of(data, "text"))


def _meta(data: Any) -> dict[str, str | int | float]:
    if not isinstance(data, dict):
        raise DataError("'meta' is no object")
    for name, value in data.items():
        if not isinstance(value, str | int | float):
            raise DataError(f"'meta' has {name!r} with {value!r}, neither text nor number")
    return data


def _list(data: Mapping[str, Any], name: str) -> list[Any]:
    value = data.get(name, [])
    if not isinstance(value, list):
        raise DataError(f"{name!r} is no list")
    return value


def _texts(data: Mapping[str, Any], name: str) -> list[str]:
    values = _list(data, name)
    if not all(isinstance(value, str) for value in values):
        raise DataError(f"{name!r} is no list of texts")
    return values


def _objects(data: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    values = _list(data, name)
    if not all(isinstance(value, dict) for value in values):
        raise DataError(f"{name!r} is no list of objects")
    return values
