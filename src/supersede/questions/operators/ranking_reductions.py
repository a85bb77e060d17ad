"""Ranking / Top-N by other than the net change: movement, mean, peak, crossing, two levels."""

from __future__ import annotations

from fractions import Fraction
from itertools import groupby

from supersede.model.question import ClaimKind
from supersede.questions import needs
from supersede.questions.courses import crossings, ordered, peaks
from supersede.questions.draw import Draw, Parameters, complete
from supersede.questions.draws import ranked_kind
from supersede.questions.forms import (
    Line,
    count,
    latest_record,
    named,
    ranked,
    ratio,
    value,
)
from supersede.questions.needs import IN_ORDER, ONE_PLACE, TIES, ZEROS
from supersede.questions.operators.ranking import places
from supersede.questions.registry import Given, operator
from supersede.questions.view import View
from supersede.questions.wording import NONE, ORDINALS, decimal

CHANGED = "Only {types} with a valid change of it are candidates."


def two_way(d: Draw) -> list[str]:
    """Measures that count for entities and that the history changes both up and down."""
    found: list[str] = []
    for measure in d.facts.measured:
        deltas = [row[2] for row in d.index.postings(measure)]
        if deltas and min(deltas) < 0 < max(deltas):
            found.append(measure)
    return found


def _moved(d: Draw) -> Parameters | None:
    """A measure that valid records lower for somebody, where there is one."""
    source = d.reading.source
    given: Parameters | None = None
    for _ in range(3):
        given = ranked_kind(d, two_way(d))
        if given is None:
            return None
        rows = d.index.postings(str(given["measure"]), str(given["type"]))
        if any(r[2] < 0 and r[3] is not None and source[r[0]] == r[1] for r in rows):
            break
    return given


@operator(
    "ranking/total-movement",
    needs=needs.measured,
    draw=_moved,
    phrasings=(
        "Rank the top {n} {types} by the total movement of {measure}: the sizes of all valid "
        "changes added up, gains and losses alike.",
        "By gains plus losses of {measure}, each taken as a positive number, which {n} {types} "
        "come first?",
        "Add up the valid changes of {measure} without their signs and rank the {n} {types} with "
        "the largest sums.",
    ),
    single=(
        "By gains plus losses of {measure}, each taken as a positive number, which of the {types} "
        "comes first?",
        "Which {type} has the largest sum of valid changes of {measure}, signs left aside?",
    ),
    notes=("Say also how many valid records lower it for one or more of the {types}.", ZEROS, TIES),
)
def total_movement(v: View, p: Given) -> list[Line]:
    """Sum of the sizes of a measure's changes by entity, top n."""
    kind, part = p.text("type"), v.world.measures[p.text("measure")]
    rows = v.postings(part.name, kind)
    sizes = [(row[0], row[1], abs(row[2]), row[3]) for row in rows]
    by = f"total movement of {part.label}"
    lines = places(v, kind, v.net_by(kind, sizes), p.number("n"), by, part.scale)
    losses = v.count([row for row in rows if row[2] < 0 and row[3] is not None])
    text = f"valid records that lower {part.label} for {v.world.types[kind].plural}"
    return [*lines, count("losses", losses, text)]


@operator(
    "ranking/mean-change-per-record",
    needs=needs.measured,
    draw=ranked_kind,
    phrasings=(
        "Rank the top {n} {types} by their mean change of {measure} per valid record that changes "
        "it for them.",
        "On average over the valid records that change {measure} for them, which {n} {types} have "
        "the highest change? Rank them.",
        "Divide the net {measure} of every {type} by the number of valid records that change it, "
        "and rank the {n} highest means.",
    ),
    single=(
        "Which of the {types} has the highest mean change of {measure} per valid record that "
        "changes it for that name?",
        "On average over the valid records that change {measure} for it, which {type} has the "
        "highest change?",
    ),
    notes=(CHANGED, ONE_PLACE, "Compare the exact means.", TIES),
)
def mean_change_per_record(v: View, p: Given) -> list[Line]:
    """Mean change of a measure per record by entity, top n."""
    kind, part = p.text("type"), v.world.measures[p.text("measure")]
    rows = v.postings(part.name, kind)
    met: dict[str, set[int]] = {}
    for row in rows:
        if row[3] is not None:
            met.setdefault(row[3], set()).add(row[0])
    last = v.reading.last_mention
    means = {
        name: Fraction(net, (1 if last else len(met[name])) * part.scale)
        for name, net in v.net_by(kind, rows).items()
        if name in met
    }
    order = sorted(means, key=means.__getitem__, reverse=True)[: p.number("n")]
    v.show(kind, order)
    lines: list[Line] = []
    for place in range(p.number("n")):
        ordinal, by = ORDINALS[place], f"mean change of {part.label} per record"
        name = order[place] if place < len(order) else None
        lines.append(
            named(ordinal, name, f"{ordinal} by {by}", v.world.types[kind].label, ClaimKind.RANK)
        )
        mean = Fraction(0) if name is None else means[name]
        below = 0 if name is None else mean.denominator
        text = f"{by} of the {ordinal}"
        lines.append(ratio(f"{ordinal} value", mean.numerator, below, 1, text))
    return lines


