"""How the commands about runs on streams put their numbers."""

from collections.abc import Mapping

from supersede.evaluation.tables import estimate_text, text_table
from supersede.metrics.bootstrap import Interval
from supersede.metrics.intervals import Estimate
from supersede.metrics.stream_report import Group

__all__ = ["MEASURE_NAMES", "ends_text", "group_table", "share_text", "value_text"]

MEASURE_NAMES = {
    "accuracy": "accuracy",
    "al": "  late (AL)",
    "ds": "  distracted (DS)",
    "pm": "  missed (PM)",
    "final_accuracy": "accuracy at the end",
    "boundary_accuracy": "accuracy at changes",
    "error_persistence": "error persistence",
    "stale_share": "stale among wrong",
}
"""Measure -> how a table calls it; the three classes of error stand below accuracy."""


def group_table(title: str, groups: Mapping[str, Group]) -> str:
    """The four shares of parts of the questions.

    Args:
        title: What parts them, above their names.
        groups: The parts by name.
    """
    rows = [
        [
            name,
            f"{group.questions:,}",
            estimate_text(group.measures["accuracy"]),
            *(value_text(group.measures[part]) for part in ("al", "ds", "pm")),
        ]
        for name, group in groups.items()
    ]
    return text_table([title, "questions", "accuracy [95 %]", "AL", "DS", "PM"], rows)


def value_text(estimate: Estimate) -> str:
    """`0.250`, a dash for what is undefined; with the number of undefined ones, if any."""
    text = share_text(estimate.value)
    return f"{text} ({estimate.undefined:,} undefined)" if estimate.undefined else text


def share_text(value: float, sign: str = "") -> str:
    """`0.250`, or with `+` as sign `+0.250`; a dash for what is undefined."""
    return "-" if value != value else f"{value:{sign}.3f}"


def ends_text(interval: Estimate | Interval, sign: str = "") -> str:
    """`[0.101, 0.399]`; a dash where there is no interval."""
    low, high = interval.low, interval.high
    return "-" if low != low else f"[{low:{sign}.3f}, {high:{sign}.3f}]"
