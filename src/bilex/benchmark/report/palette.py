"""One look for each method, the same in all figures.

The colors keep apart for people who see red and green alike (the smallest distance in CIELAB is
20 under simulated deuteranopia and protanopia), and the shapes of the marks differ as well.
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
"""On white paper, each at a contrast of 3 or more."""

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
"""The same on a dark page."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p", "h")
DASHES = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (5, 1.5, 1, 1.5)))

INK = "#1B1F24"
"""Text and axes; the page replaces it by its own color of text."""

FAINT = "#C9CED6"
"""Grid lines; the page replaces it likewise."""


PAPER = "#FDFDFE"
"""The inside of hollow marks; likewise."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a method is drawn."""

    number: int  # of its color
    color: str
    marker: str
    dash: str | tuple[int, tuple[float, ...]]


def looks(methods: Iterable[str]) -> dict[str, Look]:
    """Give each method its look, by the order of the names, so that it does not move with scores.

    With more methods than colors, the colors come again with other shapes and dashes.
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
