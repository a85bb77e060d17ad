"""Replay: the state that the counting records of a history add up to."""

from __future__ import annotations

from collections.abc import Mapping

from supersede.model.record import Exclusion, History, Kind
from supersede.model.world import World
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
    ledger = Ledger(world, exclude=exclude, assume=assume, ignore=ignore)
    post = ledger.post
    for record in history.records:
        if cut is not None and record.block > cut:
            break
        post(record)
    return ledger
