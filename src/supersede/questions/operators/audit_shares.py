"""Audit & exclusion by measure: how much of the log is invalid, and what it would add."""

from __future__ import annotations

from supersede.questions import needs
from supersede.questions.draw import Draw, Parameters, complete
from supersede.questions.forms import Line, count, ratio, value
from supersede.questions.needs import ONE_PLACE, TOOK_PLACE
from supersede.questions.operators.window import plain_window, scope_of
from supersede.questions.registry import Given, operator
from supersede.questions.view import View


@operator(
    "audit/invalid-share-of-window",
    needs=needs.anything,
    draw=plain_window,
    phrasings=(
        "How many entries and copies belong to {window}, how many of them are invalid, and what "
        "percentage is that?",
        "Of the entries and copies that belong to {window}, which share in percent does not count?",
        "Give the invalid share of {window}: number of entries and copies, number of invalid ones, "
        "percentage.",
    ),
    notes=(
        "Entries are ordinary and late ones and replacements; voids, amendments, confirmations, "
        "restorations and rules are left aside.",
        ONE_PLACE,
        TOOK_PLACE,
        "If there are none at all, answer none for the share.",
    ),
)
def invalid_share_of_window(v: View, p: Given) -> list[Line]:
    """How many of a window's entries and copies are invalid, and their share."""
    scope, phrase = scope_of(v, p)
    invalid = len(v.excluded(scope=scope))
    entered = invalid + v.count(v.records(scope=scope))
    return [
        count("entered", entered, f"entries and copies of {phrase}"),
        count("invalid", invalid, f"invalid ones of {phrase}"),
        ratio("share", 100 * invalid, entered, 1, f"invalid share of {phrase} in percent"),
    ]


def _invalid_event(d: Draw) -> Parameters | None:
    """An event with measures, by preference one with an invalid entry that is no copy."""
    records, source, validity = d.index.records, d.reading.source, d.index.validity
    copies = set(validity.reposts)
    events = d.facts.world.events
    usable = [e for e in validity.by_event if e in events and events[e].measures]
    bad = [
        e for e in usable if any(source[i] < 0 and i not in copies for i in validity.by_event[e])
    ]
    event = d.near(bad or usable, [d.focus.event or ""] if d.focus is not None else [])
    if event is None:
        return None
    posted = [
        posting.measure
        for i in validity.by_event[event]
        if source[i] < 0 and i not in copies
        for posting in records[i].postings
    ]
    own = [m for m in d.index.measures if m in events[event].measures]
    return complete(event=event, measure=d.near(own, posted))


@operator(
    "audit/net-of-invalid-records",
    needs=needs.anything,
    draw=_invalid_event,
    phrasings=(
        "How many {events} were entered that do not count, and what net change of {measure} do "
        "their lines show?",
        "Add up the changes of {measure} in the invalid {events}, as entered: how many records, "
        "what net change?",
        "Take the invalid {events} out: how many are they, and what net {measure} goes with them?",
    ),
    notes=(
        "Copies are left aside, and an invalid record is read off its own line, not off an "
        "amendment of it.",
    ),
)
def net_of_invalid_records(v: View, p: Given) -> list[Line]:
    """Number and net change, by their own lines, of the invalid entries of an event."""
    event, part = v.world.events[p.text("event")], v.world.measures[p.text("measure")]
    invalid = v.excluded(event.name, reposts=False)
    records = v.index.records
    net = sum(
        [
            posting.delta
            for i in invalid
            for posting in records[i].postings
            if posting.measure == part.name
        ]
    )
    return [
        count("number", len(invalid), f"invalid {event.plural}, copies aside"),
        value("net", net, f"net {part.label} by the lines of invalid {event.plural}", part.scale),
    ]
