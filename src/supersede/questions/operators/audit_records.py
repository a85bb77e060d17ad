"""Audit & exclusion of single records, labels and restatements."""

from __future__ import annotations

from supersede.model.question import ClaimKind
from supersede.model.record import Kind
from supersede.questions import needs
from supersede.questions.controls import REPOST
from supersede.questions.draw import MOST_LISTED, Draw, Parameters, complete
from supersede.questions.forms import (
    Line,
    count,
    held,
    named,
    record_ids,
    value,
)
from supersede.questions.registry import Given, operator
from supersede.questions.view import View
from supersede.questions.wording import NONE


def _label(d: Draw) -> Parameters | None:
    records, source = d.index.records, d.reading.source
    statuses = d.facts.world.statuses
    entries = [i for i in d.index.validity.entries if records[i].kind is not REPOST]
    seen = list(dict.fromkeys(records[i].status for i in entries))
    labels = [label for label in seen if label is not None]
    turned = [
        records[i].status
        for i in entries
        if records[i].status is not None
        and statuses.get(records[i].status or "", True) != (source[i] >= 0)
    ]
    focused = [d.focus.status] if d.focus is not None and d.focus.status else []
    label = d.near(labels, [x for x in focused or turned if x is not None])
    return complete(status=label)


@operator(
    "audit/status-label-audit",
    needs=needs.statuses,
    draw=_label,
    phrasings=(
        'Of the records entered under the label "{status}", how many count at the end, and how '
        "many do not?",
        'Audit the label "{status}": number of valid and of invalid records under it.',
        'How many records labelled "{status}" are valid after all, and how many invalid?',
    ),
    notes=(
        "Count entries only: no copies, voids, amendments, confirmations, restorations or rules.",
    ),
)
def status_label_audit(v: View, p: Given) -> list[Line]:
    """Valid and invalid entries under one status label."""
    label = p.text("status")
    records = v.index.records
    rows = [row for row in v.index.contents() if records[row[0]].status == label]
    invalid = [i for i in v.excluded(reposts=False) if records[i].status == label]
    if v.part is not None:
        v.part.excluded = {i for i in v.part.excluded if records[i].status == label}
    return [
        count("valid", v.count(v.take(rows)), f'valid entries under "{label}"'),
        count("invalid", len(invalid), f'invalid entries under "{label}"'),
    ]


def _amended(d: Draw) -> Parameters | None:
    amended = [e for e in d.index.validity.amends if d.reading.source[e] > e]
    events = list(dict.fromkeys(d.index.records[e].event or "" for e in amended))
    event = d.near(events, [d.focus.event or ""] if d.focus is not None else [])
    if event is None:
        return None
    return complete(event=event, measure=d.measure(d.facts.world.events[event].measures))


@operator(
    "audit/restated-records",
    needs=needs.anything,
    draw=_amended,
    phrasings=(
        "Which valid {events} stand with amended content, and what is their net {measure}?",
        "List the valid {events} for which an amendment is in force, with their net {measure}.",
        "Of the valid {events}, which were amended, and what do they add to {measure} as amended?",
    ),
    notes=("An amendment that is void, or whose label does not count, changes nothing.",),
)
def restated_records(v: View, p: Given) -> list[Line]:
    """The valid records of an event that an amend restates, and their net change."""
    event, part = v.world.events[p.text("event")], v.world.measures[p.text("measure")]
    rows = v.take([row for row in v.index.contents(event.name) if row[1] != row[0]])
    restated = sorted({row[0] for row in rows})
    records = v.index.records
    posted = [
        r for r in v.index.postings(part.name)
        if r[1] != r[0] and records[r[0]].event == event.name
    ]  # fmt: skip
    net = v.net(v.take(posted))
    return [
        record_ids("amended", v.ids(restated), f"amended valid {event.plural}"),
        value("net", net, f"net {part.label} of amended valid {event.plural}", part.scale),
    ]


def _saved(d: Draw) -> Parameters | None:
    statuses = d.facts.world.statuses
    records, source = d.index.records, d.reading.source
    saved = [
        records[i].status
        for i in d.index.validity.entries
        if source[i] >= 0 and not statuses.get(records[i].status or "", True)
    ]
    labels = [label for label, counts in statuses.items() if not counts]
    label = d.near(labels, [x for x in saved if x is not None and saved.count(x) <= MOST_LISTED])
    return complete(status=label)


