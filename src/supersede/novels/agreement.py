"""How far annotators agree: on answers, on where they change, and on what tells it (X-011).

Answers carry forward, and most chunks change nothing, so that agreement over all chunks is high
whoever annotates. Every measure of answers stands twice: over all chunks, and over those alone
where one of the annotators changes the answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum, isnan, nan
from typing import Any

from supersede.metrics.bootstrap import Interval, Part, bootstrap_ratios, ratio
from supersede.novels.annotations import BookAnnotations
from supersede.novels.coefficients import Disagreement, alpha, cohen, fleiss, jaccard, masi
from supersede.novels.rated import Rated, rated

__all__ = ["WITHIN", "Agreement", "Measure", "Pair", "agreement", "agreement_data", "matched"]

WITHIN = (0, 1, 2)
"""How many chunks apart two change points may be, to be the same."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One number with its interval over books."""

    value: float
    """1 for full agreement; NaN where there is nothing to compare."""
    interval: Interval
    """95 %; NaN where fewer than two books have anything to compare."""
    units: int
    """What was compared: chunks of questions, changes, or passages."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two annotators side by side."""

    first: str
    second: str
    units: int
    """Chunks of questions that both answered."""
    same: float
    """Share of them with the same answer."""
    kappa: float
    """Cohen's, over all chunks."""
    kappa_at_changes: float
    """Over those where one of the two changes the answer."""
    changes: tuple[int, int]
    """How many each has, at the chunks that both answered."""
    recall: dict[int, float]
    """Share of the first one's changes that the second has within k chunks; by k."""
    precision: dict[int, float]
    """Share of the second one's changes that the first has within k chunks; by k."""
    offset: float
    """How many chunks later the second one's changes are, on average over those matched."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """What a project's annotators agree on."""

    books: int
    questions: int
    """Those that two or more people answered."""
    annotators: tuple[str, ...]
    measures: dict[str, Measure]
    pairs: tuple[Pair, ...]
    within: tuple[int, ...]


def agreement(
    said: Sequence[BookAnnotations],
    *,
    within: Sequence[int] = WITHIN,
    resamples: int = 10_000,
) -> Agreement:
    """Agreement over some books.

    The measures are `same` (share of pairs of answers), `alpha` (Krippendorff's), `alpha_pooled`
    (the same with chance reckoned over a whole book, which flatters it), `kappa` (Cohen's, over
    every pair of annotators) and `fleiss`, each also with `_at_changes`; `changes_k` (F1 of change
    points within k chunks) and `changes_k_same` (that become the same answer); `evidence_exact`
    and `evidence_f1` (of words, where two people marked something at the same chunk), and
    `evidence_jaccard` and `evidence_masi`, which are alpha with those distances.

    Args:
        said: The books.
        within: How many chunks apart change points may be.
        resamples: How often the books are drawn again for an interval.
    """
    found = [one for book in said for one in rated(book)]
    parts, units = _parts(found, within)
    intervals = bootstrap_ratios(parts, resamples)
    measures = {}
    for name in _names(within):
        value, interval = ratio(parts.get(name, ())), intervals.get(name, Interval(nan, nan))
        if name.startswith(_COEFFICIENTS):
            value, interval = 1 - value, Interval(1 - interval.high, 1 - interval.low)
        measures[name] = Measure(value, interval, units.get(name, 0))
    people = tuple(sorted({who for one in found for who in one.annotators}))
    return Agreement(
        len({one.book for one in found}),
        len(found),
        people,
        measures,
        tuple(_pairs(found, people, within)),
        tuple(within),
    )


_COEFFICIENTS = ("alpha", "kappa", "fleiss", "evidence_jaccard", "evidence_masi")
"""Measures that are one less a ratio of disagreements; the others are shares."""


def _names(within: Sequence[int]) -> Iterator[str]:
    """All measures."""
    for name in ("same", "alpha", "alpha_pooled", "kappa", "fleiss"):
        yield from (name, f"{name}_at_changes")
    for k in within:
        yield from (f"changes_{k}", f"changes_{k}_same")
    yield from ("evidence_exact", "evidence_f1", "evidence_jaccard", "evidence_masi")


