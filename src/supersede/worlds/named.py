"""What a record names."""

from __future__ import annotations

from supersede.model.record import Record


def named(record: Record) -> list[str]:
    """What a record names: who has a role in it, then who stands in one of its changes.

    A name may come more than once; ids and symbols, which are no names, come as well.
    """
    found: list[str] = []
    for value in record[8].values():
        if isinstance(value, str):
            found.append(value)
        else:
            found += value
    for mint in record[14]:
        found.append(mint[0])
    for posting in record[11]:
        found += posting[2]
    for _, key, assigned in record[12]:
        found += key
        if isinstance(assigned, str):
            found.append(assigned)
    for _, key, member, _ in record[13]:
        found += key
        found.append(member)
    return found


def names(record: Record, entity: str) -> bool:
    """Whether a record names an entity."""
    return entity in named(record)
