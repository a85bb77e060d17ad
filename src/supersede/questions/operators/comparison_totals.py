"""Comparison & leader: levels, ratios, neighbours in a ranking, and one against the whole field."""

from __future__ import annotations

from supersede.model.question import ClaimKind
from supersede.questions import needs
from supersede.questions.draw import Draw, Parameters, complete
from supersede.questions.draws import measured_kind
from supersede.questions.forms import (
    Line,
    count,
    margin,
    named,
    ranked,
    ratio,
    value,
    winner_of_two,
)
from supersede.questions.needs import ONE_PLACE, TIES, ZEROS
from supersede.questions.operators.comparison import EQUAL
from supersede.questions.operators.comparison_pairs import two_active
from supersede.questions.registry import Given, operator
from supersede.questions.view import View
from supersede.questions.wording import NONE


def _derived_pair(d: Draw) -> Parameters | None:
    known = set(d.index.measures)
    usable = [
        x for x in d.facts.world.derived.values()
        if len(x.per) == 1 and len(d.index.entities(x.per[0])) > 1
        and any(measure in known for measure, _ in x.terms)
    ]  # fmt: skip
    chosen = d.near(usable, [x for x in usable if d.focus_names(x.per[0])])
    if chosen is None:
        return None
    kind = chosen.per[0]
    pair = two_active(d, kind)
    if pair is None:
        both = d.two(d.index.entities(kind), d.focus_names(kind))
        pair = None if both is None else complete(entity=both[0], entity2=both[1])
    return None if pair is None else {**pair, "derived": chosen.name}


@operator(
    "comparison/derived-levels-of-two",
    needs=needs.derived,
    draw=_derived_pair,
    phrasings=(
        "Who or what is higher in {derived} at the end of the log, {entity} or {entity2}, and by "
        "how much?",
        "Compare the {derived} of {entity} with that of {entity2} once all valid records are in.",
        "Work out the {derived} of {entity} and of {entity2} after the whole log: who is higher, "
        "and what is the margin?",
    ),
    notes=("Count only valid records, on top of the levels at the start.", EQUAL),
)
def derived_levels_of_two(v: View, p: Given) -> list[Line]:
    """Two entities by the level of a derived measure."""
    derived, names = v.world.derived[p.text("derived")], (p.text("entity"), p.text("entity2"))
    levels = [0, 0]
    for measure, factor in derived.terms:
        start = v.world.measures[measure].start
        for n, name in enumerate(names):
            levels[n] += factor * (start + v.net(v.postings(measure, entity=name)))
    lines = [
        value(name, level, f"{derived.label} of {name}", derived.scale)
        for name, level in zip(names, levels, strict=True)
    ]
    lead, text = levels[0] - levels[1], f"the one with the higher {derived.label}"
    lines.append(winner_of_two("higher", *names, lead, text, "name"))
    text = f"margin between the two by {derived.label}"
    return [*lines, margin("margin", abs(lead), text, derived.scale)]


def _ratio(d: Draw) -> Parameters | None:
    """An entity and two measures, the second of them not zero where there is such an entity."""
    given: Parameters | None = None
    shared = needs.shared_kinds(d.facts)
    for _ in range(3):
        kinds = [k for k in shared if sum(d.index.changes(m, k) for m in shared[k]) > 1]
        kind = d.near(kinds, [k for k in kinds if d.focus_names(k)])
        if kind is None:
            return given
        measures = d.two([m for m in shared[kind] if d.index.changes(m, kind)], d.focus_measures())
        if measures is None:
            continue
        v = View(d.index, d.reading)
        below = v.net_by(kind, v.postings(measures[1], kind))
        names = [name for name, net in below.items() if net] or list(below)
        entity = d.near(names, d.focus_names(kind))
        drawn = complete(entity=entity, measure=measures[0], measure2=measures[1])
        given = drawn or given
        if drawn is not None and below[str(entity)]:
            break
    return given


@operator(
    "comparison/ratio-of-two-measures",
    needs=needs.two_measured,
    draw=_ratio,
    phrasings=(
        "For {entity}, what does net {measure} divided by net {measure2} come to?",
        "Divide the net {measure} of {entity} by the net {measure2} of the same name.",
        "What is the ratio of net {measure} to net {measure2} for {entity}, over all valid "
        "records?",
    ),
    notes=(
        "Give the ratio with two decimal places, half rounded away from zero; where net {measure2} "
        "comes to 0, answer none for it.",
    ),
)
def ratio_of_two_measures(v: View, p: Given) -> list[Line]:
    """One entity's net change of a measure by its net change of another."""
    entity = p.text("entity")
    parts = [v.world.measures[p.text(name)] for name in ("measure", "measure2")]
    nets = [v.net(v.postings(part.name, entity=entity)) for part in parts]
    lines = [
        value(part.label, net, f"net {part.label} of {entity}", part.scale)
        for part, net in zip(parts, nets, strict=True)
    ]
    above, below = nets[0] * parts[1].scale, nets[1] * parts[0].scale
    return [*lines, ratio("ratio", above, below, 2, f"the first by the second for {entity}")]


