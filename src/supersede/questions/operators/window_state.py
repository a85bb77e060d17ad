"""Window & range: how things stood at the end of a block, and what belongs to a stretch."""

from __future__ import annotations

from supersede.model.record import Kind
from supersede.questions import needs
from supersede.questions.draw import MOST_LISTED, Draw, Parameters, complete
from supersede.questions.draws import cell, name_list
from supersede.questions.forms import (
    Line,
    count,
    latest_record,
    names_set,
    record_ids,
    state,
)
from supersede.questions.needs import (
    IN_ORDER,
    TOOK_PLACE,
)
from supersede.questions.operators.profile_state import changes
from supersede.questions.operators.window import plain_window, scope_of
from supersede.questions.registry import Given, operator
from supersede.questions.view import View
from supersede.questions.wording import about, block_phrase


def _then(d: Draw, given: Parameters | None) -> Parameters | None:
    """The same at the end of a block."""
    return None if given is None else {**given, "block": d.block()}


@operator(
    "window/register-as-of-block",
    needs=needs.registers,
    draw=lambda d: _then(d, cell(d)),
    phrasings=(
        "Give the {register}{key_suffix} at the end of {block}, as is known now.",
        "Going by all valid records up to the end of {block}, give the {register}{key_suffix} and "
        "the record that set it.",
        "Look back to the end of {block}: which {register}{key_suffix} was in force then?",
    ),
    notes=("Say also how many valid records had set it by then.", TOOK_PLACE, IN_ORDER,
           "Judge all records as known at the end of the log.",
           "If no record has set it by then, answer none for the record."),
)  # fmt: skip
def register_as_of_block(v: View, p: Given) -> list[Line]:
    """The value of a register cell at the end of a block, and the record behind it."""
    register, key = v.world.registers[p.text("register")], p.names("key")
    block = p.number("block")
    rows = [row for row in v.index.assignments(register.name) if row[2] == key]
    row = v.latest(rows, v.window(1, block))
    start = register.starts.get(key, register.start)
    what = f"{register.label}{about(v.world, key)} at the end of {block_phrase(v.world, block)}"
    return [
        state("value", start if row is None else row[3], what, register, v.world.block),
        latest_record("set by", None if row is None else v.record(row[0]).id, f"what set {what}"),
        count("times", v.count(v.take(rows, v.window(1, block))), f"valid records that set {what}"),
    ]


def _named_in_window(d: Draw) -> Parameters | None:
    kind = d.kind()
    if kind is None or len(d.index.entities(kind)) > 3 * MOST_LISTED:
        return None
    first, last = d.window()
    return complete(type=kind, event=d.event(d.facts.naming[kind]), first=first, last=last)


@operator(
    "window/entities-named",
    needs=needs.entities,
    draw=_named_in_window,
    phrasings=(
        "Which {types} are named in valid {events} of {window}?",
        "List the {types} with a valid {event} {in_window}, and their number.",
        "{In_window}, which {types} appear in at least one valid {event}?",
    ),
    notes=("Say also how many valid {events} there are {in_window}.", TOOK_PLACE),
)
def entities_named(v: View, p: Given) -> list[Line]:
    """The entities that an event's valid records name in a window."""
    scope, phrase = scope_of(v, p)
    kind, event = p.text("type"), v.world.events[p.text("event")]
    rows = v.named(kind, event.name, scope)
    number = v.count(v.records(event.name, scope=scope))
    if v.reading.last_mention:
        rows = rows[-1:]
    met = {row[2] for row in rows}
    names = [name for name in v.index.entities(kind) if name in met]
    types = v.world.types[kind].plural
    what = f"{types} in valid {event.plural} of {phrase}"
    return [
        names_set("names", names, what, types),
        count("number", len(names), f"number of {what}"),
        count("records", number, f"valid {event.plural} of {phrase}"),
    ]


@operator(
    "window/late-entries",
    needs=needs.anything,
    draw=plain_window,
    phrasings=(
        "Which valid records took place {in_window} but were entered {in_} a later {block_noun}?",
        "List the valid late entries that belong to {window}, and give the number of all valid "
        "records of that stretch.",
        "Of the valid records of {window}, which were logged late?",
    ),
    notes=("A late entry counts for the {block_noun} to which it belongs.",),
)
def late_entries(v: View, p: Given) -> list[Line]:
    """Valid records of a window that were posted in a later block, and all of the window."""
    scope, phrase = scope_of(v, p)
    records = v.index.records
    rows = v.records(scope=scope)
    late = [] if v.blocks is v.index.posted else [
        row[0] for row in rows if records[row[0]].kind is Kind.BACKFILL
    ]  # fmt: skip
    return [
        record_ids("late", v.ids(sorted(late)), f"valid late entries of {phrase}"),
        count("records", v.count(rows), f"valid records of {phrase}"),
    ]


@operator(
    "window/roster-as-of-block",
    needs=needs.rosters,
    draw=lambda d: _then(d, name_list(d)),
    phrasings=(
        'Who was on the list "{roster}"{key_suffix} at the end of {block}, as is known now?',
        'By valid joins and leaves up to {block}, who was on the list "{roster}"{key_suffix}?',
        'Look back to the end of {block}: name everyone on the list "{roster}"{key_suffix}.',
    ),
    notes=(
        "Say also how many valid records had brought a name on or off that list by then.",
        TOOK_PLACE,
        "Judge all records as known at the end of the log.",
    ),
)
def roster_as_of_block(v: View, p: Given) -> list[Line]:
    """The members of a roster at the end of a block."""
    roster, key, block = v.world.rosters[p.text("roster")], p.names("key"), p.number("block")
    scope = v.window(1, block)
    members = v.members(roster.name, key, scope)
    what = f"{roster.label}{about(v.world, key)} at the end of {block_phrase(v.world, block)}"
    return [
        names_set("members", members, f"members of {what}", v.world.types[roster.of].plural),
        count("number", len(members), f"number of members of {what}"),
        count("changes", changes(v, roster.name, key, scope), f"valid joins and leaves of {what}"),
    ]
