"""What the state store asks its model at each chunk, and what it reads from the reply."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator, model_validator

from supersede.memories.replies import ReplyData, Sentence, sentence
from supersede.model.instance import Message

_SYSTEM = """\
You keep a table of what holds in a text that arrives piece by piece. Each row is one fact: its \
key says of whom or what and which property, as in "Odile / place"; its value says what holds now.

You are shown rows of the table and the next piece of the text. Give the rows that the piece \
changes:
- A fact that is new or has a new value: key, value, and as source the sentence of the piece that \
says so, word for word.
- A fact that no longer holds and has no new value: its key with the value null.
Where a row of the table is about the same fact, use its key. Leave out what the piece does not \
change. Where something changes more than once in the piece, give what it comes to in the end; of \
something that is counted, give the new total.

Reply with JSON alone, like this:
{"rows": [{"key": "Odile / place", "value": "lighthouse", "source": "Odile went on to the \
lighthouse."}, {"key": "Odile / companion", "value": null, "source": "Bram stayed behind."}]}
If nothing changes: {"rows": []}"""
_TABLE = "# Table\n"
_PIECE = "\n\n# Next piece\n"
_ASK = "\n\n# Rows that it changes"
NO_ROWS = "(no rows yet)"
_ENDED = frozenset({"null", "none", "nil"})


def state_prompt(preamble: str, rows: Sequence[str], chunk: str) -> tuple[Message, Message]:
    """What is asked at each chunk.

    Args:
        preamble: What a reader must know of the text beforehand.
        rows: Rows that may matter, one line each.
        chunk: The chunk.
    """
    rules = f"{_SYSTEM}\n\nAbout the text\n{preamble}" if preamble else _SYSTEM
    table = "\n".join(rows) or NO_ROWS
    return Message("system", rules), Message("user", _TABLE + table + _PIECE + chunk + _ASK)


def _value(given: Any) -> str | None:
    """A value as text; None where the fact is ended, empty where it is nothing to be read."""
    if given is None or (isinstance(given, str) and given.strip().casefold() in _ENDED):
        return None
    if isinstance(given, bool):
        return "yes" if given else "no"
    if isinstance(given, int | float):
        return str(given) if math.isfinite(given) else ""
    return sentence(given)


def _changes(given: Any) -> Any:
    """Rows as a list of objects; what is none becomes a row without a key, to be counted."""
    if isinstance(given, dict):
        given = [{"key": key, "value": value} for key, value in given.items()]
    if not isinstance(given, list):
        return given
    return [_change(one) for one in given]


def _change(given: Any) -> Any:
    if isinstance(given, list) and len(given) > 1:
        return dict(zip(("key", "value", "source"), given, strict=False))
    return given if isinstance(given, dict) else {}


class Change(ReplyData):
    """A row to set, or to end."""

    key: Sentence = ""
    value: Annotated[str | None, BeforeValidator(_value)] = ""
    source: Sentence = ""


class Changes(ReplyData):
    """What a chunk changes."""

    rows: Annotated[tuple[Change, ...], BeforeValidator(_changes)]

    @model_validator(mode="before")
    @classmethod
    def _row_alone(cls, data: Any) -> Any:
        """One row that stands without its list."""
        return (
            {"rows": [data]} if isinstance(data, dict) and {"key", "value"} <= set(data) else data
        )


_QUOTES = str.maketrans("\u201c\u201d\u2018\u2019", "\"\"''")


def occurs(quote: str, chunk: str) -> bool:
    """Whether a quotation stands in a chunk: at least two whole words, one after the other.

    Line breaks, and whether quotation marks are straight, make no difference.
    """
    plain = _plain(quote)
    if len(plain.split()) < 2:
        return False
    return re.search(rf"(?<!\w){re.escape(plain)}(?!\w)", _plain(chunk)) is not None


def _plain(text: str) -> str:
    return " ".join(text.translate(_QUOTES).split())


_ROW = re.compile(r"^- (.+?): .*$", re.M)


def piece_of(asked: str) -> str:
    """The piece of the text that a prompt shows."""
    return asked.partition(_PIECE)[2].removesuffix(_ASK)


def names_shown(asked: str) -> list[str]:
    """The names of the facts that a prompt shows."""
    return _ROW.findall(asked.partition(_PIECE)[0])


_SENTENCE = re.compile(r"[^.!?\n]*\w[^.!?\n]*[.!?]*")
_SHARE, _MOST, _WORDS = 4, 16, 30


def rehearsed(messages: Sequence[Message]) -> str:
    """A reply of common length: a row for every fourth sentence of the piece, from 1 to 16."""
    piece = piece_of(messages[-1].content)
    found = [one.split()[:_WORDS] for one in _SENTENCE.findall(piece)]
    said = found[-min(_MOST, max(1, len(found) // _SHARE)) :]
    rows = [
        {"key": f"{one[0]} / state", "value": one[-1].strip(".!?"), "source": " ".join(one)}
        for one in said
    ]
    return json.dumps({"rows": rows})
