"""The page: one file that needs nothing else, the same bytes for the same runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import accumulate

from supersede import __version__
from supersede.memories.plan import Prices
from supersede.metrics.stream_report import Group, report_data
from supersede.model.stream import Stream
from supersede.reports import calls, tables
from supersede.reports.figures import curve_panel, interval_estimates, legend
from supersede.reports.heatmap import Document, documents, heat_maps
from supersede.reports.markup import Html, element, embedded, join
from supersede.reports.runs import Run

__all__ = ["Request", "render"]

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
"""The page can fetch nothing, whatever a text in it says."""
_FEW = 10
"""Documents below which an interval deserves a warning."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be shown, and how it was asked for."""

    runs: Sequence[Run]
    streams: Sequence[Stream] | None = None
    """All that was asked, for the words of the questions."""
    stream_file: str = ""
    """Where they are from, as it was named."""
    title: str = "Facts that later facts overwrite"
    command: str = ""
    """The command that makes this page."""
    prices: Prices | None = None


@dataclass(frozen=True, slots=True)
class _Section:
    anchor: str
    title: str
    body: Html


def render(request: Request) -> str:
    """The page as HTML.

    Args:
        request: What is to be shown; at least one run.
    """
    found = documents(request.runs, request.streams)
    sections = _sections(request, found)
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="generator", content=f"supersede {__version__}"),
        element("title", request.title),
        element("style", _asset("page.css")),
    )
    body = element(
        "body",
        element("header", element("h1", request.title), *_lead(request.runs), _contents(sections)),
        element("main", *map(_section, sections)),
        element("footer", element("p", f"Made by supersede {__version__}.", class_="quiet")),
        embedded({run.name: report_data(run.report) for run in request.runs}, "data"),
        element("script", _asset("page.js")),
    )
    return f"<!doctype html>\n{element('html', head, Html(chr(10)), body, lang='en')}\n"


def _asset(name: str) -> Html:
    return Html(files(__package__).joinpath(name).read_text(encoding="utf-8"))


def _lead(runs: Sequence[Run]) -> list[Html]:
    many = "One run" if len(runs) == 1 else f"{len(runs)} runs"
    lines = [
        f"{many}: documents revealed chunk by chunk, every question asked after every chunk. A "
        "phase is a stretch in which the right answer stays the same."
    ]
    fewest = min(run.report.streams for run in runs)
    if 0 < fewest < _FEW:
        counted = "1 document: no interval" if fewest == 1 else f"{fewest} documents"
        lines.append(f"Only {counted}; fewer than {_FEW} make rough intervals.")
    return [element("p", line) for line in lines]


def _contents(sections: Sequence[_Section]) -> Html:
    links = [element("li", element("a", s.title, href=f"#{s.anchor}")) for s in sections]
    return element("nav", element("ul", *links), aria_label="Sections")


def _section(section: _Section) -> Html:
    return element(
        "section",
        element("h2", section.title, id=f"{section.anchor}-title"),
        section.body,
        id=section.anchor,
        aria_labelledby=f"{section.anchor}-title",
    )


def _sections(request: Request, found: Sequence[Document]) -> list[_Section]:
    runs = request.runs
    more = element("details", element("summary", "All measures"), tables.measures(runs))
    return [
        _Section("results", "Results", join([tables.headline(runs), more])),
        _Section("errors", "How they are wrong", join([legend(), tables.decomposition(runs)])),
        _Section("heat", "Every question at every interval", _heat(found)),
        _Section("curves", "Accuracy by interval", _curves(runs)),
        _Section("types", "By type and by how often the answer changes", _parts(runs)),
        _Section("archetypes", "What they do when the truth changes", tables.archetypes(runs)),
        _Section("stale", "What wrong answers were", tables.staleness(runs)),
        _Section("retrieval", "Evidence and retrieval", calls.evidence(runs)),
        _Section("cost", "Tokens and cache", calls.cost(runs, request.prices)),
        _Section("replies", "Errors and resumed runs", tables.replies(runs)),
        _Section("settings", "What produced this", _settings(request)),
    ]


def _curves(runs: Sequence[Run]) -> Html:
    curves = {run.name: interval_estimates(run.traces) for run in runs}
    panels = [
        curve_panel(name, curve, [other for one, other in curves.items() if one != name])
        for name, curve in curves.items()
    ]
    note = (
        "The line is the accuracy of all questions at an interval, the band its 95 % interval over "
        "documents, pale lines the other runs. Intervals count from 0."
    )
    numbers = element("details", element("summary", "As a table"), tables.curve_table(runs))
    return join([element("p", note), element("div", *panels, class_="panels"), numbers])


def _parts(runs: Sequence[Run]) -> Html:
    types: dict[str, list[tuple[str, Group]]] = {}
    subsets: dict[str, list[tuple[str, Group]]] = {}
    for run in runs:
        for name, group in run.report.types.items():
            types.setdefault(name, []).append((run.name, group))
        titles = tables.subset_names(run)
        for name, group in run.report.subsets.items():
            if group.questions:
                subsets.setdefault(titles[name], []).append((run.name, group))
    return join(
        [
            tables.groups("Type", "By type of question.", types),
            tables.groups("Subset", "By the number of phases of a question.", subsets),
        ]
    )


def _heat(found: Sequence[Document]) -> Html:
    if not found:
        return element("p", "No question was answered at every interval.", class_="quiet")
    note = (
        "A row is a question, a column an interval; an upright line begins a new phase. A thin "
        "line through a cell means that no answer could be read, a dotted row that the question "
        "was left out."
    )
    return join([element("p", note), legend(), *(_document(d, n) for n, d in enumerate(found))])


def _document(document: Document, number: int) -> Html:
    title = f"{document.name}: {len(document.questions)} questions, {document.length} intervals"
    return element(
        "details",
        element("summary", title),
        heat_maps(document, number),
        element("details", element("summary", "Its questions, and what was true"), _list(document)),
        open=number == 0,
    )


def _list(document: Document) -> Html:
    rows = []
    for trace in document.questions:
        starts = [0, *accumulate(trace.phases)][:-1]
        phases = [f"from {start}: {trace.truth[start]}" for start in starts]
        rows.append([document.texts[trace.question], trace.type, "; ".join(phases)])
    inner = tables.table(
        f"Questions of {document.name}, in the order of the rows",
        ["Question", "Type", "True from interval"],
        rows,
    )
    return element("div", inner, class_="text")


def _settings(request: Request) -> Html:
    parts = []
    if request.command:
        parts.append(element("pre", element("code", request.command)))
    if request.streams:
        parts.append(_streams(request.streams, request.stream_file))
    parts += [calls.settings(run) for run in request.runs]
    return element("div", *parts, class_="text")


def _streams(streams: Sequence[Stream], name: str) -> Html:
    rows = [
        ["file", name],
        ["documents", f"{len(streams):,}"],
        ["questions", f"{sum(len(s.questions) for s in streams):,}"],
        ["chunks", f"{sum(len(s.chunks) for s in streams):,}"],
        ["source", ", ".join(sorted({s.source for s in streams}))],
        *([key, value] for key, value in _shared(streams).items()),
    ]
    return join(
        [element("h3", "Streams"), tables.table("What was asked", ["Setting", "Value"], rows)]
    )


def _shared(streams: Sequence[Stream]) -> Mapping[str, str]:
    """What all documents say of how they were made."""
    first = streams[0].meta
    return {
        str(key): str(value)
        for key, value in sorted(first.items())
        if all(s.meta.get(key) == value for s in streams)
    }
