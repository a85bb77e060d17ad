"""Comparison & leader: two entities side by side, by records, partners, medians and absences."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from supersede.questions import needs
from supersede.questions.courses import steps
from supersede.questions.draw import MOST_LISTED, Draw, Parameters, complete
from supersede.questions.draws import measured_kind, other_kind
from supersede.questions.forms import Line, count, margin, names_set, ratio, value, winner_of_two
from supersede.questions.needs import ONE_PLACE, TOOK_PLACE
from supersede.questions.operators.comparison import EQUAL
from supersede.questions.registry import Given, operator
from supersede.questions.view import View
from supersede.questions.wording import window_phrase


def measured_pair(d: Draw) -> Parameters | None:
    """A measure, and two entities of a type for which valid records change it, if there are two."""
    given = measured_kind(d)
    if given is None:
        return None
    measure, kind = str(given["measure"]), str(given["type"])
    source = d.reading.source
    rows = d.index.postings(measure, kind)
    changed = [r[3] for r in rows if r[3] is not None and source[r[0]] == r[1]]
    names: Sequence[str] = list(dict.fromkeys(changed))
    if len(names) < 2:
        names = d.index.entities(kind)
    pair = d.two(names, d.focus_names(kind))
    return None if pair is None else complete(measure=measure, entity=pair[0], entity2=pair[1])


def two_active(d: Draw, kind: str | None, event: str | None = None) -> Parameters | None:
    """Two entities of a type that valid records name, of an event if one is given."""
    if kind is None:
        return None
    pair = d.two(d.active(kind, event), d.focus_names(kind))
    return None if pair is None else complete(entity=pair[0], entity2=pair[1])


def _pair_in_window(d: Draw) -> Parameters | None:
    first, last = d.window()
    given = measured_pair(d)
    return None if given is None else {**given, "first": first, "last": last}


@operator(
    "comparison/two-entities-in-window",
    needs=needs.measured,
    draw=_pair_in_window,
    phrasings=(
        "Which has the higher net change of {measure} {in_window}, {entity} or {entity2}, and by "
        "how much?",
        "For {window} only, compare the net {measure} of {entity} with that of {entity2}.",
        "Put the net {measure} of {entity} {in_window} beside that of {entity2}: which is higher, "
        "and what is the margin?",
    ),
    notes=("Count only valid records.", TOOK_PLACE, EQUAL),
)
def two_entities_in_window(v: View, p: Given) -> list[Line]:
    """Two entities by net change of a measure in a window of blocks."""
    part, names = v.world.measures[p.text("measure")], (p.text("entity"), p.text("entity2"))
    first, last = p.number("first"), p.number("last")
    scope, phrase = v.window(first, last), window_phrase(v.world, first, last)
    nets = [v.net(v.postings(part.name, entity=name, scope=scope)) for name in names]
    lines = [
        value(name, net, f"net {part.label} of {name} in {phrase}", part.scale)
        for name, net in zip(names, nets, strict=True)
    ]
    what = f"by net {part.label} in {phrase}"
    lead = nets[0] - nets[1]
    lines.append(winner_of_two("higher", *names, lead, f"the higher of the two {what}", "name"))
    return [*lines, margin("margin", abs(lead), f"margin between the two {what}", part.scale)]


def _pair_and_event(d: Draw) -> Parameters | None:
    for _ in range(3):
        kind = d.kind()
        event = None if kind is None else d.event(d.facts.naming[kind])
        given = two_active(d, kind, event)
        if given is not None and event is not None:
            return {**given, "event": event}
    return None


@operator(
    "comparison/two-entities-by-records",
    needs=needs.entities,
    draw=_pair_and_event,
    phrasings=(
        "Do more valid {events} name {entity} or {entity2}, and by how many?",
        "Compare the number of valid {events} that name {entity} with that for {entity2}.",
        "Which is named in more valid {events}, {entity} or {entity2}, and what is the margin?",
    ),
    notes=("A record that names both counts for both.", EQUAL),
)
def two_entities_by_records(v: View, p: Given) -> list[Line]:
    """Two entities by the number of an event's valid records that name them."""
    event, names = v.world.events[p.text("event")], (p.text("entity"), p.text("entity2"))
    counts = [v.count(v.records(event.name, name)) for name in names]
    lines = [
        count(name, number, f"valid {event.plural} that name {name}")
        for name, number in zip(names, counts, strict=True)
    ]
    lead, what = counts[0] - counts[1], f"the one named in more valid {event.plural}"
    lines.append(winner_of_two("more", *names, lead, what, "name"))
    return [*lines, margin("margin", abs(lead), f"difference of the two numbers of {event.plural}")]


