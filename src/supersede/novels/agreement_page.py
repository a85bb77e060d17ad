"""Agreement as one page that opens offline: measures, every question's answers, and the noise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import isnan

from supersede.corpus.show import counted
from supersede.novels.agreement import Agreement, Measure, agreement_data
from supersede.novels.annotations import BookAnnotations
from supersede.novels.answers import offered
from supersede.novels.discussion import Ambiguity, Retention
from supersede.novels.noise import MEASURES, Noise
from supersede.novels.page_frame import framed
from supersede.novels.rated import Rated, rated
from supersede.reports.figures import percent, share
from supersede.reports.markup import Html, element, join
from supersede.reports.tables import table

__all__ = ["ANSWERS", "EVIDENCE", "SCORES", "SCORES_NOTE", "Shown", "page"]

_WIDTH, _ROW, _GAP, _LEFT, _TOP = 960, 20, 4, 110, 18
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_COLOURS = 8
_TICKS = 8

ANSWERS = {
    "same": "Same answer (share of pairs)",
    "alpha": "Krippendorff's alpha",
    "kappa": "Cohen's kappa, over all pairs",
    "fleiss": "Fleiss' kappa",
    "alpha_pooled": "Alpha, chance over whole books",
}
"""What the measures of answers are called."""
EVIDENCE = {
    "evidence_exact": "Same words marked",
    "evidence_f1": "F1 of the words marked",
    "evidence_jaccard": "Alpha with Jaccard's distance",
    "evidence_masi": "Alpha with the MASI distance",
}
"""What the measures of evidence are called."""
SCORES = {"accuracy": "Agrees with what counts", "al": "AL", "ds": "DS", "pm": "PM"}
"""What the scores of a model under noise are called: it is held against people's answers."""
SCORES_NOTE = (
    "Agrees with what counts: share of chunks where the model says the answer that counts, which "
    "is the ruling where there is one, else what the annotators agree on. That answer is people's, "
    "so this is no accuracy against a truth; AL, DS and PM are reckoned from the same answers."
)
"""What they are, said once."""

# Runs are told by shade and by letter; what differs has a mark of its own.
_STYLE = """
.strips { width: 100%; height: auto; min-width: 40rem; }
.strips text { font-size: 11px; fill: var(--ink); }
.strips .who { font-size: 12px; } .strips .tick { fill: var(--quiet); }
.strips rect { stroke: var(--paper); stroke-width: 1; }
.o0 { fill: #9cc7ec; } .o1 { fill: #f0c27b; } .o2 { fill: #a8d5a2; } .o3 { fill: #d9b3e0; }
.o4 { fill: #f2a9a0; } .o5 { fill: #c9c9b5; } .o6 { fill: #8fd3cf; } .o7 { fill: #e8e08a; }
.none { fill: none; }
figure.question { margin: 1.5rem 0; } .question .rowhead { max-width: none; }
.strips rect.apart { fill: var(--bad); stroke: none; }
.strips rect.marked { fill: var(--ink); stroke: none; }
@media screen and (prefers-color-scheme: dark) {
  .o0 { fill: #2f5f8a; } .o1 { fill: #8a5f1c; } .o2 { fill: #3d7038; } .o3 { fill: #704a7a; }
  .o4 { fill: #8f4238; } .o5 { fill: #62624f; } .o6 { fill: #1f6b66; } .o7 { fill: #6e6720; }
}
"""


@dataclass(frozen=True, slots=True)
class Shown:
    """Everything that the page shows."""

    said: Sequence[BookAnnotations]
    agreement: Agreement
    ambiguity: Sequence[Ambiguity]
    retention: Sequence[Retention]
    noise: Sequence[Noise]


def page(shown: Shown) -> str:
    """The page as HTML."""
    sections = list(_sections(shown))
    data = agreement_data(shown.agreement)
    return framed("Agreement of annotators", _lead(shown), sections, data=data, style=_STYLE)


def _lead(shown: Shown) -> str:
    found = shown.agreement
    people = ", ".join(found.annotators)
    return (
        f"{counted(found.questions, 'question')} of {counted(found.books, 'book')}, answered apart "
        f"by {people}. Answers carry forward, so that agreement over all chunks is high by "
        "itself; the columns at changes hold where one of them changes the answer."
    )


