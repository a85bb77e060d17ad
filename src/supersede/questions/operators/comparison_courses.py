"""Comparison & leader over time: leads that pass on, blocks won, lists and settings."""

from __future__ import annotations

from supersede.questions import needs
from supersede.questions.courses import steps
from supersede.questions.draw import MOST_LISTED, Draw, Parameters, complete
from supersede.questions.draws import measured_kind, name_list
from supersede.questions.forms import Line, count, leader, margin, named, names_set, winner_of_two
from supersede.questions.index import Row
from supersede.questions.needs import IN_ORDER, TOOK_PLACE
from supersede.questions.operators.comparison_pairs import measured_pair
from supersede.questions.operators.profile_state import changes
from supersede.questions.registry import Given, operator
from supersede.questions.view import View
from supersede.questions.wording import NONE, about, article, block_phrase


def _contested(d: Draw) -> Parameters | None:
    """Two entities between which the lead changes, where it does for one of a few drawn."""
    given: Parameters | None = None
    for _ in range(3):
        given = measured_pair(d) or given
        if given is not None and len(_leads(View(d.index, d.reading), Given(given))[0]) > 1:
            break
    return given


def _leads(v: View, p: Given) -> tuple[list[str], int]:
    """Who of two led, each time the lead was new, and the difference at the end."""
    names, measure = (p.text("entity"), p.text("entity2")), p.text("measure")
    rows: list[Row] = [row for name in names for row in v.postings(measure, entity=name)]
    level = dict.fromkeys(names, 0)
    leads: list[str] = []
    for _, changed in steps(v, rows):
        for name, delta in changed.items():
            level[name] = delta if v.reading.last_mention else level[name] + delta
        lead = level[names[0]] - level[names[1]]
        ahead = names[0] if lead > 0 else names[1]
        if lead and leads[-1:] != [ahead]:
            leads.append(ahead)
    return leads, level[names[0]] - level[names[1]]


@operator(
    "comparison/changes-of-lead",
    needs=needs.measured,
    draw=_contested,
    phrasings=(
        "How often did the lead in net {measure} pass from {entity} to {entity2} or back, who led "
        "first, and who leads now?",
        "Follow the net {measure} of {entity} and of {entity2} record by record: count the changes "
        "of lead between them, and name the first and the present leader.",
        "In the race of {entity} and {entity2} by net {measure}, how many times did the lead "
        "change hands? Name who was ahead first and who is ahead now.",
    ),
    notes=(
        "Both begin at 0. Look after each valid record. Whoever only draws level does not lead, "
        "and getting ahead again after being level is no change of hands.",
        "Say also by how much the present leader is ahead.",
        IN_ORDER,
        "If nobody ever led, the first is none; if they are equal now, answer tie.",
    ),
)
def changes_of_lead(v: View, p: Given) -> list[Line]:
    """How often the lead between two entities passed on, who led first and who leads."""
    names, part = (p.text("entity"), p.text("entity2")), v.world.measures[p.text("measure")]
    label = part.label
    leads, lead = _leads(v, p)
    first, text = leads[0] if leads else None, f"first to lead in net {label}"
    return [
        count("changes", max(0, len(leads) - 1), f"changes of the lead in net {label}"),
        named("first", first, text, "name or none", candidates=(*names, NONE)),
        winner_of_two("now", *names, lead, f"who leads net {label} now", "name"),
        margin("margin", abs(lead), f"present margin in net {label}", part.scale),
    ]


