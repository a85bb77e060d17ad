"""Which records a counterfactual takes away itself."""

from __future__ import annotations

from collections.abc import Sequence

from supersede.model.record import ENTRY_KINDS, REPOST, Exclusion, Record, RoleValue


def excludes(rule: Exclusion, record: Record) -> bool:
    """Whether an exclusion takes a record away, whatever stands on it (R25)."""
    if rule.ids and record.id not in rule.ids:
        return False
    if not (rule.entities or rule.events or rule.statuses):
        return bool(rule.ids)
    if record.kind not in ENTRY_KINDS and record.kind is not REPOST:
        return False
    return (
        (not rule.entities or _holds(record.roles.get(rule.role or "actor", ()), rule.entities))
        and (not rule.events or record.event in rule.events)
        and (not rule.statuses or record.status in rule.statuses)
    )


def _holds(value: RoleValue, entities: Sequence[str]) -> bool:
    if isinstance(value, str):
        return value in entities
    return any(name in entities for name in value)