def _sections(shown: Shown) -> Iterator[tuple[str, Html]]:
    found = shown.agreement
    yield (
        "Answers",
        table(
            "1 is full agreement, 0 as much as chance gives, reckoned inside each question. "
            "Intervals: 95 %, books drawn again.",
            ["Measure", "All chunks", "At changes"],
            [
                [name, _measure(found.measures[key]), _measure(found.measures[f"{key}_at_changes"])]
                for key, name in ANSWERS.items()
            ],
        ),
    )
    yield (
        "Change points",
        table(
            "F1 of changes matched one to one; the first chunk is none.",
            ["At most so many chunks apart", "Any answer", "The same answer"],
            [
                [
                    str(k),
                    _measure(found.measures[f"changes_{k}"]),
                    _measure(found.measures[f"changes_{k}_same"]),
                ]
                for k in found.within
            ],
        ),
    )
    yield (
        "Evidence",
        table(
            "Where two people marked something at the same chunk.",
            ["Measure", "Value"],
            [[name, _measure(found.measures[key])] for key, name in EVIDENCE.items()],
        ),
    )
    yield "Pairs", _pairs(found)
    yield "Every question", join(_strips(shown))
    yield "What needs discussion", _ambiguity(shown.ambiguity)
    yield "What was kept", _retention(shown.retention)
    if shown.noise:
        yield "What noise does to the metrics", _noise(shown.noise)


def _measure(one: Measure) -> Html:
    low, high = one.interval
    ends = "" if isnan(low) else f"{low:.3f} to {high:.3f}"
    return join(
        [share(one.value), Html(" "), element("span", ends or f"n = {one.units:,}", class_="ends")]
    )


def _pairs(found: Agreement) -> Html:
    rows = [
        [
            f"{pair.first}, {pair.second}",
            f"{pair.units:,}",
            percent(pair.same),
            share(pair.kappa),
            share(pair.kappa_at_changes),
            f"{pair.changes[0]:,}, {pair.changes[1]:,}",
            *(f"{share(pair.recall[k])}, {share(pair.precision[k])}" for k in found.within),
            "–" if isnan(pair.offset) else f"{pair.offset:+.2f}",  # noqa: RUF001 - read as none
        ]
        for pair in found.pairs
    ]
    heads = [f"Found by the other within {k}" for k in found.within]
    return table(
        "Found by the other: share of the first one's changes that the second has, and the other "
        "way round. Later: how many chunks the second one's are later, on average.",
        ["Pair", "Chunks", "Same", "Kappa", "At changes", "Changes", *heads, "Later"],
        rows,
    )


def _ambiguity(rows: Sequence[Ambiguity]) -> Html:
    return table(
        "Share of the chunks of questions where annotators differ, or that somebody flagged. "
        "Overruled: share of an annotator's answers that adjudication decided otherwise.",
        ["", "Of", "Share", "Chunks", "Overruled"],
        [
            [
                row.name,
                row.kind,
                percent(row.share),
                f"{row.needed:,} of {row.units:,}",
                percent(row.against / row.ruled) if row.ruled else "",
            ]
            for row in rows
        ],
    )


def _retention(rows: Sequence[Retention]) -> Html:
    inner = table(
        "Of the questions drafted or written; the paper kept 55 %.",
        ["", "By", "Kept", "Of", "Why the others are out"],
        [
            [
                row.name,
                row.kind,
                percent(row.rate),
                f"{row.made:,}",
                "; ".join(f"{why} ({count})" for why, count in row.reasons.items()),
            ]
            for row in rows
        ],
    )
    return element("div", inner, class_="text")


def _noise(rows: Sequence[Noise]) -> Html:
    return table(
        "Every change point moved by up to so many chunks, at random: mean score, and how much "
        f"more it is than without. {SCORES_NOTE}",
        ["Model", "Moved by up to", "Answers changed", *(SCORES[name] for name in MEASURES)],
        [
            [
                row.reader,
                str(row.distance),
                percent(row.moved),
                *(
                    share(row.scores[name]) + (f" ({row.bias[name]:+.3f})" if row.distance else "")
                    for name in MEASURES
                ),
            ]
            for row in rows
        ],
    )


