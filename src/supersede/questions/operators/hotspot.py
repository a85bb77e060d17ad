"""Hotspot & peak: where or when most happened."""

from __future__ import annotations

from supersede.model.question import ClaimKind
from supersede.questions import needs
from supersede.questions.draw import Draw, Parameters, complete
from supersede.questions.forms import (
    Line,
    block,
    count,
    latest_record,
    leader,
    named,
    ranked,
    state,
    value,
)
from supersede.questions.needs import EARLIER, IN_ORDER, NO_LEADER, NOW, TIES, TOOK_PLACE, ZEROS
from supersede.questions.operators.ranking import net_by_block
from supersede.questions.registry import Given, operator
from supersede.questions.view import View
from supersede.questions.wording import plural_of

FIRST_OF_EQUALS = "Ties go to the record that took place first."


def by_block(v: View, event: str) -> list[int]:
    """Number of an event's valid records in every block, first block first."""
    last = v.index.last_block
    numbers = [0] * (last + 1)
    for row in v.records(event):
        at = v.block_of(row)
        if at <= last:
            numbers[at] = 1 if v.reading.last_mention else numbers[at] + 1
    return numbers[1:]


@operator(
    "hotspot/actor-target-hotspot",
    needs=needs.entities,
    draw=lambda d: complete(type=d.kind(), measure=d.measure()),
    phrasings=(
        "Which of the {types} is named in the most valid records, in how many, and what net change "
        "of {measure} do these records make?",
        "Find the hotspot among the {types}: most valid records. Give their number and their net "
        "{measure}.",
        "Where among the {types} do most valid records gather, how many are they, and what is "
        "their net {measure}?",
    ),
    notes=(TIES,),
)
def actor_target_hotspot(v: View, p: Given) -> list[Line]:
    """The entity with the most valid records, their number and a measure's net change by them."""
    kind, part = p.text("type"), v.world.measures[p.text("measure")]
    counts = v.count_by(kind, v.named(kind))
    v.show(kind, ranked(counts)[:1])
    best = leader(counts)
    net = 0
    if best is not None:
        about = {(row[0], row[1]) for row in v.index.naming(best)}
        net = v.net(v.take([r for r in v.index.postings(part.name) if (r[0], r[1]) in about]))
    hint = v.world.types[kind].label
    return [
        named(hint, best, f"{hint} with the most valid records", hint, ClaimKind.RANK),
        count("records", counts.get(best or "", 0), "number of its valid records"),
        value(part.label, net, f"net {part.label} of its valid records", part.scale),
    ]


@operator(
    "hotspot/busiest-turn-for-event-type",
    needs=needs.anything,
    draw=lambda d: complete(event=d.event()),
    phrasings=(
        "In which {block_noun} did the most valid {events} take place, and how many?",
        "Find the busiest {block_noun} for valid {events}, with their number.",
        "When was the peak of valid {events}: which {block_noun}, and how many in it?",
    ),
    notes=("Say also how many valid {events} there are in all.", TOOK_PLACE, EARLIER),
)
def busiest_turn_for_event_type(v: View, p: Given) -> list[Line]:
    """The block with the most valid records of an event."""
    event = v.world.events[p.text("event")]
    numbers = by_block(v, event.name)
    most = max(numbers, default=0)
    at = numbers.index(most) + 1 if most else None
    what = f"{v.world.block} with the most valid {event.plural}"
    return [
        block(v.world.block, at, what, ClaimKind.RANK),
        count("number", most, f"valid {event.plural} in that {v.world.block}"),
        count("all", sum(numbers), f"valid {event.plural} in all"),
    ]