@operator(
    "audit/valid-despite-label",
    needs=needs.statuses,
    draw=_saved,
    phrasings=(
        'Which records count although their label "{status}" did not count at the start?',
        'List the records under "{status}" that became valid by a confirmation or a rule.',
        'The label "{status}" does not count as such: which records under it are valid all the '
        "same?",
    ),
    notes=("If there is none, answer none.",),
)
def valid_despite_label(v: View, p: Given) -> list[Line]:
    """The valid records under a label that does not count of itself."""
    label = p.text("status")
    records = v.index.records
    rows = v.take([row for row in v.index.contents() if records[row[0]].status == label])
    found = sorted({row[0] for row in rows})
    return [
        record_ids("valid", v.ids(found), f'valid records under "{label}"'),
        count("number", len(found), f'number of valid records under "{label}"'),
    ]


def _suspects(d: Draw) -> Parameters | None:
    """Five records, some of which do not count."""
    records, source = d.index.records, d.reading.source
    entries = d.index.validity.entries
    bad = [i for i in entries if source[i] < 0]
    turned = [i for i in entries if source[i] >= 0 and d.index.validity.suspects(i)]
    chosen: list[int] = [d.focus.position] if d.focus is not None else []
    for pool in (bad, bad, turned, turned, entries, entries, entries):
        at = d.pick([i for i in pool if i not in chosen]) if len(chosen) < 5 else None
        if at is not None and records[at].event is not None:
            chosen.append(at)
    chosen = [i for i in chosen if records[i].event is not None and records[i].kind in _ENTERED]
    if not chosen:
        return None
    return complete(records=tuple(records[i].id for i in sorted(chosen)))


_ENTERED = (Kind.ENTRY, Kind.BACKFILL, Kind.CORRECT, Kind.REPOST)


@operator(
    "audit/verdict-on-records",
    needs=needs.anything,
    draw=_suspects,
    phrasings=(
        "Which of these records count at the end of the log: {records}?",
        "Judge each of {records}: which are valid?",
        "Of {records}, which are valid after all revisions, and which are not?",
    ),
    notes=("If none is, answer none.",),
)
def verdict_on_records(v: View, p: Given) -> list[Line]:
    """Which of some records are valid and which are not."""
    position = v.index.validity.position
    asked = [position[name] for name in p.names("records") if name in position]
    wanted = set(asked)
    rows = v.take([row for row in v.index.contents() if row[0] in wanted])
    valid = {row[0] for row in rows}
    excluded = v.excluded()
    if v.part is not None:
        v.part.excluded &= wanted
    invalid = [i for i in excluded if i in wanted]
    return [
        record_ids("valid", v.ids(sorted(valid)), "valid ones among them"),
        record_ids("invalid", v.ids(invalid), "invalid ones among them"),
    ]


def _struck(d: Draw) -> Parameters | None:
    records, validity = d.index.records, d.index.validity
    named_by = [i for i in validity.actions if records[i].kind in _ENTERED]
    focused = [d.focus.position] if d.focus is not None else []
    at = d.near(named_by, focused)
    return complete(record=None if at is None else records[at].id)


@operator(
    "audit/deciding-revision",
    needs=needs.anything,
    draw=_struck,
    phrasings=(
        "Does {record} count at the end? Name the last void, replacement or restoration in force "
        "that names it.",
        "Which record has the last word on {record}, and is {record} valid?",
        "Follow the revisions of {record}: which one that itself counts is the last to void, "
        "replace or restore it, and does it count now?",
    ),
    notes=(
        "A revision under a label that does not count is not in force.",
        "If none is in force, answer none.",
    ),
)
def deciding_revision(v: View, p: Given) -> list[Line]:
    """The last void, correct or reinstate in force for a record, and whether it counts."""
    at = v.find(p.text("record"))
    validity, variant = v.index.validity, v.reading.variant
    deciding: str | None = None
    if at is not None and variant.controls and not v.reading.trusting:
        acting = [c for c in validity.actions.get(at, ()) if validity.acts(c, variant)]
        deciding = v.record(acting[-1]).id if acting else None
    counts = bool(v.take([row for row in v.index.contents() if row[0] == at]))
    if v.part is not None and at is not None:
        v.part.excluded.add(at)
    if v.trace is not None and at is not None:
        v.trace.probes.extend(validity.suspects(at))
    return [
        held("decided by", deciding or NONE, f"what decides about {p.text('record')}", "record id")
        ._replace(kind=ClaimKind.LATEST_RECORD),
        named("counts", "yes" if counts else "no", f"whether {p.text('record')} counts",
              "yes or no", candidates=("yes", "no")),
    ]  # fmt: skip
