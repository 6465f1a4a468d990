"""Print the tables that compare `bilex` with the other methods of the suite `core`.

    python benchmarks/studies/compare.py RESULTS

RESULTS is a folder that `bilex bench run core` wrote, or benchmarks/results/core.jsonl. Methods are
compared like for like: both ranked by CSLS, or both by probability. "Best other" is the method with
the best mean over all language pairs; its cells are of the same method. Scores are means over the
draws that all methods of a table have. A result without probabilities, whose maps were too bad to
learn any, counts as ranked by CSLS in both rows, as `bilex translate` ranks then.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from statistics import fmean, stdev

from bilex.benchmark import expand, load_suite
from show import Result, p_at_1, read

OURS = "bilex"
RANKERS = {"csls": "CSLS", "calibrated": "probability"}
BANDS = ("0-0.3", "0.3-0.7", "0.7-1")

Measure = Callable[[Result, str], float]
"""A number of a result if it is ranked by CSLS or by probability."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("results", type=Path)
    settings = sorted(settings_of(read(parser.parse_args().results)))
    for title, table in (
        ("P@1", precision_table),
        ("P@1 of all methods, by CSLS → by probability", all_methods_table),
        (f"P@1 of {OURS}, mean ± standard deviation over its draws", spread_table),
        ("P@1 by spelling, mean of all pairs", spelling_table),
        ("P@1 by form → by lemma", lemma_table),
        ("Calibration error", calibration_table),
    ):
        print(f"\n## {title}\n")
        for line in table(settings):
            print(line)


@dataclass(frozen=True, order=True)
class Setting:
    """The results with one number of seeds that were chosen in one way."""

    frequent: bool
    seeds: int
    results: Sequence[Result] = field(compare=False)

    @property
    def name(self) -> str:
        """Return the first cell of a row."""
        return f"{self.seeds:,}{' frequent' if self.frequent else ''}"

    @cached_property
    def pairs(self) -> list[str]:
        """Return the language pairs in the order of the results."""
        return list(dict.fromkeys(name_of_pair(result) for result in self.results))

    @cached_property
    def methods(self) -> list[str]:
        """Return the methods that have results of all language pairs."""
        names = dict.fromkeys(method for method, _ in map(_cell, self.results))
        return [name for name in names if all(self.runs(name, pair) for pair in self.pairs)]

    @cached_property
    def draws(self) -> set[int]:
        """Return the draws that all methods have."""
        found: dict[tuple[str, str], set[int]] = {}
        for run in self.results:
            found.setdefault(_cell(run), set()).add(run["job"]["draw"])
        return set.intersection(*found.values())

    def runs(self, method: str, pair: str) -> list[Result]:
        """Return the common draws of a method for a language pair."""
        return [
            run
            for run in self.results
            if _cell(run) == (method, pair) and run["job"]["draw"] in self.draws
        ]

    def score(self, method: str, pair: str, ranker: str, measure: Measure) -> float:
        """Return the mean of a measure over draws."""
        return fmean(
            measure(run, ranker if ranker in run["scores"] else run["ranker"])
            for run in self.runs(method, pair)
        )

    def row(self, method: str, ranker: str, measure: Measure) -> list[float]:
        """Return the mean of a measure for each language pair."""
        return [self.score(method, pair, ranker, measure) for pair in self.pairs]

    def best_and_ours(self, ranker: str) -> list[str]:
        """Return the other method that is best on average, if there is one, and ours."""
        others = [method for method in self.methods if method != OURS]
        others.sort(key=lambda method: fmean(self.row(method, ranker, p_at_1)))
        return [*others[-1:], OURS]


def settings_of(results: Sequence[Result]) -> Iterator[Setting]:
    order = list(dict.fromkeys(job.target for job in expand(load_suite("core"), Path())))
    known = sorted(results, key=lambda result: order.index(result["job"]["target"]))
    for frequent, seeds in {_setting_key(result) for result in known}:
        here = [result for result in known if _setting_key(result) == (frequent, seeds)]
        yield Setting(frequent, seeds, here)


def name_of_pair(result: Result) -> str:
    return f"{result['job']['source']}→{result['job']['target']}"


def _setting_key(result: Result) -> tuple[bool, int]:
    return result["job"]["lexicon"].endswith("-frequent"), result["job"]["seeds"]


def _cell(result: Result) -> tuple[str, str]:
    return result["job"]["method"], name_of_pair(result)


