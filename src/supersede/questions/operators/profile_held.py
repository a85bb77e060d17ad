"""Profile & summary of what is held: what stood before, who has what, who came and went."""

from __future__ import annotations

from supersede.questions import needs
from supersede.questions.draw import Draw, Parameters, complete
from supersede.questions.draws import cell, name_list
from supersede.questions.forms import Line, count, latest_record, named, state
from supersede.questions.needs import IN_ORDER, NOW
from supersede.questions.registry import Given, operator
from supersede.questions.view import View
from supersede.questions.wording import about, article


def _often_set(d: Draw) -> Parameters | None:
    """A register cell, by preference one that valid records set more than once."""
    given = cell(d)
    if given is None:
        return None
    source = d.reading.source
    rows = [r for r in d.index.assignments(str(given["register"])) if source[r[0]] == r[1]]
    keys = [row[2] for row in rows]
    often = [key for key in dict.fromkeys(keys) if keys.count(key) > 1]
    wanted = [given["key"]] if given["key"] in often else often
    return {**given, "key": d.near([given["key"], *often], wanted) or ()}


@operator(
    "profile/value-before",
    needs=needs.registers,
    draw=_often_set,
    phrasings=(
        "Which {register}{key_suffix} stands now, which record set it, and which value stood right "
        "before that record?",
        "Give the last setting of the {register}{key_suffix}: from which value to which, and by "
        "which valid record?",
        "What was the {register}{key_suffix} before the last valid record that sets it, what has "
        "it been since, and which record is that?",
    ),
    notes=(
        "Say also how many valid records set it.",
        IN_ORDER,
        "Before the first valid record that sets it, it has its value at the start.",
        "If no valid record sets it, answer none for the record, and its value at the start "
        "for both.",
    ),
)
def value_before(v: View, p: Given) -> list[Line]:
    """The last change of a register cell: the value before it, the one since, the record."""
    register, key = v.world.registers[p.text("register")], p.names("key")
    rows = v.in_order(v.take([r for r in v.index.assignments(register.name) if r[2] == key]))
    start = register.starts.get(key, register.start)
    held = [start, start, *(row[3] for row in rows)]
    what = f"{register.label}{about(v.world, key)}"
    noun = v.world.block
    setting = v.record(rows[-1][0]).id if rows else None
    before = held[-2] if rows else start
    return [
        state("before", before, f"{what} before its last change", register, noun),
        state("now", held[-1], f"present {what}", register, noun),
        latest_record("record", setting, f"record that set {what} last"),
        count("times", v.count(rows), f"valid records that set {what}"),
    ]


def _symbols(d: Draw) -> Parameters | None:
    registers = [n for n in needs.holding_symbols(d.facts) if d.index.assignments(n)]
    return complete(register=d.near(registers, [a.register for a in d.settings()]))


@operator(
    "profile/tally-by-value",
    needs=needs.symbol_registers,
    draw=_symbols,
    phrasings=(
        "How do the {holders} stand at the end of the log: for each {register}, how many have it?",
        "Count the {holders} by their {register}, value by value.",
        "For every {register} that there is, give the number of {holders} that have it now.",
    ),
    notes=(
        "Say also how many valid records set {a_register} at all.",
        "Those of the {holders} that no record ever set count by their {register} at the start; "
        "those whose {register} is unset are in no number.",
        NOW,
    ),
)
def tally_by_value(v: View, p: Given) -> list[Line]:
    """How many entities hold each value of a register."""
    register = v.world.registers[p.text("register")]
    now = [held for held in v.cells(register.name).values() if held is not None]
    plural = v.world.types[register.on[0]].plural
    setting = v.take(v.index.assignments(register.name))
    return [
        *(
            count(symbol, now.count(symbol), f"number of {plural} with {register.label} {symbol}")
            for symbol in register.symbols
        ),
        count("records", v.count(setting), f"valid records that set {article(register.label)}"),
    ]


def _member(d: Draw) -> Parameters | None:
    given = name_list(d)
    if given is None:
        return None
    rows = d.index.memberships(str(given["roster"]))
    members = list(dict.fromkeys(row[3] for row in rows if row[2] == given["key"]))
    often = [m for m in members if sum(row[3] == m for row in rows) > 1]
    wanted = [m.member for m in d.joins() if m.key == given["key"]]
    return complete(**given, entity=d.near(members, wanted or often))


@operator(
    "profile/membership-of-entity",
    needs=needs.rosters,
    draw=_member,
    phrasings=(
        'How often did {entity} join the list "{roster}"{key_suffix}, how often leave it, and is '
        "that name on it at the end of the log, yes or no?",
        'Follow {entity} on the list "{roster}"{key_suffix}: number of valid joins, number of '
        "valid leaves, and whether the name is on it now.",
        'By the valid records, count the joins and leaves of {entity} on the list "{roster}"'
        "{key_suffix}, and say whether it stands there in the end.",
    ),
    notes=(
        "Name also the valid join or leave that took place last, or none.",
        IN_ORDER,
        "Joins and leaves are counted as they are logged, also where they change nothing.",
    ),
)
def membership_of_entity(v: View, p: Given) -> list[Line]:
    """How often one entity joined and left a list, and whether it is on it now."""
    roster, key, entity = v.world.rosters[p.text("roster")], p.names("key"), p.text("entity")
    mine = [r for r in v.index.memberships(roster.name) if r[2] == key and r[3] == entity]
    rows = v.in_order(v.take(mine))
    heard = v.heard(rows)
    joins = len({row[0] for row in heard if row[4]})
    leaves = len({row[0] for row in heard if not row[4]})
    there = rows[-1][4] if rows else entity in roster.start
    where = f"{roster.label}{about(v.world, key)}"
    latest = v.record(rows[-1][0]).id if rows else None
    return [
        count("joins", joins, f"valid joins of {entity} to {where}"),
        count("leaves", leaves, f"valid leaves of {entity} from {where}"),
        named("on it", "yes" if there else "no", f"whether {entity} is on {where}", "yes or no",
              candidates=("yes", "no")),
        latest_record("latest", latest, f"latest valid join or leave of {entity}"),
    ]  # fmt: skip
