"""The heat map: questions by intervals, one picture for each document, run and question type.

Whatever lies beside each other and means the same is one stroke, so that a page holds a whole
benchmark. The strokes show without a script; what a cell says in words is put together by the
page's script from numbers and a list of words, since a title for every cell would make the page
ten times as large.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import Any

from supersede.metrics.decomposition import IntervalClass, classify
from supersede.model.stream import Reply, Stream, Trace
from supersede.reports.figures import CLASS_NAMES
from supersede.reports.markup import Html, element, embedded, join
from supersede.reports.runs import Run

__all__ = ["Document", "documents", "heat_maps"]

_PITCH = 10
"""Units from one row to the next."""
_LOW, _HIGH = 8, 12
"""Height of a row on the screen, where there are many of them or few."""
_MANY = 40
_LONG = 32
"""Intervals above which a picture is wide."""
_LONGEST_TEXT = 300
_LONGEST_ANSWER = 80
_LOOKS = (*IntervalClass,)
_UNREAD: Mapping[Reply, str] = {
    Reply.UNPARSABLE: "no readable answer",
    Reply.REFUSED: "refused",
    Reply.ERROR: "failed",
}


@dataclass(frozen=True)
class Document:
    """A document and what each run made of its questions."""

    name: str
    questions: tuple[Trace, ...]
    """A trace of each question, for what is true of it; those of one type side by side."""
    texts: Mapping[str, str]
    """Question -> its words; the id where the streams are not at hand."""
    panels: Mapping[str, Mapping[str, Trace]]
    """Run, with its epoch where there are several -> question -> trace."""

    @property
    def length(self) -> int:
        """Intervals."""
        return max(len(trace.right) for trace in self.questions)


def documents(runs: Sequence[Run], streams: Sequence[Stream] | None) -> tuple[Document, ...]:
    """The documents that any run has a scored question of, in the order in which they come."""
    words = {
        (stream.id, question.id): question.text
        for stream in streams or ()
        for question in stream.questions
    }
    panels: dict[str, dict[str, dict[str, Trace]]] = {}
    known: dict[str, dict[str, Trace]] = {}
    for run in runs:
        for name, trace in _by_epoch(run):
            if trace.right:
                panels.setdefault(trace.stream, {}).setdefault(name, {})[trace.question] = trace
                longest = known.setdefault(trace.stream, {}).setdefault(trace.question, trace)
                if len(trace.right) > len(longest.right):  # the other run was cut short
                    known[trace.stream][trace.question] = trace
    order = {stream.id: place for place, stream in enumerate(streams or ())}
    names = sorted(known, key=lambda name: order.get(name, len(order)))
    return tuple(
        Document(
            name,
            _grouped(known[name].values()),
            {q: _clipped(words.get((name, q), q), _LONGEST_TEXT) for q in known[name]},
            panels[name],
        )
        for name in names
    )


def _by_epoch(run: Run) -> Iterable[tuple[str, Trace]]:
    """The traces of a run, each with the name of its panel."""
    seen: dict[tuple[str, str], int] = {}
    for trace in run.traces:
        key = trace.stream, trace.question
        seen[key] = seen.get(key, 0) + 1
        yield run.name if seen[key] == 1 else f"{run.name}, epoch {seen[key]}", trace


def _grouped(traces: Iterable[Trace]) -> tuple[Trace, ...]:
    by_type: dict[str, list[Trace]] = {}
    for trace in traces:
        by_type.setdefault(trace.type, []).append(trace)
    return tuple(trace for group in by_type.values() for trace in group)


def heat_maps(document: Document, number: int) -> Html:
    """All pictures of a document, with the words for their cells.

    Args:
        document: The document.
        number: Its place in the report.
    """
    figures = [
        element("figure", element("figcaption", name), *_pictures(document, number, place, name))
        for place, name in enumerate(document.panels)
    ]
    wide = " wide" if document.length > _LONG else ""
    return join(
        [
            element("div", *figures, class_=f"panels{wide}"),
            element(
                "output",
                "Point at a cell, touch it, or walk with the arrow keys, to read it.",
                class_="readout",
                id=f"read-{number}",
            ),
            embedded(_words(document), f"doc-{number}"),
        ]
    )


def _pictures(document: Document, number: int, place: int, name: str) -> Iterable[Html]:
    traces = document.panels[name]
    begin, pixels = 0, _LOW if len(document.questions) > _MANY else _HIGH
    for kind, group in groupby(document.questions, key=lambda trace: trace.type):
        rows = list(group)
        yield element("p", f"{kind} ({len(rows)})", class_="rowhead")
        given = [traces.get(row.question) for row in rows]
        yield element(
            "svg",
            element("title", _label(kind, name, given)),
            *_strokes(rows, given),
            element("rect", class_="here", width=0, height=_PITCH),
            class_="heat",
            viewBox=f"0 0 {document.length} {len(rows) * _PITCH}",
            preserveAspectRatio="none",
            height=len(rows) * pixels,
            role="img",
            tabindex=0,
            aria_label=_label(kind, name, given),
            aria_describedby=f"read-{number}",
            data_doc=number,
            data_panel=place,
            data_first=begin,
        )
        begin += len(rows)
    ends = [element("span", "0"), element("span", "interval")]
    ends.append(element("span", str(document.length - 1)))
    yield element("p", *ends, class_="scale")


def _label(kind: str, name: str, given: Sequence[Trace | None]) -> str:
    found = [part for trace in given if trace for part in classify(trace.phases, trace.right)]
    counts = ", ".join(f"{found.count(part):,} {CLASS_NAMES[part]}" for part in IntervalClass)
    lacking = sum(trace is None for trace in given)
    more = f"; {lacking} questions left out" if lacking else ""
    return f"{name}, {len(given)} {kind} questions by interval: {counts}{more}"


def _strokes(rows: Sequence[Trace], given: Sequence[Trace | None]) -> Iterable[Html]:
    """One path for each look, then what could not be read, then where phases begin."""
    paths: dict[str, list[str]] = {f"c-{part}": [] for part in _LOOKS}
    paths |= {"unread": [], "out": [], "halo": []}
    for row, (known, trace) in enumerate(zip(rows, given, strict=True)):
        top = row * _PITCH
        if trace is None:
            paths["out"].append(f"M0 {top + 5}h{len(known.right)}")
            continue
        begin = 0
        for look, length in _runs(classify(trace.phases, trace.right)):
            height = {IntervalClass.LATE: 3, IntervalClass.DISTRACTED: 7}.get(look, 5)
            paths[f"c-{look}"].append(f"M{begin} {top + height}h{length}")
            begin += length
        begin = 0
        for silent, length in _runs([said is None for said in trace.said]):
            if silent:
                paths["unread"].append(f"M{begin} {top + 5}h{length}")
            begin += length
        starts = list(accumulate(trace.phases))[:-1]
        paths["halo"] += [f"M{start} {top}v{_PITCH}" for start in starts]
    paths["phase"] = paths["halo"]  # dark on light, so that it shows on every look
    return [element("path", class_=look, d="".join(d)) for look, d in paths.items() if d]


def _clipped(said: str, most: int) -> str:
    return said if len(said) <= most else f"{said[: most - 1]}…"


def _runs(values: Iterable[Any]) -> Iterable[tuple[Any, int]]:
    return ((value, sum(1 for _ in run)) for value, run in groupby(values))


def _words(document: Document) -> dict[str, Any]:
    """What the script reads of a document.

    `truth` has for each question the word and the length of each phase; `said` for each panel
    and question the word, the look and the length of each stretch, null where it was left out.
    """
    places: dict[str, int] = {}

    def word(said: str) -> int:
        return places.setdefault(_clipped(said, _LONGEST_ANSWER), len(places))

    truth, ids = [], [trace.question for trace in document.questions]
    for trace in document.questions:
        starts = [0, *accumulate(trace.phases)]
        pairs = [(word(trace.truth[t]), n) for t, n in zip(starts, trace.phases, strict=False)]
        truth.append([number for pair in pairs for number in pair])
    said = [
        [_spoken(traces[one], word) if one in traces else None for one in ids]
        for traces in document.panels.values()
    ]
    return {
        "panels": list(document.panels),
        "questions": [document.texts[one] for one in ids],
        "ids": ids,
        "truth": truth,
        "said": said,
        "words": list(places),
        "looks": [CLASS_NAMES[look] for look in _LOOKS],
    }


def _spoken(trace: Trace, word: Any) -> list[int]:
    looks = classify(trace.phases, trace.right)
    forms = [
        _UNREAD.get(reply, "") if said is None else said
        for said, reply in zip(trace.said, trace.replies, strict=True)
    ]
    cells = [(word(form), _LOOKS.index(look)) for form, look in zip(forms, looks, strict=True)]
    return [number for (said, look), length in _runs(cells) for number in (said, look, length)]
