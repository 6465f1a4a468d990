"""The legend of colors and shapes, as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bilex.benchmark.report.markup import Markup, element
from bilex.benchmark.report.palette import Look

_SHAPES = {
    "o": "M22 7a5 5 0 1 1-10 0a5 5 0 1 1 10 0z",
    "s": "M12.5 2.5h9v9h-9z",
    "^": "M17 1.5l5 10h-10z",
    "D": "M17 1l6 6l-6 6l-6-6z",
    "v": "M17 12.5l5-10h-10z",
    "P": "M15.3 1.5h3.4v3.8h3.8v3.4h-3.8v3.8h-3.4v-3.8h-3.8v-3.4h3.8z",
    "X": "M14 1.5l3 3l3-3l2.5 2.5l-3 3l3 3l-2.5 2.5l-3-3l-3 3l-2.5-2.5l3-3l-3-3z",
    "p": "M17 1.5l5.7 4.1l-2.2 6.7h-7l-2.2-6.7z",
    "h": "M17 1l5.2 3v6l-5.2 3l-5.2-3v-6z",
}
"""Matplotlib's markers as SVG paths around the point (17, 7)."""


def legend(methods: Iterable[str], looks: Mapping[str, Look]) -> Markup:
    """Return a list of methods, each with its line and mark."""
    items = [element("li", _sample(looks[method]), method) for method in methods]
    return element("ul", *items, class_="legend")


def _sample(look: Look) -> Markup:
    dashes = None if isinstance(look.dash, str) else " ".join(str(2 * x) for x in look.dash[1])
    color = f"var(--series-{look.number})"
    line = element(
        "path", d="M0 7h34", stroke=color, stroke_width="2", stroke_dasharray=dashes, fill="none"
    )
    mark = element("path", d=_SHAPES[look.marker], fill=color)
    return element("svg", line, mark, viewBox="0 0 34 14", aria_hidden="true")
