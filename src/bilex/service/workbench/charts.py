"""Small drawings as SVG, without styles of their own: the style sheet has the colors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime

from markupsafe import Markup

_WIDTH, _HEIGHT = 520.0, 200.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, 12.0, 12.0, 28.0


def cumulative_curve(points: Sequence[tuple[datetime, int]], *, label: str) -> Markup:
    """Draw how a number has grown.

    Args:
        points: Moments in order, with the number that was reached; two or more.
        label: What the curve shows, for people who cannot see it.
    """
    first, last = points[0][0], points[-1][0]
    ticks = _ticks(points[-1][1])
    span = max((last - first).total_seconds(), 1.0)

    def place(moment: datetime, value: float) -> tuple[float, float]:
        share = (moment - first).total_seconds() / span
        x = _LEFT + (_WIDTH - _LEFT - _RIGHT) * share
        y = _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - value / ticks[-1])
        return x, y

    placed = [place(moment, value) for moment, value in points]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)
    ground = _HEIGHT - _BOTTOM
    area = f"{placed[0][0]:.1f},{ground} {line} {placed[-1][0]:.1f},{ground}"
    drawn = [Markup('<polygon class="area" points="{}"/>').format(area)]
    for tick in ticks:
        y = place(first, tick)[1]
        drawn.append(
            Markup(
                '<line class="grid" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>'
                '<text x="{}" y="{:.1f}" text-anchor="end">{}</text>'
            ).format(_LEFT, _WIDTH - _RIGHT, y, y, _LEFT - 8, y + 5, f"{tick:,}")
        )
    start, end = _named(first, last)
    drawn += [
        Markup('<polyline class="curve" points="{}"/>').format(line),
        Markup('<circle class="dot" cx="{:.1f}" cy="{:.1f}" r="4"/>').format(*placed[-1]),
        Markup('<text x="{}" y="{}">{}</text>').format(_LEFT, _HEIGHT - 6, start),
        Markup('<text x="{}" y="{}" text-anchor="end">{}</text>').format(
            _WIDTH - _RIGHT, _HEIGHT - 6, end
        ),
    ]
    return _svg("chart", _WIDTH, _HEIGHT, label, drawn)


def interval(low: float, middle: float, high: float, *, label: str) -> Markup:
    """Draw a share with its interval on a line from 0 to 100 %."""
    left, right, y = 8.0, 312.0, 14.0

    def place(share: float) -> float:
        return left + (right - left) * min(max(share, 0.0), 1.0)

    line = Markup('<line class="{}" x1="{:.1f}" x2="{:.1f}" y1="{}" y2="{}"/>')
    text = Markup('<text x="{}" y="42"{}>{}</text>')
    drawn = [
        line.format("track", left, right, y, y),
        line.format("range", place(low), place(high), y, y),
        Markup('<circle class="point" cx="{:.1f}" cy="{}" r="8"/>').format(place(middle), y),
        text.format(left - 4, "", "0 %"),
        text.format(right + 4, Markup(' text-anchor="end"'), "100 %"),
    ]
    return _svg("chart interval", 320, 46, label, drawn)


def _svg(name: str, width: float, height: float, label: str, drawn: Sequence[Markup]) -> Markup:
    return Markup(
        '<svg class="{}" viewBox="0 0 {:.0f} {:.0f}" role="img" aria-label="{}">{}</svg>'
    ).format(name, width, height, label, Markup("").join(drawn))


def _ticks(highest: int) -> list[int]:
    """Return round numbers from 0 to at least `highest`."""
    highest = max(highest, 1)
    rough = highest / 4
    power = 10 ** math.floor(math.log10(rough)) if rough >= 1 else 1
    step = next(power * each for each in (1, 2, 5, 10) if power * each >= rough)
    return list(range(0, highest + step, step))


def _named(first: datetime, last: datetime) -> tuple[str, str]:
    """Return two moments as text: as times if they are of one day."""
    if first.date() == last.date():
        return f"{first:%H:%M} UTC", f"{last:%H:%M} UTC"
    return f"{first:%b} {first.day}", f"{last:%b} {last.day}"
