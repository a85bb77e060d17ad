"""Ranking / Top-N by settings and lists: readings, changes of value, time in a state, members."""

from __future__ import annotations

from itertools import pairwise

from supersede.model.question import ClaimKind
from supersede.model.record import Value
from supersede.model.world import Register
from supersede.questions import needs
from supersede.questions.courses import blocks_held, ordered, stretches
from supersede.questions.draw import Draw, Parameters, complete
from supersede.questions.draws import name_list
from supersede.questions.facts import Facts
from supersede.questions.forms import Line, count, named, ranked, top
from supersede.questions.needs import IN_ORDER, NOW, TIES, TOOK_PLACE
from supersede.questions.operators.profile_state import changes
from supersede.questions.operators.ranking import places
from supersede.questions.registry import Given, operator
from supersede.questions.view import View
from supersede.questions.wording import ORDINALS, about, article

HOLDERS = "All {holders} are candidates, those at zero included."


def numeric(facts: Facts) -> list[str]:
    """Registers of numbers, no numbers of blocks, with a value for each entity of a type."""
    registers = facts.world.registers.values()
    return [r.name for r in registers if r.integer and not r.block and len(r.on) == 1]


def _reading(d: Draw) -> Parameters | None:
    used = [name for name in numeric(d.facts) if d.index.assignments(name)]
    register = d.near(used, [a.register for a in d.settings()])
    return complete(register=register, n=2)


@operator(
    "ranking/present-readings",
    needs=lambda f: bool(numeric(f)),
    draw=_reading,
    phrasings=(
        "At the end of the log, which {n} {holders} have the highest {register}? Rank them.",
        "Rank the top {n} {holders} by their present {register}.",
        "By {register} as it stands now, which {n} {holders} come first?",
    ),
    notes=(
        "Say also how many valid records set {a_register} in all.",
        NOW,
        "Only {holders} for which it holds a value are candidates.",
        TIES,
    ),
)
def present_readings(v: View, p: Given) -> list[Line]:
    """Entities by the number that a register holds for them, top n."""
    register = v.world.registers[p.text("register")]
    cells = v.cells(register.name)
    values = {key[0]: held for key, held in cells.items() if isinstance(held, int)}
    hint = v.world.types[register.on[0]].label
    lines = top(values, p.number("n"), f"present {register.label}", hint, register.scale)
    return [*lines, _settings(v, register)]


def _settings(v: View, register: Register) -> Line:
    """How many valid records set a register for whatever entity."""
    number = v.count(v.take(v.index.assignments(register.name)))
    return count("records", number, f"valid records that set {article(register.label)}")


def keyed(d: Draw, options: list[str] | None = None) -> str | None:
    """A register with a value for each entity of a type that records set."""
    registers = d.facts.world.registers
    used = [name for name, part in registers.items() if len(part.on) == 1]
    used = [n for n in used if d.index.assignments(n) and (options is None or n in options)]
    return d.near(used, [a.register for a in d.settings()])


def _keyed(d: Draw) -> Parameters | None:
    name = keyed(d)
    if name is None:
        return None
    return complete(register=name, n=d.places(d.facts.world.registers[name].on[0]))


@operator(
    "ranking/most-changes-of-value",
    needs=needs.keyed_registers,
    draw=_keyed,
    phrasings=(
        "Rank the top {n} {holders} by how often their {register} really changed.",
        "For which {n} {holders} did the {register} go from one value to another most often? Rank "
        "them.",
        "Count for all {holders} the changes of {register} to a different value, and rank the "
        "first {n}.",
    ),
    single=(
        "Which of the {holders} had their {register} change to a different value most often?",
        "Of all {holders}, which one's {register} really changed most often, and how often?",
    ),
    notes=(
        "Say also how many valid records set {a_register} in all.",
        "A change is a valid record that sets it to another value than it held until then, the "
        "start value included; setting the same value again is none.",
        IN_ORDER,
        HOLDERS,
        TIES,
    ),
)
def most_changes_of_value(v: View, p: Given) -> list[Line]:
    """Number of times that a register went to a different value by entity, top n."""
    register = v.world.registers[p.text("register")]
    kind = register.on[0]
    counts = dict.fromkeys(v.live(kind), 0)
    for key, course in stretches(v, register.name).items():
        if key[0] in counts:
            held = [value for _, value in course]
            counts[key[0]] = sum(a != b for a, b in pairwise(held))
    by = f"number of changes of {register.label}"
    lines = places(v, kind, counts, p.number("n"), by, kind_of=ClaimKind.COUNT)
    return [*lines, _settings(v, register)]


