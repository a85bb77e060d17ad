"""Window & range by records: the last few, those between two, those entered in a stretch."""

from __future__ import annotations

from bisect import bisect_left

from supersede.model.record import Record
from supersede.questions import needs
from supersede.questions.controls import BACKFILL, ENTRY
from supersede.questions.draw import MOST_LISTED, Draw, Parameters, complete
from supersede.questions.draws import windowed_measure
from supersede.questions.forms import Line, count, latest_record, names_set, value
from supersede.questions.needs import IN_ORDER, TOOK_PLACE
from supersede.questions.registry import Given, operator
from supersede.questions.view import View
from supersede.questions.wording import block_phrase, window_phrase


def _last_few(d: Draw) -> Parameters | None:
    """Fewer than all valid records, so many that a misread one is close to the first of them."""
    source, order, records = d.reading.source, d.index.order, d.index.records
    valid = sorted([i for i in d.index.validity.entries if source[i] >= 0], key=order.__getitem__)
    if len(valid) < 3:
        return None
    n = d.number(max(2, min(4, len(valid) - 1)), min(10, len(valid) - 1))
    moments = [order[i] for i in valid]
    aims = [*d.misread] if d.focus is None else [d.focus.position, *d.misread]
    reach = [len(valid) - bisect_left(moments, order[i]) for i in aims if records[i].event]
    near = [number for number in reach if 0 < number <= _MOST_LAST]
    if near:
        n = max(2, min(near[0] + d.number(0, 2), len(valid) - 1))
    changed = [x.measure for i in valid[-n:] for x in records[source[i]].postings]
    return complete(n=n, measure=d.near(d.index.measures, changed))


_MOST_LAST = 18
"""The most records from the end on that are asked about on account of a misread one."""


@operator(
    "window/last-few-records",
    needs=needs.anything,
    draw=_last_few,
    phrasings=(
        "Take only the last {n} valid records: what is their net change of {measure}, and which of "
        "them took place first?",
        "Over the {n} valid records that took place last, what is the net {measure}, and with "
        "which record do they begin?",
        "What do the most recent {n} valid records add to {measure} on balance, and which record "
        "is the earliest among them?",
    ),
    notes=("Records of all kinds are meant.", IN_ORDER, "If there are fewer, take all of them."),
)
def last_few_records(v: View, p: Given) -> list[Line]:
    """The net change of a measure over the last few valid records."""
    part, n = v.world.measures[p.text("measure")], p.number("n")
    rows = v.last(v.index.contents(), n)
    chosen = {(row[0], row[1]) for row in rows}
    posted = [row for row in v.index.postings(part.name) if (row[0], row[1]) in chosen]
    what = f"the last {n} valid records"
    return [
        value("net", v.net(v.take(posted)), f"net {part.label} of {what}", part.scale),
        latest_record("first", v.record(rows[0][0]).id if rows else None, f"first of {what}"),
    ]