def _strips(shown: Shown) -> Iterator[Html]:
    """Each question with a row of runs for each annotator, those that disagree most first."""
    worst = {row.name: row.share for row in shown.ambiguity if row.kind == "question"}
    for said in shown.said:
        found = sorted(rated(said), key=lambda one: -worst.get(f"{said.book}/{one.question.id}", 0))
        if not found:
            continue
        yield element("h3", f"{said.title} ({said.book})")
        note = (
            "A row is a person, a column a chunk; a dark line below marks evidence, a red bar "
            "chunks where they differ. In brackets: the share that needs discussion."
        )
        yield element("p", note, class_="quiet")
        for one in found:
            ruling = next((x for x in said.adjudicated if x.question == one.question.id), None)
            truth = () if ruling is None else ruling.answers
            told = [one.question.canonical(o) if o else None for o in truth]
            yield _strip(one, told, worst.get(f"{said.book}/{one.question.id}", 0.0))


def _strip(one: Rated, ruling: Sequence[str | None], worst: float) -> Html:
    options = offered(one.question, None)
    used = {o for said in (*one.answers.values(), ruling) for o in said if o}
    listed = [*options, *(o for o in one.question.options if o.id in used and o not in options)]
    letters = {option.id: _LETTERS[n % len(_LETTERS)] for n, option in enumerate(listed)}
    rows: list[tuple[str, Sequence[str | None]]] = [
        (who, one.answers[who]) for who in one.annotators
    ]
    if ruling:
        rows.append(("ruling", ruling))
    height = _TOP + len(rows) * (_ROW + _GAP) + 10
    scale = (_WIDTH - _LEFT) / one.chunks
    parts = list(_ticks(one.chunks, scale))
    for number, (who, said) in enumerate(rows):
        y = _TOP + number * (_ROW + _GAP)
        parts.append(
            element("text", _cut(who), x=_LEFT - 6, y=y + 14, text_anchor="end", class_="who")
        )
        parts += _runs(said, letters, {o.id: o.text for o in listed}, scale, y)
        parts += [
            element("rect", x=_n(_LEFT + chunk * scale), y=y + _ROW - 3, width=_n(scale), height=3,
                    class_="marked")
            for chunk in one.evidence.get(who, ())
        ]  # fmt: skip
    y = _TOP + len(rows) * (_ROW + _GAP)
    parts += [
        element("rect", x=_n(_LEFT + chunk * scale), y=y, width=_n(scale), height=6, class_="apart")
        for chunk in range(one.chunks)
        if len(set(one.values(chunk))) > 1
    ]
    drawing = element(
        "svg",
        *parts,
        viewBox=f"0 0 {_WIDTH} {height}",
        class_="strips",
        role="img",
        aria_label=_spoken(one, letters),
    )
    named = join((join([element("strong", letters[o.id]), f" {o.text}"]) for o in listed), " · ")
    return element(
        "figure",
        element(
            "figcaption", f"{one.question.id}: {one.question.text} ({percent(worst)} to discuss)"
        ),
        element(
            "div", drawing, class_="scroll", tabindex=0, role="region", aria_label=one.question.id
        ),
        element("p", named, class_="rowhead"),
        class_="question",
    )


def _runs(
    said: Sequence[str | None], letters: dict[str, str], texts: dict[str, str], scale: float, y: int
) -> Iterator[Html]:
    start = 0
    order = list(letters)
    for option, run in groupby(said):
        length = len(list(run))
        if option is not None:
            x, width = _LEFT + start * scale, length * scale
            look = f"o{order.index(option) % _COLOURS}" if option in letters else "none"
            last = start + length - 1
            span = f"chunk {start}" if length == 1 else f"chunks {start} to {last}"
            tip = element("title", f"{span}: {texts.get(option, option)}")
            yield element("rect", tip, x=_n(x), y=y, width=_n(width), height=_ROW, class_=look)
            if width > 10:
                letter = letters.get(option, "?")
                yield element("text", letter, x=_n(x + width / 2), y=y + 14, text_anchor="middle")
        start += length


def _ticks(chunks: int, scale: float) -> Iterator[Html]:
    step = max(1, -(-chunks // _TICKS))
    for chunk in range(0, chunks, step):
        x = _n(_LEFT + (chunk + 0.5) * scale)
        yield element("text", str(chunk), x=x, y=12, text_anchor="middle", class_="tick")


def _spoken(one: Rated, letters: dict[str, str]) -> str:
    said = [
        f"{who}: " + ", ".join(f"{letters.get(o, '?')} from chunk {n}" for n, o in one.changes[who])
        for who in one.annotators
    ]
    return f"Changes of {one.question.id}. " + "; ".join(said)


def _cut(name: str) -> str:
    return name if len(name) <= 15 else f"{name[:14]}…"


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