def _met(d: Draw) -> Parameters | None:
    """Two entities of different types that a record names together."""
    kind = d.kind()
    other = None if kind is None else other_kind(d, kind)
    if kind is None or other is None:
        return None
    source = d.reading.source
    rows = [row for row in d.index.paired(kind, other) if source[row[0]] == row[1]]
    pairs = list(dict.fromkeys((row[2], row[3]) for row in rows))
    focused = {*d.focus_names(kind), *d.focus_names(other)}
    both = [pair for pair in pairs if focused.issuperset(pair)]
    pair = d.near(pairs, both or [pair for pair in pairs if focused.intersection(pair)])
    return None if pair is None else complete(entity=pair[0], entity2=pair[1])


@operator(
    "comparison/together-and-apart",
    needs=needs.two_kinds,
    draw=_met,
    phrasings=(
        "How many valid records name both {entity} and {entity2}, how many only the one, and how "
        "many only the other?",
        "Compare the valid records of {entity} and of {entity2}: number of those they share, and "
        "of those that each has without the other.",
        "Of all valid records, count those that name {entity} together with {entity2}, those with "
        "{entity} alone of the two, and those with {entity2} alone.",
    ),
    notes=("Say also which of the two has more without the other.", EQUAL),
)
def together_and_apart(v: View, p: Given) -> list[Line]:
    """Valid records that name two entities together, and each without the other."""
    names = (p.text("entity"), p.text("entity2"))
    found = [{row[0] for row in v.records(entity=name)} for name in names]
    if v.reading.last_mention:
        found = [set(sorted(positions)[-1:]) for positions in found]
    alone = (len(found[0] - found[1]), len(found[1] - found[0]))
    both = len(found[0] & found[1])
    lines = [count("both", both, f"valid records of both {' and '.join(names)}")]
    for name, other, number in zip(names, names[::-1], alone, strict=True):
        lines.append(count(f"only {name}", number, f"valid records of {name} without {other}"))
    what = "the one with more records without the other"
    return [*lines, winner_of_two("more", *names, alone[0] - alone[1], what, "name")]


def _pair_and_type(d: Draw) -> Parameters | None:
    for _ in range(3):
        kind = d.kind()
        other = None if kind is None else other_kind(d, kind)
        given = two_active(d, kind)
        if given is None or other is None:
            continue
        names = (str(given["entity"]), str(given["entity2"]))
        first, second = _partners(View(d.index, d.reading), names, other)
        if len(first & second) <= MOST_LISTED and (first or second):
            return {**given, "type": other}
    return None


def _partners(v: View, names: tuple[str, str], kind: str) -> tuple[set[str], set[str]]:
    """The entities of a type that valid records name beside each of two."""
    found: list[set[str]] = []
    for name in names:
        about = {(row[0], row[1]) for row in v.index.naming(name)}
        rows = v.take([row for row in v.index.named(kind) if (row[0], row[1]) in about])
        found.append({row[2] for row in (rows[-1:] if v.reading.last_mention else rows)} - {*names})
    return found[0], found[1]


