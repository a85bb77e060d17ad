"""Counterfactual: records or revisions are taken away and the rest is folded again."""

from __future__ import annotations

from supersede.questions import needs
from supersede.questions.draw import Draw, Parameters, complete
from supersede.questions.draws import windowed_measure
from supersede.questions.forms import (
    Line,
    count,
    leader,
    margin,
    named,
    ranked,
    value,
)
from supersede.questions.needs import NO_LEADER, TIES, TOOK_PLACE, ZEROS
from supersede.questions.registry import Given, operator
from supersede.questions.view import View
from supersede.questions.wording import listed, window_phrase

REST = "Everything else stays as it is. {whole}{standing}"


def _removed(d: Draw) -> Parameters | None:
    kind = d.kind()
    if kind is None:
        return None
    names: list[str] = []
    for _ in range(d.number(1, d.depth)):
        rest = [name for name in d.active(kind) if name not in names]
        name = d.near(rest, d.focus_names(kind) if len(names) % 2 else [])
        if name is not None:
            names.append(name)
    if not names:
        return None
    return complete(entities=tuple(names), measure=d.measure())


@operator(
    "counterfactual/counterfactual-remove-actor",
    needs=needs.entities,
    draw=_removed,
    phrasings=(
        "Suppose all records that name {entities} are dropped: what net change of {measure} "
        "remains?",
        "Leaving out every record that names {entities}, what is the remaining net {measure}?",
        "If no record that names {entities} counted, what would the net {measure} be?",
    ),
    notes=(REST, "{start_note}"),
)
def counterfactual_remove_actor(v: View, p: Given) -> list[Line]:
    """The net change of a measure without the records that name some entities."""
    part, names = v.world.measures[p.text("measure")], p.names("entities")
    without = v.dropping([row for name in names for row in v.index.naming(name)])
    net = without.net(without.postings(part.name))
    without_them = f"without {listed(names)}"
    lines = [value("remaining", net, f"net {part.label} {without_them}", part.scale)]
    if part.start and not part.per:
        level = part.start + net
        lines.append(value("level", level, f"{part.label} {without_them}", part.scale))
    return lines


def _target(d: Draw) -> Parameters | None:
    kind = d.kind()
    entity = d.entity(kind)
    if entity is None:
        return None
    measure = d.measure(d.facts.measured)
    kinds = [k for k in d.facts.measured_types(measure or "") if k != kind]
    other = d.near([k for k in kinds if len(d.index.entities(k)) > 1], [])
    return complete(entity=entity, type=other, measure=measure)


@operator(
    "counterfactual/counterfactual-remove-target",
    needs=lambda f: needs.entities(f) and needs.measured(f),
    draw=_target,
    phrasings=(
        "Without the records that name {entity}, which of the {types} would lead by net {measure}?",
        "Drop every record that names {entity}. Which of the {types} then has the highest net "
        "{measure}, and how much?",
        "Had no record that names {entity} counted, which of the {types} would be first by net "
        "{measure}?",
    ),
    notes=(REST, ZEROS, TIES, NO_LEADER),
)
def counterfactual_remove_target(v: View, p: Given) -> list[Line]:
    """The leader by net change of a measure without the records that name an entity."""
    part, kind, entity = v.world.measures[p.text("measure")], p.text("type"), p.text("entity")
    without = v.dropping(v.index.naming(entity))
    totals = without.net_by(kind, without.postings(part.name, kind))
    without.show(kind, ranked(totals)[:1])
    best = leader(totals)
    by = f"net {part.label} without {entity}"
    return [
        value("value", totals.get(best or "", 0), f"highest {by}", part.scale),
        named("leader", best, f"leader by {by}", v.world.types[kind].label),
    ]


@operator(
    "counterfactual/without-event-type",
    needs=needs.two_events,
    draw=lambda d: complete(event=d.event(), measure=d.measure()),
    phrasings=(
        "If no {event} counted, how many valid records would be left, and with what net {measure}?",
        "Leave out the {events}: how many valid records remain, and what is their net {measure}?",
        "Suppose the {events} had not happened. How many valid records remain, with what net "
        "{measure}?",
    ),
    notes=(REST,),
)
def without_event_type(v: View, p: Given) -> list[Line]:
    """Number and net change of the valid records without those of one event."""
    event, part = v.world.events[p.text("event")], v.world.measures[p.text("measure")]
    without = v.dropping(v.index.contents(event.name))
    number = without.count(without.records())
    net = without.net(without.postings(part.name))
    return [
        count("records", number, f"valid records without {event.plural}"),
        value("net", net, f"net {part.label} without {event.plural}", part.scale),
    ]


