"""Draw panels: as SVG in the colors of the page, and as SVG and PNG files."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bilex.benchmark.report.palette import FAINT, INK, LIGHT, PAPER, Look
from bilex.benchmark.report.records import Direction
from bilex.registry import import_extra

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PANEL_WIDTH, PANEL_HEIGHT = 4.7, 3.3  # inches of 72 units
PANELS_IN_A_ROW = 3


@dataclass(frozen=True, slots=True)
class Panel:
    """One plot: its drawing function, and the values by which the page filters it."""

    title: str
    draw: Callable[[Axes], None]
    direction: Direction | None = None
    size: int | None = None
    height: float = PANEL_HEIGHT


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure of several panels, with the name of its files, its title and its note."""

    name: str
    title: str
    note: str
    panels: tuple[Panel, ...]
    legend: bool = True  # False if the panels show the names of the methods


def require_matplotlib() -> None:
    """Check that figures can be drawn.

    Raises:
        MissingExtraError: If matplotlib is missing; the message has the install command.
    """
    _matplotlib()


def page_svg(panel: Panel, prefix: str) -> str:
    """Draw a panel as an SVG element in the fonts and colors of the page.

    Args:
        panel: The panel to draw.
        prefix: Prefix of every id, because ids must be unique within a page.
    """
    text = StringIO()
    with _style({"svg.fonttype": "none"}):
        figure = _figure(PANEL_WIDTH, panel.height)
        panel.draw(figure.add_subplot())
        _settle(figure)
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None})
    return _for_page(text.getvalue(), prefix)


def save_picture(picture: Picture, looks: Mapping[str, Look], folder: Path) -> None:
    """Draw all panels side by side and write them as SVG and PNG."""
    columns = 2 if len(picture.panels) == 4 else min(PANELS_IN_A_ROW, len(picture.panels))
    rows = math.ceil(len(picture.panels) / columns)
    height = max(panel.height for panel in picture.panels)
    with _style({"svg.fonttype": "path"}):
        figure = _figure(PANEL_WIDTH * columns, height * rows + 0.4 * picture.legend)
        for place, panel in enumerate(picture.panels, start=1):
            axes = figure.add_subplot(rows, columns, place)
            axes.set_title(panel.title, fontsize=11, fontweight="bold")
            panel.draw(axes)
        if picture.legend:
            _add_legend(figure, looks)
        _settle(figure)
        figure.savefig(folder / f"{picture.name}.svg", metadata={"Date": None})
        figure.savefig(folder / f"{picture.name}.png", dpi=160)


def _matplotlib() -> Any:  # noqa: ANN401 - imported when needed
    return import_extra("matplotlib", "drawing the figures of a report needs", extra="plots")


def _style(changes: Mapping[str, object]) -> AbstractContextManager[None]:
    settings = {
        "text.parse_math": False,  # the name of a method may contain $
        "svg.hashsalt": "bilex",  # for reproducible files
        "font.family": ["DejaVu Sans"],
        "font.size": 11.5,
        "axes.labelsize": 11.5,
        "axes.linewidth": 0.8,
        "grid.linewidth": 0.7,
        "lines.linewidth": 2,
        "lines.markersize": 6,
        **dict.fromkeys(
            ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), INK
        ),
        **changes,
    }
    context: AbstractContextManager[None] = _matplotlib().rc_context(settings)
    return context


def _figure(width: float, height: float) -> Any:  # noqa: ANN401 - imported when needed
    figure = import_module("matplotlib.figure").Figure(
        figsize=(width, height), layout="constrained"
    )
    figure.get_layout_engine().set(w_pad=0.08, h_pad=0.08, wspace=0.03, hspace=0.05)
    return figure


def _settle(figure: Any) -> None:  # noqa: ANN401
    """Compute the layout once for all files."""
    figure.get_layout_engine().execute(figure)
    figure.set_layout_engine("none")


def _add_legend(figure: Any, looks: Mapping[str, Look]) -> None:  # noqa: ANN401
    lines = import_module("matplotlib.lines")
    handles = [
        lines.Line2D([], [], color=look.color, marker=look.marker, linestyle=look.dash)
        for look in looks.values()
    ]
    figure.legend(
        handles, list(looks), loc="outside lower center", ncols=min(6, len(looks)), frameon=False
    )


def _for_page(svg: str, prefix: str) -> str:
    """Reduce an SVG file to its element, with the colors of the page and unique ids."""
    svg = svg[svg.index("<svg") :].strip()
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'^<svg [^>]*?viewBox="([^"]*)"[^>]*>', _opening, svg)
    svg = re.sub(r'\bid="([^"]*)"', rf'id="{prefix}-\1"', svg)
    svg = re.sub(r"url\(#([^)]*)\)", rf"url(#{prefix}-\1)", svg)
    svg = re.sub(r'(?:xlink:)?href="#([^"]*)"', rf'href="#{prefix}-\1"', svg)
    svg = re.sub(r"font: ([^;\"]*?)'DejaVu Sans'[^;\"]*", r"font: \1var(--font)", svg)
    for color, variable in _variables():
        svg = re.sub(re.escape(color), variable, svg, flags=re.IGNORECASE)
    return re.sub(r">\s+<", "><", svg)


def _opening(found: re.Match[str]) -> str:
    return (
        f'<svg viewBox="{found[1]}" xmlns="http://www.w3.org/2000/svg" '
        'aria-hidden="true" focusable="false">'
    )


def _variables() -> Sequence[tuple[str, str]]:
    series = [(color, f"var(--series-{number})") for number, color in enumerate(LIGHT)]
    return [*series, (INK, "var(--ink)"), (FAINT, "var(--grid)"), (PAPER, "var(--card)")]
