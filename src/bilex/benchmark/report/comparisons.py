"""Compare every two methods on the test words that both can answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from bilex.benchmark.report.records import Direction
from bilex.benchmark.report.significance import (
    LEVEL,
    Sample,
    drawn_p_values,
    exact_p_value,
    holm,
    interval,
    resampled_means,
)
from bilex.benchmark.report.study import Study
from bilex.benchmark.report.test_words import Integers, Numbers

Pairing = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The difference of two methods in precision at 1, and its statistical significance.

    Attributes:
        size: Number of seed pairs.
        direction: The language pair, or None for the mean over all common language pairs, with
            equal weights.
        first: The first method.
        second: The second method.
        directions: Number of language pairs.
        words: Number of test words.
        difference: First minus second, over the draws that both have.
        interval: 95 % bootstrap interval of the difference, not corrected.
        p_value: Two-sided p-value of the sign-flip test.
        corrected: The p-value after Holm's correction over the family.
    """

    size: int
    direction: Direction | None
    first: str
    second: str
    directions: int
    words: int
    difference: float
    interval: tuple[float, float]
    p_value: float
    corrected: float = 1.0

    @property
    def significant(self) -> bool:
        """Return whether the difference is statistically significant."""
        return self.corrected < LEVEL

    @property
    def reversed(self) -> Comparison:
        """Return the second method against the first."""
        low, high = self.interval
        return replace(
            self,
            first=self.second,
            second=self.first,
            difference=-self.difference,
            interval=(-high, -low),
        )


@dataclass(frozen=True)
class Comparisons:
    """All comparisons of a study: over all language pairs together, and within each.

    These are two families; p-values are corrected within each family.
    """

    together: tuple[Comparison, ...]
    apart: tuple[Comparison, ...]
    intervals: Mapping[tuple[int, str], tuple[float, float]]
    """95 % interval of the mean precision over all pairs, by number of seeds and method."""

    def find(
        self, size: int, direction: Direction | None, first: str, second: str
    ) -> Comparison | None:
        """Return the comparison of `first` with `second`; None if there is none."""
        found = self._index.get((size, direction, first, second))
        if found is None:
            other = self._index.get((size, direction, second, first))
            found = other.reversed if other is not None else None
        return found

    @cached_property
    def _index(self) -> dict[tuple[int, Direction | None, str, str], Comparison]:
        return {(c.size, c.direction, c.first, c.second): c for c in self.together + self.apart}


def compare(study: Study, rng: np.random.Generator) -> Comparisons:
    """Compare all methods at each number of seeds."""
    together: list[Comparison] = []
    apart: list[Comparison] = []
    intervals: dict[tuple[int, str], tuple[float, float]] = {}
    numbers = word_numbers(study)
    for size in study.sizes:
        tables = [
            _table(study, size, direction, numbers[direction])
            for direction in study.directions_at(size)
        ]
        samples = [Sample(t.direction.source, t.words, t.values) for t in tables]
        means = resampled_means(samples, rng)  # (direction, resample, pairing or method)
        apart += _apart(study, size, tables, means)
        together += _together(study, size, tables, means, rng)
        common = [t.direction in study.common_directions(size) for t in tables]
        for column, method in enumerate(study.methods, start=len(_pairings(study))):
            if not np.isnan(means[common, :, column]).all(axis=1).any():
                intervals[size, method] = interval(means[common, :, column].mean(axis=0))
    return Comparisons(_corrected(together), _corrected(apart), intervals)


@dataclass(frozen=True, eq=False, slots=True)
class _Table:
    """The correct answers at one number of seeds in one direction.

    `values` has a column for each pairing (mean difference over common draws), then one for
    each method (mean over its draws); `totals` has the differences summed over `draws`.
    """

    direction: Direction
    words: Integers
    values: Numbers
    totals: Numbers
    draws: Integers


def _pairings(study: Study) -> list[Pairing]:
    return list(combinations(study.methods, 2))


def word_numbers(study: Study) -> dict[Direction, Integers]:
    """Number the source words of each language; a word has the same number in all directions."""
    known: dict[tuple[str, str], int] = {}
    return {
        direction: np.array(
            [
                known.setdefault((direction.source, entry.word), len(known))
                for entry in study.test_words[direction]
            ],
            dtype=np.int64,
        )
        for direction in study.directions
    }


