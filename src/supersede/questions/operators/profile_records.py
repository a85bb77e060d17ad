"""Profile & summary of records: when, in what company and by which lines one is named."""

from __future__ import annotations

from supersede.questions import needs
from supersede.questions.draw import Draw, Parameters, complete
from supersede.questions.forms import Line, block, count, held, latest_record, value
from supersede.questions.needs import IN_ORDER, TOOK_PLACE
from supersede.questions.registry import Given, operator
from supersede.questions.view import View
from supersede.questions.wording import NONE, listed, plural_of
from supersede.worlds.named import names


@operator(
    "profile/active-blocks",
    needs=needs.entities,
    draw=lambda d: complete(entity=d.entity(d.kind())),
    phrasings=(
        "{In_} how many different {block_nouns} is {entity} named in a valid record, and which are "
        "the first and the last of them?",
        "Over how many {block_nouns} are the valid records of {entity} spread, from which one to "
        "which one?",
        "Count the {block_nouns} that saw a valid record with {entity}, and give the first and the "
        "last.",
    ),
    notes=("Say also how many valid records name {entity}.", TOOK_PLACE),
)
def active_blocks(v: View, p: Given) -> list[Line]:
    """How many blocks have a valid record of one entity, and the first and last of them."""
    entity = p.text("entity")
    rows = v.records(entity=entity)
    blocks = sorted({v.block_of(row) for row in v.heard(rows)})
    noun = v.world.block
    return [
        count("number", len(blocks), f"{plural_of(noun)} with a valid record of {entity}"),
        block("first", blocks[0] if blocks else None, f"first {noun} with {entity}"),
        block("last", blocks[-1] if blocks else None, f"last {noun} with {entity}"),
        count("records", v.count(rows), f"valid records of {entity}"),
    ]


def two_in_one(d: Draw) -> tuple[str, str] | None:
    """Two entities, of one type or of two, that a valid record names together.

    An invalid focus that names both as well is the one to aim at.
    """
    source, types, ranked = d.reading.source, d.index.types, set(d.facts.ranked)
    valid = [i for i in d.index.validity.entries if source[i] >= 0]
    focused = [] if d.focus is None else [d.focus.position]
    for at in (*focused, *(d.pick(valid) for _ in range(_TRIES))):
        if at is None:
            continue
        shown = max(at, source[at])
        known = [name for name in d.index.names(shown) if types.get(name) in ranked]
        pair = d.two(known)
        if pair is not None and (source[at] >= 0 or _have_met(d, *pair)):
            return pair
    return None


def _have_met(d: Draw, one: str, other: str) -> bool:
    source = d.reading.source
    return any(source[e] == s and names(record, other) for e, s, record in d.index.naming(one))


_TRIES = 12
"""How many records are looked at for two names."""


def _pair(d: Draw) -> Parameters | None:
    pair = two_in_one(d)
    if pair is None:
        return None
    both = {(r[0], r[1]) for r in d.index.naming(pair[0])}
    both &= {(r[0], r[1]) for r in d.index.naming(pair[1])}
    changed = [
        posting.measure
        for _, s in sorted(both)
        for posting in d.index.records[s].postings
    ]  # fmt: skip
    measure = d.near(d.index.measures, [m for m in d.focus_measures() if m in changed] or changed)
    return complete(entity=pair[0], entity2=pair[1], measure=measure)


@operator(
    "profile/joint-records-of-two",
    needs=needs.entities,
    draw=_pair,
    phrasings=(
        "How many valid records name both {entity} and {entity2}, what is their net change of "
        "{measure}, and which is the latest?",
        "Sum up what {entity} and {entity2} have in common: number of valid records that name "
        "both, their net {measure}, and the latest one.",
        "Take the valid records that name {entity} together with {entity2}: how many are they, "
        "with what net {measure}, and which took place last?",
    ),
    notes=(IN_ORDER, "All changes of {measure} in these records are added up."),
)
def joint_records_of_two(v: View, p: Given) -> list[Line]:
    """Number, net change and latest of the valid records that name two entities together."""
    part, names = v.world.measures[p.text("measure")], (p.text("entity"), p.text("entity2"))
    with_other = {(row[0], row[1]) for row in v.index.naming(names[1])}
    rows = [row for row in v.index.naming(names[0]) if (row[0], row[1]) in with_other]
    both = {(row[0], row[1]) for row in rows}
    joint = v.in_order(v.take(rows))
    posted = [row for row in v.index.postings(part.name) if (row[0], row[1]) in both]
    latest = v.record(joint[-1][0]).id if joint else None
    what = f"valid records of {listed(names)} together"
    return [
        count("records", v.count(joint), f"number of {what}"),
        value("net", v.net(v.take(posted)), f"net {part.label} of the {what}", part.scale),
        latest_record("latest", latest, f"latest of the {what}"),
    ]


def _minted(d: Draw) -> Parameters | None:
    kinds = list(d.index.minted)
    records = d.index.records
    by_focus = [] if d.focus is None else [m.type for m in records[d.focus.position].mints]
    return complete(type=d.near(kinds, by_focus))


@operator(
    "profile/roll-of-minted",
    needs=needs.minted,
    draw=_minted,
    phrasings=(
        "How many {types} did valid records bring in, which of them came last, and by which "
        "record?",
        "Count the {types} that valid records brought in, and name the last one with its record.",
        "By the valid records, how many new {types} are there, and which is the latest of them, "
        "brought in by which record?",
    ),
    notes=(
        "What an invalid record brings in does not count.",
        "Say also how many valid records name any of the {types}.",
        IN_ORDER,
        "If there is none, answer 0 and none.",
    ),
)
def roll_of_minted(v: View, p: Given) -> list[Line]:
    """The entities of a type that valid records brought in: their number and the latest."""
    kind = p.text("type")
    minting = {v.index.validity.minter[name] for name in v.index.minted.get(kind, ())}
    records = v.index.records
    rows = v.running(v.take([row for row in v.index.contents() if row[0] in minting]))
    brought = [
        (mint.entity, row[0])
        for row in v.heard(rows)
        for mint in records[row[0]].mints
        if mint.type == kind
    ]  # fmt: skip
    latest = brought[-1] if brought else None
    types, label = v.world.types[kind].plural, v.world.types[kind].label
    return [
        count("number", len(brought), f"number of {types} brought in by valid records"),
        held("latest", latest[0] if latest else NONE, f"latest of the {types}", label),
        latest_record("record", v.record(latest[1]).id if latest else None,
                      f"record that brought in the latest {label}"),
        count("records", v.count(v.named(kind)), f"valid records that name any of the {types}"),
    ]  # fmt: skip
