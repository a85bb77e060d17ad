"""Hotspot & peak: where or when most happened."""

from __future__ import annotations

from supersede.model.question import ClaimKind
from supersede.questions import needs
from supersede.questions.draw import Draw, Parameters, complete
from supersede.questions.draws import other_kind
from supersede.questions.forms import (
    Line,
    count,
    latest_record,
    leader,
    named,
    ranked,
    value,
)
from supersede.questions.needs import IN_ORDER, NO_LEADER, TIES, TOOK_PLACE, ZEROS
from supersede.questions.registry import Given, operator
from supersede.questions.view import View
from supersede.questions.wording import article, block_phrase

FIRST_OF_EQUALS = "Ties go to the record that took place first."


@operator(
    "hotspot/actor-target-hotspot",
    needs=needs.entities,
    draw=lambda d: complete(type=d.kind(), measure=d.measure()),
    phrasings=(
        "Which of the {types} is named in the most valid records, in how many, and what net change "
        "of {measure} do these records make?",
        "Find the hotspot among the {types}: named in the most valid records. Give the number and "
        "the net {measure} of these records.",
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
        count("records", counts.get(best or "", 0), "number of valid records that name it"),
        value(part.label, net, f"net {part.label} of these records", part.scale),
    ]


@operator(
    "hotspot/peak-of-running-total",
    needs=needs.anything,
    draw=lambda d: complete(measure=_falling(d), block=d.block()),
    phrasings=(
        "Follow the net change of {measure} record by record up to the end of {block}: how high "
        "did it get, and with which record did it first get there?",
        "What is the highest running net {measure} over the valid records up to the end of "
        "{block}, and which record brought it there first?",
        "By the end of {block}, how far did {measure} rise above the start at the most, and with "
        "which valid record first?",
    ),
    notes=(
        "The running net change begins at 0 and follows the valid records only.",
        IN_ORDER,
        TOOK_PLACE,
        "If it never rises above 0, answer 0 and none.",
        "Say also how many valid records change it by the end of {block}.",
    ),
)
def peak_of_running_total(v: View, p: Given) -> list[Line]:
    """The highest running net change of a measure, and the record that first brings it there."""
    part = v.world.measures[p.text("measure")]
    running = peak = 0
    at: int | None = None
    block = p.number("block")
    rows = v.running(v.postings(part.name, scope=v.window(1, block)))
    deltas: dict[int, int] = {}
    for row in rows:
        deltas[row[0]] = row[2] if v.reading.last_mention else deltas.get(row[0], 0) + row[2]
    for position, delta in deltas.items():
        running += delta
        if running > peak:
            peak, at = running, position
    phrase = block_phrase(v.world, block)
    return [
        value("peak", peak, f"highest running net {part.label}", part.scale),
        latest_record("record", None if at is None else v.record(at).id, "record that reaches it"),
        count("changes", v.count(rows), f"valid changes of {part.label} by {phrase}"),
    ]


def _falling(d: Draw) -> str | None:
    """A measure that goes down as well, so that its peak need not be its end."""
    falling = [m for m in d.index.measures if any(r[2] < 0 for r in d.index.postings(m))]
    return d.measure(falling or None)


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
        "An amended record changes by the amended amount.",
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
    return complete(type=kind, type2=other_kind(d, kind))


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
        "Say also how many valid records name {a_type} and {a_type2} at all.",
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
    both = " and ".join(map(article, labels))
    return [
        named(label, name, f"{label} of the most frequent pair", label, ClaimKind.RANK)
        for label, name in zip(labels, best, strict=True)
    ] + [
        count("records", counts.get(best, 0), "number of valid records of that pair"),
        count("all", v.count(rows), f"valid records that name {both}"),
    ]


@operator(
    "hotspot/most-versatile-entity",
    needs=lambda f: needs.entities(f) and needs.two_events(f),
    draw=lambda d: complete(type=d.kind()),
    phrasings=(
        "Which of the {types} appears in the most different kinds of valid record, and in how many "
        "kinds?",
        "Find the most versatile of the {types}: named in valid records of the most kinds.",
        "Counting the different kinds of valid record that name each of them, which of the "
        "{types} comes first?",
    ),
    notes=("Say also how many valid records name that {type}.", ZEROS, TIES, NO_LEADER),
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