def _parts(
    found: Sequence[Rated], within: Sequence[int]
) -> tuple[dict[str, list[Part]], dict[str, int]]:
    """What each question, or book, adds to each measure; and how many units each measure has."""
    parts: dict[str, list[Part]] = {}
    units: dict[str, int] = {}

    def add(name: str, book: str, top: float, bottom: float, count: int) -> None:
        parts.setdefault(name, []).append(Part(book, top, bottom))
        units[name] = units.get(name, 0) + count

    for one in found:
        for suffix, chunks in (
            ("", range(one.chunks)),
            ("_at_changes", sorted(one.changed(one.annotators))),
        ):
            for name, top, bottom, count in _of_answers(one, chunks):
                add(f"{name}{suffix}", one.book, top, bottom, count)
        for k in within:
            for name, top, bottom in _of_changes(one, k):
                add(name, one.book, top, bottom, int(bottom))
        for top, exact, bottom in _of_evidence(one):
            add("evidence_exact", one.book, exact, bottom, int(bottom))
            add("evidence_f1", one.book, top, bottom, int(bottom))
    for suffix, at_changes in (("", False), ("_at_changes", True)):
        for name, book, part, count in _pooled(found, at_changes):
            add(f"{name}{suffix}", book, *part, count)
    return parts, units


def _of_answers(one: Rated, chunks: Sequence[int]) -> Iterator[tuple[str, float, float, int]]:
    """Name, sums and units of the measures of answers at some chunks of a question."""
    units = [values for chunk in chunks if len(values := one.values(chunk)) > 1]
    both = [
        (first[chunk], second[chunk])
        for first, second in combinations((one.answers[who] for who in one.annotators), 2)
        for chunk in chunks
        if first[chunk] is not None and second[chunk] is not None
    ]
    yield "same", float(sum(a == b for a, b in both)), float(len(both)), len(units)
    yield "alpha", *alpha(units), len(units)
    by_pair = [_kappa(one, pair, chunks) for pair in one.pairs]
    yield "kappa", fsum(p.observed for p in by_pair), fsum(p.expected for p in by_pair), len(units)
    whole = [values for values in units if len(values) == len(one.annotators)]
    yield "fleiss", *fleiss(whole), len(whole)


def _kappa(one: Rated, pair: tuple[str, str], chunks: Sequence[int]) -> Disagreement:
    first, second = (one.answers[who] for who in pair)
    both = [(first[n], second[n]) for n in chunks]
    return cohen((a, b) for a, b in both if a is not None and b is not None)


def _of_changes(one: Rated, k: int) -> Iterator[tuple[str, float, float]]:
    """F1 of change points as a ratio: twice those matched over all."""
    same = every = total = 0
    for first, second in one.pairs:
        mine, theirs = one.compared(first, second)
        every += len(matched([c for c, _ in mine], [c for c, _ in theirs], k))
        same += len(_matched_same(mine, theirs, k))
        total += len(mine) + len(theirs)
    yield f"changes_{k}", 2.0 * every, float(total)
    yield f"changes_{k}_same", 2.0 * same, float(total)


def matched(first: Sequence[int], second: Sequence[int], k: int) -> list[tuple[int, int]]:
    """As many pairs as can be, one to one, of places that are at most k apart.

    On a line, taking from the left the first two that fit leaves out no pair that could have been.

    Args:
        first: Places in order.
        second: Places in order.
        k: How far apart.
    """
    pairs = []
    i = j = 0
    while i < len(first) and j < len(second):
        if abs(first[i] - second[j]) <= k:
            pairs.append((first[i], second[j]))
            i, j = i + 1, j + 1
        elif first[i] < second[j]:
            i += 1
        else:
            j += 1
    return pairs


def _matched_same(
    first: Sequence[tuple[int, str]], second: Sequence[tuple[int, str]], k: int
) -> list[tuple[int, int]]:
    """The same, where both become the same answer."""
    answers = dict.fromkeys(answer for _, answer in first)
    return [
        pair
        for answer in answers
        for pair in matched(
            [chunk for chunk, to in first if to == answer],
            [chunk for chunk, to in second if to == answer],
            k,
        )
    ]