@operator(
    "comparison/partners-in-common",
    needs=needs.two_kinds,
    draw=_pair_and_type,
    phrasings=(
        "Which {types} do both {entity} and {entity2} have in their valid records, and how many "
        "does each have that the other lacks?",
        "Compare the {types} that valid records name beside {entity} with those beside {entity2}: "
        "which are common, and how many are only on one side?",
        "List the {types} that share a valid record with {entity} and also one with {entity2}, and "
        "count those of each that are not common.",
    ),
    notes=(
        "It need not be the same record for both. Say also how many valid records name each of the "
        "two.",
    ),
)
def partners_in_common(v: View, p: Given) -> list[Line]:
    """The entities of a type named beside both of two, and how many beside one only."""
    names, kind = (p.text("entity"), p.text("entity2")), p.text("type")
    first, second = _partners(v, names, kind)
    types = v.world.types[kind].plural
    common = [name for name in v.index.entities(kind) if name in first & second]
    text = f"{types} in valid records of both {' and '.join(names)}"
    return [
        names_set("common", common, text, types),
        count(f"only {names[0]}", len(first - second), f"{types} of {names[0]} only"),
        count(f"only {names[1]}", len(second - first), f"{types} of {names[1]} only"),
        *(
            count(f"{name} records", v.count(v.records(entity=name)), f"valid records of {name}")
            for name in names
        ),
    ]


@operator(
    "comparison/median-change-of-two",
    needs=needs.measured,
    draw=measured_pair,
    phrasings=(
        "Which has the higher median change of {measure} per valid record, {entity} or {entity2}?",
        "Compare {entity} and {entity2} by the median of the valid changes of {measure} that count "
        "for them.",
        "Take the valid records that change {measure} for {entity}, and those for {entity2}: whose "
        "median change is higher?",
    ),
    notes=(
        "A record with several changes for one name has their sum. The median of an even number of "
        "records is the mean of the two in the middle; without any it is none.",
        ONE_PLACE,
        "If the medians are equal or one of them is none, answer tie.",
    ),
)
def median_change_of_two(v: View, p: Given) -> list[Line]:
    """Two entities by the median change of a measure in one record."""
    part, names = v.world.measures[p.text("measure")], (p.text("entity"), p.text("entity2"))
    lines: list[Line] = []
    medians: list[Fraction] = []
    for name in names:
        rows = v.postings(part.name, entity=name)
        changes = sorted(changed[name] for _, changed in steps(v, rows))
        middle = changes[(len(changes) - 1) // 2 : len(changes) // 2 + 1]
        below = len(middle) * part.scale
        if below:
            medians.append(Fraction(sum(middle), below))
        text = f"median change of {part.label} of {name}"
        lines.append(ratio(name, sum(middle), below, 1, text))
    lead = medians[0] - medians[1] if len(medians) == len(names) else Fraction(0)
    text = f"the one with the higher median change of {part.label}"
    return [*lines, winner_of_two("higher", *names, lead.numerator, text, "name")]


@operator(
    "comparison/longest-absence-of-two",
    needs=needs.entities,
    draw=lambda d: two_active(d, d.kind()),
    phrasings=(
        "Who or what was absent for more {block_nouns} in a row, {entity} or {entity2}, going by "
        "the valid records that name them?",
        "Find for {entity} and for {entity2} the longest run of successive {block_nouns} without a "
        "valid record that names it. Which run is longer?",
        "Compare the longest silence about {entity} with that about {entity2}, in {block_nouns} in "
        "a row without a valid record.",
    ),
    notes=(
        "Say also how many valid records name each.",
        "A run may begin at the first {block_noun} or end at the last.",
        TOOK_PLACE,
        EQUAL,
    ),
)
def longest_absence_of_two(v: View, p: Given) -> list[Line]:
    """Two entities by their longest run of blocks without a valid record."""
    names = (p.text("entity"), p.text("entity2"))
    lines: list[Line] = []
    numbers: list[Line] = []
    lengths: list[int] = []
    for name in names:
        rows = v.records(entity=name)
        numbers.append(count(f"{name} records", v.count(rows), f"valid records of {name}"))
        if v.reading.last_mention:
            rows = rows[-1:]
        present = sorted({v.block_of(row) for row in rows})
        bounds = [0, *present, v.index.last_block + 1]
        gaps = [after - before - 1 for before, after in pairwise(bounds)]
        lengths.append(max(gaps))
        text = f"longest run without a valid record of {name}"
        lines.append(count(name, lengths[-1], text))
    text = "the one with the longer run"
    lines.append(winner_of_two("longer", *names, lengths[0] - lengths[1], text, "name"))
    return [*lines, *numbers]
