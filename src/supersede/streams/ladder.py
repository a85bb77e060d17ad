"""Fake predictors whose scores are known beforehand: they test the metrics and anchor a table.

Each is a pure function of a stream, and sees no more of it than its description says. A model that
does not beat the ones that know nothing has understood nothing; a metric that ranks them wrongly
is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import fsum, nan

from supersede.model.stream import Prediction, Reply, Stream, StreamQuestion
from supersede.streams.matching import SAME, UNKNOWN, AnswerKey, answer_key, canonical, normalised
from supersede.worlds.streams import pick, stream

__all__ = [
    "LADDER",
    "Predictor",
    "flip_flop",
    "frozen",
    "guessing_accuracy",
    "last_mention",
    "oracle",
    "random_guess",
    "stale_by_one",
    "unknown",
]

Predictor = Callable[[Stream], tuple[Prediction, ...]]
"""A fake model: one prediction for every question and interval, interval by interval."""

_NOWHERE = "no such answer"
"""Said where a wrong answer is wanted and the question has no other."""


def oracle(given: Stream) -> tuple[Prediction, ...]:
    """The annotated answer: accuracy 1, AL = DS = PM = 0, only adaptability and stability."""
    return _predictions(given, lambda question, key: _annotated(question))


def stale_by_one(given: Stream) -> tuple[Prediction, ...]:
    """The annotated answer of the interval before; Unknown at the first.

    Wrong once after every change, and at the start unless that is Unknown: AL gets one interval
    for each phase longer than one, PM each phase of one interval, DS nothing (where no two
    neighbouring phases accept one another's answer).
    """
    return _predictions(
        given, lambda question, key: [_unknown(question), *_annotated(question)[:-1]]
    )


def frozen(given: Stream) -> tuple[Prediction, ...]:
    """The first known answer, kept for ever; Unknown until then. Never late, never distracted."""

    def answers(question: StreamQuestion, key: AnswerKey) -> list[str]:
        known = [t for t, truth in enumerate(key.truth) if truth != UNKNOWN]
        if not known:
            return [_unknown(question)] * len(key.truth)
        first = _annotated(question)[known[0]]
        return [_unknown(question) if t < known[0] else first for t in range(len(key.truth))]

    return _predictions(given, answers)


def last_mention(given: Stream) -> tuple[Prediction, ...]:
    """The answer of the question that the text so far mentions last; Unknown before any.

    Candidates are all the answers that the question ever has, or its options, but Unknown and
    Same; whole words, in any case. Where two end at one place, the longer one. It reads the
    revealed chunks and no evidence: the shortcut that an evolving world is made to defeat.
    """
    chunks = [chunk.casefold() for chunk in given.chunks]

    def answers(question: StreamQuestion, key: AnswerKey) -> list[str]:
        said, latest = [], _unknown(question)
        candidates = _candidates(question)
        for chunk in chunks[: len(key.truth)]:
            latest = _last_in(chunk, candidates) or latest
            said.append(latest)
        return said

    return _predictions(given, answers)


def random_guess(given: Stream, seed: int = 0) -> tuple[Prediction, ...]:
    """One of the options, or of the answers that the question ever has, all as likely.

    Args:
        given: The stream.
        seed: Another seed, other guesses.
    """

    def answers(question: StreamQuestion, key: AnswerKey) -> list[str]:
        draw = stream(f"random/{seed}/{given.id}", question.id)
        choices = _choices(question)
        return [pick(draw, choices) for _ in key.truth]

    return _predictions(given, answers)


def unknown(given: Stream) -> tuple[Prediction, ...]:
    """Unknown, or the catch-all, always: right before the first evidence and never after."""
    return _predictions(given, lambda question, key: [_unknown(question)] * len(key.truth))


def flip_flop(given: Stream) -> tuple[Prediction, ...]:
    """The annotated answer at even intervals, a wrong one at odd ones.

    The wrong one is the first other answer of the question. Accuracy is the share of even
    intervals; the errors are late where a phase begins at an odd interval, else distracted, and
    an odd phase of one interval is missed.
    """

    def answers(question: StreamQuestion, key: AnswerKey) -> list[str]:
        right = _annotated(question)
        others = [*_choices(question), _unknown(question), _NOWHERE]
        return [
            right[t]
            if t % 2 == 0
            else next(o for o in others if canonical(question, o) not in accepted)
            for t, accepted in enumerate(key.accepted)
        ]

    return _predictions(given, answers)


LADDER: Mapping[str, Predictor] = {
    "oracle": oracle,
    "stale-by-one": stale_by_one,
    "frozen": frozen,
    "last-mention": last_mention,
    "flip-flop": flip_flop,
    "random": random_guess,
    "unknown": unknown,
}
"""The fake predictors by name."""


def guessing_accuracy(streams: Sequence[Stream]) -> float:
    """The accuracy that `random_guess` has on average over its seeds (O-040).

    Mean over questions of the mean over intervals of `accepted choices / choices`: with n options
    1 / n each, which is 18.6 % on OAKS-Novel. Range 0 to 1. No question: NaN.

    Args:
        streams: All that is asked.
    """
    shares = []
    for question in (question for given in streams for question in given.questions):
        forms = [canonical(question, choice) for choice in _choices(question)]
        hits = [sum(f in accepted for f in forms) for accepted in answer_key(question).accepted]
        shares.append(sum(hits) / (len(hits) * len(forms)))
    return fsum(shares) / len(shares) if shares else nan


def _predictions(
    given: Stream, answers: Callable[[StreamQuestion, AnswerKey], Sequence[str]]
) -> tuple[Prediction, ...]:
    """The predictions of one answer for each question and interval, interval by interval."""
    said = [(question.id, answers(question, answer_key(question))) for question in given.questions]
    return tuple(
        Prediction(given.id, question, interval, Reply.ANSWERED, row[interval])
        for interval in range(max((len(row) for _, row in said), default=0))
        for question, row in said
    )


def _spoken(question: StreamQuestion, answer: str) -> str:
    """An accepted answer as a model would say it: for an option, its letter."""
    if answer in question.options:
        return _letter(question.options.index(answer))
    return answer


def _letter(index: int) -> str:
    return chr(ord("A") + index)


def _annotated(question: StreamQuestion) -> list[str]:
    return [_spoken(question, accepted[0]) for accepted in question.answers]


def _unknown(question: StreamQuestion) -> str:
    """What says that there is no answer yet; without a catch-all, a wrong answer."""
    if not question.options:
        return "Unknown"
    return _NOWHERE if question.catch_all is None else _letter(question.catch_all)


def _choices(question: StreamQuestion) -> list[str]:
    """What a guesser chooses from, in the order of the options or of the stream."""
    if question.options:
        return [_letter(index) for index in range(len(question.options))]
    return list(dict.fromkeys(_annotated(question)))


def _candidates(question: StreamQuestion) -> list[tuple[re.Pattern[str], str]]:
    """Patterns of the answers that a text may mention, with what is said for each."""
    texts = question.options or dict.fromkeys(answers[0] for answers in question.answers)
    found = []
    for text in texts:
        said = _spoken(question, text)
        if said != _unknown(question) and normalised(text) not in (UNKNOWN, SAME):
            found.append((re.compile(rf"(?<!\w){re.escape(text.casefold())}(?!\w)"), said))
    return found


def _last_in(chunk: str, candidates: Sequence[tuple[re.Pattern[str], str]]) -> str | None:
    """The candidate that is mentioned last in a chunk."""
    places = [place for item in candidates for place in _place(chunk, *item)]
    return max(places)[-1] if places else None


def _place(chunk: str, pattern: re.Pattern[str], said: str) -> Iterator[tuple[int, int, str]]:
    """End and length of the last mention of a candidate, with what is said for it."""
    ends = [(found.end(), found.end() - found.start()) for found in pattern.finditer(chunk)]
    if ends:
        yield (*ends[-1], said)
