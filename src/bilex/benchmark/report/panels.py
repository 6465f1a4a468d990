"""Draw the panels of figures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bilex.benchmark.report.number_format import percent, size_label, whole
from bilex.benchmark.report.palette import FAINT, INK, PAPER, Look
from bilex.benchmark.report.study import Spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class Curve:
    """The values of a method by number of seeds."""

    look: Look
    points: Mapping[int, Spread]


@dataclass(frozen=True, slots=True)
class Bar:
    """The mean of a method and its interval."""

    method: str
    look: Look
    value: float
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of two methods, drawn in the look of the first."""

    label: str
    look: Look
    value: float
    interval: tuple[float, float]
    significant: bool


@dataclass(frozen=True, slots=True)
class TimePoint:
    """Seconds and precision of a method: the mean, and each language pair."""

    look: Look
    mean: tuple[float, float]
    each: Sequence[tuple[float, float]]


def draw_curves(curves: Sequence[Curve], label: str, scale: float, axes: Axes) -> None:
    """Draw lines of means with bands from the lowest to the highest draw."""
    places = _places(sorted({size for curve in curves for size in curve.points}))
    for curve in curves:
        sizes = sorted(curve.points)
        x = [places[size] for size in sizes]
        spreads = [curve.points[size] for size in sizes]
        look = curve.look
        low = [scale * min(spread.lowest, spread.mean) for spread in spreads]
        high = [scale * max(spread.best, spread.mean) for spread in spreads]
        axes.fill_between(x, low, high, color=look.color, alpha=0.16, linewidth=0)
        axes.plot(
            x,
            [scale * spread.mean for spread in spreads],
            color=look.color,
            marker=look.marker,
            linestyle=look.dash,
        )
    axes.set_xticks(list(places.values()), [size_label(size) for size in places])
    axes.set_xlabel("seed pairs")
    axes.set_ylabel(label)
    _clean(axes, "y")


def draw_bars(bars: Sequence[Bar], axes: Axes) -> None:
    """Draw horizontal bars with intervals, the last at the top, each with its number."""
    for place, bar in enumerate(bars):
        axes.barh(place, 100 * bar.value, color=PAPER, height=0.62)  # hides the grid
        axes.barh(place, 100 * bar.value, color=bar.look.color, height=0.62, alpha=0.6)
        end = bar.value
        if bar.interval is not None:
            low, high = bar.interval
            axes.plot([100 * low, 100 * high], [place, place], color=INK, linewidth=1.4)
            end = max(end, high)
        axes.annotate(
            percent(bar.value),
            (100 * end, place),
            xytext=(5, 0),
            textcoords="offset points",
            va="center",
        )
    axes.set_yticks(range(len(bars)), [bar.method for bar in bars])
    axes.set_xlabel("P@1, %")
    axes.margins(x=0.14)
    axes.set_xlim(left=0)
    _clean(axes, "x")


def draw_differences(differences: Sequence[Difference], axes: Axes) -> None:
    """Draw differences with their intervals beside a line at zero, the last at the top."""
    axes.axvline(0, color=INK, linewidth=1)
    for place, found in enumerate(differences):
        low, high = found.interval
        axes.plot([100 * low, 100 * high], [place, place], color=found.look.color, linewidth=2)
        axes.plot(
            100 * found.value,
            place,
            color=found.look.color,
            marker=found.look.marker,
            markerfacecolor=found.look.color if found.significant else PAPER,
            markersize=7,
        )
    axes.set_yticks(range(len(differences)), [found.label for found in differences])
    axes.set_ylim(-0.7, len(differences) - 0.3)
    axes.set_xlabel("difference in P@1, points")
    _clean(axes, "x")
    axes.spines["left"].set_visible(False)  # the line at zero is the reference


def draw_times(points: Sequence[TimePoint], axes: Axes) -> None:
    """Draw precision over seconds of processor time on a logarithmic axis."""
    for point in points:
        look = point.look
        if len(point.each) > 1:
            scores = [score for _, score in point.each]
            axes.plot(
                [point.mean[0]] * 2,
                [min(scores), max(scores)],
                color=look.color,
                linewidth=1.5,
                alpha=0.45,
            )
        axes.plot(*point.mean, color=look.color, marker=look.marker, markersize=10)
    axes.set_xscale("log")
    axes.margins(0.12)
    _write_plain_numbers(axes)
    axes.set_xlabel("processor time, seconds")
    axes.set_ylabel("P@1, %")
    _clean(axes, "both")


def draw_bands(
    lines: Sequence[tuple[Look, Mapping[str, float]]],
    counts: Mapping[str, int],
    label: str,
    axes: Axes,
) -> None:
    """Draw precision by band, with the number of words of each band."""
    places = {name: place for place, name in enumerate(counts)}
    for look, shares in lines:
        axes.plot(
            [places[name] for name in shares],
            [100 * share for share in shares.values()],
            color=look.color,
            marker=look.marker,
            linestyle=look.dash,
        )
    names = [f"{name}\n{whole(count)}" for name, count in counts.items()]
    axes.set_xticks(list(places.values()), names)
    axes.set_xlabel(label)
    axes.set_ylabel("P@1, %")
    axes.margins(x=0.06)
    axes.set_ylim(bottom=0)
    _clean(axes, "y")


def _places(sizes: Sequence[int]) -> dict[int, float]:
    """Return the positions of numbers of seeds on a logarithmic axis; 0 is left of the first."""
    logs = {size: math.log10(size) for size in sizes if size > 0}
    return {0: min(logs.values(), default=0.0) - 0.5} | logs if 0 in sizes else logs


def _write_plain_numbers(axes: Axes) -> None:
    """Write 0.5, 20 and 300 at the ticks of a logarithmic axis, not powers of ten."""
    low, high = axes.get_xlim()
    steps = (1,) if high / low > 300 else (1, 3) if high / low > 12 else (1, 2, 5)
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [step * 10.0**decade for decade in decades for step in steps]
    shown = [tick for tick in ticks if low <= tick <= high]
    axes.set_xticks(shown or [low, high], [f"{tick:,.4g}" for tick in shown or [low, high]])
    axes.set_xticks([], minor=True)


def _clean(axes: Axes, grid: str) -> None:
    """Remove unneeded frame lines and ticks, and draw the grid."""
    hidden = {"x": ("top", "right", "bottom"), "y": ("top", "right", "left")}
    for side in hidden.get(grid, ("top", "right")):
        axes.spines[side].set_visible(False)
    axes.set_axisbelow(True)
    if grid != "y":
        axes.xaxis.grid(visible=True, color=FAINT)
    if grid != "x":
        axes.yaxis.grid(visible=True, color=FAINT)
    axes.tick_params(length=0)
