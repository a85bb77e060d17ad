"""Ranking / Top-N: reconstructed values are compared across candidates."""

from __future__ import annotations

from supersede.model.question import ClaimKind
from supersede.questions import needs
from supersede.questions.draw import Draw, Parameters, complete
from supersede.questions.forms import Line, block, count, ranked, top, value
from supersede.questions.needs import TIES, TOOK_PLACE, ZEROS
from supersede.questions.registry import Given, operator
from supersede.questions.view import View
from supersede.questions.wording import window_phrase


def _kind_and_event(d: Draw) -> Parameters | None:
    kind = d.kind()
    if kind is None:
        return None
    event = d.event(d.facts.naming[kind])
    return complete(type=kind, event=event, n=d.places(kind))


def _measure_and_kind(d: Draw) -> Parameters | None:
    measure = d.measure(d.facts.measured)
    kind = d.measured_kind(measure)
    return None if kind is None else complete(measure=measure, type=kind, n=d.places(kind))


@operator(
    "ranking/event-type-actor-leaderboard",
    needs=needs.entities,
    draw=_kind_and_event,
    phrasings=(
        "Counting only valid records, rank the top {n} {types} by number of {events}.",
        "Which {n} {types} are named in the most valid {events}? Rank them with their numbers.",
        "Make a leaderboard of {types} by how many valid {events} name them: the first {n}.",
    ),
    single=(
        "Counting only valid records, which of the {types} is named in the most {events}, and in "
        "how many?",
        "Which {type} comes first by number of valid {events}? Give the number too.",
    ),
    notes=(ZEROS, TIES),
)
def event_type_actor_leaderboard(v: View, p: Given) -> list[Line]:
    """Records of an event counted by entity, top n."""
    kind, event = p.text("type"), p.text("event")
    counts = v.count_by(kind, v.named(kind, event))
    by = f"number of valid {v.world.events[event].plural}"
    return places(v, kind, counts, p.number("n"), by, kind_of=ClaimKind.COUNT)


@operator(
    "ranking/component-rank-top-n-metric",
    needs=needs.measured,
    draw=_measure_and_kind,
    phrasings=(
        "Counting only valid records, rank the top {n} {types} by net change of {measure}.",
        "Which {n} {types} have the highest net {measure} over all valid records? Rank them.",
        "Rank {types} by their net {measure} after every revision; give the first {n}.",
    ),
    single=(
        "Counting only valid records, which of the {types} has the highest net {measure}?",
        "Which {type} has the highest net {measure} over all valid records, and how much is it?",
    ),
    notes=(ZEROS, TIES),
)
def component_rank_top_n_metric(v: View, p: Given) -> list[Line]:
    """Net change of a measure by entity, top n."""
    kind, measure = p.text("type"), p.text("measure")
    totals = v.net_by(kind, v.postings(measure, kind))
    part = v.world.measures[measure]
    return places(v, kind, totals, p.number("n"), f"net {part.label}", part.scale)


def _windowed(d: Draw) -> Parameters | None:
    first, last = d.window()
    given = _measure_and_kind(d)
    return None if given is None else {**given, "first": first, "last": last}


@operator(
    "ranking/window-rank-metric",
    needs=needs.measured,
    draw=_windowed,
    phrasings=(
        "For {window} only, rank the top {n} {types} by net change of {measure}.",
        "Looking at valid records of {window}, which {n} {types} gained most {measure}? Rank them.",
        "Rank {types} by net {measure} within {window}; give the first {n} with their values.",
    ),
    single=(
        "For {window} only, which of the {types} has the highest net change of {measure}?",
        "Looking at valid records of {window}, which {type} gained most {measure}, and how much?",
    ),
    notes=(TOOK_PLACE, ZEROS, TIES),
)
def window_rank_metric(v: View, p: Given) -> list[Line]:
    """Net change of a measure by entity in a window of blocks, top n."""
    kind, measure = p.text("type"), p.text("measure")
    first, last = p.number("first"), p.number("last")
    totals = v.net_by(kind, v.postings(measure, kind, scope=v.window(first, last)))
    part = v.world.measures[measure]
    by = f"net {part.label} in {window_phrase(v.world, first, last)}"
    return places(v, kind, totals, p.number("n"), by, part.scale)


