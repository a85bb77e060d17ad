"""Hotspot & peak in the course of things: limits, bursts and turning points."""

from __future__ import annotations

from itertools import accumulate, groupby, pairwise
from operator import itemgetter

from supersede.model.question import ClaimKind
from supersede.questions import needs
from supersede.questions.draw import Draw, Parameters, complete
from supersede.questions.forms import Line, block, count, latest_record, value
from supersede.questions.index import Row
from supersede.questions.needs import EARLIER, IN_ORDER, TOOK_PLACE
from supersede.questions.operators.hotspot_blocks import by_block
from supersede.questions.registry import Given, operator
from supersede.questions.view import View
from supersede.questions.wording import decimal

_entry = itemgetter(0)


def by_record(v: View, rows: list[Row]) -> list[tuple[int, int]]:
    """(position, net change) of every record that the rows are of, in the order of events."""
    return [
        (position, sum([row[2] for row in group]))
        for position, group in groupby(v.heard(v.running(rows)), key=_entry)
    ]


def _limit(d: Draw) -> Parameters | None:
    """A measure that rises, and a value that its running net change comes to on the way."""
    source, order = d.reading.source, d.index.order
    highest: dict[str, int] = {}
    for name in d.index.measures:
        rows = [row for row in d.index.postings(name) if source[row[0]] == row[1]]
        rows.sort(key=lambda row: order[row[0]])
        highest[name] = max(accumulate([row[2] for row in rows]), default=0)
    high = [name for name, most in highest.items() if most > 2]
    measure = d.measure(high or [name for name, most in highest.items() if most > 0])
    if measure is None:
        return None
    most, scale = highest[measure], d.facts.world.measures[measure].scale
    limit = min(most, max(2, int(most * (0.3 + 0.6 * d.rnd()))))
    if limit > 2 * scale:
        limit -= limit % scale
    return complete(measure=measure, limit=limit)


@operator(
    "hotspot/crossing-of-limit",
    needs=needs.anything,
    draw=_limit,
    phrasings=(
        "With which valid record did the running net change of {measure} first reach {limit} or "
        "more, and {in_} which {block_noun} was that?",
        "When did {measure} first stand {limit} or more above where it started: which valid "
        "record, which {block_noun}?",
        "Add up the changes of {measure} in the valid records in order. Which record first brings "
        "the sum to at least {limit}, and {in_} which {block_noun} did it take place?",
    ),
    notes=(
        "The running net change begins at 0.",
        IN_ORDER,
        "Say also how many valid records had changed it up to there, that one included.",
        "If it never gets there, answer none for record and {block_noun}, and give the number of "
        "all that change it.",
    ),
)
def crossing_of_limit(v: View, p: Given) -> list[Line]:
    """The record and block in which a running net change first reached a limit."""
    part, limit = v.world.measures[p.text("measure")], p.number("limit")
    changes = by_record(v, v.postings(part.name))
    sums = list(accumulate([delta for _, delta in changes]))
    at = next((n for n, reached in enumerate(sums) if reached >= limit), None)
    position = None if at is None else changes[at][0]
    what, noun = f"net {part.label} reaches {decimal(limit, part.scale)}", v.world.block
    return [
        latest_record("record", None if position is None else v.record(position).id,
                      f"record with which {what}"),
        block(noun, None if position is None else v.block_of((position,)), f"{noun} when {what}"),
        count("changes", len(sums) if at is None else at + 1, f"valid changes until {what}"),
    ]  # fmt: skip


