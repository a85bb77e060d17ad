"""What operators need of a world, and the sentences that several of them close with."""

from __future__ import annotations

from supersede.questions.facts import Facts

TIES = "Ties go to the name listed first in the system message."
EARLIER = "Ties go to the earlier {block_noun}."
ZEROS = "All {types} are candidates, those at zero included."
NO_LEADER = "If all are at zero, answer none."
TOOK_PLACE = (
    "What matters is the {block_noun} {in_} which something took place, "
    "not the one {in_} which it was entered."
)
IN_ORDER = "Records are ordered by when they took place, not by when they were entered."
NOW = "The value now is the one set by the valid record that took place last."
ONE_PLACE = "Give one decimal place, half rounded away from zero."


def anything(_: Facts) -> bool:
    """Nothing: every world has measures and events."""
    return True


def entities(facts: Facts) -> bool:
    """Entities of a type with two or more, named by records."""
    return bool(facts.ranked)


def two_kinds(facts: Facts) -> bool:
    """Two entity types that records of one event name."""
    return any(
        len([k for k in facts.ranked if event in facts.naming[k]]) > 1
        for event in facts.world.events
    )


def measured(facts: Facts) -> bool:
    """A measure whose changes count for entities."""
    return bool(facts.measured)


def two_measures(facts: Facts) -> bool:
    """Two measures."""
    return len(facts.posted) > 1


def two_measured(facts: Facts) -> bool:
    """Two measures that count for entities of one type."""
    return bool(shared_kinds(facts))


def shared_kinds(facts: Facts) -> dict[str, list[str]]:
    """Entity type -> measures that count for it, where there are two or more."""
    kinds = {
        kind: [m for m in facts.measured if kind in facts.measured_types(m)]
        for kind in facts.world.types
    }
    return {kind: measures for kind, measures in kinds.items() if len(measures) > 1}


def two_events(facts: Facts) -> bool:
    """Two kinds of event."""
    return len(facts.world.events) > 1


def derived(facts: Facts) -> bool:
    """A derived measure with a value for each entity of a type."""
    return any(len(d.per) == 1 for d in facts.world.derived.values())


def registers(facts: Facts) -> bool:
    """A register."""
    return bool(facts.world.registers)


def keyed_registers(facts: Facts) -> bool:
    """A register with a value for each entity of a type."""
    return any(len(r.on) == 1 for r in facts.world.registers.values())


def countable_registers(facts: Facts) -> bool:
    """A register of symbols or entities with a value for each entity of a type."""
    return bool(countable(facts))


def countable(facts: Facts) -> list[str]:
    """Registers whose values can be counted over the entities that have one."""
    return [
        r.name
        for r in facts.world.registers.values()
        if len(r.on) == 1 and (r.symbols or r.type is not None)
    ]


def rosters(facts: Facts) -> bool:
    """A roster."""
    return bool(facts.world.rosters)


def statuses(facts: Facts) -> bool:
    """Status labels."""
    return len(facts.world.statuses) > 1


MOST_TALLIED = 6
"""The most values of a register that an answer is meant to count one by one."""


def holding_symbols(facts: Facts) -> list[str]:
    """Registers with a few symbols as values, and one for each entity of a type."""
    return [
        r.name
        for r in facts.world.registers.values()
        if len(r.on) == 1 and 1 < len(r.symbols) <= MOST_TALLIED
    ]


def symbol_registers(facts: Facts) -> bool:
    """A register with a few symbols as values, and one for each entity of a type."""
    return bool(holding_symbols(facts))


def minted(facts: Facts) -> bool:
    """A type whose entities records bring in."""
    return any(kind.minted is not None for kind in facts.world.types.values())


def standing(facts: Facts) -> bool:
    """Records that stand on others: by what those brought in, or by their ids."""
    return minted(facts) or any(event.records for event in facts.world.events.values())
