"""The table of precision by spelling similarity, for each language pair and for all together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from bilex.benchmark.report.comparisons import word_numbers
from bilex.benchmark.report.measures import SPELLING, Band, bands
from bilex.benchmark.report.number_format import percent, size_label, whole
from bilex.benchmark.report.records import Direction, JobRecord
from bilex.benchmark.report.significance import Sample, interval, resampled_means
from bilex.benchmark.report.study import RANKINGS, Study
from bilex.benchmark.report.tables import MISSING, Cell, Column, Row, Table, number, word
from bilex.benchmark.report.test_words import Integers, Numbers
from bilex.evaluation.spelling import SPELLING_BANDS

_NOTE = (
    "P@1 in percent by spelling similarity of the source word and its most similar gold "
    "translation, without accents and in Latin letters: 0 is no overlap, 1 is equal. The column "
    "P@1 is by {ranking}, with its 95 % bootstrap interval over test words; other columns name "
    "their ranking. Only covered words count. In rows of all pairs, each word of each pair counts "
    "once."
)


def spelling_table(study: Study, rng: np.random.Generator) -> Table:
    """Return precision by spelling similarity, by the method's ranking and by others."""
    columns = (
        Column("pair", "Pair", numeric=False),
        Column("seeds", "Seeds"),
        Column("method", "Method", numeric=False),
        Column("similarity", "Similarity", numeric=False),
        Column("words", "Words"),
        Column("p_at_1", "P@1"),
        Column("interval_low", "95 % from"),
        Column("interval_high", "to"),
        *(Column(f"{ranker}_p_at_1", f"P@1 {title}") for ranker, title in RANKINGS.items()),
    )
    rows: list[Row] = []
    numbers = word_numbers(study)
    for size in study.sizes:
        means = _Resamples(study, size, numbers, rng)
        common = study.common_directions(size)
        if len(common) > 1:
            rows += _rows(study, common, size, means)
        for direction in study.directions_at(size):
            rows += _rows(study, [direction], size, means)
    note = _NOTE.format(ranking=study.ranking)
    return Table("spelling", "Precision by spelling similarity", note, columns, tuple(rows), 4)


class _Resamples:
    """The resampled precision of each method in each band, at one number of seeds."""

    def __init__(
        self,
        study: Study,
        size: int,
        numbers: dict[Direction, Integers],
        rng: np.random.Generator,
    ) -> None:
        self.methods = study.methods
        self.directions = study.directions_at(size)
        self.places = {d: SPELLING.places(study.test_words[d]) for d in self.directions}
        samples = []
        for direction, places in self.places.items():
            shares = [_right_by_word(study, direction, size, method) for method in self.methods]
            columns = [
                np.where(places == band, share, np.nan)
                for share in shares
                for band in range(len(SPELLING.labels))
            ]
            samples.append(Sample(direction.source, numbers[direction], np.stack(columns, axis=1)))
        self.means = resampled_means(samples, rng)  # (direction, resample, method and band)
        self.counts = np.array([(~np.isnan(sample.values)).sum(axis=0) for sample in samples])

    def interval(
        self, directions: Sequence[Direction], method: str, band: int
    ) -> tuple[float, float]:
        """Return the interval of a band, over directions in proportion to their words."""
        column = self.methods.index(method) * len(SPELLING.labels) + band
        used = [
            place
            for place, direction in enumerate(self.directions)
            if direction in directions and self.counts[place, column]
        ]
        weights = self.counts[used, column] / self.counts[used, column].sum()
        return interval((weights[:, None] * self.means[used, :, column]).sum(axis=0))


def _right_by_word(study: Study, direction: Direction, size: int, method: str) -> Numbers:
    """Return the share of draws in which each word is right; NaN for words without an answer."""
    n_words = len(study.test_words[direction])
    right, answered = np.zeros(n_words), np.zeros(n_words)
    for record in study.cell(direction, size, method):
        right[record.answers.words] += record.answers.right()
        answered[record.answers.words] += 1
    found: Numbers = np.where(answered > 0, right / np.maximum(answered, 1), np.nan)
    return found


def _rows(
    study: Study, directions: Sequence[Direction], size: int, means: _Resamples
) -> Iterator[Row]:
    alone = directions[0] if len(directions) == 1 else None
    for method in study.methods:
        records = [r for direction in directions for r in study.cell(direction, size, method)]
        for band in bands(study, directions, size, method, SPELLING) or ():
            place = SPELLING.labels.index(band.label)
            low, high = means.interval(directions, method, place)
            cells = (
                word("all pairs" if alone is None else alone.label),
                Cell(size, size_label(size)),
                word(method),
                word(band.label),
                Cell(band.words, whole(band.words)),
                *(number(value, percent(value)) for value in (band.p_at_1, low, high)),
                *(_other(records, band, means.places, ranker) for ranker in RANKINGS),
            )
            yield Row(cells, alone, size, method)


def _other(
    records: Sequence[JobRecord], band: Band, places: Mapping[Direction, Integers], ranker: str
) -> Cell:
    """Return the precision of another ranker on the same words, if the results have it."""
    if all(record.ranker == ranker for record in records):
        return Cell(band.p_at_1, percent(band.p_at_1))
    if not all(ranker in record.by_spelling for record in records):
        return MISSING
    place = SPELLING.labels.index(band.label)
    right = sum(record.by_spelling[ranker].get(SPELLING_BANDS[place], 0) for record in records)
    answered = sum(
        int((places[record.direction][record.answers.words] == place).sum()) for record in records
    )
    return Cell(right / answered, percent(right / answered))
