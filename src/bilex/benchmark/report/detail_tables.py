"""The detailed tables: all scores, coverage, hubness, time, frequency and failures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bilex.benchmark.report.comparisons import Comparisons
from bilex.benchmark.report.measures import (
    FREQUENCY,
    bands,
    coverage,
    score,
    uncovered_as_errors,
    without_identical,
)
from bilex.benchmark.report.number_format import (
    decimal,
    mebibytes,
    percent,
    seconds,
    size_label,
    whole,
)
from bilex.benchmark.report.records import Direction
from bilex.benchmark.report.score_tables import marks
from bilex.benchmark.report.study import Measure, Study
from bilex.benchmark.report.tables import Cell, Column, Row, Table, number, word

_HEADINGS = (
    Column("pair", "Pair", numeric=False),
    Column("seeds", "Seeds"),
    Column("method", "Method", numeric=False),
)


@dataclass(frozen=True, slots=True)
class _Mean:
    """A column with the mean of a measure over the draws of a cell."""

    key: str
    title: str
    measure: Measure
    write: Callable[[float | None], str]


def scores_table(study: Study, comparisons: Comparisons) -> Table:
    """Return best, mean and standard deviation of P@1 over draws, and the other scores."""
    others = [
        _Mean("p_at_5", "P@5", score("p_at_5"), percent),
        _Mean("p_at_10", "P@10", score("p_at_10"), percent),
        _Mean("mrr", "MRR", score("mrr"), percent),
        _Mean("nearest_p_at_1", "P@1 nearest", score("p_at_1", "nearest"), percent),
    ]
    by_lemma = score("p_at_1_lemma")
    if any(by_lemma(record) is not None for record in study.done):
        others.append(_Mean("p_at_1_lemma", "P@1 by lemma", by_lemma, percent))
    columns = (
        *_HEADINGS,
        Column("draws", "Draws"),
        Column("best", "Best"),
        Column("mean", "Mean"),
        Column("sd", "sd"),
        *(Column(other.key, other.title) for other in others),
    )
    rows = []
    for direction, size, method in _cells(study):
        spreads = {m: study.spread(direction, size, m, study.p_at_1) for m in study.methods}
        spread, mark = spreads[method], marks(comparisons, size, direction, spreads)[method]
        mean = None if spread is None else spread.mean
        cells = (
            *_headings(direction, size, method),
            Cell(draws := len(study.cell(direction, size, method)), str(draws)),
            _share(None if spread is None else spread.best),
            Cell(mean, percent(mean), mark=mark),
            _share(None if spread is None else spread.sd),
            *(_mean_cell(study, direction, size, method, other) for other in others),
        )
        rows.append(Row(cells, direction, size, method))
    note = (
        f"In percent, over draws of the seeds. Candidates are ranked by {study.ranking} unless the "
        "column says otherwise. sd is the sample standard deviation; a single draw has none."
    )
    return Table("scores", "All scores", note, columns, tuple(rows), 3)


def basis_table(study: Study) -> Table:
    """Return what affects each score: coverage, copies, identical strings, leakage."""
    columns = [
        _Mean("p_at_1", "P@1", study.p_at_1, percent),
        _Mean("different", "P@1 without identical", without_identical(study), percent),
        _Mean("copy", "Copy baseline", lambda r: r.copy_baseline, percent),
        _Mean("identical_share", "Identical words", lambda r: r.identical_share, percent),
        _Mean("strict", "P@1, uncovered as errors", uncovered_as_errors, percent),
        _Mean("coverage", "Coverage", coverage, percent),
        _Mean("covered", "Covered", lambda r: r.covered, whole),
        _Mean("total", "Test words", lambda r: r.total, whole),
        _Mean("leakage", "Leaks removed", lambda r: r.leakage_removed, whole),
        _Mean("seed_pairs", "Seeds usable", lambda r: r.seed_pairs, whole),
    ]
    note = (
        "Shares in percent. Identical: the word is its own translation, so copying it is correct. "
        "Leaks: seed pairs whose source word is a test word; they are removed before training. "
        "Usable: seed pairs with both words in the vocabularies."
    )
    return _mean_table(study, "basis", "Coverage, copies and seeds", note, columns)


def hubness_table(study: Study) -> Table:
    """Return the hubness of each cell."""
    columns = [
        _Mean("skewness", "Skewness", lambda r: r.skewness, decimal),
        _Mean("unreached", "Never reached, %", lambda r: r.share_unreached, percent),
    ]
    note = (
        "Skewness: of the number of times a target word is a nearest neighbor; 0 is even, above 1 "
        "there are hubs. Never reached: target words that are not a neighbor of any source word."
    )
    return _mean_table(study, "hubness", "Hubness", note, columns)


def cost_table(study: Study) -> Table:
    """Return time and memory."""
    columns = [
        _Mean("processor_seconds", "Processor, s", lambda r: r.processor_seconds, seconds),
        _Mean("fit_seconds", "Training, s", lambda r: r.fit_seconds, seconds),
        _Mean("evaluate_seconds", "Evaluation, s", lambda r: r.evaluate_seconds, seconds),
        _Mean("peak_memory", "Peak memory, MiB", lambda r: r.peak_memory, mebibytes),
    ]
    note = (
        "Means over draws, on the machine of the run; do not compare them with other reports. "
        "Processor time is the sum over all threads of the whole job. Training and evaluation are "
        "wall-clock times, which are longer if the machine had other work."
    )
    return _mean_table(study, "cost", "Time and memory", note, columns)


def frequency_table(study: Study) -> Table:
    """Return precision by word frequency, over all language pairs."""
    columns = (
        Column("seeds", "Seeds"),
        Column("method", "Method", numeric=False),
        Column("band", "Frequency rank", numeric=False),
        Column("words", "Words"),
        Column("p_at_1", "P@1"),
    )
    rows = []
    for size in study.sizes:
        for method in study.methods:
            directions = study.common_directions(size)
            for band in bands(study, directions, size, method, FREQUENCY) or ():
                cells = (
                    Cell(size, size_label(size)),
                    word(method),
                    word(band.label),
                    Cell(band.words, whole(band.words)),
                    _share(band.p_at_1),
                )
                rows.append(Row(cells, size=size, method=method))
    note = (
        "P@1 in percent by frequency rank of the source word, over the test words of all language "
        "pairs that the methods have in common."
    )
    return Table("frequency", "Precision by frequency", note, columns, tuple(rows), 3)


def failures_table(study: Study) -> Table:
    """Return the jobs that ended in an error."""
    columns = (
        *_HEADINGS,
        Column("draw", "Draw"),
        Column("error", "Error", numeric=False),
        Column("message", "Message", numeric=False),
    )
    rows = []
    for record in sorted(study.failures, key=lambda r: (r.direction, r.seeds, r.method, r.draw)):
        if record.failure is not None:
            cells = (
                *_headings(record.direction, record.seeds, record.method),
                Cell(record.draw, str(record.draw)),
                word(record.failure.kind),
                word(record.failure.message),
            )
            rows.append(Row(cells, record.direction, record.seeds, record.method))
    return Table("failures", "Failures", "Jobs that ended in an error.", columns, tuple(rows), 3)


def _cells(study: Study) -> Iterator[tuple[Direction, int, str]]:
    for direction in study.directions:
        for size in study.sizes:
            for method in study.methods:
                if study.cell(direction, size, method):
                    yield direction, size, method


def _headings(direction: Direction, size: int, method: str) -> tuple[Cell, Cell, Cell]:
    return word(direction.label), Cell(size, size_label(size)), word(method)


def _mean_table(study: Study, name: str, title: str, note: str, columns: Sequence[_Mean]) -> Table:
    rows = tuple(
        Row(
            (
                *_headings(direction, size, method),
                *(_mean_cell(study, direction, size, method, column) for column in columns),
            ),
            direction,
            size,
            method,
        )
        for direction, size, method in _cells(study)
    )
    titles = (*_HEADINGS, *(Column(column.key, column.title) for column in columns))
    return Table(name, title, note, titles, rows, 3)


def _mean_cell(study: Study, direction: Direction, size: int, method: str, column: _Mean) -> Cell:
    spread = study.spread(direction, size, method, column.measure)
    mean = None if spread is None else spread.mean
    return number(mean, column.write(mean))


def _share(value: float | None) -> Cell:
    return number(value, percent(value))