def compared(settings: Sequence[Setting]) -> Iterator[tuple[Setting, str, str, list[str]]]:
    """Yield the best other method and ours, with each ranker, and the first cells of their rows."""
    for setting in settings:
        for ranker, by in RANKERS.items():
            for method in setting.best_and_ours(ranker):
                yield setting, ranker, method, [setting.name, by, f"`{method}`"]


def precision_table(settings: Sequence[Setting]) -> Iterator[str]:
    yield table_head(["Seeds", "Ranked by", "Method", "Mean", *settings[0].pairs])
    for setting, ranker, method, first in compared(settings):
        row = setting.row(method, ranker, p_at_1)
        yield table_row([*first, *(f"{value:.1f}" for value in (fmean(row), *row))])


def all_methods_table(settings: Sequence[Setting]) -> Iterator[str]:
    yield table_head(["Seeds", "Draws", "Method", "Mean", *settings[0].pairs])
    for setting in settings:
        for method in setting.methods:
            rows = [setting.row(method, ranker, p_at_1) for ranker in RANKERS]
            cells = zip(*([fmean(row), *row] for row in rows), strict=True)
            shown = [f"{one:.1f} → {other:.1f}" for one, other in cells]
            yield table_row([setting.name, str(len(setting.draws)), f"`{method}`", *shown])


def spread_table(settings: Sequence[Setting]) -> Iterator[str]:
    """Yield how much scores of our method differ between draws, also draws that others lack."""
    yield table_head(["Seeds", "Draws", "Ranked by", "Mean", *settings[0].pairs])
    for setting in settings:
        ours = [run for run in setting.results if run["job"]["method"] == OURS]
        draws = sorted({run["job"]["draw"] for run in ours})
        if len(draws) < 2:
            continue
        for ranker, by in RANKERS.items():
            score = {(name_of_pair(run), run["job"]["draw"]): p_at_1(run, ranker) for run in ours}
            rows = [[score[pair, draw] for draw in draws] for pair in setting.pairs]
            means = [fmean(each) for each in zip(*rows, strict=True)]
            cells = [f"{fmean(each):.1f} ± {stdev(each):.1f}" for each in (means, *rows)]
            yield table_row([setting.name, str(len(draws)), by, *cells])


def spelling_table(settings: Sequence[Setting]) -> Iterator[str]:
    """Yield the scores of words whose gold translations are spelled differently or alike."""
    yield table_head(["Seeds", "Ranked by", "Method", *(f"{band} alike" for band in BANDS)])
    for setting, ranker, method, first in compared(settings):
        cells = []
        for band in BANDS:
            known = [
                pair
                for pair in setting.pairs
                if band in setting.runs(method, pair)[0]["scores"]["csls"]["by_spelling"]
            ]
            scores = [setting.score(method, pair, ranker, _of_band(band)) for pair in known]
            some = "" if len(known) == len(setting.pairs) else f" ({len(known)} pairs)"
            cells.append(f"{fmean(scores):.1f}{some}")
        yield table_row([*first, *cells])


def _of_band(band: str) -> Measure:
    return lambda result, ranker: (
        100 * float(result["scores"][ranker]["by_spelling"][band]["p_at_1"])
    )


def lemma_table(settings: Sequence[Setting]) -> Iterator[str]:
    pairs = [
        pair
        for pair in settings[0].pairs
        if "p_at_1_lemma" in settings[0].runs(OURS, pair)[0]["scores"]["csls"]
    ]
    yield table_head(["Seeds", "Ranked by", "Method", *pairs])
    for setting, ranker, method, first in compared(settings):
        cells = [
            f"{setting.score(method, pair, ranker, p_at_1):.1f} → "
            f"{setting.score(method, pair, ranker, _by_lemma):.1f}"
            for pair in pairs
        ]
        yield table_row([*first, *cells])


def _by_lemma(result: Result, ranker: str) -> float:
    return 100 * float(result["scores"][ranker]["p_at_1_lemma"])


def calibration_table(settings: Sequence[Setting]) -> Iterator[str]:
    yield table_head(["Seeds", "Method", "Mean", *settings[0].pairs])
    for setting in settings:
        for method in setting.methods:
            row = setting.row(method, "calibrated", _calibration_error)
            mean = fmean(value for value in row if not math.isnan(value))
            cells = ["–" if math.isnan(value) else f"{value:.3f}" for value in (mean, *row)]
            yield table_row([setting.name, f"`{method}`", *cells])


def _calibration_error(result: Result, ranker: str) -> float:
    return float(result["calibration_error"]) if ranker == "calibrated" else math.nan


def table_head(cells: Sequence[str]) -> str:
    return f"{table_row(cells)}\n|{'---|' * len(cells)}"


def table_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
