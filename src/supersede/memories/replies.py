"""What a model wrote for a memory, made usable: thinking and fences off, JSON mended and checked.

Nothing that a model writes is ever evaluated as code. What cannot be read is None, and whoever
asked says what it does then.
"""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, TypeVar

import json_repair
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from supersede.model.text import whole

_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.I)
_END_OF_THINKING = re.compile(r"^.*</think(?:ing)?>", re.DOTALL | re.I)
_FENCE = re.compile(r"```[\w-]*[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_LONGEST = 200_000
"""Characters of a reply that are looked at."""
_LONGEST_MENDED = 16_000
"""Of a text that is no JSON as it stands: to mend one may take the square of its length."""
_SEPARATORS = re.compile(r"[,;\n|]")


class ReplyData(BaseModel):
    """Base of what a memory reads from a reply: unknown keys are left alone."""

    model_config = ConfigDict(frozen=True, extra="ignore")


Data = TypeVar("Data", bound=ReplyData)


def plain(text: str) -> str:
    """A reply without its thinking, and out of its fence where all of it stands in one."""
    text = _END_OF_THINKING.sub("", _THINKING.sub("", text[:_LONGEST])).strip()
    fenced = _FENCE.match(text)
    return fenced[1].strip() if fenced else text


def parsed(text: str, schema: type[Data]) -> Data | None:
    """What a reply says; None where it holds no JSON of that form.

    Fences, prose around it, single quotes, trailing commas and a cut end are mended. An array
    where an object is wanted stands for the object's only field.

    Args:
        text: The reply.
        schema: The form, with validators as forgiving as the memory can be.
    """
    text = plain(text)
    found = max((match[1] for match in _FENCE.finditer(text)), key=len, default=text)
    start = re.search(r"[{\[]", found)
    if start is None:
        return None
    try:
        data = _loaded(whole(found[start.start() :]))
    except (ValueError, RecursionError):
        return None
    if isinstance(data, list):
        objects = [one for one in data if isinstance(one, dict)]
        known = schema.model_fields
        if len(known) == 1 and not any(known.keys() & one.keys() for one in objects):
            data = {next(iter(known)): data}
        elif objects:
            data = objects[0]
    try:
        return schema.model_validate(data)
    except ValidationError:
        return None


def _loaded(text: str) -> Any:
    """JSON, mended where it must be; halves of surrogate pairs that it spells are `?`.

    Raises:
        ValueError: It cannot be read.
        RecursionError: It is nested too deeply.
    """
    if len(text) > _LONGEST_MENDED:
        try:
            data: Any = json.loads(text)
        except ValueError:
            data = json_repair.loads(text[:_LONGEST_MENDED])
    else:
        data = json_repair.loads(text)
    return json.loads(whole(json.dumps(data, ensure_ascii=False)))


def words(given: Any) -> tuple[str, ...]:
    """Phrases from a list, or from text with commas; what is no text is dropped, and twins are."""
    if isinstance(given, str):
        given = _SEPARATORS.split(given)
    if not isinstance(given, list | tuple):
        return ()
    found = (" ".join(one.split()).strip("\"'") for one in given if isinstance(one, str))
    return tuple(dict.fromkeys(one for one in found if one))


def sentence(given: Any) -> str:
    """A text in one line; empty where it is none."""
    return " ".join(given.split()) if isinstance(given, str) else ""


Words = Annotated[tuple[str, ...], BeforeValidator(words)]
"""A field of phrases, read forgivingly."""
Sentence = Annotated[str, BeforeValidator(sentence)]
"""A field of text, read forgivingly."""
