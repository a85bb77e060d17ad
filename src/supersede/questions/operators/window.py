"""Window & range: only a part of what took place is asked about."""

from __future__ import annotations

from supersede.questions import needs
from supersede.questions.draw import Draw, Parameters, complete
from supersede.questions.draws import windowed_measure
from supersede.questions.forms import (
    Line,
    count,
    latest_record,
    leader,
    named,
    ranked,
    ratio,
    value,
)
from supersede.questions.needs import (
    IN_ORDER,
    NO_LEADER,
    ONE_PLACE,
    TIES,
    TOOK_PLACE,
    ZEROS,
)
from supersede.questions.registry import Given, operator
from supersede.questions.trace import Scope
from supersede.questions.view import View
from supersede.questions.wording import block_phrase, window_phrase


def scope_of(v: View, p: Given) -> tuple[Scope, str]:
    """The scope of a question's window, and how it is called."""
    first, last = p.number("first"), p.number("last")
    return v.window(first, last), window_phrase(v.world, first, last)


def _event_window(d: Draw) -> Parameters | None:
    first, last = d.window()
    event = d.event()
    if event is None:
        return None
    posts = d.facts.world.events[event].measures
    return complete(event=event, measure=d.measure(posts), first=first, last=last)


@operator(
    "window/event-type-window-summary",
    needs=needs.anything,
    draw=_event_window,
    phrasings=(
        "Over {window} only: how many valid {events} took place, and what is their net change of "
        "{measure}?",
        "Summarise the valid {events} of {window}: their number and their net {measure}.",
        "For {window} alone, count the valid {events} and add up their changes of {measure}.",
    ),
    notes=(TOOK_PLACE,),
)
def event_type_window_summary(v: View, p: Given) -> list[Line]:
    """Number and net change of an event's valid records in a window."""
    scope, phrase = scope_of(v, p)
    event, part = v.world.events[p.text("event")], v.world.measures[p.text("measure")]
    number = v.count(v.records(event.name, scope=scope))
    records = v.index.records
    rows = [r for r in v.index.postings(part.name) if records[r[0]].event == event.name]
    net = v.net(v.take(rows, scope))
    return [
        count("number", number, f"valid {event.plural} within {phrase}"),
        value("net", net, f"net {part.label} of valid {event.plural} within {phrase}", part.scale),
    ]


def _recent(d: Draw) -> Parameters | None:
    measure = d.measure(d.facts.measured)
    return complete(measure=measure, type=d.measured_kind(measure), block=d.start())


@operator(
    "window/recent-window-actor-leader",
    needs=needs.measured,
    draw=_recent,
    phrasings=(
        "From {block} on, which of the {types} leads by net {measure}, and with what value?",
        "Counting only what took place {in_} {block} or later, which of the {types} has the "
        "highest net {measure}?",
        "Which of the {types} leads in net {measure} since the start of {block}?",
    ),
    notes=(TOOK_PLACE, ZEROS, TIES, NO_LEADER),
)
def recent_window_actor_leader(v: View, p: Given) -> list[Line]:
    """The leader by net change of a measure from a block on."""
    part, kind, block = v.world.measures[p.text("measure")], p.text("type"), p.number("block")
    scope = v.window(block, 10**6)
    totals = v.net_by(kind, v.postings(part.name, kind, scope=scope))
    v.show(kind, ranked(totals)[:1])
    best = leader(totals)
    phrase = f"from {block_phrase(v.world, block)} on"
    return [
        named("leader", best, f"leader by net {part.label} {phrase}", v.world.types[kind].label),
        value("value", totals.get(best or "", 0), f"its net {part.label} {phrase}", part.scale),
    ]


def _two_measures(d: Draw) -> Parameters | None:
    measures = d.two(d.index.measures, d.focus_measures())
    if measures is None:
        return None
    first, last = d.window()
    return complete(measure=measures[0], measure2=measures[1], first=first, last=last)


@operator(
    "window/net-change-of-two-measures",
    needs=needs.two_measures,
    draw=_two_measures,
    phrasings=(
        "Over {window} only, what is the net change in {measure} and in {measure2}?",
        "By how much did {measure} and {measure2} change on balance within {window}?",
        "Add up the valid changes of {measure}, then of {measure2}, for {window}.",
    ),
    notes=(TOOK_PLACE,),
)
def net_change_of_two_measures(v: View, p: Given) -> list[Line]:
    """The net change of two measures in a window."""
    scope, phrase = scope_of(v, p)
    lines: list[Line] = []
    for name in ("measure", "measure2"):
        part = v.world.measures[p.text(name)]
        net = v.net(v.postings(part.name, scope=scope))
        lines.append(value(part.label, net, f"net {part.label} within {phrase}", part.scale))
    return lines


def plain_window(d: Draw) -> Parameters | None:
    """A window, and nothing else."""
    first, last = d.window()
    return complete(first=first, last=last)


