"""Replies as a grader reads them: plain text, slots and values without their dress.

Everything here takes time in proportion to the reply, and nothing raises, whatever it holds.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterator
from fractions import Fraction
from typing import NamedTuple

from supersede.model.text import fold, plain

_WORDS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen twenty
""".split()  # noqa: SIM905
NUMBER_WORDS = {word: str(number) for number, word in enumerate(_WORDS)}

ANSWERS = 256
"""How many of the last answer lines of a reply are looked at."""
LONGEST = 100_000
"""How many characters behind `Answer:` are looked at."""
_LONGEST_LEAD = 200
_LONGEST_FENCE = 40
_LONGEST_NUMBER = 400
"""Digits beyond which a number is no answer; it also bounds what a fraction costs."""

_THINK = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)
_ANSWER = re.compile(r"answer[ \t*_`]{0,8}(?:is[ \t*_`]{0,8})?[:\uff1a][*_`]{0,8}", re.IGNORECASE)
_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_LEAD = re.compile(
    r"[\s>#\-+*_`|\u2022\[({\"'$\\]{0,40}(?:\d{1,3}[.)]\s)?[\s>*_`|]{0,40}(?:boxed\{|text\{)?"
    r"(?:(?:the|my)\s{1,9})?(?:final\s{1,9}|correct\s{1,9})?[*_`]{0,4}",
    re.IGNORECASE,
)
_LATEX = re.compile(r"\\(?:boxed|text|textbf|mathrm|mathbf|mathit|fbox)\s?\{([^{}]*)\}")
_BULLET = re.compile(r"(?:[\s>|\-\u2022+]|\d{1,3}[.)]\s)*")
_FENCE = re.compile(r"\s*(?:`{3}\w*|~{3}\w*|\$\$|\\\[|\\\]|\|[\s|:\-]*)?\s*")
_PAIRS = ("<>", "[]", "()", "{}", '""', "''", "$$", "||", "__")
_BAR = re.compile(r"\|(?=[^|=]*=)")

_GAP = "[ \u00a0\u2009\u202f]"
_NUMBER = re.compile(
    rf"(?<![\w.])[-+]?\s?(?:(?P<sign>[$\u20ac\u00a3\u00a5])\s?)?[-+]?"
    rf"(?P<whole>\d{{1,3}}(?:,\d{{3}})+(?!\d)|\d{{1,3}}(?:{_GAP}\d{{3}})+(?!\d)|\d+|(?=\.\d))"
    r"(?P<rest>(?:\.\d+)?(?:e[-+]?\d{1,3}(?!\d))?(?:/\d+)?)(?![\w.]*\d)"
)
_MINUS = re.compile(r"(?<!\w)(?:minus|negative)\s+(?=[$\u20ac\u00a3\u00a5]?\s?[\d.])")
_LETTERS = re.compile(r"[^\W\d_]+")

REFUSALS = (
    "i cannot", "i can't", "i can not", "i am unable", "i'm unable", "unable to answer",
    "cannot be determined", "can't be determined", "cannot determine", "not enough information",
    "insufficient information", "i don't know", "i do not know", "as an ai", "i'm sorry, but",
    "i am sorry, but",
)  # fmt: skip
_OPENING = re.compile(
    r"\A(?:sorry,? )?(?:but )?(?:it |this |that |the answer |answer |the value )?"
)
_NO_ANSWER = re.compile(
    r"(?:is |are )?(?:unknown|undetermined|undeterminable|indeterminate|not known|"
    r"not determinable|unanswerable|n/?a|n\.a|not available|not possible to .*|idk|\?+)"
)


class Slot(NamedTuple):
    """One `slot = value` of a reply; the name is empty where only a value stands."""

    name: str
    value: str


def spoken(reply: str) -> str:
    """A reply without its thinking."""
    pieces: list[str] = []
    start, inside = 0, False
    for tag in _THINK.finditer(reply):
        if not tag[1]:
            if not inside:
                pieces.append(reply[start : tag.start()])
                inside = True
        else:
            if not inside:
                pieces.clear()
            start, inside = tag.end(), False
    if not inside:
        pieces.append(reply[start:])
    return " ".join(pieces).strip()


def refuses(text: str) -> bool:
    """Whether a text declines to answer, in so many words."""
    said = text.replace("\u2019", "'").replace("*", "").lower()
    return any(phrase in said for phrase in REFUSALS)


def declines(value: str) -> bool:
    """Whether the value of a slot declines to give one: `unknown`, `n/a`, `I do not know`."""
    said = _OPENING.sub("", fold(value[:_LONGEST_LEAD]), count=1)
    return said.startswith(REFUSALS) or _NO_ANSWER.fullmatch(said) is not None


