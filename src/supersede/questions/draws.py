"""Parameters that several operators draw, by what they are about."""

from __future__ import annotations

from supersede.questions.draw import Draw, Parameters, complete


def windowed_measure(d: Draw) -> Parameters | None:
    """A measure, and a window of blocks."""
    first, last = d.window()
    return complete(measure=d.measure(), first=first, last=last)


def measured_entity(d: Draw) -> Parameters | None:
    """A measure, and an entity for which a record changes it."""
    measure = d.measure(d.facts.measured)
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