@operator(
    "counterfactual/without-window",
    needs=needs.anything,
    draw=windowed_measure,
    phrasings=(
        "Leave out all that took place {in_window}: what net {measure} remains, and by how much "
        "does it differ from the real one?",
        "If nothing had happened {in_window}, what would the net {measure} be, and what is the "
        "difference to now?",
        "Drop the records of {window}. What is the net {measure} without them? By how much does "
        "it differ from the real one?",
    ),
    notes=(
        "The difference is the real net change less the remaining one.",
        TOOK_PLACE,
        "Only records go: voids, amendments, confirmations, restorations and rules entered "
        "{in_window} still act.",
        REST,
    ),
)
def without_window(v: View, p: Given) -> list[Line]:
    """The net change of a measure without what took place in a window."""
    part = v.world.measures[p.text("measure")]
    first, last = p.number("first"), p.number("last")
    phrase = window_phrase(v.world, first, last)
    if v.trace is not None:
        v.trace.by_block = True
    inside = [row for row in v.index.contents() if first <= v.blocks[row[0]] <= last]
    without = v.dropping(inside)
    net = without.net(without.postings(part.name))
    real = v.net(v.postings(part.name))
    return [
        value("remaining", net, f"net {part.label} without {phrase}", part.scale),
        margin("difference", real - net, f"real net {part.label} less that", part.scale),
    ]


def _leader_removed(d: Draw) -> Parameters | None:
    measure = d.measure(d.facts.measured)
    kind = d.measured_kind(measure)
    if kind is None or kind not in d.facts.ranked:
        return None
    return complete(type=kind, event=d.event(d.facts.naming[kind]), measure=measure)


@operator(
    "counterfactual/without-the-leader",
    needs=lambda f: needs.entities(f) and needs.measured(f),
    draw=_leader_removed,
    phrasings=(
        "Find which of the {types} has the most valid {events}. Without all records that name that "
        "{type}, what net {measure} remains?",
        "Which of the {types} leads by valid {events}, and what would the net {measure} be if all "
        "records that name that {type} were dropped?",
        "Take the {type} with the most valid {events}, and drop all records that name that {type}. "
        "Which {type} is that, and what net {measure} is left?",
    ),
    notes=(REST, TIES, "If none has any, answer none and leave nothing out."),
)
def without_the_leader(v: View, p: Given) -> list[Line]:
    """The leader by records of an event, and a measure's net change without it."""
    part, kind = v.world.measures[p.text("measure")], p.text("type")
    event = v.world.events[p.text("event")]
    counts = v.count_by(kind, v.named(kind, event.name))
    v.show(kind, ranked(counts)[:1])
    best = leader(counts)
    without = v.dropping(v.index.naming(best) if best is not None else [])
    net = without.net(without.postings(part.name))
    return [
        named("leader", best, f"leader by valid {event.plural}", v.world.types[kind].label),
        value("remaining", net, f"net {part.label} without the leader", part.scale),
    ]


def _valid_label(d: Draw) -> Parameters | None:
    records, source = d.index.records, d.reading.source
    labels = [records[i].status for i in d.index.validity.entries if source[i] >= 0]
    known = list(dict.fromkeys(label for label in labels if label is not None))
    label = d.near(known, [d.focus.status or ""] if d.focus is not None else [])
    return complete(status=label, measure=d.measure())


@operator(
    "counterfactual/without-status-label",
    needs=needs.statuses,
    draw=_valid_label,
    phrasings=(
        'Leave out the records under the label "{status}": how many valid records remain, '
        "and with what net {measure}?",
        'If no record under "{status}" counted, how many would still be valid, with what net '
        "{measure}?",
        'Drop all records labelled "{status}". How many valid ones are left, with what net '
        "{measure}?",
    ),
    notes=(
        "Voids, amendments, confirmations, restorations and rules under that label still act.",
        REST,
    ),
)
def without_status_label(v: View, p: Given) -> list[Line]:
    """Number and net change of the valid records without those under a label."""
    part, label = v.world.measures[p.text("measure")], p.text("status")
    records = v.index.records
    without = v.dropping([r for r in v.index.contents() if records[r[0]].status == label])
    number = without.count(without.records())
    net = without.net(without.postings(part.name))
    return [
        count("records", number, f'valid records without "{label}"'),
        value("net", net, f'net {part.label} without "{label}"', part.scale),
    ]
