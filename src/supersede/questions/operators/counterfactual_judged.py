"""Counterfactual: a revision, rule or label is away, and the rest is judged anew."""

from __future__ import annotations

from supersede.questions import needs
from supersede.questions.draw import Draw, Parameters, complete
from supersede.questions.forms import (
    Line,
    count,
    latest_record,
    leader,
    named,
    ranked,
    state,
    value,
)
from supersede.questions.needs import IN_ORDER, NO_LEADER, TIES, ZEROS
from supersede.questions.operators.counterfactual import REST
from supersede.questions.registry import Given, operator
from supersede.questions.validity import AS_IS, Variant
from supersede.questions.view import View
from supersede.questions.wording import about, block_phrase


def _revision(d: Draw) -> Parameters | None:
    validity, records = d.index.validity, d.index.records
    revisions = [c for c, entries in validity.targets.items() if entries]
    at = d.near(revisions, validity.suspects(d.focus.position) if d.focus is not None else [])
    if at is None:
        return None
    posted = [
        posting.measure
        for i in (*validity.targets[at], at)
        for posting in records[i].postings
    ]  # fmt: skip
    return complete(record=records[at].id, measure=d.near(d.index.measures, posted))


@operator(
    "counterfactual/without-revision",
    needs=needs.anything,
    draw=_revision,
    phrasings=(
        "Had {record} never been entered, what would the net change of {measure} be?",
        "Suppose {record} is not in the log. What is the net {measure} then?",
        "Ignore {record}, and nothing else: what net {measure} results?",
    ),
    notes=(REST,),
)
def without_revision(v: View, p: Given) -> list[Line]:
    """The net change of a measure had one revision not been posted."""
    part, record = v.world.measures[p.text("measure")], p.text("record")
    without = v.lacking(record)
    net = without.net(without.postings(part.name))
    return [value("net", net, f"net {part.label} without {record}", part.scale)]


def _pending(d: Draw) -> Parameters | None:
    statuses = d.facts.world.statuses
    seen = {record.status for record in d.index.records}
    labels = [label for label, counts in statuses.items() if not counts and label in seen]
    label = d.near(labels, [d.focus.status or ""] if d.focus is not None else [])
    return complete(status=label, measure=d.measure())


@operator(
    "counterfactual/label-counted-from-start",
    needs=needs.statuses,
    draw=_pending,
    phrasings=(
        'Had the label "{status}" counted from the start, how many valid records would there be, '
        "and what net {measure}?",
        'Suppose "{status}" is a label that counts. How many valid records result, with what net '
        "{measure}?",
        'If the label "{status}" counted from the beginning, what would be the number of '
        "valid records and the net {measure}?",
    ),
    notes=(
        "Revisions and rules under that label act then too.",
        "Rules about that label still apply where they reach.",
        "Everything else stays as it is.",
    ),
)
def label_counted_from_start(v: View, p: Given) -> list[Line]:
    """Number and net change of the valid records had a label counted from the start."""
    part, label = v.world.measures[p.text("measure")], p.text("status")
    changed = v.changed(Variant(assume={label: True}))
    number = changed.count(changed.records())
    net = changed.net(changed.postings(part.name))
    return [
        count("records", number, f'valid records had "{label}" counted'),
        value("net", net, f'net {part.label} had "{label}" counted', part.scale),
    ]


def _rule(d: Draw) -> Parameters | None:
    validity = d.index.validity
    rules = [at for changes in validity.rules.values() for at, _ in changes]
    rules = [at for at in rules if validity.rule_acts(at, AS_IS)]
    wanted = validity.suspects(d.focus.position) if d.focus is not None else []
    at = d.near(rules, [r for r in wanted if r in rules])
    if at is None:
        return None
    return complete(record=d.index.records[at].id, measure=d.measure())