@operator(
    "window/event-type-counts",
    needs=needs.two_events,
    draw=plain_window,
    phrasings=(
        "How many valid records of each kind took place {in_window}?",
        "Break {window} down: the number of valid records kind by kind.",
        "For {window}, count the valid records of every kind.",
    ),
    notes=("Kinds without a valid record are 0.", TOOK_PLACE),
)
def event_type_counts(v: View, p: Given) -> list[Line]:
    """Valid records in a window by event type."""
    scope, phrase = scope_of(v, p)
    records = v.index.records
    rows = v.records(scope=scope)
    found = v.group(rows, [records[row[0]].event for row in rows])
    return [
        count(event.plural, found.get(event.name, 0), f"valid {event.plural} within {phrase}")
        for event in v.world.events.values()
    ]


@operator(
    "window/net-change-since-record",
    needs=needs.anything,
    draw=lambda d: complete(measure=d.measure(), record=d.anchor()),
    phrasings=(
        "What is the net change of {measure} over everything valid that took place after {record}?",
        "Since {record}, by how much did {measure} change on balance, and in how many valid "
        "records?",
        "Take only valid records that took place after {record}: net change of {measure}?",
    ),
    notes=(IN_ORDER, "{record} itself is not included."),
)
def net_change_since_record(v: View, p: Given) -> list[Line]:
    """The net change of a measure after a record, and by how many records."""
    part, record = v.world.measures[p.text("measure")], p.text("record")
    rows = v.postings(part.name, scope=v.since(record))
    return [
        count("records", v.count(rows), f"valid records that change {part.label} after {record}"),
        value("net", v.net(rows), f"net {part.label} after {record}", part.scale),
    ]


def _entity_window(d: Draw) -> Parameters | None:
    first, last = d.window()
    return complete(entity=d.entity(d.kind()), measure=d.measure(), first=first, last=last)


@operator(
    "window/entity-activity",
    needs=needs.entities,
    draw=_entity_window,
    phrasings=(
        "Within {window}, how many valid records name {entity}, and which took place last?",
        "How many valid records of {window} name {entity}, and which is the latest of them?",
        "For {window} only, count the valid records that name {entity} and give the latest.",
    ),
    notes=(TOOK_PLACE, IN_ORDER, "If none, answer none for the latest."),
)
def entity_activity(v: View, p: Given) -> list[Line]:
    """Number and latest of one entity's valid records in a window."""
    scope, phrase = scope_of(v, p)
    entity = p.text("entity")
    rows = v.in_order(v.records(entity=entity, scope=scope))
    latest = v.record(rows[-1][0]).id if rows else None
    return [
        count("number", v.count(rows), f"valid records of {entity} within {phrase}"),
        latest_record("latest", latest, f"latest valid record of {entity} within {phrase}"),
    ]


@operator(
    "window/share-of-window",
    needs=needs.anything,
    draw=windowed_measure,
    phrasings=(
        "What percentage of the valid records that change {measure}, by number, took place "
        "{in_window}?",
        "How many of the valid records that change {measure} fall into {window}, and what "
        "percentage of them all is that?",
        "Of all valid records that change {measure}, which share in percent belongs to {window}?",
    ),
    notes=(ONE_PLACE, TOOK_PLACE, "If there are none at all, answer none for the share."),
)
def share_of_window(v: View, p: Given) -> list[Line]:
    """The share of the records that change a measure which took place in a window."""
    scope, phrase = scope_of(v, p)
    part = v.world.measures[p.text("measure")]
    inside = v.count(v.postings(part.name, scope=scope))
    everything = v.count(v.postings(part.name))
    what = f"valid records that change {part.label}"
    return [
        count("inside", inside, f"{what} within {phrase}"),
        count("all", everything, what),
        ratio("share", 100 * inside, everything, 1, f"share of {phrase} in percent"),
    ]


@operator(
    "window/mean-per-block",
    needs=needs.anything,
    draw=_event_window,
    phrasings=(
        "How many valid {events} took place per {block_noun} {in_window}, on average?",
        "Give the mean number of valid {events} per {block_noun} over {window}.",
        "Over {window}, what is the average number of valid {events} per {block_noun}?",
    ),
    notes=("Every {block_noun} of the stretch is in the mean.", ONE_PLACE, TOOK_PLACE),
)
def mean_per_block(v: View, p: Given) -> list[Line]:
    """The mean number of an event's valid records per block of a window."""
    scope, phrase = scope_of(v, p)
    event = v.world.events[p.text("event")]
    number = v.count(v.records(event.name, scope=scope))
    length = p.number("last") - p.number("first") + 1
    return [
        count("number", number, f"valid {event.plural} within {phrase}"),
        ratio("mean", number, length, 1, f"mean number of {event.plural} per {v.world.block}"),
    ]
