"""Draw the table "How much is needed" of docs/start/own-text.md.

    python benchmarks/studies/text_size_figure.py docs/start/own-text.md docs/figures/text-size.svg

The figures of the table come from `benchmarks/studies/from_text.py`.
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

Curve = list[tuple[float, float]]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("page", type=Path)
    parser.add_argument("figure", type=Path)
    given = parser.parse_args()
    draw(read_table(given.page.read_text(encoding="utf-8")), given.figure)


def read_table(page: str) -> dict[str, Curve]:
    """Return, for each pair of languages, the mean number of words and the share of right ones."""
    curves: dict[str, Curve] = defaultdict(list)
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 6 and cells[-1].endswith("%"):
            sizes = [int(size.replace(",", "")) for size in re.findall(r"[\d,]+", cells[2])]
            name = f"{cells[0]}: {cells[1].partition(',')[0]}"
            curves[name].append((sum(sizes) / len(sizes), float(cells[4].strip("% "))))
    return curves


def draw(curves: dict[str, Curve], figure: Path) -> None:
    mpl.rcParams["svg.hashsalt"] = "bilex"
    drawing, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
    for name, curve in curves.items():
        axes.plot(*zip(*curve, strict=True), marker="o", label=name)
    axes.set(xscale="log", ylim=(0, 100), xlabel="words of text", ylabel="first answers right, %")
    axes.xaxis.set_major_formatter(lambda size, _: f"{size:,.0f}")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, loc="upper left")
    drawing.savefig(figure, metadata={"Date": None})


if __name__ == "__main__":
    main()
