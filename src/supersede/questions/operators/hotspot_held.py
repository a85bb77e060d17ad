"""Hotspot & peak of what is held: the fullest list, the longest value, the commonest step."""

from __future__ import annotations

from supersede.model.question import ClaimKind
from supersede.model.record import Key, Value
from supersede.questions import needs
from supersede.questions.draw import Draw, Parameters, complete
from supersede.questions.draws import cell, name_list
from supersede.questions.forms import Line, count, latest_record, named, state
from supersede.questions.needs import IN_ORDER, TOOK_PLACE
from supersede.questions.registry import Given, operator
from supersede.questions.view import View
from supersede.questions.wording import about, plural_of


@operator(
    "hotspot/fullest-list",
    needs=needs.rosters,
    draw=name_list,
    phrasings=(
        'How many, at most, stood on the list "{roster}"{key_suffix} at the same time, and with '
        "which record was that first reached?",
        'What is the largest number of names that were on the list "{roster}"{key_suffix} at once, '
        "and which valid record brought it there?",
        'At its fullest, how long was the list "{roster}"{key_suffix}, and after which record?',
    ),
    notes=(
        IN_ORDER,
        "Begin with those on it at the start and follow the valid joins and leaves; if it is never "
        "longer than at the start, give the number at the start and none.",
        "Say also how many valid records bring a name on or off it.",
    ),
)
def fullest_list(v: View, p: Given) -> list[Line]:
    """The most names at once on a list, and the record that first leads there."""
    roster, key = v.world.rosters[p.text("roster")], p.names("key")
    rows = v.take([r for r in v.index.memberships(roster.name) if r[2] == key])
    there = set(roster.start)
    most, at = len(there), None
    changes: dict[int, list[tuple[str, bool]]] = {}
    for row in v.running(rows):
        changes.setdefault(row[0], []).append((row[3], row[4]))
    for position, steps in changes.items():
        for member, joins in steps:
            if joins:
                there.add(member)
            else:
                there.discard(member)
        if len(there) > most:
            most, at = len(there), position
    where = f"{roster.label}{about(v.world, key)}"
    return [
        count("most", most, f"most names at once on {where}"),
        latest_record("record", None if at is None else v.record(at).id, "record that leads there"),
        count("changes", v.count(rows), f"valid joins and leaves of {where}"),
    ]


@operator(
    "hotspot/longest-held-value",
    needs=needs.registers,
    draw=cell,
    phrasings=(
        "Look at the {register}{key_suffix} at the end of every {block_noun}: which value stands "
        "there most often, and at the end of how many {block_nouns}?",
        "Which value of the {register}{key_suffix} held longest, counted in {block_nouns} at whose "
        "end it stood, and for how many?",
        "Over all {block_nouns}, what was the {register}{key_suffix} at the end of most of them, "
        "and of how many?",
    ),
    notes=(
        "Judge all records as known at the end of the log; unset is a value like any other.",
        TOOK_PLACE,
        IN_ORDER,
        "Ties go to the value that stood first.",
        "Say also how many valid records set it.",
    ),
)
def longest_held_value(v: View, p: Given) -> list[Line]:
    """The value that a register cell held at the end of the most blocks."""
    register, key = v.world.registers[p.text("register")], p.names("key")
    rows = v.take([r for r in v.index.assignments(register.name) if r[2] == key])
    set_in: dict[int, Value] = {}
    for row in v.running(rows):
        set_in[v.block_of(row)] = row[3]
    now = register.starts.get(key, register.start)
    stood: dict[Value, int] = {}
    for number in range(1, v.index.last_block + 1):
        now = set_in.get(number, now)
        stood[now] = stood.get(now, 0) + 1
    best = max(stood, key=lambda held: stood[held])
    what, noun = f"{register.label}{about(v.world, key)}", v.world.block
    return [
        state("value", best, f"longest held {what}", register, noun),
        count("number", stood[best], f"{plural_of(noun)} at whose end that stood"),
        count("records", v.count(rows), f"valid records that set {what}"),
    ]


def _stepping(d: Draw) -> Parameters | None:
    registers = [n for n in needs.holding_symbols(d.facts) if d.index.assignments(n)]
    return complete(register=d.near(registers, [a.register for a in d.settings()]))


@operator(
    "hotspot/commonest-step",
    needs=needs.symbol_registers,
    draw=_stepping,
    phrasings=(
        "From which {register} to which other one do the {holders} change most often, and how "
        "often?",
        "Follow the {register} of every one of the {holders}: which step from one value to another "
        "is the most frequent, and with what number?",
        "What is the commonest change of {register} among the {holders}: from what, to what, and "
        "how many times?",
    ),
    notes=(
        IN_ORDER,
        "Each of the {holders} begins with what the system message says it starts with; unset is "
        "a value like any other, and a record that sets the same value again makes no step.",
        "Ties go to the step that was taken first.",
        "Say also how many valid records set {a_register}; if there is no step, answer none and 0.",
    ),
)
def commonest_step(v: View, p: Given) -> list[Line]:
    """The most frequent change of a register from one value to another."""
    register = v.world.registers[p.text("register")]
    rows = v.take(v.index.assignments(register.name))
    now: dict[Key, Value] = {}
    found: dict[tuple[Value, Value], int] = {}
    for row in v.heard(v.running(rows)):
        before = now.get(row[2], register.starts.get(row[2], register.start))
        if before != row[3]:
            found[before, row[3]] = found.get((before, row[3]), 0) + 1
        now[row[2]] = row[3]
    best = max(found, key=lambda step: found[step], default=None)
    ends = ("none", "none") if best is None else tuple(x or "unset" for x in best)
    values = (*register.symbols, "unset", "none")
    return [
        *(
            named(slot, str(end), f"value {slot} which the commonest step of {register.label} goes",
                  register.label, ClaimKind.RANK, values)
            for slot, end in zip(("from", "to"), ends, strict=True)
        ),
        count("times", 0 if best is None else found[best], "number of times it was taken"),
        count("records", v.count(rows), f"valid records that set {register.label}"),
    ]  # fmt: skip