def _unstarted(facts: Facts) -> list[str]:
    """Countable registers that hold the same value for all at the start."""
    return [n for n in needs.countable(facts) if not facts.world.registers[n].starts]


def _in_state(d: Draw) -> Parameters | None:
    """A register and a value of it that none holds at the start."""
    registers = d.facts.world.registers
    usable = [name for name in _unstarted(d.facts) if d.index.assignments(name)]
    name = d.near(usable, [a.register for a in d.settings()])
    if name is None:
        return None
    source = d.reading.source
    rows = d.index.assignments(name)
    values: list[Value] = [r[3] for r in rows if source[r[0]] == r[1] and r[3] is not None]
    values = values or [r[3] for r in rows if r[3] is not None]
    rest = [x for x in dict.fromkeys(values) if x != registers[name].start]
    chosen = d.near(rest, [a.value for a in d.settings() if a.register == name])
    return complete(register=name, value=chosen, n=d.places(registers[name].on[0]))


@operator(
    "ranking/longest-in-state",
    needs=lambda f: bool(_unstarted(f)),
    draw=_in_state,
    phrasings=(
        "Rank the top {n} {holders} by the number of {block_nouns} at whose end their {register} "
        "was {value}.",
        "Which {n} {holders} had {value} as their {register} at the end of the most "
        "{block_nouns}? Rank them.",
        "At the end of how many {block_nouns} was {value} the {register}? Count it for all "
        "{holders} and rank the first {n}.",
    ),
    single=(
        "Which of the {holders} had {value} as their {register} at the end of the most "
        "{block_nouns}?",
        "At the end of how many {block_nouns} was {value} the {register}, and which of the "
        "{holders} has the most?",
    ),
    notes=(
        "Say also how many valid records set {a_register} in all.",
        TOOK_PLACE,
        "Judge all records as known at the end of the log.",
        HOLDERS,
        TIES,
    ),
)
def longest_in_state(v: View, p: Given) -> list[Line]:
    """Number of blocks at whose end a register holds a value by entity, top n."""
    register, wanted = v.world.registers[p.text("register")], p.text("value")
    kind = register.on[0]
    last = v.index.last_block
    idle = last if register.start == wanted else 0
    counts = dict.fromkeys(v.live(kind), idle)
    for key, held in register.starts.items():
        if key[0] in counts:
            counts[key[0]] = last if held == wanted else 0
    for key, course in stretches(v, register.name).items():
        if key[0] in counts:
            counts[key[0]] = blocks_held(course, wanted, last)
    by = f"number of {v.world.block} ends with {register.label} {wanted}"
    lines = places(v, kind, counts, p.number("n"), by, kind_of=ClaimKind.COUNT)
    return [*lines, _settings(v, register)]


def _list_and_places(d: Draw) -> Parameters | None:
    """A list, one that somebody is on where there is one."""
    given: Parameters | None = None
    for _ in range(3):
        given = name_list(d)
        if given is None:
            return None
        if View(d.index, d.reading).members(str(given["roster"]), Given(given).names("key")):
            break
    return None if given is None else {**given, "n": 3}


