"""Audit & exclusion: what does not count, why, and what is left without it."""

from __future__ import annotations

from supersede.model.question import ClaimKind
from supersede.model.record import Kind, Reason
from supersede.questions import needs
from supersede.questions.draw import MOST_LISTED, Draw, Parameters, complete
from supersede.questions.forms import (
    Line,
    count,
    margin,
    named,
    ranked,
    record_ids,
    value,
)
from supersede.questions.needs import TOOK_PLACE
from supersede.questions.operators.window import scope_of
from supersede.questions.registry import Given, operator
from supersede.questions.view import View

LISTED = (
    "Entries and copies that do not count are invalid; voids, amendments, confirmations, "
    "restorations and rules are left aside."
)


OWN_LINE = "What an invalid record names is read off its own line, not off an amendment of it."


ONE_REASON = "Each has one reason, the first that applies in the order of the form below."


REASONS = {
    Reason.DUPLICATE: "copies another record",
    Reason.VOIDED: "void or replaced",
    Reason.STATUS: "status",
    Reason.WINDOW: "void with a whole stretch",
    Reason.ORPHAN: "rests on an invalid record",
}


"""Reason -> slot of the answer form."""


def invalid_window(d: Draw, *, event: str | None = None, entity: str | None = None) -> Parameters:
    """A part of the log around the focus, with no more invalid records than one can list."""
    index, source = d.index, d.reading.source
    rows = index.contents(event) if entity is None else index.naming(entity, event)
    bad = [index.occurred[r[0]] for r in rows if r[0] == r[1] and source[r[0]] < 0]
    last = index.last_block
    if len(bad) <= MOST_LISTED:
        return _all_but_an_end(d)
    middle = d.focus.occurred if d.focus is not None else d.number(1, last)
    late = d.focus is not None and d.focus.kind is Kind.BACKFILL
    first = final = middle
    listed = bad.count(middle)
    for step in range(2 * last):
        left = step % 2 == 0 and not late
        block = first - 1 if left or (late and step % 2 == 0) else final + 1
        if not 1 <= block <= last or (late and d.focus is not None and block >= d.focus.block):
            continue
        listed += bad.count(block)
        if listed > MOST_LISTED:
            break
        first, final = min(first, block), max(final, block)
    if (first, final) == (1, last):
        return _all_but_an_end(d)
    return {"first": first, "last": final}


def _all_but_an_end(d: Draw) -> Parameters:
    """All blocks but the last or the first, the focus among them; a late one is posted after."""
    last = d.index.last_block
    if last == 1:
        return {"first": 1, "last": 1}
    focus = d.focus
    if focus is not None and focus.kind is Kind.BACKFILL:
        return {"first": 1, "last": max(focus.occurred, focus.block - 1)}
    at = None if focus is None else focus.occurred
    if at == last or (at != 1 and d.rnd() < 0.5):
        return {"first": 2, "last": last}
    return {"first": 1, "last": last - 1}


@operator(
    "audit/invalid-exclusion-with-total",
    needs=needs.anything,
    draw=lambda d: complete(measure=d.measure(), **invalid_window(d)),
    phrasings=(
        "Which records of {window} are invalid? After excluding them, what is the net change of "
        "{measure} in that stretch?",
        "Audit {window}: list the invalid records and give the net {measure} of the valid ones.",
        "For {window}, name every record that does not count, and the net {measure} without them.",
    ),
    notes=(LISTED, TOOK_PLACE),
)
def invalid_exclusion_with_total(v: View, p: Given) -> list[Line]:
    """The invalid records of a window, and the net change of a measure without them."""
    scope, phrase = scope_of(v, p)
    part = v.world.measures[p.text("measure")]
    net = v.net(v.postings(part.name, scope=scope))
    return [
        record_ids("invalid", v.ids(v.excluded(scope=scope)), f"invalid records of {phrase}"),
        value("net", net, f"net {part.label} of the valid records of {phrase}", part.scale),
    ]


def _recount(d: Draw) -> Parameters | None:
    event = d.event()
    if event is None:
        return None
    return complete(event=event, measure=d.measure(d.facts.world.events[event].measures))


@operator(
    "audit/event-type-total-recount",
    needs=needs.anything,
    draw=_recount,
    phrasings=(
        "Recount the {events}: how many were entered, how many of them are valid, and what is "
        "their net {measure}?",
        "Of the {events} in the log, how many count, out of how many, and with what net {measure}?",
        "Give a recount of {events}: entered, valid, and valid net change of {measure}.",
    ),
    notes=("Copies are not counted as entered.",),
)
def event_type_total_recount(v: View, p: Given) -> list[Line]:
    """Entered and valid records of an event, and the net change of a measure by them."""
    event, part = v.world.events[p.text("event")], v.world.measures[p.text("measure")]
    valid = v.count(v.records(event.name))
    invalid = len(v.excluded(event.name, reposts=False))
    records = v.index.records
    rows = [r for r in v.index.postings(part.name) if records[r[0]].event == event.name]
    net = v.net(v.take(rows))
    return [
        count("entered", valid + invalid, f"{event.plural} entered"),
        count("valid", valid, f"valid {event.plural}"),
        value("net", net, f"net {part.label} of valid {event.plural}", part.scale),
    ]


