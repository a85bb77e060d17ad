"""Ranking / Top-N by who is named, when and with whom, and of records themselves."""

from __future__ import annotations

from supersede.model.question import ClaimKind
from supersede.questions import needs
from supersede.questions.draw import Draw, Parameters, complete
from supersede.questions.draws import other_kind
from supersede.questions.forms import (
    Line,
    count,
    latest_record,
    named,
    ranked,
    top,
    value,
)
from supersede.questions.index import Row
from supersede.questions.needs import EARLIER, IN_ORDER, TIES, TOOK_PLACE, ZEROS
from supersede.questions.operators.ranking import places
from supersede.questions.registry import Given, operator
from supersede.questions.view import View
from supersede.questions.wording import NONE, ORDINALS, article


def _kind(d: Draw) -> Parameters | None:
    kind = d.kind()
    return None if kind is None else complete(type=kind, n=d.places(kind))


@operator(
    "ranking/latest-appearance",
    needs=needs.entities,
    draw=_kind,
    phrasings=(
        "Which {n} {types} were named most recently in a valid record? Rank them, the latest "
        "first, with their latest records.",
        "Rank the {types} by when a valid record last named them, and give the first {n} with "
        "those records.",
        "Going back from the end of what took place, which {n} {types} come up first in valid "
        "records?",
    ),
    single=(
        "Which of the {types} was named most recently in a valid record, and in which?",
        "Going back from the end of what took place, which {type} comes up first in a valid "
        "record?",
    ),
    notes=(
        "Say also how many valid records in all name one or more of the {types}.",
        IN_ORDER,
        "Only {types} that a valid record names are candidates.",
        TIES,
    ),
)
def latest_appearance(v: View, p: Given) -> list[Line]:
    """Entities by how late a valid record last named them, top n."""
    kind = p.text("type")
    order = v.order
    last: dict[str, Row] = {}
    rows = v.running(v.named(kind))
    for row in rows:
        last[row[2]] = row
    when = {name: order[last[name][0]] for name in v.live(kind) if name in last}
    names = ranked(when)[: p.number("n")]
    v.show(kind, names)
    lines: list[Line] = []
    for place in range(p.number("n")):
        ordinal = ORDINALS[place]
        name = names[place] if place < len(names) else None
        text = f"{ordinal} by latest valid record"
        lines.append(named(ordinal, name, text, v.world.types[kind].label, ClaimKind.RANK))
        at = None if name is None else v.record(last[name][0]).id
        lines.append(latest_record(f"{ordinal} record", at, f"latest valid record of the {text}"))
    text = f"valid records that name {v.world.types[kind].plural}"
    return [*lines, count("records", v.count(rows), text)]


@operator(
    "ranking/most-blocks-present",
    needs=needs.entities,
    draw=_kind,
    phrasings=(
        "Rank the top {n} {types} by the number of different {block_nouns} {in_} which a valid "
        "record names them.",
        "Which {n} {types} are present {in_} the most {block_nouns}, by valid records that name "
        "them? Rank them.",
        "Count for every {type} the {block_nouns} with at least one valid record that names it, "
        "and rank the first {n}.",
    ),
    single=(
        "Which of the {types} is named by valid records {in_} the most different {block_nouns}?",
        "Which {type} is present {in_} the most {block_nouns}, by valid records that name it?",
    ),
    notes=(TOOK_PLACE, ZEROS, TIES),
)
def most_blocks_present(v: View, p: Given) -> list[Line]:
    """Number of blocks with a valid record of it by entity, top n."""
    kind = p.text("type")
    met: dict[str, set[int]] = {name: set() for name in v.live(kind)}
    for row in v.named(kind):
        if row[2] in met:
            if v.reading.last_mention:
                met[row[2]].clear()
            met[row[2]].add(v.block_of(row))
    counts = {name: len(blocks) for name, blocks in met.items()}
    by = f"number of {v.world.block} numbers with a valid record"
    return places(v, kind, counts, p.number("n"), by, kind_of=ClaimKind.COUNT)


