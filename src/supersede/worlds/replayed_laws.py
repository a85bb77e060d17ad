"""Bounds and invariants of a replayed history: what sampling saw to, seen once more (S7)."""

from __future__ import annotations

from supersede.specs.schema import Specification
from supersede.worlds.lawful import Laws
from supersede.worlds.ledger import Ledger
from supersede.worlds.program import checks_over, compile_specification
from supersede.worlds.sample import Now


def broken_law(spec: Specification, ledger: Ledger, block: int) -> str | None:
    """The name of a bound or invariant that does not hold after a replay; else None.

    All cells are looked at, whatever led to what they hold.

    Args:
        spec: The specification of the history.
        ledger: The ledger that has replayed it.
        block: The last block of the history.
    """
    functions = checks_over(spec, ledger.state, Now(block))
    return Laws(compile_specification(spec), ledger.state, functions).broken()