@operator(
    "comparison/blocks-ahead",
    needs=needs.measured,
    draw=measured_pair,
    phrasings=(
        "At the end of how many {block_nouns} was {entity} ahead of {entity2} in net {measure}, "
        "and at the end of how many was it the other way round?",
        "Compare the net {measure} of {entity} and {entity2} as it stood at the end of every "
        "{block_noun}: how often was each ahead?",
        "Count the {block_nouns} at whose end {entity} had more net {measure} than {entity2}, and "
        "those at whose end {entity2} had more. Which number is higher?",
    ),
    notes=(
        "The net change at the end of a {block_noun} is that of all valid records that took place "
        "up to then.",
        TOOK_PLACE,
        "A {block_noun} at whose end they are equal counts for neither. If the two numbers are "
        "equal, answer tie.",
    ),
)
def blocks_ahead(v: View, p: Given) -> list[Line]:
    """At the end of how many blocks each of two entities was ahead."""
    names, part = (p.text("entity"), p.text("entity2")), v.world.measures[p.text("measure")]
    last = v.index.last_block
    gained = [0] * (last + 2)
    for name, sign in zip(names, (1, -1), strict=True):
        rows = v.postings(part.name, entity=name)
        for row in rows[-1:] if v.reading.last_mention else rows:
            gained[min(v.block_of(row), last + 1)] += sign * row[2]
    level, ahead = 0, [0, 0]
    for change in gained[: last + 1]:
        level += change
        ahead[0] += level > 0
        ahead[1] += level < 0
    what = f"{v.world.block} ends with the higher net {part.label}"
    lines = [
        count(name, number, f"number of {what} for {name}")
        for name, number in zip(names, ahead, strict=True)
    ]
    lines.append(
        winner_of_two("more often", *names, ahead[0] - ahead[1], "more often ahead", "name")
    )
    return lines


@operator(
    "comparison/most-blocks-won",
    needs=needs.measured,
    draw=measured_kind,
    phrasings=(
        "Let every {block_noun} be won by the one of the {types} with the highest net {measure} "
        "{in_} it: who won most, and how many?",
        "Taking each {block_noun} by itself, which of the {types} has the highest net {measure} "
        "most often?",
        "Name for every {block_noun} the leader of the {types} by net {measure} {in_} it alone. "
        "Which of them leads the most {block_nouns}?",
    ),
    notes=(
        "Only those for whom a valid record changes it {in_} that {block_noun} can win it; without "
        "any, nobody does.",
        "Say also how many {block_nouns} are won in all.",
        TOOK_PLACE,
        "Ties go to the name listed first in the system message, within a {block_noun} and at the "
        "end. If none is won, answer none.",
    ),
)
def most_blocks_won(v: View, p: Given) -> list[Line]:
    """The entity that leads the most blocks, each taken by itself, by net change of a measure."""
    kind, part = p.text("type"), v.world.measures[p.text("measure")]
    nets: dict[int, dict[str, int]] = {}
    for row in v.postings(part.name, kind):
        if row[3] is not None:
            here = nets.setdefault(v.block_of(row), {})
            here[row[3]] = row[2] if v.reading.last_mention else here.get(row[3], 0) + row[2]
    names = v.index.entities(kind)
    rank = {name: -n for n, name in enumerate(names)}
    won = dict.fromkeys(names, 0)
    for here in nets.values():
        won[max(here, key=lambda name: (here[name], rank[name]))] += 1
    best = leader(won)
    label, what = v.world.types[kind].label, f"{v.world.block} by {v.world.block}"
    return [
        named("leader", best, f"most often first by net {part.label}, {what}", label),
        count("won", won.get(best or "", 0), f"number won by the leader by net {part.label}"),
        count("all", len(nets), f"number won by anyone by net {part.label}"),
    ]


def _list_then(d: Draw) -> Parameters | None:
    """A list and a block since which it has changed, where there is one, but not too much."""
    given: Parameters | None = None
    for latest in (False, False, True):
        drawn = name_list(d)
        if drawn is None:
            return None
        last = d.index.last_block
        drawn["block"] = max(1, last - 1) if latest else d.block()
        then, now = _members(View(d.index, d.reading), Given(drawn))
        changed = len(set(then) ^ set(now))
        if changed <= MOST_LISTED:
            given = drawn
        if 0 < changed <= MOST_LISTED:
            break
    return given