@operator(
    "hotspot/peak-of-running-total",
    needs=needs.anything,
    draw=lambda d: complete(measure=_falling(d)),
    phrasings=(
        "Follow the net change of {measure} record by record: how high did it get, and with which "
        "record did it first get there?",
        "What is the highest running net {measure} over the valid records, and which record "
        "brought it there first?",
        "At its peak, how far was {measure} above its start, and after which valid record?",
    ),
    notes=(
        "The running net change begins at 0 and follows the valid records only.",
        IN_ORDER,
        "If it never rises above 0, answer 0 and none.",
    ),
)
def peak_of_running_total(v: View, p: Given) -> list[Line]:
    """The highest running net change of a measure, and the record that first brings it there."""
    part = v.world.measures[p.text("measure")]
    running = peak = 0
    at: int | None = None
    rows = v.running(v.postings(part.name))
    deltas: dict[int, int] = {}
    for row in rows:
        deltas[row[0]] = row[2] if v.reading.last_mention else deltas.get(row[0], 0) + row[2]
    for position, delta in deltas.items():
        running += delta
        if running > peak:
            peak, at = running, position
    return [
        value("peak", peak, f"highest running net {part.label}", part.scale),
        latest_record("record", None if at is None else v.record(at).id, "record that reaches it"),
    ]


def _falling(d: Draw) -> str | None:
    """A measure that goes down as well, so that its peak need not be its end."""
    falling = [m for m in d.measures() if any(r[2] < 0 for r in d.index.postings(m))]
    return d.measure(falling or None)


def _strongest(d: Draw) -> Parameters | None:
    measure = d.measure(d.facts.measured)
    kind = d.measured_kind(measure)
    if measure is None or kind is None:
        return None
    touched = [r[3] for r in d.index.postings(measure, kind) if r[3] is not None]
    entity = d.near(list(dict.fromkeys(touched)), d.focus_names(kind))
    return complete(measure=measure, entity=entity)


@operator(
    "hotspot/strongest-block-of-entity",
    needs=needs.measured,
    draw=_strongest,
    phrasings=(
        "In which {block_noun} was the net change of {measure} for {entity} highest, and how high?",
        "Find the best {block_noun} of {entity} by net {measure}, with the value.",
        "Which {block_noun} brought {entity} most {measure} on balance?",
    ),
    notes=(TOOK_PLACE, "Every {block_noun} is a candidate, those at zero included.", EARLIER),
)
def strongest_block_of_entity(v: View, p: Given) -> list[Line]:
    """The block with the highest net change of a measure for one entity."""
    part, entity = v.world.measures[p.text("measure")], p.text("entity")
    totals = net_by_block(v, v.postings(part.name, entity=entity))
    best = ranked(totals)[0]
    noun = v.world.block
    return [
        block(noun, int(best), f"{noun} with the highest net {part.label} of {entity}",
              ClaimKind.RANK),
        value("value", totals[best], f"net {part.label} of {entity} in it", part.scale),
    ]  # fmt: skip


@operator(
    "hotspot/largest-single-change",
    needs=needs.anything,
    draw=lambda d: complete(measure=d.measure()),
    phrasings=(
        "Which valid record changes {measure} most, up or down, and by how much?",
        "Find the single valid record that moves {measure} most in either direction.",
        "Name the valid record with the biggest change of {measure}, sign aside, and its signed "
        "change.",
    ),
    notes=(
        "Say also how many valid records change it in all.",
        "A restated record changes by the restated amount.",
        FIRST_OF_EQUALS,
    ),
)
def largest_single_change(v: View, p: Given) -> list[Line]:
    """The valid record with the largest change of a measure, and that change."""
    part = v.world.measures[p.text("measure")]
    sums: dict[int, int] = {}
    rows = v.postings(part.name)
    for row in v.in_order(rows):
        sums[row[0]] = sums.get(row[0], 0) + row[2]
    if v.reading.last_mention and sums:
        last = max(sums)
        sums = {last: sums[last]}
    at = max(sums, key=lambda i: abs(sums[i]), default=None)
    text = f"largest single change of {part.label}"
    return [
        latest_record("record", None if at is None else v.record(at).id, f"record of the {text}"),
        value("change", 0 if at is None else sums[at], text, part.scale),
        count("records", v.count(rows), f"valid records that change {part.label}"),
    ]


