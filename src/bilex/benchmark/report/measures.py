"""Measures that are computed from the answers of a job."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bilex.benchmark.report.number_format import size_label
from bilex.benchmark.report.records import Direction, JobRecord
from bilex.benchmark.report.study import Measure, Study
from bilex.benchmark.report.test_words import Integers, TestWord
from bilex.evaluation.metrics import BAND_EDGES
from bilex.evaluation.spelling import SPELLING_BANDS, SPELLING_EDGES, spelling_band


@dataclass(frozen=True, slots=True)
class Band:
    """Precision at 1 on the test words of one band."""

    label: str
    words: int
    p_at_1: float


@dataclass(frozen=True, slots=True)
class Banding:
    """A division of test words into bands.

    Attributes:
        labels: The names of the bands.
        place: Returns the position of the band of a word; -1 if it has none.
    """

    labels: tuple[str, ...]
    place: Callable[[TestWord], int]

    def places(self, entries: Sequence[TestWord]) -> Integers:
        """Return the position of the band of each word."""
        return np.array([self.place(entry) for entry in entries], dtype=np.int64)


def score(name: str, ranker: str | None = None) -> Measure:
    """Return the measure that reads a score of a ranker; by default that of the method."""
    return lambda record: record.scores.get(ranker or record.ranker, {}).get(name)


def without_identical(study: Study) -> Measure:
    """Return precision at 1 on the words for which copying the word is wrong."""
    different = {
        direction: np.array([not entry.identical for entry in entries], dtype=bool)
        for direction, entries in study.test_words.items()
    }

    def measure(record: JobRecord) -> float | None:
        kept = different[record.direction][record.answers.words]
        return float(record.answers.right()[kept].mean()) if kept.any() else None

    return measure


def uncovered_as_errors(record: JobRecord) -> float | None:
    """Return correct answers divided by all test words, covered or not."""
    if not record.total or not len(record.answers.words):
        return None
    return float(record.answers.right().sum()) / record.total


def coverage(record: JobRecord) -> float | None:
    """Return the share of test words covered by the vocabularies."""
    return record.covered / record.total if record.total and record.covered is not None else None


def coverage_text(records: Iterable[JobRecord]) -> str:
    """Write how many test words are covered, as a range if methods differ."""
    known = [(r.covered, r.total) for r in records if r.covered is not None and r.total]
    if not known:
        return ""
    covered = sorted({covered for covered, _ in known})
    total = max(total for _, total in known)
    low, high = covered[0], covered[-1]
    span = f"{low:,}" if low == high else f"{low:,}–{high:,}"
    return f"{span} of {total:,}"


def bands(
    study: Study, directions: Sequence[Direction], size: int, method: str, banding: Banding
) -> list[Band] | None:
    """Return precision by band, over all words of some directions.

    None if the method has no result in one of the directions. Words without a band are left out.
    """
    cells = [study.cell(direction, size, method) for direction in directions]
    if not cells or not all(cells):
        return None
    n_bands = len(banding.labels)
    right, totals, words = np.zeros(n_bands), np.zeros(n_bands), np.zeros(n_bands)
    for direction, records in zip(directions, cells, strict=True):
        places = banding.places(study.test_words[direction])
        for record in records:
            place = places[record.answers.words]
            known = place >= 0
            found = np.bincount(place[known], minlength=n_bands)
            totals += found
            words += found / len(records)
            hits = record.answers.right()[known]
            right += np.bincount(place[known], weights=hits, minlength=n_bands)
    return [
        Band(label, round(count), hit / total)
        for label, count, hit, total in zip(banding.labels, words, right, totals, strict=True)
        if total
    ]


def _frequency_band(entry: TestWord) -> int:
    return (
        -1 if entry.frequency_rank is None else bisect_right(BAND_EDGES, entry.frequency_rank) - 1
    )


def _labels(edges: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{low}–{high}" for low, high in pairwise(edges))


_FREQUENCIES = [size_label(edge) for edge in BAND_EDGES]

FREQUENCY = Banding((*_labels(_FREQUENCIES), f"{_FREQUENCIES[-1]}+"), _frequency_band)
"""By frequency rank of the source word, most frequent first."""

SPELLING = Banding(
    _labels([f"{edge:g}" for edge in (*SPELLING_EDGES, 1)]),
    lambda entry: SPELLING_BANDS.index(spelling_band(entry.similarity)),
)
"""By spelling similarity of source word and gold translation, dissimilar words first."""