def _members(v: View, p: Given) -> tuple[list[str], list[str]]:
    """The members of a roster at the end of a block and at the end of the log."""
    roster, key = p.text("roster"), p.names("key")
    then = v.members(roster, key, v.window(1, p.number("block")))
    return then, v.members(roster, key)


@operator(
    "comparison/list-then-and-now",
    needs=needs.rosters,
    draw=_list_then,
    phrasings=(
        'Compare the list "{roster}"{key_suffix} at the end of {block} with that at the end of the '
        "log: who is on it now but was not then, and the other way round?",
        'Who has come on the list "{roster}"{key_suffix} since the end of {block} and is still '
        "there, and who was on it then but is not now?",
        'What differs between the list "{roster}"{key_suffix} as it stood at the end of {block} '
        "and as it stands now?",
    ),
    notes=(
        "Say also how many are on it both then and now; somebody who left and came back in between "
        "is one of those. Count as well the valid records that brought a name on or off it in the "
        "whole log.",
        TOOK_PLACE,
        "Judge all records as known at the end of the log.",
    ),
)
def list_then_and_now(v: View, p: Given) -> list[Line]:
    """Who is on a list at the end and was not at a block, and the other way round."""
    roster = v.world.rosters[p.text("roster")]
    then, now = _members(v, p)
    key = p.names("key")
    where = f"{roster.label}{about(v.world, key)}"
    since = block_phrase(v.world, p.number("block"))
    plural = v.world.types[roster.of].plural
    rank = {name: n for n, name in enumerate(v.index.entities(roster.of))}
    come = sorted(set(now) - set(then), key=lambda name: rank.get(name, 0))
    gone = sorted(set(then) - set(now), key=lambda name: rank.get(name, 0))
    return [
        names_set("new", come, f"on {where} now and not at the end of {since}", plural),
        names_set("gone", gone, f"on {where} at the end of {since} and not now", plural),
        count("both", len(set(then) & set(now)), f"on {where} at the end of {since} and now"),
        count("changes", changes(v, roster.name, key), f"valid joins and leaves of {where}"),
    ]


def _settings_then(d: Draw) -> Parameters | None:
    registers = d.facts.world.registers
    used = [name for name, part in registers.items() if len(part.on) == 1]
    used = [name for name in used if d.index.assignments(name)]
    return complete(register=d.near(used, [a.register for a in d.settings()]), block=d.block())


@operator(
    "comparison/settings-then-and-now",
    needs=needs.keyed_registers,
    draw=_settings_then,
    phrasings=(
        "For how many {holders} is the {register} at the end of the log different from what it was "
        "at the end of {block}, and for how many is it the same?",
        "Compare the {register} of all {holders} at the end of {block} with that now: how many "
        "differ, and how many do not?",
        "How many {holders} have a different {register} now from the one at the end of {block}, "
        "and how many have the same?",
    ),
    notes=(
        "Before anything sets it, it holds its start value, or is unset where there is none; that "
        "goes for {holders} brought in later as well.",
        "Say also how many valid records set {a_register} in the whole log.",
        TOOK_PLACE,
        "Judge all records as known at the end of the log.",
    ),
)
def settings_then_and_now(v: View, p: Given) -> list[Line]:
    """For how many entities a register holds another value at the end than at a block."""
    register, number = v.world.registers[p.text("register")], p.number("block")
    now = v.cells(register.name)
    then = v.cells(register.name, v.window(1, number))
    differ = sum(held != then[key] for key, held in now.items())
    records = v.count(v.take(v.index.assignments(register.name)))
    since = f"{register.label} at the end of {block_phrase(v.world, number)}"
    plural = v.world.types[register.on[0]].plural
    return [
        count("different", differ, f"{plural} with another {since}"),
        count("same", len(now) - differ, f"{plural} with the same {since}"),
        count("records", records, f"valid records that set {article(register.label)}"),
    ]