def _table(study: Study, size: int, direction: Direction, words: Integers) -> _Table:
    right: dict[str, dict[int, Numbers]] = {}
    for method in study.methods:
        right[method] = {}
        for record in study.cell(direction, size, method):
            column = np.full(len(words), np.nan)
            column[record.answers.words] = record.answers.right()
            right[method][record.draw] = column
    totals, draws = [], []
    for first, second in _pairings(study):
        common = sorted(right[first].keys() & right[second].keys())
        differences = [right[first][draw] - right[second][draw] for draw in common]
        totals.append(_summed(differences, len(words)))
        draws.append(len(common))
    alone = [
        _summed(list(right[m].values()), len(words)) / max(1, len(right[m])) for m in study.methods
    ]
    shape = (len(words), len(totals))
    sums = np.array(totals).T.reshape(shape)
    each = sums / np.maximum(1, np.array(draws, dtype=np.int64))
    values = np.concatenate([each, np.array(alone).T], axis=1)
    return _Table(direction, words, values, sums, np.array(draws, dtype=np.int64))


def _summed(columns: list[Numbers], n_words: int) -> Numbers:
    if not columns:
        return np.full(n_words, np.nan)
    total: Numbers = np.sum(columns, axis=0)
    return total


def _apart(study: Study, size: int, tables: list[_Table], means: Numbers) -> list[Comparison]:
    found = []
    for number, table in enumerate(tables):
        for column, (first, second) in enumerate(_pairings(study)):
            known = ~np.isnan(table.totals[:, column])
            if known.any():
                found.append(
                    Comparison(
                        size,
                        table.direction,
                        first,
                        second,
                        directions=1,
                        words=int(known.sum()),
                        difference=float(table.values[known, column].mean()),
                        interval=interval(means[number, :, column]),
                        p_value=exact_p_value(_by_word(table, column)),
                    )
                )
    return found


def _by_word(table: _Table, column: int) -> Integers:
    """Return the sum of the differences of each word, as whole numbers."""
    known = ~np.isnan(table.totals[:, column])
    _, rows = np.unique(table.words[known], return_inverse=True)
    totals: Integers = np.rint(np.bincount(rows, table.totals[known, column])).astype(np.int64)
    return totals


def _together(
    study: Study, size: int, tables: list[_Table], means: Numbers, rng: np.random.Generator
) -> list[Comparison]:
    pairings = _pairings(study)
    n = len(pairings)
    known = _rest_on(study, size, tables, n)
    contributions = _contributions(tables, known)
    p_values = drawn_p_values(contributions, rng) if n else np.zeros(0)
    found = []
    for column, (first, second) in enumerate(pairings):
        used = [i for i, table in enumerate(tables) if known[i, column]]
        if not used:
            continue
        alone = exact_p_value(_by_word(tables[used[0]], column)) if len(used) == 1 else None
        found.append(
            Comparison(
                size,
                None,
                first,
                second,
                directions=len(used),
                words=sum(int((~np.isnan(tables[i].values[:, column])).sum()) for i in used),
                difference=float(contributions[:, column].sum()),
                interval=interval(means[used, :, column].mean(axis=0)),
                p_value=float(p_values[column]) if alone is None else alone,
            )
        )
    return found


def _rest_on(study: Study, size: int, tables: list[_Table], n: int) -> NDArray[np.bool_]:
    """Return which directions (rows) each pairing (column) uses.

    These are the common directions of the study if both methods have all of them, otherwise all
    directions that both have.
    """
    known = np.array([~np.isnan(t.values[:, :n]).all(axis=0) for t in tables])
    common = np.array([t.direction in study.common_directions(size) for t in tables])
    complete = known[common].all(axis=0)
    found: NDArray[np.bool_] = known & (common[:, None] | ~complete)
    return found


def _contributions(tables: list[_Table], known: NDArray[np.bool_]) -> Numbers:
    """Return the contribution of each word to the mean difference over directions."""
    n_words = 1 + max(int(table.words.max(initial=0)) for table in tables)
    contributions = np.zeros((n_words, known.shape[1]))
    n_directions = np.maximum(1, known.sum(axis=0))
    for number, table in enumerate(tables):
        differences = np.where(known[number], table.values[:, : known.shape[1]], np.nan)
        n_rows = np.maximum(1, (~np.isnan(differences)).sum(axis=0))
        np.add.at(contributions, table.words, np.nan_to_num(differences) / (n_rows * n_directions))
    moved: Numbers = contributions[np.abs(contributions).any(axis=1)]
    return moved


def _corrected(family: Iterable[Comparison]) -> tuple[Comparison, ...]:
    members = list(family)
    corrected = holm(np.array([member.p_value for member in members]))
    return tuple(
        replace(member, corrected=float(value))
        for member, value in zip(members, corrected, strict=True)
    )