@operator(
    "ranking/largest-single-gain",
    needs=needs.measured,
    draw=_measure_and_kind,
    phrasings=(
        "Rank the top {n} {types} by the largest single change of {measure} in a valid record.",
        "By their biggest single valid change of {measure}, which {n} {types} come first?",
        "Take for each of the {types} the largest valid change of {measure}; rank the first {n}.",
    ),
    single=(
        "Which of the {types} has the largest single change of {measure} in a valid record?",
        "By the biggest single valid change of {measure}, which {type} comes first?",
    ),
    notes=(
        "Say also how many valid records change it in all.",
        "Only {types} with a valid change of it are candidates.",
        TIES,
    ),
)
def largest_single_gain(v: View, p: Given) -> list[Line]:
    """Largest change of a measure in one record by entity, top n."""
    kind, measure = p.text("type"), p.text("measure")
    best: dict[str, int] = {}
    rows = v.postings(measure, kind)
    for row in rows:
        name = row[3]
        if name is not None and (v.reading.last_mention or row[2] > best.get(name, row[2] - 1)):
            best[name] = row[2]
    part = v.world.measures[measure]
    ordered = {name: best[name] for name in v.live(kind) if name in best}
    by = f"largest single change of {part.label}"
    lines = places(v, kind, ordered, p.number("n"), by, part.scale)
    return [*lines, count("records", v.count(rows), f"valid records that change {part.label}")]


def _placed(d: Draw) -> Parameters | None:
    given = _measure_and_kind(d)
    if given is None:
        return None
    kind = str(given["type"])
    named_in = [r[3] for r in d.index.postings(str(given["measure"]), kind) if r[3] is not None]
    entity = d.near(list(dict.fromkeys(named_in)), d.focus_names(kind))
    return complete(type=kind, measure=str(given["measure"]), entity=entity)


@operator(
    "ranking/place-of-entity",
    needs=needs.measured,
    draw=_placed,
    phrasings=(
        "Ranked by net change of {measure}, at which place among all {types} is {entity}?",
        "What place does {entity} take when the {types} are ranked by net {measure}?",
        "Rank all {types} by net {measure}: where does {entity} stand, and with what value?",
    ),
    notes=("The highest value is place 1.", ZEROS, TIES),
)
def place_of_entity(v: View, p: Given) -> list[Line]:
    """The place of one entity among all, by net change of a measure."""
    kind, measure, entity = p.text("type"), p.text("measure"), p.text("entity")
    part = v.world.measures[measure]
    totals = v.net_by(kind, v.postings(measure, kind))
    v.show_all(kind)
    place = ranked(totals).index(entity) + 1 if entity in totals else None
    return [
        block("place", place, f"place of {entity} by net {part.label}", ClaimKind.RANK),
        value("value", totals.get(entity, 0), f"net {part.label} of {entity}", part.scale),
    ]


def _derived(d: Draw) -> Parameters | None:
    usable = [x for x in d.facts.world.derived.values() if len(x.per) == 1]
    usable = [x for x in usable if len(d.index.entities(x.per[0])) > 1]
    chosen = d.near(usable, [x for x in usable if d.focus_names(x.per[0])])
    if chosen is None:
        return None
    return complete(derived=chosen.name, type=chosen.per[0], n=d.places(chosen.per[0]))


@operator(
    "ranking/derived-level-ranking",
    needs=needs.derived,
    draw=_derived,
    phrasings=(
        "Rank the top {n} {types} by {derived} at the end of the log.",
        "Which {n} {types} have the highest {derived} once everything is settled? Rank them.",
        "After all valid records, rank the {n} {types} with the highest {derived}.",
    ),
    single=(
        "Which of the {types} has the highest {derived} at the end of the log, and how high is it?",
        "After all valid records, which {type} comes first by {derived}?",
    ),
    notes=(ZEROS, TIES),
)
def derived_level_ranking(v: View, p: Given) -> list[Line]:
    """Level of a derived measure by entity, top n."""
    derived = v.world.derived[p.text("derived")]
    kind = p.text("type")
    levels = dict.fromkeys(v.live(kind), 0)
    for measure, factor in derived.terms:
        start = v.world.measures[measure].start
        for name, net in v.net_by(kind, v.postings(measure, kind)).items():
            levels[name] += factor * (start + net)
    return places(v, kind, levels, p.number("n"), derived.label, derived.scale)


def places(
    v: View,
    kind: str,
    values: dict[str, int],
    n: int,
    by: str,
    scale: int = 1,
    *,
    kind_of: ClaimKind = ClaimKind.VALUE,
) -> list[Line]:
    """The first places of a ranking of entities; note which candidates show."""
    v.show(kind, ranked(values)[:n])
    return top(values, n, by, v.world.types[kind].label, scale, kind_of)
