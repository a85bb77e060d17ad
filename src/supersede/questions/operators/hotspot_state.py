"""Hotspot & peak of what is set: registers and who holds their values."""

from __future__ import annotations

from supersede.model.question import ClaimKind
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
)
from supersede.questions.needs import IN_ORDER, NOW, TIES
from supersede.questions.registry import Given, operator
from supersede.questions.view import View
from supersede.questions.wording import article


@operator(
    "hotspot/most-often-set-cell",
    needs=needs.keyed_registers,
    draw=lambda d: complete(register=_keyed(d)),
    phrasings=(
        "Whose {register} was set by the most valid records, by how many, and to what in the end?",
        "Find the one of the {holders} whose {register} was set most often by valid records.",
        "For which of the {holders} do most valid records set the {register}, and to what in the "
        "end?",
    ),
    notes=(
        "Say also how many valid records set {a_register} in all.",
        NOW,
        TIES,
        "If no valid record sets any, answer none, 0 and unset.",
    ),
)
def most_often_set_cell(v: View, p: Given) -> list[Line]:
    """The entity whose register was set most often, how often, and its present value."""
    register = v.world.registers[p.text("register")]
    kind = register.on[0]
    rows = v.in_order(v.take(v.index.assignments(register.name)))
    counts = dict.fromkeys(v.live(kind), 0)
    values = {}
    for row in rows:
        name = row[2][0]
        if name in counts:
            counts[name] = 1 if v.reading.last_mention else counts[name] + 1
            values[name] = row[3]
    best = leader(counts)
    v.show(kind, ranked(counts)[:1])
    hint = v.world.types[kind].label
    now = None if best is None else values[best]
    return [
        named(hint, best, f"{hint} whose {register.label} was set most often", hint,
              ClaimKind.RANK),
        count("times", counts.get(best or "", 0), "number of valid records that set it"),
        state("now", now, f"its present {register.label}", register, v.world.block),
        count("all", v.count(rows), f"valid records that set {article(register.label)}"),
    ]  # fmt: skip


def _keyed(d: Draw) -> str | None:
    registers = d.facts.world.registers
    keyed = [n for n, r in registers.items() if len(r.on) == 1 and d.index.assignments(n)]
    return d.near(keyed, [a.register for a in d.settings()])


@operator(
    "hotspot/peak-of-holders",
    needs=needs.countable_registers,
    draw=lambda d: _held_value(d),
    phrasings=(
        "How many of the {holders}, at most, had {value} as their {register} at the same time, and "
        "with which record was that first reached?",
        "What is the largest number of {holders} whose {register} was {value} at once, and "
        "which record brought it?",
        "Over the valid records, what was the peak number of {holders} with {register} {value}, "
        "and which record brought it?",
    ),
    notes=(
        IN_ORDER,
        "Count after each valid record that sets {a_register}; if none of the {holders} ever had "
        "that value, answer 0 and none.",
        "Say also how many valid records set {a_register} in all.",
    ),
)
def peak_of_holders(v: View, p: Given) -> list[Line]:
    """The most entities that held a value of a register at once, and the record that led there."""
    register, wanted = v.world.registers[p.text("register")], p.text("value")
    holding: set[str] = set()
    peak = 0
    at: int | None = None
    groups: dict[int, list[tuple[str, object]]] = {}
    rows = v.running(v.take(v.index.assignments(register.name)))
    for row in rows:
        groups.setdefault(row[0], []).append((row[2][0], row[3]))
    for position, settings in groups.items():
        for name, held in settings:
            if held == wanted:
                holding.add(name)
            else:
                holding.discard(name)
        if len(holding) > peak:
            peak, at = len(holding), position
    plural = v.world.types[register.on[0]].plural
    what = f"{plural} with {register.label} {wanted} at once"
    return [
        count("peak", peak, f"most {what}"),
        latest_record("record", None if at is None else v.record(at).id, f"record of most {what}"),
        count("all", v.count(rows), f"valid records that set {article(register.label)}"),
    ]


def _held_value(d: Draw) -> Parameters | None:
    """A register and a value of it that none holds at the start."""
    registers = d.facts.world.registers
    usable = [
        name for name in needs.countable(d.facts)
        if d.index.assignments(name) and not registers[name].starts
    ]  # fmt: skip
    focused = [a.register for a in d.settings()]
    name = d.near(usable, focused)
    if name is None:
        return None
    values = [row[3] for row in d.index.assignments(name) if row[3] is not None]
    rest = [x for x in dict.fromkeys(values) if x != registers[name].start]
    return complete(register=name, value=d.near(rest, []))