@operator(
    "ranking/longest-on-list",
    needs=needs.rosters,
    draw=_list_and_places,
    phrasings=(
        'Of those who are on the list "{roster}"{key_suffix} now, which {n} have been on it '
        "longest? Rank them.",
        'Rank the first {n} names on the list "{roster}"{key_suffix} as it stands at the end of '
        "the log, by when they came on it.",
        'In order of joining, which {n} names come first on the present list "{roster}"'
        "{key_suffix}?",
    ),
    notes=(
        "Say also how many are on it, and how many valid records brought a name on or off it.",
        "Those on it from the start come first, in the order of the system message; whoever left "
        "and came back counts from coming back. Ties go to the name that the record shows first.",
        IN_ORDER,
        "Answer none where nobody is left.",
    ),
)
def longest_on_list(v: View, p: Given) -> list[Line]:
    """Present members of a roster in the order of their joins in force, top n."""
    roster, key = v.world.rosters[p.text("roster")], p.names("key")
    members = v.members(roster.name, key)
    where = f"{roster.label}{about(v.world, key)}"
    lines: list[Line] = []
    for place in range(p.number("n")):
        ordinal = ORDINALS[place]
        name = members[place] if place < len(members) else None
        hint = v.world.types[roster.of].label
        lines.append(named(ordinal, name, f"{ordinal} on {where}", hint, ClaimKind.RANK))
    return [
        *lines,
        count("number", len(members), f"number of members of {where}"),
        count("changes", changes(v, roster.name, key), f"valid joins and leaves of {where}"),
    ]


def shared(facts: Facts) -> list[str]:
    """Countable registers with fewer values than there are names that may hold one."""
    types, found = facts.world.types, []
    for name in needs.countable(facts):
        register = facts.world.registers[name]
        holders = types[register.on[0]]
        values = register.symbols if register.type is None else types[register.type].names
        minted = register.type is not None and types[register.type].minted is not None
        several = holders.minted is not None or len(values) < len(holders.names)
        if several and not minted:
            found.append(name)
    return found


def filtered(facts: Facts) -> list[tuple[str, str]]:
    """(register, measure): registers whose values several hold, and a measure for the holders."""
    registers = facts.world.registers
    return [
        (name, measure)
        for name in shared(facts)
        for measure in facts.measured
        if registers[name].on[0] in facts.measured_types(measure)
    ]


def held_and_measured(d: Draw) -> Parameters | None:
    """A register, a value that several hold where there is one, and a measure that counts."""
    known = set(d.index.measures)
    pairs = [pair for pair in filtered(d.facts) if pair[1] in known]
    name = keyed(d, [pair[0] for pair in pairs])
    if name is None:
        return None
    cells = View(d.index, d.reading).cells(name)
    held = [value for value in cells.values() if value is not None]
    several = [value for value in dict.fromkeys(held) if held.count(value) > 1]
    focused = [a.value for a in d.settings() if a.register == name and a.value in held]
    measure = d.measure([measure for register, measure in pairs if register == name])
    return complete(
        register=name, value=d.near(several or list(dict.fromkeys(held)), focused), measure=measure
    )


def _among(d: Draw) -> Parameters | None:
    given = held_and_measured(d)
    return None if given is None else {**given, "n": 2}


@operator(
    "ranking/metric-among-holders",
    needs=lambda f: bool(filtered(f)),
    draw=_among,
    phrasings=(
        "Of the {holders} whose {register} is {value} at the end of the log, rank the top {n} by "
        "net change of {measure} over the whole log.",
        "Among the {holders} that have {value} as their {register} now, which {n} have the highest "
        "net {measure}? Rank them.",
        "Take only the {holders} whose present {register} is {value}, and rank the {n} with the "
        "highest net {measure}.",
    ),
    notes=(
        "Say also how many {holders} that is.",
        NOW,
        "The net change is that of all valid records, whatever their {register} was then.",
        "Those at zero are candidates; answer none where nobody is left.",
        TIES,
    ),
)
def metric_among_holders(v: View, p: Given) -> list[Line]:
    """Net change of a measure among the entities for which a register holds a value, top n."""
    register, wanted = v.world.registers[p.text("register")], p.text("value")
    kind, part = register.on[0], v.world.measures[p.text("measure")]
    holding = [key[0] for key, held in v.cells(register.name).items() if held == wanted]
    totals = ordered(v.net_by(kind, v.postings(part.name, kind)), holding)
    what = f"{v.world.types[kind].plural} whose {register.label} is {wanted}"
    by = f"net {part.label} among the {what}"
    lines = places(v, kind, totals, p.number("n"), by, part.scale)
    return [*lines, count("number", len(ranked(totals)), f"number of {what}")]