def _peaked(d: Draw) -> Parameters | None:
    """A measure that for somebody was higher than at the end, where there is one."""
    given: Parameters | None = None
    for _ in range(3):
        given = ranked_kind(d, two_way(d))
        if given is None:
            return None
        v, kind = View(d.index, d.reading), str(given["type"])
        rows = v.postings(str(given["measure"]), kind)
        nets = v.net_by(kind, rows)
        if any(peak > nets.get(name, 0) for name, (peak, _) in peaks(v, rows).items()):
            break
    return given


@operator(
    "ranking/peak-by-entity",
    needs=needs.measured,
    draw=_peaked,
    phrasings=(
        "Rank the top {n} {types} by the highest running net {measure} that they ever had.",
        "At its peak, whose running net {measure} was highest? Rank the first {n} {types} by peak.",
        "Follow the net {measure} of every {type} record by record, and rank the {n} highest "
        "peaks.",
    ),
    single=(
        "Which of the {types} ever had the highest running net {measure}?",
        "Follow the net {measure} of every {type} record by record: which peak is the highest, and "
        "whose is it?",
    ),
    notes=(
        "Every running net change begins at 0 and is taken after each valid record; one that is "
        "never above 0 has its peak at 0.",
        "Say also which record first brings the one in the first place to its peak, none if that "
        "is 0.",
        IN_ORDER,
        ZEROS,
        TIES,
    ),
)
def peak_by_entity(v: View, p: Given) -> list[Line]:
    """Highest running net change of a measure by entity, top n."""
    kind, part = p.text("type"), v.world.measures[p.text("measure")]
    highest = peaks(v, v.postings(part.name, kind))
    values = {name: highest[name][0] if name in highest else 0 for name in v.live(kind)}
    by = f"highest running net {part.label}"
    lines = places(v, kind, values, p.number("n"), by, part.scale)
    first = ranked(values)[:1]
    at = highest[first[0]][1] if first and first[0] in highest else None
    record_id = None if at is None else v.record(at).id
    return [*lines, latest_record("record", record_id, f"record of the 1st by {by}")]


def _limited(d: Draw) -> Parameters | None:
    """A measure and a value that some entities reach, a round one where there is one between."""
    for _ in range(3):
        given = ranked_kind(d)
        if given is None:
            return None
        measure, n = str(given["measure"]), int(str(given["n"]))
        v = View(d.index, d.reading)
        found = peaks(v, v.postings(measure, str(given["type"])))
        highest = sorted([peak for peak, _ in found.values()], reverse=True)
        if highest:
            limit = highest[min(n, len(highest)) - 1]
            below = max([peak for peak in highest if peak < limit], default=0)
            return {**given, "limit": _rounded(limit, below)}
    return None


def _rounded(limit: int, below: int) -> int:
    """The roundest number that is at most a limit and above what is below it."""
    step = int(f"1{'0' * len(str(limit))}")
    while limit // step * step <= below:
        step //= 10
    return limit // step * step


