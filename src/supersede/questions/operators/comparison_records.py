"""Comparison & leader: kinds of record, stretches, records and register values."""

from __future__ import annotations

from supersede.questions import needs
from supersede.questions.draw import Draw, Parameters, complete
from supersede.questions.draws import two_windows
from supersede.questions.forms import (
    Line,
    count,
    latest_record,
    margin,
    named,
    state,
    value,
    winner_of_two,
)
from supersede.questions.needs import (
    IN_ORDER,
    NOW,
    TOOK_PLACE,
)
from supersede.questions.operators.comparison import EQUAL
from supersede.questions.registry import Given, operator
from supersede.questions.view import View
from supersede.questions.wording import window_phrase


def _two_events(d: Draw) -> Parameters | None:
    events = d.two(d.events(), [d.focus.event or ""] if d.focus else ())
    return None if events is None else complete(event=events[0], event2=events[1])


@operator(
    "comparison/event-types-by-count",
    needs=needs.two_events,
    draw=_two_events,
    phrasings=(
        "Are there more valid {events} or more valid {events2}, and by how many?",
        "Compare the number of valid {events} with the number of valid {events2}.",
        "Which is more frequent among valid records, {event} or {event2}, and by what margin?",
    ),
    notes=(EQUAL,),
)
def event_types_by_count(v: View, p: Given) -> list[Line]:
    """Two event types by number of valid records."""
    events = [v.world.events[p.text(name)] for name in ("event", "event2")]
    counts = [v.count(v.records(event.name)) for event in events]
    first, second = (event.label for event in events)
    difference = counts[0] - counts[1]
    lines = [
        count(event.plural, number, f"number of valid {event.plural}")
        for event, number in zip(events, counts, strict=True)
    ]
    text = "the more frequent kind of record"
    lines.append(winner_of_two("more frequent", first, second, difference, text, "kind of record"))
    lines.append(margin("margin", abs(difference), "difference of the two numbers"))
    return lines


def _two_windows(d: Draw) -> Parameters | None:
    windows = two_windows(d)
    return None if windows is None else complete(measure=d.measure(), **windows)


@operator(
    "comparison/two-windows-net-change",
    needs=needs.anything,
    draw=_two_windows,
    phrasings=(
        "Did {measure} change more {in_window} or {in_window2}, on balance?",
        "Compare the net change of {measure} over {window} with that over {window2}.",
        "Which stretch has the higher net {measure}: {window} or {window2}?",
    ),
    notes=("More means the higher signed number.", TOOK_PLACE, EQUAL),
)
def two_windows_net_change(v: View, p: Given) -> list[Line]:
    """The net change of a measure in two windows of blocks."""
    part = v.world.measures[p.text("measure")]
    windows = [(p.number("first"), p.number("last")), (p.number("first2"), p.number("last2"))]
    nets = [v.net(v.postings(part.name, scope=v.window(*window))) for window in windows]
    phrases = [window_phrase(v.world, *window) for window in windows]
    lines = [
        value(slot, net, f"net {part.label} within {phrase}", part.scale)
        for slot, net, phrase in zip(("earlier", "later"), nets, phrases, strict=True)
    ]
    text = f"the stretch with the higher net {part.label}"
    lines.append(
        winner_of_two("higher", "earlier", "later", nets[0] - nets[1], text, "earlier, later")
    )
    return lines


@operator(
    "comparison/before-and-since-record",
    needs=needs.anything,
    draw=lambda d: complete(event=d.event(), record=d.anchor()),
    phrasings=(
        "Did more valid {events} take place before {record} or after it?",
        "Split the valid {events} at {record}: how many took place before it, how many after?",
        "Count the valid {events} before {record} and those after it. Which are more?",
    ),
    notes=("{record} itself is in neither part.", IN_ORDER, EQUAL),
)
def before_and_since_record(v: View, p: Given) -> list[Line]:
    """Valid records of an event before and after a record."""
    event, record = v.world.events[p.text("event")], p.text("record")
    everything = v.records(event.name)
    after = v.count(v.records(event.name, scope=v.since(record)))
    at = v.find(record)
    itself = len([row for row in everything if row[0] == at])
    before = v.count(everything) - after - itself if at is not None else 0
    lead = before - after
    return [
        count("before", before, f"valid {event.plural} before {record}"),
        count("after", after, f"valid {event.plural} after {record}"),
        winner_of_two("more", "before", "after", lead, "the larger part", "before, after"),
    ]