def _neighboured(d: Draw) -> Parameters | None:
    given = measured_kind(d)
    if given is None:
        return None
    kind = str(given["type"])
    rows = d.index.postings(str(given["measure"]), kind)
    source = d.reading.source
    changed = [row[3] for row in rows if row[3] is not None and source[row[0]] == row[1]]
    names = list(dict.fromkeys(changed)) or View(d.index, d.reading).live(kind)
    return complete(**given, entity=d.near(names, d.focus_names(kind)))


@operator(
    "comparison/neighbours-in-ranking",
    needs=needs.measured,
    draw=_neighboured,
    phrasings=(
        "In the ranking of all {types} by net {measure}, who or what is one place above {entity}, "
        "who or what one place below, and how far are they off?",
        "Ranked by net {measure}, which of the {types} come directly before and directly after "
        "{entity}, and by what differences?",
        "Find the neighbours of {entity} in the table of {types} by net {measure}, and the gap to "
        "each.",
    ),
    notes=(
        "The highest value is on top. A gap is never negative; where there is no neighbour, answer "
        "none for it and its gap.",
        ZEROS,
        TIES,
    ),
)
def neighbours_in_ranking(v: View, p: Given) -> list[Line]:
    """The entities directly before and after one by net change of a measure, and the gaps."""
    kind, entity = p.text("type"), p.text("entity")
    part = v.world.measures[p.text("measure")]
    totals = v.net_by(kind, v.postings(part.name, kind))
    order = ranked(totals)
    at = order.index(entity) if entity in totals else -2
    beside = {"above": at - 1, "below": at + 1}
    shown = [order[n] for n in beside.values() if 0 <= n < len(order)]
    v.show(kind, [entity, *shown])
    lines: list[Line] = []
    for slot, n in beside.items():
        name = order[n] if at >= 0 and 0 <= n < len(order) else None
        text = f"one place {slot} {entity} by net {part.label}"
        lines.append(named(slot, name, text, v.world.types[kind].label))
        text = f"gap to the one {slot} {entity} by net {part.label}"
        if name is None:
            lines.append(Line(ClaimKind.MARGIN, f"gap {slot}", NONE, text))
        else:
            gap = abs(totals[name] - totals[entity])
            lines.append(margin(f"gap {slot}", gap, text, part.scale))
    return lines


@operator(
    "comparison/highest-against-lowest",
    needs=needs.measured,
    draw=measured_kind,
    phrasings=(
        "Which of the {types} has the highest net {measure}, which the lowest, and how far are "
        "they apart?",
        "Compare the top of the {types} by net {measure} with the bottom: names, values and the "
        "spread.",
        "Between which two of the {types} is the difference in net {measure} the largest, and how "
        "large is it?",
    ),
    notes=("Count only valid records.", ZEROS, f"{TIES[:-1]}, at both ends."),
)
def highest_against_lowest(v: View, p: Given) -> list[Line]:
    """The highest and the lowest entity by net change of a measure, and their difference."""
    kind, part = p.text("type"), v.world.measures[p.text("measure")]
    totals = v.net_by(kind, v.postings(part.name, kind))
    ends = {
        "highest": max(totals, key=totals.__getitem__, default=None),
        "lowest": min(totals, key=totals.__getitem__, default=None),
    }
    v.show(kind, [name for name in ends.values() if name is not None])
    lines: list[Line] = []
    nets: list[int] = []
    for slot, name in ends.items():
        net = 0 if name is None else totals[name]
        nets.append(net)
        lines.append(named(slot, name, f"{slot} by net {part.label}", v.world.types[kind].label))
        lines.append(value(f"{slot} value", net, f"{slot} net {part.label}", part.scale))
    text = f"difference of the highest and the lowest net {part.label}"
    return [*lines, margin("spread", nets[0] - nets[1], text, part.scale)]


@operator(
    "comparison/above-the-mean",
    needs=needs.measured,
    draw=measured_kind,
    phrasings=(
        "How many of the {types} are above the mean net {measure} of all {types}, and what is that "
        "mean?",
        "Compare the net {measure} of each of the {types} with the mean of them all: how many have "
        "more?",
        "Work out the mean of the net {measure} over all {types}. How many lie above it?",
    ),
    notes=(
        "Say also how many {types} there are: those of the system message and those that valid "
        "records brought in. Those at zero belong to them.",
        "Compare with the exact mean.",
        ONE_PLACE,
    ),
)
def above_the_mean(v: View, p: Given) -> list[Line]:
    """How many entities have a net change of a measure above the mean of all."""
    kind, part = p.text("type"), v.world.measures[p.text("measure")]
    totals = v.net_by(kind, v.postings(part.name, kind))
    v.show_all(kind)
    whole, number = sum(totals.values()), len(totals)
    above = sum(net * number > whole for net in totals.values())
    types = v.world.types[kind].plural
    return [
        ratio("mean", whole, number * part.scale, 1, f"mean net {part.label} of the {types}"),
        count("above", above, f"{types} above the mean net {part.label}"),
        count("all", number, f"number of {types}"),
    ]
