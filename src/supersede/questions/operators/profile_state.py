"""Profile & summary of what is set: registers and rosters."""

from __future__ import annotations

from supersede.model.record import Key
from supersede.questions import needs
from supersede.questions.draw import MOST_LISTED, Draw, Parameters, complete
from supersede.questions.draws import cell, name_list
from supersede.questions.forms import (
    Line,
    count,
    held,
    names_set,
    state,
)
from supersede.questions.index import Row
from supersede.questions.needs import IN_ORDER, NOW
from supersede.questions.registry import Given, operator
from supersede.questions.trace import Scope
from supersede.questions.view import View
from supersede.questions.wording import NONE, about


def _state(d: Draw) -> Parameters | None:
    registers = d.facts.world.registers
    written = [row for name in registers for row in d.index.assignments(name)]
    focused = [a.key for a in d.settings()]
    key = d.near(list(dict.fromkeys(row[2] for row in written)), focused)
    if key is None:
        return None
    return complete(key=key)


def registers_of(v: View, key: Key) -> list[str]:
    """Registers that have a cell for a key."""
    types = tuple(v.index.types.get(name, "") for name in key)
    return [r.name for r in v.world.registers.values() if r.on == types]


@operator(
    "profile/current-state",
    needs=needs.registers,
    draw=_state,
    phrasings=(
        "After all the changes, what stands now? Give every value that is kept for {key_phrase}.",
        "What is the final state of {key_phrase}, value by value?",
        "After every revision, how do things stand for {key_phrase}?",
    ),
    notes=(
        "Say also how many valid records set any of these values.",
        NOW,
        "Answer unset where nothing has set a value.",
    ),
)
def current_state(v: View, p: Given) -> list[Line]:
    """The present value of every register that one key has."""
    key = p.names("key")
    lines: list[Line] = []
    setting: list[Row] = []
    for name in registers_of(v, key):
        register = v.world.registers[name]
        setting += v.take([row for row in v.index.assignments(name) if row[2] == key])
        what = f"{register.label}{about(v.world, key)}"
        lines.append(state(register.label, v.cell(name, key), what, register, v.world.block))
    lines.append(count("records", v.count(setting), "valid records that set any of these"))
    return lines


@operator(
    "profile/roster-members",
    needs=needs.rosters,
    draw=lambda d: name_list(d, 2 * MOST_LISTED),
    phrasings=(
        'Who is on the list "{roster}"{key_suffix} at the end of the log, and how many are they?',
        'After all joins and leaves that count, who is on the list "{roster}"{key_suffix}?',
        'Name everyone on the list "{roster}"{key_suffix} now, and give their number.',
    ),
    notes=(
        "Say also how many valid records brought a name on or off that list.",
        "Whether one is on it follows from the valid join or leave that took place last.",
    ),
)
def roster_members(v: View, p: Given) -> list[Line]:
    """The present members of a roster and their number."""
    roster, key = v.world.rosters[p.text("roster")], p.names("key")
    members = v.members(roster.name, key)
    where = f"{roster.label}{about(v.world, key)}"
    return [
        names_set("members", members, f"members of {where}", v.world.types[roster.of].plural),
        count("number", len(members), f"number of members of {where}"),
        count("changes", changes(v, roster.name, key), f"valid joins and leaves of {where}"),
    ]


@operator(
    "profile/register-history",
    needs=needs.registers,
    draw=cell,
    phrasings=(
        "How did the {register}{key_suffix} change: how many valid records set it, which value "
        "came first, and which stands now?",
        "Trace the {register}{key_suffix} over all valid records: number of settings, first value, "
        "present value.",
        "How often was the {register}{key_suffix} validly set, to what at first, and to what last?",
    ),
    notes=(IN_ORDER, "Answer unset where no valid record sets it."),
)
def register_history(v: View, p: Given) -> list[Line]:
    """How often a register cell was set, its first value and its present one."""
    register, key = v.world.registers[p.text("register")], p.names("key")
    rows = v.in_order(v.take([r for r in v.index.assignments(register.name) if r[2] == key]))
    ends = [rows[n][3] if rows else None for n in (0, -1)]
    what = f"{register.label}{about(v.world, key)}"
    return [
        count("times", v.count(rows), f"number of valid records that set {what}"),
        state("first", ends[0], f"first value of {what}", register, v.world.block),
        state("now", ends[1], f"present value of {what}", register, v.world.block),
    ]


def _value(d: Draw) -> Parameters | None:
    registers = [n for n in needs.countable(d.facts) if d.index.assignments(n)]
    focused = [a.register for a in d.settings()]
    name = d.near(registers, focused)
    if name is None:
        return None
    values = [row[3] for row in d.index.assignments(name) if row[3] is not None]
    wanted = [a.value for a in d.settings() if a.register == name]
    chosen = d.near(list(dict.fromkeys(values)), wanted)
    return complete(register=name, value=chosen)


@operator(
    "profile/holders-of-value",
    needs=needs.countable_registers,
    draw=_value,
    phrasings=(
        "At the end of the log, how many {holders} have {value} as their {register}, and which "
        "was set to it last?",
        "Count the {holders} whose {register} is now {value}, and name the one set to it last.",
        "How many of the {holders} have {value} as their {register} now, and which of them was set "
        "to it last?",
    ),
    notes=(
        "Say also how many valid records set it to that value in all.",
        NOW,
        IN_ORDER,
        "Answer none where there is none or no record set it.",
    ),
)
def holders_of_value(v: View, p: Given) -> list[Line]:
    """How many entities hold a register's value, and the latest of them."""
    register, wanted = v.world.registers[p.text("register")], p.text("value")
    cells = v.cells(register.name)
    holding = [key for key, now in cells.items() if now == wanted]
    latest: tuple[int, str] | None = None
    for row in v.index.assignments(register.name):
        if row[2] in holding and (v.source[row[0]] == row[1]):
            latest = max(latest or (-1, ""), (v.order[row[0]], row[2][0]))
    plural = v.world.types[register.on[0]].plural
    what = f"whose {register.label} is {wanted}"
    setting = v.take([row for row in v.index.assignments(register.name) if row[3] == wanted])
    return [
        count("number", len(holding), f"number of {plural} {what}"),
        held("latest", NONE if latest is None else latest[1], f"latest of the {plural} {what}",
             v.world.types[register.on[0]].label),
        count("records", v.count(setting), f"valid records that set {register.label} to {wanted}"),
    ]  # fmt: skip


def changes(v: View, roster: str, key: Key, scope: Scope = None) -> int:
    """How many valid records join or leave one list of a roster."""
    return v.count(v.take([r for r in v.index.memberships(roster) if r[2] == key], scope))
