"""Send random Unicode texts to a running service, and draw the time of a glossary by text length.

    bilex serve en-es=MODEL --port 8000
    python benchmarks/service/glossary_length.py http://127.0.0.1:8000 en-es FIGURE.svg
        [--texts 10000] [--longest 50000]

Texts are of six kinds, such as any characters of Unicode, only combining marks, or one long word.
The last line is JSON: how often each status was answered, and by which power of the length the time
of long texts grows (1 is in proportion). The exit code is 1 if an answer was not 200.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import httpx
import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

SURROGATES = range(0xD800, 0xE000)
LONG = 2_000  # characters; below, the time of the request itself counts
BUCKETS = 12

Measured = list[tuple[int, float]]
"""Characters and milliseconds of each request."""


def anything(rng: random.Random, size: int) -> str:
    codes = (rng.randrange(1, 0x110000) for _ in range(size))
    return "".join(" " if code in SURROGATES else chr(code) for code in codes)


def from_letters(letters: str) -> Callable[[random.Random, int], str]:
    return lambda rng, size: "".join(rng.choices(letters, k=size))


KINDS: dict[str, Callable[[random.Random, int], str]] = {
    "any characters": anything,
    "Latin words": from_letters("etaoinshrdlucm      '-.,É"),
    "combining marks": from_letters("e\u0301\u0323\u0302\u0e34 "),
    "scripts without spaces": from_letters("的一是在不了有和人这のにをはตกเา"),
    "one long word": from_letters("abcdefghijklmnopqrstuvwxyz"),
    "white space and symbols": from_letters(" \t\n\u3000\u200b-_'’.…+"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("url")
    parser.add_argument("pair")
    parser.add_argument("figure", type=Path)
    parser.add_argument("--texts", type=int, default=10_000)
    parser.add_argument("--longest", type=int, default=50_000)
    given = parser.parse_args()
    statuses, measured = send(given.url, given.pair, given.texts, given.longest)
    draw(measured, given.figure)
    powers = {kind: power(found) for kind, found in measured.items()}
    print(json.dumps({"statuses": statuses, "powers": powers}))
    sys.exit(0 if set(statuses) == {httpx.codes.OK} else 1)


def send(url: str, pair: str, texts: int, longest: int) -> tuple[Counter[int], dict[str, Measured]]:
    """Return how often each status was answered, and the times by kind of text."""
    rng = random.Random(0)  # noqa: S311 - not for secrets
    statuses: Counter[int] = Counter()
    measured: dict[str, Measured] = {kind: [] for kind in KINDS}
    with httpx.Client(base_url=url, timeout=60) as client:
        for number in range(texts):
            kind = list(KINDS)[number % len(KINDS)]
            size = round(longest ** rng.random())
            body = {"pair": pair, "text": KINDS[kind](rng, size)}
            begin = time.perf_counter()
            statuses[client.post("/v1/glossary", json=body).status_code] += 1
            measured[kind].append((size, 1e3 * (time.perf_counter() - begin)))
    return statuses, measured


def buckets(measured: Measured) -> Measured:
    """Return the mean length and median time of texts of about the same length."""
    ordered = [part for part in np.array_split(np.array(sorted(measured)), BUCKETS) if len(part)]
    return [(int(part[:, 0].mean()), float(np.median(part[:, 1]))) for part in ordered]


def power(measured: Measured) -> float:
    """Return the slope of log time over log length, of long texts."""
    long = np.log([each for each in buckets(measured) if each[0] >= LONG])
    return (
        round(float(np.polyfit(long[:, 0], long[:, 1], 1)[0]), 2) if len(long) > 1 else float("nan")
    )


def draw(measured: dict[str, Measured], figure: Path) -> None:
    mpl.rcParams["svg.hashsalt"] = "bilex"
    drawing, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
    for kind, found in measured.items():
        axes.plot(*zip(*buckets(found), strict=True), marker="o", markersize=3, label=kind)
    axes.set(xscale="log", yscale="log", xlabel="characters of text", ylabel="median time, ms")
    axes.xaxis.set_major_formatter(lambda size, _: f"{size:,.0f}")
    axes.yaxis.set_major_formatter(lambda size, _: f"{size:,g}")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, fontsize="small")
    drawing.savefig(figure, metadata={"Date": None})


if __name__ == "__main__":
    main()
