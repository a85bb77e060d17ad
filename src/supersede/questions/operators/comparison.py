"""Comparison & leader: two things side by side, or the first and how far it is ahead."""

from __future__ import annotations

from supersede.questions import needs
from supersede.questions.draw import Draw, Parameters, complete
from supersede.questions.forms import (
    Line,
    count,
    leader,
    margin,
    named,
    ranked,
    ratio,
    value,
    winner_of_two,
)
from supersede.questions.needs import (
    NO_LEADER,
    ONE_PLACE,
    TIES,
    TOOK_PLACE,
    ZEROS,
)
from supersede.questions.registry import Given, operator
from supersede.questions.view import View

EQUAL = "If they are equal, answer tie."


def _two_by_two(d: Draw) -> Parameters | None:
    shared = needs.shared_kinds(d.facts)
    kind = d.near([k for k in shared if len(d.index.entities(k)) > 1], [
        k for k in shared if d.focus_names(k)
    ])  # fmt: skip
    if kind is None:
        return None
    measures = d.two([m for m in shared[kind] if d.index.postings(m)], d.focus_measures())
    pair = d.two(d.index.entities(kind), d.focus_names(kind))
    if measures is None or pair is None:
        return None
    return complete(entity=pair[0], entity2=pair[1], measure=measures[0], measure2=measures[1])


@operator(
    "comparison/actor-target-dual-metric",
    needs=needs.two_measured,
    draw=_two_by_two,
    phrasings=(
        "Compare {entity} and {entity2} on net {measure} and net {measure2}: which leads in each?",
        "Of {entity} and {entity2}, which has the higher net {measure}, and which the higher net "
        "{measure2}?",
        "Put {entity} beside {entity2}: net {measure}, net {measure2}. Which is ahead in each?",
    ),
    notes=("Count only valid records.", EQUAL),
)
def actor_target_dual_metric(v: View, p: Given) -> list[Line]:
    """Two entities compared on two measures."""
    lines: list[Line] = []
    first, second = p.text("entity"), p.text("entity2")
    for measure in (p.text("measure"), p.text("measure2")):
        part = v.world.measures[measure]
        nets = [v.net(v.postings(measure, entity=name)) for name in (first, second)]
        for name, net in zip((first, second), nets, strict=True):
            lines.append(
                value(f"{name} {part.label}", net, f"net {part.label} of {name}", part.scale)
            )
        text = f"who leads net {part.label}"
        lines.append(
            winner_of_two(f"{part.label} leader", first, second, nets[0] - nets[1], text, "name")
        )
    return lines


def _one_by_two(d: Draw) -> Parameters | None:
    """An entity, and two measures that its records change for entities of another type."""
    for _ in range(3):
        kind = d.kind()
        entity = d.entity(kind)
        if entity is None:
            return None
        seen = [
            (measure, target)
            for measure in d.index.measures
            for target in d.facts.measured_types(measure)
            if target != kind and d.index.postings_for(measure, entity)
        ]
        targets = [target for _, target in seen]
        seen = [pair for pair in seen if targets.count(pair[1]) > 1]
        first = d.near(seen, [pair for pair in seen if pair[0] in d.focus_measures()])
        if first is not None:
            second = d.pick([pair for pair in seen if pair[0] != first[0] and pair[1] == first[1]])
            return complete(
                entity=entity, type=first[1], measure=first[0], measure2=second and second[0]
            )
    return None


@operator(
    "comparison/actor-best-target-dual",
    needs=lambda f: needs.two_kinds(f) and needs.two_measures(f),
    draw=_one_by_two,
    phrasings=(
        "In the valid records that name {entity}, which of the {types} has the highest net "
        "{measure}, and which the highest net {measure2}?",
        "For {entity}, find the best of the {types} by net {measure} and the best by net "
        "{measure2}.",
        "Taking only valid records with {entity}: which of the {types} is first by net {measure}, "
        "and which by net {measure2}?",
    ),
    notes=("Say also how many valid records name {entity}.", ZEROS, TIES, NO_LEADER),
)
def actor_best_target_dual(v: View, p: Given) -> list[Line]:
    """The best partner of one entity by each of two measures."""
    entity, kind = p.text("entity"), p.text("type")
    number = v.count(v.records(entity=entity))
    lines = [count("records", number, f"valid records that name {entity}")]
    for name in ("measure", "measure2"):
        part = v.world.measures[p.text(name)]
        about = {(row[0], row[1]) for row in v.index.naming(entity)}
        rows = [row for row in v.index.postings(part.name, kind) if (row[0], row[1]) in about]
        totals = v.net_by(kind, v.take(rows))
        best = leader(totals)
        v.show(kind, ranked(totals)[:1])
        hint = v.world.types[kind].label
        lines += [
            named(f"best by {part.label}", best, f"best with {entity} by net {part.label}", hint),
            value(
                f"its {part.label}",
                totals.get(best or "", 0),
                f"net {part.label} of the best with {entity}",
                part.scale,
            ),
        ]
    return lines