@operator(
    "counterfactual/without-rule-change",
    needs=needs.statuses,
    draw=_rule,
    phrasings=(
        "Had the rule change {record} not been made, how many valid records would there be, and "
        "what net {measure}?",
        "Without the rule {record}, what is the number of valid records, and their net {measure}?",
        "Suppose the rule in {record} was never announced: how many records are valid, with what "
        "net {measure}?",
    ),
    notes=("Everything else stays as it is.",),
)
def without_rule_change(v: View, p: Given) -> list[Line]:
    """Number and net change of the valid records without one rule."""
    part, record = v.world.measures[p.text("measure")], p.text("record")
    without = v.lacking(record)
    number = without.count(without.records())
    net = without.net(without.postings(part.name))
    return [
        count("records", number, f"valid records without {record}"),
        value("net", net, f"net {part.label} without {record}", part.scale),
    ]


def _known(d: Draw) -> Parameters | None:
    measure = d.measure(d.facts.measured)
    return complete(measure=measure, type=d.measured_kind(measure), block=d.block())


@operator(
    "counterfactual/as-known-at-block",
    needs=needs.measured,
    draw=_known,
    phrasings=(
        "Had the log ended with {block}, which of the {types} would lead by net {measure}?",
        "Going only by what had been entered by the end of {block}, which of the {types} has the "
        "highest net {measure}?",
        "As known at the end of {block}, before anything entered later: which of the {types} leads "
        "by net {measure}?",
    ),
    notes=(
        "Everything entered after {block} is unknown, late entries and revisions included.",
        ZEROS,
        TIES,
        NO_LEADER,
    ),
)
def as_known_at_block(v: View, p: Given) -> list[Line]:
    """The leader by net change of a measure had the log ended at a block."""
    part, kind, block = v.world.measures[p.text("measure")], p.text("type"), p.number("block")
    known = v.changed(Variant(cut=block))
    totals = known.net_by(kind, known.postings(part.name, kind))
    known.show(kind, ranked(totals)[:1])
    best = leader(totals)
    by = f"net {part.label} as known at the end of {block_phrase(v.world, block)}"
    return [
        value("value", totals.get(best or "", 0), f"highest {by}", part.scale),
        named("leader", best, f"leader by {by}", v.world.types[kind].label),
    ]


def _deciding(d: Draw) -> Parameters | None:
    """A register cell and the record that decides it."""
    source, order = d.reading.source, d.index.order
    found: dict[tuple[str, tuple[str, ...]], int] = {}
    for name in d.facts.world.registers:
        for row in d.index.assignments(name):
            if source[row[0]] == row[1]:
                best = found.get((name, row[2]))
                if best is None or order[row[0]] >= order[best]:
                    found[name, row[2]] = row[0]
    focused = [(a.register, a.key) for a in d.settings()]
    cell = d.near(list(found), focused)
    if cell is None:
        return None
    return complete(register=cell[0], key=cell[1], record=d.index.records[found[cell]].id)


@operator(
    "counterfactual/register-without-record",
    needs=needs.registers,
    draw=_deciding,
    phrasings=(
        "If {record} did not count, which {register}{key_suffix} would stand at the end, and which "
        "record would have set it?",
        "Drop {record}: which {register}{key_suffix} stands then, and by which record?",
        "Suppose {record} falls away. Give the {register}{key_suffix} at the end, and the record "
        "that sets it.",
    ),
    notes=(
        "Say also how many valid records would set it in all, {record} not counted.",
        REST,
        IN_ORDER,
        "If none would set it, answer none for the record.",
    ),
)
def register_without_record(v: View, p: Given) -> list[Line]:
    """The value of a register cell without one record, and what sets it then."""
    register, key, record = v.world.registers[p.text("register")], p.names("key"), p.text("record")
    without = v.lacking(record)
    rows = [row for row in v.index.assignments(register.name) if row[2] == key]
    row = without.latest(rows)
    start = register.starts.get(key, register.start)
    what = f"{register.label}{about(v.world, key)} without {record}"
    return [
        state("value", start if row is None else row[3], what, register, v.world.block),
        latest_record("set by", None if row is None else v.record(row[0]).id, f"what sets {what}"),
        count("times", without.count(without.take(rows)), f"valid records that set {what}"),
    ]
