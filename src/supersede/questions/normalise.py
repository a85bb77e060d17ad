"""Replies as a grader reads them: plain text, slots and values without their dress."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

_WORDS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen twenty
""".split()  # noqa: SIM905
NUMBER_WORDS = {word: str(number) for number, word in enumerate(_WORDS)}

_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_UNOPENED = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_ANCHOR = re.compile(r"^[\s>#\-*]*(?:the\s+)?(?:final\s+)?answer\s*(?:is\s*)?:\s*(.*)$", re.I)
_DRESS = str.maketrans(
    {
        "\u2212": "-",  # minus sign
        "\u2013": "-",  # en dash
        "\u2011": "-",  # hyphen that does not break
        "\u2019": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u00a0": " ",
        "\u202f": " ",
        "\uff1a": ":",
        "\uff1b": ";",
        "*": None,
        "`": None,
    }
)
_LATEX = re.compile(r"\\(?:boxed|text|mathrm|mathbf)\s*\{([^{}]*)\}")
_NUMBER = re.compile(
    r"(?<![\w.])[-+]?\s?[$€£¥]?\s?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:/\d+)?(?![\w.]*\d)"
)
_CURRENCY = re.compile(r"[$€£¥]")

REFUSALS = (
    "i cannot", "i can't", "i can not", "i am unable", "i'm unable", "unable to answer",
    "cannot be determined", "can't be determined", "cannot determine", "not enough information",
    "insufficient information", "i don't know", "i do not know", "as an ai", "i'm sorry, but",
    "i am sorry, but",
)  # fmt: skip


class Slot(NamedTuple):
    """One `slot = value` of a reply; the name is empty where only a value stands."""

    name: str
    value: str


def spoken(reply: str) -> str:
    """A reply without its thinking."""
    text = _THINKING.sub(" ", reply)
    if "</think" in text.lower():
        text = _UNOPENED.sub(" ", text)
    return text.strip()


def refuses(text: str) -> bool:
    """Whether a reply without an answer line declines to answer."""
    plain = text.translate(_DRESS).casefold()
    return any(phrase in plain for phrase in REFUSALS)


def answer_line(text: str) -> str | None:
    """What follows the last `Answer:` of a reply, lines that continue it included."""
    lines = [_undressed(line) for line in text.splitlines()]
    for n in range(len(lines) - 1, -1, -1):
        found = _ANCHOR.match(lines[n])
        if found is None:
            continue
        parts = [found.group(1).strip()]
        for line in lines[n + 1 :]:
            item = line.strip().lstrip("-•> ").strip()
            if not item or ("=" not in item and parts[0]):
                break
            parts.append(item)
        return "; ".join(part.rstrip(";") for part in parts if part)
    return None


def _undressed(line: str) -> str:
    line = _LATEX.sub(r"\1", line.translate(_DRESS))
    return line.replace("\\", "").replace("__", "").replace("$\\", "")


def slots(line: str) -> list[Slot]:
    """The slots of an answer line, in order."""
    found: list[Slot] = []
    for part in line.split(";"):
        piece = part.strip().strip("|").strip()
        if not piece:
            continue
        name, separator, value = piece.partition("=")
        if not separator:
            name, value = "", piece
        found.append(Slot(folded(name), value.strip()))
    return found


def folded(text: str) -> str:
    """A name as it is compared: case, quotes, articles, spaces and a full stop make no odds."""
    plain = " ".join(text.translate(_DRESS).casefold().split())
    plain = plain.strip(" \"'<>[]").rstrip(".").strip(" \"'<>[]")
    return plain.removeprefix("the ")


def number_in(text: str, words: Sequence[str]) -> Fraction | None:
    """The one number that a value states; None where it states none, or more than one.

    Args:
        text: The value.
        words: Words that may stand beside it: units, labels.
    """
    plain = text.translate(_DRESS).casefold().strip().rstrip(".")
    plain = re.sub(r"[a-z]+", lambda m: NUMBER_WORDS.get(m.group(), m.group()), plain)
    found = list(_NUMBER.finditer(plain))
    if len(found) != 1:
        return None
    rest = plain[: found[0].start()] + " " + plain[found[0].end() :]
    beside = re.findall(r"[^\W\d_]+", rest)
    if any(word not in words for word in beside) or re.search(r"[-+\d~<>/]", rest):
        return None
    digits = _CURRENCY.sub("", found[0].group()).replace(",", "").replace(" ", "")
    try:
        return Fraction(digits)
    except ZeroDivisionError:
        return None


def id_set(text: str) -> tuple[str, ...] | None:
    """The ids that a value lists, in any order, folded; empty for `none`, None for no list."""
    plain = folded(text.strip().strip("()[]{}"))
    if plain in ("none", "no records", "nothing", "-", "empty", "n/a"):
        return ()
    pieces = [folded(piece) for piece in re.split(r",|\band\b|&", plain)]
    pieces = [piece for piece in pieces if piece]
    return tuple(sorted(pieces)) if pieces and len(set(pieces)) == len(pieces) else None
