"""Profile & summary of a measure: what it is made of, and by whom."""

from __future__ import annotations

from supersede.model.question import ClaimKind
from supersede.questions import needs
from supersede.questions.attributes import described, grouping
from supersede.questions.draw import Draw, Parameters, complete
from supersede.questions.draws import measured_entity
from supersede.questions.facts import Facts
from supersede.questions.forms import Line, count, value
from supersede.questions.registry import Given, operator
from supersede.questions.view import View
from supersede.questions.wording import NONE

MOST_PARTS = 8
"""The most entities over which a measure is broken down."""

ONE_BY_ONE = "Each signed change is taken by itself, also where one record makes several."


@operator(
    "profile/rises-and-falls",
    needs=needs.measured,
    draw=lambda d: measured_entity(d, falling=True),
    phrasings=(
        "What do the rises of {measure} that count for {entity} add up to, and what do the falls?",
        "Split the valid changes of {measure} that count for {entity} into rises and falls, and "
        "add up each.",
        "For {entity}, give the sum of all rises and the sum of all falls of {measure}.",
    ),
    notes=(
        "Say also how many valid records change it for {entity}.",
        ONE_BY_ONE,
        "The sum of the falls keeps its minus sign; a sum of nothing is 0.",
    ),
)
def rises_and_falls(v: View, p: Given) -> list[Line]:
    """The sums of the rises and of the falls of a measure for one entity."""
    part, entity = v.world.measures[p.text("measure")], p.text("entity")
    rows = v.postings(part.name, entity=entity)
    up, down = both_ways(v, rows)
    what = f"{part.label} of {entity}"
    return [
        value("rises", up, f"sum of the rises of {what}", part.scale),
        value("falls", down, f"sum of the falls of {what}", part.scale),
        count("records", v.count(rows), f"valid records that change {what}"),
    ]


def both_ways(v: View, rows: list[tuple[object, ...]]) -> tuple[int, int]:
    """The sum of the rises and that of the falls."""
    deltas = [int(str(row[2])) for row in v.heard(rows)]
    return sum([x for x in deltas if x > 0]), sum([x for x in deltas if x < 0])


def _small(facts: Facts) -> list[tuple[str, str]]:
    """(measure, entity type) where the type has a few entities, all named from the start."""
    types = facts.world.types
    return [
        (measure, kind)
        for measure in facts.measured
        for kind in facts.measured_types(measure)
        if types[kind].minted is None and 1 < len(types[kind].names) <= MOST_PARTS
    ]


def _parts(d: Draw) -> Parameters | None:
    posted = d.index.measures
    pairs = [(m, k) for m, k in _small(d.facts) if m in posted and d.index.changes(m, k)]
    focused = d.focus_measures()
    chosen = d.near(pairs, [pair for pair in pairs if pair[0] in focused])
    return None if chosen is None else complete(measure=chosen[0], type=chosen[1])


@operator(
    "profile/breakdown-by-entity",
    needs=lambda f: bool(_small(f)),
    draw=_parts,
    phrasings=(
        "Break the net change of {measure} down by {type}.",
        "What net change of {measure} counts for each of the {types}?",
        "Give the net {measure} of every one of the {types}.",
    ),
    notes=("Those without a valid change are 0.",),
)
def breakdown_by_entity(v: View, p: Given) -> list[Line]:
    """The net change of a measure for each entity of a type."""
    part, kind = v.world.measures[p.text("measure")], p.text("type")
    totals = v.net_by(kind, v.postings(part.name, kind))
    return [
        value(name, net, f"net {part.label} of {name}", part.scale) for name, net in totals.items()
    ]


def _groupings(facts: Facts, measure: str) -> list[tuple[str, str]]:
    """(type, attribute) that put the names of a type, all known from the start, into few groups."""
    return [
        (kind, attribute)
        for kind, attribute in grouping(facts, measure)
        if facts.world.types[kind].minted is None
        and len(_groups(facts, kind, attribute)) <= MOST_PARTS
    ]


def _groups(facts: Facts, kind: str, attribute: str) -> dict[str, None]:
    """The groups into which an attribute puts the names of a type, in order."""
    declared = facts.world.types[kind]
    at = declared.attributes.index(attribute)
    return dict.fromkeys(str(declared.values[name][at]) for name in declared.names)


def _grouped(d: Draw) -> Parameters | None:
    found = [
        (kind, attribute, measure)
        for measure in d.index.measures
        if measure in d.facts.measured
        for kind, attribute in _groupings(d.facts, measure)
        if d.index.changes(measure, kind)
    ]
    focused = d.focus_measures()
    chosen = d.near(found, [one for one in found if one[2] in focused])
    if chosen is None:
        return None
    return complete(type=chosen[0], attribute=chosen[1], measure=chosen[2])


