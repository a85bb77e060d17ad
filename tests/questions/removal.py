"""What a history says once a record is away, worked out by replaying another history.

The record is dropped. Only an entry that others stand on is kept, as a line under a label that
never counts and that nothing confirms, so that what it minted is known and what stands on it is
an orphan: the engine's own replay then says what is left.
"""

from __future__ import annotations

from dataclasses import replace

from supersede.model.question import Answer, Family, Question
from supersede.model.record import History, Kind, Record
from supersede.model.world import World
from supersede.questions import answer

GONE = "never happened"

LISTING = {"hotspot/most-invalid-records"}
"""Operators beside the audits that look at invalid records, and so at a line that stays."""


def evidence_by_removal(
    world: World, history: History, question: Question, known: Answer
) -> set[str]:
    """Ids without any one of which claims, contributing or excluded ids change."""
    listed = {*known.contributing, *known.excluded}
    open_world = replace(world, statuses={**world.statuses, GONE: False})
    found = set(listed)
    for record in history.records:
        if record.id not in listed and judged(history, record, question):
            left = answer(open_world, without(history, record), question)
            if seen(left, record.id) != seen(known, record.id):
                found.add(record.id)
    return found


def judged(history: History, record: Record, question: Question) -> bool:
    """Whether removal can be staged.

    A line that stays is seen by audits, and as an anchor; where it is dropped, what names its id
    is dropped with it.
    """
    if not stood_on(history, record):
        return True
    named = record.id in map(question.parameters.get, ("record", "record2", "records"))
    dropped = question.family is Family.COUNTERFACTUAL and held(history, record)
    listing = question.family is Family.AUDIT or question.operator in LISTING
    return not listing and not named and not dropped


def stood_on(history: History, record: Record) -> bool:
    return bool(record.mints) or held(history, record)


def held(history: History, record: Record) -> bool:
    return any(record.id in other.roles.values() for other in history.records)


def seen(given: Answer, record_id: str) -> tuple[object, ...]:
    return (
        [claim.expected for claim in given.checklist],
        given.contributing,
        [name for name in given.excluded if name != record_id],
    )


def without(history: History, record: Record) -> History:
    kept: list[Record] = []
    stands = stood_on(history, record)
    for other in history.records:
        if other.id == record.id:
            if not stands:
                continue
            kind = Kind.ENTRY if record.kind is Kind.CORRECT else record.kind
            other = record._replace(status=GONE, refs=(), kind=kind)
        elif other.kind in (Kind.CONFIRM, Kind.VOID) and record.id in other.refs:
            other = other._replace(refs=tuple(ref for ref in other.refs if ref != record.id))
        kept.append(other._replace(position=len(kept)))
    return history._replace(records=tuple(kept))