def answer_lines(text: str) -> Iterator[str]:
    """What follows each `Answer:` of a reply, the last one first."""
    end = len(text)
    for found in reversed(deque(_ANSWER.finditer(text), ANSWERS)):
        lead = re.split(f"[{_BREAKS}]", text[max(0, found.start() - _LONGEST_LEAD) : found.start()])
        if len(lead[-1]) < _LONGEST_LEAD and _LEAD.fullmatch(lead[-1]):
            yield _continued(text[found.end() : min(end, found.end() + LONGEST)].splitlines())
            end = found.start()


def answer_line(text: str) -> str | None:
    """What follows the last `Answer:` of a reply, lines that continue it included."""
    return next(answer_lines(text), None)


def _continued(lines: list[str]) -> str:
    """The line behind `Answer:`, and the lines that go on with its slots."""
    parts: list[str] = []
    bare = not lines or not lines[0].strip()
    for n, line in enumerate(lines):
        if len(line) <= _LONGEST_FENCE and _FENCE.fullmatch(line):
            if parts:
                break
            continue
        item = _undressed(line).strip()
        if n:
            item = item[_match_end(_BULLET, item) :].strip()
        if parts and "=" not in item and not bare:
            break
        bare = bare and "=" not in item
        if item:
            parts.append(item)
    return "; ".join(part.rstrip("; ") for part in parts)


def _match_end(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.match(text)
    return found.end() if found else 0


def _undressed(line: str) -> str:
    for _ in range(3):
        bare = _LATEX.sub(r"\1", line)
        if bare == line:
            break
        line = bare
    for sign in ("\\(", "\\)", "\\[", "\\]"):
        line = line.replace(sign, "")
    line = line.replace("{,}", ",").replace("\\,", " ").replace("\\", "").replace("__", "")
    return plain(line)


def slots(line: str) -> list[Slot]:
    """The slots of an answer line, in order."""
    found: list[Slot] = []
    for part in _parts(line):
        piece = unwrapped(part.strip().strip("|"))
        if not piece:
            continue
        name, separator, value = piece.partition("=")
        if not separator:
            name, value = "", piece
        found.append(Slot(fold(name), unwrapped(value)))
    return found


def _parts(line: str) -> list[str]:
    bare = unwrapped(line)
    parts = bare.split(";")
    return _BAR.split(bare) if len(parts) == 1 and bare.count("=") > 1 else parts


def unwrapped(text: str) -> str:
    """A text without the pairs of brackets, quotes or signs around the whole of it."""
    bare = text.strip()
    for _ in range(8):
        if len(bare) < 2 or bare[0] + bare[-1] not in _PAIRS:
            break
        inner = bare[1:-1]
        if bare[0] in inner or bare[-1] in inner:
            break
        bare = inner.strip()
    return bare


def number_in(text: str, words: Collection[str]) -> Fraction | None:
    """The one number that a value states; None where it states none, or more than one.

    Args:
        text: The value.
        words: Words and signs that may stand beside it: its unit, its label.
    """
    if len(text) > 4 * _LONGEST_NUMBER:
        return None
    said = plain(unwrapped(text)).casefold().rstrip(" .")
    said = _LETTERS.sub(lambda m: NUMBER_WORDS.get(m.group(), m.group()), said)
    said = f" {_MINUS.sub('-', said)} "
    found = list(_NUMBER.finditer(said))
    if len(found) != 1 or not _only(said[: found[0].start()] + " " + said[found[0].end() :], words):
        return None
    if found[0]["sign"] is not None and found[0]["sign"] not in words:
        return None
    return _fraction(found[0])


def _only(rest: str, words: Collection[str]) -> bool:
    """Whether what stands beside a number is nothing but words and signs that may."""
    if any(word not in words for word in _LETTERS.findall(rest)):
        return False
    signs = {sign for sign in rest if not sign.isspace() and not sign.isalpha()}
    return all(sign in words or sign in ".,:'\"()[]{}_|!" for sign in signs)


def _fraction(found: re.Match[str]) -> Fraction | None:
    before = found.group()[: found.start("whole") - found.start()]
    signs = before.count("-") + before.count("+")
    whole = re.sub(f"{_GAP}|,", "", found["whole"])
    if signs > 1 or len(whole) + len(found["rest"]) > _LONGEST_NUMBER:
        return None
    number, _, below = found["rest"].partition("/")
    try:
        exact = Fraction(f"{whole or '0'}{number}") / (int(below) if below else 1)
    except ZeroDivisionError:
        return None
    return -exact if "-" in before else exact


def id_set(text: str) -> tuple[str, ...] | None:
    """The ids that a value lists, in any order, folded; empty for `none`, None for no list."""
    listed = fold(unwrapped(text).strip("()[]{}"))
    if listed in ("none", "no records", "nothing", "-", "empty", "n/a"):
        return ()
    pieces = [fold(piece) for piece in re.split(r",|\band\b|&", listed)]
    pieces = [piece for piece in pieces if piece]
    return tuple(sorted(pieces)) if pieces and len(set(pieces)) == len(pieces) else None
