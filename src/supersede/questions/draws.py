"""Parameters that several operators draw, by what they are about."""

from __future__ import annotations

from collections.abc import Sequence

from supersede.questions.draw import Draw, Parameters, complete


def windowed_measure(d: Draw) -> Parameters | None:
    """A measure, and a window of blocks."""
    first, last = d.window()
    return complete(measure=d.measure(), first=first, last=last)


def measured_kind(d: Draw, options: Sequence[str] | None = None) -> Parameters | None:
    """A measure, and an entity type for whose entities valid changes count, if any do.

    Args:
        d: The draw.
        options: The measures to choose from where the history changes one of them.
    """
    known = [m for m in d.facts.measured if options is None or m in options]
    source = d.reading.source
    given: Parameters | None = None
    for _ in range(3):
        measure = d.measure(known) or d.measure(d.facts.measured)
        kind = d.measured_kind(measure)
        given = complete(measure=measure, type=kind) or given
        if measure is not None and kind is not None:
            rows = d.index.postings(measure, kind)
            if any(row[3] is not None and source[row[0]] == row[1] for row in rows):
                break
    return given


def ranked_kind(d: Draw, options: Sequence[str] | None = None) -> Parameters | None:
    """The same with the number of places to rank."""
    given = measured_kind(d, options)
    return None if given is None else {**given, "n": d.places(str(given["type"]))}


def two_windows(d: Draw) -> Parameters | None:
    """Two windows of blocks, the second right behind the first; None where there is one block."""
    last = d.index.last_block
    if last < 2:
        return None
    middle = min(max(1, d.start() - 1), last - 1)
    reach = max(1, last // 3)
    first = max(1, middle - d.number(0, reach - 1))
    second = min(last, middle + 1 + d.number(0, reach - 1))
    return complete(first=first, last=middle, first2=middle + 1, last2=second)


def goes_down(d: Draw, options: Sequence[str] | None = None) -> list[str]:
    """Measures that some record takes down, so that a level need not be highest at its end."""
    known = [m for m in d.index.measures if options is None or m in options]
    return [m for m in known if any(row[2] < 0 for row in d.index.postings(m))]


def measured_entity(d: Draw, *, falling: bool = False) -> Parameters | None:
    """A measure, and an entity for which a record changes it.

    Args:
        d: The draw.
        falling: Whether a measure that goes down as well is preferred.
    """
    down = goes_down(d, d.facts.measured) if falling else []
    measure = d.measure(down or d.facts.measured)
    kind = d.measured_kind(measure)
    if measure is None or kind is None:
        return None
    touched = [r[3] for r in d.index.postings(measure, kind) if r[3] is not None]
    entity = d.near(list(dict.fromkeys(touched)), d.focus_names(kind))
    return complete(measure=measure, entity=entity)


def other_kind(d: Draw, kind: str) -> str | None:
    """An entity type that records name together with another one."""
    naming = d.facts.naming
    others = [k for k in d.facts.ranked if k != kind and set(naming[k]) & set(naming[kind])]
    return d.kind(others)


def cell(d: Draw) -> Parameters | None:
    """A register that records set, and a key of it that one sets."""
    used = [name for name in d.facts.world.registers if d.index.assignments(name)]
    name = d.near(used, [a.register for a in d.settings()])
    if name is None:
        return None
    keys = list(dict.fromkeys(row[2] for row in d.index.assignments(name)))
    return complete(register=name, key=d.near(keys, [a.key for a in d.settings()]))


def name_list(d: Draw, most: int | None = None) -> Parameters | None:
    """A roster that records change, and a key of it that one changes.

    Args:
        d: The draw.
        most: The most entities that there may be to stand on it.
    """
    rosters = d.facts.world.rosters
    used = [name for name in rosters if d.index.memberships(name)]
    if most is not None:
        used = [name for name in used if len(d.index.entities(rosters[name].of)) <= most]
    name = d.near(used, [m.roster for m in d.joins()])
    if name is None:
        return None
    keys = list(dict.fromkeys(row[2] for row in d.index.memberships(name)))
    return complete(roster=name, key=d.near(keys, [m.key for m in d.joins()]))
