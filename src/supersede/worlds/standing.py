"""By which roles a record stands on others: they name what another record made (R15, R16)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from supersede.model.identity import Same
from supersede.model.world import World


def standing_roles(world: World) -> dict[str, tuple[str, ...]]:
    """Event -> roles with a minted entity or with the id of a record (R15, R16)."""
    minted = {kind.name for kind in world.types.values() if kind.minted is not None}
    return {
        event.name: (
            *(role for role, kind in event.roles.items() if kind in minted),
            *(role for role, kind in event.lists.items() if kind in minted),
            *event.records,
        )
        for event in world.events.values()
    }


def plain_standing(world: World) -> Mapping[str | None, tuple[str, ...]]:
    """The same of the events in which each of these roles holds one name."""
    return _plain_standing(Same(world))


@lru_cache(maxsize=256)
def _plain_standing(same: Same[World]) -> Mapping[str | None, tuple[str, ...]]:
    world = same.value
    return {
        event: roles
        for event, roles in standing_roles(world).items()
        if not any(role in world.events[event].lists for role in roles)
    }
