"""The color, marker and line style of each method, the same in all figures.

The colors can be distinguished with red-green color blindness (the smallest distance in CIELAB is
20 under simulated deuteranopia and protanopia), and the markers differ as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

LIGHT = (
    "#0F6FC6",
    "#BB3225",
    "#12A26B",
    "#592467",
    "#DA7500",
    "#514A4A",
    "#310E9D",
    "#BD79AC",
    "#2D61F7",
)
"""Colors on a white page, each with a contrast of 3 or more."""

DARK = (
    "#609CF9",
    "#EF6D44",
    "#42F2A4",
    "#E6C1E9",
    "#FFDC38",
    "#8986B7",
    "#746FFF",
    "#D27A92",
    "#CEE878",
)
"""The same colors on a dark page."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p", "h")
DASHES = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (5, 1.5, 1, 1.5)))

INK = "#1B1F24"
"""Color of text and axes; the page replaces it by its text color."""

FAINT = "#C9CED6"
"""Color of grid lines; the page replaces it by its own."""

PAPER = "#FDFDFE"
"""Color inside of hollow marks; the page replaces it by its own."""


@dataclass(frozen=True, slots=True)
class Look:
    """The color, marker and line style of a method."""

    number: int  # of its color
    color: str
    marker: str
    dash: str | tuple[int, tuple[float, ...]]


def looks(methods: Iterable[str]) -> dict[str, Look]:
    """Return the look of each method, by alphabetical order, so that it is independent of scores.

    With more methods than colors, colors are repeated with other line styles.
    """
    return {
        method: Look(
            number=place % len(LIGHT),
            color=LIGHT[place % len(LIGHT)],
            marker=MARKERS[place % len(MARKERS)],
            dash=DASHES[place // len(LIGHT) % len(DASHES)],
        )
        for place, method in enumerate(sorted(methods))
    }