@operator(
    "profile/breakdown-by-attribute",
    needs=lambda f: any(_groupings(f, measure) for measure in f.measured),
    draw=_grouped,
    phrasings=(
        "Put the {types} together by {attribute}: what is the net change of {measure} of each "
        "group?",
        "Break the net {measure} of the {types} down by their {attribute}.",
        "Add up the net {measure} of the {types} for every {attribute}.",
    ),
    notes=(
        "The system message gives the {attribute} of each in brackets; groups without a valid "
        "change are 0.",
    ),
)
def breakdown_by_attribute(v: View, p: Given) -> list[Line]:
    """The net change of a measure by an attribute of the entities that it counts for."""
    part, kind, attribute = v.world.measures[p.text("measure")], p.text("type"), p.text("attribute")
    group_of = described(v.index, kind, attribute)
    totals = {group: 0 for group in _groups(v.facts, kind, attribute)}
    for row in v.heard(v.postings(part.name, kind)):
        if row[3] in group_of:
            totals[group_of[row[3]]] += row[2]
    of = f"net {part.label} of the {v.world.types[kind].plural} with {attribute.replace('_', ' ')}"
    return [value(group, net, f"{of} {group}", part.scale) for group, net in totals.items()]


def _derived(d: Draw) -> Parameters | None:
    posted = d.index.measures
    found = [
        x
        for x in d.facts.world.derived.values()
        if len(x.per) == 1 and any(measure in posted for measure, _ in x.terms)
    ]
    focused = d.focus_measures()
    chosen = d.near(found, [x for x in found if any(m in focused for m, _ in x.terms)])
    if chosen is None:
        return None
    source, kind = d.reading.source, chosen.per[0]
    changed = [
        row[3]
        for measure, _ in chosen.terms
        if measure in posted
        for row in d.index.postings(measure, kind)
        if row[3] is not None and source[row[0]] == row[1]
    ]
    entity = d.near(list(dict.fromkeys(changed)), d.focus_names(kind))
    return complete(derived=chosen.name, entity=entity)


@operator(
    "profile/derived-of-entity",
    needs=needs.derived,
    draw=_derived,
    phrasings=(
        "Show how one arrives at the {derived} of {entity} at the end of the log: every figure "
        "that goes in, and the result.",
        "Work out the {derived} of {entity}: first the figures that go in, then the result.",
        "Give the {derived} of {entity} once everything is settled, with the figures behind it.",
    ),
    notes=("Figures are as they stand at the end, with what they start at.",),
)
def derived_of_entity(v: View, p: Given) -> list[Line]:
    """The level of a derived measure for one entity, and of the measures that make it up."""
    derived, entity = v.world.derived[p.text("derived")], p.text("entity")
    lines: list[Line] = []
    total = 0
    for measure, factor in derived.terms:
        part = v.world.measures[measure]
        level = part.start + v.net(v.postings(measure, entity=entity))
        total += factor * level
        lines.append(value(part.label, level, f"{part.label} of {entity}", part.scale))
    text = f"{derived.label} of {entity}"
    return [*lines, value(derived.label, total, text, derived.scale)]


def _changing(d: Draw) -> Parameters | None:
    event = d.event([e.name for e in d.facts.world.events.values() if e.measures])
    if event is None:
        return None
    return complete(event=event, measure=d.measure(d.facts.world.events[event].measures))


@operator(
    "profile/spread-of-changes",
    needs=needs.anything,
    draw=_changing,
    phrasings=(
        "How far apart are the changes of {measure} by valid {events}? Give the smallest, the "
        "median and the largest.",
        "Sort the changes of {measure} by valid {events} by size: which is the smallest, which "
        "the middle one, which the largest?",
        "Of all changes of {measure} by valid {events}, give the smallest, the median and the "
        "largest.",
    ),
    notes=(
        "Say also how many such changes there are.",
        "A fall is smaller than a rise, a bigger fall smaller than a lesser one.",
        "Of an even number of changes, the median is the lower one of the two in the middle.",
        ONE_BY_ONE,
        "If there is none, answer 0 for the number and none for the rest.",
    ),
)
def spread_of_changes(v: View, p: Given) -> list[Line]:
    """The number, smallest, median and largest of an event's changes of a measure."""
    event, part = v.world.events[p.text("event")], v.world.measures[p.text("measure")]
    records = v.index.records
    posted = [r for r in v.index.postings(part.name) if records[r[0]].event == event.name]
    deltas = sorted([row[2] for row in v.heard(v.take(posted))])
    what = f"change of {part.label} by valid {event.plural}"
    lines = [count("number", len(deltas), f"number of changes of {part.label} by {event.plural}")]
    places = {"smallest": 0, "median": (len(deltas) - 1) // 2, "largest": -1}
    for slot, at in places.items():
        if deltas:
            lines.append(value(slot, deltas[at], f"{slot} {what}", part.scale))
        else:
            lines.append(Line(ClaimKind.VALUE, slot, NONE, f"{slot} {what}"))
    return lines