def _between(d: Draw) -> Parameters | None:
    """Two entries, with a few others or the focus between them."""
    records, order = d.index.records, d.index.order
    line = sorted(d.index.validity.entries, key=order.__getitem__)
    if len(line) < 4:
        return None
    focus = d.focus
    at = line.index(focus.position) if focus is not None and focus.position in line else None
    at = d.number(1, len(line) - 2) if at is None else min(max(1, at), len(line) - 2)
    reach = max(3, len(line) // 3)
    before = [i for i in line[max(0, at - reach) : at] if _plain(records[i])]
    after = [i for i in line[at + 1 : at + 1 + reach] if _plain(records[i])]
    first, last = d.pick(before), d.pick(after)
    if first is None or last is None:
        return None
    return complete(measure=d.measure(), record=records[first].id, record2=records[last].id)


def _plain(record: Record) -> bool:
    return record.kind is ENTRY


@operator(
    "window/between-two-records",
    needs=needs.anything,
    draw=_between,
    phrasings=(
        "How many valid records took place after {record} and before {record2}, and what is their "
        "net change of {measure}?",
        "Between {record} and {record2}, how many valid records are there, and by how much do they "
        "change {measure} on balance?",
        "Count the valid records that took place between {record} and {record2}, and add up their "
        "changes of {measure}.",
    ),
    notes=(IN_ORDER, "{record} and {record2} themselves are not included."),
)
def between_two_records(v: View, p: Given) -> list[Line]:
    """Number and net change of the valid records between two records."""
    part, ends = v.world.measures[p.text("measure")], (p.text("record"), p.text("record2"))
    first, last = (v.find(name) for name in ends)
    order = v.order
    low, high = (0, -1) if first is None or last is None else (order[first], order[last])
    rows = [row for row in v.index.contents() if low < order[row[0]] < high]
    posted = [row for row in v.index.postings(part.name) if low < order[row[0]] < high]
    what = f"between {ends[0]} and {ends[1]}"
    return [
        count("records", v.count(v.take(rows)), f"valid records {what}"),
        value("net", v.net(v.take(posted)), f"net {part.label} {what}", part.scale),
    ]


@operator(
    "window/entered-in-window",
    needs=needs.anything,
    draw=windowed_measure,
    phrasings=(
        "Of what was entered {in_window}, whenever it took place, how many records are valid, how "
        "many of these took place earlier than the {block_noun} of entry, and what is the net "
        "{measure} of all?",
        "Go by entry: how many valid records were entered {in_window}, how many of them late, and "
        "with what net change of {measure}?",
        "Count the valid records that were entered {in_window}, then the late ones among them, and "
        "add up the changes of {measure} in all of these records.",
    ),
    notes=(
        "Here a late entry belongs to the {block_noun} {in_} which it was entered.",
        "Judge all records as known at the end of the log.",
    ),
)
def entered_in_window(v: View, p: Given) -> list[Line]:
    """Number, late ones and net change of the valid records that were entered in a window."""
    part, posted = v.world.measures[p.text("measure")], v.index.posted
    first, last = p.number("first"), p.number("last")
    phrase = window_phrase(v.world, first, last)
    rows = v.take([row for row in v.index.contents() if first <= posted[row[0]] <= last])
    changes = [r for r in v.index.postings(part.name) if first <= posted[r[0]] <= last]
    records = v.index.records
    late = [] if v.blocks is posted else [row for row in rows if records[row[0]][6] is BACKFILL]
    return [
        count("records", v.count(rows), f"valid records entered within {phrase}"),
        count("late", v.count(late), f"late ones among them, entered within {phrase}"),
        value("net", v.net(v.take(changes)), f"net {part.label} entered within {phrase}",
              part.scale),
    ]  # fmt: skip


def _new(d: Draw) -> Parameters | None:
    kind = d.kind()
    last = d.index.last_block
    if kind is None or last < 2:
        return None
    first, final = d.window()
    first = max(2, first)
    final = max(first, final)
    blocks, source = d.index.occurred, d.reading.source
    seen: dict[str, int] = {}
    for e, s, name in d.index.named(kind):
        if source[e] == s:
            seen[name] = min(seen.get(name, last), blocks[e])
    new = [name for name, block in seen.items() if first <= block <= final]
    return complete(type=kind, first=first, last=final) if len(new) <= MOST_LISTED else None


@operator(
    "window/newcomers",
    needs=needs.entities,
    draw=_new,
    phrasings=(
        "Which {types} are named in a valid record {in_window} for the first time?",
        "Who or what is new among the {types} {in_window}: named in a valid record there, but in "
        "none that took place before?",
        "List the {types} whose first valid record took place {in_window}, and their number.",
    ),
    notes=(
        "Say also how many {types} are named {in_window} that had been named before, and how many "
        "valid records {in_window} name any of the {types}.",
        TOOK_PLACE,
    ),
)
def newcomers(v: View, p: Given) -> list[Line]:
    """The entities whose first valid record took place in a window, and how many came back."""
    kind, first, last = p.text("type"), p.number("first"), p.number("last")
    rows = v.heard(v.named(kind, scope=v.window(1, last)))
    before = {row[2] for row in rows if v.block_of(row) < first}
    within = {row[2] for row in rows if v.block_of(row) >= first}
    names = [name for name in v.index.entities(kind) if name in within and name not in before]
    types, phrase = v.world.types[kind].plural, window_phrase(v.world, first, last)
    return [
        names_set("new", names, f"{types} first named within {phrase}", types),
        count("number", len(names), f"number of {types} first named within {phrase}"),
        count("back", len(within & before),
              f"{types} named within {phrase} and before {block_phrase(v.world, first)}"),
        count("records", v.count([row for row in rows if v.block_of(row) >= first]),
              f"valid records of {phrase} that name any of the {types}"),
    ]  # fmt: skip
