"""Audit & exclusion of what revisions did: to one record, and to those they name."""

from __future__ import annotations

from supersede.model.record import Reason
from supersede.questions import needs
from supersede.questions.controls import REPOST
from supersede.questions.draw import MOST_LISTED, Draw, Parameters, complete
from supersede.questions.forms import Line, count, held, latest_record, named, record_ids, value
from supersede.questions.registry import Given, operator
from supersede.questions.view import View
from supersede.questions.wording import NONE

REASONS = {
    Reason.DUPLICATE: "copy",
    Reason.VOIDED: "void",
    Reason.WINDOW: "void",
    Reason.STATUS: "status",
    Reason.ORPHAN: "orphan",
}
"""Reason -> the word for it in an answer."""


def _invalid(d: Draw) -> Parameters | None:
    source, records = d.reading.source, d.index.records
    bad = [i for i in d.index.validity.entries if source[i] < 0]
    decided = [i for i in bad if d.index.validity.suspects(i)]
    focused = [d.focus.position] if d.focus is not None and d.focus.position in bad else []
    at = d.near(bad, focused or decided)
    return None if at is None else complete(record=records[at].id)


@operator(
    "audit/why-invalid",
    needs=needs.anything,
    draw=_invalid,
    phrasings=(
        "Why does {record} not count at the end of the log, and what is behind it?",
        "For what reason is {record} left out, and which record or label decides that?",
        "Give the reason why {record} is invalid, with the id or the label behind it.",
    ),
    notes=(
        "The reason is copy, void, status or orphan: copy if it repeats another record, whose id "
        "is behind it; void if a void or replacement in force takes it out, whose id is behind it; "
        "status if its label does not count, and that label is behind it; orphan if it rests on a "
        "record that does not count, whose id is behind it.",
        "Of several, the first that applies is the one, in the order of the system message.",
    ),
)
def why_invalid(v: View, p: Given) -> list[Line]:
    """The reason for which a record does not count, and what is behind it."""
    name = p.text("record")
    at = v.find(name)
    reason, behind = NONE, ""
    if at is not None:
        if v.part is not None:
            v.part.excluded.add(at)
        counts = bool(v.take([row for row in v.index.contents() if row[0] == at]))
        if not counts and not v.reading.trusting:
            found, behind = v.reason(at)
            reason = REASONS[found]
    words = tuple(dict.fromkeys(REASONS.values()))
    return [
        named("reason", reason, f"reason why {name} does not count", ", ".join(words),
              candidates=(*words, NONE)),
        held("behind", behind or NONE, f"what is behind it for {name}", "record id or label"),
    ]  # fmt: skip


def _restated(d: Draw) -> Parameters | None:
    """A record that changes a measure, by preference one that a revision is about."""
    records, validity = d.index.records, d.index.validity
    changing = [
        i for i in validity.entries if records[i].postings and records[i].kind is not REPOST
    ]
    revised = [i for i in changing if i in validity.named]
    focused = [d.focus.position] if d.focus is not None and d.focus.position in revised else []
    at = d.near(changing, focused or revised)
    if at is None:
        return None
    return complete(
        record=records[at].id, measure=d.pick([p.measure for p in records[at].postings])
    )


@operator(
    "audit/record-as-it-stands",
    needs=needs.anything,
    draw=_restated,
    phrasings=(
        "By how much did {record} change {measure} as first entered, and what does it add in the "
        "end?",
        "What net change of {measure} did {record} show when it was entered, and with what net "
        "change does it stand now?",
        "Compare {record} as entered with {record} as it stands at the end of the log: net change "
        "of {measure} before and after?",
    ),
    notes=(
        "If it does not count, it adds 0 in the end.",
        "Name also the amendment in force for it; answer none if there is none or if it does not "
        "count.",
    ),
)
def record_as_it_stands(v: View, p: Given) -> list[Line]:
    """One record's net change of a measure as entered and as it stands, and its amend."""
    part, name = v.world.measures[p.text("measure")], p.text("record")
    at = v.find(name)
    entered = now = 0
    amend: str | None = None
    if at is not None:
        entered = sum([x.delta for x in v.record(at).postings if x.measure == part.name])
        for _, source, content in v.take([r for r in v.index.contents() if r[0] == at]):
            now = sum([x.delta for x in content.postings if x.measure == part.name])
            amend = None if source == at else content.id
    what = f"net {part.label} of {name}"
    return [
        value("entered", entered, f"{what} as entered", part.scale),
        value("now", now, f"{what} as it stands", part.scale),
        latest_record("amendment", amend, f"amendment in force for {name}"),
    ]


def _revised(d: Draw) -> Parameters | None:
    """An event of which revisions name a few records."""
    validity = d.index.validity
    found: dict[str, int] = {}
    for i in {*validity.actions, *validity.confirms, *validity.amends}:
        record = d.index.records[i]
        if record.event is not None and record.event in d.facts.world.events:
            found[record.event] = found.get(record.event, 0) + 1
    few = [event for event in d.facts.world.events if 0 < found.get(event, 0) <= MOST_LISTED]
    event = d.near(few, [d.focus.event or ""] if d.focus is not None else [])
    return complete(event=event)


@operator(
    "audit/survivors-of-revision",
    needs=needs.anything,
    draw=_revised,
    phrasings=(
        "How many {events} does at least one void, replacement, amendment, confirmation or "
        "restoration name, and which of them are valid in the end?",
        "Of the {events} that some later revision names, how many are there, and which still or "
        "again count?",
        "Take the {events} that a revision names by id: give their number, and list those that are "
        "valid at the end of the log.",
    ),
    notes=(
        "A revision is a void, replacement, amendment, confirmation or restoration; here it "
        "matters only that it names the record, also if it is not in force itself.",
        "Voids of a whole stretch name no record, and a void of an amendment does not name the "
        "record that was amended.",
        "Copies are left aside.",
    ),
)
def survivors_of_revision(v: View, p: Given) -> list[Line]:
    """The records of an event that revisions name: how many, and which are valid."""
    event, validity = v.world.events[p.text("event")], v.index.validity
    touched: list[int] = []
    for i in validity.by_event.get(event.name, ()):
        by = [*validity.actions.get(i, ()), *validity.confirms.get(i, ()),
              *validity.amends.get(i, ())]  # fmt: skip
        if v.trace is not None:
            v.trace.probes.extend([i, *by] if by else by)
        if v.is_posted(i) and any(v.is_posted(r) for r in by):
            touched.append(i)
    wanted = set(touched)
    rows = v.take([row for row in v.index.contents(event.name) if row[0] in wanted])
    valid = sorted({row[0] for row in rows})
    what = f"{event.plural} that a revision names"
    return [
        count("number", len(touched), f"number of {what}"),
        record_ids("valid", v.ids(valid), f"valid {what}"),
    ]
