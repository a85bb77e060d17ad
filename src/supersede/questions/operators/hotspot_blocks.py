"""Hotspot & peak over blocks and registers."""

from __future__ import annotations

from supersede.model.question import ClaimKind
from supersede.questions import needs
from supersede.questions.draw import Draw, Parameters, complete
from supersede.questions.draws import measured_entity
from supersede.questions.forms import (
    Line,
    block,
    count,
    ranked,
    value,
)
from supersede.questions.needs import EARLIER, TOOK_PLACE
from supersede.questions.operators.ranking_groups import net_by_block
from supersede.questions.registry import Given, operator
from supersede.questions.view import View
from supersede.questions.wording import plural_of


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
    "hotspot/busiest-turn-for-event-type",
    needs=needs.anything,
    draw=lambda d: complete(event=d.event()),
    phrasings=(
        "{In_} which {block_noun} did the most valid {events} take place, and how many?",
        "Find the busiest {block_noun} for valid {events}, with their number.",
        "When was the peak of valid {events}: which {block_noun}, and how many then?",
    ),
    notes=(
        "Say also how many valid {events} there are in all, and {in_} how many {block_nouns} there "
        "is any.",
        TOOK_PLACE,
        EARLIER,
    ),
)
def busiest_turn_for_event_type(v: View, p: Given) -> list[Line]:
    """The block with the most valid records of an event."""
    event = v.world.events[p.text("event")]
    numbers = by_block(v, event.name)
    most = max(numbers, default=0)
    at = numbers.index(most) + 1 if most else None
    seen = len([number for number in numbers if number])
    what = f"{v.world.block} with the most valid {event.plural}"
    nouns = plural_of(v.world.block)
    return [
        block(v.world.block, at, what, ClaimKind.RANK),
        count("number", most, f"valid {event.plural} of that {v.world.block}"),
        count("all", sum(numbers), f"valid {event.plural} in all"),
        count(f"{nouns} with any", seen, f"{nouns} with a valid {event.label}"),
    ]


@operator(
    "hotspot/strongest-block-of-entity",
    needs=needs.measured,
    draw=measured_entity,
    phrasings=(
        "{In_} which {block_noun} was the net change of {measure} for {entity} highest, and how "
        "high?",
        "Find the best {block_noun} of {entity} by net {measure}, with the value.",
        "Which {block_noun} brought {entity} most {measure} on balance?",
    ),
    notes=(
        "Say also {in_} how many {block_nouns} a valid record changes it for {entity}.",
        TOOK_PLACE,
        "Every {block_noun} is a candidate, those at zero included.",
        EARLIER,
    ),
)
def strongest_block_of_entity(v: View, p: Given) -> list[Line]:
    """The block with the highest net change of a measure for one entity."""
    part, entity = v.world.measures[p.text("measure")], p.text("entity")
    rows = v.postings(part.name, entity=entity)
    totals = net_by_block(v, rows)
    active = len({v.block_of(row) for row in rows})
    best = ranked(totals)[0]
    noun = v.world.block
    return [
        block(noun, int(best), f"{noun} with the highest net {part.label} of {entity}",
              ClaimKind.RANK),
        value("value", totals[best], f"net {part.label} of {entity} then", part.scale),
        count("active", active, f"{plural_of(noun)} with a valid change for {entity}"),
    ]  # fmt: skip


@operator(
    "hotspot/longest-run-of-blocks",
    needs=needs.anything,
    draw=lambda d: complete(event=_patchy(d)),
    phrasings=(
        "What is the longest run of {block_nouns} in a row with at least one valid {event} each, "
        "and where does it begin?",
        "Find the longest unbroken stretch of {block_nouns} that each saw a valid {event}.",
        "How many {block_nouns} in a row, at most, saw a valid {event} each, and which is the "
        "first of them?",
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
        "{In_} how many {block_nouns} did no valid {event} take place? Which was the last such "
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
