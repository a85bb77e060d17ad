"""From a reply to an answer, and from an answer to a verdict (O-021 to O-028).

Two steps that never mix. `read_reply` finds the one answer that a reply gives, or says why there
is none. `answer_key` holds what is right at each interval, and `canonical` brings both sides into
the form in which they are compared: by letter for multiple choice, otherwise by exact match.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from supersede.model.stream import QuestionType, Reply, StreamQuestion
from supersede.questions.normalise import NUMBER_WORDS, refuses, spoken

__all__ = [
    "SAME",
    "UNKNOWN",
    "AnswerKey",
    "ReadReply",
    "answer_key",
    "before_evidence",
    "canonical",
    "normalised",
    "read_reply",
]

UNKNOWN = "unknown"
"""Normal form of the answer that nothing supports an answer yet; the catch-all option too."""
SAME = "same"
"""Normal form of the answer that two things compare equal."""

_EARLY = {
    QuestionType.COUNTING.value: frozenset({UNKNOWN, "0"}),
    QuestionType.COMPARISON.value: frozenset({UNKNOWN, SAME}),
}
"""Answers that count as one another before there is evidence (O-026, O-027)."""

_ARTICLES = frozenset({"a", "an", "the"})
_BETWEEN_DIGITS = frozenset("./:")
_APART = frozenset(",;:=/|")
_MARKS = str.maketrans(
    {**dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"), "\u2044": "/"}
)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")

_MARKER = re.compile(
    r"(?:^[ \t>*_`\"'#\-\u2022]*(?:the[ \t]+)?(?:final[ \t]+)?|\#+[ \t*_`]*(?:final[ \t]+)?)"
    r"answer[ \t*_`\"']*[:\uff1a]",
    re.IGNORECASE,
)
"""In a line: `## Answer:` anywhere, or `Answer:` at its start, in whatever dress."""
_TOKEN = re.compile(r"<\|[^|>\n]*\|>|</?s>|<eos>|<end_of_turn>")
_LATEX = re.compile(r"\\(?:boxed|text|mathrm|mathbf)\s*\{([^{}]*)\}")
_NEXT_HEADING = re.compile(r"(?:^|\s)#+(?:\s.*)?$")
_DRESS = re.compile(r"[*_`\"'$\\]")
_LETTER = re.compile(
    r"[\s(\[{<]*(?:(?:option|choice|letter)\s*[(\[{<]*)?([A-Za-z])(?![\w'\u2019])", re.IGNORECASE
)
_AFTER_LETTER = re.compile(r"\s*[.)\]}>:;,=]|\s+-+\s")
_MORE_LETTERS = re.compile(r"[\W_]*(?:(?:or|and|[A-Z])\b[\W_]*)+")


class ReadReply(NamedTuple):
    """What a reply gives."""

    reply: Reply
    answer: str | None
    """The extracted answer, as the model wrote it; None unless `reply` is `answered`."""


class AnswerKey(NamedTuple):
    """What is right at each interval of one question, in canonical form."""

    truth: tuple[str, ...]
    """The annotated answers."""
    accepted: tuple[frozenset[str], ...]
    """Every answer that counts as right."""


def read_reply(question: StreamQuestion, completion: str) -> ReadReply:
    """The answer after the last `## Answer:` of a reply (O-021 to O-023).

    Thinking text is stripped first. The marker may lack its hashes at the start of a line; case,
    brackets and Markdown make no odds. The answer is the rest of its line, or the next line with
    text where that is empty; what follows is dropped. A reply without a marker, with nothing
    after the last one, or whose answer names no option of a multiple-choice question, is
    unparsable; one without a marker that declines to answer is refused.

    Args:
        question: The question that was asked.
        completion: All that the model wrote.
    """
    text = spoken(completion)
    rest = _after_marker(text)
    if rest is None:
        return ReadReply(Reply.REFUSED if refuses(text) else Reply.UNPARSABLE, None)
    answer = _line_after(rest)
    if canonical(question, answer) is None:
        return ReadReply(Reply.UNPARSABLE, None)
    return ReadReply(Reply.ANSWERED, answer)


def _after_marker(text: str) -> list[str] | None:
    """What follows the last marker, by line; None where there is none."""
    lines = text.split("\n")
    for n in range(len(lines) - 1, -1, -1):
        if "answer" not in lines[n].casefold():
            continue
        ends = [marker.end() for marker in _MARKER.finditer(lines[n])]
        if ends:
            return [lines[n][ends[-1] :], *lines[n + 1 :]]
    return None


def _line_after(lines: Sequence[str]) -> str:
    """The answer that stands behind a marker; empty where nothing does."""
    for line in lines:
        bare = _LATEX.sub(r"\1", _TOKEN.sub(" ", line))
        plain = _NEXT_HEADING.sub("", bare).strip(" \t\r*_`")
        if plain or bare.lstrip().startswith("#"):
            return plain
    return ""


def canonical(question: StreamQuestion, answer: str) -> str | None:
    """An answer in the form in which it is compared; None where it says nothing readable.

    Multiple choice: the capital letter of the option, or `unknown` for the catch-all; an answer
    that names no option, more than one, or a letter beyond them, is None (O-022, O-028).
    Counting: number words from zero to twenty become numerals (O-025). All others: `normalised`.
    """
    if question.options:
        return _option(question, answer)
    plain = normalised(answer)
    if question.type == QuestionType.COUNTING:
        plain = NUMBER_WORDS.get(plain, plain)
    return plain or None


@lru_cache(maxsize=65_536)
def normalised(text: str) -> str:
    """Text without what exact match ignores: case, spaces, punctuation, articles (O-024).

    Marks inside numbers stay (12.50, 3/4, 12:30, -3), so that no two numbers become one; the
    comma of thousands goes. Marks that part words (`,;:=/|`) are spaces, all others nothing. An
    article that stands alone stays.
    """
    plain = unicodedata.normalize("NFKC", text).casefold().translate(_MARKS)
    plain = _THOUSANDS.sub("", plain)
    words = "".join(_kept(plain, at) for at in range(len(plain))).split()
    return " ".join([word for word in words if word not in _ARTICLES] or words)


def _kept(text: str, at: int) -> str:
    """What is left of a character of a text."""
    mark, before = text[at], text[at - 1 : at]
    if unicodedata.category(mark)[0] not in "PS":
        return mark
    if text[at + 1 : at + 2].isdigit():
        sign = mark == "-" and not before.isalnum() and before != "-"
        if sign or (mark in _BETWEEN_DIGITS and before.isdigit()):
            return mark
    return " " if mark in _APART else ""


def _option(question: StreamQuestion, answer: str) -> str | None:
    """The option that an answer names by its letter."""
    plain = _DRESS.sub("", answer).strip()
    found = _LETTER.match(plain)
    if found is None:
        return None
    index = ord(found.group(1).upper()) - ord("A")
    rest = plain[found.end() :]
    if index >= len(question.options) or not _is_only_letter(rest, question.options[index]):
        return None
    return _letter(question, index)


def _is_only_letter(rest: str, option: str) -> bool:
    """Whether what follows a letter leaves it the one that was chosen."""
    if not rest.strip():
        return True
    if _MORE_LETTERS.fullmatch(rest):
        return False
    return _AFTER_LETTER.match(rest) is not None or normalised(rest) == normalised(option)


def _letter(question: StreamQuestion, index: int) -> str:
    return UNKNOWN if index == question.catch_all else chr(ord("A") + index)


def before_evidence(question: StreamQuestion, interval: int) -> bool:
    """Whether nothing supports an answer yet.

    Where the source knows the evidence, none stands at the interval; where it does not, the
    annotated answer is Unknown.
    """
    if question.evidence:
        return question.evidence[interval] is None
    return normalised(question.answers[interval][0]) == UNKNOWN


def answer_key(question: StreamQuestion) -> AnswerKey:
    """What is right at each interval.

    Before evidence, counting questions take Unknown for 0 and 0 for Unknown, and comparisons
    Unknown for Same and Same for Unknown; afterwards they differ (O-026, O-027).

    Raises:
        ValueError: An annotated answer is blank, or no option of the question.
    """
    truth, accepted = [], []
    early = _EARLY.get(question.type, frozenset()) if not question.options else frozenset()
    known: dict[tuple[str, ...], tuple[str, frozenset[str]]] = {}
    for interval, answers in enumerate(question.answers):
        if answers not in known:
            forms = [_annotated(question, answer) for answer in answers]
            known[answers] = (forms[0], frozenset(forms))
        first, right = known[answers]
        if right & early and before_evidence(question, interval):
            right |= early
        truth.append(first)
        accepted.append(right)
    return AnswerKey(tuple(truth), tuple(accepted))


def _annotated(question: StreamQuestion, answer: str) -> str:
    """An accepted answer in canonical form; options may stand as text or as letter."""
    if answer in question.options:
        return _letter(question, question.options.index(answer))
    form = canonical(question, answer)
    if form is None:
        raise ValueError(f"{answer!r} is no answer to {question.id!r}")
    return form
