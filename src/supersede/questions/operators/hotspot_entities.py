"""Hotspot & peak of entities: who leads longest, who comes in a row, what comes next."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import nlargest
from itertools import pairwise
from operator import itemgetter

from supersede.model.question import ClaimKind
from supersede.questions import needs
from supersede.questions.draw import Draw, Parameters, complete
from supersede.questions.draws import measured_kind
from supersede.questions.forms import Line, block, count, latest_record, leader, margin, named
from supersede.questions.needs import EARLIER, IN_ORDER, TIES, TOOK_PLACE, ZEROS
from supersede.questions.operators.audit import LISTED, OWN_LINE
from supersede.questions.registry import Given, operator
from supersede.questions.view import View
from supersede.questions.wording import plural_of


@operator(
    "hotspot/longest-silence",
    needs=needs.entities,
    draw=lambda d: complete(entity=d.entity(d.kind())),
    phrasings=(
        "What is the longest run of {block_nouns} in a row without a valid record that names "
        "{entity}, and with which {block_noun} does it begin?",
        "How many {block_nouns} on end, at most, have no valid record that names {entity}, and "
        "which is the first of them?",
        "Find the longest silence about {entity}: the number of successive {block_nouns} without "
        "a valid record of that name, and the first of them.",
    ),
    notes=(
        "Say also how many valid records name {entity}.",
        TOOK_PLACE,
        "The {block_nouns} before the first and after the last such record are looked at as well.",
        "Of equal runs take the earlier one; if there is no such {block_noun}, answer 0 and none.",
    ),
)
def longest_silence(v: View, p: Given) -> list[Line]:
    """The longest run of blocks without a valid record that names an entity."""
    entity = p.text("entity")
    rows = v.records(entity=entity)
    seen = {v.block_of(row) for row in v.heard(rows)}
    best = length = 0
    end: int | None = None
    for number in range(1, v.index.last_block + 1):
        length = 0 if number in seen else length + 1
        if length > best:
            best, end = length, number
    noun = v.world.block
    return [
        count("length", best, f"{plural_of(noun)} in the longest run without {entity}"),
        block("first", None if end is None else end - best + 1, f"first {noun} of that run",
              ClaimKind.RANK),
        count("records", v.count(rows), f"valid records of {entity}"),
    ]  # fmt: skip


def running_totals(v: View, measure: str, kind: str) -> Iterator[tuple[int, dict[str, int]]]:
    """Block by block: the net change of every live entity from the start to the block's end.

    It is one mapping that changes from block to block.
    """
    totals = dict.fromkeys(v.live(kind), 0)
    by_block: dict[int, list[tuple[str, int]]] = {}
    for row in v.heard(v.postings(measure, kind)):
        if row[3] in totals:
            by_block.setdefault(v.block_of(row), []).append((row[3], row[2]))
    for number in range(1, v.index.last_block + 1):
        for name, delta in by_block.get(number, ()):
            totals[name] += delta
        yield number, totals


@operator(
    "hotspot/longest-in-the-lead",
    needs=needs.measured,
    draw=measured_kind,
    phrasings=(
        "Take the leader of the {types} by net {measure} so far at the end of every {block_noun}: "
        "which of them leads at the end of most {block_nouns}, and of how many?",
        "Which of the {types} is ahead by running net {measure} at the end of the most "
        "{block_nouns}, and of how many?",
        "Who or what among the {types} stays longest in the lead by net {measure}, counted in "
        "{block_nouns} at whose end it leads?",
    ),
    notes=(
        "At the end of a {block_noun} the net changes run from the start up to there, judged by "
        "what counts at the end of the log.",
        TOOK_PLACE,
        ZEROS,
        "Where several lead together, the name listed first does; where all are at zero, nobody "
        "does.",
        "Say also how many different {types} ever lead.",
        TIES,
        "If nobody ever leads, answer none and 0.",
    ),
)
def longest_in_the_lead(v: View, p: Given) -> list[Line]:
    """The entity that leads by running net change at the end of the most blocks."""
    part, kind = v.world.measures[p.text("measure")], p.text("type")
    led = dict.fromkeys(v.live(kind), 0)
    for _, totals in running_totals(v, part.name, kind):
        ahead = leader(totals)
        if ahead is not None:
            led[ahead] += 1
    v.show(kind, [name for name, number in led.items() if number])
    best = leader(led)
    hint, nouns = v.world.types[kind].label, plural_of(v.world.block)
    return [
        named(hint, best, f"{hint} longest in the lead by net {part.label}", hint, ClaimKind.RANK),
        count("number", led.get(best or "", 0), f"{nouns} at whose end it leads"),
        count("leaders", len([n for n in led.values() if n]), f"different leaders by "
              f"{part.label}"),
    ]  # fmt: skip


@operator(
    "hotspot/largest-lead",
    needs=needs.measured,
    draw=measured_kind,
    phrasings=(
        "Compare the {types} by net {measure} so far at the end of every {block_noun}: at the end "
        "of which was the lead of the first over the second at its largest, who led, and by how "
        "much?",
        "What was the largest lead that one of the {types} ever had over the next by running net "
        "{measure}, taken at the end of a {block_noun}: whose, when, and how large?",
        "{In_} which {block_noun} did one of the {types} end up furthest ahead of all others by "
        "net {measure} from the start, which one, and by what margin?",
    ),
    notes=(
        "All {types} are candidates at the end of every {block_noun}, those at zero included; "
        "what counts is judged at the end of the log.",
        TOOK_PLACE,
        EARLIER,
        "If nobody is ever ahead of all others, answer none for both and 0.",
    ),
)
def largest_lead(v: View, p: Given) -> list[Line]:
    """The largest margin of a leader by running net change at the end of a block."""
    part, kind = v.world.measures[p.text("measure")], p.text("type")
    best: str | None = None
    when: int | None = None
    widest = 0
    for number, totals in running_totals(v, part.name, kind):
        first, *rest = nlargest(2, totals.items(), key=itemgetter(1)) or [("", 0)]
        ahead = first[1] - rest[0][1] if rest else 0
        if ahead > widest:
            widest, best, when = ahead, first[0], number
    v.show_all(kind)
    hint, noun = v.world.types[kind].label, v.world.block
    return [
        named(hint, best, f"{hint} with the largest lead by net {part.label}", hint,
              ClaimKind.RANK),
        block(noun, when, f"{noun} at whose end that lead was reached"),
        margin("lead", widest, f"largest lead by net {part.label}", part.scale),
    ]  # fmt: skip


@operator(
    "hotspot/most-invalid-records",
    needs=needs.entities,
    draw=lambda d: complete(type=d.kind()),
    phrasings=(
        "Which of the {types} is named in the most invalid records, and in how many?",
        "Where among the {types} do most records turn out invalid, and how many are they?",
        "Find the {type} whose records are left out most often: named in the most invalid ones.",
    ),
    notes=(
        LISTED,
        OWN_LINE,
        "Say also how many valid records name that {type}.",
        TIES,
        "If no invalid record names any, answer none and 0.",
    ),
)
def most_invalid_records(v: View, p: Given) -> list[Line]:
    """The entity with the most invalid records, their number and that of its valid ones."""
    kind = p.text("type")
    own = [row for row in v.index.named(kind) if row[0] == row[1]]
    excluded = set(v.excluded())
    if v.part is not None:
        v.part.excluded &= {row[0] for row in own}
    found = dict.fromkeys(v.index.entities(kind), 0)
    for row in own:
        found[row[2]] += row[0] in excluded
    best = leader(found)
    valid = 0 if best is None else v.count(v.records(entity=best))
    hint = v.world.types[kind].label
    return [
        named(hint, best, f"{hint} with the most invalid records", hint, ClaimKind.RANK),
        count("invalid", found.get(best or "", 0), "invalid records that name it"),
        count("valid", valid, "valid records that name it"),
    ]


@operator(
    "hotspot/commonest-successor",
    needs=needs.two_events,
    draw=lambda d: complete(event=d.event()),
    phrasings=(
        "Put all valid records in order: which kind of record comes right after a valid {event} "
        "most often, and how many times?",
        "What follows a valid {event} most often: of which kind is the valid record that takes "
        "place next, and in how many cases?",
        "Among the valid records that took place directly after a valid {event}, which kind is the "
        "most frequent, and how often does it come?",
    ),
    notes=(
        "Invalid records are passed over; another {event} may be what follows.",
        "Say also how many valid {events} there are, a last one that nothing follows included.",
        IN_ORDER,
        "Ties go to the kind listed first in the system message.",
        "If nothing follows any, answer none and 0.",
    ),
)
def commonest_successor(v: View, p: Given) -> list[Line]:
    """The kind of record that most often comes right after one of an event."""
    event = v.world.events[p.text("event")]
    records = v.index.records
    line = [records[row[0]].event or "" for row in v.heard(v.running(v.records()))]
    found = dict.fromkeys(v.world.events, 0)
    for before, after in pairwise(line):
        if before == event.name and after in found:
            found[after] += 1
    best = leader(found)
    return [
        named("kind", None if best is None else v.world.events[best].label,
              f"kind that most often follows a valid {event.label}", "kind of record",
              ClaimKind.RANK),
        count("times", found.get(best or "", 0), f"times that it follows a valid {event.label}"),
        count("all", line.count(event.name), f"valid {event.plural} in all"),
    ]  # fmt: skip


def _in_a_row(d: Draw) -> Parameters | None:
    """A type and an event that names one, but does not bring it in."""
    kind = d.kind()
    if kind is None:
        return None
    records = d.index.records
    events = [
        event
        for event in d.facts.naming[kind]
        if not any(m.type == kind for i in d.index.validity.by_event.get(event, ())[:1]
                   for m in records[i].mints)
    ]  # fmt: skip
    return complete(type=kind, event=d.event(events))


@operator(
    "hotspot/longest-row-of-one-entity",
    needs=needs.entities,
    draw=_in_a_row,
    phrasings=(
        "Put the valid {events} in order: which of the {types} is named in the most of them in a "
        "row, in how many, and with which record does that row begin?",
        "What is the longest row of successive valid {events} that all name the same {type}, which "
        "{type} is that, and which record is the first?",
        "Which {type} has the longest unbroken series of valid {events}, one right after the "
        "other, how long is it, and where does it begin?",
    ),
    notes=(
        "Records of other kinds in between do not matter; one of the {events} without that {type} "
        "breaks the row.",
        IN_ORDER,
        "Say also how many valid {events} there are in all.",
        "Ties go to the row that is complete first, then to the name listed first in the system "
        "message.",
        "If there is none, answer none and 0.",
    ),
)
def longest_row_of_one_entity(v: View, p: Given) -> list[Line]:
    """The entity named by the most successive valid records of an event."""
    kind, event = p.text("type"), v.world.events[p.text("event")]
    names_of: dict[int, set[str]] = {}
    for row in v.named(kind, event.name):
        names_of.setdefault(row[0], set()).add(row[2])
    place = {name: n for n, name in enumerate(v.index.entities(kind))}
    begun: dict[str, tuple[int, int]] = {}
    best, length, first = None, 0, None
    for row in v.heard(v.running(v.records(event.name))):
        names = names_of.get(row[0], set())
        begun = {name: begun.get(name, (row[0], 0)) for name in names}
        begun = {name: (start, number + 1) for name, (start, number) in begun.items()}
        for name in sorted(names, key=lambda name: place.get(name, len(place))):
            if begun[name][1] > length:
                best, (first, length) = name, begun[name]
    hint = v.world.types[kind].label
    return [
        named(hint, best, f"{hint} with the longest row of valid {event.plural}", hint,
              ClaimKind.RANK),
        count("length", length, f"valid {event.plural} in that row"),
        latest_record("first", None if first is None else v.record(first).id,
                      "first record of that row"),
        count("all", v.count(v.records(event.name)), f"valid {event.plural} in all"),
    ]  # fmt: skip
