"""Emits on what a new record stands (R15, R16), and what later draws need to know of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from supersede.specs.roles import Role
from supersede.specs.schema import Event, Specification


@dataclass(frozen=True, slots=True)
class Standing:
    """What an event's function does about the records on which a new one stands."""

    found: tuple[str, ...]
    """Lines that look them up by what the roles name."""
    tests: tuple[str, ...]
    """Whether each of them counts."""
    noted: tuple[str, ...]
    """Lines that note the new record, at `position`, with them."""


def standing_of(spec: Specification, roles: Sequence[Role], named: Sequence[str]) -> Standing:
    """How a record of an event stands on others.

    Args:
        spec: The specification.
        roles: The roles of the event.
        named: Those that may name what another record made; each holds one name.
    """
    found: list[str] = []
    tests: list[str] = []
    noted: list[str] = []
    for n, role in enumerate(role for role in roles if role.name in named):
        note = f"dependants.setdefault(q_{n}, []).append(position)"
        if role.how == "minted":
            noted.append(f"minter[r_{role.name}] = position")
        elif role.how != "record":
            found.append(f"q_{n} = minter.get(r_{role.name})")
            tests.append(f"(q_{n} is None or valid[q_{n}])")
            noted.append(f"if q_{n} is not None: {note}")
        elif _cascades(spec, role.type.removeprefix("record ")):
            found.append(f"q_{n} = positions[r_{role.name}]")
            tests.append(f"valid[q_{n}]")
            noted.append(note)
    return Standing(tuple(found), tuple(tests), tuple(noted))


def _cascades(spec: Specification, event: str) -> bool:
    """Whether what stands on a record of an event goes when it goes."""
    return any(e.voidable == "cascade" for e in spec.events if e.id == event)


def tracking_lines(event: Event, roles: Sequence[Role], is_named: bool) -> list[str]:
    """Lines that keep track of a new record, at `position`, that counts or not.

    Args:
        event: The event.
        roles: Its roles.
        is_named: Whether some event has a record of this one in a role.
    """
    lines = [f"by_event.setdefault({event.id!r}, []).append(position)"] if is_named else []
    for role in roles:
        if role.how == "record":
            lines.append(f"naming.setdefault(r_{role.name}, []).append(position)")
        elif role.how == "minted":
            lines.append(f"numbers[{role.type!r}] += 1")
    return lines
