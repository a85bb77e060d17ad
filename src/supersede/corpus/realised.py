"""How difficult a finished history is: what came of the dials that it was sampled with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from operator import itemgetter, ne

from supersede.model.record import (
    AMEND,
    BACKFILL,
    CONFIRM,
    CORRECT,
    ENTRY_KINDS,
    REINSTATE,
    REPOST,
    RULE,
    VOID,
    History,
    RoleValue,
)
from supersede.worlds.ledger import Ledger


def realised(history: History, ledger: Ledger, asked: int) -> dict[str, float]:
    """Difficulty as measured on a finished history, named like the dials.

    Returns:
        Rates as S3 defines them, rounded to four places; `distance` is the mean number of
        blocks between a backfill and the block in which it took place, `interleaving` the share
        of neighbouring entries whose first drawn entities differ.
    """
    records = history.records
    kinds = Counter([record[6] for record in records])
    late = sum(map(itemgetter(1), records)) - sum(map(itemgetter(3), records))
    focuses = [_focus(record[8]) for record in records if record[8]]
    turned = sum(map(ne, focuses, focuses[1:]))
    logged = sum(kinds[kind] for kind in (*ENTRY_KINDS, REPOST))
    entries = logged or 1
    total = len(records) or 1
    backfills = kinds[BACKFILL]
    return {
        "blocks": history.blocks,
        "events": len(records),
        "entries": entries,
        "invalid": round((logged - sum(ledger.counts)) / entries, 4),
        "backfill": round(backfills / entries, 4),
        "distance": round(late / backfills, 2) if backfills else 0.0,
        "void": round(kinds[VOID] / total, 4),
        "correct": round(kinds[CORRECT] / total, 4),
        "amend": round(kinds[AMEND] / total, 4),
        "confirm": round(kinds[CONFIRM] / total, 4),
        "reinstate": round(kinds[REINSTATE] / total, 4),
        "repost": round(kinds[REPOST] / entries, 4),
        "rules": kinds[RULE],
        "noise": round(len(history.noise) / total, 4),
        "interleaving": round(turned / (len(focuses) - 1), 4) if len(focuses) > 1 else 0.0,
        "intermediate": asked,
    }


def _focus(roles: Mapping[str, RoleValue]) -> RoleValue | None:
    """The entity that a record is about: its target, else what its first role names."""
    target = roles.get("target")
    if target:
        return target
    for first in roles.values():
        return first
    return None
