"""The sweep over thresholds as a drawing that stands by itself: a file of SVG."""

from __future__ import annotations

from collections.abc import Sequence

from supersede.metrics.hysteresis import SweepPoint, best_point
from supersede.reports.markup import Html, element, join

__all__ = ["sweep_drawing"]

_WIDTH, _HEIGHT = 720, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 560, 40, 360
_LINES = {
    "accuracy": ("accuracy", "#1f5fa8", ""),
    "al": ("late (AL)", "#b35900", "7 4"),
    "ds": ("distracted (DS)", "#7a3fa0", "2 3"),
    "pm": ("never (PM)", "#444444", "10 3 2 3"),
}
"""Measure -> its name, colour and dashes: told by shape as well as by colour."""


def sweep_drawing(points: Sequence[SweepPoint], title: str) -> str:
    """The four shares against the threshold, as the text of an SVG file.

    Args:
        points: At least one, in order of their thresholds.
        title: What was filtered.
    """
    best = best_point(points)
    parts = [_frame(title), *(_line(points, name) for name in _LINES), _legend(points)]
    x, y = _x(best.threshold), _y(best.measures["accuracy"].value)
    parts.append(element("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=5, fill="#1f5fa8"))
    label = f"best: {best.measures['accuracy'].value:.3f} at {best.threshold:g}"
    parts.append(element("text", label, x=f"{x + 8:.1f}", y=f"{y - 10:.1f}", fill="#1f5fa8"))
    return element(
        "svg",
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        width=_WIDTH,
        height=_HEIGHT,
        font_family="sans-serif",
        font_size=13,
        role="img",
        aria_label=f"{title}: {label}",
    )


def _frame(title: str) -> Html:
    parts = [
        element("rect", width=_WIDTH, height=_HEIGHT, fill="#ffffff"),
        element("text", title, x=_LEFT, y=22, font_size=15, font_weight="bold"),
        element(
            "text",
            "threshold: an answer changes only above this confidence",
            x=(_LEFT + _RIGHT) // 2,
            y=_BOTTOM + 42,
            text_anchor="middle",
        ),
    ]
    for step in range(6):
        value = step / 5
        y, x = _y(value), _x(value)
        parts.append(element("path", d=f"M{_LEFT} {y:.1f}H{_RIGHT}", stroke="#dddddd"))
        parts.append(
            element("text", f"{value:.1f}", x=_LEFT - 8, y=f"{y + 4:.1f}", text_anchor="end")
        )
        parts.append(
            element("text", f"{value:.1f}", x=f"{x:.1f}", y=_BOTTOM + 20, text_anchor="middle")
        )
    return join(parts)


def _line(points: Sequence[SweepPoint], name: str) -> Html:
    _, colour, dashes = _LINES[name]
    places = [f"{_x(p.threshold):.1f} {_y(p.measures[name].value):.1f}" for p in points]
    return element(
        "path",
        d=f"M{'L'.join(places if len(places) > 1 else places * 2)}",
        stroke=colour,
        stroke_width=2,
        stroke_dasharray=dashes or None,
        stroke_linejoin="round",
        fill="none",
    )


def _legend(points: Sequence[SweepPoint]) -> Html:
    """The names of the lines with their ends, in the margin."""
    parts = []
    for row, (title, colour, dashes) in enumerate(_LINES.values()):
        y = _TOP + 24 * row + 10
        parts.append(
            element(
                "path",
                d=f"M{_RIGHT + 16} {y - 4}h26",
                stroke=colour,
                stroke_width=2,
                stroke_dasharray=dashes or None,
            )
        )
        parts.append(element("text", title, x=_RIGHT + 50, y=y, fill=colour))
    changes = [points[0], points[-1]]
    for row, point in enumerate(changes):
        text = f"{point.changes:.1f} changes at {point.threshold:g}"
        parts.append(element("text", text, x=_RIGHT + 16, y=_TOP + 24 * (row + 5), fill="#444444"))
    return join(parts)


def _x(threshold: float) -> float:
    return _LEFT + (_RIGHT - _LEFT) * threshold


def _y(value: float) -> float:
    return _BOTTOM - (_BOTTOM - _TOP) * value
