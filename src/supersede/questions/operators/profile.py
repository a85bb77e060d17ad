"""Profile & summary: what is known of one thing, or of the whole."""

from __future__ import annotations

from supersede.questions import needs
from supersede.questions.draw import MOST_LISTED, Draw, Parameters, complete
from supersede.questions.draws import measured_entity, other_kind
from supersede.questions.forms import (
    Line,
    count,
    held,
    latest_record,
    names_set,
    value,
)
from supersede.questions.needs import IN_ORDER, TOOK_PLACE
from supersede.questions.registry import Given, operator
from supersede.questions.view import View
from supersede.questions.wording import NONE, block_phrase

PER_EVENT = "Kinds without a valid record are 0."


def _entity(d: Draw) -> Parameters | None:
    return complete(entity=d.entity(d.kind()))


@operator(
    "profile/actor-full-trajectory",
    needs=needs.entities,
    draw=_entity,
    phrasings=(
        "Summarise {entity} over all valid records: net change of every measure and the latest "
        "valid record.",
        "What do the valid records of {entity} add up to, measure by measure, and which is the "
        "latest?",
        "Give the profile of {entity}: all net changes that count for that name, and the latest "
        "valid record.",
    ),
    notes=(IN_ORDER,),
)
def actor_full_trajectory(v: View, p: Given) -> list[Line]:
    """Every measure of one entity and its latest valid record."""
    entity = p.text("entity")
    kind = v.index.types.get(entity, "")
    lines: list[Line] = []
    for measure in v.world.measures.values():
        if kind in v.facts.posted.get(measure.name, ()):
            net = v.net(v.postings(measure.name, entity=entity))
            text = f"net {measure.label} of {entity}"
            lines.append(value(measure.label, net, text, measure.scale))
    latest = v.latest(v.index.naming(entity))
    record_id = None if latest is None else v.record(latest[0]).id
    lines.append(latest_record("latest", record_id, f"latest valid record of {entity}"))
    return lines


@operator(
    "profile/actor-event-type-breakdown",
    needs=lambda f: needs.entities(f) and needs.two_events(f),
    draw=_entity,
    phrasings=(
        "Break the valid records that name {entity} down by kind.",
        "How many valid records of each kind name {entity}?",
        "For {entity}, count the valid records kind by kind.",
    ),
    notes=(PER_EVENT,),
)
def actor_event_type_breakdown(v: View, p: Given) -> list[Line]:
    """Valid records of one entity by event type."""
    entity = p.text("entity")
    records = v.index.records
    rows = v.records(entity=entity)
    found = v.group(rows, [records[row[0]].event for row in rows])
    return [
        count(event.plural, found.get(event.name, 0), f"valid {event.plural} of {entity}")
        for event in v.world.events.values()
    ]


@operator(
    "profile/measure-breakdown-by-event-type",
    needs=needs.two_events,
    draw=lambda d: complete(measure=d.measure()),
    phrasings=(
        "Break the net change of {measure} over all valid records down by kind of record.",
        "Which kinds of record changed {measure}, and by how much each, counting valid ones only?",
        "Give the valid net change of {measure} for every kind of record that can change it.",
    ),
    notes=(PER_EVENT,),
)
def measure_breakdown_by_event_type(v: View, p: Given) -> list[Line]:
    """The net change of a measure by event type, and in all."""
    part = v.world.measures[p.text("measure")]
    records = v.index.records
    totals = {e.name: 0 for e in v.world.events.values() if part.name in e.measures}
    for row in v.postings(part.name):
        event = records[row[0]].event or ""
        totals[event] = row[2] if v.reading.last_mention else totals.get(event, 0) + row[2]
    lines = [
        value(v.world.events[name].plural, net, f"net {part.label} of valid "
              f"{v.world.events[name].plural}", part.scale)
        for name, net in totals.items()
        if name in v.world.events
    ]  # fmt: skip
    lines.append(value("total", sum(totals.values()), f"net {part.label} in all", part.scale))
    return lines