def _measure_kind(d: Draw) -> Parameters | None:
    measure = d.measure(d.facts.measured)
    return complete(measure=measure, type=d.measured_kind(measure))


@operator(
    "comparison/leader-and-margin",
    needs=needs.measured,
    draw=_measure_kind,
    phrasings=(
        "Which of the {types} leads by net {measure}, and by how much over the next?",
        "Which among the {types} has the highest net {measure}, and what is the margin to second?",
        "Name the leader of the {types} in net {measure}, with the value and the lead over the "
        "runner-up.",
    ),
    notes=("Count only valid records.", ZEROS, TIES, NO_LEADER),
)
def leader_and_margin(v: View, p: Given) -> list[Line]:
    """The leader by net change of a measure, its value and its margin."""
    part, kind = v.world.measures[p.text("measure")], p.text("type")
    totals = v.net_by(kind, v.postings(part.name, kind))
    order = ranked(totals)
    v.show(kind, order[:2])
    best = leader(totals)
    values = [totals[name] for name in order[:2]] + [0, 0]
    lead = values[0] - values[1] if len(order) > 1 else 0
    return [
        value("value", values[0], f"highest net {part.label}", part.scale),
        named("leader", best, f"leader by net {part.label}", v.world.types[kind].label),
        margin("margin", lead, f"margin of the leader by net {part.label}", part.scale),
    ]


def _one_measured(d: Draw) -> Parameters | None:
    given = _measure_kind(d)
    if given is None:
        return None
    kind, measure = str(given["type"]), str(given["measure"])
    touched = [r[3] for r in d.index.postings(measure, kind) if r[3] is not None]
    entity = d.near(list(dict.fromkeys(touched)), d.focus_names(kind))
    return complete(measure=measure, entity=entity)


@operator(
    "comparison/share-of-total",
    needs=needs.measured,
    draw=_one_measured,
    phrasings=(
        "What percentage of the whole net {measure} falls to {entity}?",
        "Give the share of {entity} in the net {measure} of all valid records, in percent.",
        "How much of the net {measure} over all valid records counts for {entity}, in percent?",
    ),
    notes=(ONE_PLACE, "If the whole is 0, answer none for the share."),
)
def share_of_total(v: View, p: Given) -> list[Line]:
    """One entity's share in the net change of a measure."""
    part, entity = v.world.measures[p.text("measure")], p.text("entity")
    own = v.net(v.postings(part.name, entity=entity))
    whole = v.net(v.postings(part.name))
    return [
        value(entity, own, f"net {part.label} of {entity}", part.scale),
        value("whole", whole, f"net {part.label} of all valid records", part.scale),
        ratio("share", 100 * own, whole, 1, f"share of {entity} in percent"),
    ]


def _by_then(d: Draw) -> Parameters | None:
    given = _measure_kind(d)
    return None if given is None else {**given, "block": d.block()}


@operator(
    "comparison/leader-then-and-now",
    needs=needs.measured,
    draw=_by_then,
    phrasings=(
        "Which of the {types} led by net {measure} at the end of {block}, and which leads now?",
        "Compare the lead in net {measure} among the {types} at the end of {block} with that now: "
        "which of them led then, and which leads now?",
        "Name the leader of the {types} by net {measure} up to {block}, and over the whole log.",
    ),
    notes=(
        "Up to then means all valid records that took place by the end of {block}.",
        TOOK_PLACE,
        ZEROS,
        TIES,
        NO_LEADER,
    ),
)
def leader_then_and_now(v: View, p: Given) -> list[Line]:
    """The leader by net change of a measure up to a block and at the end."""
    part, kind = v.world.measures[p.text("measure")], p.text("type")
    lines: list[Line] = []
    hint = v.world.types[kind].label
    scopes = {"then": v.window(1, p.number("block")), "now": None}
    for slot, scope in scopes.items():
        totals = v.net_by(kind, v.postings(part.name, kind, scope=scope))
        best = leader(totals)
        v.show(kind, ranked(totals)[:1])
        lines += [
            value(
                f"value {slot}",
                totals.get(best or "", 0),
                f"highest net {part.label} {slot}",
                part.scale,
            ),
            named(f"leader {slot}", best, f"leader by net {part.label} {slot}", hint),
        ]
    return lines
