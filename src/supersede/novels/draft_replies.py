"""What a model drafted, read out of its replies however it wrote them."""

from __future__ import annotations

import re
from typing import Annotated, Any, NamedTuple

from pydantic import BeforeValidator, model_validator

from supersede.memories.replies import ReplyData, parsed, plain
from supersede.memories.replies import sentence as line
from supersede.novels.typed import tidy

__all__ = ["Drafted", "entities_of", "questions_of"]

_LONGEST_NAME = 60
_MOST_WORDS = 7
_BULLET = re.compile(r"^\s*(?:[-*•]|\(?\d{1,3}[.):])\s+")
_EMPHASIS = re.compile(r"[*_]{1,2}")
_LEAD = re.compile(r"^[^|\n]{0,80}:\s*(?=[^|\n]+\|)")
"""Words before a line of names: `Here they are: Anna | Tom`."""


class GivenAnswer(NamedTuple):
    """One answer as the model gave it."""

    answer: str
    source: str


class Drafted(NamedTuple):
    """One question as the model gave it."""

    text: str
    """Empty where it gave none."""
    answers: tuple[GivenAnswer, ...]


def entities_of(reply: str) -> tuple[str, ...]:
    """The names in a reply; twins and whole sentences are left out.

    They stand apart by |, one a line, in a list of JSON or, where there are three or more in one
    line, by commas.

    Args:
        reply: All that the model wrote.
    """
    said = plain(tidy(reply)).strip()
    listed = parsed(said, _Names) if said[:1] in ("[", "{") else None
    text = "|".join(listed.names) if listed else _LEAD.sub("", said, count=1)
    if not re.search(r"[|\n]", text) and text.count(",") > 1:
        text = text.replace(",", "|")
    names: dict[str, str] = {}
    for piece in re.split(r"[|\n]", text):
        name = _EMPHASIS.sub("", _BULLET.sub("", piece))
        name = " ".join(name.split()).strip(" .,;:\"'\u201c\u201d\u2018\u2019")
        if 0 < len(name) <= _LONGEST_NAME and len(name.split()) <= _MOST_WORDS:
            names.setdefault(name.casefold(), name)
    return tuple(names.values())


def sentence(given: Any) -> str:
    """A text in one line, without control signs; empty where it is none."""
    return line(tidy(given) if isinstance(given, str) else given)


def _answers(given: Any) -> tuple[GivenAnswer, ...]:
    """Answers from a list; one that is text alone has no source."""
    if not isinstance(given, list | tuple):
        return ()
    found = [
        GivenAnswer(sentence(one.get("answer")), sentence(one.get("source")))
        if isinstance(one, dict)
        else GivenAnswer(sentence(one), "")
        for one in given
    ]
    return tuple(one for one in found if one.answer or one.source)


def _questions(given: Any) -> tuple[Drafted, ...]:
    if not isinstance(given, list | tuple):
        raise ValueError("no list")  # the reply is of another form
    return tuple(
        Drafted(sentence(one.get("question")), _answers(one.get("answers")))
        if isinstance(one, dict)
        else Drafted(sentence(one), ())
        for one in given
    )


def _names(given: Any) -> tuple[str, ...]:
    if not isinstance(given, list | tuple) or not all(isinstance(one, str) for one in given):
        raise ValueError("no list of names")  # the reply is of another form
    return tuple(map(tidy, given))


class _Names(ReplyData):
    """Names as JSON, which was not asked for and is given all the same."""

    names: Annotated[tuple[str, ...], BeforeValidator(_names)]


class _Reply(ReplyData):
    questions: Annotated[tuple[Drafted, ...], BeforeValidator(_questions)]

    @model_validator(mode="before")
    @classmethod
    def _alone(cls, data: Any) -> Any:
        """One question without a list around it is a list of one."""
        if isinstance(data, dict) and "questions" not in data and "question" in data:
            return {"questions": [data]}
        return data


def questions_of(reply: str) -> tuple[Drafted, ...] | None:
    """The questions in a reply; None where it is of no such form.

    Args:
        reply: All that the model wrote.
    """
    found = parsed(reply, _Reply)
    return None if found is None else found.questions
