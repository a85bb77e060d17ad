"""What is settled before the first record: sizes of blocks, rule changes, labels, questions."""

from __future__ import annotations

from dataclasses import dataclass

from supersede.specs.schema import Specification
from supersede.worlds.streams import Draw, between, pick, rounded
from supersede.worlds.tiers import Dials

_SPREAD = 0.35
"""Blocks hold between 65 % and 135 % of the mean."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of one history; it depends on the plot's dials only."""

    sizes: tuple[int, ...]
    """Plot records per block."""
    rules: tuple[tuple[int, ...], ...]
    """Rules of the specification that each block announces first, by number."""
    asked: tuple[bool, ...]
    """Whether an intermediate question follows the block; never after the last."""
    counting: tuple[str, ...]
    """Labels of plot entries that count from the start."""
    pending: tuple[str, ...]
    """Labels of plot entries that wait for a confirmation."""
    ruled: tuple[str, ...]
    """Labels of plot entries that the announced rules decide."""
    idle: tuple[str, ...]
    """Labels of distractors: no rule of this history names one."""
    ruled_share: float


def plan_of(spec: Specification, dials: Dials, draw: Draw) -> Plan:
    """The plan of a history, drawn from the stream `plan`."""
    blocks = int(dials.blocks)
    spread = [1.0 + _SPREAD * (2.0 * draw() - 1.0) for _ in range(blocks)]
    scale = blocks / sum(spread, 0.0)
    sizes = tuple(max(1, rounded(draw, dials.updates * s * scale)) for s in spread)
    asked = tuple(draw() < dials.intermediate for _ in range(blocks - 1))
    rules = _rule_schedule(spec, dials, blocks, draw)
    named = {spec.rules[r].label for block in rules for r in block}
    inert = spec.statuses.does_not_count
    return Plan(
        sizes,
        rules,
        (*asked, False),
        tuple(label for label in spec.statuses.counts if label not in named),
        tuple(label for label, why in inert.items() if why == "pending" and label not in named),
        tuple(rule for rule in dict.fromkeys(r.label for r in spec.rules) if rule in named),
        tuple(label for label in inert if label not in named),
        dials.ruled if named else 0.0,
    )


def _rule_schedule(
    spec: Specification, dials: Dials, blocks: int, draw: Draw
) -> tuple[tuple[int, ...], ...]:
    """Which rules are announced where: from the second block on, the last one left in peace."""
    schedule: list[list[int]] = [[] for _ in range(blocks)]
    base = {**dict.fromkeys(spec.statuses.counts, True)}
    count = rounded(draw, dials.rules) if spec.rules and blocks > 1 else 0
    places = sorted(between(draw, 1, max(1, blocks - 2)) for _ in range(count))
    current: dict[tuple[str, bool], bool] = {}
    for place in places:
        fitting = [
            n
            for n, rule in enumerate(spec.rules)
            if current.get((rule.label, rule.where is not None), base.get(rule.label, False))
            != (rule.becomes == "counts")
        ]
        if fitting:
            chosen = pick(draw, fitting)
            rule = spec.rules[chosen]
            current[rule.label, rule.where is not None] = rule.becomes == "counts"
            schedule[place].append(chosen)
    return tuple(tuple(block) for block in schedule)