def _two_kinds(d: Draw) -> Parameters | None:
    kind = d.kind()
    if kind is None:
        return None
    others = [
        k for k in d.facts.ranked
        if k != kind and set(d.facts.naming[k]) & set(d.facts.naming[kind])
    ]  # fmt: skip
    return complete(type=kind, type2=d.kind(others))


@operator(
    "hotspot/hottest-pair",
    needs=needs.two_kinds,
    draw=_two_kinds,
    phrasings=(
        "Which {type} and which {type2} are named together in the most valid records, and in how "
        "many?",
        "Find the pair of one {type} and one {type2} that most valid records share.",
        "Which pairing of {type} and {type2} is the most frequent in valid records?",
    ),
    notes=(
        "Say also how many valid records name a {type} and a {type2} at all.",
        "Ties go to the pair whose {type} is listed first in the system message, then whose "
        "{type2} is.",
        "If there is no such pair, answer none.",
    ),
)
def hottest_pair(v: View, p: Given) -> list[Line]:
    """The pair of entities of two types that most valid records name together."""
    kind, other = p.text("type"), p.text("type2")
    rows = v.pairs(kind, other)
    found = v.group(rows, [(row[2], row[3]) for row in rows])
    firsts, seconds = v.index.entities(kind), v.index.entities(other)
    counts = {pair: number for pair, number in found.items() if isinstance(pair, tuple)}
    best = min(
        counts,
        key=lambda pair: (-counts[pair], firsts.index(pair[0]), seconds.index(pair[1])),
        default=(None, None),
    )
    labels = [v.world.types[name].label for name in (kind, other)]
    return [
        named(label, name, f"{label} of the most frequent pair", label, ClaimKind.RANK)
        for label, name in zip(labels, best, strict=True)
    ] + [
        count("records", counts.get(best, 0), "number of valid records of that pair"),
        count("all", v.count(rows), f"valid records that name a {labels[0]} and a {labels[1]}"),
    ]


@operator(
    "hotspot/longest-run-of-blocks",
    needs=needs.anything,
    draw=lambda d: complete(event=_patchy(d)),
    phrasings=(
        "What is the longest run of {block_nouns} in a row with at least one valid {event} each, "
        "and where does it begin?",
        "Find the longest unbroken stretch of {block_nouns} that each saw a valid {event}.",
        "For how many {block_nouns} in a row did valid {events} take place at most, from which on?",
    ),
    notes=(
        "Say also how many valid {events} took place in that run.",
        TOOK_PLACE,
        "Of equal runs take the earlier one; if there is none, answer 0 and none.",
    ),
)
def longest_run_of_blocks(v: View, p: Given) -> list[Line]:
    """The longest run of blocks that each have a valid record of an event."""
    event = v.world.events[p.text("event")]
    best = length = 0
    end: int | None = None
    numbers = by_block(v, event.name)
    for number, found in enumerate(numbers, start=1):
        length = length + 1 if found else 0
        if length > best:
            best, end = length, number
    noun = v.world.block
    return [
        count("length", best, f"{plural_of(noun)} in the longest run with a valid {event.label}"),
        block("first", None if end is None else end - best + 1, f"first {noun} of that run",
              ClaimKind.RANK),
        count("records", sum(numbers[(end or 0) - best : end or 0]),
              f"valid {event.plural} in that run"),
    ]  # fmt: skip


def _patchy(d: Draw) -> str | None:
    """An event that some blocks lack."""
    last = d.index.last_block
    patchy = [
        event for event in d.events()
        if len({d.index.occurred[i] for i in d.index.validity.by_event[event]}) < last
    ]  # fmt: skip
    return d.event(patchy or None)


