"""Replay: the state that the counting records of a history add up to."""

from __future__ import annotations

from collections.abc import Mapping

from supersede.model.record import Exclusion, History, Kind
from supersede.model.world import World
from supersede.worlds.exclusion import excludes
from supersede.worlds.ledger import Ledger


def replay(
    world: World,
    history: History,
    *,
    cut: int | None = None,
    exclude: Exclusion | None = None,
    assume: Mapping[str, bool] | None = None,
    ignore: frozenset[Kind] = frozenset(),
) -> Ledger:
    """The ledger after a history: literals are folded, no guard or parameter is evaluated (S4).

    Args:
        world: The world that the history belongs to.
        history: Records in posted order.
        cut: Keep only records posted in blocks 1 to `cut`, and judge from those alone (S6).
        exclude: Records that a counterfactual takes away (R25, R26).
        assume: Status labels taken to count, or not, from the start (R27).
        ignore: Control kinds that do nothing, as a careless reader would have it.
    """
    if exclude is not None and exclude.entities and _changes_roles(history):
        exclude = _by_id(replay(world, history, cut=cut, assume=assume), exclude)
    ledger = Ledger(world, exclude=exclude, assume=assume, ignore=ignore)
    post = ledger.post
    for record in history.records:
        if cut is not None and record.block > cut:
            break
        post(record)
    return ledger


def _changes_roles(history: History) -> bool:
    """Whether some amend changes a role: then roles in force decide an exclusion (R8, R25)."""
    roles = {record.id: record.roles for record in history.records}
    return any(
        record.kind is Kind.AMEND and roles.get(record.refs[0], record.roles) != record.roles
        for record in history.records
    )


def _by_id(ledger: Ledger, exclude: Exclusion) -> Exclusion:
    """The same exclusion as a set of records, by the roles in force at the end."""
    ids = tuple(
        record.id
        for i, record in enumerate(ledger.records)
        if excludes(exclude, record._replace(roles=ledger.roles(i)))
    )
    return Exclusion(ids=ids or ("",), dependants=exclude.dependants)