def _two_cells(d: Draw) -> Parameters | None:
    registers = d.facts.world.registers
    usable = [name for name in registers if len(registers[name].on) == 1]
    usable = [name for name in usable if d.index.assignments(name)]
    focused = [a.register for a in d.settings()]
    name = d.near(usable, focused)
    if name is None:
        return None
    written = list(dict.fromkeys(row[2][0] for row in d.index.assignments(name)))
    pair = d.two(written, [a.key[0] for a in d.settings() if a.key])
    return None if pair is None else complete(register=name, entity=pair[0], entity2=pair[1])


@operator(
    "comparison/two-register-values",
    needs=needs.keyed_registers,
    draw=_two_cells,
    phrasings=(
        "Do {entity} and {entity2} have the same {register} at the end of the log?",
        "Give the {register} of {entity} now, and that of {entity2}. Are they the same?",
        "Compare the present {register} of {entity} with that of {entity2}.",
    ),
    notes=(
        "Say also how many valid records set each of the two.",
        NOW,
        "Answer unset where nothing has set it. Same is yes or no.",
    ),
)
def two_register_values(v: View, p: Given) -> list[Line]:
    """The present value of a register for two entities."""
    register = v.world.registers[p.text("register")]
    names = (p.text("entity"), p.text("entity2"))
    values = [v.cell(register.name, (name,)) for name in names]
    lines = [
        state(name, now, f"{register.label} of {name}", register, v.world.block)
        for name, now in zip(names, values, strict=True)
    ]
    for name in names:
        rows = [row for row in v.index.assignments(register.name) if row[2] == (name,)]
        text = f"valid records that set the {register.label} of {name}"
        lines.append(count(f"{name} times", v.count(v.take(rows)), text))
    same = "yes" if values[0] == values[1] else "no"
    lines.append(
        named("same", same, "whether the two are the same", "yes or no", candidates=("yes", "no"))
    )
    return lines


def _two_entities(d: Draw) -> Parameters | None:
    kind = d.kind()
    if kind is None:
        return None
    pair = d.two(d.active(kind), d.focus_names(kind))
    return None if pair is None else complete(entity=pair[0], entity2=pair[1])


@operator(
    "comparison/latest-of-two",
    needs=needs.entities,
    draw=_two_entities,
    phrasings=(
        "Of {entity} and {entity2}, whose latest valid record took place later?",
        "Give the latest valid record that names {entity} and the latest that names {entity2}. "
        "Which took place later?",
        "Which was seen last in a valid record, {entity} or {entity2}? Give both latest records.",
    ),
    notes=(
        "Say also how many valid records name each.",
        IN_ORDER,
        "If one record is the latest of both, answer tie.",
    ),
)
def latest_of_two(v: View, p: Given) -> list[Line]:
    """The latest valid records of two entities, and which is later."""
    names = (p.text("entity"), p.text("entity2"))
    rows = [v.latest(v.index.naming(name)) for name in names]
    keys = [-1 if row is None else v.order[row[0]] for row in rows]
    lines = [
        latest_record(
            name, None if row is None else v.record(row[0]).id, f"latest valid record of {name}"
        )
        for name, row in zip(names, rows, strict=True)
    ]
    for name in names:
        number = v.count(v.records(entity=name))
        lines.append(count(f"{name} records", number, f"valid records of {name}"))
    lines.append(winner_of_two("later", *names, keys[0] - keys[1], "whose latest is later", "name"))
    return lines