def _of_evidence(one: Rated) -> Iterator[tuple[float, float, float]]:
    """F1 of words, whether they are the same ones, and 1, where two people marked something."""
    for first, second in one.pairs:
        mine, theirs = one.evidence[first], one.evidence[second]
        for chunk in sorted(mine.keys() & theirs.keys()):
            words, others = mine[chunk], theirs[chunk]
            f1 = 2 * len(words & others) / (len(words) + len(others))
            yield f1, float(words == others), 1.0


def _pooled(
    found: Sequence[Rated], at_changes: bool
) -> Iterator[tuple[str, str, Disagreement, int]]:
    """Measures with chance reckoned over a whole book: pooled answers, and marked words."""
    for book in dict.fromkeys(one.book for one in found):
        mine = [one for one in found if one.book == book]
        answers: list[list[str]] = []
        for one in mine:
            chunks = sorted(one.changed(one.annotators)) if at_changes else range(one.chunks)
            answers += [
                [f"{one.question.id}/{value}" for value in one.values(chunk)] for chunk in chunks
            ]
        count = sum(len(unit) > 1 for unit in answers)
        yield "alpha_pooled", book, alpha(answers), count
        if at_changes:
            continue
        marked = [
            [one.evidence[who][chunk] for who in one.annotators if chunk in one.evidence[who]]
            for one in mine
            for chunk in range(one.chunks)
        ]
        count = sum(len(unit) > 1 for unit in marked)
        yield "evidence_jaccard", book, alpha(marked, jaccard), count
        yield "evidence_masi", book, alpha(marked, masi), count


def _pairs(found: Sequence[Rated], people: Sequence[str], within: Sequence[int]) -> Iterator[Pair]:
    for pair in combinations(people, 2):
        shared = [one for one in found if set(pair) <= set(one.annotators)]
        if shared:
            yield _pair(shared, pair, within)


def _pair(shared: Sequence[Rated], pair: tuple[str, str], within: Sequence[int]) -> Pair:
    first, second = pair
    both = [
        (a, b)
        for one in shared
        for a, b in zip(one.answers[first], one.answers[second], strict=True)
        if a is not None and b is not None
    ]
    every = [_kappa(one, pair, range(one.chunks)) for one in shared]
    changed = [_kappa(one, pair, sorted(one.changed(pair))) for one in shared]
    places = [
        ([c for c, _ in mine], [c for c, _ in theirs])
        for mine, theirs in (one.compared(first, second) for one in shared)
    ]
    counts = (sum(len(mine) for mine, _ in places), sum(len(theirs) for _, theirs in places))
    hits = {k: [p for mine, theirs in places for p in matched(mine, theirs, k)] for k in within}
    widest = hits[max(within)] if within else []
    return Pair(
        first,
        second,
        len(both),
        sum(a == b for a, b in both) / len(both) if both else nan,
        _coefficient(every),
        _coefficient(changed),
        counts,
        {k: len(found) / counts[0] if counts[0] else nan for k, found in hits.items()},
        {k: len(found) / counts[1] if counts[1] else nan for k, found in hits.items()},
        fsum(theirs - mine for mine, theirs in widest) / len(widest) if widest else nan,
    )


def _coefficient(parts: Sequence[Disagreement]) -> float:
    expected = fsum(part.expected for part in parts)
    return 1 - fsum(part.observed for part in parts) / expected if expected else nan


def agreement_data(found: Agreement) -> dict[str, Any]:
    """All of it as plain JSON data; what is undefined is null."""
    return {
        "books": found.books,
        "questions": found.questions,
        "annotators": list(found.annotators),
        "measures": {
            name: {
                "value": number(one.value),
                "low": number(one.interval.low),
                "high": number(one.interval.high),
                "units": one.units,
            }
            for name, one in found.measures.items()
        },
        "pairs": [
            {
                "first": pair.first,
                "second": pair.second,
                "units": pair.units,
                "same": number(pair.same),
                "kappa": number(pair.kappa),
                "kappa_at_changes": number(pair.kappa_at_changes),
                "changes": list(pair.changes),
                "recall": {str(k): number(value) for k, value in pair.recall.items()},
                "precision": {str(k): number(value) for k, value in pair.precision.items()},
                "offset": number(pair.offset),
            }
            for pair in found.pairs
        ],
    }


def number(value: float) -> float | None:
    """A number as JSON has it."""
    return None if isnan(value) else value
