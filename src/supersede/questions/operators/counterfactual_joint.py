"""Counterfactual: two are one, or only what two have in common is away, or what rests on one."""

from __future__ import annotations

from supersede.model.question import ClaimKind
from supersede.questions import needs
from supersede.questions.controls import AMEND, CONFIRM, REINSTATE, VOID
from supersede.questions.draw import MOST_LISTED, Draw, Parameters, complete
from supersede.questions.draws import measured_kind
from supersede.questions.forms import Line, block, count, margin, ranked, record_ids, value
from supersede.questions.needs import TIES
from supersede.questions.operators.counterfactual import REST
from supersede.questions.operators.profile_records import two_in_one
from supersede.questions.registry import Given, operator
from supersede.questions.validity import Variant
from supersede.questions.view import View
from supersede.questions.wording import block_phrase, listed


def _pair(d: Draw) -> Parameters | None:
    pair = two_in_one(d)
    return None if pair is None else complete(entity=pair[0], entity2=pair[1], measure=d.measure())


@operator(
    "counterfactual/without-pair",
    needs=needs.entities,
    draw=_pair,
    phrasings=(
        "Drop every record that names {entity} as well as {entity2}: how many valid records are "
        "left, and what net change of {measure}?",
        "Had {entity} and {entity2} never met in one record, how many valid records would there "
        "be, and with what net {measure}?",
        "Suppose the records that name both {entity} and {entity2} are left out. How many valid "
        "ones remain, and what is their net {measure}?",
    ),
    notes=("Records that name only one of the two stay.", REST),
)
def without_pair(v: View, p: Given) -> list[Line]:
    """Number and net change of the valid records without those that name two entities."""
    part, names = v.world.measures[p.text("measure")], (p.text("entity"), p.text("entity2"))
    with_other = {(row[0], row[1]) for row in v.index.naming(names[1])}
    without = v.dropping([r for r in v.index.naming(names[0]) if (r[0], r[1]) in with_other])
    what = f"without the records of {listed(names)} together"
    return [
        count("records", without.count(without.records()), f"valid records {what}"),
        value("net", without.net(without.postings(part.name)), f"net {part.label} {what}",
              part.scale),
    ]  # fmt: skip


def _merged(d: Draw) -> Parameters | None:
    given = measured_kind(d)
    if given is None:
        return None
    kind, measure = str(given["type"]), str(given["measure"])
    if len(d.index.entities(kind)) < 3:
        return None
    changed = [r[3] for r in d.index.postings(measure, kind) if r[3] is not None]
    minter, source = d.index.validity.minter, d.reading.source
    live = [x for x in d.index.entities(kind) if x not in minter or source[minter[x]] >= 0]
    wanted = [name for name in d.focus_names(kind) if name in changed]
    first = d.near(live, wanted or changed)
    rest = [name for name in live if name != first]
    second = d.near(rest, [name for name in dict.fromkeys(changed) if name in rest])
    return complete(**given, entity=first, entity2=second)


@operator(
    "counterfactual/merged-entities",
    needs=needs.measured,
    draw=_merged,
    phrasings=(
        "If all that counts for {entity2} counted for {entity} instead, what would the net "
        "{measure} of {entity} be, and at which place among the {types} would that be?",
        "Treat {entity} and {entity2} as one: what is their net change of {measure} together, and "
        "which place do they take among the {types}?",
        "Suppose {entity2} is merged into {entity}. Ranked by net {measure}, at which place of the "
        "{types} does {entity} then stand, and with what value?",
    ),
    notes=(
        "In the order of names {entity} stays where it is listed; {entity2} is no candidate any "
        "more.",
        "The highest value is place 1; all other {types} are candidates, those at zero included.",
        TIES,
    ),
)
def merged_entities(v: View, p: Given) -> list[Line]:
    """The common net change of two entities, and its place among all others."""
    part, kind = v.world.measures[p.text("measure")], p.text("type")
    entity, other = p.text("entity"), p.text("entity2")
    totals = v.net_by(kind, v.postings(part.name, kind))
    v.show_all(kind)
    if entity in totals:
        totals[entity] += totals.pop(other, 0)
    place = ranked(totals).index(entity) + 1 if entity in totals else None
    what = f"{entity} with {other}"
    return [
        value("value", totals.get(entity, 0), f"net {part.label} of {what}", part.scale),
        block("place", place, f"place of {what} by net {part.label}", ClaimKind.RANK),
    ]


def _resting(d: Draw, at: int) -> set[int]:
    """What may stand on a record, directly or not."""
    linked, found, pending = d.index.validity.linked, set[int](), [at]
    while pending:
        for child in linked.get(pending.pop(), ()):
            if child not in found:
                found.add(child)
                pending.append(child)
    return found


