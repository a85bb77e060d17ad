"""An instance laid out for people: the conversation, what is right, and how the state went."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import TypeAlias

from supersede.model.instance import Instance, Message
from supersede.model.record import Kind, Reason, Record, Value
from supersede.model.world import World
from supersede.rendering.forms import UNSET, Number
from supersede.worlds.ledger import Ledger
from supersede.worlds.replay import replay
from supersede.worlds.state import State

Cells: TypeAlias = Mapping[str, Mapping[str, str]]
"""Label of a measure, register or roster -> its cells as printed -> the value as printed."""

_WIDTH = 100


def counted(number: int, noun: str) -> str:
    """A number and its noun, in the plural where it needs one: `1 record`, `1,200 records`."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def conversation(instance: Instance) -> Iterator[str]:
    """The lines of the conversation, whose last turn asks, of the answer, checklist, evidence."""
    question = instance.question
    yield heading(instance)
    yield f"asked last, by the operator {question.operator} ({question.family})"
    yield from turns(instance)
    yield from solution(instance)


def heading(instance: Instance) -> str:
    """World, version, tier, split and index."""
    key = instance.key
    return f"{key.prototype} v{key.prototype_version}, {key.tier}, {key.split} #{key.index}"


def turns(instance: Instance) -> Iterator[str]:
    """The lines of the messages, whose last one asks; nothing of the answer."""
    for message, title in zip(instance.messages, _titles(instance.messages), strict=True):
        yield from ("", _rule(title), *message.content.splitlines())


def solution(instance: Instance) -> Iterator[str]:
    """The lines of the answer, checklist and evidence."""
    answer = instance.answer
    yield from ("", _rule("answer"), answer.text)
    yield from ("", _rule("checklist"))
    for number, claim in enumerate(answer.checklist, start=1):
        yield f"{number}. [{claim.kind}] {claim.text}"
    yield from ("", _rule(f"evidence: {counted(len(answer.evidence), 'record')}"))
    yield from _wrapped(", ".join(answer.evidence) or "none")


def _titles(messages: tuple[Message, ...]) -> Iterator[str]:
    blocks = 0
    for message in messages:
        blocks += message.role == "user"
        last = ", with the question" if message is messages[-1] else ""
        yield f"{message.role} {blocks}{last}" if message.role == "user" else message.role


def _rule(title: str) -> str:
    return f"{f'---- {title} ':-<{_WIDTH}}"


def evolution(instance: Instance, world: World) -> Iterator[str]:
    """The lines of the records, and of the state after each block, as known at its end.

    Each record says what it is, whether it counts by then, why it does not, and what later ones
    make of it. A cell that the block changed is marked with a star.
    """
    ledger, end = Ledger(world), replay(world, instance.history)
    records = iter(instance.history.records)
    record = next(records, None)
    before = cells(ledger.state)
    for block in range(1, instance.history.blocks + 1):
        first = len(ledger.records)
        while record is not None and record.block == block:
            ledger.post(record)
            record = next(records, None)
        yield from ("", _rule(f"records of {world.block} {block}"))
        for at in range(first, len(ledger.records)):
            yield _line(ledger, end, at, world)
        after = cells(ledger.state)
        yield from ("", f"state after {world.block} {block}:")
        yield from _state(before, after)
        before = after


def _line(ledger: Ledger, end: Ledger, at: int, world: World) -> str:
    """A record: id, kind, event, label, what it names, whether it acts or counts, now and later."""
    record = ledger.records[at]
    event = world.events[record.event].label if record.event is not None else None
    what = " ".join(filter(None, (record.kind.value, event)))
    label = f" ({record.status})" if record.status is not None else ""
    refs = f" of {', '.join(record.refs)}" if record.refs else ""
    now, later = _verdict(ledger, at, record), _verdict(end, at, record)
    change = "" if now == later else f"; in the end {later}"
    return f"  {record.id}  {what}{refs}{label}: {now}{change}"


def _verdict(ledger: Ledger, at: int, record: Record) -> str:
    if record.kind in (Kind.ENTRY, Kind.BACKFILL, Kind.CORRECT, Kind.REPOST):
        reason = ledger.reason(at)
        if reason is None:
            return "counts"
        return f"does not count: {_WHY[reason[0]].format(reason[1])}"
    return "acts" if ledger.controls.in_force(at) else "does not act"


_WHY: Mapping[Reason, str] = {
    Reason.DUPLICATE: "a copy of {}",
    Reason.VOIDED: "void or replaced by {}",
    Reason.STATUS: "its label {!r} does not count",
    Reason.WINDOW: "in a stretch that {} voids",
    Reason.ORPHAN: "it rests on {}, which does not count",
}
"""Reason -> words for it, with a hole for the record or label behind it."""


def _state(before: Cells, after: Cells) -> Iterator[str]:
    for label, values in after.items():
        shown = [
            f"{'*' if before.get(label, {}).get(cell) != value else ''}{f'{cell} {value}'.strip()}"
            for cell, value in values.items()
        ]
        yield from _wrapped(f"{label}: {'; '.join(shown)}", "  ", "      ")


def _wrapped(text: str, first: str = "", others: str = "") -> list[str]:
    """A text in lines, each with its indent; names with hyphens stay whole."""
    return wrap(
        text, _WIDTH, initial_indent=first, subsequent_indent=others, break_on_hyphens=False
    )


def cells(state: State) -> Cells:
    """Every cell that records have written or that has a start of its own, as printed."""
    world = state.world
    found: dict[str, Mapping[str, str]] = {}
    for measure in world.measures.values():
        write = Number(measure.scale, measure.unit).write
        written = state.measures[measure.name]
        levels = written if measure.per else {(): state.measure(measure.name)}
        found[measure.label] = {" / ".join(k): write(v) for k, v in levels.items()}
    for register in world.registers.values():
        form = Number(register.scale, register.unit)
        held = {**register.starts, **state.registers[register.name]}
        if not register.on:
            held = {(): state.register(register.name)}
        found[register.label] = {" / ".join(k): _value(form, v) for k, v in held.items()}
    for roster in world.rosters.values():
        lists = state.rosters[roster.name]
        found[roster.label] = {" / ".join(k): f"[{', '.join(m)}]" for k, m in lists.items()}
    return {label: values for label, values in found.items() if values}


def _value(form: Number, value: Value) -> str:
    if value is None:
        return UNSET
    return form.write(value) if isinstance(value, int) else value
