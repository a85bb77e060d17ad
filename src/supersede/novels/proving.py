"""Whether another program has changed a project's file: the log must be sound, the tables its fold.

The tables that are read are kept up to date event by event. Who opens the file with a program of
their own can change them, or take the triggers off the log and change that. The first is mended by
`Store.rebuild`; the second can only be said.
"""

from __future__ import annotations

from collections.abc import Sequence

from supersede.errors import DataError
from supersede.novels.log import REDO, UNDO, Event, fold
from supersede.novels.store import REBUILD, Store, event_changed
from supersede.novels.tables import TABLES, checked

__all__ = ["prove", "prove_log"]


def prove(store: Store) -> int:
    """Makes sure that the log is sound, and that the tables are what it says; gives its length.

    Args:
        store: A project's file.

    Raises:
        DataError: Another program has changed one or the other.
    """
    with store.transaction(write=False):
        events = prove_log(store)
        said = fold(events)
        kept = {(kind, key): row for kind in TABLES for key, row in store.rows(kind)}
    places = said.keys() | kept.keys()
    odd = [place for place in places if said.get(place) != kept.get(place)]
    if odd:
        kind, key = min(odd, key=repr)
        raise DataError(
            f"{len(odd)} of {len(places)} rows are not what the log says, such as the {kind}"
            f" {'/'.join(map(str, key))}",
            where=str(store.path),
            mend=REBUILD,
        )
    return len(events)


def prove_log(store: Store) -> Sequence[Event]:
    """Makes sure that the log alone is sound, and gives it.

    Raises:
        DataError: Another program has changed it.
    """
    events = list(store.events())
    actions: set[str | int] = set()
    for place, event in enumerate(events, 1):
        if event.number != place:
            raise event_changed(store.path, place, "it is missing")
        if event.kind not in (UNDO, REDO):
            try:
                checked(event.kind, event.key, event.value)
            except DataError as error:
                raise event_changed(store.path, place, error.what) from None
            actions.add(event.action)
        elif len(event.key) != 1 or event.key[0] not in actions:
            raise event_changed(store.path, place, f"{event.kind} of what nobody did")
    return events
