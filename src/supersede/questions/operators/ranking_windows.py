"""Ranking / Top-N in parts of the log, and of what changed between two parts."""

from __future__ import annotations

from supersede.model.question import ClaimKind
from supersede.questions import needs
from supersede.questions.draw import Draw, Parameters, complete
from supersede.questions.draws import ranked_kind, two_windows
from supersede.questions.forms import Line, ranked
from supersede.questions.needs import IN_ORDER, TIES, TOOK_PLACE, ZEROS
from supersede.questions.operators.ranking import places
from supersede.questions.registry import Given, operator
from supersede.questions.view import View
from supersede.questions.wording import block_phrase, window_phrase


def _event_in_window(d: Draw) -> Parameters | None:
    first, last = d.window()
    kind = d.kind()
    if kind is None:
        return None
    event = d.event(d.facts.naming[kind])
    return complete(type=kind, event=event, n=d.places(kind), first=first, last=last)


@operator(
    "ranking/window-event-leaderboard",
    needs=needs.entities,
    draw=_event_in_window,
    phrasings=(
        "For {window} only, rank the top {n} {types} by number of valid {events}.",
        "Which {n} {types} are named in the most valid {events} of {window}? Rank them with their "
        "numbers.",
        "Count the valid {events} {in_window} by {type} and rank the first {n}.",
    ),
    single=(
        "For {window} only, which of the {types} is named in the most valid {events}?",
        "Which {type} is named in the most valid {events} of {window}, and in how many?",
    ),
    notes=(TOOK_PLACE, ZEROS, TIES),
)
def window_event_leaderboard(v: View, p: Given) -> list[Line]:
    """Records of an event counted by entity in a window of blocks, top n."""
    kind, event = p.text("type"), v.world.events[p.text("event")]
    first, last = p.number("first"), p.number("last")
    counts = v.count_by(kind, v.named(kind, event.name, v.window(first, last)))
    by = f"number of valid {event.plural} in {window_phrase(v.world, first, last)}"
    return places(v, kind, counts, p.number("n"), by, kind_of=ClaimKind.COUNT)


def _since(d: Draw) -> Parameters | None:
    given = ranked_kind(d)
    record = d.anchor()
    return None if given is None or record is None else {**given, "record": record}


@operator(
    "ranking/since-record-rank-metric",
    needs=needs.measured,
    draw=_since,
    phrasings=(
        "Counting only what took place after {record}, rank the top {n} {types} by net change of "
        "{measure}.",
        "Which {n} {types} gained most {measure} after {record}? Rank them by net change.",
        "Take the valid records that took place later than {record}: which {n} {types} have the "
        "highest net {measure} by them? Rank them.",
    ),
    single=(
        "Counting only what took place after {record}, which of the {types} has the highest net "
        "change of {measure}?",
        "Which {type} gained most {measure} after {record}, and how much?",
    ),
    notes=("{record} itself is left out.", IN_ORDER, ZEROS, TIES),
)
def since_record_rank_metric(v: View, p: Given) -> list[Line]:
    """Net change of a measure by entity after a record, top n."""
    kind, record = p.text("type"), p.text("record")
    part = v.world.measures[p.text("measure")]
    totals = v.net_by(kind, v.postings(part.name, kind, scope=v.since(record)))
    return places(v, kind, totals, p.number("n"), f"net {part.label} after {record}", part.scale)


def _improved(d: Draw) -> Parameters | None:
    windows = two_windows(d)
    given = ranked_kind(d)
    return None if windows is None or given is None else {**given, **windows}


@operator(
    "ranking/most-improved",
    needs=needs.measured,
    draw=_improved,
    phrasings=(
        "Rank the top {n} {types} by how much higher their net change of {measure} is in {window2} "
        "than in {window}.",
        "Setting {window2} against {window}, which {n} {types} improved most in net {measure}? "
        "Rank them.",
        "Compare the net {measure} of every {type} in {window} and in {window2}, and rank the {n} "
        "with the largest gain from the one to the other.",
    ),
    single=(
        "Setting {window2} against {window}, which of the {types} improved most in net {measure}?",
        "For which {type} is the net change of {measure} in {window2} furthest above that in "
        "{window}?",
    ),
    notes=(
        "The value is the net change in {window2} minus that in {window}.",
        TOOK_PLACE,
        ZEROS,
        TIES,
    ),
)
def most_improved(v: View, p: Given) -> list[Line]:
    """Difference of the net changes in two windows by entity, top n."""
    kind, part = p.text("type"), v.world.measures[p.text("measure")]
    spans = [(p.number("first"), p.number("last")), (p.number("first2"), p.number("last2"))]
    before, after = (
        v.net_by(kind, v.postings(part.name, kind, scope=v.window(*span))) for span in spans
    )
    gains = {name: after[name] - net for name, net in before.items()}
    phrases = [window_phrase(v.world, *span) for span in spans]
    by = f"net {part.label} in {phrases[1]} minus that in {phrases[0]}"
    return places(v, kind, gains, p.number("n"), by, part.scale)


def _climbing(d: Draw) -> Parameters | None:
    """A ranking and a block since which some have won places, where there is one."""
    given: Parameters | None = None
    for _ in range(3):
        drawn = ranked_kind(d)
        if drawn is None:
            return given
        given = {**drawn, "block": d.block()}
        climbed = _climbed(View(d.index, d.reading), Given(given))
        if any(climbed.values()):
            break
    return given


@operator(
    "ranking/places-climbed",
    needs=needs.measured,
    draw=_climbing,
    phrasings=(
        "Rank all {types} by net {measure} at the end of {block} and again at the end of the log: "
        "which {n} climbed most places?",
        "Which {n} {types} rose most places in the ranking by net {measure} after the end of "
        "{block}? Rank them by places climbed.",
        "By places climbed in the table of net {measure} since the end of {block}, which {n} "
        "{types} come first?",
    ),
    single=(
        "Which of the {types} climbed most places in the ranking by net {measure} since the end "
        "of {block}?",
        "By places climbed in the table of net {measure} since the end of {block}, which {type} "
        "comes first?",
    ),
    notes=(
        "Places climbed is the place then minus the place now, negative for a fall; the highest "
        "net {measure} is place 1.",
        TOOK_PLACE,
        "All {types} of the end of the log are ranked both times, those at zero included.",
        "Ties go to the name listed first in the system message, in both rankings and here.",
    ),
)
def places_climbed(v: View, p: Given) -> list[Line]:
    """Places won since a block in the ranking by net change of a measure, top n."""
    part = v.world.measures[p.text("measure")]
    by = f"places climbed by net {part.label} since {block_phrase(v.world, p.number('block'))}"
    return places(v, p.text("type"), _climbed(v, p), p.number("n"), by, kind_of=ClaimKind.COUNT)


def _climbed(v: View, p: Given) -> dict[str, int]:
    """Entity -> its place at the end of the block minus its place now."""
    kind, measure = p.text("type"), p.text("measure")
    then, now = (
        ranked(v.net_by(kind, v.postings(measure, kind, scope=scope)))
        for scope in (v.window(1, p.number("block")), None)
    )
    v.show_all(kind)
    place_now = {name: n for n, name in enumerate(now)}
    place_then = {name: n for n, name in enumerate(then)}
    return {name: place_then[name] - place_now[name] for name in v.live(kind)}
