"""What a model drafted, read out of its replies however it wrote them."""

from __future__ import annotations

import re
from typing import Annotated, Any, NamedTuple

from pydantic import BeforeValidator, model_validator

from supersede.memories.replies import ReplyData, parsed, plain, sentence

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
    """The names in a reply, separated by | or one a line; twins and whole sentences are left out.

    Args:
        reply: All that the model wrote.
    """
    text = _LEAD.sub("", plain(reply), count=1)
    names: dict[str, str] = {}
    for piece in re.split(r"[|\n]", text):
        name = _EMPHASIS.sub("", _BULLET.sub("", piece))
        name = " ".join(name.split()).strip(" .,;:\"'\u201c\u201d\u2018\u2019")
        if 0 < len(name) <= _LONGEST_NAME and len(name.split()) <= _MOST_WORDS:
            names.setdefault(name.casefold(), name)
    return tuple(names.values())


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
