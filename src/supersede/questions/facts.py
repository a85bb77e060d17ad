"""What questions know of a world before they see a history: who can be asked about what.

Computed once per world and kept, since a corpus asks many histories of one world.
"""

from __future__ import annotations

import re

from supersede.model.world import EventType, World
from supersede.specs.schema import Specification
from supersede.worlds.standing import standing_roles

_ATTRIBUTE_SLOT = re.compile(r"\{\w+\.(\w+)\}")
_KEPT = 512


class Facts:
    """The types, events and measures of a world by what can be asked of them.

    Attributes:
        world: The world.
        type_of: Name of an entity that the specification names -> its type.
        naming: Entity type -> events whose records name an entity of it, as far as their roles,
            measures and registers say.
        posted: Measure -> entity types that its changes count for; a type of which some event that
            changes it has two roles is left out, since a line may show one name for both.
        standing_roles: Event -> roles by which its records stand on others (R15, R16); None where
            no event has any.
        told: Events of which a record names nothing but what has a role in it, one name each.
        hidden: Types whose names also appear in lines as attributes of something else, so that
            "records that name it" would be ambiguous in the text.
    """

    def __init__(self, world: World, hidden: frozenset[str] = frozenset()) -> None:
        self.world = world
        self.hidden = hidden
        self.type_of = {name: t.name for t in world.types.values() for name in t.names}
        self.told = frozenset(event.name for event in world.events.values() if event.told)
        self.naming: dict[str, list[str]] = {}
        self.posted: dict[str, list[str]] = {}
        doubled: set[tuple[str, str]] = set()
        for event in world.events.values():
            single = list(event.roles.values())
            printed = {*single, *event.lists.values(), *_changed(world, event)}
            for name in world.types:
                if name in printed:
                    self.naming.setdefault(name, []).append(event.name)
            for measure in event.measures:
                types = self.posted.setdefault(measure, [])
                for name in (*world.measures[measure].per, *single):
                    alone = single.count(name) == 1 or name in world.measures[measure].per
                    if not alone:
                        doubled.add((measure, name))
                    elif name not in types:
                        types.append(name)
        self.posted = {
            measure: [name for name in types if (measure, name) not in doubled]
            for measure, types in self.posted.items()
        }
        standing = standing_roles(world)
        self.standing_roles = standing if any(standing.values()) else None
        self.ranked = tuple(t for t in self.naming if self._many(t))
        """Types with at least two entities that records name unambiguously."""
        self.measured = tuple(m for m in self.posted if self.measured_types(m))
        """Measures whose changes count for entities of a type with at least two."""

    def _many(self, name: str) -> bool:
        declared = self.world.types[name]
        return name not in self.hidden and (len(declared.names) > 1 or declared.minted is not None)

    def measured_types(self, measure: str) -> list[str]:
        """Entity types by which a measure can be broken down."""
        types = self.world.types
        return [
            t for t in self.posted.get(measure, ()) if len(types[t].names) > 1 or types[t].minted
        ]


def _changed(world: World, event: EventType) -> set[str]:
    """Entity types that stand in the changes of an event's measures and registers."""
    registers = [world.registers[name] for name in event.registers]
    return {
        *(name for measure in event.measures for name in world.measures[measure].per),
        *(name for register in registers for name in register.on),
        *(register.type for register in registers if register.type is not None),
    }


_kept: dict[tuple[int, int], tuple[World, Specification | None, Facts]] = {}


def facts_of(world: World, spec: Specification | None = None) -> Facts:
    """The facts of a world, computed once per world object and specification."""
    key = (id(world), id(spec))
    found = _kept.get(key)
    if found is None or found[0] is not world or found[1] is not spec:
        if len(_kept) >= _KEPT:
            _kept.clear()
        found = (world, spec, Facts(world, _hidden_types(world, spec)))
        _kept[key] = found
    return found[2]


def _hidden_types(world: World, spec: Specification | None) -> frozenset[str]:
    """Types whose names the phrasings of a specification also print as attributes."""
    if spec is None:
        return frozenset()
    slots = {
        slot
        for event in spec.events
        for phrasing in event.phrasings
        for slot in _ATTRIBUTE_SLOT.findall(phrasing)
    }
    names = {name: t.name for t in world.types.values() for name in t.names}
    hidden: set[str] = set()
    for part in spec.entities.values():
        for attribute, declared in part.attributes.items():
            if attribute not in slots:
                continue
            if isinstance(declared, str):
                hidden.add(declared)
            elif isinstance(declared, tuple):
                hidden.update(names[v] for v in declared if isinstance(v, str) and v in names)
    return frozenset(hidden)