def _burst(d: Draw) -> Parameters | None:
    source = d.reading.source
    often = {
        name: len({row[0] for row in d.index.postings(name) if source[row[0]] == row[1]})
        for name in d.index.measures
    }
    measure = d.measure([name for name, number in often.items() if number > 2])
    if measure is None:
        return None
    return complete(measure=measure, n=d.number(2, max(2, min(5, often[measure] // 2))))


@operator(
    "hotspot/strongest-row-of-records",
    needs=needs.anything,
    draw=_burst,
    phrasings=(
        "Of the valid records that change {measure}, which {n} in a row raise it most together? "
        "Give the first of them and their net change.",
        "Put the valid changes of {measure} in order, record by record: over which {n} successive "
        "ones is the net change highest?",
        "What is the highest net {measure} over any {n} successive valid records that change it, "
        "and with which record does that row begin?",
    ),
    notes=(
        "Records that do not change it are left aside and break no row.",
        IN_ORDER,
        "Of equal rows take the earlier one.",
        "If there are fewer than {n} such records, take all of them; if none, answer none and 0.",
    ),
)
def strongest_row_of_records(v: View, p: Given) -> list[Line]:
    """The row of a few successive changes of a measure with the highest net change."""
    part, length = v.world.measures[p.text("measure")], p.number("n")
    changes = by_record(v, v.postings(part.name))
    deltas = [delta for _, delta in changes]
    sums = [sum(deltas[i : i + length]) for i in range(max(1, len(deltas) - length + 1))]
    at = sums.index(max(sums))
    what = f"strongest row of {length} changes of {part.label}"
    return [
        latest_record("first", v.record(changes[at][0]).id if changes else None,
                      f"first record of the {what}"),
        value("net", sums[at], f"net {part.label} of the {what}", part.scale),
    ]  # fmt: skip


@operator(
    "hotspot/half-way-block",
    needs=needs.anything,
    draw=lambda d: complete(event=d.event()),
    phrasings=(
        "By the end of which {block_noun} had at least half of all valid {events} taken place for "
        "the first time, and how many were there by then?",
        "Which {block_noun} is the one that brings the valid {events} to half of their number or "
        "more, counted from the start?",
        "Count the valid {events} {block_noun} by {block_noun} from the start: {in_} which "
        "{block_noun} is half of all of them reached?",
    ),
    notes=(
        "Give also the number by the end of that {block_noun} and the number in all.",
        TOOK_PLACE,
        "If there is none at all, answer none and 0.",
    ),
)
def half_way_block(v: View, p: Given) -> list[Line]:
    """The block by whose end half of an event's valid records have taken place."""
    event = v.world.events[p.text("event")]
    sums = list(accumulate(by_block(v, event.name)))
    everything = sums[-1] if sums else 0
    at = next((n for n, found in enumerate(sums) if 2 * found >= everything > 0), None)
    noun = v.world.block
    return [
        block(noun, None if at is None else at + 1, f"{noun} that reaches half of the valid "
              f"{event.plural}"),
        count("by then", 0 if at is None else sums[at], f"valid {event.plural} by its end"),
        count("all", everything, f"valid {event.plural} in all"),
    ]  # fmt: skip


@operator(
    "hotspot/sharpest-rise-between-blocks",
    needs=needs.anything,
    draw=lambda d: complete(event=d.event()) if d.index.last_block > 1 else None,
    phrasings=(
        "From which {block_noun} to the next did the number of valid {events} rise most, and by "
        "how much?",
        "Compare every {block_noun} with the one before: where is the largest increase in valid "
        "{events}, and how large is it?",
        "{In_} which {block_noun} was the number of valid {events} furthest above that of the "
        "{block_noun} before, and by how many?",
    ),
    notes=(
        "Give the later {block_noun} of the two, the number of valid {events} of each, and the "
        "number in all.",
        TOOK_PLACE,
        "The first {block_noun} has none before it and is no candidate; the largest increase may "
        "be 0 or negative.",
        EARLIER,
    ),
)
def sharpest_rise_between_blocks(v: View, p: Given) -> list[Line]:
    """The block with the largest increase of an event's valid records over the one before."""
    event = v.world.events[p.text("event")]
    numbers = by_block(v, event.name)
    rises = [later - earlier for earlier, later in pairwise(numbers)]
    at = rises.index(max(rises)) + 1 if rises else None
    noun = v.world.block
    return [
        block(noun, None if at is None else at + 1, f"{noun} with the sharpest rise in valid "
              f"{event.plural}", ClaimKind.RANK),
        count("then", 0 if at is None else numbers[at], f"valid {event.plural} of that {noun}"),
        count("before", 0 if at is None else numbers[at - 1], f"valid {event.plural} of the "
              f"{noun} before"),
        count("all", sum(numbers), f"valid {event.plural} in all"),
    ]  # fmt: skip


@operator(
    "hotspot/busiest-hour",
    needs=lambda f: f.world.timed,
    draw=lambda d: complete(event=d.event()),
    phrasings=(
        "At which hour of the clock did most valid {events} take place, and how many?",
        "Sort the valid {events} by the hour of their time, whatever the {block_noun}: which hour "
        "saw most, and how many?",
        "Which hour of the clock is the busiest for valid {events} over all {block_nouns} "
        "together, and with what number?",
    ),
    notes=(
        "An hour runs from its full hour to 59 minutes past and is given by its number: 9 for "
        "09:00 to 09:59.",
        "Say also in how many different hours there is any.",
        "Ties go to the earlier hour; if there is none, answer none and 0.",
    ),
)
def busiest_hour(v: View, p: Given) -> list[Line]:
    """The hour of the clock in which most valid records of an event took place."""
    event = v.world.events[p.text("event")]
    records = v.index.records
    found: dict[int, int] = {}
    for row in v.heard(v.records(event.name)):
        hour = records[row[0]][4] // 60
        found[hour] = found.get(hour, 0) + 1
    best = min(found, key=lambda hour: (-found[hour], hour), default=None)
    return [
        block("hour", best, f"hour with the most valid {event.plural}", ClaimKind.RANK),
        count("number", 0 if best is None else found[best], f"valid {event.plural} in that hour"),
        count("hours", len(found), f"hours with any valid {event.plural}"),
    ]