@operator(
    "ranking/first-to-reach",
    needs=needs.measured,
    draw=_limited,
    phrasings=(
        "Which {n} {types} were the first to reach a net {measure} of {limit} or more? Rank them "
        "by when they got there.",
        "Rank the first {n} {types} whose running net {measure} came to at least {limit}, in the "
        "order in which they reached it.",
        "In order of reaching a running net {measure} of {limit}, name the first {n} {types} and "
        "the records that brought them there.",
    ),
    single=(
        "Which of the {types} was the first to reach a net {measure} of {limit} or more, and by "
        "which record?",
        "In order of reaching a running net {measure} of {limit}, which {type} comes first?",
    ),
    notes=(
        "Every running net change begins at 0 and is taken after each valid record; later falls "
        "below it do not matter.",
        "Say also how many {types} reached it.",
        IN_ORDER,
        "Ties go to the name listed first in the system message; answer none where nobody is left.",
    ),
)
def first_to_reach(v: View, p: Given) -> list[Line]:
    """Entities in the order in which their running net change first reached a value."""
    kind, part, limit = p.text("type"), v.world.measures[p.text("measure")], p.number("limit")
    reached = crossings(v, v.postings(part.name, kind), limit)
    rank = {name: n for n, name in enumerate(v.live(kind))}
    order: list[str] = []
    for _, group in groupby([name for name in reached if name in rank], key=reached.__getitem__):
        order += sorted(group, key=rank.__getitem__)
    v.show(kind, order)
    what = f"a net {part.label} of {decimal(limit, part.scale)}"
    lines: list[Line] = []
    for place in range(p.number("n")):
        ordinal = ORDINALS[place]
        name = order[place] if place < len(order) else None
        text = f"{ordinal} to reach {what}"
        lines.append(named(ordinal, name, text, v.world.types[kind].label, ClaimKind.RANK))
        by = None if name is None else v.record(reached[name]).id
        lines.append(latest_record(f"{ordinal} record", by, f"record of the {text}"))
    plural = v.world.types[kind].plural
    return [*lines, count("number", len(order), f"number of {plural} that reached {what}")]


def _two_levels(d: Draw) -> Parameters | None:
    shared = needs.shared_kinds(d.facts)
    kind = d.kind([k for k in shared if sum(bool(d.index.postings(m)) for m in shared[k]) > 1])
    if kind is None:
        return None
    measures = d.two([m for m in shared[kind] if d.index.changes(m, kind)], d.focus_measures())
    if measures is None:
        return None
    return complete(type=kind, measure=measures[0], measure2=measures[1], n=d.places(kind))


@operator(
    "ranking/two-level-ranking",
    needs=needs.two_measured,
    draw=_two_levels,
    phrasings=(
        "Rank the top {n} {types} by net {measure}, and equal ones by net {measure2}.",
        "Make a table of the {types} by net {measure}, with net {measure2} to decide between "
        "equals, and give the first {n}.",
        "Net {measure} comes first and net {measure2} second: which {n} {types} lead the table "
        "of valid records?",
    ),
    single=(
        "Which of the {types} is first by net {measure}, equal ones ranked by net {measure2}?",
        "Net {measure} comes first and net {measure2} second: which {type} leads the table of "
        "valid records?",
    ),
    notes=(
        ZEROS,
        "Ties go to the higher net {measure2}, then to the name listed first in the system "
        "message.",
    ),
)
def two_level_ranking(v: View, p: Given) -> list[Line]:
    """Net change of a measure by entity, ties broken by another measure, top n."""
    kind = p.text("type")
    parts = [v.world.measures[p.text(name)] for name in ("measure", "measure2")]
    first, second = (v.net_by(kind, v.postings(part.name, kind)) for part in parts)
    by_second = ranked(second)
    order = ranked(ordered(first, by_second))[: p.number("n")]
    v.show(kind, order)
    lines: list[Line] = []
    for place in range(p.number("n")):
        ordinal = ORDINALS[place]
        name = order[place] if place < len(order) else None
        text = f"{ordinal} by net {parts[0].label}, then net {parts[1].label}"
        lines.append(named(ordinal, name, text, v.world.types[kind].label, ClaimKind.RANK))
        for part, totals in zip(parts, (first, second), strict=True):
            slot, what = f"{ordinal} {part.label}", f"net {part.label} of the {ordinal}"
            if name is None:
                lines.append(Line(ClaimKind.VALUE, slot, NONE, what))
            else:
                lines.append(value(slot, totals[name], what, part.scale))
    return lines