def _blocks(d: Draw) -> Parameters | None:
    return complete(type=d.kind(), n=min(3, d.index.last_block))


@operator(
    "ranking/blocks-by-distinct-entities",
    needs=needs.entities,
    draw=_blocks,
    phrasings=(
        "Rank the top {n} {block_nouns} by how many different {types} valid records name.",
        "{In_} which {n} {block_nouns} did valid records name the most different {types}? Rank "
        "them.",
        "Which {block_nouns} saw the most different {types} in valid records? Give the first {n}.",
    ),
    single=("Which {block_noun} saw the most different {types} in valid records, and how many?",),
    notes=(TOOK_PLACE, "Every {block_noun} is a candidate, those at zero included.", EARLIER),
)
def blocks_by_distinct_entities(v: View, p: Given) -> list[Line]:
    """Number of different entities of a type that are named by block, top n."""
    kind = p.text("type")
    met: dict[int, set[str]] = {n: set() for n in range(1, v.index.last_block + 1)}
    for row in v.named(kind):
        names = met.get(v.block_of(row))
        if names is not None:
            if v.reading.last_mention:
                names.clear()
            names.add(row[2])
    counts = {str(number): len(names) for number, names in met.items()}
    by = f"number of different {v.world.types[kind].plural} of {article(v.world.block)}"
    hint = f"{v.world.block} number"
    return top(counts, p.number("n"), by, hint, kind=ClaimKind.COUNT, numbered=True)


def _partners(d: Draw) -> Parameters | None:
    kind = d.kind()
    entity = d.entity(kind)
    other = None if kind is None else other_kind(d, kind)
    if entity is None or other is None:
        return None
    return complete(entity=entity, type=other, n=d.places(other))


@operator(
    "ranking/partner-leaderboard",
    needs=needs.two_kinds,
    draw=_partners,
    phrasings=(
        "Rank the top {n} {types} by number of valid records that name them together with "
        "{entity}.",
        "Which {n} {types} share the most valid records with {entity}? Rank them with their "
        "numbers.",
        "Of the valid records that name {entity}, count those of every {type} named beside it and "
        "rank the first {n}.",
    ),
    single=(
        "Which of the {types} shares the most valid records with {entity}, and how many?",
        "Of the valid records that name {entity}, which {type} is named in the most?",
    ),
    notes=(ZEROS, TIES),
)
def partner_leaderboard(v: View, p: Given) -> list[Line]:
    """Records shared with one entity by entity of another type, top n."""
    entity, kind = p.text("entity"), p.text("type")
    about = {(row[0], row[1]) for row in v.index.naming(entity)}
    rows = [row for row in v.index.named(kind) if (row[0], row[1]) in about]
    counts = v.count_by(kind, v.take(rows))
    by = f"number of valid records with {entity}"
    return places(v, kind, counts, p.number("n"), by, kind_of=ClaimKind.COUNT)


def _paired(v: View, measure: str, kind: str, other: str) -> list[Row]:
    """(entry, source, delta, entity, other entity) for the changes that count for both."""
    first, second = v.index.postings(measure, kind), v.index.postings(measure, other)
    return [
        (*row, partner[3])
        for row, partner in zip(first, second, strict=True)
        if row[3] is not None and partner[3] is not None
    ]


def _measured_pair(d: Draw) -> Parameters | None:
    for _ in range(3):
        measure = d.measure([m for m in d.facts.measured if len(d.facts.measured_types(m)) > 1])
        if measure is None:
            return None
        kinds = [k for k in d.facts.measured_types(measure) if len(d.index.entities(k)) > 1]
        pair = d.two(kinds, [k for k in kinds if d.focus_names(k)])
        if pair is not None and _paired(View(d.index, d.reading), measure, *pair):
            return complete(type=pair[0], type2=pair[1], measure=measure, n=2)
    return None


