"""Print the results of a suite as Markdown tables: a row for each method, a column for each pair.

    python benchmarks/studies/show.py SUITE.toml RESULTS
    python benchmarks/studies/show.py SUITE.toml RESULTS --base METHOD

RESULTS is a folder that `bilex bench run` wrote, or a file of benchmarks/results. A cell has the
precision at 1 in percent, by CSLS → as the method ranks if it learns probabilities, as mean ±
standard deviation over draws (their number); then the precision by lemma where the suite has
lemmas, the calibration error, the seconds of training and, with wrong seeds, how many seeds were
listed as doubtful. `--base` adds the difference from a method, taken draw by draw.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from bilex.benchmark import Suite, expand, load_suite
from bilex.jobs import ResultStore

Result = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("suite", help="a .toml file, or the name of a suite that comes with bilex")
    parser.add_argument("results", type=Path)
    parser.add_argument("--base", help="the method that others are compared with")
    options = parser.parse_args()
    suite = load_suite(options.suite)
    if options.base is not None and options.base not in suite.methods:
        parser.error(f"suite {suite.name!r} has no method {options.base!r}")
    found = [result for result in read(options.results) if result["suite"] == suite.name]
    if not found:
        parser.error(f"{options.results} has no finished job of suite {suite.name!r}")
    for line in tables(suite, found, options.base):
        print(line)


def read(results: Path) -> list[Result]:
    """Return the finished jobs of a results folder, or of a file of kept results."""
    if results.is_file():
        return [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
    return [result for result in ResultStore(results).read() if result["status"] == "done"]


def spread(values: Sequence[float], *, sign: str = "", digits: int = 2) -> str:
    """Return the mean, and with several values their standard deviation and number."""
    if not values:
        return "–"
    shown = f"{fmean(values):{sign}.{digits}f}"
    if len(values) == 1:
        return shown
    return f"{shown} ± {stdev(values):.{digits}f} ({len(values)})"


def tables(suite: Suite, found: list[Result], base: str | None) -> Iterable[str]:
    """Return the lines of one table for each number of seeds, in the order of the suite."""
    jobs = expand(suite, Path())  # for the order of seeds and pairs
    for size in sorted({result["job"]["seeds"] for result in found}):
        here = [result for result in found if result["job"]["seeds"] == size]
        pairs = [
            pair
            for pair in dict.fromkeys(job.pair for job in jobs)
            if any(result["job"]["pair"] == pair for result in here)
        ]
        heads = [[pair] if base is None else [pair, f"over {base}"] for pair in pairs]
        columns = [head for head_of_pair in heads for head in head_of_pair]
        yield f"\n| {size:,} seeds | {' | '.join(columns)} |"
        yield f"|---|{'---|' * len(columns)}"
        for method in suite.methods:
            cells: list[str] = []
            for pair in pairs:
                runs = _runs(here, pair, method)
                cells.append(_cell(runs))
                if base is not None:
                    cells.append(_difference(runs, _runs(here, pair, base)))
            if any(cell != "–" for cell in cells):
                yield f"| {method} | {' | '.join(cells)} |"


def _runs(found: list[Result], pair: str, method: str) -> list[Result]:
    runs = [r for r in found if (r["job"]["pair"], r["job"]["method"]) == (pair, method)]
    return sorted(runs, key=lambda result: int(result["job"]["draw"]))


def p_at_1(result: Result, ranker: str | None = None) -> float:
    """Return the precision at 1 in percent, as the method ranks unless a ranker is named."""
    return 100 * float(result["scores"][ranker or result["ranker"]]["p_at_1"])


def _cell(runs: list[Result]) -> str:
    if not runs:
        return "–"
    parts = [spread([p_at_1(run, "csls") for run in runs])]
    if any(run["ranker"] != "csls" for run in runs):
        parts[0] += f" → {spread([p_at_1(run) for run in runs])}"
    lemmas = [run["scores"][run["ranker"]].get("p_at_1_lemma") for run in runs]
    if None not in lemmas:
        parts.append(f"{100 * fmean(lemmas):.2f} by lemma")
    errors = [run["calibration_error"] for run in runs if run.get("calibration_error") is not None]
    if errors:
        parts.append(f"{fmean(errors):.3f}")
    parts.append(f"{fmean(run['seconds']['fit'] for run in runs):.0f} s")
    wrong = [run["wrong_seeds"] for run in runs if "wrong_seeds" in run]
    if wrong:
        listed, hit, all_wrong = (
            sum(each[name] for each in wrong) for name in ("doubtful", "doubtful_wrong", "wrong")
        )
        parts.append(f"{listed} doubtful, {hit} of {all_wrong} wrong")
    return "; ".join(parts)


def _difference(runs: list[Result], base: list[Result]) -> str:
    known = {run["job"]["draw"]: p_at_1(run) for run in base}
    common = [run for run in runs if run["job"]["draw"] in known]
    return spread([p_at_1(run) - known[run["job"]["draw"]] for run in common], sign="+")


if __name__ == "__main__":
    main()
