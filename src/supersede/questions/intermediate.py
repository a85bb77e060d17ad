"""Intermediate questions: short, about the state as known at the end of a block.

They are answered from the live ledger while a history is posted, from single cells of its
state or from the records of one block, so that a long history costs no more per block.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from supersede.model.record import ENTRY_KINDS
from supersede.model.world import World
from supersede.questions.draw import Random
from supersede.questions.facts import Facts, facts_of
from supersede.questions.forms import (
    Line,
    answer_text,
    count,
    form_text,
    leader,
    named,
    names_set,
    state,
    value,
)
from supersede.questions.wording import (
    about,
    block_phrase,
    called,
    during,
    held_phrase,
    measure_phrase,
)
from supersede.specs.schema import Specification
from supersede.worlds.ledger import Ledger

Drawn: TypeAlias = "tuple[str, list[Line]] | None"
_MOST_MEMBERS = 8


def intermediate(
    spec: Specification, world: World, ledger: Ledger, block: int, rnd: Random
) -> tuple[str, str]:
    """A question about the state at the end of a block, and its answer.

    Args:
        spec: The specification of the world.
        world: The world of the history.
        ledger: The ledger with the records posted so far; `block` is the last of them.
        block: The block that has just ended.
        rnd: The `turns` stream.
    """
    facts = facts_of(world, spec)
    kinds = list(_KINDS)
    while kinds:
        drawn = kinds.pop(int(rnd() * len(kinds)))(facts, ledger, block, rnd)
        if drawn is not None:
            text, lines = drawn
            return f"{text}\nEnd with one line of this form: {form_text(lines)}", answer_text(lines)
    text, lines = _valid_in_block(facts, ledger, block, rnd)
    return f"{text}\nEnd with one line of this form: {form_text(lines)}", answer_text(lines)


def _pick(rnd: Random, items: list[str]) -> str | None:
    return items[int(rnd() * len(items))] if items else None


def _total(facts: Facts, ledger: Ledger, block: int, rnd: Random) -> Drawn:
    """The net change of a measure so far."""
    name = _pick(rnd, [m for m, cells in ledger.state.measures.items() if cells])
    if name is None:
        return None
    part = facts.world.measures[name]
    net = sum([level - part.start for level in ledger.state.measures[name].values()])
    noun = block_phrase(facts.world, block)
    what = measure_phrase(facts.world, name)
    text = (
        f"As known at the end of {noun}: what is the net change of {what} over all valid records?"
    )
    return text, [value(part.label, net, f"net {part.label}", part.scale)]


def _cell(facts: Facts, ledger: Ledger, block: int, rnd: Random) -> Drawn:
    """The net change of a measure of one entity that has a cell of its own."""
    measures = facts.world.measures
    name = _pick(
        rnd, [m for m, c in ledger.state.measures.items() if c and len(measures[m].per) == 1]
    )
    if name is None:
        return None
    part = measures[name]
    entity = _pick(rnd, sorted(key[0] for key in ledger.state.measures[name]))
    if entity is None:
        return None
    net = ledger.state.measures[name][(entity,)] - part.start
    whom = called(facts.world, entity)
    noun = block_phrase(facts.world, block)
    what = measure_phrase(facts.world, name)
    text = f"As known at the end of {noun}: what is the net change of {what} for {whom} so far?"
    return text, [value(part.label, net, f"net {part.label} of {entity}", part.scale)]


def _register(facts: Facts, ledger: Ledger, block: int, rnd: Random) -> Drawn:
    """The present value of a register cell."""
    name = _pick(rnd, [r for r, cells in ledger.state.registers.items() if cells])
    if name is None:
        return None
    part = facts.world.registers[name]
    keys = sorted(ledger.state.registers[name])
    key = keys[int(rnd() * len(keys))]
    now = ledger.state.register(name, key)
    whose = about(facts.world, key)
    noun = block_phrase(facts.world, block)
    text = f"Give the {part.label}{whose}, as known at the end of {noun}."
    return text, [state(part.label, now, f"{part.label}{whose}", part, facts.world.block)]


def _roster(facts: Facts, ledger: Ledger, block: int, rnd: Random) -> Drawn:
    """The present members of a roster."""
    name = _pick(rnd, [r for r, lists in ledger.state.rosters.items() if lists])
    if name is None:
        return None
    part = facts.world.rosters[name]
    keys = sorted(ledger.state.rosters[name])
    key = keys[int(rnd() * len(keys))]
    members = ledger.state.members(name, key)
    whose = about(facts.world, key)
    noun = block_phrase(facts.world, block)
    lines = [count("number", len(members), f"number on {part.label}{whose}")]
    known = f"As known at the end of {noun}"
    if len(members) > _MOST_MEMBERS:
        return f'{known}: how many are on the list "{part.label}"{whose}?', lines
    plural = facts.world.types[part.of].plural
    lines.insert(0, names_set("members", members, f"on {part.label}{whose}", plural))
    return f'{known}: who is on the list "{part.label}"{whose}?', lines


def _tally(facts: Facts, ledger: Ledger, block: int, rnd: Random) -> Drawn:
    """How many hold a value of a register now."""
    name = _pick(rnd, list(facts.world.tallies))
    if name is None:
        return None
    tally = facts.world.tallies[name]
    register = facts.world.registers[tally.of]
    held = ledger.state.holders(tally.of)
    values = sorted(v for v, keys in held.items() if keys and isinstance(v, str))
    wanted = _pick(rnd, values)
    if wanted is None or not register.on:
        return None
    plural = facts.world.types[register.on[0]].plural
    noun = block_phrase(facts.world, block)
    held_as = f"{held_phrase(facts.world, register, wanted)} as their {register.label}"
    text = f"As known at the end of {noun}: how many {plural} have {held_as}?"
    number = ledger.state.tally(name, wanted)
    return text, [count("number", number, f"{plural} with {register.label} {wanted}")]


def _of_block(ledger: Ledger, block: int) -> list[int]:
    """Positions of the valid records entered in a block, the last one of the ledger."""
    found: list[int] = []
    for i in range(len(ledger.records) - 1, -1, -1):
        record = ledger.records[i]
        if record.block != block:
            break
        if ledger.counts[i] and record.kind in ENTRY_KINDS:
            found.append(i)
    return found[::-1]


def _valid_in_block(
    facts: Facts, ledger: Ledger, block: int, rnd: Random
) -> tuple[str, list[Line]]:
    """How many records entered in the block are valid."""
    when = during(facts.world, block, block)
    text = f"Of the records entered {when}, late ones included, how many are valid at its end?"
    number = len(_of_block(ledger, block))
    return text, [count("valid", number, f"valid records entered {when}")]


def _leader_of_block(facts: Facts, ledger: Ledger, block: int, rnd: Random) -> Drawn:
    """The net change of a measure by the block's entries, and who added most to it."""
    rows = _of_block(ledger, block)
    posted = [p for i in rows for p in ledger.postings(i)]
    name = _pick(rnd, list(dict.fromkeys(p.measure for p in posted)))
    if name is None:
        return None
    part = facts.world.measures[name]
    kinds = [k for k in facts.measured_types(name) if facts.world.types[k].names]
    kind = _pick(rnd, kinds)
    net = sum([p.delta for p in posted if p.measure == name])
    when = during(facts.world, block, block)
    what = measure_phrase(facts.world, name)
    text = f"Over the valid records entered {when}, what is the net change of {what}"
    lines = [value(part.label, net, f"net {part.label} entered {when}", part.scale)]
    if kind is None:
        return f"{text}?", lines
    declared = facts.world.types[kind]
    totals = dict.fromkeys(declared.names, 0)
    for p in posted:
        if p.measure == name:
            for entity in p.entities:
                if entity in totals:
                    totals[entity] += p.delta
    best = leader(totals)
    best = best if best is not None and totals[best] > 0 else None
    lines.append(named("top", best, f"{declared.label} that added most", declared.label))
    return f"{text}, and which {declared.label} added most? If none added any, answer none.", lines


_KINDS: tuple[Callable[[Facts, Ledger, int, Random], Drawn], ...] = (
    _total,
    _total,
    _cell,
    _register,
    _roster,
    _tally,
    _valid_in_block,
    _leader_of_block,
)
