"""The results of all jobs, arranged by language pair, number of seeds and method."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path

from bilex.benchmark.report.records import Direction, JobRecord, Results
from bilex.benchmark.report.test_words import TestWord
from bilex.errors import InputFileError
from bilex.model.trained import CALIBRATED

Measure = Callable[[JobRecord], float | None]
"""Returns a number of a job; None if the job does not have it."""

RANKINGS = {"csls": "CSLS", "nearest": "nearest neighbor"}
"""Names of rankings in tables; others have the name of their plugin."""


@dataclass(frozen=True, slots=True)
class Spread:
    """A measure over the draws of one cell: best, mean and sample standard deviation."""

    best: float
    mean: float
    lowest: float
    sd: float | None  # None with a single draw
    draws: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread | None:
        """Return the spread of some numbers, or None if there are none."""
        if not values:
            return None
        sd = statistics.stdev(values) if len(values) > 1 else None
        return cls(max(values), statistics.fmean(values), min(values), sd, len(values))


@dataclass(frozen=True, slots=True)
class Study:
    """The data of a report.

    Attributes:
        suites: The names of the suites.
        ranking: How candidates are ranked in the tables, as text.
        methods: The methods, best first, by their mean lead over the others in the same cells.
        directions: The language pairs, sorted by name.
        sizes: Numbers of seed pairs, fewest first.
        cells: The finished jobs of a direction, a number of seeds and a method, by draw.
        failures: The jobs that ended in an error.
        test_words: The test words of each direction.
        superseded: Number of older results of the same jobs that are left out.
    """

    suites: tuple[str, ...]
    ranking: str
    methods: tuple[str, ...]
    directions: tuple[Direction, ...]
    sizes: tuple[int, ...]
    cells: Mapping[tuple[Direction, int, str], tuple[JobRecord, ...]]
    failures: tuple[JobRecord, ...]
    test_words: Mapping[Direction, tuple[TestWord, ...]]
    superseded: int

    @property
    def done(self) -> list[JobRecord]:
        """Return all finished jobs."""
        return [record for records in self.cells.values() for record in records]

    def cell(self, direction: Direction, size: int, method: str) -> tuple[JobRecord, ...]:
        """Return the finished jobs of a cell; none if it was not run or failed."""
        return self.cells.get((direction, size, method), ())

    def p_at_1(self, record: JobRecord) -> float | None:
        """Return precision at 1 by the ranker of the method."""
        return record.scores.get(record.ranker, {}).get("p_at_1")

    def spread(
        self, direction: Direction, size: int, method: str, measure: Measure
    ) -> Spread | None:
        """Return a measure over the draws of one cell."""
        return Spread.of(_values(self.cell(direction, size, method), measure))

    def overall(
        self, directions: Iterable[Direction], size: int, method: str, measure: Measure
    ) -> Spread | None:
        """Return a measure averaged over directions with equal weights.

        None if one of them does not have it, because averages over different sets cannot be
        compared. Best, lowest and standard deviation are over the draws that all directions have.
        """
        cells = [self.cell(direction, size, method) for direction in directions]
        means = [Spread.of(_values(records, measure)) for records in cells]
        if not means or any(found is None for found in means):
            return None
        mean = statistics.fmean(found.mean for found in means if found is not None)
        draws = set.intersection(*({record.draw for record in records} for records in cells))
        by_draw = []
        for draw in sorted(draws):
            values = [_values([r for r in records if r.draw == draw], measure) for records in cells]
            if all(values):
                by_draw.append(statistics.fmean(value[0] for value in values))
        spread = Spread.of(by_draw)
        if spread is None:
            return Spread(mean, mean, mean, None, 0)
        return Spread(spread.best, mean, spread.lowest, spread.sd, spread.draws)

    def directions_at(self, size: int) -> tuple[Direction, ...]:
        """Return the directions with a finished job of any method at this number of seeds."""
        finished = {direction for direction, found, _ in self.cells if found == size}
        return tuple(direction for direction in self.directions if direction in finished)

    def common_directions(self, size: int) -> tuple[Direction, ...]:
        """Return the directions over which means at this number of seeds are taken.

        These are the directions that the methods have in common. A method with few directions is
        ignored if that makes the comparison larger (number of methods times directions).
        """
        finished: defaultdict[str, set[Direction]] = defaultdict(set)
        for direction, found, method in self.cells:
            if found == size:
                finished[method].add(direction)
        ordered = sorted(finished.values(), key=len, reverse=True)
        best: set[Direction] = set()
        compared = 0
        for count in range(1, len(ordered) + 1):
            shared = set.intersection(*ordered[:count])
            if count * len(shared) >= compared:
                best, compared = shared, count * len(shared)
        return tuple(direction for direction in self.directions if direction in best)

    def directions_everywhere(self) -> tuple[Direction, ...]:
        """Return the directions that are common to the methods at every number of seeds."""
        everywhere = set.intersection(*(set(self.common_directions(s)) for s in self.sizes))
        return tuple(direction for direction in self.directions if direction in everywhere)


def arrange(results: Results, path: Path) -> Study:
    """Arrange the results that were read from the folder `path`.

    Raises:
        InputFileError: If no job is done; the message has the number of failed jobs.
    """
    failures = tuple(record for record in results.records if not record.done)
    cells: defaultdict[tuple[Direction, int, str], list[JobRecord]] = defaultdict(list)
    for record in results.records:
        if record.done:
            cells[record.direction, record.seeds, record.method].append(record)
    if not cells:
        raise InputFileError(path, _nothing_done(failures))
    study = Study(
        suites=tuple(sorted({record.suite for record in results.records if record.suite})),
        ranking=_ranking({record.ranker for records in cells.values() for record in records}),
        methods=tuple(sorted({method for _, _, method in cells})),
        directions=tuple(sorted({direction for direction, _, _ in cells})),
        sizes=tuple(sorted({size for _, size, _ in cells})),
        cells={
            key: tuple(sorted(cells[key], key=lambda record: record.draw)) for key in sorted(cells)
        },
        failures=failures,
        test_words=results.test_words,
        superseded=results.superseded,
    )
    return _best_first(study)


def _ranking(rankers: Set[str]) -> str:
    """Return the names of the rankings of all methods, those by scores first."""
    by_score = [RANKINGS.get(ranker, ranker) for ranker in sorted(rankers - {CALIBRATED})]
    by_probability = ["probability (methods that learn it)"] if CALIBRATED in rankers else []
    return " or ".join([*by_score, *by_probability])


def _values(records: Iterable[JobRecord], measure: Measure) -> list[float]:
    found = [measure(record) for record in records]
    return [value for value in found if value is not None]


def _best_first(study: Study) -> Study:
    """Order the methods by their mean lead over the average of the cells they are in."""
    leads: defaultdict[str, list[float]] = defaultdict(list)
    for direction in study.directions:
        for size in study.sizes:
            spreads = {m: study.spread(direction, size, m, study.p_at_1) for m in study.methods}
            means = {method: found.mean for method, found in spreads.items() if found is not None}
            for method, mean in means.items():
                leads[method].append(mean - statistics.fmean(means.values()))
    order = sorted(
        study.methods,
        key=lambda m: (-statistics.fmean(leads[m]) if leads[m] else float("inf"), m),
    )
    return replace(study, methods=tuple(order))


def _nothing_done(failures: Sequence[JobRecord]) -> str:
    example = next((record.failure for record in failures if record.failure is not None), None)
    first = f", the first with {example.kind}: {example.message}" if example is not None else ""
    return (
        f"none of {len(failures)} jobs is done ({len(failures)} failed{first}), so there is "
        "nothing to report: fix the errors and run the suite again"
    )
