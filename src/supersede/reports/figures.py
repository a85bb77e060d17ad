"""Drawings: the stacked bar of the decomposition, and accuracy by interval.

What became of an interval is told by shape as well as by colour: right is a pale whole cell, late
the upper half, distracted the lower half, missed a dark whole cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan

from supersede.metrics.decomposition import IntervalClass
from supersede.metrics.intervals import Estimate, clustered_mean
from supersede.metrics.paired import MEASURES
from supersede.model.stream import Trace
from supersede.reports.markup import NOTHING, Html, element, join

__all__ = ["CLASS_NAMES", "bar", "curve_panel", "interval_estimates", "legend", "percent", "share"]

CLASS_NAMES: Mapping[IntervalClass, str] = {
    IntervalClass.RIGHT: "right",
    IntervalClass.LATE: "late",
    IntervalClass.DISTRACTED: "distracted",
    IntervalClass.MISSED: "never",
}
"""How the page calls the four classes of intervals."""

_WIDTH, _HEIGHT = 320, 172
_LEFT, _RIGHT, _TOP, _BOTTOM = 30, 312, 10, 140
_BAR_WIDTH, _BAR_HEIGHT = 1000, 20


def share(value: float) -> str:
    """`0.512`; a dash for what is undefined."""
    return "–" if isnan(value) else f"{value:.3f}"  # noqa: RUF001 - a dash that is read as none


def percent(value: float) -> str:
    """`51.2 %`, which no line breaks; a dash for what is undefined."""
    return "–" if isnan(value) else f"{value:.1%}".replace("%", "\u00a0%")  # noqa: RUF001 - as above


def legend() -> Html:
    """What the four looks of an interval mean."""
    words = {
        IntervalClass.RIGHT: "right",
        IntervalClass.LATE: "late: wrong until the first right answer of its phase",
        IntervalClass.DISTRACTED: "distracted: wrong again after it",
        IntervalClass.MISSED: "never: wrong throughout the phase",
    }
    items = [element("li", _swatch(part), Html(" "), said) for part, said in words.items()]
    return element("ul", *items, class_="legend")


def _swatch(part: IntervalClass) -> Html:
    return element(
        "svg", _cell(part, 0, 20, 20), viewBox="0 0 20 20", class_="swatch", aria_hidden="true"
    )


def _cell(part: IntervalClass, x: float, width: float, height: float) -> Html:
    """A stretch of one class in its shape."""
    half = part in (IntervalClass.LATE, IntervalClass.DISTRACTED)
    top = height / 2 if part is IntervalClass.DISTRACTED else 0
    return element(
        "rect",
        class_=f"c-{part}",
        x=_n(x),
        y=_n(top),
        width=_n(width),
        height=_n(height / 2 if half else height),
    )


def bar(shares: Mapping[str, float], label: str) -> Html:
    """The decomposition as a stacked bar.

    Args:
        shares: By the names of `MEASURES`.
        label: What it is of.
    """
    values = {part: shares[name] for name, part in MEASURES.items()}
    if any(isnan(value) for value in values.values()):
        return element("span", "nothing to show", class_="quiet")
    x, cells = 0.0, []
    for part, value in values.items():
        width = value * _BAR_WIDTH
        if value:
            cells.append(_cell(part, x, max(width - 2, 1), _BAR_HEIGHT))
        x += width
    said = ", ".join(f"{CLASS_NAMES[part]} {percent(value)}" for part, value in values.items())
    return element(
        "svg",
        *cells,
        viewBox=f"0 0 {_BAR_WIDTH} {_BAR_HEIGHT}",
        preserveAspectRatio="none",
        class_="bar",
        role="img",
        aria_label=f"{label}: {said}",
    )


def interval_estimates(traces: Sequence[Trace]) -> tuple[Estimate, ...]:
    """Accuracy at each interval, with its interval over documents."""
    longest = max((len(trace.right) for trace in traces), default=0)
    return tuple(
        clustered_mean({"": [(t.stream, float(t.right[i])) for t in traces if i < len(t.right)]})
        for i in range(longest)
    )


def curve_panel(
    name: str, estimates: Sequence[Estimate], others: Sequence[Sequence[Estimate]]
) -> Html:
    """Accuracy by interval of one run, the others pale behind it.

    Args:
        name: Of the run.
        estimates: Its accuracy at each interval.
        others: Those of the other runs.
    """
    last = max(len(one) for one in (estimates, *others)) - 1
    parts = [_axes(last)]
    parts += [element("path", class_="other", d=_line(one, last)) for one in others if one]
    parts += [_band(estimates, last)]
    if estimates:
        parts.append(element("path", class_="line", d=_line(estimates, last)))
    drawing = element(
        "svg",
        *parts,
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        class_="curve",
        role="img",
        aria_label=_curve_label(name, estimates),
    )
    return element("figure", element("figcaption", name), drawing)


def _curve_label(name: str, estimates: Sequence[Estimate]) -> str:
    if not estimates:
        return f"{name}: no interval was scored"
    values = [one.value for one in estimates]
    return (
        f"Accuracy of {name} by interval: {share(values[0])} at the first, {share(values[-1])} at "
        f"the last, between {share(min(values))} and {share(max(values))}"
    )


def _axes(last: int) -> Html:
    lines = []
    for value in (0.0, 0.5, 1.0):
        y = _n(_y(value))
        lines.append(element("path", class_="grid", d=f"M{_LEFT} {y}H{_RIGHT}"))
        lines.append(
            element("text", f"{value:g}", x=_LEFT - 6, y=_n(_y(value) + 4), text_anchor="end")
        )
    base = _BOTTOM + 16
    lines.append(element("text", "0", x=_LEFT, y=base, text_anchor="middle"))
    if last > 0:
        lines.append(element("text", str(last), x=_RIGHT, y=base, text_anchor="middle"))
    middle = (_LEFT + _RIGHT) // 2
    lines.append(element("text", "interval", x=middle, y=base, text_anchor="middle"))
    return join(lines)


def _band(estimates: Sequence[Estimate], last: int) -> Html:
    """The intervals as an area; none where there is one document only."""
    if not estimates or any(isnan(one.low) for one in estimates):
        return NOTHING
    ends = [(one.low, one.high) for one in estimates]
    up = [f"{_n(_x(i, last))} {_n(_y(high))}" for i, (_, high) in enumerate(ends)]
    down = [f"{_n(_x(i, last))} {_n(_y(low))}" for i, (low, _) in enumerate(ends)]
    return element("path", class_="band", d=f"M{'L'.join([*up, *reversed(down)])}Z")


def _line(estimates: Sequence[Estimate], last: int) -> str:
    points = [f"{_n(_x(i, last))} {_n(_y(one.value))}" for i, one in enumerate(estimates)]
    return f"M{'L'.join(points if len(points) > 1 else points * 2)}"


def _x(interval: int, last: int) -> float:
    return _LEFT + (_RIGHT - _LEFT) * (interval / last if last else 0.0)


def _y(value: float) -> float:
    return _BOTTOM - (_BOTTOM - _TOP) * value


def _n(value: float) -> str:
    """A coordinate in few characters."""
    return f"{value:.1f}".removesuffix(".0")
