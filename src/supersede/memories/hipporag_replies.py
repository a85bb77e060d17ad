"""What the model of `hipporag` replies, read: names, triples, and which facts it kept."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Annotated, Any

from pydantic import BeforeValidator

from supersede.memories.hipporag_graph import Triple
from supersede.memories.replies import ReplyData, words

_LONGEST = 200
"""Characters of a phrase; what is longer is no phrase."""
_CLOSE = 0.6
"""Likeness from which a fact in a reply stands for one that was given; 1 is the same text."""
_NOT_ASCII = re.compile("[^a-z0-9 ]")


def normalised(phrase: str, *, ascii_only: bool = False) -> str:
    """A phrase as the graph knows it: lower case, letters and digits, one space between words.

    Args:
        phrase: Any text.
        ascii_only: Whether letters beyond a to z count as spaces, as in the published code.
    """
    phrase = unicodedata.normalize("NFC", phrase).lower()
    if ascii_only:
        return _NOT_ASCII.sub(" ", phrase).strip()
    # Marks belong to letters: without them, words of many scripts fall apart.
    kept = (one if one.isalnum() or unicodedata.category(one)[0] == "M" else " " for one in phrase)
    return " ".join("".join(kept).split())


def _names(given: Any) -> tuple[str, ...]:
    if not isinstance(given, list | str):
        raise ValueError("names are no list")
    found = tuple(name for name in words(given) if len(name) <= _LONGEST)
    if given and not found:
        raise ValueError("no name among the names")
    return found


def _parts(given: Any) -> Triple | None:
    """Three parts as they were written; None where they are not three."""
    if isinstance(given, dict):
        given = list(given.values())
    if not isinstance(given, list) or len(given) != 3:
        return None
    if not all(isinstance(one, str | int | float) and not isinstance(one, bool) for one in given):
        return None
    parts = [" ".join(str(one).split()) for one in given]
    return Triple(*parts) if all(0 < len(one) <= _LONGEST for one in parts) else None


def _rows(given: Any) -> tuple[Triple | None, ...]:
    if not isinstance(given, list):
        raise ValueError("triples are no list")
    found = tuple(_parts(one) for one in given)
    if found and not any(found):
        raise ValueError("no triple among the triples")
    return found


def _texts(given: Any) -> tuple[str, ...]:
    if not isinstance(given, list):
        raise ValueError("facts are no list")
    found = [one if isinstance(one, str) else " ".join(_parts(one) or ()) for one in given]
    texts = tuple(text[: 3 * _LONGEST] for one in found if (text := normalised(one)))
    if given and not texts:
        raise ValueError("no fact among the facts")
    return texts


class Names(ReplyData):
    """Names in a passage."""

    names: Annotated[tuple[str, ...], BeforeValidator(_names)]


class Triples(ReplyData):
    """Facts of a passage; None stands for what is no triple."""

    triples: Annotated[tuple[Triple | None, ...], BeforeValidator(_rows)]


class Kept(ReplyData):
    """Facts that help with a question, as texts."""

    facts: Annotated[tuple[str, ...], BeforeValidator(_texts)]


def usable(rows: Sequence[Triple | None], *, ascii_only: bool = False) -> tuple[Triple, ...]:
    """Triples in the graph's phrases, without twins; those that name nothing are left out.

    What differs in its writing only counts twice, as in the published code.
    """
    found = []
    for row in dict.fromkeys(rows):
        if row is not None:
            triple = Triple(*(normalised(part, ascii_only=ascii_only) for part in row))
            if triple.subject and triple.object:
                found.append(triple)
    return tuple(found)


def chosen(texts: Sequence[str], given: Sequence[Triple]) -> tuple[tuple[int, ...], int]:
    """Which of the given facts a reply means.

    Args:
        texts: Facts of a reply.
        given: Those that it was to choose from.

    Returns:
        Places of facts in `given`, in order, and how many texts are none of them.
    """
    known = [normalised(one.text) for one in given]
    kept: set[int] = set()
    unknown = 0
    for text in texts:
        if text in known:
            kept.add(known.index(text))
            continue
        likeness = [SequenceMatcher(None, text, one, autojunk=False).ratio() for one in known]
        best = max(likeness, default=0.0)
        if best < _CLOSE:
            unknown += 1
        else:
            kept.add(likeness.index(best))
    return tuple(sorted(kept)), unknown