def _stood_on(d: Draw) -> Parameters | None:
    source, records = d.reading.source, d.index.records
    bases = [i for i in d.index.validity.linked if source[i] >= 0]
    falling = {i: sum(source[x] >= 0 for x in _resting(d, i)) for i in bases}
    good = [i for i in bases if 0 < falling[i] <= MOST_LISTED]
    focus = d.focus.position if d.focus is not None else -1
    at = d.near(good, [i for i in good if i == focus or focus in _resting(d, i)])
    return None if at is None else complete(record=records[at].id, measure=d.measure())


@operator(
    "counterfactual/what-falls-with-record",
    needs=needs.standing,
    draw=_stood_on,
    phrasings=(
        "If {record} were dropped, which other valid records would fall with it, and what net "
        "change of {measure} would be left?",
        "Suppose {record} is taken out. Which valid records rest on it and go as well, and what is "
        "the net {measure} without all of these?",
        "Which valid records stand or fall with {record}, itself aside, and what would the net "
        "{measure} be without it and them?",
    ),
    notes=(REST, "If no other record falls, answer none."),
)
def what_falls_with_record(v: View, p: Given) -> list[Line]:
    """The valid records that rest on one record, and a measure's net change without them."""
    part, name = v.world.measures[p.text("measure")], p.text("record")
    at = v.find(name)
    linked = v.index.validity.linked
    resting: set[int] = set()
    pending = [] if at is None else [at]
    while pending:
        for child in linked.get(pending.pop(), ()):
            if child not in resting:
                resting.add(child)
                pending.append(child)
    without = v.lacking(name)
    rows = [row for row in v.index.contents() if row[0] in resting]
    left = {row[0] for row in without.take(rows)}
    fallen = sorted({row[0] for row in v.take(rows)} - left)
    net = without.net(without.postings(part.name))
    return [
        record_ids("fall", v.ids(fallen), f"valid records that fall with {name}"),
        value("net", net, f"net {part.label} without {name} and what falls with it", part.scale),
    ]


def _frozen(d: Draw) -> Parameters | None:
    """A block after which a revision was entered."""
    last = d.index.last_block
    validity = d.index.validity
    posted = sorted(
        {d.index.posted[c] for c in validity.targets if _takes_back(d.index.records[c])}
    )
    late = [n for n in posted if n > 1]
    if last < 2 or not late:
        return None
    final = late[-1] - 1
    wanted: list[int] = []
    if d.focus is not None:
        named = validity.suspects(d.focus.position)
        wanted = [d.index.posted[c] - 1 for c in named if _takes_back(d.index.records[c])]
    wanted = [n for n in wanted if 1 <= n <= final]
    block = d.pick(wanted) if wanted else d.number(1, final)
    return complete(block=block, measure=d.measure())


_REVISIONS = frozenset({VOID, AMEND, CONFIRM, REINSTATE})


def _takes_back(record: tuple[object, ...]) -> bool:
    return record[6] in _REVISIONS


@operator(
    "counterfactual/revisions-closed-after-block",
    needs=needs.anything,
    draw=_frozen,
    phrasings=(
        "Had no void, amendment, confirmation or restoration been entered after {block}, how many "
        "valid records would there be, and with what net change of {measure}?",
        "Suppose voids, amendments, confirmations and restorations were no longer accepted after "
        "{block}. How many records would be valid, and what would the net {measure} be?",
        "Ignore every void, amendment, confirmation and restoration entered later than {block}: "
        "how many records are valid then, and what is their net {measure}?",
    ),
    notes=(
        "All else stays: entries, late ones and replacements, which still take out what they "
        "replace, and rules.",
        "Say also by how much the real net change is higher or lower, with its sign.",
    ),
)
def revisions_closed_after_block(v: View, p: Given) -> list[Line]:
    """Number and net change of the valid records without the revisions after a block."""
    part, last = v.world.measures[p.text("measure")], p.number("block")
    posted = v.index.posted
    late = [i for i, r in enumerate(v.index.records) if r[6] in _REVISIONS and posted[i] > last]
    without = v.changed(Variant(without=frozenset(late)))
    net = without.net(without.postings(part.name))
    real = v.net(v.postings(part.name))
    what = f"without revisions after {block_phrase(v.world, last)}"
    return [
        count("records", without.count(without.records()), f"valid records {what}"),
        value("net", net, f"net {part.label} {what}", part.scale),
        margin("difference", real - net, f"real net {part.label} less that", part.scale),
    ]