@operator(
    "ranking/pairs-by-net-change",
    needs=lambda f: any(len(f.measured_types(measure)) > 1 for measure in f.measured),
    draw=_measured_pair,
    phrasings=(
        "Take the {types} and {types2} in pairs: which {n} pairs have the highest net change of "
        "{measure}? Rank them.",
        "Rank the top {n} pairs of {type} and {type2} by net change of {measure}, of which only "
        "what counts for both is theirs.",
        "By net {measure} of the valid changes that count for {a_type} and {a_type2} at once, "
        "which {n} pairs come first?",
    ),
    notes=(
        "Only pairs with a valid change of it are candidates.",
        "Ties go to the pair whose {type} is listed first in the system message, then to the one "
        "whose {type2} is.",
    ),
)
def pairs_by_net_change(v: View, p: Given) -> list[Line]:
    """Net change of a measure by pair of entities of two types, top n."""
    kinds, part = (p.text("type"), p.text("type2")), v.world.measures[p.text("measure")]
    totals: dict[tuple[str, str], int] = {}
    for row in v.take(_paired(v, part.name, *kinds)):
        pair = (row[3], row[4])
        totals[pair] = row[2] if v.reading.last_mention else totals.get(pair, 0) + row[2]
    ranks = [{name: n for n, name in enumerate(v.index.entities(kind))} for kind in kinds]
    order = sorted(totals, key=lambda pair: (-totals[pair], *(
        rank.get(name, 0) for rank, name in zip(ranks, pair, strict=True)
    )))  # fmt: skip
    labels = [v.world.types[kind].label for kind in kinds]
    lines: list[Line] = []
    for place in range(p.number("n")):
        ordinal = ORDINALS[place]
        found = order[place] if place < len(order) else None
        for n, label in enumerate(labels):
            text = f"{label} of the {ordinal} pair by net {part.label}"
            name = None if found is None else found[n]
            lines.append(named(f"{ordinal} {label}", name, text, label, ClaimKind.RANK))
        slot, text = f"{ordinal} value", f"net {part.label} of the {ordinal} pair"
        if found is None:
            lines.append(Line(ClaimKind.VALUE, slot, NONE, text))
        else:
            lines.append(value(slot, totals[found], text, part.scale))
    return lines


def _often_changed(d: Draw) -> Parameters | None:
    often = [m for m in d.index.measures if len(d.index.postings(m)) > 2]
    return complete(measure=d.measure(often) or d.measure(), n=3)


@operator(
    "ranking/largest-records",
    needs=needs.anything,
    draw=_often_changed,
    phrasings=(
        "Which {n} valid records change {measure} most upwards? Rank them with their changes.",
        "Rank the top {n} valid records by their change of {measure}.",
        "List the {n} valid records with the highest change of {measure}, the highest first.",
    ),
    notes=(
        "Changes keep their signs; a record that changes it in several places has the sum of its "
        "changes.",
        "Say also how many valid records change it in all.",
        "Ties go to the record that took place first; answer none where there are no more.",
    ),
)
def largest_records(v: View, p: Given) -> list[Line]:
    """Valid records by their change of a measure, top n."""
    part, order = v.world.measures[p.text("measure")], v.order
    rows = v.running(v.postings(part.name))
    changes: dict[int, int] = {}
    for row in rows:
        changes[row[0]] = changes.get(row[0], 0) + row[2]
    best = sorted(changes, key=lambda at: (-changes[at], order[at]))
    lines: list[Line] = []
    for place in range(p.number("n")):
        ordinal = ORDINALS[place]
        at = best[place] if place < len(best) else None
        record_id = None if at is None else v.record(at).id
        lines.append(latest_record(ordinal, record_id, f"{ordinal} by change of {part.label}"))
        slot, text = f"{ordinal} value", f"change of {part.label} by the {ordinal}"
        if at is None:
            lines.append(Line(ClaimKind.VALUE, slot, NONE, text))
        else:
            lines.append(value(slot, changes[at], text, part.scale))
    return [*lines, count("records", v.count(rows), f"valid records that change {part.label}")]
