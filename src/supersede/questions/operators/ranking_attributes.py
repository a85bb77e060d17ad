"""Ranking / Top-N of groups of names, by what stands in brackets behind them."""

from __future__ import annotations

from supersede.model.question import ClaimKind
from supersede.questions.attributes import closed, described, grouped, grouping
from supersede.questions.draw import Draw, Parameters, complete
from supersede.questions.facts import Facts
from supersede.questions.forms import Line, count, top
from supersede.questions.registry import Given, operator
from supersede.questions.view import View


def measured_group(d: Draw) -> Parameters | None:
    """A measure, and a type with an attribute that groups its changes."""
    for _ in range(3):
        measure = d.measure(grouped(d.facts))
        if measure is None:
            return None
        pairs = [pair for pair in grouping(d.facts, measure) if _groups(d, measure, *pair)]
        pair = d.near(pairs, [pair for pair in pairs if d.focus_names(pair[0])])
        if pair is not None:
            return complete(measure=measure, type=pair[0], attribute=pair[1])
    return None


def _groups(d: Draw, measure: str, kind: str, attribute: str) -> bool:
    """Whether valid changes count for names of a group that is no type of the measure itself."""
    said = described(d.index, kind, attribute)
    source = d.reading.source
    measured = d.facts.measured_types(measure)
    return any(
        source[row[0]] == row[1]
        and row[3] in said
        and d.facts.type_of.get(said[row[3]]) not in measured
        for row in d.index.postings(measure, kind)
    )


def _two_groups(d: Draw) -> Parameters | None:
    given = measured_group(d)
    return None if given is None else {**given, "n": 2}


@operator(
    "ranking/attribute-groups-by-net-change",
    needs=lambda f: bool(grouped(f)),
    draw=_two_groups,
    phrasings=(
        "Group the {types} by {attribute} and rank the top {n} groups by net change of {measure}.",
        "Which {n} groups of {types} with the same {attribute} have the highest net {measure}? "
        "Rank them.",
        "Add up the net {measure} of all {types} with the same {attribute}, and rank the {n} "
        "highest sums.",
    ),
    notes=(
        "The {attribute} of {a_type} is the one in the brackets behind its name where it is listed "
        "or brought in.",
        "Candidates are the groups with a valid change that counts for one of them.",
        "Ties go to the group with the {type} that is listed or brought in first, of all {types} "
        "with such a change.",
    ),
)
def attribute_groups_by_net_change(v: View, p: Given) -> list[Line]:
    """Net change of a measure by an attribute of the entities that it counts for, top n."""
    kind, attribute = p.text("type"), p.text("attribute")
    part = v.world.measures[p.text("measure")]
    said = described(v.index, kind, attribute)
    rows = v.take([row for row in v.index.postings(part.name, kind) if row[3] in said])
    changed = {row[3] for row in rows}
    totals = {group: 0 for name, group in said.items() if name in changed}
    for row in rows:
        group = said[row[3]]
        totals[group] = row[2] if v.reading.last_mention else totals[group] + row[2]
    hint = attribute.replace("_", " ")
    by = f"net {part.label} by {hint} of the {v.world.types[kind].plural}"
    return closed(top(totals, p.number("n"), by, hint, part.scale), said.values())


def _with_attributes(facts: Facts) -> list[str]:
    """Types of which records bring in entities with attributes."""
    return [
        kind.name for kind in facts.world.types.values()
        if kind.minted is not None and kind.attributes and kind.name in facts.ranked
    ]  # fmt: skip


def _brought_in(d: Draw) -> Parameters | None:
    pairs: list[tuple[str, str]] = []
    for kind in _with_attributes(d.facts):
        for attribute in d.facts.world.types[kind].attributes:
            if set(described(d.index, kind, attribute)) & {*d.index.minted.get(kind, ())}:
                pairs.append((kind, attribute))
    pair = d.near(pairs, [pair for pair in pairs if d.focus_names(pair[0])])
    return None if pair is None else complete(type=pair[0], attribute=pair[1], n=2)


@operator(
    "ranking/brought-in-by-attribute",
    needs=lambda f: bool(_with_attributes(f)),
    draw=_brought_in,
    phrasings=(
        "Group by {attribute} the {types} that valid records brought in, and rank the {n} largest "
        "groups.",
        "By {attribute}, which {n} groups of {types} are the largest, counting those that valid "
        "records brought in?",
        "Count the {types} brought in by valid records for every {attribute}, and rank the top "
        "{n}.",
    ),
    notes=(
        "The {attribute} of {a_type} is the one in brackets in the record that brings it in.",
        "Say also how many {types} valid records brought in, and how many valid records name one "
        "or more of them.",
        "Answer none where there is no further group. Ties go to the group of the {type} that was "
        "brought in first.",
    ),
)
def brought_in_by_attribute(v: View, p: Given) -> list[Line]:
    """Number of live minted entities by one of their attributes, top n."""
    kind, attribute = p.text("type"), p.text("attribute")
    said = described(v.index, kind, attribute)
    minted = v.index.minted.get(kind, [])
    minter = v.index.validity.minter
    mints = {minter[name] for name in minted}
    rows = v.take([row for row in v.index.contents() if row[0] in mints])
    valid = {row[0] for row in (rows[-1:] if v.reading.last_mention else rows)}
    born = [name for name in minted if minter[name] in valid]
    counts: dict[str, int] = {}
    for name in born:
        if name in said:
            counts[said[name]] = counts.get(said[name], 0) + 1
    types = v.world.types[kind]
    hint = attribute.replace("_", " ")
    by = f"number of {types.plural} by {hint}"
    lines = closed(top(counts, p.number("n"), by, hint, kind=ClaimKind.COUNT), said.values())
    number = v.count(v.named(kind))
    return [
        *lines,
        count("all", len(born), f"{types.plural} brought in by valid records"),
        count("records", number, f"valid records that name {types.plural}"),
    ]