@operator(
    "audit/reasons-breakdown",
    needs=needs.statuses,
    draw=lambda d: complete(
        event=d.event(), **({"windows": "yes"} if d.index.validity.windows else {})
    ),
    phrasings=(
        "How many of the {events} are invalid for each of the reasons?",
        "Break the invalid {events} down by the reason for which they do not count.",
        "For the {events} that do not count, how many fall to each reason?",
    ),
    notes=(ONE_REASON,),
)
def reasons_breakdown(v: View, p: Given) -> list[Line]:
    """Invalid records of an event by reason; voids of whole stretches only where there are any."""
    event = v.world.events[p.text("event")]
    found = [v.reason(i)[0] for i in v.excluded(event.name)]
    return [
        count(slot, found.count(reason), f"invalid {event.plural} by reason {slot}")
        for reason, slot in REASONS.items()
        if reason is not Reason.WINDOW or "windows" in p.values
    ]


def _entity(d: Draw) -> Parameters | None:
    entity = d.entity(d.kind())
    return None if entity is None else complete(entity=entity, **invalid_window(d, entity=entity))


@operator(
    "audit/invalid-records-of-entity",
    needs=needs.entities,
    draw=_entity,
    phrasings=(
        "Of the records of {window} that name {entity}, which are invalid, and how many are valid?",
        "List the invalid records of {window} with {entity}, and count the valid ones.",
        "Audit the records of {window} that name {entity}: which do not count, and how many do?",
    ),
    notes=(LISTED, OWN_LINE, TOOK_PLACE),
)
def invalid_records_of_entity(v: View, p: Given) -> list[Line]:
    """The invalid records that name an entity in a window, and the number of valid ones."""
    scope, phrase = scope_of(v, p)
    entity = p.text("entity")
    invalid = v.ids(v.excluded(entity=entity, scope=scope))
    valid = v.count(v.records(entity=entity, scope=scope))
    return [
        record_ids("invalid", invalid, f"invalid records of {entity} within {phrase}"),
        count("valid", valid, f"valid records of {entity} within {phrase}"),
    ]


@operator(
    "audit/struck-records",
    needs=needs.anything,
    draw=lambda d: complete(**invalid_window(d)) if d.index.validity.actions else None,
    phrasings=(
        "Which records of {window} are void or replaced at the end of the log?",
        "List the records of {window} that a later void or replacement took out of the count.",
        "Of the records of {window}, which ones were made void or replaced, and not restored?",
    ),
    notes=(
        TOOK_PLACE,
        "Such a record is listed even if its label would not count.",
        "Say also how many records of {window} are invalid in all, for whatever reason.",
    ),
)
def struck_records(v: View, p: Given) -> list[Line]:
    """The records of a window that a void or correct in force takes out."""
    scope, phrase = scope_of(v, p)
    excluded = v.excluded(scope=scope)
    struck = [i for i in excluded if v.reason(i)[0] is Reason.VOIDED]
    return [
        record_ids("void", v.ids(struck), f"void or replaced records of {phrase}"),
        count("invalid in all", len(excluded), f"invalid records of {phrase}"),
    ]


@operator(
    "audit/overstatement",
    needs=needs.anything,
    draw=lambda d: complete(measure=d.measure()),
    phrasings=(
        "If every record were taken at face value, what would the net {measure} be, and what is it "
        "really?",
        "By how much does a reader who counts every entry and copy as first printed misjudge "
        "the net {measure}?",
        "Compare the net {measure} of all entries and copies as printed with that of valid "
        "records.",
    ),
    notes=(
        "At face value means all entries and copies as first printed; voids, amendments, "
        "confirmations, restorations and rules change nothing.",
        "The difference is the net change at face value less that of valid records.",
    ),
)
def overstatement(v: View, p: Given) -> list[Line]:
    """The net change of a measure at face value, as it is, and the difference."""
    part = v.world.measures[p.text("measure")]
    net = v.net(v.postings(part.name))
    rows = [row for row in v.index.postings(part.name) if row[0] == row[1]]
    rows = [row for row in rows if v.is_posted(row[0])]
    if v.part is not None:
        v.part.excluded.update(row[0] for row in rows)
    if v.trace is not None:  # what is amended is read as printed, though only its amend counts
        v.trace.probes.extend(row[0] for row in rows if v.source[row[0]] > row[0])
    face = sum(row[2] for row in rows)
    return [
        value("face value", face, f"net {part.label} at face value", part.scale),
        value("valid", net, f"net {part.label} of valid records", part.scale),
        margin("difference", face - net, "face value less valid", part.scale),
    ]


@operator(
    "audit/event-type-with-most-invalid",
    needs=needs.two_events,
    draw=lambda d: complete(**invalid_window(d)),
    phrasings=(
        "{In_window}, which kind of record has the most invalid records, and how many?",
        "Count the invalid records of {window} by kind: which kind has most?",
        "Which kind of record is invalid most often {in_window}, and how often?",
    ),
    notes=(
        LISTED,
        TOOK_PLACE,
        "Ties go to the kind listed first in the system message; if none is invalid, answer none.",
    ),
)
def event_type_with_most_invalid(v: View, p: Given) -> list[Line]:
    """The event type with the most invalid records in a window."""
    scope, phrase = scope_of(v, p)
    found = dict.fromkeys(v.world.events, 0)
    for i in v.excluded(scope=scope):
        event = v.record(i).event or ""
        found[event] = found.get(event, 0) + 1
    best = ranked(found)[0]
    top = found[best]
    label = v.world.events[best].label if top else None
    return [
        named("kind", label, f"kind with most invalid records within {phrase}", "kind of record",
              ClaimKind.RANK),
        count("number", top, f"invalid records of that kind within {phrase}"),
    ]  # fmt: skip