@operator(
    "profile/first-and-latest",
    needs=needs.entities,
    draw=_entity,
    phrasings=(
        "What is the first valid record that names {entity}, what is the latest, and how many are "
        "there?",
        "Give the span of {entity} in the valid records: first, latest and number.",
        "When does {entity} first appear in a valid record, when last, and in how many?",
    ),
    notes=(IN_ORDER, "Answer with record ids."),
)
def first_and_latest(v: View, p: Given) -> list[Line]:
    """The first and the latest valid record of one entity, and their number."""
    entity = p.text("entity")
    rows = v.in_order(v.records(entity=entity))
    ends = [v.record(rows[n][0]).id if rows else None for n in (0, -1)]
    return [
        count("number", v.count(rows), f"number of valid records of {entity}"),
        latest_record("first", ends[0], f"first valid record of {entity}"),
        latest_record("latest", ends[1], f"latest valid record of {entity}"),
    ]


def _partners(d: Draw) -> Parameters | None:
    kind = d.kind()
    entity = d.entity(kind)
    if kind is None or entity is None:
        return None
    other = other_kind(d, kind)
    if other is None:
        return None
    met = {r[3] for r in d.index.paired(kind, other) if r[2] == entity}
    return complete(entity=entity, type=other) if len(met) <= MOST_LISTED else None


@operator(
    "profile/partners-of-entity",
    needs=needs.two_kinds,
    draw=_partners,
    phrasings=(
        "Which {types} are named together with {entity} in valid records?",
        "List all {types} that share a valid record with {entity}, and their number.",
        "With which {types} does {entity} appear in valid records?",
    ),
    notes=("Say also how many valid records name {entity} together with any of the {types}.",),
)
def partners_of_entity(v: View, p: Given) -> list[Line]:
    """The entities of a type that valid records name beside one entity."""
    entity, kind = p.text("entity"), p.text("type")
    own = v.index.types.get(entity, "")
    rows = v.take([row for row in v.index.paired(own, kind) if row[2] == entity])
    if v.reading.last_mention:
        rows = rows[-1:]
    met = {row[3] for row in rows}
    names = [name for name in v.index.entities(kind) if name in met]
    types = v.world.types[kind].plural
    return [
        names_set("names", names, f"{types} with {entity}", types),
        count("number", len(names), f"number of {types} with {entity}"),
        count("records", v.count(rows), f"valid records of {entity} with any of the {types}"),
    ]


def _course(d: Draw) -> Parameters | None:
    last = d.index.last_block
    if last < 3:
        return None
    middle = min(max(2, d.block()), last - 1)
    return complete(measure=d.measure(), block=d.number(1, middle - 1), block2=middle, block3=last)


@operator(
    "profile/course-over-blocks",
    needs=needs.anything,
    draw=_course,
    phrasings=(
        "Trace the running net change of {measure}: what is it at the end of {block}, of {block2} "
        "and of {block3}?",
        "Give the net change of {measure} from the start up to {block}, up to {block2} and up to "
        "{block3}.",
        "How far had {measure} moved from its start by the end of {block}, {block2} and {block3}?",
    ),
    notes=("Judge all records as known at the end of the log.", TOOK_PLACE),
)
def course_over_blocks(v: View, p: Given) -> list[Line]:
    """The running net change of a measure at the end of three blocks."""
    part = v.world.measures[p.text("measure")]
    lines: list[Line] = []
    for name in ("block", "block2", "block3"):
        number = p.number(name)
        net = v.net(v.postings(part.name, scope=v.window(1, number)))
        phrase = block_phrase(v.world, number)
        lines.append(value(phrase, net, f"net {part.label} up to {phrase}", part.scale))
    return lines


@operator(
    "profile/latest-change-of-measure",
    needs=needs.measured,
    draw=measured_entity,
    phrasings=(
        "Which valid record changed the {measure} of {entity} last, and by how much?",
        "What is the latest valid change of {measure} that counts for {entity}?",
        "Give the most recent valid record that changes {measure} for {entity}, with its change.",
    ),
    notes=(
        "Give also the net change over all valid records.",
        IN_ORDER,
        "An amended record changes by the amended amount.",
        "If none, answer none.",
    ),
)
def latest_change_of_measure(v: View, p: Given) -> list[Line]:
    """The latest valid change of a measure for one entity."""
    part, entity = v.world.measures[p.text("measure")], p.text("entity")
    row = v.latest(v.index.postings_for(part.name, entity))
    record_id = None if row is None else v.record(row[0]).id
    text = f"latest valid change of {part.label} for {entity}"
    return [
        latest_record("record", record_id, f"record of the {text}"),
        held("change", NONE, text, "number")
        if row is None
        else value("change", row[2], text, part.scale),
        value("net", v.net(v.postings(part.name, entity=entity)), f"net {part.label} of {entity}",
              part.scale),
    ]  # fmt: skip