@operator(
    "hotspot/blocks-without-event",
    needs=needs.anything,
    draw=lambda d: complete(event=_patchy(d)),
    phrasings=(
        "How many {block_nouns} saw no valid {event} at all, and which is the last of them?",
        "Count the {block_nouns} without a valid {event}, and name the latest one.",
        "In how many {block_nouns} did no valid {event} take place? Which was the last such "
        "{block_noun}?",
    ),
    notes=(
        "Say also how many valid {events} there are in all.",
        TOOK_PLACE,
        "If every {block_noun} saw one, answer 0 and none.",
    ),
)
def blocks_without_event(v: View, p: Given) -> list[Line]:
    """The number of blocks without a valid record of an event, and the last of them."""
    event = v.world.events[p.text("event")]
    numbers = by_block(v, event.name)
    empty = [n for n, found in enumerate(numbers, start=1) if not found]
    noun = v.world.block
    return [
        count("number", len(empty), f"{plural_of(noun)} without a valid {event.label}"),
        block("last", empty[-1] if empty else None, f"last {noun} without a valid {event.label}"),
        count("all", sum(numbers), f"valid {event.plural} in all"),
    ]


def _stretch(d: Draw) -> Parameters | None:
    length = d.number(2, max(2, min(5, d.index.last_block // 3)))
    return complete(event=d.event(), n=length) if length <= d.index.last_block else None


@operator(
    "hotspot/densest-stretch",
    needs=needs.anything,
    draw=_stretch,
    phrasings=(
        "Which {n} {block_nouns} in a row saw the most valid {events}? Give the first of them and "
        "the number.",
        "Find the densest stretch of {n} {block_nouns} for valid {events}.",
        "Over any {n} successive {block_nouns}, what is the largest number of valid {events}, and "
        "where does that stretch begin?",
    ),
    notes=(TOOK_PLACE, "Of equal stretches take the earlier one."),
)
def densest_stretch(v: View, p: Given) -> list[Line]:
    """The stretch of some successive blocks with the most valid records of an event."""
    event, length = v.world.events[p.text("event")], p.number("n")
    numbers = by_block(v, event.name)
    sums = [sum(numbers[i : i + length]) for i in range(max(1, len(numbers) - length + 1))]
    most = max(sums)
    noun = v.world.block
    return [
        block(
            "first", sums.index(most) + 1, f"first {noun} of the densest stretch", ClaimKind.RANK
        ),
        count("number", most, f"valid {event.plural} in that stretch"),
    ]


@operator(
    "hotspot/most-often-set-cell",
    needs=needs.keyed_registers,
    draw=lambda d: complete(register=_keyed(d)),
    phrasings=(
        "Whose {register} was set by the most valid records, how many, and what is it now?",
        "Find the one of the {holders} whose {register} changed hands most often in valid records.",
        "For which of the {holders} do most valid records set the {register}, and what is it now?",
    ),
    notes=(
        "Say also how many valid records set a {register} in all.",
        NOW,
        TIES,
        "If no valid record sets any, answer none, 0 and unset.",
    ),
)
def most_often_set_cell(v: View, p: Given) -> list[Line]:
    """The entity whose register was set most often, how often, and its present value."""
    register = v.world.registers[p.text("register")]
    kind = register.on[0]
    rows = v.in_order(v.take(v.index.assignments(register.name)))
    counts = dict.fromkeys(v.live(kind), 0)
    values = {}
    for row in rows:
        name = row[2][0]
        if name in counts:
            counts[name] = 1 if v.reading.last_mention else counts[name] + 1
            values[name] = row[3]
    best = leader(counts)
    v.show(kind, ranked(counts)[:1])
    hint = v.world.types[kind].label
    now = None if best is None else values[best]
    return [
        named(hint, best, f"{hint} whose {register.label} was set most often", hint,
              ClaimKind.RANK),
        count("times", counts.get(best or "", 0), "number of valid records that set it"),
        state("now", now, f"its present {register.label}", register, v.world.block),
        count("all", v.count(rows), f"valid records that set a {register.label}"),
    ]  # fmt: skip


def _keyed(d: Draw) -> str | None:
    registers = d.facts.world.registers
    keyed = [n for n, r in registers.items() if len(r.on) == 1 and d.index.assignments(n)]
    return d.near(keyed, [a.register for a in d.focus.assignments] if d.focus is not None else [])


@operator(
    "hotspot/peak-of-holders",
    needs=needs.countable_registers,
    draw=lambda d: _held_value(d),
    phrasings=(
        "How many of the {holders} had {value} as their {register} at the same time at most, and "
        "with which record was that first reached?",
        "What is the largest number of {holders} whose {register} was {value} at once, and when?",
        "Over the valid records, what was the peak number of {holders} with {register} {value}, "
        "and which record brought it?",
    ),
    notes=(
        IN_ORDER,
        "Count after each valid record that sets a {register}; if it is never reached, answer 0 "
        "and none.",
        "Say also how many valid records set a {register} in all.",
    ),
)
def peak_of_holders(v: View, p: Given) -> list[Line]:
    """The most entities that held a value of a register at once, and the record that led there."""
    register, wanted = v.world.registers[p.text("register")], p.text("value")
    holding: set[str] = set()
    peak = 0
    at: int | None = None
    groups: dict[int, list[tuple[str, object]]] = {}
    rows = v.running(v.take(v.index.assignments(register.name)))
    for row in rows:
        groups.setdefault(row[0], []).append((row[2][0], row[3]))
    for position, settings in groups.items():
        for name, held in settings:
            if held == wanted:
                holding.add(name)
            else:
                holding.discard(name)
        if len(holding) > peak:
            peak, at = len(holding), position
    plural = v.world.types[register.on[0]].plural
    what = f"{plural} with {register.label} {wanted} at once"
    return [
        count("peak", peak, f"most {what}"),
        latest_record("record", None if at is None else v.record(at).id, f"record of most {what}"),
        count("all", v.count(rows), f"valid records that set a {register.label}"),
    ]


def _held_value(d: Draw) -> Parameters | None:
    """A register and a value of it that none holds at the start."""
    registers = d.facts.world.registers
    usable = [
        name for name in needs.countable(d.facts)
        if d.index.assignments(name) and not registers[name].starts
    ]  # fmt: skip
    focused = [a.register for a in d.focus.assignments] if d.focus is not None else []
    name = d.near(usable, focused)
    if name is None:
        return None
    values = [row[3] for row in d.index.assignments(name) if row[3] is not None]
    rest = [x for x in dict.fromkeys(values) if x != registers[name].start]
    return complete(register=name, value=d.near(rest, []))


@operator(
    "hotspot/most-versatile-entity",
    needs=lambda f: needs.entities(f) and needs.two_events(f),
    draw=lambda d: complete(type=d.kind()),
    phrasings=(
        "Which of the {types} appears in the most different kinds of valid record, and in how many "
        "kinds?",
        "Find the most versatile of the {types}: named in valid records of the most kinds.",
        "By the number of different kinds of valid record that name it, which of the {types} comes "
        "first?",
    ),
    notes=("Say also how many valid records name it.", ZEROS, TIES, NO_LEADER),
)
def most_versatile_entity(v: View, p: Given) -> list[Line]:
    """The entity that valid records of the most event types name."""
    kind = p.text("type")
    records = v.index.records
    kinds: dict[str, set[str]] = {name: set() for name in v.live(kind)}
    rows = v.named(kind)
    for row in rows:
        if row[2] in kinds:
            if v.reading.last_mention:
                kinds[row[2]].clear()
            kinds[row[2]].add(records[row[0]].event or "")
    counts = {name: len(found) for name, found in kinds.items()}
    best = leader(counts)
    number = v.count([row for row in rows if row[2] == best])
    v.show(kind, ranked(counts)[:1])
    hint = v.world.types[kind].label
    return [
        named(hint, best, f"{hint} in the most kinds of valid record", hint, ClaimKind.RANK),
        count("kinds", counts.get(best or "", 0), "number of these kinds"),
        count("records", number, "number of its valid records"),
    ]
