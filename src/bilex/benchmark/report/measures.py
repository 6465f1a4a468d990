"""Measures that are computed from the answers of a job."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bilex.benchmark.report.number_format import size_label
from bilex.benchmark.report.records import Direction, JobRecord
from bilex.benchmark.report.study import Measure, Study
from bilex.benchmark.report.test_words import Integers
from bilex.evaluation.metrics import BAND_EDGES


@dataclass(frozen=True, slots=True)
class Band:
    """Precision at 1 on the test words of one frequency band."""

    label: str
    words: int
    p_at_1: float


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
    study: Study, directions: Sequence[Direction], size: int, method: str
) -> list[Band] | None:
    """Return precision by word frequency, over all words of some directions.

    None if the method has no result in one of the directions. Words of unknown frequency are left
    out.
    """
    cells = [study.cell(direction, size, method) for direction in directions]
    if not cells or not all(cells):
        return None
    right = np.zeros(len(BAND_EDGES))
    totals = np.zeros(len(BAND_EDGES))
    words = np.zeros(len(BAND_EDGES))
    for direction, records in zip(directions, cells, strict=True):
        places = _band_places(study, direction)
        for record in records:
            place = places[record.answers.words]
            known = place >= 0
            found = np.bincount(place[known], minlength=len(BAND_EDGES))
            totals += found
            words += found / len(records)
            hits = record.answers.right()[known]
            right += np.bincount(place[known], weights=hits, minlength=len(BAND_EDGES))
    return [
        Band(label, round(count), hit / total)
        for label, count, hit, total in zip(band_labels(), words, right, totals, strict=True)
        if total
    ]


def band_labels() -> list[str]:
    """Return the names of the frequency bands, most frequent first."""
    edges = [size_label(edge) for edge in BAND_EDGES]
    return [*(f"{low}–{high}" for low, high in pairwise(edges)), f"{edges[-1]}+"]


def _band_places(study: Study, direction: Direction) -> Integers:
    ranks = [entry.frequency_rank for entry in study.test_words[direction]]
    known = np.array([-1 if rank is None else rank for rank in ranks], dtype=np.int64)
    places: Integers = np.searchsorted(np.array(BAND_EDGES), known, side="right") - 1
    return places
