"""Lint of wordings: phrasings of events, revisions, rules and noise, each by itself.

Whether two wordings can be told apart is asked of the reader itself, in `corpus.prove`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from string import Formatter

from supersede.errors import did_you_mean
from supersede.specs.lint_report import Report, listed
from supersede.specs.load import Place
from supersede.specs.schema import Event, IntAttribute, NamedAttribute, Specification

_KINDS = ("void", "correct", "amend", "confirm", "reinstate", "repost", "backfill")
_LEAST = 3
_LIVELY = 8
_SLOT = re.compile(r"\{[^{}]*\}")
_MARKS = ("Question:", "Final question:", "Nothing was entered.")
"""What opens a question in a log, and what stands for a block without lines."""


def lint_wordings(report: Report) -> None:
    """Look through every wording."""
    for n in range(len(report.spec.events)):
        _event(report, n)
    for kind in _KINDS:
        slot = "block" if kind == "backfill" else "ref"
        texts: tuple[str, ...] = getattr(report.spec.revisions, kind)
        for n, text in enumerate(texts):
            path: Place = ("revisions", kind, n)
            if _form(report, path, text) and _slots(report, path, text, [slot], [slot]):
                if text.count(f"{{{slot}}}") > 1:
                    report.error(path, f"{text!r} shows {{{slot}}} twice",
                                 "Once is enough: the reader would take it for two.")  # fmt: skip
                _status_free(report, path, text)
    _rules(report)
    _noise(report)


def _event(report: Report, n: int) -> None:
    event = report.spec.events[n]
    path: Place = ("events", n, "phrasings")
    if len(event.phrasings) < _LEAST:
        report.error(path, f"event {event.id!r} has {len(event.phrasings)} phrasings",
                     f"Write at least {_LEAST}.")  # fmt: skip
    for m, text in enumerate(event.phrasings):
        at: Place = (*path, m)
        if not _form(report, at, text):
            continue
        fields = [field for _, field, _, _ in Formatter().parse(text) if field is not None]
        plain = [field for field in fields if "." not in field]
        known = [*event.roles, *event.parameters]
        if not _slots(report, at, text, known, event.roles, plain):
            continue
        for field in fields:
            if "." in field:
                _path(report, at, text, n, field)
        _status_free(report, at, text)
        _literal_names(report, at, text)
    _shown(report, n, event)


def _form(report: Report, path: Place, text: str) -> bool:
    """Whether a wording is well formed; notes it where it is not."""
    try:
        pieces = list(Formatter().parse(text))
    except ValueError as error:
        report.error(path, f"{text!r}: {error}", "Every { needs its }.")
        return False
    words = " ".join(literal for literal, _, _, _ in pieces)
    problem = None
    if any(spec or conversion for _, _, spec, conversion in pieces):
        problem = ("a slot has a format", "Write the name alone: {actor}.")
    elif "" in [field for _, field, _, _ in pieces]:
        problem = ("a slot has no name", "Write a role: {actor}.")
    elif ";" in text:
        problem = ("a semicolon, behind which a log tells effects", "Use a comma.")
    elif "\n" in text:
        problem = ("a line break", "Write it on one line.")
    elif opening := _opening(report.spec.clock.block, text):
        problem = (f"{opening!r} at its start, which opens a part of a log", "Reword it.")
    elif re.search(r"\d", words) and path[0] in ("events", "revisions"):
        problem = ("digits outside slots", "Write numbers as words, or as a parameter.")
    elif path[0] in ("events", "revisions") and text.endswith((".", ":", ",")):
        problem = (f"{text[-1]!r} at the end, where the line goes on", "Leave it out.")
    if problem is not None:
        report.error(path, f"{text!r} has {problem[0]}", problem[1])
    return problem is None


def _opening(block: str, text: str) -> str | None:
    """The mark, or the heading of a block, with which a wording begins."""
    mark = next((mark for mark in _MARKS if text.casefold().startswith(mark.casefold())), None)
    heading = re.match(rf"{re.escape(block)} \d+(?!\w)", text, re.IGNORECASE)
    return mark or (heading[0] if heading else None)


def _slots(
    report: Report,
    path: Place,
    text: str,
    known: Sequence[str],
    needed: Iterable[str],
    plain: Sequence[str] | None = None,
) -> bool:
    """Whether a wording has the slots that it needs and no others."""
    found = plain if plain is not None else [f for _, f, _, _ in Formatter().parse(text) if f]
    for slot in found:
        if slot not in known:
            report.error(path, f"{text!r} has an unknown slot {{{slot}}}",
                         did_you_mean(slot, known) or "It takes none.", missing=slot)  # fmt: skip
            return False
    missing = [f"{{{slot}}}" for slot in needed if slot not in found]
    if missing:
        report.error(path, f"{text!r} does not show {', '.join(missing)}",
                     "Put it in: the reader recovers it from there.")  # fmt: skip
    return not missing


def _path(report: Report, path: Place, text: str, n: int, field: str) -> None:
    """An attribute slot such as `{target.item}`."""
    event = report.spec.events[n]
    role, *names = field.split(".")
    if role not in event.roles:
        report.error(path, f"{text!r} has an unknown slot {{{field}}}",
                     did_you_mean(role, event.roles), missing=role)  # fmt: skip
        return
    kind = report.role_types.get((n, role), "")
    for name in names:
        if kind not in report.spec.entities or f".{name}" in report.broken:
            return
        attributes = report.spec.entities[kind].attributes
        if name not in attributes:
            report.error(path, f"{text!r}: {kind} has no attribute {name!r}",
                         did_you_mean(name, attributes), missing=f"{kind}.{name}")  # fmt: skip
            return
        kind = _attribute_kind(report.spec, kind, name)


def _attribute_kind(spec: Specification, kind: str, name: str) -> str:
    declared = spec.entities[kind].attributes[name]
    if isinstance(declared, str):
        return declared
    if isinstance(declared, IntAttribute | NamedAttribute):
        return ""
    fitting = (k for k, e in spec.entities.items() if e.names and set(declared) <= set(e.names))
    return next(fitting, "")


def _shown(report: Report, n: int, event: Event) -> None:
    """Every parameter is shown in every phrasing, or printed by an effect as it is (R34)."""
    effects = [p.delta if p.split is None else p.split for p in event.post]
    printed = {
        str(value).replace(" ", "").removeprefix("-")
        for value in (*effects, *(part.value for part in event.sets))
    }
    for name in event.parameters:
        bare = [text for text in event.phrasings if f"{{{name}}}" not in text]
        if name not in printed and bare:
            report.error(("events", n, "parameters", name), f"parameter {name!r} of {event.id!r} "
                         "is neither printed by an effect as it is nor shown in every phrasing",
                         f"Put {{{name}}} into every phrasing.")  # fmt: skip


def _status_free(report: Report, path: Place, text: str) -> None:
    """No status label stands in free wording (R36)."""
    words = _SLOT.sub("\0", text).casefold()
    labels = [*report.spec.statuses.counts, *report.spec.statuses.does_not_count]
    for label in dict.fromkeys(labels):
        if re.search(rf"(?<!\w){re.escape(label.casefold())}(?!\w)", words):
            report.error(path, f"{text!r} says {label!r}, a status",
                         "Reword it: a status stands in its slot alone.")  # fmt: skip
            return


def _literal_names(report: Report, path: Place, text: str) -> None:
    """A name in the words of a phrasing looks like a role of the record."""
    words = _SLOT.sub("\0", text)
    for kind, entity in report.spec.entities.items():
        for name in entity.names:
            if name in words and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", words):
                report.warn(path, f"{text!r} names the {kind} {name!r}, which looks like a role",
                            "Reword it, or make it a role.")  # fmt: skip


def _rules(report: Report) -> None:
    statuses = report.spec.statuses
    for n, rule in enumerate(report.spec.rules):
        known = rule.label in (*statuses.counts, *statuses.does_not_count)
        where = ["where"] if rule.where is not None else []
        for m, text in enumerate(rule.text):
            path: Place = ("rules", n, "text", m)
            if not _form(report, path, text) or not _slots(report, path, text, where, where):
                continue
            if known and not re.search(
                rf"(?<!\w){re.escape(rule.label.casefold())}(?!\w)", text.casefold()
            ):
                report.error(path, f"{text!r} does not name the status {rule.label!r}",
                             "A rule's text says which label it is about.")  # fmt: skip


def _noise(report: Report) -> None:
    spec = report.spec
    if len(spec.noise) < _LIVELY:
        report.warn(("noise",), f"{len(spec.noise)} noise lines",
                    f"{_LIVELY} or more keep a log lively.")  # fmt: skip
    ids = re.sub(r"\\\{\w+\\\}", r"\\d+", re.escape(spec.clock.record))
    for n, text in enumerate(spec.noise):
        path: Place = ("noise", n)
        if not _form(report, path, text) or not _slots(report, path, text, [*spec.entities], ()):
            continue
        if re.search(rf"(?<!\w){ids}(?!\w)", text):
            report.error(path, f"{text!r} carries a record id", "Noise names no record.")
        labels = [*spec.statuses.counts, *spec.statuses.does_not_count]
        words = _SLOT.sub("\0", text).casefold()
        said = [x for x in labels if re.search(rf"(?<!\w){re.escape(x.casefold())}(?!\w)", words)]
        if said:
            report.warn(path, f"{text!r} says {listed(said[:1])}, a status", "Reword it.")
