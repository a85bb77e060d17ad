"""Ranking / Top-N of what is no entity: kinds of record, blocks, labels and values."""

from __future__ import annotations

from supersede.model.question import ClaimKind
from supersede.questions import needs
from supersede.questions.draw import Draw, Parameters, complete
from supersede.questions.draws import other_kind
from supersede.questions.forms import Line, count, top
from supersede.questions.needs import EARLIER, NOW, TIES, TOOK_PLACE, ZEROS
from supersede.questions.operators.ranking import places
from supersede.questions.registry import Given, operator
from supersede.questions.view import View
from supersede.questions.wording import article


@operator(
    "ranking/event-types-by-net-change",
    needs=needs.two_events,
    draw=lambda d: complete(measure=_shared_measure(d), n=2),
    phrasings=(
        "Which kinds of record add most to {measure} on balance? Rank the top {n} by net change.",
        "Break the net change of {measure} down by kind of record and rank the top {n}.",
        "Over all valid records, rank the {n} kinds of record with the highest net {measure}.",
    ),
    notes=(
        "Candidates are the kinds of record with at least one valid record that changes it.",
        "Ties go to the kind listed first in the system message.",
    ),
)
def event_types_by_net_change(v: View, p: Given) -> list[Line]:
    """Net change of a measure by event type, top n."""
    measure = p.text("measure")
    part = v.world.measures[measure]
    found: dict[str, int] = {}
    records = v.index.records
    for row in v.postings(measure):
        event = records[row[0]].event or ""
        found[event] = row[2] if v.reading.last_mention else found.get(event, 0) + row[2]
    totals = {e.label: found[e.name] for e in v.world.events.values() if e.name in found}
    return top(totals, p.number("n"), f"net {part.label}", "kind of record", part.scale)


def _shared_measure(d: Draw) -> str | None:
    """A measure that two or more events change."""
    events = d.facts.world.events.values()
    return d.measure([m for m in d.index.measures if sum(m in e.measures for e in events) > 1])


@operator(
    "ranking/blocks-by-net-change",
    needs=needs.anything,
    draw=lambda d: complete(measure=d.measure(), n=min(3, d.index.last_block)),
    phrasings=(
        "Rank the top {n} {block_nouns} by net change of {measure}.",
        "{In_} which {n} {block_nouns} did {measure} rise most on balance? Rank them.",
        "Which {block_nouns} show the highest net change of {measure}? Give the first {n}.",
    ),
    single=("Which {block_noun} shows the highest net change of {measure}, and how much is it?",),
    notes=(TOOK_PLACE, "Every {block_noun} is a candidate, those at zero included.", EARLIER),
)
def blocks_by_net_change(v: View, p: Given) -> list[Line]:
    """Net change of a measure by block, top n."""
    part = v.world.measures[p.text("measure")]
    totals = net_by_block(v, v.postings(part.name))
    by = f"net {part.label} of {article(v.world.block)}"
    return top(totals, p.number("n"), by, f"{v.world.block} number", part.scale, numbered=True)


def net_by_block(v: View, rows: list[tuple[object, ...]]) -> dict[str, int]:
    """The net change of every block, zeros included, in order; keys are block numbers."""
    totals = {str(number): 0 for number in range(1, v.index.last_block + 1)}
    for row in rows:
        key, delta = str(v.block_of(row)), int(str(row[2]))
        if key in totals:
            totals[key] = delta if v.reading.last_mention else totals[key] + delta
    return totals


def _two_kinds(d: Draw) -> Parameters | None:
    kind = d.kind()
    if kind is None:
        return None
    return complete(type=kind, type2=other_kind(d, kind), n=d.places(kind))


@operator(
    "ranking/distinct-partner-leaderboard",
    needs=needs.two_kinds,
    draw=_two_kinds,
    phrasings=(
        "Rank the top {n} {types} by how many different {types2} valid records name with them.",
        "Which {n} {types} share valid records with the most different {types2}? Rank them.",
        "By number of different {types2} in their valid records, which {n} {types} come first?",
    ),
    single=(
        "Which of the {types} shares valid records with the most different {types2}?",
        "By number of different {types2} in the same valid records, which {type} comes first?",
    ),
    notes=(ZEROS, TIES),
)
def distinct_partner_leaderboard(v: View, p: Given) -> list[Line]:
    """Number of distinct partners of another type by entity, top n."""
    kind, other = p.text("type"), p.text("type2")
    met: dict[str, set[str]] = {name: set() for name in v.live(kind)}
    for _, _, name, partner in v.pairs(kind, other):
        if name in met:
            if v.reading.last_mention:
                met[name].clear()
            met[name].add(partner)
    counts = {name: len(found) for name, found in met.items()}
    by = f"number of different {v.world.types[other].plural}"
    return places(v, kind, counts, p.number("n"), by, kind_of=ClaimKind.COUNT)


@operator(
    "ranking/register-values-by-holders",
    needs=needs.countable_registers,
    draw=lambda d: complete(register=d.pick(_assigned(d)), n=2),
    phrasings=(
        "At the end of the log, which {n} values of {register} are held most often? Rank them.",
        "Count how many hold each value of {register} now, and rank the top {n} values.",
        "Rank the {n} most common present values of {register} with their numbers.",
    ),
    notes=(
        "Say also how many valid records set {a_register} in all.",
        NOW,
        "Ties go to the value listed first in the system message.",
    ),
)
def register_values_by_holders(v: View, p: Given) -> list[Line]:
    """Number of entities that hold each value of a register, top n."""
    register = v.world.registers[p.text("register")]
    values = list(register.symbols) if register.type is None else v.live(register.type)
    if register.type is not None:
        v.show_all(register.type)
    counts = dict.fromkeys(values, 0)
    for held in v.cells(register.name).values():
        if held in counts:
            counts[str(held)] += 1
    by = f"number of those whose {register.label} it is"
    lines = top(counts, p.number("n"), by, "value", kind=ClaimKind.COUNT)
    number = v.count(v.take(v.index.assignments(register.name)))
    return [*lines, count("records", number, f"valid records that set {article(register.label)}")]


def _assigned(d: Draw) -> list[str]:
    """Registers with countable values that records assign."""
    return [name for name in needs.countable(d.facts) if d.index.assignments(name)]


@operator(
    "ranking/status-labels-by-valid-records",
    needs=needs.statuses,
    draw=lambda d: complete(event=d.event(), n=2),
    phrasings=(
        "Under which {n} status labels do most valid {events} stand? Rank them.",
        "Rank the top {n} status labels by their number of valid {events}.",
        "Group the valid {events} by status label and rank the {n} largest groups.",
    ),
    notes=(
        "Only labels with a valid record of this kind are candidates.",
        "The label is the one on the record's own line.",
        "Ties go to the label listed first in the system message.",
    ),
)
def status_labels_by_valid_records(v: View, p: Given) -> list[Line]:
    """Valid records of an event by status label, top n."""
    event = v.world.events[p.text("event")]
    records = v.index.records
    rows = v.records(event.name)
    found = v.group(rows, [records[row[0]].status for row in rows])
    counts = {label: found[label] for label in v.world.statuses if label in found}
    by = f"number of valid {event.plural}"
    return top(counts, p.number("n"), by, "status label", kind=ClaimKind.COUNT)
